package mistakes

import (
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/inspect/inspecttest"
)

// one returns a case of a file. A document names its functions a, b, c and f, so that something may call them.
func one(name, path, text string, want ...string) inspecttest.Case {
	for i, w := range want {
		want[i] = path + ":" + w
	}
	return inspecttest.Case{Name: name, Files: map[string]string{path: text, "called.txt": "a b c f"}, Want: want}
}

// inModule returns a case of a Go file in a module of Go 1.20. The file's import is on line 3.
func inModule(name, pkg, text string, want ...string) inspecttest.Case {
	c := one(name, "a.go", "package p\n\nimport \""+pkg+"\"\n\n"+text, want...)
	c.Files["go.mod"] = "module m\n\ngo 1.20\n"
	return c
}

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"cartographer/conflict-marker": conflictFacts,
		"healer/unknown-name": {
			Planted: []inspecttest.Case{
				one("exported", "a.mjs", "import b from './b.js'\nb()\nexport { nothing as there }\n", "3 medium"),
				one("a module that is not imported", "a.py", "import os\n\ndef f(p):\n    if not os.path.exists(p):\n        sys.exit(1)\n", "5 medium"),
				one("a wrong name", "a.py", "def f(path):\n    return [x for x in open(pth)]\n", "2 medium"),
				one("in a handler", "a.js", "const fs = require('fs')\nfs.readFile('a', (error, data) => {\n  if (err) throw err\n  use(data)\n})\nfunction use() {}\n", "3 medium"),
				one("in an object", "a.mjs", "import a from 'a'\nexport function f(name) {\n  return a({ name, mode })\n}\n", "3 medium"),
				one("of another function", "a.js", "const a = require('a')\nfunction f(port) { return a(port) }\nmodule.exports = () => f(port)\n", "3 medium"),
				one("of a block", "a.js", "const a = require('a')\nif (a) { let bb = 1; a(bb) }\na(bb)\n", "3 medium"),
				one("of other functions, many", "a.js", "const a = require('a')\nfunction f(bb, cc, dd) { return a(bb, cc, dd) }\na(bb)\na(cc)\na(dd)\n", "3 medium", "4 medium", "5 medium"),
				one("in a method that nothing calls", "a.js", "class A {\n  lost(id) { return this.all.some((x) => x === ident) }\n  b() { return gone }\n}\nmodule.exports = new A().b()\n", "3 medium", "2 medium candidate"),
				one("in a function that nothing calls", "a.py", "import os\n\ndef _lost(p):\n    return pth\n\ndef f(p):\n    return sys.exit(_g(p))\n\ndef _g(p):\n    return os.stat(p)\n", "7 medium", "4 medium candidate"),
				{Name: "in a method that a document names", Files: map[string]string{"a.mjs": "import a from 'a'\nexport class A {\n  find(id) { return a(ident) }\n}\n", "README.md": "Call `find(id)`.\n"}, Want: []string{"a.mjs:3 medium"}},
				one("in methods that others call", "a.py", "from a import Base, route\n\nclass A(Base):\n    def paint(self):\n        return colour\n\n    @route\n    def show(self):\n        return shown\n", "5 medium", "9 medium"),
				one("in a file that no import can name", "plugin.reg.py", "import a\na(KIND)\n", "2 medium candidate"),
				one("a loader of a framework", "a.js", "const a = require('a')\nconst B = use('A/B')\nconst c = use('C')\nmodule.exports = a(B, c)\n", "2 medium candidate"),
				one("no loader", "a.js", "const a = require('a')\nconst b = load('b')\nmodule.exports = () => load(b)\n", "2 medium"),
				{Name: "other names in one file, and one name in two", Files: map[string]string{"a.js": "const a = require('a')\nmodule.exports = () => a(make('a'))\n", "b/b.js": "const b = require('b')\nmodule.exports = () => b(make('b'))\n"},
					Want: []string{"a.js:2 medium candidate", "b/b.js:2 medium candidate"}},
				one("a constant of a framework", "a.js", "module.exports = (next) => {\n  next(DENYSOFT)\n}\n", "2 medium candidate"),
				{Name: "in many files", Files: map[string]string{"a.py": "def f():\n    return Injected()\n", "b/b.py": "def f():\n    return Injected()\n"},
					Want: []string{"a.py:2 medium candidate", "b/b.py:2 medium candidate"}},
				{Name: "other names in files of one folder of JavaScript", Files: map[string]string{"a.js": "require('a')(first)\n", "b.js": "require('b')(second)\n"}, Want: []string{"a.js:1 medium", "b.js:1 medium"}},
				{Name: "beside a name of a framework", Files: map[string]string{"a.js": "require('a')(first)\n", "b.js": "require('b')(plugin)\n", "c.js": "require('c')(plugin)\n"},
					Want: []string{"a.js:1 medium candidate", "b.js:1 medium candidate", "c.js:1 medium candidate"}},
				{Name: "other names in files of one folder", Files: map[string]string{"a.py": "def f():\n    return FIRST\n", "b.py": "def f():\n    return SECOND\n"},
					Want: []string{"a.py:2 medium candidate", "b.py:2 medium candidate"}},
			},
			Silent: []inspecttest.Case{
				one("of another module", "a.mjs", "export { default as Client, default, other } from './client.js'\nexport * as all from './all.js'\nconst here = 1\nexport { here as there }\n"),
				one("of a page that it extends", "a.js", "const b = require('b')\nBlocks.sum = (x) => b(x, language)\n"),
				one("every kind of definition", "a.py", "from a import b as c\nimport d.e\nclass F(c):\n    g = 1\n    def h(self, i, *j, k=1, **l):\n        global m\n        m = n = [o for o in i if (p := o)]\n        with open(i) as q, d.e() as (r, s):\n            for t, (u, v) in j: print(g, m, n, p, q, r, s, t, u, v, k, l)\n        try: pass\n        except KeyError as w: print(w, __file__, _('x'))\n        return lambda x, y=1: x + y + F.z(zz=1).zzz\n"),
				one("all names of a module", "a.py", "from a import *\nf(b)\n"),
				one("behind the end", "a.py", "def f():\n    raise ValueError\n    return reject(1)\n"),
				one("behind an end in each branch", "a.py", "import sys\n\ndef f(a):\n    if a:\n        return 1\n    elif g:\n        raise ValueError\n    else:\n        sys.exit(1)\n    return reject(1)\ndef g():\n    if False:\n        reject(2)\n"),
				one("behind an end of a script", "a.js", "const a = require('a')\nfunction f() {\n  if (a) { return 1 } else { process.exit(1) }\n  lost()\n}\nif (0) other(f)\n"),
				{Name: "in a file of another language with the same ending", Files: map[string]string{"a.spec": "name = string(default=None)\n", "game.rpy": "show(eileen)\n"}},
				one("another version", "a.py", "import sys\ntext = unicode if sys.version_info[0] < 3 else str\n"),
				one("of the browser", "a.js", "import a from 'a'\nwindow.speechSynthesis.speak(new SpeechSynthesisUtterance(a))\n"),
				one("tried", "a.py", "try:\n    text = unicode\nexcept Exception:\n    text = str\n"),
				one("the old language", "a.py", "print 'a'\nx = raw_input()\n"),
				one("for the old language only", "a.py", "class A:\n    def __cmp__(self, other):\n        return cmp(self.a, other.a)\n"),
				one("a template of a script", "a.js", "module.exports = {\n  list: {%NAMES%\n  },\n}\n"),
				{Name: "put among the builtins", Files: map[string]string{"a/a.py": "def f():\n    return dynamic.scope\n", "b.py": "import builtins\nbuiltins.__dict__['dynamic'] = 1\n"}},
				one("a type only", "a.py", "def f(a: Later) -> Other:\n    return a\n"),
				one("every kind of definition of a script", "a.js", "import a, { b as c } from 'x'\nimport * as d from 'y'\nexport class E { f(g, { h, i: j = 1 }, [k], ...l) { return [g, h, j, k, l, this.zz] } }\nfor (const m of a) for (let n in m) c(n, d)\ntry { o = 1 } catch (p) { c(p, o, q) }\nvar q = function r(s) { return r(s) }, t = u => u\nlabel: while (t) { continue label }\nE.f({ v: 1 }.v, arguments, new.target)\n"),
				one("of the functions and blocks around", "a.js", "const a = require('a')\nfunction f(bb, [cc] = []) {\n  if (bb) { var dd = 1; function ee() {} }\n  class GG {}\n  for (const hh of cc) a(() => hh + bb + dd)\n  switch (bb) { case 1: let ii = 2; default: a(ii) }\n  try { a() } catch (jj) { a(jj) }\n  return function k() { return k(ee, GG, ll) }\n}\nvar ll = f\nfor (var mm in ll) a(mm)\na(mm, (nn) => nn, oo => oo)\nif (a) { pp = 1 }\na(pp)\nfunction qq() { pp++ }\nq()\n"),
				{Name: "made global by another file", Files: map[string]string{"a.js": "const a = require('a')\nfunction f(shared) { a(shared) }\nf(shared)\n", "b.js": "const b = require('b')\nshared = b\n"}},
				one("asked for", "a.js", "const a = require('a')\nif (typeof Other !== 'undefined') a(Other)\n"),
				one("a script of a page", "a.js", "show(other)\n"),
				one("a module of a page", "a.js", "const a = require('a')\nexports.f = () => a(other)\n$('#b').text(parent.c)\n"),
				one("a page with modules of its own", "a.js", "function require() {}\nrequire('b')\npage.require('a')(other)\n"),
				{Name: "given to all", Files: map[string]string{"a.js": "const a = require('a')\na(shared)\n", "b.js": "const b = require('b')\nglobal.shared = b\n"}},
			},
		},
		"healer/nil-error": {
			Planted: []inspecttest.Case{
				one("after its check", "a.go", "package p\n\nfunc f() (*t, error) {\n\tx, err := g()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tif x.status != 200 {\n\t\treturn nil, err\n\t}\n\treturn x, nil\n}\n", "9 high"),
				one("an empty text", "a.go", "package p\n\nfunc f() (string, error) {\n\tx, err := g()\n\tif err != nil {\n\t\treturn \"\", err\n\t}\n\tlog(x)\n\tif !x.ok {\n\t\tif x.more {\n\t\t\treturn \"\", err\n\t\t}\n\t}\n\treturn x.s, nil\n}\n", "11 high candidate"),
				one("with another error", "a.go", "package p\n\nfunc f() (*t, error) {\n\ttx, err := begin()\n\tok, ferr := g(tx)\n\tif ferr != nil {\n\t\ttx.undo()\n\t\treturn nil, err\n\t} else if !ok {\n\t\terr = none\n\t\treturn nil, err\n\t}\n\treturn tx, nil\n}\n", "8 medium"),
				one("with the checked error", "a.go", "package p\n\nfunc f() (*t, error) {\n\ttx, err := begin()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tuse(tx)\n\tif err2 := g(tx); err2 != nil {\n\t\treturn nil, err\n\t}\n\treturn tx, nil\n}\n", "10 high"),
				one("its text after a loop", "a.go", "package p\n\nfunc f() error {\n\tvar err error\n\tfor i := 0; i < 9; i++ {\n\t\terr = g()\n\t\tif err == nil {\n\t\t\tlog(i)\n\t\t\tbreak\n\t\t}\n\t}\n\tn := 9\n\treturn h(n, err.Error())\n}\n", "13 high"),
				one("nothing and false", "a.go", "package p\n\nfunc f() (bool, error) {\n\tx, err := g()\n\tif err != nil {\n\t\treturn false, err\n\t}\n\tif !x.found {\n\t\treturn false, err\n\t}\n\treturn true, nil\n}\n", "9 high candidate"),
			},
			Silent: []inspecttest.Case{
				one("behind a test that never holds", "a.go", "package p\n\nfunc f() (*t, error) {\n\tx, err := g()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tif x.n == 0 {\n\t\tif err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\tx.n = 1\n\t}\n\treturn x, nil\n}\n"),
				one("the error of before, which is not nil", "a.go", "package p\n\nfunc f() (*t, error) {\n\tx, err := g()\n\tif err != nil {\n\t\tif err2 := undo(); err2 != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\treturn nil, err\n\t}\n\terr = none\n\tif err2 := g2(); err2 != nil {\n\t\treturn nil, err\n\t}\n\tif err3 := g2(); err3 != nil {\n\t\terr = err3\n\t\treturn nil, err\n\t}\n\treturn x, nil\n}\n"),
				one("the tested error in another variable", "a.go", "package p\n\nfunc f() (*t, error) {\n\tx, err := g()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tif err2 := g2(); err2 != nil {\n\t\terr = err2\n\t\treturn nil, err\n\t}\n\treturn x, nil\n}\n"),
				one("its text after a loop that goes on after a success", "a.go", "package p\n\nfunc f() string {\n\tvar err error\n\tfor next() {\n\t\terr = g()\n\t\tif err == nil {\n\t\t\tcontinue\n\t\t}\n\t\tbreak\n\t}\n\treturn err.Error()\n}\n"),
				one("its text after a loop and a test", "a.go", "package p\n\nfunc f() string {\n\tvar err error\n\tfor i := 0; i < 9; i++ {\n\t\terr = g()\n\t\tif err == nil {\n\t\t\tbreak\n\t\t}\n\t}\n\tif err == nil {\n\t\treturn \"\"\n\t}\n\treturn err.Error()\n}\n"),
				one("its text after a loop that a success leaves for good", "a.go", "package p\n\nfunc f() string {\n\tvar err error\n\tfor i := 0; i < 9; i++ {\n\t\terr = g()\n\t\tif err == nil {\n\t\t\treturn \"\"\n\t\t}\n\t}\n\treturn err.Error()\n}\n"),
				one("set again", "a.go", "package p\n\nfunc f() (*t, error) {\n\tx, err := g()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tif x.bad {\n\t\terr = h()\n\t\treturn nil, err\n\t}\n\tif y, err := h(); err != nil {\n\t\treturn y, err\n\t}\n\treturn x, nil\n}\n"),
				one("a result with it", "a.go", "package p\n\nfunc f() (*t, error) {\n\tx, err := g()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tif x.done {\n\t\treturn x, err\n\t}\n\treturn nil, err\n}\n"),
				one("asked again", "a.go", "package p\n\nfunc f() (*t, error) {\n\tx, err := g()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tfor {\n\t\t_, err = h(x)\n\t\tif x.bad {\n\t\t\treturn nil, err\n\t\t}\n\t}\n}\n"),
				one("no return after the check", "a.go", "package p\n\nfunc f() (*t, error) {\n\tx, err := g()\n\tif err != nil {\n\t\tlog(err)\n\t}\n\tif x.bad {\n\t\treturn nil, err\n\t}\n\treturn x, nil\n}\n"),
			},
		},
		"healer/held-lock": {
			Planted: []inspecttest.Case{
				one("on a failure", "a.go", "package p\n\nfunc (s *t) f() error {\n\ts.mu.Lock()\n\tif s.n == 0 {\n\t\treturn none\n\t}\n\ts.n--\n\ts.mu.Unlock()\n\treturn nil\n}\n", "6 high"),
				one("for reading, in one of two cases", "a.go", "package p\n\nfunc (s *t) f() int {\n\ts.mu.RLock()\n\tswitch s.n {\n\tcase 0:\n\t\ts.mu.RUnlock()\n\t\treturn 1\n\tcase 1:\n\t\treturn 2\n\t}\n\ts.mu.RUnlock()\n\treturn 3\n}\n", "10 high"),
				one("of a function that unlocks", "a.go", "package p\n\nfunc (s *t) f() error {\n\ts.mu.Lock()\n\tif err := s.g(); err != nil {\n\t\treturn err\n\t}\n\ts.mu.Unlock()\n\treturn nil\n}\n\nfunc (s *t) g() error {\n\tif s.n == 0 {\n\t\ts.mu.Unlock()\n\t\treturn none\n\t}\n\treturn nil\n}\n", "6 high candidate"),
				one("of a closure that unlocks", "a.go", "package p\n\nfunc (s *t) f() error {\n\ts.mu.Lock()\n\tfail := func(err error) error {\n\t\ts.mu.Unlock()\n\t\treturn err\n\t}\n\tif s.n == 0 {\n\t\tfail(none)\n\t\treturn none\n\t}\n\ts.mu.Unlock()\n\treturn nil\n}\n", "11 high candidate"),
				one("in a loop", "a.go", "package p\n\nfunc (s *t) f() {\n\tfor {\n\t\tmu.Lock()\n\t\tif s.n == 0 {\n\t\t\treturn\n\t\t}\n\t\tmu.Unlock()\n\t}\n}\n", "7 high"),
			},
			Silent: []inspecttest.Case{
				one("unlocked on the way", "a.go", "package p\n\nfunc (s *t) f() error {\n\ts.mu.Lock()\n\tif s.n == 0 {\n\t\ts.mu.Unlock()\n\t\treturn none\n\t}\n\ts.mu.Unlock()\n\treturn nil\n}\n"),
				one("deferred", "a.go", "package p\n\nfunc (s *t) f() error {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\tif s.n == 0 {\n\t\treturn none\n\t}\n\ts.mu.Unlock()\n\ts.mu.Lock()\n\treturn nil\n}\n"),
				one("of another function", "a.go", "package p\n\nfunc (s *t) f() error {\n\ts.mu.Lock()\n\tgo func() {\n\t\treturn\n\t}()\n\ts.mu.Unlock()\n\treturn nil\n}\n"),
				one("run by hand", "a.go", "//go:build ignore\n\npackage p\n\nfunc (s *t) f() error {\n\ts.mu.Lock()\n\tif s.n == 0 {\n\t\treturn none\n\t}\n\ts.mu.Unlock()\n\treturn nil\n}\n"),
				one("the caller unlocks", "a.go", "package p\n\nfunc (s *t) lock() error {\n\ts.mu.Lock()\n\tif s.n == 0 {\n\t\treturn none\n\t}\n\treturn nil\n}\n"),
			},
		},
		"healer/unclosed": {
			Planted: []inspecttest.Case{
				one("an answer", "a.go", "package p\n\nimport (\n\t\"net/http\"\n)\n\nfunc f(u string) error {\n\tresp, err := http.Get(u)\n\tif err != nil {\n\t\treturn err\n\t}\n\tif resp.StatusCode != 200 {\n\t\treturn bad\n\t}\n\treturn nil\n}\n", "8 medium"),
				one("an answer that is read", "a.go", "package p\n\nimport (\n\t\"encoding/json\"\n\t\"io\"\n\t\"net/http\"\n)\n\nfunc f(c *http.Client, r *http.Request, v any) error {\n\tresp, err := c.Do(r)\n\tif err != nil {\n\t\treturn err\n\t}\n\tif resp.StatusCode != 200 {\n\t\tb, _ := io.ReadAll(io.LimitReader(resp.Body, 9))\n\t\treturn bad(b)\n\t}\n\td := json.NewDecoder(resp.Body)\n\treturn d.Decode(v)\n}\n", "10 medium"),
				one("an answer, by a return before the defer", "a.go", "package p\n\nimport (\n\t\"net/http\"\n)\n\nfunc f(u string) error {\n\tresp, err := http.Get(u)\n\tif err != nil {\n\t\treturn err\n\t}\n\tif resp.StatusCode != 200 {\n\t\treturn bad\n\t}\n\tdefer resp.Body.Close()\n\treturn nil\n}\n", "13 medium"),
				one("rows, by a return in the loop", "a.go", "package p\n\nimport (\n\t\"database/sql\"\n)\n\nfunc f(db *sql.DB) error {\n\trows, err := db.Query(\"a\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tfor rows.Next() {\n\t\tif err := rows.Scan(&x); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn rows.Err()\n}\n", "14 medium"),
				one("a file", "a.go", "package p\n\nimport (\n\t\"encoding/json\"\n\t\"os\"\n)\n\nfunc f(v any) error {\n\tw, err := os.Create(\"a\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tenc := json.NewEncoder(w)\n\treturn enc.Encode(v)\n}\n", "9 medium"),
				one("a file that is opened to write", "a.go", "package p\n\nimport (\n\t\"os\"\n)\n\nfunc f() error {\n\tw, err := os.OpenFile(\"a\", os.O_CREATE|os.O_RDWR, 0o600)\n\tif err != nil {\n\t\treturn err\n\t}\n\t_, err = w.WriteString(\"a\")\n\treturn err\n}\n", "8 medium"),
			},
			Silent: []inspecttest.Case{
				one("closed", "a.go", "package p\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc f(u string) error {\n\tresp, err := http.Get(u)\n\tif err != nil {\n\t\treturn err\n\t}\n\tif resp.StatusCode != 200 {\n\t\tresp.Body.Close()\n\t\treturn bad\n\t}\n\tdefer resp.Body.Close()\n\tw, err := os.Create(u)\n\tif err != nil {\n\t\treturn err\n\t}\n\t_, err = w.Write(nil)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn w.Close()\n}\n"),
				one("handed on", "a.go", "package p\n\nimport (\n\t\"encoding/json\"\n\t\"io\"\n\t\"log\"\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc f(u string) (io.Reader, error) {\n\tresp, err := http.Get(u)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\ta, err := http.Get(u)\n\tcheck(a.Body, err)\n\tb, err := http.Get(u)\n\tx.b = b\n\tc, err := http.Get(u)\n\tdefer func() { done(c.Body) }()\n\td, err := http.Get(u)\n\tx.dec = json.NewDecoder(d.Body)\n\te := x{http.Get(u)}\n\tw, err := os.Create(\"a\")\n\tlog.SetOutput(w)\n\tv, err := os.Create(\"b\")\n\tuse(e, v.Fd())\n\tm, err := os.Create(\"c\")\n\tx.write = m.Write\n\treturn io.TeeReader(resp.Body, nil), nil\n}\n"),
				one("written until the program ends", "a.go", "package p\n\nimport (\n\t\"os\"\n)\n\nfunc f() {\n\tw, err := os.Create(\"a\")\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tfor range time.NewTicker(1).C {\n\t\tif bad {\n\t\t\tcontinue\n\t\t}\n\t\tw.WriteString(\"a\")\n\t}\n}\n"),
				one("no answer of a server", "a.go", "package p\n\nimport (\n\t\"net/http\"\n\t\"database/sql\"\n)\n\nfunc f(s *service) error {\n\tresp, err := s.Do(s.a, s.b)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn resp.Err\n}\n\nfunc main() {\n\tresp, err := http.Get(a)\n\tlog(resp.StatusCode, err)\n}\n"),
				one("rows that are read to the end, closed or given", "a.go", "package p\n\nimport (\n\t\"database/sql\"\n)\n\nfunc f(db *sql.DB) error {\n\trows, err := db.Query(\"a\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tfor rows.Next() {\n\t\tn++\n\t}\n\tb, err := db.Query(\"b\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer b.Close()\n\tfor b.Next() {\n\t\tif x {\n\t\t\treturn nil\n\t\t}\n\t}\n\tc, err := db.Query(\"c\")\n\tif err != nil {\n\t\treturn err\n\t}\n\tfor c.Next() {\n\t\tif err := c.Scan(&x); err != nil {\n\t\t\tc.Close()\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil\n}\n"),
				one("an answer to HEAD", "a.go", "package p\n\nimport \"net/http\"\n\nfunc f(c *http.Client, u string) int {\n\tr, _ := http.NewRequest(\"HEAD\", u, nil)\n\tresp, err := c.Do(r)\n\tif err != nil {\n\t\treturn 0\n\t}\n\treturn resp.StatusCode\n}\n\nfunc g(u string) int {\n\tresp, err := http.Head(u)\n\tif err != nil {\n\t\treturn 0\n\t}\n\treturn resp.StatusCode\n}\n"),
				one("an answer without a body", "a.go", "package p\n\nimport (\n\t\"net/http\"\n)\n\nfunc f(u string) error {\n\tresp, err := http.Get(u)\n\tif err != nil {\n\t\treturn err\n\t}\n\tif resp.Body == nil {\n\t\treturn bad\n\t}\n\tdefer resp.Body.Close()\n\treturn nil\n}\n"),
			},
		},
		"healer/crash-from-outside": {
			Planted: []inspecttest.Case{
				one("a body", "a.js", "const http = require('http')\nhttp.createServer((req, res) => {\n  let body = ''\n  req.on('data', (c) => { body += c })\n  req.on('end', () => {\n    save(JSON.parse(body))\n  })\n})\n", "6 high"),
				one("an answer", "a.js", "const https = require('https')\nhttps.get(u, (res) => {\n  res.on('end', function () {\n    done(JSON.parse(text))\n  })\n}).on('error', done)\n", "4 medium"),
				one("a message", "a.js", "const { WebSocketServer } = require('ws')\nserver.on('connection', (ws) => {\n  ws.on('message', (m) => {\n    const a = JSON.parse(m)\n  })\n})\n", "4 high"),
				one("a file that is not there", "a.js", "const fs = require('fs')\nfs.readFile(a, function (err, data) {\n  use(data.toString())\n})\n", "3 medium"),
				one("a text of a server that does not answer", "a.js", "const request = require('request')\nrequest(a, function (err, res, body) {\n  use(JSON.parse(body))\n})\n", "3 medium"),
				one("a failure that is only logged", "a.js", "const { readdir } = require('fs')\nreaddir(a, (err, list) => {\n  if (err) console.error(err)\n  list.forEach(use)\n})\n", "4 medium"),
				one("a URL with a broken escape", "a.js", "const http = require('http')\nhttp.createServer((req, res) => {\n  const path = req.url.split('?')[0]\n  res.end(decodeURIComponent(path))\n})\n", "4 high"),
				one("a URL without a host", "a.mjs", "import http from 'node:http'\nhttp.createServer(answer)\nfunction answer(req, res) {\n  res.end(new URL(req.url, 'http://a').pathname)\n}\n", "4 high"),
				one("a URL with a broken user", "a.js", "const http = require('http'), url = require('url')\nhttp.createServer((req, res) => {\n  res.end(url.parse(req.url, true).query.a)\n})\n", "3 high"),
				one("a URL in an event", "a.js", "const http = require('http'), { parse } = require('url')\nconst server = http.createServer()\nserver.on('upgrade', function (request, socket) {\n  if (parse(request.url).pathname !== '/a') socket.destroy()\n})\n", "4 high"),
				one("a URL in a method", "a.js", "const http = require('http'), url = require('url')\nclass A {\n  start() { http.createServer(this.answer.bind(this)) }\n  answer(req, res) { res.end(url.parse(req.url).path) }\n}\n", "4 high"),
				one("a failure of its own function", "a.js", "const log = require('log')\nlog.open(a, (err, out) => {\n  file = out.file\n  done(err)\n})\n", "3 medium"),
				one("a failure that is tested late", "a.js", "const db = require('db')\ndb.find({ a }, function (error, rows) {\n  const count = rows.length\n  if (error) return done(error)\n  done(null, count)\n})\n", "3 medium"),
				one("a failure that is thrown late", "a.js", "const fs = require('fs')\nfs.stat(a, (e, s) => {\n  size = s.size\n  if (e) throw e\n})\n", "3 medium"),
				one("a message that an async function reads", "a.js", "const WebSocket = require('websocket')\nserver.on('request', (r) => {\n  connection.on('message', async (m) => {\n    await use(JSON.parse(m.utf8Data))\n  })\n})\n", "4 high"),
				one("a body that is null", "a.js", "const http = require('http')\nhttp.createServer((req, res) => {\n  req.on('end', () => {\n    let data\n    try { data = JSON.parse(body) } catch (e) { return res.end() }\n    if (data.id) use(data)\n  })\n})\n", "6 high"),
				one("a message that is null, in a function", "a.js", "const WebSocket = require('ws')\nfunction take(m, done) {\n  try {\n    var data = JSON.parse(m)\n  } catch (e) {\n    return done(e)\n  }\n  done(data.id)\n}\nwss.on('connection', (ws) => {\n  ws.on('message', (m) => { take(m, send) })\n})\n", "8 high"),
				{Name: "with a handler for all", Files: map[string]string{"b.js": "process.on('uncaughtException', log)\n", "a.js": "const fs = require('fs')\nfs.readFile('a', (e, text) => {\n  use(text.length)\n})\n"}, Want: []string{"a.js:3 medium candidate"}},
			},
			Silent: []inspecttest.Case{
				one("null that is asked for", "a.js", "const WebSocket = require('ws')\nws.on('message', (m) => {\n  let a, b, c, d\n  try { a = JSON.parse(m); use(a.id) } catch (e) { return }\n  use(a.id)\n  try { b = JSON.parse(m) } catch (e) { return }\n  if (b && b.id) use(b.id)\n  try { c = JSON.parse(m) } catch (e) { return }\n  use(c?.id)\n  try { d = JSON.parse(m) } catch (e) { return }\n  try { use(d.id) } catch (e) { }\n})\n"),
				one("null in a function that is called with care", "a.js", "const WebSocket = require('ws')\nfunction take(m) {\n  let data\n  try { data = JSON.parse(m) } catch (e) { return }\n  return data.id\n}\nws.on('message', (m) => {\n  try { take(m) } catch (e) { log(e) }\n})\ntake(text)\n"),
				one("failures that are looked at", "a.js", "const fs = require('fs'), other = require('other')\nfs.readFile(a, (err, d) => {\n  if (err) return fail(err)\n  use(d.length)\n})\nfs.stat(a, (err, s) => {\n  if (s) use(s.size)\n  use(s && s.size, s?.size)\n})\nfs.readFile(a, (err, d) => {\n  if (!d) return\n  use(d.length)\n})\nfs.readFile(a, (err, d) => use(err, d.length))\nother.readFile(a, (err, d) => use(d.length))\nfs.readFile(a, (err, d) => {\n  if (err) console.log(err)\n  else use(d.length)\n})\n"),
				one("URLs that are parsed with care", "a.js", "const http = require('http'), url = require('url')\nhttp.createServer((req, res) => {\n  try { use(url.parse(req.url)) } catch (e) { res.end() }\n  use(url.parse('http://a' + req.url), url.parse(fixed))\n})\n"),
				one("URLs that a framework parses", "a.js", "const http = require('http'), url = require('url'), app = require('express')()\napp.use((req, res) => res.end(url.parse(req.url).path))\nhttp.createServer(app)\n"),
				one("URLs of a page", "a.js", "const url = require('url'), page = require('page')\npage.on('request', (req) => use(url.parse(req.url)))\n"),
				one("failures of its own functions", "a.js", "const db = require('db'), { exec } = require('child_process')\ndb.find(a, (err, rows) => {\n  if (err) return done(err)\n  done(err, rows.length)\n})\ndb.all(a, (err, rows) => {\n  rows = rows || []\n  done(err, rows.length)\n})\ndb.count((err, n) => done(err, n && n.count))\n"),
				one("results that a failure has too", "a.js", "const async = require('async'), { exec } = require('child_process')\nexec(a, (err, out, text) => {\n  log(out.length)\n  done(err)\n})\nasync.map(a, b, (err, all) => {\n  all.push(c)\n  done(err, all)\n})\n"),
				one("another error of the same name", "a.js", "const db = require('db')\ndb.find(a, (err, rows) => {\n  rows.forEach((r) => r.save((err) => done(err)))\n  try { b() } catch (err) { log(err) }\n})\n"),
				one("URLs that are decoded with care", "a.js", "const http = require('http')\nhttp.createServer((req, res) => {\n  try { use(decodeURIComponent(req.url)) } catch (e) { res.end() }\n  use(decodeURIComponent(fixed), new URL(fixed))\n})\nhttp.createServer(app)\n"),
				one("sockets and requests that are heard", "a.js", "const net = require('net'), http = require('http')\nnet.createServer((s) => { s.on('error', use) })\nnet.createServer((s) => { serve(s) })\nhttp.get(a, use).on('error', use)\nconst req = http.request(a)\nreq.once('error', use)\nconst other = http.get(a)\nfor (const e of ['error']) other.on(e, use)\nconst third = http.get(a)\nuse(third)\n"),
				one("tried", "a.js", "const http = require('http')\nreq.on('end', () => {\n  try { save(JSON.parse(body)) } catch (e) { fail(e) }\n})\n"),
				one("of its own process", "a.js", "const a = require('a')\nprocess.on('message', (m) => JSON.parse(m))\nclient.on('message', (m) => JSON.parse(m))\n"),
				one("handled", "a.js", "const fs = require('fs')\nconst serve = (req, res) => {\n  fs.createReadStream(page).on('error', next).pipe(res)\n}\nconst copy = (req, res) => fs.stat(p, () => fs.createReadStream(p).pipe(res))\n"),
			},
		},
		"healer/lost-promise": {
			Planted: []inspecttest.Case{
				one("around an async function", "a.js", "const f = () => new Promise(async (resolve, reject) => {\n  resolve(await load())\n})\n", "1 medium"),
				one("a condition", "a.js", "async function allowed(u) {\n  return (await load(u)).ok\n}\nfunction f(u) {\n  if (!allowed(u)) return\n  go(u)\n}\n", "5 high"),
				one("a condition of a method", "a.ts", "class A {\n  async allowed() { return true }\n  f() {\n    if (this.allowed()) go()\n  }\n}\n", "4 high"),
				one("a coroutine", "a.py", "async def save(x):\n    await put(x)\n\nasync def f(x):\n    save(x)\n", "5 high"),
				one("a coroutine of a method", "a.py", "class A:\n    async def save(self):\n        await put(self)\n\n    async def f(self):\n        self.save()\n", "6 high"),
			},
			Silent: []inspecttest.Case{
				one("promises that are kept", "a.js", "async function list() { return load() }\nasync function f() {\n  const all = list(), more = list(), third = list()\n  use(all)\n  third.then(use)\n  return (await more).map(use)\n}\n"),
				{Name: "also of a method that is not asynchronous", Files: map[string]string{"a.js": "class A {\n  async allNames(a) { return load(a) }\n}\nclass B {\n  allNames(a) { return a }\n}\n", "b.js": "async function f(a) {\n  const all = a.allNames(1)\n  for (const b of all) use(b)\n}\n"}},
				one("a promise with members of its own", "a.js", "async function f(db) {\n  use(await db.rooms.find({ a: 1 }))\n  const all = db.rooms.find({ a: 2 })\n  return all.map(use)\n}\n"),
				one("caught in it", "a.js", "const f = () => new Promise(async (resolve, reject) => {\n  try { resolve(await load()) } catch (e) { reject(e) }\n})\n"),
				one("what may never fail", "a.js", "const f = () => new Promise(async (resolve) => {\n  const u = await mapper.toUrl(a)\n  resolve(u)\n})\n"),
				one("nothing that fails", "a.js", "const f = () => new Promise(async (resolve) => {\n  resolve(1)\n})\n"),
				one("awaited", "a.js", "async function allowed(u) {\n  return true\n}\nasync function f(u) {\n  if (!(await allowed(u))) return\n}\n"),
				one("a namesake", "a.js", "async function allowed(u) {\n  return true\n}\nfunction f(allowed) {\n  if (allowed(1)) return\n}\n"),
				one("awaited in Python", "a.py", "async def save(x):\n    await put(x)\n\nasync def f(x):\n    await save(x)\n    asyncio.create_task(save(x))\n    other.save(x)\n"),
				one("decorated", "a.py", "@task\nasync def save(x):\n    await put(x)\n\ndef f(x):\n    save(x)\n"),
			},
		},
		"healer/double-answer": {
			Planted: []inspecttest.Case{
				inModule("without a return", "net/http", "func f(w http.ResponseWriter, r *http.Request) {\n\tx, err := load(r)\n\tif err != nil {\n\t\thttp.Error(w, err.Error(), 500)\n\t}\n\tshow(w, x)\n}\n", "8 high"),
				inModule("twice in one handler", "net/http", "func f(w http.ResponseWriter, r *http.Request) {\n\tx, err := load(r)\n\tif err != nil {\n\t\thttp.Error(w, err.Error(), 500)\n\t}\n\tshow(w, x)\n\tif err := save(x); err != nil {\n\t\thttp.Error(w, err.Error(), 500)\n\t}\n\tshow(w, x)\n}\n", "8 high"),
				one("in a branch", "a.js", "app.get('/', (req, res) => {\n  if (!req.query.a) {\n    res.status(400).send('a?')\n  }\n  res.json(load(req.query.a))\n})\n", "3 high"),
				one("another text to send", "a.js", "remove((err, files) => {\n  if (err) {\n    res.status(500).send(err)\n  }\n  if (other) return\n  res.status(200).send('')\n})\n", "3 high"),
				one("without a block", "a.ts", "async function f(req, res) {\n  const a = await load(req)\n  if (!a) res.sendStatus(404)\n  log(a)\n  return res.json(a)\n}\n", "3 high"),
				one("a callback with an error and then without one", "a.js", "function f(a, cb) {\n  load(a, (err, b) => {\n    if (err) {\n      log(err)\n      cb(err)\n    }\n    cb(null, b.c)\n  })\n}\n", "5 high"),
				one("an error that is handed on before an answer", "a.js", "app.get('/', (req, res, next) => {\n  load((err, a) => {\n    if (err) next(err)\n    res.json(a)\n  })\n})\n", "3 high"),
				one("a callback that is handed on", "a.js", "const f = (a, done) => load(a, (err, b) => {\n  if (err !== null) done(err)\n  const c = save(b, (e) => done(e))\n})\n", "2 high"),
			},
			Silent: []inspecttest.Case{
				inModule("with a return", "net/http", "func f(w http.ResponseWriter, r *http.Request) {\n\tx, err := load(r)\n\tif err != nil {\n\t\thttp.Error(w, err.Error(), 500)\n\t\treturn\n\t}\n\tshow(w, x)\n\tif err := save(x); err != nil {\n\t\thttp.Error(w, err.Error(), 500)\n\t}\n}\n"),
				inModule("nothing written behind it", "net/http", "func f(w http.ResponseWriter, r *http.Request) {\n\tx, err := load(r)\n\tif err != nil {\n\t\thttp.Error(w, err.Error(), 500)\n\t}\n\tlog(x)\n}\n"),
				one("one or the other", "a.js", "const f = (req, res) => {\n  if (!req.query.a) {\n    return res.status(400).send('a?')\n  }\n  if (b) res.send('b')\n  else res.json(1)\n}\n"),
				inModule("only without an error", "net/http", "func f(w http.ResponseWriter, r *http.Request) {\n\tx, err := load(r)\n\tif err != nil {\n\t\thttp.Error(w, err.Error(), 500)\n\t}\n\tif err == nil {\n\t\tshow(w, x)\n\t}\n}\n"),
				one("nothing to send", "a.js", "list((err, files) => {\n  if (err) {\n    res.status(500).send(err)\n  }\n  res.send(files)\n})\n"),
				one("callbacks that are called once", "a.js", "function f(a, cb) {\n  load(a, (err, b) => {\n    if (err) return cb(err)\n    cb(null, b)\n  })\n  load(a, (err, b) => {\n    if (err) cb(err)\n    else cb(null, b)\n  })\n  load(a, (err, b) => {\n    if (err) cb(err)\n    if (!err) cb(null, b)\n  })\n  load(a, (err, b) => {\n    if (err) cb(err)\n    save(b, (e, cb) => cb(e))\n  })\n  load(a, (err, b) => {\n    if (err) unknown(err)\n    unknown(b)\n  })\n}\n"),
				one("a callback that runs once", "a.js", "function f(a, cb) {\n  cb = once(cb)\n  load(a, (err, b) => {\n    if (err) cb(err)\n    cb(null, b)\n  })\n}\n"),
				one("an end without data", "a.js", "const f = (req, res) => {\n  if (!req.query.a) {\n    res.send('a?')\n  }\n  log(req)\n  res.end()\n}\n"),
				one("the same question again", "a.js", "const f = (req, res) => {\n  const a = find(req)\n  if (!a) {\n    res.send('a?')\n  }\n  if (!a) return\n  res.json(a)\n}\n"),
				one("a question whether it was sent", "a.js", "const f = (req, res) => {\n  if (!req.query.a) {\n    res.send('a?')\n  }\n  if (res.headersSent) return\n  res.json(1)\n}\n"),
				one("a return in between", "a.js", "const f = (req, res) => {\n  if (!req.query.a) {\n    res.send('a?')\n  }\n  return\n  res.json(1)\n}\n"),
			},
		},
		"healer/unfit-call": {
			Planted: []inspecttest.Case{
				one("too many", "a.py", "def f(a):\n    return a\n\nprint(f(1, 2))\n", "4 medium"),
				one("too few", "a.py", "def f(a, b, c=1, *, d=2):\n    return a\n\nprint(f(1, d=3))\n", "4 medium"),
				one("a word that it does not take", "a.py", "def f(a: int, b=2):\n    return a\n\nprint(f(1, size=2))\n", "4 medium"),
				one("of a program", "a.py", "def f(a, b):\n    return a\n\ndef main():\n    f(1)\n\nif __name__ == '__main__':\n    main()\n", "5 medium"),
				one("of a function that others call too", "a.py", "import a\n\ndef f(a, b):\n    return a\n\ndef g():\n    main()\n\ndef main():\n    f(1)\n\nif __name__ == '__main__':\n    main()\n", "10 medium"),
				one("of a method", "a.py", "class A:\n    def g(self, a):\n        return a\n\n    def b(self):\n        return self.g()\n", "6 medium"),
				{Name: "in the main block of a module that nothing names", Files: map[string]string{"p/__init__.py": "", "p/a.py": "def f(a):\n    return a\n\nif __name__ == '__main__':\n    f()\n"}, Want: []string{"p/a.py:5 medium candidate"}},
				one("in the main block of a program", "a.py", "def f(a):\n    return a\n\nif __name__ == '__main__':\n    f()\n", "5 medium"),
			},
			Silent: []inspecttest.Case{
				one("they fit", "a.py", "def f(a, b, c=1, *, d=2):\n    return a\n\nf(1, 2)\nf(1, \\\n  b=2, d=3)\nf(*x)\nf(1, **y)\ndef g(a): pass\ng(i for i in x)\ng(1)\n"),
				one("any number", "a.py", "def f(a, *b, **c):\n    return a\n\nf(1, 2, 3, d=4)\n"),
				one("replaced later", "a.py", "class A:\n    def g(self, a):\n        return a\n    g = wrap(g)\n\n    def h(self):\n        return self.g()\n"),
				one("another class around it", "a.py", "class A:\n    def g(self, a):\n        return a\n\nclass B(A):\n    def g(self):\n        return self.g()\n"),
				one("with a decorator, and static", "a.py", "@fixed\ndef f(a):\n    return a\n\nf()\nclass A:\n    @staticmethod\n    def g(a):\n        return a\n\n    def h(self):\n        return self.g(1)\n"),
				one("for others to define", "a.py", "class A:\n    def g(self):\n        raise NotImplementedError\n\n    def h(self):\n        return self.g(1)\n"),
				one("for others to define, with a reason", "a.py", "class A:\n    def g(self):\n        \"\"\"Others define it.\"\"\"\n        pass\n\n    def h(self):\n        return self.g(1)\n"),
				one("of another name in a function", "a.py", "def f(a):\n    return a\n\ndef g(f):\n    return f()\n"),
			},
		},
		"healer/removed-name": removedFacts,
		"healer/wrong-condition": {
			Planted: []inspecttest.Case{
				one("a text after or", "a.py", "def f(a):\n    if a == 'b' or 'c':\n        return 1\n", "2 medium"),
				one("a text after or in a script", "a.js", "function f(a) {\n  if (a === 'b' || 'c') return 1\n}\n", "2 medium"),
				one("a branch again", "a.py", "def f(a):\n    if a == 1:\n        return 1\n    elif a == 2:\n        return 2\n    elif a == 1:\n        return 3\n", "6 medium"),
				one("a branch again in a script", "a.js", "function f(a) {\n  if (a === 1) return 1\n  else if (a === 2) return 2\n  else if (a === 1) return 3\n}\n", "4 medium"),
				one("a text thrown away", "a.py", "def f(a):\n    a.replace('b', '')\n    return a\n", "2 medium"),
				one("a text thrown away in a script", "a.js", "function f(a) {\n  a.replace(/b/g, '')\n  return a\n}\n", "2 medium"),
				one("in an example", "examples/a.py", "def f(a):\n    a.strip()\n", "2 medium candidate"),
				one("a type is a question again", "a.js", "function f(a) {\n  if (Array.isArray(a)) return 1\n  else if (Array.isArray(a)) return 2\n}\n", "3 medium"),
				one("an error with a format", "a.js", "function f(a) {\n  throw new Error('no %s', a)\n}\n", "2 medium"),
				one("a text with two values", "a.js", "function f(a) {\n  throw new TypeError('no ', a, '.')\n}\n", "2 medium"),
				one("other quotes", "a.js", "function f(a) {\n  throw new Error('no ${a.name}')\n}\n", "2 medium"),
				one("waits for nothing", "a.js", "async function f(a) {\n  await a.forEach(async (b) => { await b() })\n}\n", "2 medium"),
				one("a word as letters", "a.py", "def f(a):\n    return a.lstrip('tool_')\n", "2 medium"),
				one("a word before white space", "a.py", "def f(a):\n    return a.lstrip('Name:').strip().split()\n", "2 medium candidate"),
				one("a word as letters behind a separator", "a.py", "def f(a):\n    return a.rstrip('tool_dir')\n", "2 medium candidate"),
				one("a word as letters after its test", "a.py", "def f(a):\n    if a.startswith('tool-'):\n        return a.lstrip('tool-')\n", "3 medium"),
				one("a word before JSON", "a.py", "import json\ndef f(a):\n    return json.loads(a.lstrip('JSON:'))\n", "3 medium candidate"),
				one("a word before JSON with a letter of it", "a.py", "import json\ndef f(a):\n    return json.loads(a.lstrip('data:'))\n", "3 medium"),
				one("an end as letters", "a.py", "def f(a):\n    return a.rstrip('.gmn')\n", "2 medium"),
				one("flags as a number", "a.py", "import re\n\ndef f(a):\n    return re.split('a', a, re.M)\n", "4 medium"),
				one("flags as a number of replacements", "a.py", "import re\n\ndef f(a):\n    return re.sub('a', 'b', a, re.M | re.I)\n", "4 medium"),
				one("too few values of a tuple", "a.py", "def f(a):\n    return '%s %d %%' % (a,)\n", "2 medium"),
				one("too many values of a tuple", "a.py", "def f(a):\n    return '%s $d' % (a, a)\n", "2 medium"),
				one("a handler behind a wider one", "a.py", "def f(a):\n    try:\n        a()\n    except OSError:\n        pass\n    except FileNotFoundError as e:\n        use(e)\n", "6 medium"),
				one("no place for one", "a.py", "import logging\nlog = logging.getLogger()\nlog.error('failed', e)\n", "3 medium"),
				one("one too few", "a.py", "import logging\nlogging.info('%s of %d', a)\n", "2 medium"),
				one("a test for null after a read", "a.js", "function f(a) {\n  const b = a.name || ''\n  if (!a) throw new Error('none')\n  return b\n}\n", "3 medium"),
				one("a test for null after a condition", "a.js", "const f = (m) => {\n  const a = JSON.parse(m)\n  if (a.id === own) { return }\n  if (!a || a.old) { return }\n  use(a)\n}\n", "4 medium"),
				one("a test for null after two reads", "a.js", "function f(a) {\n  const b = a.name\n  const c = a.age\n  if (!a) throw new Error('none')\n  if (!a) return b\n  return c\n}\n", "4 medium"),
				one("a test for undefined after a text was cut", "a.js", "module.exports = function (a) {\n  use(a.trim())\n  log()\n  if (a === undefined) { return null }\n}\n", "4 medium"),
				one("a test for None after a read", "a.py", "def f(a):\n    b = a.name\n    if a is None:\n        raise ValueError('none')\n    return b\n", "3 medium"),
				one("a test for None in a loop", "a.py", "def f(all):\n    for a in all:\n        print(a['b'])\n        if a is None or not a:\n            continue\n        use(a)\n", "4 medium"),
				one("of an object", "a.py", "import logging\nclass A:\n    def f(self):\n        self.logger.warning('a', self)\n", "4 medium"),
			},
			Silent: []inspecttest.Case{
				one("a test for null that is there twice", "a.js", "function f(a) {\n  if (!a) return b()\n  const b = a.name\n  if (!a) return c()\n  return b\n}\n"),
				one("a value or another", "a.py", "def f(a):\n    b = a == 'b' or 'c'\n    if a or 'c':\n        return b\n"),
				one("an exception", "a.py", "def f(a):\n    try:\n        a()\n    except (KeyError, ValueError):\n        raise NotImplementedError\n    assert a, ('b', 'c')\n"),
				one("a branch that calls", "a.py", "def f(a):\n    if a():\n        return 1\n    elif a():\n        return 2\n    if a.b:\n        return 3\n    if a.b:\n        return 4\n"),
				one("a branch again that does the same", "a.py", "def f(a):\n    if a == 1:\n        b = 1\n    elif a == 2:\n        b = 2\n    elif a == 1:\n        b = 1\n    return b\n"),
				one("branches in branches", "a.js", "function f(a) {\n  if (a === 1) { if (a === 2) return 1 } else if (a === 2) return 2\n  switch (a) { case 1: switch (a) { case 1: return 3 } }\n}\n"),
				one("a result that is used, and other types", "a.py", "import os\ndef f(a, w):\n    a = a.replace('b', '')\n    os.replace('a', 'b')\n    a.replace('b')\n    w.lower()\n    return a.strip()\n"),
				one("called for what it does", "a.js", "function f(a, b) {\n  a.replace(/b/g, () => b.push(1))\n  b.replace('c', f)\n  b.trim()\n}\n"),
				one("scripts that mean it", "a.js", "function f(a, b, c) {\n  while (a = b.next()) if ((c = 1) && a.indexOf(b) > -1 || !a.indexOf(b)) f(typeof a === b)\n  const d = 'e' && b || '' + a || c, e = a ? 'x' + b : c || []\n  if (a !== a || !a === b || a.length > 0) throw new Error('100% of', { cause: e })\n  setTimeout(f(), 1)\n  console.log('a ${b} ' + d, `a ${b}`)\n  a.filter((x) => { throw x })\n  return a.filter(function (error, y) { b(y) }) + b.map((x) => { x() })\n}\n"),
				one("templates of another language", "a.js", "function f(a, b) {\n  log('${a}'.replace('${a}', a))\n  write('${a}')\n  console.log('${HOME}')\n}\n"),
				one("an argument that says nothing", "a.js", "const f = (a) => { throw new Error('no ' + a, 'error') }\n"),
				one("a cursor waits", "a.js", "async function f(a) {\n  await a.find().forEach(async (b) => { await b() })\n}\n"),
				one("types and the own value", "a.js", "function f(a, b) {\n  return typeof a === 'undefined' || typeof a === typeof b || !(a in b) || a !== a\n}\n"),
				one("letters", "a.py", "def f(a, c):\n    b = a.lstrip('abc'), a.rstrip('\\r\\n'), a.strip('/home/'), c in ('abcdef'), a in ('help',), a in 'help'\n    return b\n"),
				one("fitting texts", "a.py", "def f(a):\n    b = '%s %s' % (a, \\\n        a)\n    c = '{}'.format(a \\\n        )\n    raise E('no %s' % a, '{} {{}}'.format(a), '{0} {0} {a}'.format(a, a=1), '%s' % a, '%(a)s' % (a,), '%*d' % (1, 2), '%s %s' % (*a,))\n"),
				one("handlers in order", "a.py", "def f(a):\n    try:\n        a()\n    except FileNotFoundError:\n        pass\n    except OSError:\n        pass\n    except (OSError, KeyError):\n        pass\n    except Exception:\n        pass\n"),
				one("a method of an own object", "a.py", "def f(a):\n    a.strip(outfile=1)\n    b = 1\n    re.split('a', a, 1)\n    re.sub('a', 'b', a, flags=re.M)\n    return b\n"),
				one("tests in time", "a.js", "function f(a, b) {\n  const c = a && a.d, e = a ? a.d : b?.d\n  if (a) { use(a.d) }\n  try { use(a.d) } catch (x) { log(x) }\n  g(() => a.d)\n  if (!a) { return }\n  if (a.d) { a = a.next }\n  if (!a) { return }\n  return c + e\n}\n"),
				one("tests of texts, and of results that are not null", "a.js", "function f(a, b) {\n  use(a.length, b.toString())\n  if (!a) { return }\n  if (!b) { return }\n}\nfunction g(a) {\n  use(a.b)\n  if (!a) { log() }\n  if (a.c) { return }\n}\n"),
				one("tests of what others set", "a.js", "let a\nfunction f() {\n  a.close()\n  if (!a) { return }\n}\nfunction g(b) {\n  b.stop(() => { b = null })\n  if (!b) { return }\n}\n"),
				one("tests of what is read only sometimes", "a.py", "def f(a, b):\n    c = a.d if a else None\n    e = a and a.d\n    if b and a.d:\n        g()\n    with h():\n        a.d()\n    if a is None:\n        return c, e\n    a.d()\n    a = a.next\n    if a is None:\n        return\n    b.d()\n    if not b:\n        return\n"),
				one("another logger", "a.py", "import logging\nself.journal.info('a', b)\n"),
				one("another style", "a.py", "import logging\nlogging.info('{}', a)\n"),
				one("they fit", "a.py", "import logging\nlogging.info('%s of %d, 5%%, %.f', a, b, c, exc_info=True)\nlogging.info('%(a)s', {'a': 1})\nlogging.info('%s')\nlogging.info('%s', a\\\n    )\nlogging.info('a', *b)\nlogging.info('%*d', 3, b)\nlogging.info(f'{a}', b)\n"),
				one("a style of their own", "a.py", "import logging\nlog = StyleAdapter(logging.getLogger())\nlog.info('{}', a)\n"),
			},
		},
		"healer/defined-twice": {
			Planted: []inspecttest.Case{
				one("a method", "a.py", "class A:\n    def f(self):\n        return 1\n\n    def f(self, a):\n        return a\n", "5 medium"),
				one("a function", "a.py", "def f():\n    return 1\n\ndef f(a):\n    return a\n", "4 medium"),
				one("a function that says later that it is not there", "a.py", "def f(a):\n    use(a)\n    raise NotImplementedError\n\ndef f(a):\n    return a\n", "5 medium"),
				one("a function that is replaced by nothing", "a.py", "def f(a):\n    return a\n\ndef f(a):\n    pass\n", "4 medium"),
				one("a method of a script", "a.js", "class A {\n  f() { return 1 }\n  f() { return 2 }\n}\n", "3 medium"),
			},
			Silent: []inspecttest.Case{
				one("of a property", "a.py", "class A:\n    @property\n    def f(self):\n        return 1\n\n    @f.setter\n    def f(self, a):\n        self.a = a\n"),
				one("with other spaces", "a.py", "def f(a):\n    b = a\n\n    return b\n\ndef f(a):\n    b = a\n    return b\n"),
				one("with another name of a parameter", "a.py", "def f(index):\n    return g(index)\n\ndef f(at):\n    return g(at)\n"),
				one("used before", "a.py", "def f():\n    return 1\n\nuse(f)\n\ndef f(a):\n    return a\n"),
				one("in branches", "a.py", "if x:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n"),
				one("the same value", "a.py", "x = {'a': 1, 'a': 1}\n"),
				one("of nothing", "a.py", "class A:\n    def f(self):\n        \"\"\"Do it.\"\"\"\n        raise NotImplementedError()  # by subclasses\n\n    def f(self):\n        return 1\n\n    def g(self): ...\n\n    def g(self):\n        return 1\n\n    def h(self):\n        pass\n\n    def h(self):\n        return 1\n"),
				one("to read and to set", "a.ts", "class A {\n  get f() { return 1 }\n  set f(a) { this.a = a }\n  static f() {}\n  g(a: number): void\n  g(a: string): void\n  g(a: any) { use(a) }\n}\n"),
			},
		},
		"healer/removed-api": {
			Planted: []inspecttest.Case{
				one("a function", "a.js", "const util = require('util')\nutil.log('a')\n", "2 medium"),
				one("a function of all supported versions", "a.mjs", "import { createCipher as c } from 'node:crypto'\nexport const d = (k) => c('aes192', k)\n", "2 high"),
				one("of a module without a name", "a.js", "const dir = require('os').tmpDir()\nmodule.exports = dir\n", "1 high"),
				one("taken out of a module", "a.js", "var u = require('util'), { isDate } = u, { isRegExp } = require('util')\nmodule.exports = (a) => isDate(a) || isRegExp(a)\n", "2 medium"),
				one("no callback", "a.js", "const fs = require('fs')\nif (a) fs.unlink(b)\n", "2 high"),
				one("options and no callback", "a.js", "const fs = require('fs')\nawait0(fs.writeFile(a, b, { mode: 0o600 }))\nfunction await0() {}\n", "2 high"),
				one("the number of a process as data", "a.js", "const fs = require('fs')\nfs.writeFileSync(a, process.pid)\n", "2 high"),
				one("a time as data", "a.mjs", "import { appendFile } from 'fs'\nappendFile(a, (Date.now()), b)\n", "2 high"),
				one("the number of a child as data", "a.js", "const child = require('child_process').spawn(b)\nrequire('fs').writeFile(a, child.pid, c)\n", "2 high"),
				one("the old global object", "a.js", "require('a')\nGLOBAL.b = 1\n", "2 high"),
				{Name: "new versions too", Files: map[string]string{"a.js": "require('util').log('a')\n", "package.json": `{"engines": {"node": "18.x || >= 20"}}`}, Want: []string{"a.js:1 medium"}},
				one("in an example", "examples/a.js", "require('util').log('a')\n", "1 medium candidate"),
			},
			Silent: []inspecttest.Case{
				one("asked for", "a.js", "const util = require('util')\nconst f = util.isDate || g\nmodule.exports = (a) => util.isDate(a)\n"),
				one("by another name", "a.js", "const os = require('os')\nmodule.exports = os.tmpdir ? os.tmpdir() : os.tmpDir()\n"),
				one("tried", "a.js", "try { require('util').log('a') } catch (e) { console.log('a') }\n"),
				one("of another module", "a.js", "const util = require('./util'), fs = require('fs').promises\nutil.log('a')\nfs.unlink(a)\n"),
				one("a name for two things", "a.js", "const util = require('util')\nfunction f(util) { util.log('a') }\n"),
				one("a bundle", "a.js", "(function (require, module) {\n  const util = require('util')\n  util.log('a')\n})(r, m)\n"),
				one("with all arguments", "a.js", "const fs = require('fs'), crypto = require('crypto')\nfs.unlink(a, b)\nfs.mkdir(a, b)\nfs.stat(...a)\nfs.rmdirSync(a)\ncrypto.pbkdf2Sync(a, b, 1, 20, 'sha1')\ncrypto.pbkdf2(a, b, 1, 20, c)\n"),
				one("numbers as texts", "a.js", "const fs = require('fs')\nfs.writeFileSync(a, process.pid + '')\nfs.writeFile(a, String(process.pid), b)\nfs.appendFileSync(a, `${Date.now()}`)\nfs.writeSync(1, 2)\n"),
				one("numbers for a module of its own", "a.js", "const fs = require('./fs')\nfs.writeFileSync(a, process.pid)\n"),
				one("numbers that are tried", "a.js", "const fs = require('fs')\ntry { fs.writeFileSync(a, process.pid) } catch (e) { log(e) }\n"),
				one("still there", "a.js", "const util = require('util')\nmodule.exports = util.isArray(util._extend({}, {}))\n"),
			},
		},
	})
}

