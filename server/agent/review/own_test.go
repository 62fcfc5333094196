package review

import (
	"strings"
	"testing"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

var watchFiles = map[string]string{
	"go.mod": "module example.org/w\n", "README.md": "# w\n",
	"watch/inotify.go": "package watch\n\nimport \"os\"\n\n// Watcher watches.\ntype Watcher struct{}\n\n// New bad\nfunc New() *Watcher { os.Getpid(); return nil }\n\nfunc (w *Watcher) add() {}\n",
	"watch/other.go":   "package watch\n\nfunc helper() {}\n\nfunc more() {}\n", "watch/w_test.go": "package watch\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) { New() }\n",
	"cmd/main.go": "package main\n\nimport \"example.org/w/watch\"\n\nfunc main() { watch.New() }\n", "old.f90": "program x\n", "bad.py": "# bad\n",
}

// tell plays one question to a hero whose checks are those of the program by their names.
func tell(t *testing.T, hero, question string, git bool, change func(*driver.Turn)) string {
	t.Helper()
	s := &shelf{files: watchFiles}
	if git {
		s.history = written{told{&past{head: "abcdef1"}}}
	}
	scouts := New(s, []inspect.Check{
		word("healer/dropped-error", "swallow", "high"), word("healer/held-lock", "held", "high"),
		word("sentinel/certificate", "bad", "high"), word("sage/cannot-fail", "never", "low"),
	}, "1")
	req := turn(hero, "", 0)
	req.Kind, req.Words, req.RequestID = world.KindParty, question, "q1"
	if change != nil {
		change(&req)
	}
	said := ""
	err := scouts.Driver(review1, req.Role).Run(t.Context(), req, func(c driver.Chunk) error { said += c.Text; return nil })
	if err != nil {
		t.Errorf("%s, %q: %v", hero, question, err)
	}
	if err := scouts.Close(); err != nil {
		t.Error(err)
	}
	return said
}

// Heroes who are asked the same say different things: each what it knows of its own subject.
func TestHeroesAnswerFromTheirOwnSubject(t *testing.T) {
	const about, lost = "What about inotify.go?", "Which errors are lost, and what is not tested?"
	reviewed := func(r *driver.Turn) { r.Reviewed = true }
	found := func(r *driver.Turn) {
		r.Findings = []world.Finding{{ID: "h", AgentID: "healer", Check: "healer/dropped-error", Severity: "high", Title: "An error is lost", Path: "watch/inotify.go", Line: 9}}
	}
	for _, c := range []struct {
		hero, question string
		git            bool
		change         func(*driver.Turn)
		says           string // all of the answer
	}{
		{"architect", about, false, nil, "watch/inotify.go has 11 lines of Go and exports Watcher and New."},
		{"architect", "And watch/other.go?", false, nil, "watch/other.go has 5 lines of Go and defines helper and more."},
		{"cartographer", about, false, nil, "watch/inotify.go imports os. 1 file imports the package of watch/inotify.go: cmd/main.go."},
		{"cartographer", "What about cmd/main.go?", false, nil, "cmd/main.go imports example.org/w/watch. I find no file that imports the package of cmd/main.go."},
		{"cartographer", "What about old.f90?", false, nil, "I follow imports in Go, TypeScript, JavaScript and Python alone, so I know no way to old.f90; the Archaeologist can say who changed it."},
		{"healer", about, false, nil, "I looked in watch/inotify.go for ignored error and lock not released, and found none."},
		{"healer", "What about old.f90?", false, nil, "My checks can read nothing in old.f90; the Architect can say more of it."},
		{"healer", about, false, reviewed, "The review, in which I look for ignored error and lock not released, reports nothing of mine in watch/inotify.go."},
		{"healer", about, false, found, "The review reports 1 finding of mine in watch/inotify.go: An error is lost (watch/inotify.go:9, high)."},
		{"sage", about, false, nil, "watch/inotify.go is tested in watch/w_test.go."},
		{"sage", "What about watch/w_test.go?", false, nil, "watch/w_test.go has 1 test. I looked in watch/w_test.go for assertion that cannot fail, and found none."},
		{"sentinel", about, false, nil, "I looked in watch/inotify.go and found 1 problem: The word bad stands here (watch/inotify.go:8, high)."},
		{"alchemist", about, true, nil, "watch/inotify.go has 1 KB and is number 1 of 5 source files by size; 3 commits changed it."},
		{"archaeologist", about, false, nil, "There is no git history here, so I know nothing of the past of watch/inotify.go; the Architect can say what stands there now."},
		{"healer", lost, false, nil, "I looked in 4 Go files for ignored error and lock not released, and found none."},
		{"healer", "Where are errors lost?", false, nil, "I looked in 4 Go files for ignored error and lock not released, and found none."},
		{"sage", lost, false, nil, "1 test file. No test names or imports 2 source files, the largest first: watch/other.go and bad.py. I looked in 1 Go file for assertion that cannot fail, and found none."},
		{"sage", "Is the folder watch tested?", false, nil, "1 test file in watch. No test names or imports 1 source file: watch/other.go. I looked in watch for assertion that cannot fail, and found none."},
	} {
		if text := tell(t, c.hero, c.question, c.git, c.change); text != c.says {
			t.Errorf("%s, %q:\n%q, want\n%q", c.hero, c.question, text, c.says)
		}
	}
	if text := tell(t, "archaeologist", about, true, nil); !strings.HasPrefix(text, "No line of watch/inotify.go is in a commit") {
		t.Errorf("the Archaeologist does not tell the history: %q", text)
	}
	if text := tell(t, "bard", lost, false, nil); !strings.Contains(text, "the Sage and the Healer look at what is nearest to it") {
		t.Errorf("a hero with another subject does not say whose subject it is: %q", text)
	}
}

// A question about the meaning of a file gets the sentence that only a model or a person knows it, and what is known.
func TestTheMeaningOfAFileIsBeyondScouts(t *testing.T) {
	const beyond = "What the code there means is beyond me: a person could say it, or a language model, for which the server is started with `-model-url`"
	for _, c := range []struct{ hero, question, says string }{
		{"architect", "How does inotify.go deal with links?", beyond + ". watch/inotify.go has 11 lines of Go and exports Watcher and New. " +
			"1 file imports the package of watch/inotify.go: cmd/main.go. watch/inotify.go is tested in watch/w_test.go."},
		{"sentinel", "Sentinel, does inotify.go hold a lock?", beyond + "; the Healer can say what the checks find there. watch/inotify.go has 11 lines"},
		{"healer", "How does inotify.go handle errors?", beyond + ". I looked in watch/inotify.go for ignored error and lock not released, and found none."},
		{"sage", "What does inotify.go do?", "watch/inotify.go has 11 lines of Go and exports Watcher and New. 1 file imports"},
	} {
		if text := tell(t, c.hero, c.question, false, nil); !strings.HasPrefix(text, c.says) || strings.Count(text, ". ") > 3 {
			t.Errorf("%s, %q is answered\n%q, not\n%q", c.hero, c.question, text, c.says)
		}
	}
}

// People write the name of a file as words. Two words in a row mean the only file of source with such a name, and no
// test, no file of one part and no name that two files have.
func TestAFileIsMeantByItsWords(t *testing.T) {
	repo, _, err := (&shelf{files: map[string]string{
		"mw/rate_limiter.go": "package mw\n", "mw/rate_limiter_test.go": "package mw\n", "web/BasicAuth.ts": "export {}\n",
		"setup.py": "pass\n", "a/proxy_pass.go": "package a\n", "b/proxy-pass.js": "",
	}}).Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"Should we replace the in-memory rate limiter, and what would break?": "mw/rate_limiter.go",
		"Is Basic Auth safe?": "web/BasicAuth.ts",
		"How do I set up it?": "", "What is the rate? Limiter?": "", "Where is the proxy pass?": "",
	} {
		got := ""
		if f := spelled(repo, strings.Fields(text)); f != nil {
			got = f.Path
		}
		if got != want {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
	}
}
