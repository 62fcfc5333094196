// Package bard holds the checks of the hero Bard, who looks after what a repository
// tells its readers: commands in the readme that do not exist, links that lead
// nowhere, packages and exported names without a word, a readme that is missing or
// empty, and options that no source knows.
//
// It never judges style, never follows a link out of the repository, and leaves alone
// what a site generator publishes, whose addresses it cannot know. inspect/heroes
// calls it.
package bard

import (
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

const hero = "bard"

// Checks are the Bard's.
func Checks() []inspect.Check {
	return []inspect.Check{
		{
			ID: "bard/command", Hero: hero,
			Looks: "commands in readmes and guides that cannot work: make targets, npm scripts, files and Go packages that are not there",
			Rule:  "Medium in a file at the root, else low.",
			Run:   commands,
		},
		{
			ID: "bard/link", Hero: hero,
			Looks: "relative links, images and anchors in Markdown that lead nowhere",
			Rule:  "Low always.",
			Run:   links,
		},
		{
			ID: "bard/package-comment", Hero: hero,
			Looks: "importable Go packages with exported names and no package comment",
			Rule:  "Low, info if more than four in five packages of a module have none.",
			Run:   packageComments,
		},
		{
			ID: "bard/undocumented", Hero: hero,
			Looks: "exported Go functions and types without a comment, in packages that otherwise explain theirs",
			Rule:  "Low always.",
			Run:   undocumented,
		},
		{
			ID: "bard/readme", Hero: hero,
			Looks: "a readme that is missing, or that says nothing about how to build, run or use the code",
			Rule:  "Low always.",
			Run:   readme,
		},
		{
			ID: "bard/option", Hero: hero,
			Looks: "flags and environment variables that the readme lists and no source knows",
			Rule:  "Low always.",
			Run:   options,
		},
	}
}

// aside reports whether a path lies where code is kept to be shown or copied.
func aside(p string) bool {
	for part := range strings.SplitSeq(strings.ToLower(path.Dir(p)), "/") {
		switch strings.TrimLeft(part, "_.") {
		case "example", "examples", "demo", "demos", "sample", "samples", "template", "templates", "starter", "starters", "boilerplate",
			"skeleton", "skeletons", "scaffold", "playground", "playgrounds", "archive", "archived", "node_modules":
			return true
		}
	}
	return false
}

var guideName = inspect.Pattern(`(?i)^(readme|contributing|developing|development|hacking|building|build|install|installation|getting[-_]?started|quick[-_]?start|usage)([._-].*)?\.(md|markdown)$`)

// guide reports whether a file is one that tells people which commands to run.
func guide(f *inspect.File) bool {
	return guideName.MatchString(f.Base()) && !f.Vendored && !f.Test && !aside(f.Path)
}

// upward returns a folder and those above it, the root ("") last.
func upward(dir string) []string {
	var out []string
	for dir != "" && dir != "." {
		out = append(out, dir)
		dir = path.Dir(dir)
	}
	return append(out, "")
}

// hiddenFrom are the folders that a view made without git leaves out, beside all whose
// names begin with a dot.
var hiddenFrom = map[string]bool{"node_modules": true, "__pycache__": true, "dist": true, "build": true, "coverage": true}

// pathIndex says what a view of a repository cannot show.
type pathIndex struct {
	whole   bool     // it shows hidden files too
	modules []string // folders of submodules
}

func indexPaths(r *inspect.Repo) *pathIndex {
	s := &pathIndex{}
	for i := range r.Files {
		if unshown(r.Files[i].Path) {
			s.whole = true
			break
		}
	}
	if data, ok := r.Text(".gitmodules"); ok {
		for _, line := range inspect.Lines(data) {
			if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "path" {
				s.modules = append(s.modules, strings.TrimSpace(value))
			}
		}
	}
	return s
}

func unshown(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if hiddenFrom[part] || strings.HasPrefix(part, ".") && part != ".env.example" {
			return true
		}
	}
	return false
}

// missing reports whether a path is certainly neither a file nor a folder: what lies in a
// submodule or behind a symbolic link, and what the view leaves out, may be there.
func (s *pathIndex) missing(r *inspect.Repo, p string) bool {
	if r.File(p) != nil || r.HasDir(p) || !s.whole && unshown(p) {
		return false
	}
	for _, dir := range upward(path.Dir(p)) {
		if r.File(dir) != nil || slices.Contains(s.modules, dir) {
			return false
		}
	}
	return !slices.Contains(s.modules, p)
}
