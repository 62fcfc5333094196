package folder

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asNobody runs one test of this binary again as a user without rights, on a
// folder that holds two files and two folders that this user cannot look into.
func asNobody(t *testing.T, test string) {
	t.Helper()
	base, err := os.MkdirTemp("", "folder-test-") // t.TempDir lies below a shut folder
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
