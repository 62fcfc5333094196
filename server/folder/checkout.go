package folder

import (
	"os"
	"path/filepath"
	"strings"
)

// Checkout is a linked folder together with its worktrees: the one that contains it, and the others of the same
// repository. It reads the disk at each call and keeps nothing.
type Checkout struct {
	root   string // without links
	top    string // the top of the worktree, "" for none
	common string // the git folder that all worktrees share, "" for none
	prefix string // root below top, "" or with a "/" at its end
}

// CheckoutOf returns the Checkout of a linked folder.
func CheckoutOf(root string) Checkout {
	c := Checkout{root: real(root)}
	top, gitDir := discover(c.root)
	if gitDir != "" {
		c.top, c.common, c.prefix = top, real(commonDir(gitDir)), prefixOf(top, c.root)
	}
	return c
}

// Near reports whether a folder is the linked one, lies below it, or lies in another worktree of its repository.
func (c Checkout) Near(dir string) bool {
	dir = real(dir)
	if _, ok := below(c.root, dir); ok || dir == c.root {
		return true
	}
	_, ok := c.worktree(dir)
	return ok
}

// Place returns the place on the map of the file at an absolute path, with slashes. A file of another worktree has the
// place of the same file in the linked folder, and worktree is the name of that worktree's folder; for a file of the
// linked folder's own worktree it is "". ok is false for a file that has no place. Neither the file nor its folder need
// exist.
func (c Checkout) Place(path string) (rel, worktree string, ok bool) {
	if !filepath.IsAbs(path) {
		return "", "", false
	}
	path = filepath.Clean(path)
	dir := existing(filepath.Dir(path))
	path = filepath.Join(real(dir), strings.TrimPrefix(path, dir))
	if top, ok := c.worktree(real(dir)); ok {
		rel, ok = below(filepath.Join(top, filepath.FromSlash(c.prefix)), path)
		return rel, filepath.Base(top), ok
	}
	rel, ok = below(c.root, path)
	return rel, "", ok
}

// worktree returns the top folder of the worktree that contains dir, if that is another worktree of the same
// repository. dir has no links.
func (c Checkout) worktree(dir string) (top string, ok bool) {
	if c.common == "" {
		return "", false
	}
	top, gitDir := discover(dir)
	return top, gitDir != "" && top != c.top && real(commonDir(gitDir)) == c.common
}

// below returns path relative to the folder root, with slashes. ok is false if path does not lie below root.
func below(root, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(root, path)
	rel = filepath.ToSlash(rel)
	return rel, err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, "../")
}

// existing returns dir, or the nearest folder above it that exists.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// real returns path without links, or as it is if that is not possible.
func real(path string) string {
	if got, err := filepath.EvalSymlinks(path); err == nil {
		return got
	}
	return filepath.Clean(path)
}
