package prose

import (
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

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
