package flows

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

// one returns a case of one file.
func one(name, path, text string, want ...string) inspecttest.Case {
	for i := range want {
		want[i] = path + ":" + want[i]
	}
	return inspecttest.Case{Name: name, Files: map[string]string{path: text}, Want: want}
}

// goHandler returns a Go file with a handler of net/http whose statements are given.
func goHandler(imports, body string) string {
	var b strings.Builder
	b.WriteString("package a\n\nimport (\n\t\"net/http\"\n")
	for p := range strings.FieldsSeq(imports) {
		fmt.Fprintf(&b, "\t%q\n", p)
	}
	return b.String() + ")\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n" + body + "\n}\n"
}

// ginRoute returns a Go file with a handler of gin that opens the file that a part of its path names.
func ginRoute(part string) string {
	return fmt.Sprintf("package a\n\nimport (\n\t\"os\"\n\n\t\"github.com/gin-gonic/gin\"\n)\n\nfunc serve(g *gin.Engine) {\n\tg.GET(\"/a/%s\", func(c *gin.Context) { os.ReadFile(\"data/\" + c.Param(\"name\")) })\n}\n", part)
}

func flask(imports, body string) string {
	return "from flask import Flask, request, render_template_string\n" + imports + "\napp = Flask(__name__)\n\n@app.route('/')\ndef serve():\n    x = request.args.get('x')\n    " + body + "\n"
}

