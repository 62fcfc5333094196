package review

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// written is a history in which two people have changed files.
type written struct{ told }

func (written) Past(p string) (inspect.Past, bool) {
	return inspect.Past{Commits: 1 + len(p)%7, Authors: 2, First: now.AddDate(-1, 0, 0), Last: now}, true
}

func (written) Authors(p string) []inspect.Authored {
	all := []inspect.Authored{{Name: "Grace", Changes: 30, Last: now}, {Name: "Ada", Changes: 4, Last: now.AddDate(0, -2, 0)}}
	if p != "" {
		return all[:1]
	}
	return all
}

var firstRepos = map[string]map[string]string{
	"Go": {
		"go.mod": "module example.org/count\n\ngo 1.26\n", "README.md": "# count\n\nCount counts sheep in the field.\n",
		"cmd/count/main.go": "package main\n\nimport (\n\t\"example.org/count/field\"\n)\n\nfunc main() { field.Look() }\n",
		"field/field.go":    "// Package field is where sheep are.\npackage field\n\n// bad\nfunc Look() {}\n",
		"wolf/wolf.go":      "package wolf\n\nimport \"example.org/count/field\"\n\nvar _ = field.Look\n",
		"field/f_test.go":   "package field\n\nfunc TestLook(t *testing.T) {}\n",
		"docs/DESIGN.md":    "# How it is built\n\nOf wood.\n",
	},
	"TypeScript": {
		"package.json":  "{\"name\": \"shop\", \"description\": \"A shop that sells lamps.\", \"main\": \"./src/server.ts\"}\n",
		"src/server.ts": "import { lamp } from './lamp'\nimport { price } from './price'\n// bad\nlamp(price)\n",
		"src/lamp.ts":   "import { price } from './price'\nexport const lamp = (x: number) => x + price\n", "src/price.ts": "export const price = 3\n",
	},
	"Python": {
		"pyproject.toml":   "[project]\nname = \"mill\"\ndescription = \"Grinds corn into flour.\"\n",
		"mill/__init__.py": "", "mill/grind.py": "from .stone import turn\n# bad\n", "mill/stone.py": "def turn():\n    pass\n",
		"mill/run.py": "from .stone import turn\nfrom mill.grind import turn\nif __name__ == \"__main__\":\n    turn()\n",
	},
	"Python commands": {
		"setup.py": "from setuptools import setup\nsetup(\n    name=\"mill\",\n    entry_points={\n        \"console_scripts\": [\n" +
			"            'mill = mill.tools.cli:main',\n            \"stone=mill:turn\",\n        ],\n        \"plugins\": [\"p=mill.version:x\"],\n    },\n)\n",
		"mill/__init__.py": "async def turn():\n    pass\n", "mill/tools/cli.py": "import mill\n\ndef main():\n    pass\n",
		"mill/version.py": "x = 1\nif __name__ == \"__main__\":\n    print(x)\n",
	},
	"documented": {
		"README.md":       "# mill\n\nGrinds corn.\n\n## Installation\n\nWith pip:\n\n```sh\n$ pip install mill\n# not a heading\n```\n\n## Usage of it\n\n    mill corn\n\n## Licence\n\n    none\n",
		"CONTRIBUTING.md": "# Contributing\n\n## Development setup ##\n\nAsk.\n",
	},
	"documented in another form": {"README.rst": "mill\n====\n\nBuilding\n--------\n\nType::\n\n\tmake all\n"},
	"Python project": {
		"pyproject.toml":  "[project]\nname = \"mill\"\n\n[project.scripts]\nmill = \"mill.cli:main\"\n\n[tool.x]\ny = \"mill.other:main\"\n",
		"src/mill/cli.py": "def main():\n    pass\n", "src/mill/other.py": "def main():\n    pass\n",
		"a.py": "if __name__ == \"__main__\":\n    pass\n",
	},
	"tested": {
		"Makefile": "TESTS := x\ntest := y\n\nbuild:\n\tx\n\ntest: build\n\tgo test\n", "go.mod": "module example.org/x\n", "a.go": "package a\n", "a_test.go": "package a\n", "t/test_a.py": "def test_a(): pass\n",
		"client/package.json": "{\n\"name\": \"test\",\n\"scripts\": {\n  \"build\": \"vite\",\n  \"test\": \"vitest\"\n}}\n",
	},
	"tested Python": {"pyproject.toml": "[project]\nname = \"x\"\n\n[tool.pytest.ini_options]\n", "tox.ini": "[tox]\n", "tests/test_a.py": "def test_a(): pass\n"},
	"not tested":    {"package.json": "{\"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"}}\n", "Makefile": "test := x\n", "go.mod": "module example.org/x\n"},
	"Node and Python": {
		"package.json": "{\n\"scripts\": { \"start\": \"node --watch src/server.js\", \"test\": \"node --test\" }\n}\n", "README.md": "# shelf\n\nA small library. `npm start` serves it.\n\nThumbnails: `flask --app worker run`.\n",
		"src/server.js": "import app from 'x'\napp.listen(80)\n", "src/admin.js": "const app = make()\n// app.listen(1)\n\napp.listen(81)\n",
		"worker/app.py": "x = 1\nif __name__ == \"__main__\":\n    x()\n", "Makefile": "all:\n\tx\nserve:\n\tnpm start\n",
	},
	"nothing": {"a.bin": "\x00\x01"},
}

