package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// told is a history with one file.
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
		"go.mod": "module example.org/x\n", "src/a.go": "// Package src is the source.\npackage src\n\nfunc Do() {}\n",
		"cmd/main.go": "package main\n\nimport \"example.org/x/src\"\n\nfunc main() { src.Do() }\n",
		"web/util.ts": "export const one = 1\n", "web/app.ts": "import { one } from './util'\n", "admin/admin.go": "package admin\n\n// bad\nvar DefaultAdminListen = \"localhost:2019\"\n\nconst (\n\tmaxRetries = 3\n)\n\nfunc (a addr) port() int { return 0 }\n",
		"py/__init__.py": "", "py/tool.py": "import py.other\n", "py/other.py": "",
		"README.md": "# x\n\n[![x](y)](z)\nIt counts sheep.\nAll of them.\n\nMore.\n",
		"x_test.go": "package x\n\nfunc TestA(t *testing.T) {}\n\nfunc FuzzB(f *testing.F) {}\n", "web/a.test.ts": "it('a', () => {})\n",
	}}
	findings := []world.Finding{
		{ID: "s-1", AgentID: "sentinel", Check: "sentinel/bad", Severity: "high", Title: "The word bad stands here", Path: "src/a.go", Line: 3, Evidence: "// bad", Why: "It is bad."},
		{ID: "s-2", AgentID: "healer", Check: "healer/ugly", Severity: "low", Title: "Another thing", Path: "web/app.ts", Line: 1},
	}
	for i, c := range []struct {
		question string
		says     []string
		git      bool
	}{
		{"who changed src/a.go last?", []string{"line 2, by Grace on 2 March 2026", "Its history under this name: 3 commits by 2 people, the oldest of November 2025", "2 lines are in no commit"}, true},
		{"Who wrote a.go:1", []string{"src/a.go:1 was last changed by Grace on 1 March 2026"}, true},
		{"who changed src/a.go:4?", []string{"not committed yet"}, true},
		{"who changed `Do`?", []string{"Name the file"}, true},
		{"who changed src/a.go", []string{"no git history"}, false},
		{"what imports src/a.go", []string{"1 import of the package of src/a.go: cmd/main.go:3"}, false},
		{"what depends on src/a.go, and how big is it?", []string{"1 file uses names that it declares: cmd/main.go.\n\nsrc/a.go has 4 lines of Go and exports Do."}, false},
		{"what would break without `Do`?", []string{"Do is in 2 lines of code"}, false},
		{"how many lines does cmd/main.go have?", []string{"cmd/main.go has 5 lines of Go"}, false},
		{"how many TO" + "DOs are there?", []string{"I find no TO" + "DO comment."}, false},
		{"which file is imported most?", []string{"Nothing is imported by more files than py/other.py: 1 file."}, false},
		{"what imports example.org/x/src?", []string{"cmd/main.go:3"}, false},
		{"who uses web/util.ts?", []string{"1 import of web/util.ts: web/app.ts:1"}, false},
		{"what imports py.other", []string{"py/tool.py:1"}, false},
		{"what imports nothing/here", []string{"find no import of nothing/here"}, false},
		{"why is this high?", []string{"The word bad stands here (src/a.go:3) is high", "The rule: always high", "The code there: // bad"}, false},
		{"why is web/app.ts low?", []string{"Another thing"}, false},
		{"why?", []string{"I do not know what you mean: name the file of a finding"}, false},
		{"why is the sky blue?", []string{"I do not know what you mean"}, false},
		{"where is Do defined?", []string{"Do is defined at src/a.go:4"}, false},
		{"where is nothingness?", []string{"no definition"}, false},
		{"where is the Do function defined in src/a.go?", []string{"Do is defined at src/a.go:4"}, false},
		{"where is the file web/util.ts?", []string{"There is a file web/util.ts."}, false},
		{"Where is the default admin port defined?", []string{"The name that fits best is `DefaultAdminListen` at admin/admin.go:4; I do not know whether it is what you mean."}, false},
		{"Where is the max number of retries?", []string{"`maxRetries` at admin/admin.go:7"}, false},
		{"Where is `port` defined?", []string{"port is defined at admin/admin.go:10"}, false},
		{"Where is the port?", []string{"port is defined at admin/admin.go:10"}, false},
		{"Where is the colour of the wallpaper defined?", []string{"I do not know: I find no name here that has most of these words."}, false},
		{"where is MaxRetries", []string{"The name that fits best is `maxRetries`"}, false},
		{"what is wrong in src/a.go?", []string{"1 finding: The word bad stands here"}, false},
		{"what did you find, any issues?", []string{"1 finding"}, false},
		{"who changed src last?", []string{"Of the 1 file under src the last that a commit changed is src/a.go", "by Grace"}, true},
		{"what imports the folder src", []string{"1 import of src: cmd/main.go:3"}, false},
		{"What depends on src?", []string{"1 import of src: cmd/main.go:3"}, false},
		{"where is src.Do defined?", []string{"src.Do is defined at src/a.go:4"}, false},
		{"where is T.Do?", []string{"Do is defined at src/a.go:4"}, false},
		{"what uses src.Do", []string{"src.Do is in 1 line of code", "cmd/main.go:5"}, false},
		{"what is wrong in src/?", []string{"1 finding: The word bad stands here (src/a.go:3, high)"}, false},
		{"how many tests are there?", []string{"3 tests: 2 in 1 file of Go and 1 in 1 file of TypeScript"}, false},
		{"is cmd/main.go tested?", []string{"I find no test of cmd/main.go."}, false},
		{"which files change most?", []string{"in 1 commit: src/a.go (3 commits)"}, true},
		{"which files change most?", []string{"no git history"}, false},
		{"what are the largest files?", []string{"The largest source files are "}, false},
		{"How many files are there?", []string{"12 files in 5 folders"}, false},
		{"what is this project?", []string{"The README (README.md:4) says: It counts sheep. All of them.", "Programs begin at cmd/main.go:5.", "go.mod"}, false},
		{"what does src/ do?", []string{"This folder describes itself in src/a.go:1: Package src is the source.", "src holds 1 file of code, 0 of them tests, with 4 lines"}, false},
		{"what is web/util.ts for?", []string{"web/util.ts has 1 line of TypeScript and exports one. 1 file imports web/util.ts: web/app.ts. I find no test of web/util.ts."}, false},
		{"which quests are open?", []string{"2 quests are waiting, 1 taken: Mend it (src/a.go:3, high); Tidy up (web/app.ts:1, low)."}, false},
		{"any quest in web/?", []string{"1 quest is waiting in web: Tidy up (web/app.ts:1, low)."}, false},
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
		req.Quests = []world.Quest{
			{ID: "q2", Title: "Tidy up", Priority: "low", Status: world.QuestOpen, Path: "web/app.ts", Line: 1},
			{ID: "q1", Title: "Mend it", Priority: "high", Status: world.QuestOpen, Path: "src/a.go", Line: 3},
			{ID: "q3", Title: "Done soon", Priority: "high", Status: world.QuestProgress, Path: "src/a.go"},
		}
		said := ""
		req.Kind, req.Words = []string{world.KindChat, world.KindParty, "of another version"}[i%3], c.question
		if err := scouts.Driver(review1, req.Role).Run(t.Context(), req, func(c driver.Chunk) error { said += c.Text; return nil }); err != nil {
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

// A question of safety lists what was found, also where a value only passes through on its way. "How many findings" are
// those of the review, whoever is asked. What the repository accepts, and its quest, is in no answer.
func TestAskWhatWasFound(t *testing.T) {
	files := map[string]string{
		"src/books.js": "import { find } from './db.js'\nfind(req.query.q)\n", "src/db.js": "db.run(q)\n", "src/covers.js": "exec(req.query.id)\n", "src/log.js": "x()\n",
		"test/a.test.js": "it('a', () => {})\n",
	}
	findings := []world.Finding{
		{ID: "s-1", AgentID: "sentinel", Check: "sentinel/sql", Severity: "high", Title: "SQL injection", Path: "src/db.js", Line: 1, Steps: []world.Step{
			{Path: "src/books.js", Line: 2}, {Path: "src/db.js", Line: 1}}},
		{ID: "s-2", AgentID: "sentinel", Check: "sentinel/command", Severity: "critical", Title: "Command injection", Path: "src/covers.js", Line: 1, Evidence: "exec(req.query.id)"},
		{ID: "s-3", AgentID: "healer", Check: "healer/lost", Severity: "low", Title: "Lost error", Path: "src/log.js", Line: 1},
	}
	quests := []world.Quest{
		{ID: "q-1", FindingID: "s-1", Title: "SQL injection", Priority: "high", Status: world.QuestOpen, Path: "src/db.js", Line: 1},
		{ID: "q-2", FindingID: "s-2", Title: "Command injection", Priority: "high", Status: world.QuestOpen, Path: "src/covers.js", Line: 1},
	}
	const passes, command = "SQL injection (src/db.js:1, high, begins at src/books.js:2)", "Command injection (src/covers.js:1, critical)"
	excuse := "sentinel/command src/covers.js -- only the owner runs it\n"
	for _, c := range []struct {
		hero, question, says, not string
		accepted                  bool
	}{
		{"sage", "what was found in src/books.js?", "1 finding: " + passes, "", false},
		{"archaeologist", "is there a command injection in src/covers.js?", command, "no test", false},
		{"sentinel", "is src/covers.js safe?", command, "no test", false},
		{"sage", "Is src/log.js vulnerable?", "Lost error", "no test", false},
		{"sage", "is src/db.js tested?", "I find no test of src/db.js", "SQL", false},
		{"bard", "are there injections?", "2 findings of the Sentinel: " + command, "Lost error", false},
		{"bard", "how many findings are there?", "3 findings (1 critical, 1 high and 1 low): " + command, "", false},
		{"bard", "how many findings does the review have?", "3 findings (", "", false},
		{"bard", "what did you find?", "Nothing was found. The review reports 3 findings of others.", "", false},
		{"healer", "what did you find?", "1 finding: Lost error", "SQL", false},
		{"sage", "is test/a.test.js safe?", "Nothing was found in test/a.test.js.", "", false},
		{"bard", "what should I do first?", "Take the first quest: Command injection (src/covers.js:1, critical). 1 quest is after it.", "", false},
		{"bard", "what should I do first?", "Take the first quest: SQL injection (src/db.js:1, high).", "after it", true},
		{"bard", "which quests are open?", "1 quest is waiting: SQL injection", "Command", true},
		{"bard", "how many findings are there?", "2 findings (1 high and 1 low): ", "Command", true},
		{"bard", "is src/covers.js safe?", "Nothing was found in src/covers.js. 1 finding is accepted in .agentdungeon-review.", "Command", true},
	} {
		s := &shelf{files: maps.Clone(files)}
		if c.accepted {
			s.files[inspect.ExcusesFile] = excuse
		}
		text, _ := asked(t, s, c.question, func(r *driver.Turn) {
			r.Role = world.Role{ID: c.hero, Name: c.hero}
			r.Findings, r.Quests, r.Reviewed = findings, quests, true
		})
		if !strings.Contains(text, c.says) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s, %q: %q, not %q without %q", c.hero, c.question, text, c.says, c.not)
		}
	}
	text, _ := asked(t, &shelf{files: map[string]string{"a.go": "package a\n\n// bad\n"}}, "is a.go safe?", func(r *driver.Turn) { r.Role = world.Role{ID: "sage", Name: "sage"} })
	if want := "No review has been made yet, so I look with the checks of the Sentinel alone. 1 finding of the Sentinel: The word bad stands here (a.go:3, high)."; !strings.HasPrefix(text, want) {
		t.Errorf("before a review: %q", text)
	}
}

// Known returns what is known of a file, for other programs: its imports, its importers, its tests, its history. Each
// call reads the folder as it is at that time, and closes its view.
func TestKnown(t *testing.T) {
	s := &shelf{history: told{&past{}}, files: map[string]string{
		"go.mod": "module example.org/x\n", "src/a.go": "// Package src is the source.\npackage src\n\nimport \"os\"\n",
		"src/a_test.go": "package src\n\nfunc TestA(t *testing.T) {}\n", "src/b_test.go": "package src\n\nfunc TestB(t *testing.T) {}\n",
		"other/a_test.go": "package other\n\nfunc TestA(t *testing.T) {}\n", "src/help_test.go": "package src\n",
		"cmd/main.go": "package main\n\nimport \"example.org/x/src\"\n", "cmd/main_test.go": "package main\n\nimport \"example.org/x/src\"\n\nfunc TestM(t *testing.T) {}\n",
		"web/util.ts": "export const one = 1\n", "web/util.test.ts": "import { one } from './util'\nit('a', () => {})\n", "old.f90": "program x\n", "web/main.go": "package web\n",
	}}
	scouts := New(s, nil, "1")
	k, err := scouts.Known(t.Context(), "/repo", "/repo/src/a.go")
	if err != nil {
		t.Fatal(err)
	}
	says := fmt.Sprint(k.Path, k.Lang, k.Lines, k.Says, k.Imports, k.Importers, k.Tests, k.Past.Commits, k.Newest.Name, k.Newest.Line, k.Writers, k.Open, k.Unknown)
	if want := "src/a.goGo4Package src is the source.[{os 4}] [{cmd/main.go 3} {cmd/main_test.go 3}] " +
		"[{src/a_test.go 1} {cmd/main_test.go 1} {src/b_test.go 1}] 3Grace2 [{Grace 2}] 2 []"; says != want {
		t.Errorf("%s\nwant %s", says, want)
	}
	k, err = scouts.Known(t.Context(), "/repo", "./util.ts")
	if err != nil || k.Path != "web/util.ts" || fmt.Sprint(k.Tests) != "[{web/util.test.ts 1}]" || k.Past != nil {
		t.Errorf("%+v, %v", k, err)
	}
	if k, err = scouts.Known(t.Context(), "/repo", "old.f90"); err != nil || len(k.Unknown) != 1 || k.Open != 1 {
		t.Errorf("%+v, %v", k, err)
	}
	for _, name := range []string{"main.go", "nope.go", "../x", "", "/etc/passwd", "src"} { // the first has two
		if _, err := scouts.Known(t.Context(), "/repo", name); !errors.Is(err, inspect.ErrNoFile) {
			t.Errorf("%q: %v", name, err)
		}
	}
	s.err = errors.New("away")
	if _, err := scouts.Known(t.Context(), "/repo", "src/a.go"); !errors.Is(err, s.err) {
		t.Error(err)
	}
	if err := scouts.Close(); err != nil || s.opened != s.closed || s.opened < 9 {
		t.Errorf("%d views opened, %d closed: %v", s.opened, s.closed, err)
	}
}
