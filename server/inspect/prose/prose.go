// Package prose checks what a repository tells its readers: links in Markdown that lead nowhere.
//
// It never judges style and never follows a link out of the repository. It skips files from which a site generator
// builds web pages, because it cannot know the addresses of the pages. It owns no state. inspect/heroes lists its
// checks. Its name is not docs, because our own review takes what is in a folder of that name for documentation.
package prose

import (
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Checks returns the checks of what documents say: those that search Markdown for broken links.
func Checks() []inspect.Check {
	return []inspect.Check{
		{
			ID: "bard/link", Hero: "bard", Confidence: inspect.Doubtful,
			Looks: "relative links, images and anchors in Markdown whose target does not exist",
			Rule:  "Low, and always a candidate: the finding is true, but most maintainers do not mend the link.",
			Run:   links,
		},
	}
}

// aside reports whether a path is in a folder for examples or templates.
func aside(p string) bool {
	for part := range strings.SplitSeq(strings.ToLower(path.Dir(p)), "/") {
		switch strings.TrimLeft(part, "_.") {
		case "example", "examples", "demo", "demos", "sample", "samples", "template", "templates", "starter", "starters",
			"boilerplate", "skeleton", "skeletons", "scaffold", "playground", "playgrounds", "archive", "archived",
			"node_modules":
			return true
		}
	}
	return false
}

// hiddenFrom lists the folders that Repo.Files omits if the linked folder is not a git repository. Repo.Files then also
// omits all folders whose names begin with a dot.
var hiddenFrom = map[string]bool{"node_modules": true, "__pycache__": true, "dist": true, "build": true,
	"coverage": true}

// pathIndex decides whether a path that is not in Repo.Files may exist on disk all the same, for example in a
// hidden folder.
type pathIndex struct {
	whole   bool     // Repo.Files has hidden files too
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

// missing reports whether a path is certainly neither a file nor a folder. It returns false for a path in a submodule,
// behind a symbolic link, or omitted by Repo.Files, because such a path may exist.
func (s *pathIndex) missing(r *inspect.Repo, p string) bool {
	if r.File(p) != nil || r.HasDir(p) || !s.whole && unshown(p) {
		return false
	}
	for _, dir := range inspect.Upward(path.Dir(p)) {
		if r.File(dir) != nil || slices.Contains(s.modules, dir) {
			return false
		}
	}
	return !slices.Contains(s.modules, p)
}