// asked plays one question in a chat and returns the answer and the questions that follow it.
func asked(t *testing.T, s *shelf, question string, change func(*driver.Turn)) (text string, next []string) {
	t.Helper()
	scouts := New(s, checks(), "1")
	defer func() {
		if err := scouts.Close(); err != nil {
			t.Error(err)
		}
	}()
	req := turn("sentinel", "", 0)
	req.Kind, req.Words, req.RequestID = world.KindChat, question, "q1"
	if change != nil {
		change(&req)
	}
	said := ""
	if err := scouts.Driver(review1, req.Role).Run(t.Context(), req, func(c driver.Chunk) error { said += c.Text; return nil }); err != nil {
		t.Fatalf("%q: %v", question, err)
	}
	text, asks, _ := strings.Cut(said, "\n\n"+nextTitle+"\n")
	for line := range strings.Lines(asks) {
		next = append(next, strings.TrimSpace(strings.TrimPrefix(line, "- ")))
	}
	return text, next
}

// Scouts know the first questions of people in several wordings, and do not take other questions for them.
func TestFirstQuestionsAreKnown(t *testing.T) {
	s := &speaker{view: view{scouts: New(&shelf{}, nil, "1")}}
	for key, questions := range map[string]string{
		"greeting": "hi|Hello!|hey there|Good morning, scout.|hello, how are you doing|thanks|Thank you very much!",
		"how":      "how do I run it?|How can we build this project?|how to install|how should one start the server?|How do I deploy?",
		"about": "what is this place|What is this repository?|what's this?|Where am I?|what does this project do|" +
			"tell me about this repo|Describe the project|give me an overview|explain this code base|What is this?|what am I looking at",
		"first": "what should I do first|What should I do first?|What can I do here?|what to do|what next?|what's next|what should we fix|" +
			"what needs attention?|how can I help?|What should one work on?",
		"read": "where do I begin to read|Where do I begin to read?|where should I start?|what should I read first|Which files should I look at?|" +
			"how do I get started|what are the most important files?|where is the entry point?|How can I find my way?|Where to start?",
		"risk": "what is risky here|What is risky here?|what could break?|anything dangerous?|where are the weak spots|" +
			"what should I be careful with?|What are the biggest risks?|which part is most fragile?|what can go wrong",
		"knows": "who knows this code|Who knows this code?|who are the authors?|whom should I ask?|who wrote most of this?|" +
			"who is the maintainer?|Who works on this?|Who built it?|Who wrote this?|who wrote it",
		"how tests": "How do I run the tests?|how can I run all unit tests|how to test it?|How should one test this?|how do I start the tests?",
		"":          "what is the meaning of life?|sing me a song|write a test for the parser|make it faster|how does the parser run the rules?",
		"decided": "What did we decide?|what was decided?|What did we decide to do next?|what did the team agree on|What came out of the brainstorm and what did we choose?|" +
			"What did the brainstorm bring about, what did it come to?|What is the result of the last brainstorm?|what was the outcome|show me the results|" +
			"Has anything been decided?|how did the brainstorm go?|result of the review",
		"changed": "who changed it last?|What changed last?|what was the last commit?|What is new?|what has changed recently", "quests": "which quests should I take?", "why": "why is this high?", "found": "what did you find?",
		"tests": "how many tests are there?", "churn": "which files change most?", "where": "where is Do defined?",
	} {
		for question := range strings.SplitSeq(questions, "|") {
			got := ""
			if a := s.route(question, subject{}); a != nil {
				got = a.key
			}
			if got != key {
				t.Errorf("%q is taken for %q, not %q", question, got, key)
			}
		}
	}
}

