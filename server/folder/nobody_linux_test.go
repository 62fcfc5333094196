package folder

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/shared/wire"
)

// A folder that may not be read is noted and skipped within a root, and refused as a root. The user of these
// tests may read everything, so a child process of another user scans.
func TestUnreadable(t *testing.T) {
	if os.Getenv("FOLDER_TEST_DIR") == "" {
		asNobody(t, "TestUnreadable")
		return
	}
	dir := os.Getenv("FOLDER_TEST_DIR")
	_, err := Check(filepath.Join(dir, "shut"))
	var we *wire.Error
	if !errors.As(err, &we) || we.Code != wire.NotAllowed {
		t.Errorf("a folder that may not be read: %v", err)
	}
	if _, err := Check(filepath.Join(dir, "shut/below")); !errors.As(err, &we) || we.Code != wire.NotAllowed {
		t.Errorf("a folder below it: %v", err)
	}
	tree, info := scanOf(t, dir, Options{})
	if tree.Files() != 2 || info.UnreadTotal != 2 || strings.Join(info.Unread, " ") != "names shut" && strings.Join(info.Unread, " ") != "shut names" {
		t.Errorf("%d files, %v left out", tree.Files(), info.Unread)
	}
	if len(info.Notices) != 1 || !strings.HasPrefix(info.Notices[0], "2 folders") {
		t.Errorf("%q", info.Notices)
	}
	if _, _, err := Scan(t.Context(), filepath.Join(dir, "shut"), Options{}); err == nil || errors.Is(err, ErrAway) {
		t.Errorf("scanning it: %v", err)
	}
}

// asNobody runs one test of this binary again as a user without rights, on a
// folder that holds two files and two folders that this user cannot look into.
func asNobody(t *testing.T, test string) {
	t.Helper()
	base, err := os.MkdirTemp("", "folder-test-") // the user nobody cannot enter the parent of t.TempDir
	must(t, err)
	t.Cleanup(func() {
		must(t, os.Chmod(filepath.Join(base, "dir/shut"), 0o755))
		must(t, os.Chmod(filepath.Join(base, "dir/names"), 0o755))
		must(t, os.RemoveAll(base))
	})
	must(t, os.Chmod(base, 0o755))
	dir := filepath.Join(base, "dir")
	write(t, dir, map[string]string{"a": "", "open/b": "", "shut/c": "", "shut/below/d": "", "names/e": ""})
	must(t, os.Chmod(filepath.Join(dir, "shut"), 0))
	must(t, os.Chmod(filepath.Join(dir, "names"), 0o444)) // its names can be read, their sizes not

	binary := filepath.Join(base, "test")
	self, err := os.Open("/proc/self/exe")
	must(t, err)
	out, err := os.OpenFile(binary, os.O_CREATE|os.O_WRONLY, 0o755)
	must(t, err)
	_, err = io.Copy(out, self)
	must(t, err)
	must(t, out.Close())
	must(t, self.Close())

	c := exec.Command(binary, "-test.run", "^"+test+"$", "-test.v")
	c.Dir = base
	c.Env = []string{"FOLDER_TEST_DIR=" + dir, "HOME=/nonexistent", "TMPDIR=" + os.TempDir()}
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("as nobody: %v\n%s", err, text)
	}
}
