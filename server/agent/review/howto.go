package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var (
	asksHow = inspect.Pattern(`(?i)\bhow\b.*\b(run|start|launch|build|compile|install|set ?up|deploy|execute)\b.*\b` +
		`(it|this|that|here|the (project|program|code|app|application|server|tool|repo|repository|thing))\b|` +
		`\bhow (do|can|should|could|would|to)\b.*\b(run|build|install|compile|deploy) ?\W*$`)
	// howTo matches the heading of a section that says how to install, build or run a program.
	howTo = inspect.Pattern(`(?i)\b(install(ing|ation)?|set(ting)?[ -]?up|build(ing)?|compil(e|ing)|run(ning)?|usage|` +
		`quick ?start|getting started|start(ing)?|deploy(ing|ment)?|develop(ing|ment))\b`)
	heading   = inspect.Pattern(`^#{1,4}\s+(.+?)\s*#*$`)
	underline = inspect.Pattern(`^(=+|-+|~+)$`)
	prompt    = inspect.Pattern(`^(\$|>|%)\s+`)
)

// A section is a part of a document. at is its place, and command the first line of its first code block, "" for none.
type section struct{ title, at, command string }

// usage says which sections of the documents say how to install, build and run the program, and which commands run it.
// Without a section it also says where its programs begin.
func (t guide) usage() (string, bool, error) {
	repo := t.review.repo
	c := count(repo)
	var found []section
	for _, p := range slices.Compact([]string{c.readme, guideOf(repo)}) {
		if data, ok := repo.Text(p); p != "" && ok {
			found = append(found, sections(p, data)...)
		}
	}
	runs := t.runs(c)
	if len(found) == 0 {
		text := "No README here has a section that says how to run it."
		if len(runs) > 0 {
			text = "Run " + some(runs, maxRunners) + "."
		}
		if e := entries(repo, c); len(e) > 0 {
			text += " Programs begin at " + list(first(e, 3)) + "."
		}
		return text, true, t.ctx.Err()
	}
	found = found[:min(len(found), 3)]
	var names []string
	command := ""
	for _, s := range found {
		names = append(names, fmt.Sprintf("%s (%s)", s.title, s.at))
		if command == "" && s.command != "" {
			command = fmt.Sprintf(" The first command there is `%s`.", s.command)
		}
	}
	p, _, _ := strings.Cut(found[0].at, ":")
	t.walk(p)
	if len(runs) > 0 {
		command += " These files say how it runs: " + some(runs, maxRunners) + "."
	}
	return "Read " + list(names) + "." + command, true, t.ctx.Err()
}

var (
	makeRun = inspect.Pattern(`(?m)^(run|start|serve|dev)\s*:(?:[^=]|$)`)
	// quoted is a command in a document, in backquotes, that begins a program.
	quoted = inspect.Pattern("`((?:npm (?:start|run (?:start|dev|serve))|yarn (?:start|dev)|pnpm (?:start|dev)|" +
		"node|flask|python3?|uvicorn|gunicorn|go run|cargo run|make (?:run|start|serve|dev)|docker(?:-| )compose)" +
		"(?: [^`\n]*)?)`")
)

// runs returns the commands that begin the program, with the places that say so: scripts of a package.json, targets of
// a Makefile, and commands that the README quotes.
func (t guide) runs(c *census) (out []string) {
	repo := t.review.repo
	add := func(command, p string, at int) {
		text := commandText(command, p, at)
		if !slices.ContainsFunc(out, func(s string) bool { return strings.HasPrefix(s, "`"+command+"`") }) {
			out = append(out, text)
		}
	}
	for _, p := range nearRoot(c.manifests) {
		data, ok := repo.Text(p)
		var manifest struct {
			Scripts map[string]string `json:"scripts"`
		}
		if path.Base(p) != "package.json" || !ok || json.Unmarshal(data, &manifest) != nil {
			continue
		}
		for _, name := range []string{"start", "dev", "serve"} {
			if manifest.Scripts[name] != "" {
				command := strings.Replace("npm run "+name, "run start", "start", 1)
				add(command, p, lineOf(data, max(0, bytes.Index(data, []byte(`"`+name+`"`)))))
			}
		}
	}
	if data, ok := repo.Text("Makefile"); ok {
		for _, m := range makeRun.FindAllSubmatchIndex(data, -1) {
			add("make "+string(data[m[2]:m[3]]), "Makefile", lineOf(data, m[0]))
		}
	}
	if data, ok := repo.Text(c.readme); ok && c.readme != "" {
		for _, m := range quoted.FindAllSubmatchIndex(data, maxRunners) {
			add(string(data[m[2]:m[3]]), c.readme, lineOf(data, m[0]))
		}
	}
	return out
}

