package folder

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/dungeon"
)

// alone makes a new home folder for git and the scan, so that they ignore the machine's settings.
func alone(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	for _, v := range []string{"GIT_CONFIG_GLOBAL", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CEILING_DIRECTORIES"} {
		t.Setenv(v, "") // put back at the end
		if err := os.Unsetenv(v); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NO GIT HERE: what the map shows is not compared with git ls-files")
	}
}

func git(t testing.TB, dir string, args ...string) []byte {
	t.Helper()
	// Without maintenance and fsync, a commit is one process and does not wait for the disk.
	args = append([]string{
		"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always",
		"-c", "init.defaultBranch=main", "-c", "maintenance.auto=false", "-c", "core.fsync=none",
	}, args...)
	c := exec.Command("git", args...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("git %q in %s: %v\n%s", args, dir, err, stderr.Bytes())
	}
	return out
}

// write makes files: a path that ends in "/" is an empty folder, a content that
// begins with "-> " a link.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, ok := strings.CutPrefix(files[name], "-> "); ok {
			must(t, os.Symlink(target, path))
			continue
		}
		must(t, os.WriteFile(path, []byte(files[name]), 0o644))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func scanOf(t testing.TB, dir string, opts Options) (*dungeon.Tree, Info) {
	t.Helper()
	tree, info, err := Scan(context.Background(), dir, opts)
	if err != nil {
		t.Fatalf("Scan(%s): %v", dir, err)
	}
	return tree, info
}

// shown returns the paths of files and links, in wire form.
func shown(tree *dungeon.Tree) map[string]bool {
	out := map[string]bool{}
	for e := range tree.All {
		if !e.Folder {
			out[e.Path] = true
		}
	}
	return out
}

// named returns the paths that git lists, without deleted files and links that lead out.
func named(t testing.TB, dir string, leave ...string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for name := range strings.SplitSeq(string(git(t, dir, "ls-files", "-z", "-co", "--exclude-standard")), "\x00") {
		name = strings.TrimSuffix(name, "/")
		if name == "" || slices.Contains(leave, name) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			out[dungeon.EncodePath(name)] = true
		}
	}
	return out
}

// sameAsGit compares the map with git ls-files; leave are links that lead out.
func sameAsGit(t testing.TB, dir string, leave ...string) {
	t.Helper()
	tree, info := scanOf(t, dir, Options{})
	if info.Map.Source != SourceGit || info.Cut || info.UnreadTotal != 0 || len(info.Notices) != 0 {
		t.Errorf("info is %+v", info)
	}
	got, want := shown(tree), named(t, dir, leave...)
	if len(got) != info.Map.Files {
		t.Errorf("%d files are counted, %d are there", info.Map.Files, len(got))
	}
	for _, p := range slices.Sorted(maps.Keys(want)) {
		if !got[p] {
			t.Errorf("git names %q, the map does not", p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(got)) {
		if !want[p] {
			t.Errorf("the map shows %q, git does not name it", p)
		}
	}
	for e := range tree.All {
		if e.Folder && e.Files == 0 && e.Path != "" {
			t.Errorf("folder %q is empty, git does not know such", e.Path)
		}
	}
}
