package resources

import (
	"strings"
	"testing"

	"agentdungeon/server/inspect/inspecttest"
)

func golang(imports, body string) map[string]string {
	head := "package a\n\n"
	for imp := range strings.FieldsSeq(imports) {
		head += "import \"" + imp + "\"\n"
	}
	return map[string]string{"a.go": head + "\n" + body}
}

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"alchemist/defer-in-loop": {
			Planted: []inspecttest.Case{
				{Name: "close", Files: golang("os", "func f(names []string) error {\n\tfor _, name := range names {\n\t\tf, err := os.Open(name)\n\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n\t\tdefer f.Close()\n\t\tread(f)\n\t}\n\treturn nil\n}\n"), Want: []string{"a.go:11 medium candidate"}},
				{Name: "lock", Files: golang("", "func (s *store) f(keys []string) {\n\tfor _, key := range keys {\n\t\ts.mu.Lock()\n\t\tdefer s.mu.Unlock()\n\t\ts.m[key] = 1\n\t}\n}\n"), Want: []string{"a.go:7 high"}},
				{Name: "rows", Files: golang("", "func f(db *sql.DB, ids []int) {\n\tfor i := 0; i < len(ids); i++ {\n\t\trows, err := db.Query(\"q\", ids[i])\n\t\tcheck(err)\n\t\tdefer rows.Close()\n\t\tscan(rows)\n\t}\n}\n"), Want: []string{"a.go:8 medium candidate"}},
			},
			Silent: []inspecttest.Case{
				{Name: "function", Files: golang("os", "func f(names []string) {\n\tfor _, name := range names {\n\t\tfunc() {\n\t\t\tf, _ := os.Open(name)\n\t\t\tdefer f.Close()\n\t\t}()\n\t}\n}\n")},
				{Name: "kept open", Files: golang("io os", "func f(names []string) {\n\tvar all []io.Reader\n\tfor _, name := range names {\n\t\tf, _ := os.Open(name)\n\t\tdefer f.Close()\n\t\tall = append(all, f)\n\t}\n\tuse(io.MultiReader(all...))\n}\n")},
				{Name: "for what comes after the loop", Files: golang("", "func f(names []string) {\n\tfor _, name := range names {\n\t\tc := redirect(name)\n\t\tif c != nil {\n\t\t\tdefer c.Close()\n\t\t}\n\t}\n\trun()\n}\n")},
				{Name: "for work that goes on", Files: golang("io os", "func f(names []string) {\n\tfor _, name := range names {\n\t\tf, _ := os.Open(name)\n\t\tdefer f.Close()\n\t\tr := io.LimitReader(f, 9)\n\t\tg.Go(func() error { return read(r) })\n\t}\n\tg.Wait()\n}\n")},
				{Name: "first turn only", Files: golang("os", "func f(names []string) error {\n\tfor _, name := range names {\n\t\tf, err := os.Open(name)\n\t\tif err != nil {\n\t\t\tcontinue\n\t\t}\n\t\tdefer f.Close()\n\t\treturn read(f)\n\t}\n\treturn nil\n}\n")},
				{Name: "many locks", Files: golang("", "func f(rooms []*room) {\n\tfor _, r := range rooms {\n\t\tr.mu.Lock()\n\t\tdefer r.mu.Unlock()\n\t}\n}\n")},
				{Name: "test, fixed list", Files: map[string]string{"a_test.go": "package a\n\nfunc f(names []string) {\n\tfor _, name := range names {\n\t\tf := open(name)\n\t\tdefer f.Close()\n\t}\n}\n", "a.go": "package a\n\nfunc f() {\n\tfor _, name := range []string{\"a\", \"b\"} {\n\t\tf := open(name)\n\t\tdefer f.Close()\n\t}\n}\n"}},
			},
		},
		"alchemist/unbounded-body": {
			Planted: []inspecttest.Case{
				{Name: "handler", Files: golang("io net/http", "func serve(w http.ResponseWriter, r *http.Request) {\n\tdata, err := io.ReadAll(r.Body)\n\tuse(data, err)\n}\n"), Want: []string{"a.go:7 medium candidate"}},
				{Name: "two files", Files: map[string]string{
					"a.go": golang("io net/http", "func serve(w http.ResponseWriter, r *http.Request) { use(io.ReadAll(r.Body)) }\n")["a.go"],
					"b.go": golang("io net/http", "func other(w http.ResponseWriter, r *http.Request) { use(io.ReadAll(r.Body)) }\n")["a.go"],
				}, Want: []string{"a.go:6 medium candidate"}},
				{Name: "literal", Files: golang("io net/http", "func init() {\n\thttp.HandleFunc(\"/\", func(w http.ResponseWriter, req *http.Request) {\n\t\tdata, _ := io.ReadAll(req.Body)\n\t\tuse(data)\n\t})\n}\n"), Want: []string{"a.go:8 medium candidate"}},
				{Name: "a server for tests", Files: map[string]string{"testservices/a.go": "package a\n\nimport (\n\t\"io\"\n\t\"net/http\"\n)\n\nfunc serve(w http.ResponseWriter, r *http.Request) { use(io.ReadAll(r.Body)) }\n"}, Want: []string{"testservices/a.go:8 medium candidate"}},
				{Name: "old name, two", Files: golang("io/ioutil net/http", "type s struct{}\n\nfunc (s) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n\tdata, _ := ioutil.ReadAll(r.Body)\n\tuse(data)\n}\n\nfunc b(w http.ResponseWriter, r *http.Request) {\n\tdata, _ := ioutil.ReadAll(r.Body)\n\tuse(data)\n}\n"), Want: []string{"a.go:9 medium candidate"}},
			},
			Silent: []inspecttest.Case{
				{Name: "limited", Files: golang("io net/http", "func serve(w http.ResponseWriter, r *http.Request) {\n\tr.Body = http.MaxBytesReader(w, r.Body, 1<<20)\n\tdata, err := io.ReadAll(r.Body)\n\tuse(data, err)\n}\n\nfunc other(w http.ResponseWriter, r *http.Request) {\n\tdata, err := io.ReadAll(io.LimitReader(r.Body, 9))\n\tuse(data, err)\n}\n")},
				{Name: "middleware", Files: golang("io net/http", "func limit(next http.Handler) http.Handler { return http.MaxBytesHandler(next, 1<<20) }\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n\tdata, err := io.ReadAll(r.Body)\n\tuse(data, err)\n}\n")},
				{Name: "client", Files: golang("io net/http", "func get(r *http.Request) {\n\tres, _ := http.DefaultClient.Do(r)\n\tdata, err := io.ReadAll(res.Body)\n\tuse(data, err)\n}\n\nfunc dump(r *http.Request) { use(io.ReadAll(r.Body)) }\n")},
				{Name: "test", Files: map[string]string{"a_test.go": "package a\n\nimport (\n\t\"io\"\n\t\"net/http\"\n)\n\nfunc serve(w http.ResponseWriter, r *http.Request) { use(io.ReadAll(r.Body)) }\n"}},
				{Name: "middleware of its own", Files: golang("io net/http", "func limit(next http.Handler) http.Handler {\n\treturn http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\n\t\tr.Body = http.MaxBytesReader(w, r.Body, 9)\n\t\tnext.ServeHTTP(w, r)\n\t})\n}\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n\tdata, err := io.ReadAll(r.Body)\n\tuse(data, err)\n}\n")},
			},
		},
	})
}

