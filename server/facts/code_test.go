package facts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentdungeon/server/inspect"
	scouts "agentdungeon/server/inspect/heroes"
	"agentdungeon/server/inspect/inspecttest"
)

const token = "ghp_" + "wX4vT9qLm2Rz8KpB6nYc" + "J3sDfG7hQaE5uV1o"

// shop is a repository that has something to answer for each tool about code.
var shop = map[string]string{
	"go.mod":            "module example.org/shop\n",
	"main.go":           "package main\n\nimport \"example.org/shop/till\"\n\nfunc main() { till.Sum(\"" + token + "\") }\n",
	"till/till.go":      "package till\n\nfunc Sum(s string) {}\n",
	"till/till_test.go": "package till\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) { Sum(\"x\") }\n",
	"web/app.py": "from flask import request\nimport os\n\n\ndef show():\n    os.system(\"ls \" + request.args[\"dir\"])\n\n\n" +
		"import sys\n\n\ndef tool():\n    os.system(\"ls \" + sys.argv[1])\n",
	"web/test_app.py": "from flask import request\nimport os\n\n\ndef test_show():\n    os.system(\"ls \" + request.args[\"dir\"])\n",
	"web/a.ts":        "export function run() {}\nexport class A { go() {} }\nexport class B { go() {} }\n",
	"web/c.ts":        "export class C { go() {} }\nexport class D { go() {} }\n",
	"old.php":         "<?php\n",
	"far/run.py":      "import os\n\n\ndef run(text):\n    os.popen(text)\n",
	"near/ask.py":     "from django.http import HttpRequest\nfrom far.run import run\n\n\ndef ask(request):\n    run(\"ls \" + request.GET[\"dir\"])\n",
	"data.bin":        "\x00",
}

// furnished returns a house whose folder has these files.
func furnished(files map[string]string) *house {
	h, _ := newHouse()
	fsys := fstest.MapFS{}
	var entries []inspect.Entry
	for p, text := range files {
		fsys[p] = &fstest.MapFile{Data: []byte(text)}
		entries = append(entries, inspect.Entry{Path: p, Size: int64(len(text))})
	}
	h.repo, h.checks = inspect.New("shop", fsys, entries, nil, time.Now()), scouts.Checks()
	return h
}

// The tools about code quote the lines that they name, say how sure each is, and mask secrets (P17.13).
func TestCodeTools_P17_13(t *testing.T) {
	h := furnished(shop)
	f := h.facts()
	for _, c := range []struct {
		tool  string
		args  map[string]any
		wants []string
	}{
		{"importers", map[string]any{"path": "/repo-worktree/till/till.go"}, []string{`"references":[{"confidence":"high","file":"main.go","how":"imports","line":3,"quote":"import \"example.org/shop/till\""}]`}},
		{"importers", map[string]any{"path": "till"}, []string{`"file":"main.go"`}},
		{"importers", map[string]any{"path": "flask", "limit": 1}, []string{`"file":"web/app.py","how":"imports","line":1`, `"leftOut":1`}},
		{"importers", map[string]any{"path": "nobody"}, []string{`"references":[]`}},
		{"callers", map[string]any{"name": "Sum"}, []string{`"functions":[{"file":"till/till.go","line":3,"quote":"func Sum(s string) {}"}]`,
			`"in":"main","line":5,"quote":"func main() { till.Sum(\"[secret: `, `"how":"calls","in":"TestSum","line":5`}},
		{"callers", map[string]any{"name": "run", "path": "web"}, []string{`"references":[]`}},
		{"tests_of", map[string]any{"path": "till/till.go"}, []string{`"confidence":"high","file":"till/till_test.go","how":"names","line":5`}},
		{"tests_of", map[string]any{"path": "till/till.go", "name": "Sum"}, []string{`"references":[{"confidence":"high","file":"till/till_test.go"`}},
		{"tests_of", map[string]any{"path": "web/app.py"}, []string{`"because":"only its name says so"`, `"confidence":"medium"`}},
		{"flows_to", map[string]any{"into": "command-injection"}, []string{
			`"flows":[{"confidence":"high","cwe":[78],"into":"command-injection","severity":"critical"`,
			`{"file":"web/app.py","line":6,"note":"reaches os.system","quote":"os.system(\"ls \" + request.args[\"dir\"])"}`,
			`"below":"only suspected: a person who starts a program can usually run other programs too"`, `"below":"only suspected: it is in a test"`}},
		{"flows_to", map[string]any{"path": "web/test_app.py"}, []string{`"flows":[{"below":"only suspected`, `"file":"web/test_app.py","line":6`}},
		{"flows_to", map[string]any{"path": "far"}, []string{`{"file":"near/ask.py","line":6`, `{"file":"far/run.py","line":5`}},
		{"flows_to", map[string]any{"path": "near/ask.py"}, []string{`{"file":"far/run.py","line":5`}},
		{"flows_to", map[string]any{"into": "ssrf"}, []string{`"flows":[]`}},
		{"unread", nil, []string{`"language":"PHP"`, `"unknown":true`, `"language":"Go","parsed":3`, `"files":[]`}},
		{"history", map[string]any{"path": "main.go"}, []string{`"unknown":["There is no git history here."]`}},
	} {
		text := said(t, f, c.tool, c.args)
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s %v: no %s in %s", c.tool, c.args, want, text)
			}
		}
		if strings.Contains(text, token) {
			t.Errorf("%s %v tells a secret", c.tool, c.args)
		}
	}
}