// Scouts say what processes that have ended have come to, with a link: of the last one that is no review, unless the
// question names another. They say so in a realm without a folder, too.
func TestScoutsSayWhatWasDecided(t *testing.T) {
	plan := []world.Artifact{{Name: "final_plan", Text: "# Mill\n\nBuild it at the **river**."}}
	storm := driver.Ended{Name: "Standard brainstorm", Problem: "What do we build?", Address: "/r/x/result/c2", Artifacts: plan}
	look := driver.Ended{Name: "Code Review", Problem: "Code review of x", Address: "/r/x/result/c3",
		Artifacts: []world.Artifact{{Name: "coverage", Text: "-", Coverage: &world.Coverage{}}, {Name: "final_report", Text: "Report."}}}
	older := driver.Ended{Address: "/r/x/result/c1", Artifacts: []world.Artifact{{Name: "vote", At: world.TimeOf(now), Text: strings.Repeat("long words ", 500)}}}
	early := driver.Ended{Name: "Retrospective", Early: true, Address: "/r/x/result/c4"}
	for _, c := range []struct {
		question string
		ended    []driver.Ended
		want     string
	}{
		{whatDecided, nil, "No process of this realm has ended yet, so I know of no decision."},
		{whatDecided, []driver.Ended{storm, look}, "The process \"Standard brainstorm\" has ended. Its question was: What do we build? " +
			"[The whole result](/r/x/result/c2) has more. Other results: [Code Review](/r/x/result/c3).\n\n**Final plan**\n\n# Mill\n\nBuild it at the **river**."},
		{"what is the result of the review?", []driver.Ended{look, storm}, "The process \"Code Review\" has ended. The review reports nothing. " +
			"[The whole result](/r/x/result/c3) has more. Other results: [Standard brainstorm](/r/x/result/c2)."},
		{"@sentinel what did we decide?", []driver.Ended{storm, early}, "The process \"Retrospective\" has ended before its last stage. It left no result. " +
			"Other results: [Standard brainstorm](/r/x/result/c2)."},
		{whatDecided, []driver.Ended{older}, "An earlier process, of 21 November 2026, has ended. [The whole result](/r/x/result/c1) has more.\n\n**Vote**\n\n" +
			strings.Repeat("long words ", 371) + "long words…"},
	} {
		for _, folder := range []bool{true, false} {
			text, next := asked(t, &shelf{files: firstRepos["Go"]}, c.question, func(r *driver.Turn) {
				r.Ended, r.Reviewed = c.ended, true
				if !folder {
					r.RepoPath = ""
				}
			})
			if text != c.want && (folder || !strings.Contains(c.question, "review")) {
				t.Errorf("%q is answered\n%s\nnot\n%s", c.question, text, c.want)
			}
			if slices.Contains(next, whatDecided) {
				t.Errorf("%q offers %q", c.question, next)
			}
		}
	}
	_, next := asked(t, &shelf{files: firstRepos["Go"]}, "hello", func(r *driver.Turn) { r.Ended = []driver.Ended{storm} })
	if len(next) != 3 || next[0] != whatDecided {
		t.Errorf("after a brainstorm an answer offers %q", next)
	}
}

var pathLike = regexp.MustCompile(`[\w.-]+(?:/[\w.-]+)*\.(?:go|ts|tsx|py|md|mod|json|toml|mjs|js)\b`)