// TestHostile asserts that the checks end soon on texts made to confuse their parsers.
func TestHostile(t *testing.T) {
	files := map[string]string{
		"deep.go":    "package a\nfunc f() {" + strings.Repeat("for {", 20_000) + strings.Repeat("}", 20_000) + "}\n",
		"many.go":    "package a\nfunc f(lines []string) {\n s := \"\"\n x := 0\n for _, line := range lines {\n" + strings.Repeat("s += line\nx += 1\n", 30_000) + "}\n}\n",
		"deep.py":    pyramid(2_000),
		"many.py":    "def f(lines):\n  s = b''\n  for line in lines:\n" + strings.Repeat("    s += line\n    out.insert(0, line)\n    if line in s: pass\n    s.append(s)\n", 15_000),
		"wide.py":    "x = " + strings.Repeat("(", 500_000),
		"quotes.py":  "import numpy\n" + strings.Repeat("x = '''\n", 100_000),
		"open.ts":    strings.Repeat("`${", 100_000) + ".push(" + ".unshift(...",
		"many.ts":    "const out = []\n" + strings.Repeat("for (const line of lines) { if (out.includes(line)) out.push(line); out.unshift(line); out = [...out, 1] }\n", 8_000),
		"deep.ts":    strings.Repeat("for (const line of lines) { out.push(", 20_000) + "out.includes(line) ... x",
		"shut.js":    ")))}}}]]].push( ... " + strings.Repeat("}", 100_000),
		"dots.ts":    ".push(.unshift(..." + strings.Repeat("[...x, ", 100_000),
		"reduce.ts":  strings.Repeat("x.reduce<", 100_000) + "(...",
		"pattern.js": strings.Repeat("/[", 300_000) + " .push( ... ",
	}
	r := inspecttest.Case{Files: files}.Repo()
	inspecttest.Endure(t, r, Checks())
}

func pyramid(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", min(i, 400)) + "for line in lines:\n")
	}
	return b.String() + strings.Repeat(" ", 401) + "out.insert(0, line)\n"
}