func express(imports, body string) string {
	return "const app = require('express')()\n" + imports + "\napp.get('/', (req, res) => {\n  const x = req.query.x\n  " + body + "\n})\n"
}

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks("sentinel"), map[string]inspecttest.Facts{
		"sentinel/sql-injection": {
			Planted: []inspecttest.Case{
				one("Go", "a.go", goHandler("database/sql", "\tvar db *sql.DB\n\tdb.Query(\"SELECT a FROM b WHERE c = '\" + r.FormValue(\"c\") + \"'\")"), "10 high"),
				one("Python", "a.py", flask("import sqlite3", "sqlite3.connect('a').execute(f\"SELECT a FROM b WHERE c = '{x}'\")"), "8 high"),
				one("JavaScript", "a.js", express("const db = require('mysql').createPool({})", "db.query(`SELECT a FROM b WHERE c = '${x}'`)"), "5 high"),
			},
			Silent: []inspecttest.Case{
				one("a placeholder", "a.go", goHandler("database/sql", "\tvar db *sql.DB\n\tdb.Query(\"SELECT a FROM b WHERE c = ?\", r.FormValue(\"c\"))")),
				one("a number", "a.py", flask("import sqlite3", "sqlite3.connect('a').execute('SELECT a FROM b WHERE c = %s' % int(x))")),
				one("a fixed list", "a.js", express("const db = require('mysql').createPool({})", "if (!['a', 'b'].includes(x)) return\n  db.query(`SELECT a FROM b ORDER BY ${x}`)")),
			},
		},
		"sentinel/command-injection": {
			Planted: []inspecttest.Case{
				one("a program without an extension", "bin/a", "#!/usr/bin/python3\n"+flask("import os", "os.system('ls ' + x)"), "9 critical"),
				one("Go", "a.go", goHandler("os/exec", "\texec.Command(\"sh\", \"-c\", \"ls \" + r.FormValue(\"c\")).Run()"), "9 critical"),
				one("Python", "a.py", flask("import os", "os.system('ls ' + x)"), "8 critical"),
				one("JavaScript", "a.js", express("const { exec } = require('child_process')", "exec('ls ' + x)"), "5 critical"),
				one("the operator's word", "a.go", "package main\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\nfunc main() { exec.Command(\"sh\", \"-c\", \"ls \" + os.Args[1]).Run() }\n", "8 low candidate"),
			},
			Silent: []inspecttest.Case{
				one("no shell", "a.go", goHandler("os/exec", "\texec.Command(\"ls\", r.FormValue(\"c\")).Run()")),
				one("quoted", "a.py", flask("import os, shlex", "os.system('ls ' + shlex.quote(x))")),
				one("another exec", "a.js", express("const exec = (x) => x", "exec('ls ' + x)\n  /a/.exec('ls ' + x)")),
				one("the operator's program", "a.go", "package main\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\nfunc main() { exec.Command(os.Getenv(\"EDITOR\"), \"a\").Run() }\n"),
			},
		},
		"sentinel/path-traversal": {
			Planted: []inspecttest.Case{
				one("Go", "a.go", goHandler("os path/filepath", "\tos.Open(filepath.Join(\"data\", r.FormValue(\"c\")))"), "10 high"),
				one("Python", "a.py", flask("", "open('data/' + x)"), "8 high"),
				one("JavaScript", "a.js", express("const fs = require('fs')", "fs.readFileSync('data/' + x)"), "5 high"),
				one("tested by a function of others", "a.js", express("const fs = require('fs'), paths = require('paths')", "if (paths.existsUpPath(x)) return res.end()\n  fs.readFileSync('data/' + x)"), "6 high candidate"),
				one("tested before a part of it is taken", "a.js", express("const fs = require('fs'), paths = require('paths')", "if (paths.existsUpPath(req.path)) return res.end()\n  const y = req.path.substring(3)\n  fs.readFileSync('data/' + y)"), "7 high candidate"),
				one("without separators, and without characters by number", "a.js", express("const fs = require('fs')", "fs.readFileSync('data/_' + x.replace(/[\\u001e:\\/\\\\]+/g, ''))"), "5 high candidate"),
				one("dots that were resolved", "a.js", express("const path = require('path')", "res.sendFile(path.join(__dirname, x))"), "5 high"),
				one("anywhere in the path", "a.js", express("const fs = require('fs'), path = require('path')", "const p = path.resolve('/data/' + x)\n  if (p.indexOf('/data/') !== 0) fs.readFile(p, done)"), "6 high"),
				one("a flag of something else", "a.js", express("const fs = require('fs')", "let known = false\n  if (x === 'a' || y) known = true\n  if (known) fs.readFile('data/' + x, done)"), "7 high"),
				one("a download", "a.js", express("", "res.download('data/' + x)"), "5 high"),
				one("a whole path", "a.js", express("", "res.sendFile(x)"), "5 high"),
				one("a pattern with a separator", "a.js", express("const fs = require('fs')", "if (!/^[\\w/.]+$/.test(x)) return\n  fs.readFileSync('data/' + x)"), "6 high candidate"),
				one("an end only", "a.js", express("const fs = require('fs')", "if (!/[\\w-]+$/.test(x)) return\n  fs.readFileSync('data/' + x)"), "6 high candidate"),
				one("lines", "a.js", express("const fs = require('fs')", "if (!/^\\w+$/m.test(x)) return\n  fs.readFileSync('data/' + x)"), "6 high candidate"),
				one("dots without a separator", "a.js", express("const fs = require('fs')", "if (!/^[\\w.]+$/.test(x)) return\n  fs.readFileSync('data/' + x)"), "6 high candidate"),
				one("an extension added", "a.js", express("const fs = require('fs'), path = require('path')", "fs.readFileSync(path.join('data', `${x}.md`))"), "5 medium"),
				one("an extension added at last", "a.py", flask("", "p = 'data/' + x\n    p += '.json'\n    open(p)"), "10 medium"),
				one("an extension added in Go", "a.go", goHandler("os path/filepath", "\tos.Open(filepath.Join(\"data\", r.FormValue(\"c\")+\".json\"))"), "10 medium"),
				one("an extension added sometimes", "a.js", express("const fs = require('fs')", "let p = 'data/' + x\n  if (!fs.existsSync(p)) p += '.md'\n  fs.readFile(p, done)"), "7 high"),
				one("an extension added and taken away", "a.js", express("const fs = require('fs')", "const p = 'data/' + x + '.md'\n  fs.readFile(p.slice(0, -3), done)"), "6 high"),
				one("an extension in the middle", "a.js", express("const fs = require('fs')", "fs.readFile('data.md/' + x, done)"), "5 high"),
				one("an extension of a folder", "a.js", express("const fs = require('fs')", "fs.readFile(x + '.d/' + y, done)"), "5 high"),
				one("no extension at the end", "a.js", express("const fs = require('fs')", "fs.readFile('data/' + x + '/config', done)"), "5 high"),
				one("an extension demanded", "a.js", express("const fs = require('fs')", "if (!x.endsWith('.md')) return res.end()\n  fs.readFile('data/' + x, done)"), "6 medium"),
				one("an extension demanded and taken away", "a.py", flask("", "if not x.endswith('.md'):\n        return\n    open('data/' + x[:-3])"), "10 high"),
				one("an extension refused", "a.py", flask("", "if x.endswith('.md'):\n        return\n    open('data/' + x)"), "10 high"),
				one("separators replaced", "a.js", express("const fs = require('fs')", "fs.readFile('data/' + x.replace(/\\//g, '-'), done)"), "5 high candidate"),
				one("the first separator replaced", "a.js", express("const fs = require('fs')", "fs.readFile('data/' + x.replace(/\\//, '-'), done)"), "5 high"),
				one("separators taken out", "a.py", flask("", "open('data/' + x.replace('/', ''))"), "8 high candidate"),
				one("relative to a folder", "a.js", express("const fs = require('fs'), path = require('path')", "fs.readFileSync(path.join('data', path.relative('/', x)))"), "5 high candidate"),
				one("the first replaced only", "a.js", express("const fs = require('fs')", "fs.readFileSync('data/' + x.replace(/[^a-z]/, '_'))"), "5 high"),
				one("a match of the beginning", "a.py", flask("import re", "if not re.match('[a-z]+', x):\n        return\n    open('data/' + x)"), "10 high candidate"),
				one("a route that lets separators through", "a.js", "const app = require('express')()\nconst fs = require('fs')\napp.get('/q/:id(.+)', (req, res) => fs.readFileSync('data/' + req.params.id))\n", "3 high"),
				one("groups that let encoded separators through", "a.js", "const app = require('express')()\nconst fs = require('fs')\napp.get(/^\\/a\\/([^\\/\\\\]+)$/, (req, res) => fs.readFileSync('data/' + req.params[0]))\n", "3 high"),
				one("another group of the expression", "a.js", "const app = require('express')()\nconst fs = require('fs')\napp.get(/^\\/(\\w+)\\/(.*)$/, (req, res) => fs.readFileSync('data/' + req.params[1]))\n", "3 high"),
				one("dots alone in a group", "a.js", "const app = require('express')()\nconst fs = require('fs')\napp.get(/^\\/([\\w.]+)$/, (req, res) => fs.readFileSync('data/' + req.params[0]))\n", "3 high candidate"),
				one("a pattern of Django", "a.py", "from django.urls import re_path\n\n\ndef show(request, name):\n    open('data/' + name)\n\n\nurls = [re_path(r'^a/(?P<name>.+)$', show)]\n", "5 high"),
				one("the rest of a path", "a.go", ginRoute("*name"), "10 high"),
				one("a segment of a path", "a.go", ginRoute(":name"), "10 high candidate"),
				one("another route without the pattern", "a.js", "const app = require('express')()\nconst fs = require('fs')\nconst page = (req, res) => fs.readFileSync('data/' + req.params.id)\napp.get('/p/:id(\\\\d+)', page)\napp.get('/q/:id', page)\n", "3 high"),
			},
			Silent: []inspecttest.Case{
				one("the base name", "a.go", goHandler("os path/filepath", "\tos.Open(filepath.Join(\"data\", filepath.Base(r.FormValue(\"c\"))))")),
				one("below the folder", "a.py", flask("import os", "p = os.path.realpath('/data/' + x)\n    if not p.startswith('/data/'):\n        return\n    open(p)")),
				one("a path that the router cleans", "a.go", goHandler("os github.com/gorilla/mux", "\tos.Open(\"data/\" + mux.Vars(r)[\"name\"])")),
				one("dots that are refused", "a.js", express("", "res.sendFile(__dirname + '/static/' + x)")),
				one("below the folder by a search", "a.js", express("const fs = require('fs'), path = require('path')", "const p = path.resolve('/data/' + x)\n  if (p.indexOf('/data/') === 0) fs.readFile(p, done)")),
				one("a flag of a test", "a.js", express("const fs = require('fs')", "let known = false\n  if (x === 'a') known = true\n  if (known) fs.readFile('data/' + x, done)")),
				one("a flag of a test of each", "a.js", express("const fs = require('fs')", "let known = false\n  names.some((n) => {\n    if (n.file === x) {\n      known = true\n      return true\n    }\n    return false\n  })\n  if (known) fs.readFile('data/' + x, done)")),
				one("a root", "a.js", express("", "res.sendFile(x, { root: '/data' })")),
				one("refused by the way from the folder", "a.js", express("const fs = require('fs'), path = require('path')", "const p = path.resolve(root + x)\n  const way = path.relative(root, p)\n  if (way !== '' && (way.startsWith('..') || path.isAbsolute(way))) return res.end()\n  fs.stat(p, () => fs.readFile(p, done))")),
				one("a pattern without a separator", "a.js", express("const fs = require('fs')", "if (!/^[\\w-]+$/.test(x)) return\n  fs.readFileSync('data/' + x)")),
				one("what a pattern matches", "a.js", express("const fs = require('fs')", "const m = x.match(/^(\\d+)-[a-z]{1,9}$/i)\n  if (m) fs.readFileSync('data/' + m[1])")),
				one("separators replaced", "a.js", express("const fs = require('fs')", "fs.readFileSync('data/' + x.replace(/[^a-z\\d]/gi, '_'))")),
				one("refused by a class", "a.js", express("const fs = require('fs')", "if (/[^a-z]/.test(x)) return\n  fs.readFileSync('data/' + x)")),
				one("the pattern of a route", "a.js", "const app = require('express')()\nconst fs = require('fs')\nconst page = (req, res) => fs.readFileSync('data/' + req.params.id)\napp.get('/p/:id(\\\\d+-\\\\d+)', page)\napp.get('/q/:id([a-f]+)/:n', (req, res) => fs.readFileSync('data/' + req.params.id))\n"),
				one("the groups of a route", "a.js", "const app = require('express')()\nconst fs = require('fs')\napp.get(/^\\/theme\\/(\\w+\\.\\w+)(?<part>-[a-z]+)?$/, (req, res) => fs.readFileSync('data/' + req.params[0] + req.params.part))\n"),
				one("a segment of Django", "a.py", "from django.urls import re_path\n\n\ndef show(request, name):\n    open('data/' + name)\n\n\nurls = [re_path(r'^a/(?P<name>[\\w-]+[.]txt)$', show)]\n"),
				one("a full match", "a.py", flask("import re", "if not re.fullmatch('[a-z]+[.]txt', x):\n        return\n    open('data/' + x)")),
				one("a match to the end", "a.py", flask("import re\nNAME = re.compile('\\\\w{1,40}$')", "if not NAME.match(x):\n        return\n    open('data/' + x)")),
				one("a pattern of Go", "a.go", "package a\n\nimport (\n\t\"net/http\"\n\t\"os\"\n\t\"regexp\"\n)\n\nvar name = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)\n\nfunc serve(w http.ResponseWriter, r *http.Request) {\n\tx := r.FormValue(\"x\")\n\tif !name.MatchString(x) {\n\t\treturn\n\t}\n\tos.Open(\"data/\" + x)\n}\n"),
			},
		},
		"sentinel/ssrf": {
			Planted: []inspecttest.Case{
				one("a request that may be sent", "a.go", "package a\n\nimport \"net/http\"\n\nfunc encode(r *http.Request) {\n\thttp.Get(\"http://\" + r.URL.Query().Get(\"b\"))\n}\n", "6 high candidate"),
				{Name: "a request that may be sent, and that a test makes", Files: map[string]string{"a.go": "package a\n\nimport \"net/http\"\n\nfunc encode(r *http.Request) {\n\thttp.Get(\"http://\" + r.URL.Query().Get(\"b\"))\n}\n", "a_test.go": "package a\n\nimport \"net/http\"\n\nfunc check() {\n\tr := &http.Request{}\n\tencode(r)\n}\n"}, Want: []string{"a.go:6 high candidate"}},
				one("a request that a client is about to send", "a.go", "package a\n\nimport \"net/http\"\n\nfunc follow(c *http.Client) {\n\tto := \"\"\n\tc.CheckRedirect = func(r *http.Request, via []*http.Request) error {\n\t\tto = r.URL.String()\n\t\treturn nil\n\t}\n\thttp.Get(to)\n}\n", "11 high candidate"),
				one("the request of a handler that another function reads", "a.go", goHandler("", "\tencode(r)")+"\nfunc encode(r *http.Request) {\n\thttp.Get(\"http://\" + r.URL.Query().Get(\"b\"))\n}\n", "12 high"),
				one("Go", "a.go", goHandler("", "\thttp.Get(r.FormValue(\"c\"))"), "8 high"),
				one("Python", "a.py", flask("import requests", "requests.get('http://' + x)"), "8 high"),
				one("JavaScript", "a.js", express("", "fetch(x)"), "5 high"),
			},
			Silent: []inspecttest.Case{
				one("a path of a fixed host", "a.go", goHandler("", "\thttp.Get(\"https://a.example.com/\" + r.FormValue(\"c\"))")),
				one("a queue", "a.py", flask("import queue\nrequests = queue.Queue()", "requests.put(x)")),
				one("an own fetch", "a.js", express("const fetch = (x) => x", "fetch(x)")),
			},
		},
		"sentinel/code-injection": {
			Planted: []inspecttest.Case{
				one("Python", "a.py", flask("", "eval(x)"), "8 critical"),
				one("JavaScript", "a.js", express("", "eval(x)"), "5 critical"),
				{Name: "what an earlier request stored", Files: map[string]string{"a.js": "const client = require('redis').createClient()\nexports.get = (id, fn) => {\n  client.hgetall('job:' + id, function (err, hash) {\n    if (err) return fn(err)\n    const text = 'x = ' + hash.backoff\n    eval(text)\n  })\n}\n", "b.js": "exports.add = (req, res) => res.json(store(req.body))\n"}, Want: []string{"a.js:6 high candidate"}},
				one("what nobody sends", "a.js", "const client = require('redis').createClient()\nexports.get = async (id) => {\n  const hash = await client.hgetall(id)\n  return eval('(' + hash.a + ')')\n}\n", "4 high candidate"),
				one("a function of text", "a.js", express("", "new Function('a', 'return ' + x)"), "5 critical"),
			},
			Silent: []inspecttest.Case{
				one("a method", "a.py", flask("import torch\nmodel = torch.load('a')", "model.eval(x)")),
				one("a constant", "a.js", express("", "eval('1 + 1')")),
				one("JSON", "a.js", express("", "JSON.parse(x)")),
				one("a number that was stored", "a.js", "const client = require('redis').createClient()\nexports.get = (req, res) => client.hgetall(req.body, (err, hash) => eval('x = ' + Number(hash.a)))\n"),
			},
		},
		"sentinel/template-injection": {
			Planted: []inspecttest.Case{
				one("Go", "a.go", goHandler("text/template", "\ttemplate.New(\"a\").Parse(r.FormValue(\"c\"))"), "9 high"),
				one("Python", "a.py", flask("", "render_template_string('Hello ' + x)"), "8 high"),
				one("escaped for HTML", "a.py", flask("from markupsafe import escape", "render_template_string('Hello ' + escape(x))"), "8 high"),
				one("JavaScript", "a.js", express("const ejs = require('ejs')", "ejs.render('Hello ' + x)"), "5 high"),
			},
			Silent: []inspecttest.Case{
				one("a variable of it", "a.py", flask("", "render_template_string('Hello {{ x }}', x=x)")),
				one("of a file", "a.py", flask("from flask import render_template", "render_template('hello.html', x=x)")),
				one("data", "a.js", express("const ejs = require('ejs')", "ejs.render('Hello <%= x %>', { x })")),
			},
		},
		"sentinel/unsafe-deserialization": {
			Planted: []inspecttest.Case{
				one("a pickle", "a.py", flask("import pickle", "pickle.loads(request.data)"), "8 critical"),
				one("YAML", "a.py", flask("import yaml", "yaml.load(x, Loader=yaml.Loader)"), "8 critical"),
				one("JavaScript", "a.js", express("const s = require('node-serialize')", "s.unserialize(req.cookies.profile)"), "5 critical"),
			},
			Silent: []inspecttest.Case{
				one("the own file", "a.py", flask("import pickle", "pickle.load(open('cache', 'rb'))")),
				one("a safe loader", "a.py", flask("import yaml", "yaml.load(x, Loader=yaml.SafeLoader)")),
				one("JSON", "a.py", flask("import json", "json.loads(request.data)")),
			},
		},
	})
}

