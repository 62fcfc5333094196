package folder

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
)

func openTestFS(t *testing.T) (*RootFS, string) {
	t.Helper()
	base := t.TempDir()
	write(t, base, map[string]string{
		"secret.txt": "TOPSECRET", "repo/file": "inside", "repo/dir/f": "deep", "repo/link-in": "-> dir/f", "repo/dir/up": "-> ../file", "repo/a..b": "legal",
		"repo/link-file": "-> ../secret.txt", "repo/link-dir": "-> ..", "repo/link-abs": "-> " + filepath.Join(base, "secret.txt"),
		"repo/dir/far": "-> ../../secret.txt", "repo/twice": "-> link-dir/secret.txt", "repo/todir": "-> dir",
	})
	r, err := OpenFS(filepath.Join(base, "repo"))
	must(t, err)
	t.Cleanup(func() { must(t, r.Close()) })
	return r, base
}

// facts.md, "Symlink escape": BasePathFs leaks all of these.
func TestRootFSRefusesWhatLeadsOut(t *testing.T) {
	r, _ := openTestFS(t)
	for _, name := range []string{
		"../secret.txt", "/../secret.txt", "dir/../../secret.txt", "link-file", "link-dir/secret.txt", "link-dir", "link-dir/repo/file", "link-abs", "dir/far", "twice", "..",
		"todir/../../secret.txt",
	} {
		if f, err := r.Open(name); err == nil || f != nil {
			t.Errorf("Open(%q) = %v, %v", name, f, err)
		}
		if f, err := r.OpenFile(name, os.O_RDONLY, 0); err == nil || f != nil {
			t.Errorf("OpenFile(%q) = %v, %v", name, f, err)
		}
		if _, err := r.Stat(name); err == nil {
			t.Errorf("Stat(%q) tells about what lies outside", name)
		}
		if data, err := afero.ReadFile(r, name); err == nil || strings.Contains(string(data), "TOPSECRET") {
			t.Errorf("ReadFile(%q) = %q", name, data)
		}
	}
	if _, _, err := r.LstatIfPossible("link-dir/secret.txt"); err == nil {
		t.Error("LstatIfPossible goes through a link that leads out")
	}
	if _, err := r.ReadlinkIfPossible("link-dir/repo/link-in"); err == nil {
		t.Error("ReadlinkIfPossible goes through a link that leads out")
	}
}

func TestRootFSReads(t *testing.T) {
	r, _ := openTestFS(t)
	for name, want := range map[string]string{
		"file": "inside", "/file": "inside", "dir/f": "deep", "link-in": "deep", "dir/up": "inside", "todir/f": "deep", "a..b": "legal", "dir/../file": "inside", "./file": "inside",
	} {
		data, err := afero.ReadFile(r, name)
		if err != nil || string(data) != want {
			t.Errorf("ReadFile(%q) = %q, %v", name, data, err)
		}
	}
	for _, root := range []string{"", ".", "/"} {
		infos, err := afero.ReadDir(r, root)
		if err != nil || len(infos) != 9 {
			t.Errorf("ReadDir(%q) = %d, %v", root, len(infos), err)
		}
	}
	seen := map[string]bool{}
	must(t, afero.Walk(r, "", func(path string, _ fs.FileInfo, err error) error {
		seen[path] = err == nil
		return nil
	}))
	if !seen["dir/f"] || len(seen) != 13 {
		t.Errorf("Walk saw %v", slices.Sorted(maps.Keys(seen)))
	}
	info, lstat, err := r.LstatIfPossible("link-file")
	if err != nil || !lstat || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("Lstat of a link: %v, %v, %v", info, lstat, err)
	}
	if to, err := r.ReadlinkIfPossible("link-file"); err != nil || to != "../secret.txt" {
		t.Errorf("Readlink: %q, %v", to, err)
	}
	if _, err := r.Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestRootFSWritesNothing(t *testing.T) {
	r, base := openTestFS(t)
	create := func(flag int) error { _, err := r.OpenFile("new", flag, 0o644); return err }
	_, createErr := r.Create("new")
	for what, err := range map[string]error{
		"create": createErr, "mkdir": r.Mkdir("d", 0o755), "mkdirall": r.MkdirAll("d/e", 0o755), "remove": r.Remove("file"), "removeall": r.RemoveAll("dir"),
		"rename": r.Rename("file", "other"), "chmod": r.Chmod("file", 0), "chown": r.Chown("file", 1, 1), "chtimes": r.Chtimes("file", time.Time{}, time.Time{}),
		"wronly": create(os.O_WRONLY), "rdwr": create(os.O_RDWR), "append": create(os.O_APPEND), "create flag": create(os.O_CREATE), "trunc": create(os.O_TRUNC),
		"outside": r.Remove("link-dir/secret.txt"),
	} {
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", what, err)
		}
	}
	f, err := r.Open("file")
	must(t, err)
	if _, err := f.Write([]byte("x")); err == nil {
		t.Error("an open file takes writes")
	}
	must(t, f.Close())
	if data, err := os.ReadFile(filepath.Join(base, "repo/file")); err != nil || string(data) != "inside" {
		t.Errorf("%q, %v", data, err)
	}
}

// A pipe would block whoever opens it.
func TestRootFSOpensNoPipe(t *testing.T) {
	r, base := openTestFS(t)
	must(t, syscall.Mkfifo(filepath.Join(base, "repo/pipe"), 0o644))
	if f, err := r.Open("pipe"); err == nil || f != nil {
		t.Errorf("%v, %v", f, err)
	}
}
