package scout

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/server/realm"
	"agentdungeon/shared/world"
)

// told is a history that knows one file.
type told struct{ *past }

func (told) Blame(_ context.Context, path string, line int) (inspect.Author, error) {
	if path != "src/a.go" || line > 2 {
		return inspect.Author{}, errors.New("not committed yet")
	}
	return inspect.Author{Name: "Grace", At: time.Date(2026, 3, line, 0, 0, 0, 0, time.UTC)}, nil
}

func (told) Past(path string) (inspect.Past, bool) {
	return inspect.Past{Commits: 3, Authors: 2, First: now.AddDate(-1, 0, 0)}, path == "src/a.go"
}

func TestAsk(t *testing.T) {
	s := &shelf{files: map[string]string{
		"go.mod": "module example.org/x\n", "src/a.go": "package src\n\n// Do it.\nfunc Do() {}\n",
		"cmd/main.go": "package main\n\nimport \"example.org/x/src\"\n\nfunc main() { src.Do() }\n",
		"web/util.ts": "export const one = 1\n", "web/app.ts": "import { one } from './util'\n", "py/__init__.py": "", "py/tool.py": "import py.other\n", "py/other.py": "",
	}}
	findings := []world.Finding{
		{ID: "s-1", AgentID: "sentinel", Check: "sentinel/bad", Severity: "high", Title: "The word bad stands here", Path: "src/a.go", Line: 3, Evidence: "// bad", Why: "It is bad."},
		{ID: "s-2", AgentID: "healer", Check: "healer/ugly", Severity: "low", Title: "Another thing", Path: "web/app.ts", Line: 1},
	}
	for _, c := range []struct {
		question string
		says     []string
		git      bool
	}{
		{"who changed src/a.go last?", []string{"line 2, by Grace on 2 March 2026", "3 commits by 2 people", "2 lines stand in no commit"}, true},
		{"Who wrote a.go:1", []string{"src/a.go:1 was last changed by Grace on 1 March 2026"}, true},
		{"who changed src/a.go:4?", []string{"not committed yet"}, true},
		{"who changed it?", []string{"Name the file"}, true},
		{"who changed src/a.go", []string{"no git history"}, false},
		{"what imports src/a.go", []string{"1 import of src/a.go: cmd/main.go:3"}, false},
		{"what imports example.org/x/src?", []string{"cmd/main.go:3"}, false},
		{"who uses web/util.ts?", []string{"web/app.ts:1"}, false},
		{"what imports py.other", []string{"py/tool.py:1"}, false},
		{"what imports nothing/here", []string{"find no import of nothing/here"}, false},
		{"why is this high?", []string{"The word bad stands here (src/a.go:3) is high", "The rule: always high", "What stands there: // bad"}, false},
		{"why is web/app.ts low?", []string{"Another thing"}, false},
		{"where is Do defined?", []string{"Do is defined at src/a.go:4"}, false},
		{"where is nothingness?", []string{"no definition"}, false},
		{"what is wrong in src/a.go?", []string{"1 finding: The word bad stands here"}, false},
		{"what did you find, any issues?", []string{"1 finding"}, false},
		{"what is the meaning of life?", []string{"That is beyond me"}, false},
		{"", []string{"That is beyond me"}, false},
		{strings.Repeat("who changed ", 2000), []string{"."}, false},
	} {
		s.past, s.history = nil, nil
		if c.git {
			s.history = told{&past{head: "abcdef1"}}
		}
		scouts := New(s, checks(), "1")
		req := turn("sentinel", "", 0)
		req.RequestID, req.Findings = "q1", findings
		said := ""
		asker := scouts.Driver(review1, req.Role).(realm.Asker)
		if err := asker.Ask(t.Context(), req, c.question, func(c realm.Chunk) error { said += c.Text; return nil }); err != nil {
			t.Errorf("%q: %v", c.question, err)
		}
		for _, want := range c.says {
			if !strings.Contains(said, want) {
				t.Errorf("%.60q is answered %q, not %q", c.question, said, want)
			}
		}
		if err := scouts.Close(); err != nil {
			t.Error(err)
		}
		if len(scouts.reviews) != 0 {
			t.Error("a view is left")
		}
	}
	if s.opened != s.closed {
		t.Errorf("%d opened, %d closed", s.opened, s.closed)
	}
}
