package forge

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Hints are what the linked repository shows, for questions that offer it. The zero
// value is no repository. All of it is the repository's text: it is shown on one line
// and in quotes, and comes into a skill only where a person takes it.
type Hints struct {
	Repo      string   // its name
	Languages []string // the most used first
	Commands  []Command
	Docs      []string // paths, as are Scripts and CI
	Scripts   []string
	CI        []string
}

// Command is a command that a file of the repository names.
type Command struct {
	Does string `json:"does"` // test, build, lint, format, release or run
	Run  string `json:"run"`  // as it is typed: "make test"
	From string `json:"from"` // the file that names it
}

const maxHints = 12 // of each kind

// HintsOf reads hints out of the repository's paths and of those small files among them
// whose text tells commands (HintFiles), which the caller reads: at most 64 KB each.
func HintsOf(repo string, languages, paths []string, texts map[string]string) Hints {
	h := Hints{Repo: repo, Languages: languages[:min(len(languages), maxHints)]}
	for _, p := range paths {
		base, dir := strings.ToLower(path.Base(p)), path.Dir(p)
		switch {
		case strings.HasPrefix(p, ".github/workflows/") || base == ".gitlab-ci.yml" || base == "jenkinsfile" || p == ".circleci/config.yml":
			h.CI = append(h.CI, p)
		case (dir == "scripts" || dir == "tools" || dir == "bin" || dir == "hack") && (strings.HasSuffix(base, ".sh") || strings.HasSuffix(base, ".py") || strings.HasSuffix(base, ".js")):
			h.Scripts = append(h.Scripts, p)
		case strings.HasSuffix(base, ".md") && (dir == "." || strings.HasPrefix(p, "docs/") || strings.HasPrefix(p, "doc/")) && base != "license.md":
			h.Docs = append(h.Docs, p)
		}
	}
	for _, list := range []*[]string{&h.CI, &h.Scripts, &h.Docs} {
		slices.SortStableFunc(*list, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
		*list = (*list)[:min(len(*list), maxHints)]
	}
	for _, name := range HintFiles {
		if text, ok := texts[name]; ok {
			h.Commands = append(h.Commands, commands(name, text)...)
		}
	}
	seen := map[string]bool{}
	h.Commands = slices.DeleteFunc(h.Commands, func(c Command) bool {
		again := seen[c.Does]
		seen[c.Does] = true
		return again
	})
	return h
}

// HintFiles are the files whose text HintsOf reads, the one that decides first.
var HintFiles = []string{"Makefile", "package.json", "pyproject.toml", "go.mod", "Cargo.toml"}

var (
	makeTarget = regexp.MustCompile(`(?m)^(test|check|build|lint|fmt|format|release|run)[ \t]*:(?:[^=]|$)`)
	does       = map[string]string{"check": "test", "fmt": "format", "start": "run", "dev": "run"}
)

func commands(file, text string) []Command {
	var out []Command
	add := func(target, run string) {
		what := target
		if d := does[target]; d != "" {
			what = d
		}
		out = append(out, Command{Does: what, Run: run, From: file})
	}
	switch file {
	case "Makefile":
		for _, m := range makeTarget.FindAllStringSubmatch(text, -1) {
			add(m[1], "make "+m[1])
		}
	case "package.json":
		var p struct {
			Scripts map[string]string `json:"scripts"`
		}
		if json.Unmarshal([]byte(text), &p) != nil {
			return nil // a file that npm would not read either names no commands
		}
		for _, s := range slices.Sorted(maps.Keys(p.Scripts)) {
			switch s {
			case "test", "build", "lint", "format", "release", "start", "dev":
				add(s, "npm run "+s)
			}
		}
	case "pyproject.toml":
		if strings.Contains(text, "pytest") {
			add("test", "python -m pytest")
		}
		if strings.Contains(text, "[tool.ruff") {
			add("lint", "ruff check")
		}
		if strings.Contains(text, "[build-system]") {
			add("build", "python -m build")
		}
	case "go.mod":
		add("test", "go test ./...")
		add("build", "go build ./...")
	case "Cargo.toml":
		add("test", "cargo test")
		add("build", "cargo build")
	}
	return out
}

// code sets a text of the repository or of a person in a sentence: on one line, without
// the mark that it is set apart with. It is "" for nothing.
func code(s string) string {
	if s = line(strings.ReplaceAll(s, "`", ""), 120); s == "" {
		return ""
	}
	return "`" + s + "`"
}

// commands are those that may be offered.
func (h Hints) commands() []Command {
	var out []Command
	for _, c := range h.Commands {
		if c.Run = line(c.Run, 120); c.Run != "" && len(out) < maxHints {
			out = append(out, c)
		}
	}
	return out
}

// from says where a command stands.
func (c Command) from() string {
	if f := code(c.From); f != "" {
		return fmt.Sprintf("%s, from %s", code(c.Run), f)
	}
	return code(c.Run)
}

var program = regexp.MustCompile(`^[A-Za-z0-9._/-]*[A-Za-z0-9]$`)

// toolOf is the permission to run a command: its program and first word, whatever
// follows.
func toolOf(run string) string {
	f := strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("()`'\"$;&|<>\\", r) {
			return ' '
		}
		return r
	}, run))
	if len(f) == 0 || !program.MatchString(f[0]) {
		return ""
	}
	if len(f) > 1 && !strings.HasPrefix(f[1], "-") && !strings.ContainsAny(f[1], "/.:") {
		f[0] += " " + f[1]
	}
	tool := "Bash(" + f[0] + ":*)"
	if !validTool(tool) {
		return ""
	}
	return tool
}

// LanguagesOf are the languages that the endings of paths tell, the most used first.
func LanguagesOf(paths []string) []string {
	count := map[string]int{} // at most as long as endings
	for _, p := range paths {
		if l := endings[strings.ToLower(path.Ext(p))]; l != "" {
			count[l]++
		}
	}
	out := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(out, func(a, b string) int { return count[b] - count[a] })
	return out
}

// endings of source files.
var endings = map[string]string{
	".go": "Go", ".py": "Python", ".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".ts": "TypeScript", ".tsx": "TypeScript",
	".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".rb": "Ruby", ".php": "PHP", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++",
	".cs": "C#", ".swift": "Swift", ".scala": "Scala", ".ex": "Elixir", ".exs": "Elixir", ".hs": "Haskell", ".lua": "Lua", ".sh": "Shell",
	".sql": "SQL", ".css": "CSS", ".html": "HTML", ".vue": "Vue", ".dart": "Dart", ".zig": "Zig",
}