// Each first question is answered in few words with paths that exist, and each question that is offered then has an
// answer of its own.
func TestFirstAnswers(t *testing.T) {
	for name, files := range firstRepos {
		for _, git := range []bool{false, true} {
			s := &shelf{files: files}
			if git {
				s.history = written{told{&past{head: "abcdef1"}}}
			}
			for _, q := range []string{"hello", whatIsThis, whereToRead, whatIsRisky, whatFirst, whoKnows, howToTest, "What changed last?", "sing me a song", "What is risky in src?"} {
				text, next := asked(t, s, q, nil)
				if n := len(strings.Fields(text)); n > 80 || n < 4 {
					t.Errorf("%s, %q: %d words: %s", name, q, n, text)
				}
				for _, p := range pathLike.FindAllString(text, -1) {
					if files[p] == "" && !slices.Contains(paths(files), p) {
						t.Errorf("%s, %q names %s, which does not exist: %s", name, q, p, text)
					}
				}
				if len(next) != 3 || slices.Contains(next, q) {
					t.Errorf("%s, %q offers %q", name, q, next)
				}
				for _, n := range next {
					if text, _ := asked(t, s, n, nil); strings.Contains(text, "beyond me") {
						t.Errorf("%s, %q offers %q, which is answered %q", name, q, n, text)
					}
				}
			}
		}
	}
}

func paths(files map[string]string) (out []string) {
	for p := range files {
		out = append(out, p, path.Base(p))
	}
	return out
}