// said returns the answer of a tool as it is written, or the sentence of its error.
func said(t *testing.T, f *Facts, tool string, args map[string]any) string {
	t.Helper()
	answer, err := connect(t, f).CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return answer.Content[0].(*mcp.TextContent).Text
}

// If a tool about code cannot answer, its error is a sentence that says why.
func TestCodeToolsRefuse_P17_13(t *testing.T) {
	h := furnished(shop)
	f := h.facts()
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"importers", map[string]any{"path": " "}, "path must name"},
		{"importers", map[string]any{"path": "old.php"}, "none of these"},
		{"callers", map[string]any{"name": "nothing"}, `no function, method or class in Go, JavaScript, TypeScript or Python is named "nothing"`},
		{"callers", map[string]any{"name": "Sum", "path": "gone.go"}, `no file "gone.go"`},
		{"callers", map[string]any{"name": "go"}, "several functions are named \"go\"; give path, or the name with its type: A.go (web/a.ts:2), B.go (web/a.ts:3), C.go"},
		{"tests_of", map[string]any{"path": "till"}, "not a folder"},
		{"tests_of", map[string]any{"path": "old.php"}, "none of these"},
		{"tests_of", map[string]any{"path": "../main.go"}, "no file"},
		{"history", map[string]any{"path": "gone"}, "no file"},
		{"history", map[string]any{"path": "main.go", "from": 3, "to": 2}, "lines of the file"},
		{"flows_to", map[string]any{"into": "harm"}, "into"},
		{"flows_to", map[string]any{"path": "gone"}, "no file"},
		{"unread", map[string]any{"limit": 101}, "limit"},
	} {
		if failed := said(t, f, c.tool, c.args); !strings.Contains(failed, c.want) {
			t.Errorf("%s %v: %q", c.tool, c.args, failed)
		}
	}
	h.list.Realms[0].Path = ""
	for _, tool := range []string{"importers", "tests_of", "history", "flows_to", "unread"} {
		if failed := said(t, f, tool, map[string]any{"path": "main.go"}); tool != "unread" && !strings.Contains(failed, "no folder is linked") {
			t.Errorf("%s: %s", tool, failed)
		}
	}
	h.list.Realms[0].Path, h.repo = "/repo", nil
	if failed := said(t, f, "unread", nil); strings.Contains(failed, "secret") || !strings.Contains(failed, "log says why") {
		t.Error(failed)
	}
}

// past is a history in which two people wrote the lines of each file.
type past struct{ *inspecttest.History }

func (past) Blame(_ context.Context, _ string, line int) (inspect.Author, error) {
	at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	switch {
	case line <= 2:
		return inspect.Author{Name: "Grace", At: at}, nil
	case line == 4:
		return inspect.Author{}, errors.New("not committed yet")
	}
	return inspect.Author{Name: fmt.Sprint("Ada ", line%2), At: at}, nil
}