// found returns the findings of all checks in a case, and the errors of the checks.
func found(t *testing.T, c inspecttest.Case) (out []inspect.Finding, left []string) {
	t.Helper()
	r := c.Repo()
	for _, check := range Checks("sentinel") {
		res := inspect.Run(t.Context(), r, &check)
		out = append(out, res.Findings...)
		if res.Err != nil {
			left = append(left, res.Err.Error())
		}
	}
	return out, left
}

// layered is an application whose flow goes through three files.
var layered = map[string]string{
	"app.js":    "const app = require('express')()\nconst { search } = require('./search')\napp.get('/', (req, res) => {\n  const name = req.query.name\n  res.json(search(name))\n})\n",
	"search.js": "const db = require('./db')\nexports.search = (name) => {\n  const where = \"name = '\" + name + \"'\"\n  return db.find(where)\n}\n",
	"db.js":     "const { Pool } = require('pg')\nconst pool = new Pool()\nexports.find = (where) =>\n  pool.query('SELECT a FROM b WHERE ' + where)\n",
}

func TestAFindingShowsItsWay(t *testing.T) {
	list, _ := found(t, inspecttest.Case{Files: layered})
	if len(list) != 1 {
		t.Fatalf("%d findings, want one: %+v", len(list), list)
	}
	var way []string
	for _, s := range list[0].Steps {
		way = append(way, fmt.Sprintf("%s:%d", s.Path, s.Line))
		if line := strings.Split(layered[s.Path], "\n")[s.Line-1]; strings.TrimSpace(line) != s.Quote {
			t.Errorf("%s:%d is quoted as %q, the file has %q", s.Path, s.Line, s.Quote, line)
		}
	}
	if want := []string{"app.js:4", "app.js:5", "search.js:3", "search.js:4", "db.js:4"}; !slices.Equal(way, want) {
		t.Errorf("the way is %q, want %q", way, want)
	}
	if f := list[0]; !strings.HasPrefix(f.Evidence, "pool.query(") {
		t.Errorf("the evidence is %q", f.Evidence)
	}
	if f := list[0]; !strings.HasPrefix(f.Title, "SQL injection: the query of a request reaches ") {
		t.Errorf("the title is %q", f.Title)
	}
}