func TestFirstAnswersSayWhatIs(t *testing.T) {
	found := []world.Finding{
		{ID: "s-1", AgentID: "sentinel", Check: "sentinel/bad", Severity: "high", Title: "The word bad stands here", Path: "field/field.go", Line: 4},
		{ID: "s-2", AgentID: "healer", Check: "healer/ugly", Severity: "low", Title: "Another thing", Path: "wolf/wolf.go", Line: 1},
	}
	with := func(quests ...world.Quest) func(*driver.Turn) {
		return func(r *driver.Turn) { r.Findings, r.Quests = found, quests }
	}
	one := func(r *driver.Turn) {
		r.Findings = slices.Clone(found)
		r.Findings[0].Confidence = "low"
	}
	suspect := func(r *driver.Turn) {
		r.Findings = slices.Clone(found)
		for i := range r.Findings {
			r.Findings[i].Confidence = "low"
		}
	}
	quest := func(title, priority, status string) world.Quest {
		return world.Quest{ID: title, Title: title, Priority: priority, Status: status, Path: "field/field.go", Line: 4}
	}
	for _, c := range []struct {
		repo, question string
		git            bool
		change         func(*driver.Turn)
		says           []string
	}{
		{"documented", howToRun, false, nil, []string{"Read Installation (README.md:5), Usage of it (README.md:14) and Development setup (CONTRIBUTING.md:3). The first command there is `pip install mill`."}},
		{"documented in another form", "how can I build the project?", false, nil, []string{"Read Building (README.rst:4). The first command there is `make all`."}},
		{"Go", "how to install?", false, nil, []string{"No README here has a section that says how to run it. Programs begin at cmd/count/main.go:7."}},
		{"Node and Python", howToRun, false, nil, []string{"Run `npm start` (package.json:2), `make serve` (Makefile:3) and `flask --app worker run` (README.md:5). Programs begin at src/server.js, src/admin.js:4 and worker/app.py:2."}},
		{"Node and Python", whatIsThis, false, nil, []string{"Programs begin at src/server.js and src/admin.js:4."}},
		{"Node and Python", whereToRead, false, nil, []string{"2. src/server.js, where it starts"}},
		{"tested", whatIsThis, false, nil, []string{"source in Go, tests also in Python"}},
		{"tested", howToTest, false, nil, []string{"Run `make test` (Makefile:7), `npm test` in client (client/package.json:5) and `go test ./...` (go.mod:1)."}},
		{"tested Python", "how to test it?", false, nil, []string{"Run `tox` (tox.ini:1) and `python -m pytest` (pyproject.toml:4)."}},
		{"not tested", howToTest, false, nil, []string{"I find no tests here, and nothing that says how to run some."}},
		{"Python commands", howToTest, false, nil, []string{"I find no tests here"}},
		{"Go", "Who wrote this?", true, nil, []string{"Grace (30, the last on 21 November 2026) and Ada (4, "}},
		{"Go", "who changed it?", true, nil, []string{"The last changes of files that are here, the newest first: 21 November 2026 by Grace: README.md, cmd/count/main.go, docs/DESIGN.md and 4 more."}},
		{"Go", "What changed last?", true, nil, []string{"21 November 2026 by Grace: README.md"}},
		{"Go", "Who changed the folder field last?", true, nil, []string{"The last change under field, on 21 November 2026, changed 2 of its 2 files at once."}},
		{"Go", "What changed last?", false, nil, []string{"no git history"}},
		{"Go", "What changed last in field/field.go?", true, nil, []string{"field/field.go"}},
		{"Go", "Thanks!", false, nil, []string{"You are welcome."}},
		{"Go", "hello", false, nil, []string{"Hello, I am the Sentinel", "what is risky here"}},
		{"Go", whatIsThis, false, nil, []string{"The README (README.md:3) says: Count counts sheep", "Programs begin at cmd/count/main.go:7.", "go.mod"}},
		{"TypeScript", whatIsThis, false, nil, []string{"tools (package.json:1) says: A shop that sells lamps.", "begin at src/server.ts"}},
		{"Python", whatIsThis, false, nil, []string{"tools (pyproject.toml:3) says: Grinds corn into flour.", "begin at mill/run.py:3"}},
		{"nothing", whatIsThis, false, nil, []string{"no README that says what it is", "1 file in 0 folders"}},
		{"Go", whereToRead, true, nil, []string{"1. README.md, what it is for; 2. docs/DESIGN.md, how it is built; 3. cmd/count/main.go:7, where it starts; 4. field, which 2 files import"}},
		{"TypeScript", whereToRead, false, nil, []string{"1. src/server.ts, where it starts; 2. src/price.ts, which 2 files import"}},
		{"Python", whereToRead, false, nil, []string{"1. mill/run.py:3, where it starts; 2. mill/stone.py, which 2 files import"}},
		{"Python commands", whatIsThis, false, nil, []string{"begin at mill/__init__.py:1 and mill/tools/cli.py:3.", "named in setup.py."}},
		{"Python commands", whereToRead, false, nil, []string{"1. mill/__init__.py:1, where it starts; "}},
		{"Python project", whatIsThis, false, nil, []string{"begin at src/mill/cli.py:1 and a.py:1."}},
		{"nothing", whereToRead, false, nil, []string{"no document and no source"}},
		{"Go", whatIsRisky, false, nil, []string{"No review has run, and my own checks find 1 finding (1 high), first The word bad stands here (field/field.go:4, high)."}},
		{"Go", whatIsRisky, true, with(), []string{"The review reports 2 findings (1 high and 1 low), first The word bad stands here (field/field.go:4, high) and Another thing", " By size and number of changes wolf/wolf.go stands out: 6 commits, 1 KB."}},
		{"Go", "what is risky in the folder wolf?", false, with(), []string{"The review reports 1 finding in wolf (1 low)"}},
		{"nothing", whatIsRisky, false, nil, []string{"my own checks find nothing."}},
		{"Go", whatFirst, false, nil, []string{"Start a code review", "The word bad stands here (field/field.go:4, high)"}},
		{"Go", whatFirst, false, with(), []string{"the weightiest finding: The word bad stands here (field/field.go:4, high)"}},
		{"Go", whatFirst, false, with(quest("Tidy", "low", world.QuestOpen), quest("Mend", "high", world.QuestOpen), quest("Old", "high", world.QuestDone)),
			[]string{"Take the first quest: Mend (field/field.go:4, high). 1 quest is after it."}},
		{"Go", whatFirst, true, suspect, []string{"Nothing is proved and no quest is open. 2 findings are only suspected; read their lines and judge them, first " +
			"The word bad stands here (field/field.go:4, high).", " Read first: README.md, what it is for."}},
		{"Go", whatIsRisky, false, one, []string{"The review reports 1 finding (1 low), first Another thing (wolf/wolf.go:1, low). 1 finding is only suspected; ", "The word bad stands here (field/field.go:4, high)."}},
		{"Go", whatIsRisky, false, suspect, []string{"Nothing is proved. 2 findings are only suspected", "(field/field.go:4, high)"}},
		{"Go", "what is risky in the folder wolf?", false, suspect, []string{"Nothing is proved in wolf. 1 finding is only suspected", "(wolf/wolf.go:1, low)"}},
		{"Go", whatFirst, false, func(r *driver.Turn) { r.Reviewed = true },
			[]string{"Nothing is proved and no quest is open. Read first: README.md"}},
		{"Go", whatIsRisky, false, func(r *driver.Turn) { r.Reviewed = true }, []string{"Nothing is proved."}},
		{"Go", whoKnows, true, nil, []string{"Grace (30, the last on 21 November 2026) and Ada (4, ", "of 34 by 2 people"}},
		{"Go", "Who knows field/field.go?", true, nil, []string{"Only Grace: all 30 changes of files in field/field.go"}},
		{"Go", whoKnows, false, nil, []string{"no git history"}},
		{"Go", "which quests are there?", false, nil, []string{"No quest waits: a code review makes quests"}},
		{"Go", "are the errors beautiful?", false, nil, []string{"That is beyond me", "the Healer looks at what is nearest", "a person could answer it, or a language model", "`-model-url`"}},
	} {
		s := &shelf{files: firstRepos[c.repo]}
		if c.git {
			s.history = written{told{&past{head: "abcdef1"}}}
		}
		text, _ := asked(t, s, c.question, c.change)
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s, %q is answered %q, not %q", c.repo, c.question, text, want)
			}
		}
	}
}

