package folder

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

func openTestRoot(t *testing.T) (plainFiles, string) {
	t.Helper()
	base := t.TempDir()
	write(t, base, map[string]string{
		"secret.txt": "TOPSECRET", "repo/file": "inside", "repo/dir/f": "deep", "repo/link-in": "-> dir/f", "repo/dir/up": "-> ../file",
		"repo/a..b": "legal", "repo/link-file": "-> ../secret.txt", "repo/link-dir": "-> ..",
		"repo/link-abs": "-> " + filepath.Join(base, "secret.txt"),
		"repo/dir/far":  "-> ../../secret.txt", "repo/twice": "-> link-dir/secret.txt", "repo/todir": "-> dir",
	})
	root, err := openRoot(filepath.Join(base, "repo"))
	must(t, err)
	t.Cleanup(func() { must(t, root.Close()) })
	return plainFiles{root}, base
}

// A linked folder's file system opens no path that leads out of the folder, not even by way of symbolic links.
func TestRootFSRefusesWhatLeadsOut(t *testing.T) {
	p, _ := openTestRoot(t)
	for _, name := range []string{
		"../secret.txt", "/../secret.txt", "dir/../../secret.txt", "link-file", "link-dir/secret.txt", "link-dir",
		"link-dir/repo/file", "link-abs", "dir/far", "twice", "..", "todir/../../secret.txt",
	} {
		if f, err := p.Open(name); err == nil || f != nil {
			t.Errorf("Open(%q) = %v, %v", name, f, err)
		}
		if _, err := fs.Stat(p, name); err == nil {
			t.Errorf("Stat(%q) tells about what lies outside", name)
		}
		if data, err := fs.ReadFile(p, name); err == nil || strings.Contains(string(data), "TOPSECRET") {
			t.Errorf("ReadFile(%q) = %q", name, data)
		}
	}
	if _, err := p.root.Lstat("link-dir/secret.txt"); err == nil {
		t.Error("Lstat goes through a link that leads out")
	}
	if _, err := p.root.Readlink("link-dir/repo/link-in"); err == nil {
		t.Error("Readlink goes through a link that leads out")
	}
}

func TestRootFSReads(t *testing.T) {
	p, _ := openTestRoot(t)
	for name, want := range map[string]string{"file": "inside", "dir/f": "deep", "todir/f": "deep", "a..b": "legal"} {
		data, err := fs.ReadFile(p, name)
		if err != nil || string(data) != want {
			t.Errorf("ReadFile(%q) = %q, %v", name, data, err)
		}
	}
	for name, want := range map[string]error{
		"": fs.ErrInvalid, "/": fs.ErrInvalid, "/file": fs.ErrInvalid, "dir/../file": fs.ErrInvalid, "./file": fs.ErrInvalid,
		"link-in": errLink, "dir/up": errLink, "todir": errLink, "dir": errFolder, "none": fs.ErrNotExist,
	} {
		if _, err := p.Open(name); !errors.Is(err, want) {
			t.Errorf("Open(%q): %v, want %v", name, err, want)
		}
	}
	if entries, err := fs.ReadDir(p, "."); err != nil || len(entries) != 9 {
		t.Errorf("the root has %d entries, %v", len(entries), err)
	}
	if info, err := p.root.Lstat("link-file"); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("Lstat of a link: %v, %v", info, err)
	}
	if to, err := p.root.Readlink("link-file"); err != nil || to != "../secret.txt" {
		t.Errorf("Readlink: %q, %v", to, err)
	}
}

// The type has no method that writes, and its files take no writes.
func TestRootFSWritesNothing(t *testing.T) {
	p, base := openTestRoot(t)
	if kind := reflect.TypeOf(p); kind.NumMethod() != 1 {
		t.Errorf("%v has %d methods, not Open alone", kind, kind.NumMethod())
	}
	f, err := p.Open("file")
	must(t, err)
	if w, ok := f.(io.Writer); ok {
		if _, err := w.Write([]byte("x")); err == nil {
			t.Error("an open file takes writes")
		}
	}
	must(t, f.Close())
	if data, err := os.ReadFile(filepath.Join(base, "repo/file")); err != nil || string(data) != "inside" {
		t.Errorf("%q, %v", data, err)
	}
}

// plainFiles does not open a pipe, because the open would block.
func TestRootFSOpensNoPipe(t *testing.T) {
	p, base := openTestRoot(t)
	must(t, syscall.Mkfifo(filepath.Join(base, "repo/pipe"), 0o644))
	if f, err := p.Open("pipe"); !errors.Is(err, errSpecial) || f != nil {
		t.Errorf("%v, %v", f, err)
	}
}
