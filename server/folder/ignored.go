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

// Ignored returns a function that reports whether git leaves the file at an absolute path out: an ignore rule matches
// it and git does not track it, or it belongs to git itself. The file need not exist. A link is left out if it, or
// the file that it leads to, is. The function reads the disk and remembers the rules that it has read, so it serves one
// reading and is not kept.
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