// "Why?" is about the finding that the last answer names, and about none if it names none.
func TestWhyIsAboutTheLastAnswer(t *testing.T) {
	found := []world.Finding{
		{ID: "s-1", AgentID: "sentinel", Check: "sentinel/bad", Severity: "high", Title: "The word bad stands here", Path: "field/field.go", Line: 4},
		{ID: "s-2", AgentID: "healer", Check: "healer/ugly", Severity: "low", Title: "Another thing", Path: "wolf/wolf.go", Line: 1},
	}
	row := func(role, spectator, text string) world.Message {
		return world.Message{Role: role, SpectatorID: spectator, Content: text}
	}
	for _, c := range []struct {
		rows []world.Message
		says string
	}{
		{[]world.Message{row(world.RoleAssistant, "", "1 finding: Another thing (wolf/wolf.go:1, low), then The word bad stands here."), row(world.RoleUser, "p1", "The word bad stands here?")}, "Another thing (wolf/wolf.go:1) is low."},
		{[]world.Message{row(world.RoleAssistant, "", "Another thing."), row(world.RoleUser, "p1", "blorp"), row(world.RoleAssistant, "", "That is beyond me.")}, "I do not know what you mean"},
		{nil, "I do not know what you mean"},
	} {
		text, _ := asked(t, &shelf{files: firstRepos["Go"]}, "Why?", func(r *driver.Turn) { r.Findings, r.Window = found, c.rows })
		if !strings.Contains(text, c.says) {
			t.Errorf("after %v: %q, want %q", c.rows, text, c.says)
		}
	}
}

// The questions that a person may ask next are offered in a chat alone (P9.21), and not in a council or a party.
func TestNextQuestionsAreForChats(t *testing.T) {
	if _, next := asked(t, &shelf{files: firstRepos["Go"]}, whatIsThis, func(r *driver.Turn) { r.Kind = world.KindParty }); next != nil {
		t.Errorf("a party is offered %q", next)
	}
	_, next := asked(t, &shelf{files: firstRepos["Go"]}, "who changed field/field.go last?", func(r *driver.Turn) { r.Pace = world.PaceInstant })
	if len(next) != 3 {
		t.Errorf("offered %q", next)
	}
}

// The answers are true of this repository, too.
func TestFirstAnswersOfThisRepository(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".g") || slices.Contains([]string{"node_modules", "dist", "testdata", "worlds", "bin"}, d.Name())):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".ts", ".tsx", ".md", ".mod", ".json"}, filepath.Ext(p)):
			return nil
		}
		data, err := os.ReadFile(p)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{files: files}
	began := time.Now()
	for q, want := range map[string]string{
		whatIsThis: "The README (README.md:3) says: Agent Dungeon", whereToRead: "2. server/ARCHITECTURE.md, how it is built; 3. server/main.go",
	} {
		text, _ := asked(t, s, q, nil)
		if !strings.Contains(text, want) {
			t.Errorf("%q is answered %q, not %q", q, text, want)
		}
		for _, p := range pathLike.FindAllString(text, -1) {
			if _, ok := files[p]; !ok {
				t.Errorf("%q names %s, which does not exist", q, p)
			}
		}
	}
	t.Logf("%d files, %s", len(files), time.Since(began))
}
