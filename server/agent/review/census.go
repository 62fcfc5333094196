package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// census counts the files of a repository. It looks only at their names and sizes.
type census struct {
	dirs, sources, tests, docs      int
	readme                          string
	langs                           map[string]int // bytes of source by language
	testLangs                       map[string]int // bytes of tests by language
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

var manifestNames = []string{"go.mod", "package.json", "requirements.txt", "pyproject.toml", "setup.cfg", "setup.py",
	"Cargo.toml", "pom.xml", "build.gradle", "Gemfile", "composer.json", "Dockerfile"}

// count returns the census of a repository.
func count(r *inspect.Repo) *census {
	c := &census{langs: map[string]int{}, testLangs: map[string]int{}, tops: map[string]int{}}
	dirs := map[string]bool{}
	for i := range r.Files {
		f := &r.Files[i]
		for d := f.Dir(); d != "" && !dirs[d]; d = dirOf(d) {
			dirs[d] = true
		}
		top, _, below := strings.Cut(f.Path, "/")
		if below {
			c.tops[top]++
		}
		base := f.Base()
		if !below && strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), "readme") &&
			(c.readme == "" || f.Lang == "Markdown") {
			c.readme = f.Path
		}
		if f.Vendored {
			continue
		}
		switch {
		case inspect.IsCode(f.Lang) && f.Test:
			c.tests++
			c.testLangs[f.Lang] += int(f.Size)
			c.testPaths = append(c.testPaths, f.Path)
		case inspect.IsCode(f.Lang):
			c.sources++
			c.langs[f.Lang] += int(f.Size)
			c.sourcePaths = append(c.sourcePaths, f.Path)
			c.byLines = append(c.byLines, sized{f.Path, f.Size})
		case f.Lang == "Markdown":
			c.docs++
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
		if !f.Test &&
			(strings.HasPrefix(base, ".env") || f.Lang == "Shell" || f.Lang == "YAML" || f.Lang == "TOML" || f.Lang == "INI" ||
				base == "Dockerfile") {
			c.settings = append(c.settings, f.Path)
		}
	}
	c.dirs = len(dirs)
	slices.SortStableFunc(c.byLines, func(a, b sized) int { return int(b.size - a.size) })
	return c
}

// languages lists the languages of the source files, the one with the most bytes first, and then those that only tests
// have, so that no language is missing that the coverage of a review names.
func (c *census) languages() string {
	const named = 3
	if len(c.langs) == 0 {
		return "no source that I recognise"
	}
	out := heaviestNames(c.langs, named)
	if more := len(c.langs) - len(out); more > 0 {
		out = append(out, countOf(more, "other language"))
	}
	text := "source in " + list(out)
	onlyTests := slices.DeleteFunc(heaviestNames(c.testLangs, len(c.testLangs)), func(lang string) bool {
		return c.langs[lang] > 0
	})
	if len(onlyTests) > 0 {
		text += ", tests also in " + some(onlyTests, named)
	}
	return text
}

// seen divides the languages of the source into known, which at least one of the checks can read, and unknown. The
// language with the most bytes comes first.
func (c *census) seen(checks []*inspect.Check) (known, unknown []string) {
	for _, lang := range heaviestNames(c.langs, len(c.langs)) {
		if slices.ContainsFunc(checks, func(k *inspect.Check) bool { _, ok := k.Sees(lang); return ok }) {
			known = append(known, lang)
		} else {
			unknown = append(unknown, lang)
		}
	}
	return known, unknown
}

// largest lists the n largest source files.
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

// largestText names the largest source files in a sentence.
func (c *census) largestText() string {
	return "The largest source files are " + list(c.largest(5)) + "."
}

// mostChanged returns the source file with the most commits.
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

// packages lists the packages of the repository that other programs can depend on, counted by their manifests.
func (c *census) packages() string {
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
