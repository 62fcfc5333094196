package alchemist

import (
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

func golang(imports, body string) map[string]string {
	head := "package a\n\n"
	for imp := range strings.FieldsSeq(imports) {
		head += "import \"" + imp + "\"\n"
	}
	return map[string]string{"a.go": head + "\n" + body}
}

func file(name, text string) map[string]string { return map[string]string{name: text} }

func commits(n int, hot string, times int) *inspecttest.History {
	h := &inspecttest.History{Count: n, Files: map[string]inspect.Past{hot: {Commits: times}}}
	for i := range 40 {
		h.Files[fmt.Sprintf("f%d.go", i)] = inspect.Past{Commits: 1 + i%4}
	}
	return h
}

func project(hot string, lines int) map[string]string {
	out := map[string]string{hot: "package a\n" + strings.Repeat("// x\n", lines)}
	for i := range 40 {
		out[fmt.Sprintf("f%d.go", i)] = "package a\n" + strings.Repeat("// x\n", 50+i)
	}
	return out
}

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"alchemist/hot-spot": {
			Planted: []inspecttest.Case{
				{Name: "low", Files: project("hot.go", 600), History: commits(90, "hot.go", 20), Want: []string{"hot.go:0 low"}},
				{Name: "medium", Files: project("hot.go", 1600), History: commits(90, "hot.go", 30), Want: []string{"hot.go:0 medium"}},
				{Name: "long but a small part of the work", Files: project("hot.go", 1600), History: commits(900, "hot.go", 30), Want: []string{"hot.go:0 low"}},
			},
			Silent: []inspecttest.Case{
				{Name: "no git", Files: project("hot.go", 1600)},
				{Name: "short", Files: project("hot.go", 200), History: commits(90, "hot.go", 60)},
				{Name: "long and quiet", Files: project("hot.go", 3000), History: commits(90, "hot.go", 5)},
				{Name: "generated", Files: project("wire.gen.go", 3000), History: commits(90, "wire.gen.go", 50)},
				{Name: "test", Files: project("hot_test.go", 3000), History: commits(90, "hot_test.go", 50)},
			},
		},
		"alchemist/text-growth": {
			Planted: []inspecttest.Case{
				{Name: "go lines", Files: golang("strings", "func f(lines []string) string {\n\ts := \"\"\n\tfor _, line := range lines {\n\t\ts += strings.TrimSpace(line)\n\t}\n\treturn s\n}\n"), Want: []string{"a.go:8 low"}},
				{Name: "go scanner", Files: golang("bufio", "func f(sc *bufio.Scanner) (s string) {\n\tfor sc.Scan() {\n\t\ts = s + sc.Text() + \"\\n\"\n\t}\n\treturn s\n}\n"), Want: []string{"a.go:7 medium"}},
				{Name: "go characters, two places", Files: golang("", "func f(in string) string {\n\tvar out string\n\tfor _, c := range in {\n\t\tout += string(c)\n\t}\n\tfor _, c := range in {\n\t\tout += string(c)\n\t}\n\treturn out\n}\n"), Want: []string{"a.go:7 low"}},
				{Name: "go nested", Files: golang("", "func f(rows [][]string) string {\n\ts := \"\"\n\tfor _, row := range rows {\n\t\tfor _, v := range row {\n\t\t\ts += v\n\t\t}\n\t}\n\treturn s\n}\n"), Want: []string{"a.go:8 low"}},
				{Name: "python socket", Files: file("a.py", "def f(sock, n):\n    data = b\"\"\n    while len(data) < n:\n        data += sock.recv(4096)\n    return data\n"), Want: []string{"a.py:4 medium"}},
				{Name: "python attribute", Files: file("a.py", "def f(self, lines):\n    self.text = \"\"  # all\n    for line in lines:\n        self.text += line\n"), Want: []string{"a.py:4 low"}},
			},
			Silent: []inspecttest.Case{
				{Name: "builder", Files: golang("strings", "func f(lines []string) string {\n\tvar s strings.Builder\n\tn := 0\n\tfor _, line := range lines {\n\t\ts.WriteString(line)\n\t\tn += len(line)\n\t}\n\treturn s.String()\n}\n")},
				{Name: "made anew", Files: golang("", "func f(lines []string) (out []string) {\n\tfor _, line := range lines {\n\t\ts := \"> \"\n\t\ts += line\n\t\tout = append(out, s)\n\t}\n\treturn out\n}\n")},
				{Name: "once", Files: golang("", "func f(lines []string) string {\n\ts := \"\"\n\tfor _, line := range lines {\n\t\tif line != \"\" {\n\t\t\ts += line\n\t\t\tbreak\n\t\t}\n\t}\n\treturn s\n}\n")},
				{Name: "few", Files: golang("", "func f(flags []string) string {\n\ts := \"\"\n\tfor _, f := range flags {\n\t\ts += \" \" + f\n\t}\n\tfor _, line := range []string{\"a\", \"b\"} {\n\t\ts += line\n\t}\n\tfor len(s) < 20 {\n\t\ts += \" \"\n\t}\n\treturn s\n}\n")},
				{Name: "test and script", Files: map[string]string{"a_test.go": "package a\n\nfunc f(lines []string) (s string) {\n\tfor _, line := range lines {\n\t\ts += line\n\t}\n\treturn s\n}\n", "gen.go": "//go:build ignore\n\npackage main\n\nfunc f(lines []string) (s string) {\n\tfor _, line := range lines {\n\t\ts += line\n\t}\n\treturn s\n}\n"}},
				{Name: "python local text", Files: file("a.py", "def f(lines):\n    s = \"\"\n    for line in lines:\n        s += line\n    return s\n")},
				{Name: "python header", Files: file("a.py", "SIZE = 8\ndef f(sock):\n    data = b\"\"\n    while len(data) < SIZE:\n        data += sock.recv(SIZE - len(data))\n    n = b\"\"\n    while len(n) < 4:\n        n += sock.recv(1)\n    return data\n")},
				{Name: "python in quotes", Files: file("a.py", "def f():\n    \"\"\"\n    data = b\"\"\n    while True:\n        data += sock.recv(1)\n    \"\"\"\n    # data = b\"\"\n")},
				{Name: "python numbers", Files: file("a.py", "def f(lines):\n    n = 0\n    for line in lines:\n        n += len(line)\n")},
			},
		},
		"alchemist/front-insert": {
			Planted: []inspecttest.Case{
				{Name: "go append", Files: golang("", "func f(rows []int) (out []int) {\n\tfor _, row := range rows {\n\t\tout = append([]int{row}, out...)\n\t}\n\treturn out\n}\n"), Want: []string{"a.go:6 low"}},
				{Name: "go insert, nested", Files: golang("slices", "func f(files [][]string) []string {\n\tvar out []string\n\tfor _, file := range files {\n\t\tfor _, line := range file {\n\t\t\tout = slices.Insert(out, 0, line)\n\t\t}\n\t}\n\treturn out\n}\n"), Want: []string{"a.go:9 medium"}},
				{Name: "python", Files: file("a.py", "def f(lines):\n    out = []\n    for line in lines:\n        out.insert(0, line)\n    return out\n"), Want: []string{"a.py:4 low"}},
				{Name: "script", Files: file("a.ts", "export function f(rows: Row[]) {\n  const out: Row[] = []\n  for (const row of rows) {\n    out.unshift(row)\n  }\n  return out\n}\n"), Want: []string{"a.ts:4 low"}},
				{Name: "forEach", Files: file("a.js", "function f(events) {\n  const out = []\n  events.forEach((event) => {\n    out.unshift(event)\n  })\n  return out\n}\n"), Want: []string{"a.js:4 low"}},
			},
			Silent: []inspecttest.Case{
				{Name: "climbing", Files: golang("", "func f(n *node) (line []*node) {\n\tfor n != nil {\n\t\tline = append([]*node{n}, line...)\n\t\tn = n.parent\n\t}\n\treturn line\n}\n")},
				{Name: "once", Files: golang("", "func f(args []string) []string { return append([]string{\"-v\"}, args...) }\n\nfunc g(lines []string) []string {\n\tout := lines\n\tfor _, line := range lines {\n\t\tout = append([]string{line}, lines...)\n\t\treturn out\n\t}\n\treturn out\n}\n")},
				{Name: "copied prefix", Files: golang("", "func f(lines []string) (all [][]string) {\n\tfor _, line := range lines {\n\t\tout := append([]string{line}, lines...)\n\t\tall = append(all, out)\n\t}\n\treturn all\n}\n")},
				{Name: "python path", Files: file("a.py", "import sys\nfor line in lines:\n    sys.path.insert(0, line)\n    out = []\n    out.insert(0, line)\n\"\"\"\nout = []\nfor line in lines:\n    out.insert(0, line)\n\"\"\"\n")},
				{Name: "script climbing", Files: file("a.ts", "const path = []\nwhile (row) {\n  path.unshift(row)\n  row = row.parent\n}\n// for (const row of rows) path.unshift(row)\nconst s = 'for (const row of rows) path.unshift(row)'\nfor (const flag of flags) path.unshift(flag)\n")},
			},
		},
		"alchemist/growing-search": {
			Planted: []inspecttest.Case{
				{Name: "go", Files: golang("slices", "func f(lines []string) []string {\n\tvar out []string\n\tfor _, line := range lines {\n\t\tif !slices.Contains(out, line) {\n\t\t\tout = append(out, line)\n\t\t}\n\t}\n\treturn out\n}\n"), Want: []string{"a.go:8 low"}},
				{Name: "go by hand", Files: golang("", "func f(events []string) (out []string) {\nnext:\n\tfor _, event := range events {\n\t\tfor _, have := range out {\n\t\t\tif have == event {\n\t\t\t\tcontinue next\n\t\t\t}\n\t\t}\n\t\tout = append(out, event)\n\t}\n\treturn out\n}\n"), Want: []string{"a.go:7 low"}},
				{Name: "python", Files: file("a.py", "def f(rows):\n    seen = []\n    for row in rows:\n        if row not in seen:\n            seen.append(row)\n    return seen\n"), Want: []string{"a.py:4 low"}},
				{Name: "script, nested", Files: file("a.js", "function f(files) {\n  const out = []\n  for (const file of files) {\n    for (const line of file.lines) {\n      if (!out.includes(line)) out.push(line)\n    }\n  }\n  return out\n}\n"), Want: []string{"a.js:5 medium"}},
				{Name: "script, some", Files: file("a.ts", "const out: User[] = []\nusers.forEach((user) => {\n  if (!out.some((o) => o.id === user.id)) { out.push(user) }\n})\n"), Want: []string{"a.ts:3 low"}},
			},
			Silent: []inspecttest.Case{
				{Name: "set", Files: golang("", "func f(lines []string) (out []string) {\n\tseen := map[string]bool{}\n\tfor _, line := range lines {\n\t\tif !seen[line] {\n\t\t\tseen[line] = true\n\t\t\tout = append(out, line)\n\t\t}\n\t}\n\treturn out\n}\n")},
				{Name: "fixed list", Files: golang("slices", "var known = []string{\"a\", \"b\"}\n\nfunc f(lines []string) (out []string) {\n\tfor _, line := range lines {\n\t\tif slices.Contains(known, line) {\n\t\t\tout = append(out, line)\n\t\t}\n\t}\n\treturn out\n}\n")},
				{Name: "few", Files: golang("slices", "func f(roles []string) (out []string) {\n\tfor _, role := range roles {\n\t\tif !slices.Contains(out, role) {\n\t\t\tout = append(out, role)\n\t\t}\n\t}\n\treturn out\n}\n")},
				{Name: "made anew", Files: golang("slices", "func f(files [][]string) {\n\tfor _, file := range files {\n\t\tvar out []string\n\t\tif !slices.Contains(out, file[0]) {\n\t\t\tout = append(out, file[0])\n\t\t}\n\t}\n}\n")},
				{Name: "python set and text", Files: file("a.py", "def f(rows):\n    seen = set()\n    out = []\n    for row in rows:\n        if row not in seen:\n            seen.add(row)\n            out.append(row)\n    '''\n    for row in rows:\n        if row not in out:\n            out.append(row)\n    '''\n")},
				{Name: "script: text, set, template", Files: file("a.ts", "const out: string[] = []\nconst seen = new Set()\nfor (const line of lines) {\n  if (line.includes('x') && !seen.has(line)) out.push(line)\n}\nconst how = `for (const line of lines) { if (!out.includes(line)) out.push(line) }`\n")},
				{Name: "script: queue", Files: file("a.ts", "const out = []\nfor (const line of lines) {\n  if (!out.includes(line)) out.push(line)\n  if (out.length > 9) out.shift()\n}\n")},
			},
		},
		"alchemist/spread-accumulate": {
			Planted: []inspecttest.Case{
				{Name: "object", Files: file("a.ts", "export const byId = (users) => users.reduce((acc, u) => ({ ...acc, [u.id]: u }), {})\n"), Want: []string{"a.ts:1 medium"}},
				{Name: "list, typed, returned", Files: file("a.ts", "const all = rows.reduce<Row[]>((acc, row) => {\n  if (!row.ok) return acc\n  return [...acc, row]\n}, [])\n"), Want: []string{"a.ts:3 medium"}},
				{Name: "function", Files: file("a.js", "const m = keys(x).reduce(function (prev, k) {\n  return { ...prev, [k]: 1 }\n}, {})\n"), Want: []string{"a.js:2 low"}},
				{Name: "loop", Files: file("a.js", "let out = []\nfor (const row of rows) {\n  out = [...out, row.id]\n}\n"), Want: []string{"a.js:3 low"}},
			},
			Silent: []inspecttest.Case{
				{Name: "state", Files: file("a.ts", "export function reducer(state, action) {\n  return { ...state, [action.id]: action.value }\n}\nsetRows([...rows, row])\n")},
				{Name: "literal list", Files: file("a.ts", "const m = ['a', 'b'].reduce((acc, k) => ({ ...acc, [k]: 1 }), {})\n")},
				{Name: "other thing", Files: file("a.ts", "const m = rows.reduce((acc, row) => { acc.push({ ...row, ok: true }); return acc }, [])\nconst n = rows.map((row) => ({ ...row, a: 1 }))\n")},
				{Name: "counted up", Files: file("a.ts", "const n = rules.reduce((acc, r) => ({ ...acc, [r.state]: acc[r.state] + 1 }), { firing: 0, pending: 0 })\n")},
				{Name: "copy on write", Files: file("a.ts", "let out = views\nfor (const id of ids) {\n  if (next !== view) out = { ...out, [id]: next }\n}\n")},
				{Name: "kept", Files: file("a.ts", "let out = []\nfor (const row of rows) {\n  out = [...out, row]\n  frames.push(out)\n}\n")},
				{Name: "comment, text, test", Files: map[string]string{"a.ts": "// rows.reduce((acc, r) => ({ ...acc, [r]: 1 }), {})\nconst s = `rows.reduce((acc, r) => ({ ...acc, [r]: 1 }), {})`\n", "a.test.ts": "const m = rows.reduce((acc, r) => ({ ...acc, [r]: 1 }), {})\n"}},
			},
		},
		"alchemist/rebuilt-table": {
			Planted: []inspecttest.Case{
				{Name: "numpy", Files: file("a.py", "import numpy as np\n\ndef f(rows):\n    out = np.array([])\n    for row in rows:\n        out = np.append(out, row)\n    return out\n"), Want: []string{"a.py:6 medium"}},
				{Name: "concat", Files: file("a.py", "import pandas as pd\n\ndf = pd.DataFrame()\nfor name in names:\n    part = pd.read_csv(name)\n    df = pd.concat([df, part])\n"), Want: []string{"a.py:6 medium"}},
				{Name: "frame", Files: file("a.py", "import pandas as pd\n\ndf = pd.DataFrame()\nfor r in rs:\n    df = df.append({'a': r}, ignore_index=True)\n"), Want: []string{"a.py:5 medium"}},
			},
			Silent: []inspecttest.Case{
				{Name: "after the loop", Files: file("a.py", "import pandas as pd\n\nparts = []\nfor name in names:\n    parts.append(pd.read_csv(name))\ndf = pd.concat(parts)\n")},
				{Name: "no loop", Files: file("a.py", "import numpy as np\n\ndef f(a, b):\n    a = np.append(a, b)\n    return a\n")},
				{Name: "anew in each turn", Files: file("a.py", "import numpy as np\n\nfor r in rs:\n    a = np.zeros(3)\n    a = np.append(a, r)\n    use(a)\n")},
				{Name: "few", Files: file("a.py", "import numpy as np\n\na = np.zeros(3)\nfor i in range(3):\n    a = np.append(a, i)\n# for r in rs: a = np.append(a, r)\n")},
			},
		},
		"alchemist/pattern-in-loop": {
			Planted: []inspecttest.Case{
				{Name: "range", Files: golang("regexp", "func f(lines []string) (n int) {\n\tfor _, line := range lines {\n\t\tif regexp.MustCompile(`^a+$`).MatchString(line) {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}\n"), Want: []string{"a.go:7 low"}},
				{Name: "scanner", Files: golang("bufio regexp", "func f(sc *bufio.Scanner) (n int) {\n\tfor sc.Scan() {\n\t\tif ok, _ := regexp.MatchString(`^a+$`, sc.Text()); ok {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}\n"), Want: []string{"a.go:8 medium"}},
				{Name: "named import, nested", Files: file("a.go", "package a\n\nimport re \"regexp\"\n\nfunc f(xs [][]string) {\n\tfor _, x := range xs {\n\t\tfor _, y := range x {\n\t\t\tp, err := re.Compile(\"a+\")\n\t\t\t_, _, _ = p, err, y\n\t\t}\n\t}\n}\n"), Want: []string{"a.go:8 medium"}},
			},
			Silent: []inspecttest.Case{
				{Name: "another in each turn", Files: golang("regexp", "func f(ps []string) (out []*regexp.Regexp) {\n\tfor _, p := range ps {\n\t\tout = append(out, regexp.MustCompile(p), regexp.MustCompile(`^`+p))\n\t}\n\treturn out\n}\n")},
				{Name: "package variable", Files: golang("regexp", "var p = regexp.MustCompile(`a+`)\n\nfunc f(lines []string) {\n\tfor _, line := range lines {\n\t\tp.MatchString(line)\n\t}\n}\n")},
				{Name: "once and then out", Files: golang("regexp", "func f(lines []string) bool {\n\tfor range lines {\n\t\tx := regexp.MustCompile(`a+`)\n\t\treturn x.MatchString(\"\")\n\t}\n\tfor _, n := range []int{1, 2} {\n\t\t_ = regexp.MustCompile(`a+`)\n\t\t_ = n\n\t}\n\treturn false\n}\n")},
				{Name: "a function for later", Files: golang("regexp sync", "func f(lines []string) {\n\tfor range lines {\n\t\t_ = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`a+`) })\n\t}\n\t// for range lines { regexp.MustCompile(`a+`) }\n}\n")},
			},
		},
		"alchemist/defer-in-loop": {
			Planted: []inspecttest.Case{
				{Name: "close", Files: golang("os", "func f(names []string) error {\n\tfor _, name := range names {\n\t\tf, err := os.Open(name)\n\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n\t\tdefer f.Close()\n\t\tread(f)\n\t}\n\treturn nil\n}\n"), Want: []string{"a.go:11 medium"}},
				{Name: "lock", Files: golang("", "func (s *store) f(keys []string) {\n\tfor _, key := range keys {\n\t\ts.mu.Lock()\n\t\tdefer s.mu.Unlock()\n\t\ts.m[key] = 1\n\t}\n}\n"), Want: []string{"a.go:7 high"}},
				{Name: "rows", Files: golang("", "func f(db *sql.DB, ids []int) {\n\tfor i := 0; i < len(ids); i++ {\n\t\trows, err := db.Query(\"q\", ids[i])\n\t\tcheck(err)\n\t\tdefer rows.Close()\n\t}\n}\n"), Want: []string{"a.go:8 medium"}},
			},
			Silent: []inspecttest.Case{
				{Name: "function", Files: golang("os", "func f(names []string) {\n\tfor _, name := range names {\n\t\tfunc() {\n\t\t\tf, _ := os.Open(name)\n\t\t\tdefer f.Close()\n\t\t}()\n\t}\n}\n")},
				{Name: "kept open", Files: golang("io os", "func f(names []string) {\n\tvar all []io.Reader\n\tfor _, name := range names {\n\t\tf, _ := os.Open(name)\n\t\tdefer f.Close()\n\t\tall = append(all, f)\n\t}\n\tuse(io.MultiReader(all...))\n}\n")},
				{Name: "first turn only", Files: golang("os", "func f(names []string) error {\n\tfor _, name := range names {\n\t\tf, err := os.Open(name)\n\t\tif err != nil {\n\t\t\tcontinue\n\t\t}\n\t\tdefer f.Close()\n\t\treturn read(f)\n\t}\n\treturn nil\n}\n")},
				{Name: "many locks", Files: golang("", "func f(rooms []*room) {\n\tfor _, r := range rooms {\n\t\tr.mu.Lock()\n\t\tdefer r.mu.Unlock()\n\t}\n}\n")},
				{Name: "test, fixed list", Files: map[string]string{"a_test.go": "package a\n\nfunc f(names []string) {\n\tfor _, name := range names {\n\t\tf := open(name)\n\t\tdefer f.Close()\n\t}\n}\n", "a.go": "package a\n\nfunc f() {\n\tfor _, name := range []string{\"a\", \"b\"} {\n\t\tf := open(name)\n\t\tdefer f.Close()\n\t}\n}\n"}},
			},
		},
		"alchemist/unbounded-body": {
			Planted: []inspecttest.Case{
				{Name: "handler", Files: golang("io net/http", "func serve(w http.ResponseWriter, r *http.Request) {\n\tdata, err := io.ReadAll(r.Body)\n\tuse(data, err)\n}\n"), Want: []string{"a.go:7 medium"}},
				{Name: "literal", Files: golang("io net/http", "func init() {\n\thttp.HandleFunc(\"/\", func(w http.ResponseWriter, req *http.Request) {\n\t\tdata, _ := io.ReadAll(req.Body)\n\t\tuse(data)\n\t})\n}\n"), Want: []string{"a.go:8 medium"}},
				{Name: "old name, two", Files: golang("io/ioutil net/http", "type s struct{}\n\nfunc (s) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n\tdata, _ := ioutil.ReadAll(r.Body)\n\tuse(data)\n}\n\nfunc b(w http.ResponseWriter, r *http.Request) {\n\tdata, _ := ioutil.ReadAll(r.Body)\n\tuse(data)\n}\n"), Want: []string{"a.go:9 medium"}},
			},
			Silent: []inspecttest.Case{
				{Name: "limited", Files: golang("io net/http", "func serve(w http.ResponseWriter, r *http.Request) {\n\tr.Body = http.MaxBytesReader(w, r.Body, 1<<20)\n\tdata, err := io.ReadAll(r.Body)\n\tuse(data, err)\n}\n\nfunc other(w http.ResponseWriter, r *http.Request) {\n\tdata, err := io.ReadAll(io.LimitReader(r.Body, 9))\n\tuse(data, err)\n}\n")},
				{Name: "middleware", Files: golang("io net/http", "func limit(next http.Handler) http.Handler { return http.MaxBytesHandler(next, 1<<20) }\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n\tdata, err := io.ReadAll(r.Body)\n\tuse(data, err)\n}\n")},
				{Name: "client", Files: golang("io net/http", "func get(r *http.Request) {\n\tres, _ := http.DefaultClient.Do(r)\n\tdata, err := io.ReadAll(res.Body)\n\tuse(data, err)\n}\n\nfunc dump(r *http.Request) { use(io.ReadAll(r.Body)) }\n")},
				{Name: "test", Files: map[string]string{"a_test.go": "package a\n\nimport (\n\t\"io\"\n\t\"net/http\"\n)\n\nfunc serve(w http.ResponseWriter, r *http.Request) { use(io.ReadAll(r.Body)) }\n"}},
				{Name: "middleware of its own", Files: golang("io net/http", "func limit(next http.Handler) http.Handler {\n\treturn http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\n\t\tr.Body = http.MaxBytesReader(w, r.Body, 9)\n\t\tnext.ServeHTTP(w, r)\n\t})\n}\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n\tdata, err := io.ReadAll(r.Body)\n\tuse(data, err)\n}\n")},
			},
		},
		"alchemist/heavy-file": {
			Planted: []inspecttest.Case{
				{Name: "one", Sizes: map[string]int64{"art/map.png": 3 << 20, "art/small.png": 1 << 19}, Want: []string{"art/map.png:0 low"}},
				{Name: "together", Sizes: map[string]int64{"a.mp4": 30 << 20, "b.zip": 31 << 20}, Want: []string{"b.zip:0 medium"}},
				{Name: "refused", Sizes: map[string]int64{"film.mov": 120 << 20, "b.zip": 2 << 20}, Want: []string{"film.mov:0 high"}},
			},
			Silent: []inspecttest.Case{
				{Name: "pointers", Files: map[string]string{"art/map.png": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 31457280\n"}},
				{Name: "kept by LFS", Files: map[string]string{".gitattributes": "*.psd filter=lfs diff=lfs merge=lfs -text\nart/** filter=lfs\n", "sub/.gitattributes": "/x/*.zip filter=lfs\n"}, Sizes: map[string]int64{"a/b.psd": 9 << 20, "art/c/d.png": 9 << 20, "sub/x/e.zip": 9 << 20}},
				{Name: "fixtures and vendored", Sizes: map[string]int64{"testdata/film.mov": 120 << 20, "vendor/x/y.zip": 9 << 20, "data.csv": 9 << 20}},
				{Name: "not committed", Sizes: map[string]int64{"film.mov": 120 << 20}, History: &inspecttest.History{Count: 2}},
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