// TestEachPathThroughAHelperIsFound asserts that two functions which pass a text to one helper are two findings, each at
// the line that passes it on, and that two which use a helper that builds the text are one finding that lists both.
func TestEachPathThroughAHelperIsFound(t *testing.T) {
	handler := func(name, body string) string {
		return "package a\n\nimport \"net/http\"\n\nfunc " + name + "(w http.ResponseWriter, r *http.Request) {\n\tx := r.FormValue(\"x\")\n\t" + body + "\n}\n"
	}
	const helper = "package a\n\nimport \"database/sql\"\n\nvar db *sql.DB\n\nfunc q(s string) { db.Query(s) }\n\nfunc find(x string) { db.Query(\"SELECT a FROM b WHERE c = '\" + x + \"'\") }\n"
	const module = "const db = require('better-sqlite3')()\nexports.all = (sql) => db.prepare(sql).all()\nexports.find = (x) => db.prepare(`SELECT a FROM b WHERE c = '${x}'`).all()\n"
	route := func(name, body string) string {
		return "const { all, find } = require('./db')\nconst app = require('express')()\napp.get('/" + name + "', (req, res) => {\n  const x = req.query.x\n  res.json(" + body + ")\n})\n"
	}
	sql := "\"SELECT a FROM b WHERE c = '\" + x + \"'\""
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"Go passes":          {map[string]string{"db.go": helper, "a.go": handler("a", "q("+sql+")"), "b.go": handler("b", "q("+sql+")")}, []string{"a.go:7", "b.go:7"}},
		"Go builds":          {map[string]string{"db.go": helper, "a.go": handler("a", "find(x)"), "b.go": handler("b", "find(x)")}, []string{"db.go:9 b.go:6"}},
		"JavaScript passes":  {map[string]string{"db.js": module, "a.js": route("a", "all("+sql+")"), "b.js": route("b", "all("+sql+")")}, []string{"a.js:5", "b.js:5"}},
		"JavaScript builds":  {map[string]string{"db.js": module, "a.js": route("a", "find(x)"), "b.js": route("b", "find(x)")}, []string{"db.js:3 b.js:4"}},
		"twins in one file":  {map[string]string{"db.js": module, "a.js": route("a", "all("+sql+")") + strings.SplitAfterN(route("b", "all("+sql+")"), "\n", 3)[2]}, []string{"a.js:5", "a.js:9"}},
		"a text that begins": {map[string]string{"db.js": module, "a.js": route("a", "find('%' + x)")}, []string{"db.js:3"}},
	} {
		list, _ := found(t, inspecttest.Case{Files: c.files})
		var got []string
		for _, f := range list {
			also := ""
			if _, places, ok := strings.Cut(f.Evidence, "\nAlso at "); ok {
				also = " " + places
			}
			got = append(got, fmt.Sprintf("%s:%d%s", f.Path, f.Line, also))
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}

// TestTheTextOnAPathIdentifiesAFlow asserts that a flow keeps its ID if it moves, and gets another one if the text of a
// line on its path, its source or its function changes.
func TestTheTextOnAPathIdentifiesAFlow(t *testing.T) {
	id := func(text string) string {
		list, _ := found(t, one("", "a.py", text))
		if len(list) != 1 {
			t.Fatalf("%d findings in %s", len(list), text)
		}
		return list[0].ID()
	}
	text := flask("import os", "y = 'ls ' + x\n    os.system(y)")
	if id(text) != id("\n\n"+text) {
		t.Error("the ID depends on the line")
	}
	for _, change := range [][2]string{{"'ls '", "'rm -r '"}, {"args", "form"}, {"serve()", "remove()"}, {"os.system(y)", "os.popen(y)"}} {
		if id(text) == id(strings.Replace(text, change[0], change[1], 1)) {
			t.Errorf("the ID is the same with %s in place of %s", change[1], change[0])
		}
	}
}

// TestNamesOfPartsDropNoFlow asserts that each part of a request is text, whatever its name, and that the length of a
// text and the size of a set or of an uploaded file are numbers.
func TestNamesOfPartsDropNoFlow(t *testing.T) {
	for body, want := range map[string]int{
		"eval('f(' + req.query.size)":                        1,
		"eval('f(' + req.query['size'])":                     1,
		"eval('f(' + req.body.size)":                         1,
		"eval('f(' + req.params.size)":                       1,
		"eval('f(' + req.cookies.length)":                    1,
		"eval('f(' + req.headers.size)":                      1,
		"const { size } = req.query; eval('f(' + size)":      1,
		"const { length: n } = req.body; eval('f(' + n)":     1,
		"const q = req.query; eval('f(' + q.length)":         1,
		"eval('f(' + req.body.image.size)":                   1,
		"eval('f(' + JSON.parse(req.body.image).size)":       1,
		"eval('f(' + req.files.path.originalname)":           1,
		"eval('f(' + req.query.name.length)":                 0,
		"eval('f(' + x.length)":                              0,
		"eval('f(' + req.url.length)":                        0,
		"eval('f(' + req.files.a.size)":                      0,
		"eval('f(' + req.files.a.path)":                      0,
		"const s = new Set(); s.add(x); eval('f(' + s.size)": 0,
	} {
		list, _ := found(t, one("", "a.js", express("", body)))
		if len(list) != want {
			t.Errorf("%s: %d findings, want %d", body, len(list), want)
		}
	}
	nest := func(decorator string) string {
		return "import { Controller, Get, Query, ParseIntPipe } from '@nestjs/common'\n@Controller()\nexport class A {\n  @Get()\n  a(@Query(" + decorator + ") x: string) {\n    eval(x)\n  }\n}\n"
	}
	for parameter, want := range map[string]int{"x: str = Query(description='a date')": 1, "x: int | str": 1, "x: int = 0": 0, "x: Literal['a'] = 'a'": 0, "x: str = Query(pattern='^a$')": 0} {
		text := "from typing import Literal\nfrom fastapi import FastAPI, Query\napp = FastAPI()\n\n@app.get('/')\ndef a(" + parameter + "):\n    eval(f'f({x})')\n"
		if list, _ := found(t, one("", "a.py", text)); len(list) != want {
			t.Errorf("%s: %d findings, want %d", parameter, len(list), want)
		}
	}
	for decorator, want := range map[string]int{"'toParse'": 1, "'x'": 1, "'x', ParseIntPipe": 0} {
		if list, _ := found(t, one("", "a.ts", nest(decorator))); len(list) != want {
			t.Errorf("@Query(%s): %d findings, want %d", decorator, len(list), want)
		}
	}
}

// TestTestsAreDoubted asserts that a flow in a test or an example is reported with less confidence.
func TestTestsAreDoubted(t *testing.T) {
	text := flask("import os", "os.system('ls ' + x)")
	list, _ := found(t, inspecttest.Case{Files: map[string]string{"app.py": text, "tests/app.py": text, "examples/app.py": text}})
	got := map[string]string{}
	for _, f := range list {
		got[f.Path] = f.Confidence
	}
	want := map[string]string{"app.py": inspect.Sure, "tests/app.py": inspect.Doubtful, "examples/app.py": inspect.Doubtful}
	if !maps.Equal(got, want) {
		t.Errorf("the confidence is %v, want %v", got, want)
	}
}

// TestANameMakesLessSure asserts that a flow is still reported, but as a candidate (only suspected), if the value goes
// through a function whose name says that it checks or cleans, through a test with a pattern that is unknown or that
// need not match the whole value, or through a type that nothing enforces.
func TestANameMakesLessSure(t *testing.T) {
	cases := map[string]struct{ imports, body, want string }{
		"nothing":           {"import os", "os.system(x)", inspect.Sure},
		"an unknown check":  {"import os\nfrom checks import is_valid", "if not is_valid(x):\n        return\n    os.system(x)", inspect.Doubtful},
		"an unknown regex":  {"import os\nfrom checks import WORD", "if not WORD.match(x):\n        return\n    os.system(x)", inspect.Doubtful},
		"an own cleaner":    {"import os\ndef sanitize(a):\n    return a.replace(';', '')", "os.system(sanitize(x))", inspect.Doubtful},
		"a type":            {"import os\ndef run(a: int):\n    os.system(f'ls {a}')", "run(x)", inspect.Doubtful},
		"another function":  {"import os\ndef loud(a):\n    return a.upper()", "os.system(loud(x))", inspect.Sure},
		"a partial pattern": {"import os, re", "if not re.search('[a-z]', x):\n        return\n    os.system(x)", inspect.Doubtful},
	}
	for name, c := range cases {
		list, _ := found(t, one(name, "a.py", flask(c.imports, c.body)))
		if len(list) != 1 || list[0].Confidence != c.want {
			t.Errorf("%s: %+v, want one finding that is %s", name, list, c.want)
		}
	}
}

// TestResultsAreTheSame asserts that a repository has one result, in one order.
func TestResultsAreTheSame(t *testing.T) {
	files := maps.Clone(layered)
	for i := range 20 {
		files[fmt.Sprintf("p%d/a.py", i)] = flask("import os", "os.system('ls ' + x)\n    y = {'a': x, 'b': request.form['b'], 'c': request.cookies['c']}\n    os.system(str(y))")
		files[fmt.Sprintf("g%d/a.go", i)] = goHandler("os/exec", "\tm := map[string]string{\"a\": r.FormValue(\"a\"), \"b\": r.Host, \"c\": r.UserAgent()}\n\tfor _, v := range m {\n\t\texec.Command(v).Run()\n\t}")
	}
	var first string
	for i := range 5 {
		list, _ := found(t, inspecttest.Case{Files: files})
		if got := fmt.Sprintf("%+v", list); i == 0 {
			first = got
		} else if got != first {
			t.Fatalf("two runs differ:\n%s\n%s", first, got)
		}
	}
}

// TestEveryTypeIsLowered asserts that declarations without flows cause no errors.
func TestEveryTypeIsLowered(t *testing.T) {
	text := goHandler("os", "\tos.Open(r.FormValue(\"x\"))") + "\ntype (\n\ta struct {\n\t\terror\n\t\t*b\n\t}\n\tb struct{ c[int] }\n" +
		"\tc[T any] []T\n\td func(a) (b, error)\n\te interface{ f() }\n)\n\nfunc (*a) g()\n\nfunc (c[T]) h(T, ...int) (x, y int) { return }\n\nvar i, j = 1, 2\n"
	if list, left := found(t, one("types", "a.go", text)); len(list) != 1 || len(left) > 0 {
		t.Errorf("found %+v, left %q", list, left)
	}
}

func TestHostileFiles(t *testing.T) {
	nest := func(a, b string, n int) string { return strings.Repeat(a, n) + "x" + strings.Repeat(b, n) }
	c := inspecttest.Case{Files: map[string]string{
		"deep.py":   flask("import os", "os.system("+nest("(\n", ")\n", 3000)+")"),
		"long.py":   flask("import os", "os.system("+strings.Repeat("x + ", 20_000)+"x)"),
		"many.py":   flask("import os", strings.Repeat("x = x + x\n    ", 40_000)+"os.system(x)"),
		"deep.js":   express("", strings.Repeat("if (x) {\n", 2000)+"eval(x)"+strings.Repeat("}\n", 2000)),
		"calls.js":  express(calls("function f%d(x) { f%d(x); f%d(x); f%d(x) }\n", 30), "f0(x)"),
		"nested.js": express("", "fetch("+nest("(a =>\n", ")\n", 400)+")"),
		"broken.ts": "app.get('/', (req, res) => { eval(req.query.x\n" + strings.Repeat("{(", 5000),
		"deep.go":   goHandler("os/exec", "\tx := r.FormValue(\"x\")\n\texec.Command("+nest("(", ")", 1000)+")"),
		"calls.go":  goHandler("", "\tf0(r.FormValue(\"x\"))") + calls("func f%d(x string) { f%d(x); f%d(x); f%d(x) }\n", 30),
		"bare.py":   flask("import re", "re.match(); re.fullmatch(); x.match(); x.startswith(); [].index(); open(); eval()"),
		"bare.js":   express("", "x.match(); x.startsWith(); /a/.test(); [].includes(); new Set().has(); eval(); fetch()"),
		"bare.go":   goHandler("strings slices", "\tstrings.HasPrefix()\n\tslices.Contains()\n\tr.FormValue()"),
		"loop.go":   goHandler("", "\tg(r.FormValue(\"x\"))") + "\nfunc g(x string) { h(x) }\n\nfunc h(x string) { g(x) }\n",
	}}
	_, left := found(t, c)
	if len(left) == 0 || slices.ContainsFunc(left, func(why string) bool { return strings.Contains(why, "failed") }) {
		t.Fatalf("nothing was left out, or a check failed: %q", left)
	}
	for _, want := range []string{"in Go are nested too deeply", "in JavaScript are nested too deeply", "too large", "too dense"} {
		if !strings.Contains(left[0], want) {
			t.Errorf("%q does not say what is %s", left[0], want)
		}
	}
}

// calls returns functions each of which calls the next ones three times.
func calls(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i, i+1, i+2, i+3)
	}
	return b.String()
}
