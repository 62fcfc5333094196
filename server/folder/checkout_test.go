package folder

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// worktrees returns a folder with the repository repo, its worktrees tree and repo/.trees/own, the link "link" to repo,
// and the repository repo2.
func worktrees(t *testing.T) (base string) {
	t.Helper()
	base = t.TempDir()
	git := func(dir string, args ...string) {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)
		c := exec.Command("git", args...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, dir := range []string{"repo/src/deep", "repo2", "plain/sub"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	repo, tree := filepath.Join(base, "repo"), filepath.Join(base, "tree")
	git(repo, "init", "-q")
	git(repo, "commit", "-q", "--allow-empty", "-m", "x")
	git(repo, "worktree", "add", "-q", tree)
	git(repo, "worktree", "add", "-q", filepath.Join(repo, ".trees", "own"))
	git(filepath.Join(base, "repo2"), "init", "-q")
	if err := os.Mkdir(filepath.Join(tree, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(repo, filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	return base
}

// A session of a coding agent belongs to a linked folder if its working directory is that folder, is below it or is in
// another worktree.
func TestCheckoutNear(t *testing.T) {
	base := worktrees(t)
	for _, c := range []struct {
		root, dir string
		want      bool
	}{
		{"repo", "repo", true}, {"repo", "repo/src/deep", true}, {"repo", "tree", true}, {"repo", "tree/sub", true},
		{"tree", "repo/src", true}, {"link", "repo/src", true}, {"repo", "link/src", true},
		{"repo", "repo2", false}, {"repo", "", false}, {"repo/src", "repo", false}, {"repo/src", "tree", true},
		{"repo", "repo/gone", true}, {"repo", "gone", false}, {"plain", "plain/sub", true}, {"plain", "repo", false},
		{"plain/sub", "plain", false},
	} {
		if got := CheckoutOf(filepath.Join(base, c.root)).Near(filepath.Join(base, c.dir)); got != c.want {
			t.Errorf("%s belongs to %s: %v", c.dir, c.root, got)
		}
	}
}

// A file of another worktree has the place of the same file in the linked folder, also if that worktree is below the
// linked folder, or the linked folder is below the top of its own worktree. A file that does not exist has a place too
// (P17.10).
func TestCheckoutPlace(t *testing.T) {
	base := worktrees(t)
	for _, c := range []struct{ root, file, rel, worktree string }{
		{"repo", "repo/src/a.go", "src/a.go", ""},
		{"repo", "repo/gone/deep/a.go", "gone/deep/a.go", ""},
		{"repo", "link/src/a.go", "src/a.go", ""},
		{"link", "repo/src/../a.go", "a.go", ""},
		{"repo", "tree/src/a.go", "src/a.go", "tree"},
		{"repo", "repo/.trees/own/src/a.go", "src/a.go", "own"},
		{"tree", "repo/src/a.go", "src/a.go", "repo"},
		{"repo/src", "repo/src/deep/a.go", "deep/a.go", ""},
		{"repo/src", "tree/src/deep/a.go", "deep/a.go", "tree"},
		{"repo/src", "tree/a.go", "", ""},
		{"repo/src", "repo/a.go", "", ""},
		{"repo", "repo2/a.go", "", ""},
		{"repo", "repo", "", ""},
		{"plain", "plain/sub/a.go", "sub/a.go", ""},
		{"plain", "repo/a.go", "", ""},
	} {
		rel, worktree, ok := CheckoutOf(filepath.Join(base, c.root)).Place(filepath.Join(base, c.file))
		if !ok {
			rel, worktree = "", ""
		}
		if rel != c.rel || worktree != c.worktree {
			t.Errorf("%s in %s: %q of the worktree %q, want %q of %q", c.file, c.root, rel, worktree, c.rel, c.worktree)
		}
	}
	if rel, _, ok := CheckoutOf(base).Place("repo/a.go"); ok {
		t.Errorf("a path that is not absolute has the place %q", rel)
	}
}