// sections returns the sections of a document that say how to install, build or run a program.
func sections(p string, data []byte) (out []section) {
	inside, fenced, before := false, false, ""
	for n, line := range inspect.Lines(data) {
		text := strings.TrimSpace(line)
		fence := strings.HasPrefix(text, "```")
		title, at := "", n
		if m := heading.FindStringSubmatch(line); m != nil && !fenced {
			title = m[1]
		} else if before != "" && underline.MatchString(text) && path.Ext(p) != ".md" {
			title, at = before, n-1
		}
		switch {
		case title != "":
			if inside = howTo.MatchString(title); inside {
				out = append(out, section{title: clipWords(title, 8), at: where(p, at)})
			}
		case inside && out[len(out)-1].command == "" && text != "" && !fence && (fenced || isIndented(line)):
			out[len(out)-1].command = inspect.Clip(prompt.ReplaceAllString(text, ""), 80)
		}
		if fence {
			fenced = !fenced
		}
		before = text
	}
	return out
}

// isIndented reports whether a line of a document is code because of its indentation.
func isIndented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

var (
	asksHowTest = inspect.Pattern(`(?i)\bhow\b.*\b(run|start|execute|launch|call)\b.*\b(unit |all )?tests?\b|` +
		`\bhow (do|can|should|could|would|to)\b[^.]*\btest\b( (it|this|that|the \w+))?\W*$`)
	makeTest   = inspect.Pattern(`(?m)^(test|tests|check)\s*:(?:[^=]|$)`)
	nodeTest   = inspect.Pattern(`(?s)"scripts"\s*:\s*\{[^}]*?("test"\s*:)`)
	pytestPart = inspect.Pattern(`(?m)^\[(?:tool\.pytest\b[^\]]*|tool:pytest|pytest)\]`)
	toxPart    = inspect.Pattern(`(?m)^\[(?:tox|testenv|tool\.tox)\b[^\]]*\]`)
	wholeFile  = inspect.Pattern(``)
)

// noTest is in the script that npm writes into a package that has no tests.
const noTest = "no test specified"

// A runner is a command that runs tests if a file has some text.
type runner struct {
	file    string // the name of the file
	says    *inspect.Regexp
	command string
	lang    string // the language of which there must be tests, "" for any
}

// runners has the commands that run tests, those that a project chose itself first.
var runners = []runner{
	{"Makefile", makeTest, "make", ""}, {"makefile", makeTest, "make", ""}, {"GNUmakefile", makeTest, "make", ""},
	{"package.json", nodeTest, "npm test", ""}, {"tox.ini", toxPart, "tox", ""},
	{"pyproject.toml", toxPart, "tox", ""},
	{"pytest.ini", wholeFile, "python -m pytest", ""}, {"pyproject.toml", pytestPart, "python -m pytest", ""},
	{"setup.cfg", pytestPart, "python -m pytest", ""}, {"tox.ini", pytestPart, "python -m pytest", ""},
	{"go.mod", moduleLine, "go test ./...", "Go"}, {"Cargo.toml", wholeFile, "cargo test", ""},
}

// maxRunners is the number of commands that an answer names.
const maxRunners = 4

// howTests says with which commands the tests run, and which file says so.
func (t guide) howTests() (string, bool, error) {
	repo := t.review.repo
	var at []string
	for i := range repo.Files {
		if f := &repo.Files[i]; !f.Vendored && !f.Test {
			at = append(at, f.Path)
		}
	}
	at = nearRoot(at)
	tests := map[string]bool{}
	for i := range repo.Files {
		if f := &repo.Files[i]; f.Test && !f.Vendored {
			tests[f.Lang] = true
		}
	}
	var found []string
	seen := map[string]bool{} // commands by folder
	for _, r := range runners {
		for _, p := range at {
			if path.Base(p) != r.file || r.lang != "" && !tests[r.lang] {
				continue
			}
			command, line := r.in(repo, p)
			if key := dirOf(p) + ": " + command; command != "" && !seen[key] {
				seen[key] = true
				found = append(found, commandText(command, p, line))
			}
		}
	}
	if len(found) == 0 {
		c := count(repo)
		if c.tests == 0 {
			return "I find no tests here, and nothing that says how to run some.", true, t.ctx.Err()
		}
		return fmt.Sprintf("I find %s, the first %s, but nothing that says how to run them.", countOf(c.tests, "test file"),
			c.testPaths[0]), true, t.ctx.Err()
	}
	return "Run " + some(found, maxRunners) + ".", true, t.ctx.Err()
}

// in returns the command of the runner if the file at p says it, and the line; command is "" if it does not.
func (r *runner) in(repo *inspect.Repo, p string) (command string, line int) {
	data, ok := repo.Text(p)
	if !ok {
		return "", 0
	}
	m := r.says.FindSubmatchIndex(data)
	if m == nil {
		return "", 0
	}
	command, at := r.command, m[0]
	switch r.says {
	case makeTest:
		command += " " + string(data[m[2]:m[3]])
	case nodeTest:
		at = m[2]
		var manifest struct {
			Scripts map[string]string `json:"scripts"`
		}
		if err := json.Unmarshal(data, &manifest); err != nil || manifest.Scripts["test"] == "" ||
			strings.Contains(manifest.Scripts["test"], noTest) {
			return "", 0
		}
	case wholeFile:
		return command, 0
	}
	return command, lineOf(data, at)
}

// commandText formats a command with its folder and the place that says so.
func commandText(command, p string, line int) string {
	text := "`" + command + "`"
	if dir := dirOf(p); dir != "" {
		text += " in " + dir
	}
	return fmt.Sprintf("%s (%s)", text, where(p, line))
}
