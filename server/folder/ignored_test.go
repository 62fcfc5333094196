package folder_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"agentdungeon/server/folder"
)

// A file is ignored if git check-ignore says so: rules at each level, tracked files, links, files that are gone, other
// worktrees and git's own folder (P17.9).
func TestIgnoredAsGitDoes(t *testing.T) {
	top := filepath.Join(t.TempDir(), "repo")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", top, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".gitignore", ".env\n/build/\n*.log\n")
	git("init", "-q")
	write("sub/.gitignore", "!keep.log\nlocal/\n")
	for _, name := range []string{".env", "sub/.env", "build/a/b.txt", "build/tracked.txt", "sub/keep.log", "sub/x.log",
		"sub/local/x", "main.go"} {
		write(name, "x")
	}
	git("add", "-f", "build/tracked.txt", "main.go", ".gitignore")
	git("commit", "-qm", "x")
	git("worktree", "add", "-q", "build/tree")
	if err := os.Symlink(".env", filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		".env": true, "sub/.env": true, "gone/.env": true, "build/a/b.txt": true, "build/gone/x": true,
		"build/tracked.txt": false, "sub/keep.log": false, "sub/x.log": true, "sub/local/x": true, "sub/local": true,
		"main.go": false, "link": true, ".git/config": true, "build": false, "build/tree/main.go": false,
		"build/tree/.env": true, "../outside/.env": false,
	} {
		if got := folder.Ignored(context.Background())(filepath.Join(top, name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