// TestRemovedMembersAreReplaced asserts that a patch replaces a removed member by its counterpart, under the name
// that the file has given to the module, and that there is no patch if the counterpart takes other arguments.
func TestRemovedMembersAreReplaced(t *testing.T) {
	for text, want := range map[string]string{
		"const o = require('os')\nuse(o.tmpDir())\n":              "use(o.tmpdir())",
		"const util = require('util')\nutil.log('a')\n":           "console.log('a')",
		"const { log } = require('util')\nlog('a')\n":             "console.log('a')",
		"const { isDate } = require('util')\nuse(isDate(a))\n":    "",
		"const util = require('util')\nuse(util.isFunction(a))\n": "",
	} {
		if got := inspecttest.Patches(t, Checks(), "healer/removed-api", map[string]string{"a.js": text}); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}

// many returns lines that differ in their number.
func many(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

func TestHostileFiles(t *testing.T) {
	files := map[string]string{"go.mod": "module m\n\ngo 1.20\n"}
	for i, text := range []string{
		strings.Repeat("new Promise(async () => {", 20_000), strings.Repeat("async def a():\n a()\n", 20_000), strings.Repeat("if (a()) {", 50_000),
		strings.Repeat("log.info('%s', ", 20_000), strings.Repeat("a.pipe(res);JSON.parse(b);", 20_000), strings.Repeat("x ", 100_000),
		many(12_000, "var http%d = require('http');\n"), many(9_000, "const xx%d = a.promised(1)\n"), many(20_000, "name%d = other%[1]d;\n"),
		strings.Repeat("require('http').createServer(f);function f(a){};", 6_000), strings.Repeat("if (err) cb(err)\na(b)\n", 9_000),
	} {
		for _, ext := range []string{"js", "py", "go"} {
			files[fmt.Sprintf("src/a%d.%s", i, ext)] = "import logging\n// require(\"ws\") async createReadStream(\n" + text
		}
	}
	files["b.go"] = "package p\n\nfunc f() {\n" + strings.Repeat("\ta.Lock()\n\tif err != nil {\n\t\treturn\n\t}\n", 3_000) + "}\n"
	files["c.go"] = "package p\n\nfunc f() {\n" + strings.Repeat("for a := range b {\ngo func() {\n", 1_000) + strings.Repeat("}()\n}\n", 1_000) + "}\n"
	files["ends.md"] = strings.Repeat(ourMark, 50_000)
	files["quotes.py"] = strings.Repeat(`"""`, 300_000)
	c := inspecttest.Case{Files: files}
	inspecttest.Endure(t, c.Repo(), Checks())
}
