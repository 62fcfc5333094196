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

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"healer/dropped-error": {
			Planted: []inspecttest.Case{
				one("a nil answer", "a.go", gofile("net/http", "func f(u string) {\n\tresp, _ := http.Get(u)\n\tdefer resp.Body.Close()\n}\n"), "8 high"),
				one("a file that is gone", "a.go", gofile("os", "func f(p string) int64 {\n\tx, _ := os.Stat(p)\n\treturn x.Size()\n}\n"), "8 high"),
				one("a commit", "a.go", gofile("database/sql", "func f(tx *sql.Tx) {\n\ttx.Commit()\n}\n"), "8 high"),
				one("a commit of what was begun", "a.go", gofile("store", "func f() error {\n\ttx, err := store.DB.Begin()\n\tif err != nil {\n\t\treturn err\n\t}\n\ttx.Commit()\n\treturn nil\n}\n"), "12 high"),
				one("a commit in a script", "tools/a.go", gofile("database/sql", "func f(tx *sql.Tx) {\n\ttx.Commit()\n}\n"), "8 high candidate"),
				{Name: "one habit in several folders", Files: map[string]string{"a.go": gofile("database/sql", "func f(tx *sql.Tx) {\n\ttx.Commit()\n}\n"), "b/b.go": gofile("database/sql", "func f(tx *sql.Tx) {\n\ttx.Commit()\n\ttx.Commit()\n}\n")}, Want: []string{"a.go:8 high"}},
			},
			Silent: []inspecttest.Case{
				one("a commit that gives no error", "a.go", gofile("m/backend", "func f() {\n\ttx := backend.New()\n\ttx.Commit()\n}\n")),
				one("explained", "a.go", gofile("net/http", "func f(u string) {\n\t// The test server answers.\n\tresp, _ := http.Get(u)\n\tresp.Body.Close()\n}\n")),
				one("checked by its value", "a.go", gofile("net/http", "func f(u string) {\n\tresp, _ := http.Get(u)\n\tif resp == nil {\n\t\treturn\n\t}\n\tresp.Body.Close()\n}\n")),
				one("a file that takes being nil", "a.go", gofile("os", "func f() {\n\tx, _ := os.OpenFile(\"a\", os.O_CREATE, 0o600)\n\tx.Close()\n}\n")),
				one("a request of a text that the program makes", "a.go", gofile("net/http net/url", "func f(verb string, u url.URL) string {\n\treq, _ := http.NewRequest(verb, u.String(), nil)\n\treturn req.Host\n}\n")),
				one("what may be missing", "a.go", gofile("io os", "func f(r io.Reader) int {\n\tb, _ := io.ReadAll(r)\n\tnames, _ := os.ReadDir(\"a\")\n\tos.Rename(\"a\", \"b\")\n\treturn len(b) + len(names)\n}\n")),
				one("in a test", "a_test.go", gofile("net/http", "func f(u string) {\n\tresp, _ := http.Get(u)\n\tresp.Body.Close()\n}\n")),
			},
		},
		"healer/unread-error": {
			Planted: []inspecttest.Case{
				one("overwritten", "a.go", "package p\n\nfunc f() error {\n\ta, err := g()\n\tb, err := g()\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn h(a, b)\n}\n", "4 high"),
				one("overwritten by a call that works on the result", "a.go", gofile("encoding/json io", "func f(r io.Reader, v any) error {\n\tbits, err := io.ReadAll(r)\n\terr = json.NewDecoder(bytes.NewReader(bits)).Decode(v)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n"), "9 medium"),
				one("overwritten by a call that nobody checks", "a.go", "package p\n\nfunc f() error {\n\ta, err := g()\n\tb, err := h(a)\n\tuse(b)\n\treturn err\n}\n", "4 high"),
				one("overwritten by a call that panics for nil", "a.go", "package p\n\nfunc f() error {\n\ta, err := g()\n\tb, err := h(a, a.x)\n\treturn join(b, err)\n}\n", "4 high"),
				one("overwritten in a later branch", "a.go", "package p\n\nfunc f(w *bufio.Writer, c any) error {\n\terr := w.Flush()\n\tif f, ok := c.(flusher); ok {\n\t\terr = f.Flush()\n\t}\n\treturn err\n}\n", "4 high"),
				one("overwritten by a flush of another writer", "a.go", "package p\n\nfunc f(w *bufio.Writer) error {\n\t_, err := v.Write(a)\n\terr = w.Flush()\n\treturn err\n}\n", "4 high"),
				one("overwritten in a branch", "a.go", "package p\n\nfunc f() (err error) {\n\tif x {\n\t\terr = a()\n\t\tlog(1)\n\t\terr = b()\n\t}\n\treturn err\n}\n", "5 high"),
				one("into a file", "a.go", gofile("os", "func f(x t, out *os.File) int {\n\terr := a()\n\tif err != nil {\n\t\treturn 0\n\t}\n\t_, err = x.writeTo(out)\n\treturn 1\n}\n"), "12 medium candidate"),
				one("never read", "a.go", "package p\n\nfunc f() int {\n\ta, err := g()\n\tif err != nil {\n\t\treturn 0\n\t}\n\tb, err := g()\n\treturn a + b\n}\n", "8 medium candidate"),
				one("never read where there is an error to return", "a.go", "package p\n\nfunc f() (int, error) {\n\ta, err := g()\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\tb, err := g()\n\treturn a + b, nil\n}\n", "8 medium"),
				one("a request of a text from outside", "a.go", gofile("net/http", "func f(u string) (int, error) {\n\treq, err := http.NewRequest(\"GET\", u, nil)\n\tx, err := h()\n\treturn g(req.URL, x), err\n}\n"), "8 high"),
				one("overwritten in an example", "examples/a.go", "package p\n\nfunc f() error {\n\ta, err := g()\n\tb, err := g()\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn h(a, b)\n}\n", "4 high candidate"),
			},
			Silent: []inspecttest.Case{
				one("an error that is made, and replaced by a better one", "a.go", gofile("fmt errors", "func f(x bool) error {\n\terr := fmt.Errorf(\"a\")\n\tif x {\n\t\terr = fmt.Errorf(\"b\")\n\t}\n\terr2 := errors.New(\"c\")\n\terr2 = g(err)\n\treturn err2\n}\n")),
				one("checked in between", "a.go", "package p\n\nfunc f() error {\n\ta, err := g()\n\tif err != nil {\n\t\treturn err\n\t}\n\tb, err := g()\n\treturn join(err, a, b)\n}\n"),
				one("handed on", "a.go", "package p\n\nfunc f() error {\n\terr := a()\n\terr = join(err, b())\n\treturn err\n}\n"),
				one("a named result", "a.go", "package p\n\nfunc f() (err error) {\n\terr = a()\n\tif err != nil {\n\t\treturn\n\t}\n\terr = b()\n\treturn\n}\n"),
				one("read by a deferred function", "a.go", "package p\n\nfunc f() {\n\tvar err error\n\tdefer func() { log(err) }()\n\terr = a()\n}\n"),
				one("read in the next round", "a.go", "package p\n\nfunc f() {\n\terr := a()\n\tfor err == nil {\n\t\terr = a()\n\t}\n}\n"),
				one("into memory", "a.go", gofile("bytes", "func f(x t) []byte {\n\terr := a()\n\tif err != nil {\n\t\treturn nil\n\t}\n\tvar out bytes.Buffer\n\t_, err = x.writeTo(&out)\n\treturn out.Bytes()\n}\n")),
				one("before a flush, which gives it again", "a.go", "package p\n\nfunc f(w *bufio.Writer) error {\n\t_, err := w.Write(a)\n\terr = w.Flush()\n\treturn err\n}\n\nfunc g(w *bufio.Writer) error {\n\t_, err := fmt.Fprint(w, 1)\n\terr = w.Flush()\n\treturn err\n}\n"),
				one("of the function around", "a.go", "package p\n\nfunc f() error {\n\tvar err error\n\tdo(func() { err = a() })\n\treturn err\n}\n"),
				one("a second try", "a.go", "package p\n\nfunc f() error {\n\tn, err := a()\n\tif n == 0 {\n\t\terr = b()\n\t}\n\treturn err\n}\n"),
				one("a second step, depending on what the first has filled", "a.go", "package p\n\nfunc f() error {\n\tvar x t\n\terr := a(&x)\n\tif x.n != 0 {\n\t\terr = b(x)\n\t}\n\treturn err\n}\n"),
				one("replaced by a new error", "a.go", gofile("fmt", "func f() error {\n\terr := a()\n\tif late {\n\t\terr = fmt.Errorf(\"late\")\n\t}\n\treturn err\n}\n")),
				one("another variable in a branch", "a.go", "package p\n\nfunc f() error {\n\terr := a()\n\tif x {\n\t\terr := b()\n\t\tlog(err)\n\t}\n\treturn err\n}\n"),
				one("a request of constants", "a.go", gofile("net/http", "const base = \"http://a/\"\n\nfunc f(u t) (int, error) {\n\treq, err := http.NewRequest(http.MethodGet, base+\"b\", nil)\n\tx, err := g(req)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\treq, err = http.NewRequest(\"GET\", u.String(), nil)\n\treturn h(x, req), nil\n}\n")),
				one("the last chance", "a.go", "package p\n\nfunc f() error {\n\terr := a()\n\tif err != nil {\n\t\terr = b()\n\t}\n\treturn err\n}\n"),
			},
		},
		"healer/no-time-limit": {
			Planted: []inspecttest.Case{
				one("a request", "a.go", gofile("net/http", "func f(u string) {\n\tr, err := http.Get(u)\n\tuse(r, err)\n}\n"), "8 medium candidate"),
				one("a server", "a.go", gofile("net/http", "func f(h http.Handler) error {\n\ts := &http.Server{Addr: \":80\", Handler: h}\n\treturn s.ListenAndServe()\n}\n"), "8 medium candidate"),
				one("two servers", "a.go", gofile("net/http", "func f(h http.Handler) *http.Server {\n"+
					"\treturn &http.Server{Addr: \":80\", Handler: h}\n}\n\nfunc g(h http.Handler) *http.Server {\n"+
					"\treturn &http.Server{Addr: \":81\", Handler: h}\n}\n"), "8 medium candidate"),
				one("a short server", "a.go", gofile("net/http", "func f(h http.Handler) error {\n\treturn http.ListenAndServe(\":80\", h)\n}\n"), "8 medium candidate"),
				one("Python", "a.py", "import requests\n\nr = requests.get(url)\nq = requests.post(\n    url,\n    data=x,\n)\n", "3 medium candidate"),
				one("Python in a command", "a.py", "import argparse, requests\n\nr = requests.get(url)\n", "3 medium candidate"),
				{Name: "Python in a server with a command line", Files: map[string]string{"p/a.py": "import requests\n\nr = requests.get(url)\n",
					"p/__init__.py": "", "p/b.py": "import argparse\nHTTPServer(a).serve_forever()\n"}, Want: []string{"p/a.py:3 medium candidate"}},
				one("Python with a limit for sockets, which the library does not heed", "a.py", "import requests, socket\n\nr = requests.get(url)\nsocket.setdefaulttimeout(9)\n", "3 medium candidate"),
				one("a command", "a.go", gofile("flag net/http", "func f(u string) {\n\tflag.Parse()\n\tr, err := http.Get(u)\n\tuse(r, err)\n}\n"), "10 medium candidate"),
				one("Python without a library", "a.py", "from urllib.request import urlopen\n\nr = urlopen(url, data)\n", "3 medium candidate"),
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
				one("a call that fails before it asks, and one to this machine", "a.py", "urlopen(url, proxies={})\nurlopen('http://127.0.0.1:80/exit')\n"),
				one("limits in Python", "a.py", "import requests\n\nrequests.get(url, timeout=5)\nself.requests.get(key)\n# requests.get(url)\nrequests.get(url, **kw)\nurlopen(url, None, 9)\n"),
			},
		},
	})
}

func TestHostileFiles(t *testing.T) {
	files := map[string]string{}
	for i, text := range []string{
		strings.Repeat("requests.get(", 60_000), strings.Repeat("requests.get(a)\n", 30_000), strings.Repeat("é\u2028'", 100_000),
	} {
		for _, ext := range []string{"py", "go"} {
			files[fmt.Sprintf("src/a%d.%s", i, ext)] = text
		}
	}
	files["b.go"] = "package p\n\nfunc f() {\n" + strings.Repeat("\terr = g()\n", 5_000) + "}\n"
	files["c.go"] = "package p\n\nfunc f() {\n" + strings.Repeat("func() {\n", 2_000) + strings.Repeat("}()\n", 2_000) + "}\n"
	c := inspecttest.Case{Files: files}
	inspecttest.Endure(t, c.Repo(), Checks())
}
