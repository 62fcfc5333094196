package folder

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxIgnoredDirs limits the folders whose rules Ignored remembers; it forgets all of them when there are more.
const maxIgnoredDirs = 256

// Ignored returns a function that reports whether git leaves out the file at an absolute path: an ignore rule matches
// the file and git does not track it, or it belongs to git's own data. The file need not exist. A link is left out if
// git leaves out the link itself or the file that it leads to. The function remembers the rules that it has read, so it
// must be used for a short time only.
func Ignored(ctx context.Context) func(path string) bool {
	dirs := map[string]*repository{}
	around := func(dir string) *repository {
		if r, ok := dirs[dir]; ok {
			return r
		}
		if len(dirs) == maxIgnoredDirs {
			clear(dirs)
		}
		r := repositoryAround(ctx, dir, func(string) {})
		if r != nil && !r.ignored {
			r.addFile(filepath.Join(dir, ".gitignore"), false, func(string) {})
		}
		dirs[dir] = r
		return r
	}
	leftOut := func(path string) bool {
		dir, name := filepath.Split(path)
		dir = filepath.Clean(dir)
		if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), ".git") {
			return true
		}
		r := around(dir)
		if r == nil {
			return false
		}
		info, err := os.Stat(path)
		folder := err == nil && info.IsDir()
		if !r.ignored && !r.rules.match(foldName(name, r.fold), folder) {
			return false
		}
		return !r.index.has(name) && !(folder && r.index.below(name))
	}
	return func(path string) bool {
		if path = filepath.Clean(path); !filepath.IsAbs(path) || path == string(filepath.Separator) {
			return false
		}
		named := filepath.Join(real(filepath.Dir(path)), filepath.Base(path))
		if leftOut(named) {
			return true
		}
		target := real(path)
		return target != named && leftOut(target)
	}
}
