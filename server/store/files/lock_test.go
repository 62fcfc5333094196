package files_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/crashfs"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/lock"
	"agentdungeon/server/store/storetest"
)

// A second server on the same folder is refused, because a store cannot have several servers.
func TestLock(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		if _, held, err := lock.ReadLock(fsys, dir); held || err != nil {
			t.Errorf("a folder that is not there is held: %v, %v", held, err)
		}
		s, _ := storetest.Open(t, fsys, dir)
		storetest.Must(t, s.SetAddress("127.0.0.1:3001"))
		storetest.Must(t, s.SetAddress("[::1]:80")) // shorter: nothing of the first is left
		info, held, err := lock.ReadLock(fsys, dir)
		if !held || err != nil || info.PID != os.Getpid() || info.Address != "[::1]:80" || info.Since == 0 {
			t.Errorf("held %v by %+v, %v", held, info, err)
		}
		_, err = files.Open(fsys, dir, zerolog.Nop())
		storetest.MustBe(t, err, disk.ErrLocked)
		var locked *lock.LockedError
		if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Address != "[::1]:80" {
			t.Errorf("the error is %#v", err)
		}
		if !strings.Contains(err.Error(), fmt.Sprintf("process %d at [::1]:80", os.Getpid())) {
			t.Errorf("the error says %v", err)
		}
		storetest.Must(t, s.Close())
		if _, held, err := lock.ReadLock(fsys, dir); held || err != nil {
			t.Errorf("after Close: held %v, %v", held, err)
		}
		// A .lock of a dead process keeps nobody out, whatever its content is.
		for _, text := range []string{`{"pid":1,"address":"127.0.0.1:3001"}`, "", "{", strings.Repeat("x", 10_000)} {
			writeFile(t, fsys, filepath.Join(dir, lock.FileName), text)
			if _, held, err := lock.ReadLock(fsys, dir); held || err != nil {
				t.Errorf("left-over %.10q: held %v, %v", text, held, err)
			}
			s, err := files.Open(fsys, dir, zerolog.Nop())
			if err != nil {
				t.Fatalf("left-over %.10q: %v", text, err)
			}
			if info, held, err := lock.ReadLock(fsys, dir); !held || err != nil || info.PID != os.Getpid() || info.Address != "" {
				t.Errorf("left-over %.10q: held %v by %+v, %v", text, held, info, err)
			}
			storetest.Must(t, s.Close())
		}
	})
}

// A folder is locked under all its names.
func TestLockByAnotherName(t *testing.T) {
	dir := t.TempDir()
	storetest.Open(t, afero.NewOsFs(), dir)
	link := filepath.Join(t.TempDir(), "link")
	storetest.Must(t, os.Symlink(dir, link))
	_, err := files.Open(afero.NewOsFs(), link, zerolog.Nop())
	storetest.MustBe(t, err, disk.ErrLocked)
	t.Chdir(filepath.Dir(dir))
	_, err = files.Open(afero.NewOsFs(), filepath.Base(dir), zerolog.Nop())
	storetest.MustBe(t, err, disk.ErrLocked)
}

const holdEnv = "STORE_TEST_HOLD"

// TestHoldLock is no test: it is the other process of TestLockEndsWithItsProcess.
func TestHoldLock(t *testing.T) {
	dir := os.Getenv(holdEnv)
	if dir == "" {
		return
	}
	s, err := files.Open(afero.NewOsFs(), dir, zerolog.Nop())
	storetest.Must(t, err)
	storetest.Must(t, s.SetAddress("127.0.0.1:4444"))
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin) // until it is killed, or its parent is
	storetest.Must(t, err)
}

// The error of a second server names the holder of the lock. The lock ends with its process, however that ends.
func TestLockEndsWithItsProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHoldLock$")
	cmd.Env = append(os.Environ(), holdEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	storetest.Must(t, err)
	_, err = cmd.StdinPipe()
	storetest.Must(t, err)
	storetest.Must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // the process is dead already if the test succeeds
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "held" {
	}
	_, err = files.Open(afero.NewOsFs(), dir, zerolog.Nop())
	var locked *lock.LockedError
	if !errors.As(err, &locked) || locked.PID != cmd.Process.Pid || locked.Address != "127.0.0.1:4444" {
		t.Fatalf("the error is %#v", err)
	}
	storetest.Must(t, cmd.Process.Signal(syscall.SIGKILL))
	if err := cmd.Wait(); err == nil {
		t.Error("the other process was not killed")
	}
	info, held, err := lock.ReadLock(afero.NewOsFs(), dir)
	if held || err != nil {
		t.Errorf("held %v by %+v, %v", held, info, err)
	}
	storetest.Open(t, afero.NewOsFs(), dir)
}

// A lock on a deleted file keeps nobody out, so it is taken again.
func TestLockOfDeletedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, lock.FileName)
	f, err := os.Create(path)
	storetest.Must(t, err)
	defer f.Close()
	storetest.Must(t, lock.StillThere(afero.NewOsFs(), f, path))
	storetest.Must(t, os.Remove(path))
	storetest.MustBe(t, lock.StillThere(afero.NewOsFs(), f, path), disk.ErrLocked)
	other, err := os.Create(path)
	storetest.Must(t, err)
	storetest.Must(t, other.Close())
	storetest.MustBe(t, lock.StillThere(afero.NewOsFs(), f, path), disk.ErrLocked)
}

// The server also starts on a disk that is full or read-only.
func TestOpenOnDiskThatTakesNothing(t *testing.T) {
	faults := crashfs.NewFaults(afero.NewMemMapFs())
	s, _ := storetest.Open(t, faults, "/worlds")
	e := create(t, s, storetest.RealmNamed("R"))
	storetest.Must(t, home(s).SetLastActive(e.ID))
	key := string(s.Secret())
	storetest.Must(t, s.Close())
	for _, fault := range []error{syscall.ENOSPC, syscall.EROFS} {
		faults.Script(func(op crashfs.Op) error {
			switch op.Name {
			case "create", "write", "truncate", "rename", "remove":
				return fault
			}
			return nil
		})
		s, log := storetest.Open(t, faults, "/worlds")
		if home(s).LastActive() != e.ID || string(s.Secret()) != key || len(home(s).List()) != 1 {
			t.Errorf("%v: active %q, %v\n%s", fault, home(s).LastActive(), home(s).List(), log)
		}
		_, err := home(s).Create(storetest.RealmNamed("S"))
		storetest.MustBe(t, err, fault) // told, not fatal (B24)
		faults.Heal()
		storetest.Must(t, s.Close())
	}
}
