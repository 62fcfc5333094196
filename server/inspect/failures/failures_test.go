package failures

import (
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/inspect/inspecttest"
)

func one(name, path, text string, want ...string) inspecttest.Case {
	for i, w := range want {
		want[i] = path + ":" + w
	}
	return inspecttest.Case{Name: name, Files: map[string]string{path: text}, Want: want}
}

// gofile returns a Go file with one import a line, from line 4 on, and then the body.
func gofile(imports, body string) string {
	var b strings.Builder
	b.WriteString("package p\n\nimport (\n")
	for imp := range strings.FieldsSeq(imports) {
		fmt.Fprintf(&b, "\t%q\n", imp)
	}
	return b.String() + ")\n\n" + body
}

// ownCode declares load, which returns nil with its error, on lines 5 to 11.
const ownCode = "package p\n\ntype conf struct{ n int }\n\nfunc load(n int) (*conf, error) {\n\tif n > 1 {\n\t\treturn nil, fail\n\t}\n\tc := &conf{n}\n\treturn c, nil\n}\n\n// f is what is looked at.\n"

// unevenCode declares save, whose error three calls check, on lines 3 to 12.
const unevenCode = "package p\n\nfunc save(n int) error { return e() }\n\nfunc a() error { return save(1) }\n\n" +
	"func b() any { return save(2) }\n\nfunc c() {\n\tif err := save(3); err != nil {\n\t}\n}\n\n"

