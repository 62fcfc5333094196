package scout

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// census counts what lies in a repository, by name and size alone.
type census struct {
	dirs, sources, tests, docs      int
	readme                          string
	langs                           map[string]int // bytes of source by language
	tops                            map[string]int // files by top-level folder
	settings, manifests             []string
	sourcePaths, testPaths          []string
	byLines                         []sized
	goModules, nodePackages, python int
}

type sized struct {
	path string
	size int64
}

// code are the languages that count as source.
var code = map[string]bool{
	"Go": true, "TypeScript": true, "TSX": true, "JavaScript": true, "Python": true, "Rust": true, "Java": true, "Kotlin": true, "C": true,
	"C++": true, "C#": true, "Ruby": true, "PHP": true, "Swift": true, "Scala": true, "Shell": true, "Perl": true, "Lua": true, "Dart": true,
	"Elixir": true, "Erlang": true, "Haskell": true, "OCaml": true, "Clojure": true, "R": true, "Julia": true, "Zig": true, "Vue": true, "Svelte": true, "SQL": true,
}

var manifestNames = []string{"go.mod", "package.json", "requirements.txt", "pyproject.toml", "Cargo.toml", "pom.xml", "build.gradle", "Gemfile", "composer.json", "Dockerfile"}

func count(r *inspect.Repo) *census {
	c := &census{langs: map[string]int{}, tops: map[string]int{}}
	dirs := map[string]bool{}
	for i := range r.Files {
		f := &r.Files[i]
		for d := f.Dir(); d != "" && !dirs[d]; d = dirOf(d) {
			dirs[d] = true
		}
		if f.Vendored {
			continue
		}
		top, _, below := strings.Cut(f.Path, "/")
		if below {
			c.tops[top]++
		}
		base := f.Base()
		switch {
		case code[f.Lang] && f.Test:
			c.tests++
			c.testPaths = append(c.testPaths, f.Path)
		case code[f.Lang]:
			c.sources++
			c.langs[f.Lang] += int(f.Size)
			c.sourcePaths = append(c.sourcePaths, f.Path)
			c.byLines = append(c.byLines, sized{f.Path, f.Size})
		case f.Lang == "Markdown":
			c.docs++
			if c.readme == "" && !below && strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), "readme") {
				c.readme = f.Path
			}
		}
		if slices.Contains(manifestNames, base) && !f.Test {
			c.manifests = append(c.manifests, f.Path)
			switch base {
			case "go.mod":
				c.goModules++
			case "package.json":
				c.nodePackages++
			case "pyproject.toml":
				c.python++
			}
		}
		if !f.Test && (strings.HasPrefix(base, ".env") || f.Lang == "Shell" || f.Lang == "YAML" || f.Lang == "TOML" || f.Lang == "INI" || base == "Dockerfile") {
			c.settings = append(c.settings, f.Path)
		}
	}
	c.dirs = len(dirs)
	slices.SortStableFunc(c.byLines, func(a, b sized) int { return int(b.size - a.size) })
	return c
}

// languages names the two with the most bytes.
func (c *census) languages() string {
	var out []string
	for _, l := range heaviestOf(c.langs, 2) {
		out = append(out, l.name)
	}
	if len(out) == 0 {
		return "not code"
	}
	return list(out)
}

// spoken are the languages that checks read as code.
func (c *census) spoken() string {
	var out []string
	for _, l := range []string{"Go", "TypeScript", "JavaScript", "Python"} {
		if c.langs[l] > 0 {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return "none of them in a language that I read as code"
	}
	return list(out)
}

func (c *census) heaviest(n int) []string {
	var out []string
	for _, d := range heaviestOf(c.tops, n) {
		out = append(out, fmt.Sprintf("%s (%s)", d.name, countOf(d.n, "file")))
	}
	return out
}

func (c *census) heaviestDirs(n int) []string {
	var out []string
	for _, d := range heaviestOf(c.tops, n) {
		out = append(out, d.name)
	}
	return out
}

func (c *census) largest(n int) []string {
	var out []string
	for _, f := range c.byLines[:min(n, len(c.byLines))] {
		out = append(out, fmt.Sprintf("%s (%d KB)", f.path, (f.size+1023)/1024))
	}
	if len(out) == 0 {
		return []string{"none of source"}
	}
	return out
}

// mostChanged is the source file with the most commits.
func (c *census) mostChanged(r *inspect.Repo) (string, inspect.Past, bool) {
	var at string
	var most inspect.Past
	for _, p := range c.sourcePaths {
		if past, ok := r.History.Past(p); ok && past.Commits > most.Commits {
			at, most = p, past
		}
	}
	return at, most, at != ""
}

func (c *census) surface(r *inspect.Repo) string {
	var out []string
	if c.goModules > 0 {
		out = append(out, countOf(c.goModules, "Go module"))
	}
	if c.nodePackages > 0 {
		out = append(out, countOf(c.nodePackages, "package.json file"))
	}
	if c.python > 0 {
		out = append(out, countOf(c.python, "Python project"))
	}
	if len(out) == 0 {
		return "nothing that says so in a manifest"
	}
	return list(out)
}