// history tells who wrote which lines of a file, and which files of a folder changed last, within the limits of an
// answer.
func TestHistory(t *testing.T) {
	h := furnished(map[string]string{"a.go": "package a\n\nvar x, y = 1,\n\t2\nvar z int\n", "b/b.go": "package b\n", "long.txt": strings.Repeat("x\n", 3_000)})
	at := func(day int) inspect.Past {
		d := time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)
		return inspect.Past{Commits: day, Authors: 2, First: d, Last: d}
	}
	h.repo.History = past{&inspecttest.History{Count: 60, Files: map[string]inspect.Past{"a.go": at(2), "b/b.go": at(5), "long.txt": at(1)}}}
	f := h.facts()
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"path": "a.go"}, `"lines":[{"at":"2026-03-02","by":"Grace","from":1,"to":2},{"at":"2026-03-02","by":"Ada 1","from":3,"to":3},{"at":"2026-03-02","by":"Ada 1","from":5,"to":5}],"linesWithoutAuthor":1`},
		{map[string]any{"path": "a.go", "from": 2, "to": 2}, `"history":{"authors":2,"commits":2,"first":"2026-03-02","last":"2026-03-02"}`},
		{map[string]any{"path": "a.go", "from": 2, "to": 3}, `"lines":[{"at":"2026-03-02","by":"Grace","from":2,"to":2},{"at":"2026-03-02","by":"Ada 1","from":3,"to":3}]`},
		{map[string]any{"limit": 2}, `"files":[{"commits":5,"file":"b/b.go","last":"2026-03-05"},{"commits":2,"file":"a.go","last":"2026-03-02"}],"folder":"/repo","leftOut":1`},
		{map[string]any{"path": "b"}, `"files":[{"commits":5,"file":"b/b.go","last":"2026-03-05"}],"folder"`},
	} {
		if text := said(t, f, "history", c.args); !strings.Contains(text, c.want) {
			t.Errorf("%v: %s\nwant %s", c.args, text, c.want)
		}
	}
	long, _ := use[historyOut](t, f, "history", map[string]any{"path": "long.txt"})
	if shown := len(long.Lines); shown != maxItems || long.Lines[0].By != "Grace" || long.LeftOut < 1_000 {
		t.Errorf("%d runs, %d left out", shown, long.LeftOut)
	}
}

// api_diff compares the exported names with the newest version tag, or with the revision that is named. If it cannot
// compare them, its error says why.
func TestAPIDiff(t *testing.T) {
	now := map[string]string{"go.mod": "module example.org/shop\n", "till/till.go": "package till\n\nfunc Sum(s string, n int) {}\n\nfunc New() {}\n"}
	was := map[string]string{"go.mod": "module example.org/shop\n", "till/till.go": "package till\n\nfunc Sum(s string) {}\n\nfunc Old() {}\n"}
	h := furnished(now)
	h.repo.History = &inspecttest.History{TagName: "v0.3.0", Tagged: was}
	f := h.facts()
	f.cfg.Base = func(_ context.Context, r *inspect.Repo, rev string) error {
		if rev != "main" {
			return errors.New("there is no such revision")
		}
		r.Base = &inspect.Base{Rev: rev, Commit: "0123456789abcdef", Read: func(p string) ([]byte, bool) {
			return []byte(strings.Replace(was[p], "func Old", "func Elder", 1)), was[p] != ""
		}}
		return nil
	}
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{nil, `"against":"v0.3.0","changes":[{"breaks":"callers","change":"func Old is gone","file":"till/till.go","line":0,"package":"example.org/shop/till"},{"breaks":"callers","change":"func Sum was`},
		{map[string]any{"since": "main"}, `"against":"main (0123456789)","changes":[{"breaks":"callers","change":"func Elder is gone"`},
		{map[string]any{"path": "web"}, `"changes":[]`},
		{map[string]any{"limit": 1}, `"leftOut":1`},
		{map[string]any{"since": "gone"}, `since "gone" cannot be compared with: there is no such revision`},
	} {
		if text := said(t, f, "api_diff", c.args); !strings.Contains(text, c.want) {
			t.Errorf("%v: %s\nwant %s", c.args, text, c.want)
		}
	}
	if h.repo.Base != nil {
		t.Error("a question changes the view that others share")
	}
	for want, history := range map[string]*inspecttest.History{"there is no version tag": {}, "there is no git history": nil} {
		h.repo.History = nil
		if history != nil {
			h.repo.History = history
		}
		if text := said(t, f, "api_diff", nil); !strings.Contains(text, want) {
			t.Errorf("%s, want %s", text, want)
		}
	}
	if text := said(t, furnished(map[string]string{"a.py": ""}).facts(), "api_diff", nil); !strings.Contains(text, "no go.mod") {
		t.Error(text)
	}
}