// saveAs returns unevenCode with other parameters, results and body of save.
func saveAs(other string) string {
	return strings.Replace(unevenCode, "(n int) error { return e() }", other, 1)
}

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"healer/unchecked-call": {
			Planted: []inspecttest.Case{
				one("a function", "a.go", unevenCode+"func d() error {\n\tsave(4)\n\treturn nil\n}\n", "15 medium"),
				one("two results", "a.go", saveAs("(n int) (int, error) { return 0, e() }")+
					"func d() error {\n\tsave(4)\n\treturn nil\n}\n", "15 medium"),
				one("an error that is only made", "a.go", strings.ReplaceAll(unevenCode, "save", "New")+
					"func d() error {\n\tif err := e(); err != nil {\n\t\tNew(4)\n\t}\n\treturn nil\n}\n", "16 medium"),
				one("a method of an interface", "a.go", "package p\n\ntype s interface{ save(n int) error }\n\n"+
					strings.ReplaceAll(strings.SplitN(unevenCode, "\n", 5)[4], "save(", "x.save(")+
					"var x s\n\nfunc d() error {\n\tx.save(4)\n\treturn nil\n}\n", "17 medium"),
				{Name: "of another own package", Files: map[string]string{
					"go.mod": "module m\n", "p/p.go": strings.ReplaceAll(unevenCode, "save", "Save"),
					"b/b.go": "package b\n\nimport \"m/p\"\n\nfunc d() error {\n\tp.Save(4)\n\treturn nil\n}\n"}, Want: []string{"b/b.go:6 medium"}},
			},
			Silent: []inspecttest.Case{
				one("no error to return", "a.go", unevenCode+"func d() string {\n\tsave(4)\n\treturn \"\"\n}\n"),
				one("before another error", "a.go", unevenCode+"func d() error {\n\tsave(4)\n\treturn e()\n}\n"),
				one("on the way out", "a.go", unevenCode+
					"func d() error {\n\tif err := e(); err != nil {\n\t\tsave(4)\n\t\treturn err\n\t}\n\treturn nil\n}\n"),
				one("on purpose", "a.go", unevenCode+"func d() error {\n\t_ = save(4)\n\tdefer save(5)\n\treturn nil\n}\n"),
				one("explained", "a.go", unevenCode+"func d() error {\n\tsave(4) // there may be no disk\n\treturn nil\n}\n"),
				one("tidied up", "a.go", strings.ReplaceAll(unevenCode, "save", "Remove")+"func d() error {\n\tRemove(4)\n\treturn nil\n}\n"),
				one("never fails", "a.go", saveAs("(n int) error { return nil }")+"func d() error {\n\tsave(4)\n\treturn nil\n}\n"),
				one("dropped as often", "a.go", unevenCode+"func d() error {\n\tsave(4)\n\tsave(5)\n\treturn nil\n}\n"),
				one("another function of the name", "a.go", unevenCode+
					"type t struct{}\n\nfunc (t) save(n int) error { return nil }\n\n"+"func d() error {\n\tt{}.save(4)\n\treturn nil\n}\n"),
				one("a local function of the name", "a.go", unevenCode+
					"func d() error {\n\tsave := func(int) error { return nil }\n\tsave(4)\n\treturn nil\n}\n"),
				one("no error", "a.go", saveAs("(n int) any { return nil }")+"func d() error {\n\tsave(4)\n\treturn nil\n}\n"),
			},
		},
		"healer/dropped-error": {
			Planted: []inspecttest.Case{
				one("read for the caller", "a.go", gofile("io net/http",
					"func f(r *http.Response) ([]byte, error) {\n\tif r.StatusCode == 200 {\n\t\tb, _ := io.ReadAll(r.Body)\n\t\treturn b, nil\n\t}\n\treturn nil, nil\n}\n"), "10 medium"),
				one("a nil answer", "a.go", gofile("net/http", "func f(u string) {\n\tresp, _ := http.Get(u)\n\tdefer resp.Body.Close()\n}\n"), "8 high"),
				one("an address", "a.go", gofile("net/url", "func f(u string) string {\n\tx, _ := url.Parse(u)\n\treturn x.Host\n}\n"), "8 high"),
				one("an address from outside", "a.go", gofile("net/http net/url", "func f(r *http.Request) string {\n\tx, _ := url.Parse(r.FormValue(\"u\"))\n\treturn x.Host\n}\n"), "9 high"),
				one("a base from outside", "a.go", gofile("net/url", "func f(base string) string {\n\tx, _ := url.Parse(base + \"/a\")\n\treturn x.Host\n}\n"), "8 high"),
				one("a name with two texts", "a.go", gofile("net/url", "func f(u *url.URL, s string) string {\n\tt := u.String()\n\tif s != \"\" {\n\t\tt = s\n\t}\n\tx, _ := url.Parse(t)\n\treturn x.Host\n}\n"), "12 high"),
				one("half a body", "a.go", gofile("io", "func f(r io.Reader) string {\n\tb, _ := io.ReadAll(r)\n\treturn string(b)\n}\n"), "8 medium"),
				one("nothing decoded", "a.go", gofile("encoding/json", "func f(b []byte) (v int) {\n\tjson.Unmarshal(b, &v)\n\treturn v\n}\n"), "8 medium"),
				one("nil of an own function", "a.go", ownCode+"func f() int {\n\tc, _ := load(2)\n\treturn c.n\n}\n", "15 medium"),
				one("nil of an own method", "a.go", ownCode+"func (c *conf) next() (*conf, error) { return nil, fail }\n\nfunc f(c *conf) int {\n\td, _ := c.next()\n\tuse(d)\n\treturn d.n\n}\n", "17 medium"),
				{Name: "nil of another own package", Files: map[string]string{"go.mod": "module m\n", "p/p.go": strings.ReplaceAll(ownCode, "load", "Load"), "a.go": "package a\n\nimport \"m/p\"\n\nfunc f() int {\n\tc, _ := p.Load(2)\n\treturn c.n\n}\n"}, Want: []string{"a.go:6 medium"}},
				one("a commit", "a.go", gofile("database/sql", "func f(tx *sql.Tx) {\n\ttx.Commit()\n}\n"), "8 high"),
				one("a commit in a script", "tools/a.go", gofile("database/sql", "func f(tx *sql.Tx) {\n\ttx.Commit()\n}\n"), "8 high"),
				{Name: "one habit in several folders", Files: map[string]string{"a.go": gofile("database/sql", "func f(tx *sql.Tx) {\n\ttx.Commit()\n}\n"), "b/b.go": gofile("database/sql", "func f(tx *sql.Tx) {\n\ttx.Commit()\n\ttx.Commit()\n}\n")}, Want: []string{"a.go:8 high"}},
				one("a file that the environment names", "a.go", gofile("os", "func f(b []byte) {\n\tname := os.Getenv(\"A_FILE\")\n\tif name != \"\" {\n\t\tos.WriteFile(name, b, 0o600)\n\t}\n}\n"), "10 medium candidate"),
				one("a file that no environment names", "a.go", gofile("os", "func f(b []byte) {\n\tname := path(os.Getenv(\"A\"))\n\tos.WriteFile(name, b, 0o600)\n}\n"), "9 medium"),
				{Name: "nil in an example", Files: map[string]string{"examples/a.go": ownCode + "func f() int {\n\tc, _ := load(2)\n\treturn c.n\n}\n"}, Want: []string{"examples/a.go:15 medium candidate"}},
			},
			Silent: []inspecttest.Case{
				one("quoted in another error", "a.go", gofile("fmt io net/http",
					"func f(r *http.Response) error {\n\tif r.StatusCode != 200 {\n\t\tb, _ := io.ReadAll(r.Body)\n\t\treturn fmt.Errorf(\"%d %s\", r.StatusCode, b)\n\t}\n\treturn nil\n}\n")),
				one("an own function that gives something", "a.go", strings.ReplaceAll(ownCode, "nil, fail", "&conf{}, fail")+"func f() int {\n\tc, _ := load(2)\n\treturn c.n\n}\n"),
				one("a method that may be made for nil", "a.go", ownCode+"func f() {\n\tc, _ := load(2)\n\tc.close()\n}\n"),
				one("a nil that is looked for", "a.go", ownCode+"func f() int {\n\tif c, _ := load(2); c != nil {\n\t\treturn c.n\n\t}\n\treturn 0\n}\n"),
				one("a function of the same name within", "a.go", ownCode+"func f() int {\n\tload := func(int) (*conf, error) { return &conf{}, nil }\n\tc, _ := load(2)\n\treturn c.n\n}\n"),
				one("something else by then", "a.go", ownCode+"func f() int {\n\tc, _ := load(2)\n\tc = &conf{}\n\treturn c.n\n}\n"),
				one("a method of others by the same name", "a.go", ownCode+"func (c *conf) next() (*conf, error) { return nil, fail }\n\nfunc (o other) next() (*conf, error) { return &conf{}, fail }\n\nfunc f(o other) int {\n\td, _ := o.next()\n\treturn d.n\n}\n"),
				one("an address that a call joins", "a.go", gofile("fmt net/url", "func f(h string) string {\n\tx, _ := url.Parse(fmt.Sprintf(\"http://%s/a\", h))\n\treturn x.Host\n}\n")),
				one("an address behind a constant", "a.go", gofile("net/url", "func f(h string) string {\n\tx, _ := url.Parse(\"http://\" + h + \"/a\")\n\treturn x.Host\n}\n")),
				one("an address of another", "a.go", gofile("net/url", "func f(u *url.URL) string {\n\ts := u.String()\n\tx, _ := url.Parse(s)\n\treturn x.Host\n}\n")),
				one("explained", "a.go", gofile("os", "func f() {\n\t// The old file may be gone already.\n\t_ = os.Rename(\"a\", \"b\")\n}\n")),
				one("checked by its value", "a.go", gofile("net/http", "func f(u string) {\n\tresp, _ := http.Get(u)\n\tif resp == nil {\n\t\treturn\n\t}\n\tresp.Body.Close()\n}\n")),
				one("written out", "a.go", gofile("net/url", "func f() string {\n\tx, _ := url.Parse(\"https://a.b\")\n\treturn x.Host\n}\n")),
				one("constants joined", "a.go", gofile("net/url", "const base = \"https://a.b\"\n\nfunc f() string {\n\tx, _ := url.Parse(base + \"/c\" + (\"/d\"))\n\treturn x.Host\n}\n")),
				one("a name of a constant text", "a.go", gofile("net/url", "func f() string {\n\ts := \"https://a.b\"\n\tx, _ := url.Parse(s)\n\treturn x.Host\n}\n")),
				one("a body does not fail a request", "a.go", gofile("bytes net/http", "func f(b []byte) string {\n\treq, _ := http.NewRequest(\"POST\", \"https://a.b\", bytes.NewReader(b))\n\treturn req.Host\n}\n")),
				one("a file that takes being nil", "a.go", gofile("os", "func f() {\n\tx, _ := os.OpenFile(\"a\", os.O_CREATE, 0o600)\n"+
					"\tx.Close()\n}\n")),
				one("tidying up", "a.go", gofile("os", "func f(x *os.File) {\n\t_ = os.Remove(\"a\")\n\tx.Close()\n}\n")),
				one("the beginning of an answer", "a.go", gofile("io", "func f(r io.Reader) string {\n\tb, _ := io.ReadAll(io.LimitReader(r, 512))\n\treturn string(b)\n}\n")),
				one("assigned to nothing", "a.go", gofile("os", "func f() {\n\t_ = os.Rename(\"a\", \"b\")\n}\n")),
				one("dropped on purpose", "a.go", gofile("encoding/json", "func f(b []byte) (v int) {\n\t_ = json.Unmarshal(b, &v)\n\treturn v\n}\n")),
				one("another package's", "a.go", gofile("example.com/json", "func f(b []byte) (v int) {\n\tjson.Unmarshal(b, &v)\n\treturn v\n}\n")),
				one("in a test", "a_test.go", gofile("io", "func f(r io.Reader) string {\n\tb, _ := io.ReadAll(r)\n\treturn string(b)\n}\n")),
			},
		},
		"healer/unread-error": {
			Planted: []inspecttest.Case{
				one("overwritten", "a.go", "package p\n\nfunc f() error {\n\ta, err := g()\n\tb, err := g()\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn h(a, b)\n}\n", "4 high"),
				one("overwritten by a call that works on the result", "a.go", gofile("encoding/json io", "func f(r io.Reader, v any) error {\n\tbits, err := io.ReadAll(r)\n\terr = json.NewDecoder(bytes.NewReader(bits)).Decode(v)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n"), "9 medium"),
				one("overwritten by a call that nobody checks", "a.go", "package p\n\nfunc f() error {\n\ta, err := g()\n\tb, err := h(a)\n\tuse(b)\n\treturn err\n}\n", "4 high"),
				one("overwritten by a call that panics for nil", "a.go", "package p\n\nfunc f() error {\n\ta, err := g()\n\tb, err := h(a, a.x)\n\treturn join(b, err)\n}\n", "4 high"),
				one("overwritten in a branch", "a.go", "package p\n\nfunc f() (err error) {\n\tif x {\n\t\terr = a()\n\t\tlog(1)\n\t\terr = b()\n\t}\n\treturn err\n}\n", "5 high"),
				one("into a file", "a.go", gofile("os", "func f(x t, out *os.File) int {\n\terr := a()\n\tif err != nil {\n\t\treturn 0\n\t}\n\t_, err = x.writeTo(out)\n\treturn 1\n}\n"), "12 high"),
				one("never read", "a.go", "package p\n\nfunc f() int {\n\ta, err := g()\n\tif err != nil {\n\t\treturn 0\n\t}\n\tb, err := g()\n\treturn a + b\n}\n", "8 high"),
			},
			Silent: []inspecttest.Case{
				one("checked in between", "a.go", "package p\n\nfunc f() error {\n\ta, err := g()\n\tif err != nil {\n\t\treturn err\n\t}\n\tb, err := g()\n\treturn join(err, a, b)\n}\n"),
				one("handed on", "a.go", "package p\n\nfunc f() error {\n\terr := a()\n\terr = join(err, b())\n\treturn err\n}\n"),
				one("a named result", "a.go", "package p\n\nfunc f() (err error) {\n\terr = a()\n\tif err != nil {\n\t\treturn\n\t}\n\terr = b()\n\treturn\n}\n"),
				one("read by a deferred function", "a.go", "package p\n\nfunc f() {\n\tvar err error\n\tdefer func() { log(err) }()\n\terr = a()\n}\n"),
				one("read in the next round", "a.go", "package p\n\nfunc f() {\n\terr := a()\n\tfor err == nil {\n\t\terr = a()\n\t}\n}\n"),
				one("into memory", "a.go", gofile("bytes", "func f(x t) []byte {\n\terr := a()\n\tif err != nil {\n\t\treturn nil\n\t}\n\tvar out bytes.Buffer\n\t_, err = x.writeTo(&out)\n\treturn out.Bytes()\n}\n")),
				one("of the function around", "a.go", "package p\n\nfunc f() error {\n\tvar err error\n\tdo(func() { err = a() })\n\treturn err\n}\n"),
				one("the last chance", "a.go", "package p\n\nfunc f() error {\n\terr := a()\n\tif err != nil {\n\t\terr = b()\n\t}\n\treturn err\n}\n"),
			},
		},
		"healer/empty-handler": {
			Planted: []inspecttest.Case{
				one("Go", "a.go", "package p\n\nfunc f() {\n\tif err := g(); err != nil {\n\t}\n}\n", "4 medium"),
				one("JavaScript", "src/a.js", "try {\n  const a = load()\n  await save(a)\n  notify(a)\n} catch (e) {}\n", "5 medium candidate"),
				one("a promise", "src/a.ts", "async function f() {\n  send(order).catch(() => {})\n}\n", "2 medium candidate"),
				one("Python", "a.py", "try:\n    a = load()\n    save(a)\n    notify(a)\nexcept Exception:\n    pass\n", "5 medium candidate"),
				one("Python, bare, twice", "a.py", strings.Repeat("try:\n    a = load()\n    save(a)\n    notify(a)\nexcept:\n    pass\n", 2), "5 medium candidate"),
			},
			Silent: []inspecttest.Case{
				one("explained", "src/a.js", "try {\n  const a = load()\n  await save(a)\n  notify(a)\n} catch {\n  // The next round tries again.\n}\n"),
				one("tidying up", "src/a.js", "try {\n  a.x = 1\n  a.close()\n  b = 2\n} catch {}\nfile.unlink(p).catch(() => {})\n"),
				one("an import that may fail", "src/a.ts", "import('metrics').then((m) => {\n  m.count(1);\n  m.show();\n}).catch(() => {});\n"),
				one("a timer", "a.py", "try:\n    t = timers[key]\n    t.cancel()\n    del timers[key]\nexcept:\n    pass\n"),
				one("of a copy of the promise", "src/a.ts", "const p = send(order);\np.finally(told).catch(() => {});\nawait p;\n"),
				one("a string and a comment", "src/a.js", "// try { a(); b(); c() } catch {}\nconst s = 'send().catch(() => {})'\n"),
				one("one thing tried", "a.py", "try:\n    import fast\nexcept Exception:\n    pass\ntry:\n    x = int(y)\nexcept:\n    pass\n"),
				one("by name", "a.py", "try:\n    a = load()\n    save(a)\n    notify(a)\nexcept KeyError:\n    pass\n"),
				one("explained in Python", "a.py", "try:\n    a = load()\n    save(a)\n    notify(a)\nexcept Exception:\n    pass  # shown elsewhere\n"),
				one("something else is done", "a.go", "package p\n\nfunc f() {\n\tif err := g(); err != nil {\n\t\tn++\n\t}\n\tif err := g(); err != nil {\n\t\t// It may be gone.\n\t}\n}\n"),
			},
		},
		"healer/error-by-text": {
			Planted: []inspecttest.Case{
				one("the end of a file", "a.go", "package p\n\nfunc f(err error) bool {\n\treturn err.Error() == \"EOF\"\n}\n", "4 medium"),
				one("a closed connection", "a.go", gofile("strings", "func f(err error) bool {\n\treturn strings.Contains(err.Error(), \"use of closed network connection\")\n}\n"), "8 medium"),
				one("in two places", "a.go", gofile("strings", "func f(err error) bool {\n\treturn strings.Contains(err.Error(), \"broken pipe\")\n}\n\nfunc g(err error) bool {\n\treturn strings.Contains(err.Error(), \"broken pipe\")\n}\n"), "8 medium"),
				one("no rows", "a.go", "package p\n\nfunc f(err error) bool {\n\treturn \"sql: no rows in result set\" != err.Error()\n}\n", "4 medium"),
			},
			Silent: []inspecttest.Case{
				one("by its value", "a.go", gofile("errors io", "func f(err error) bool {\n\treturn errors.Is(err, io.EOF)\n}\n")),
				one("sorted by texts", "a.go", gofile("strings", "func f(err error) bool {\n\treturn strings.Contains(err.Error(), \"broken pipe\") || strings.Contains(err.Error(), \"no such host\") || strings.Contains(err.Error(), \"busy\")\n}\n")),
				one("no value for it", "a.go", gofile("strings", "func f(err error) bool {\n\treturn strings.Contains(err.Error(), \"no such table\")\n}\n")),
				one("another text", "a.go", gofile("strings", "func f(line string) bool {\n\treturn strings.Contains(line, \"broken pipe\") || line == \"EOF\"\n}\n")),
				one("explained", "a.go", "package p\n\nfunc f(err error) bool {\n\t// The library hides the value.\n\treturn err.Error() == \"EOF\"\n}\n"),
			},
		},
		"healer/unchecked-close": {
			Planted: []inspecttest.Case{
				one("created", "a.go", gofile("os", "func f() error {\n\tw, err := os.Create(\"a\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer w.Close()\n\t_, err = w.WriteString(\"x\")\n\treturn err\n}\n"), "12 medium"),
				one("a temporary file that takes its place", "a.go", gofile("os", "func f() error {\n\tw, err := os.CreateTemp(\"\", \"a\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer w.Close()\n\tw.WriteString(\"x\")\n\treturn os.Rename(w.Name(), \"b\")\n}\n"), "12 medium"),
				one("opened to write", "a.go", gofile("os io", "func f(r io.Reader) error {\n\tw, err := os.OpenFile(\"a\", os.O_WRONLY|os.O_CREATE, 0o600)\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer w.Close()\n\t_, err = io.Copy(w, r)\n\treturn err\n}\n"), "13 medium"),
				one("appended", "a.go", gofile("os fmt", "func f() error {\n\tw, err := os.OpenFile(\"a\", os.O_RDWR|os.O_APPEND, 0o600)\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer w.Close()\n\tfmt.Fprintln(w, 1)\n\treturn nil\n}\n"), "13 medium"),
			},
			Silent: []inspecttest.Case{
				one("by a function that tells nobody", "a.go", gofile("os fmt", "func f() {\n\tw, err := os.OpenFile(\"a\", os.O_RDWR|os.O_APPEND, 0o600)\n\tif err != nil {\n\t\treturn\n\t}\n\tdefer w.Close()\n\tfmt.Fprintln(w, 1)\n}\n")),
				one("read", "a.go", gofile("os io", "func f() ([]byte, error) {\n\tr, err := os.Open(\"a\")\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tdefer r.Close()\n\treturn io.ReadAll(r)\n}\n")),
				one("closed twice", "a.go", gofile("os", "func f() error {\n\tw, err := os.Create(\"a\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer w.Close()\n\tif _, err := w.WriteString(\"x\"); err != nil {\n\t\treturn err\n\t}\n\treturn w.Close()\n}\n")),
				one("synced", "a.go", gofile("os", "func f() error {\n\tw, err := os.Create(\"a\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer w.Close()\n\tw.WriteString(\"x\")\n\treturn w.Sync()\n}\n")),
				one("a temporary file", "a.go", gofile("os", "func f() error {\n\tw, err := os.CreateTemp(\"\", \"a\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer w.Close()\n\t_, err = w.WriteString(\"x\")\n\treturn err\n}\n")),
				one("the number of the process", "a.go", gofile("os fmt strconv", "func f() error {\n\tw, err := os.Create(\"a\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer w.Close()\n\tpid := strconv.Itoa(os.Getpid())\n\tw.Truncate(0)\n\tw.WriteString(pid)\n\t_, err = fmt.Fprintln(w, os.Getpid())\n\treturn err\n}\n")),
				one("a lock", "a.go", gofile("os", "func f() error {\n\tw, err := os.Create(\"a.lock\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer w.Close()\n\treturn work()\n}\n")),
			},
		},
		"healer/no-time-limit": {
			Planted: []inspecttest.Case{
				one("a request", "a.go", gofile("net/http", "func f(u string) {\n\tr, err := http.Get(u)\n\tuse(r, err)\n}\n"), "8 medium"),
				one("a client", "a.go", gofile("net/http", "func f(u string) {\n\tc := &http.Client{}\n\tr, err := c.Get(u)\n\tuse(r, err)\n}\n"), "8 medium"),
				one("a server", "a.go", gofile("net/http", "func f(h http.Handler) error {\n\ts := &http.Server{Addr: \":80\", Handler: h}\n\treturn s.ListenAndServe()\n}\n"), "8 medium"),
				one("two servers", "a.go", gofile("net/http", "func f(h http.Handler) *http.Server {\n"+
					"\treturn &http.Server{Addr: \":80\", Handler: h}\n}\n\nfunc g(h http.Handler) *http.Server {\n"+
					"\treturn &http.Server{Addr: \":81\", Handler: h}\n}\n"), "8 medium"),
				one("on this machine at first", "a.go", gofile("flag net/http", "var addr = flag.String(\"addr\", \"localhost:80\", \"where\")\n\nfunc f(h http.Handler) error {\n\treturn http.ListenAndServe(*addr, h)\n}\n"), "11 low"),
				one("a variable with two addresses", "a.go", gofile("net/http", "func f(h http.Handler) error {\n\ta := \"localhost:80\"\n\tif all {\n\t\ta = \":80\"\n\t}\n\treturn http.ListenAndServe(a, h)\n}\n"), "12 medium"),
				one("a short server", "a.go", gofile("net/http", "func f(h http.Handler) error {\n\treturn http.ListenAndServe(\":80\", h)\n}\n"), "8 medium"),
				one("Python", "a.py", "import requests\n\nr = requests.get(url)\nq = requests.post(\n    url,\n    data=x,\n)\n", "3 medium"),
				one("Python in a command", "a.py", "import argparse, requests\n\nr = requests.get(url)\n", "3 medium candidate"),
				{Name: "Python in a server with a command line", Files: map[string]string{"p/a.py": "import requests\n\nr = requests.get(url)\n",
					"p/__init__.py": "", "p/b.py": "import argparse\nHTTPServer(a).serve_forever()\n"}, Want: []string{"p/a.py:3 medium"}},
				one("Python with a limit for sockets, which the library does not heed", "a.py", "import requests, socket\n\nr = requests.get(url)\nsocket.setdefaulttimeout(9)\n", "3 medium"),
				one("a command", "a.go", gofile("flag net/http", "func f(u string) {\n\tflag.Parse()\n\tr, err := http.Get(u)\n\tuse(r, err)\n}\n"), "10 medium candidate"),
				one("Python without a library", "a.py", "from urllib.request import urlopen\n\nr = urlopen(url, data)\n", "3 medium"),
			},
			Silent: []inspecttest.Case{
				one("limits", "a.go", gofile("net/http time", "func f(h http.Handler) {\n\tc := &http.Client{Timeout: time.Second}\n\tc.Get(\"u\")\n\ts := &http.Server{Handler: h, ReadHeaderTimeout: time.Second}\n\ts.ListenAndServe()\n}\n")),
				one("a context", "a.go", gofile("net/http context", "func f(ctx context.Context) {\n\tc := &http.Client{}\n\treq, err := http.NewRequestWithContext(ctx, \"GET\", \"u\", nil)\n\tc.Do(req)\n\tuse(err)\n}\n")),
				one("given away", "a.go", gofile("net/http", "func f() *http.Client {\n\tc := &http.Client{}\n\treturn c\n}\n")),
				one("on a socket of this machine", "a.go", gofile("net net/http", "func f(h http.Handler) error {\n"+
					"\ts := &http.Server{Handler: h}\n\tl, err := net.Listen(\"unix\", \"a\")\n\tuse(err)\n\treturn s.Serve(l)\n}\n")),
				one("on this machine", "a.go", gofile("net/http", "func f() error {\n\treturn http.ListenAndServe(\"localhost:6060\", nil)\n}\n")),
				one("on this machine by a name", "a.go", gofile("fmt net net/http", "const addr = \"127.0.0.1:\"\n\nfunc f(port string) error {\n\tl, err := net.Listen(\"tcp\", net.JoinHostPort(\"::1\", port))\n\tuse(err)\n\thttp.Serve(l, nil)\n\thttp.ListenAndServe(fmt.Sprintf(\"localhost:%s\", port), nil)\n\ts := &http.Server{Addr: addr + port, Handler: h}\n\treturn s.ListenAndServe()\n}\n")),
				one("on a listener of this machine", "a.go", gofile("net net/http", "func f() error {\n\tl, err := net.Listen(\"tcp\", \"127.0.0.1:0\")\n\tuse(err)\n\ts := &http.Server{Handler: h}\n\treturn s.Serve(l)\n}\n")),
				one("set later", "a.go", gofile("net/http time", "func f(h http.Handler) {\n\ts := &http.Server{Handler: h}\n\ts.ReadTimeout = time.Second\n\ts.ListenAndServe()\n}\n")),
				one("run by hand", "gen.go", "//go:build ignore\n\n"+gofile("net/http", "func f(u string) {\n\tr, err := http.Get(u)\n\tuse(r, err)\n}\n")),
				{Name: "a limit for the whole program", Files: map[string]string{"p/a.py": "from urllib.request import urlopen\n\nr = urlopen(url, data)\n", "p/b.py": "import socket\n\nsocket.setdefaulttimeout(9)\n"}},
				one("a thread that is waited for with a limit", "a.py", "import requests\n\ndef ask():\n    requests.get(url)\n\nt = Thread(target=ask)\nt.start()\nt.join(timeout=5)\n"),
				one("a call that fails before it asks, and one to this machine", "a.py", "urlopen(url, proxies={})\nurlopen('http://127.0.0.1:80/exit')\n"),
				one("limits in Python", "a.py", "import requests\n\nrequests.get(url, timeout=5)\nself.requests.get(key)\n# requests.get(url)\nrequests.get(url, **kw)\nurlopen(url, None, 9)\n"),
			},
		},
	})
}

func TestHostileFiles(t *testing.T) {
	files := map[string]string{}
	for i, text := range []string{
		strings.Repeat("try {", 100_000), strings.Repeat("try{a}catch{}\n", 50_000), strings.Repeat("requests.get(", 60_000),
		strings.Repeat("try:\n a\n b\n c\nexcept:\n pass\n", 30_000), strings.Repeat("x.catch(()=>{})\n", 50_000), strings.Repeat("é\u2028'", 100_000),
	} {
		for _, ext := range []string{"js", "py", "go"} {
			files[fmt.Sprintf("src/a%d.%s", i, ext)] = text
		}
	}
	files["b.go"] = "package p\n\nfunc f() {\n" + strings.Repeat("\terr = g()\n", 5_000) + "}\n"
	files["c.go"] = "package p\n\nfunc f() {\n" + strings.Repeat("func() {\n", 2_000) + strings.Repeat("}()\n", 2_000) + "}\n"
	c := inspecttest.Case{Files: files}
	inspecttest.Endure(t, c.Repo(), Checks())
}
