package store

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
)

// A second server on the same folder is refused: several servers cannot share one store.
func TestLock(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		if _, held, err := ReadLock(fsys, dir); held || err != nil {
			t.Errorf("a folder that is not there is held: %v, %v", held, err)
		}
		s, _ := open(t, fsys, dir)
		must(t, s.SetAddress("127.0.0.1:3001"))
		must(t, s.SetAddress("[::1]:80")) // shorter: nothing of the first is left
		info, held, err := ReadLock(fsys, dir)
		if !held || err != nil || info.PID != os.Getpid() || info.Address != "[::1]:80" || info.Since == 0 {
			t.Errorf("held %v by %+v, %v", held, info, err)
		}
		_, err = Open(fsys, dir, zerolog.Nop())
		mustBe(t, err, ErrLocked)
		var locked *LockedError
		if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Address != "[::1]:80" {
			t.Errorf("the error is %#v", err)
		}
		if !strings.Contains(err.Error(), fmt.Sprintf("process %d at [::1]:80", os.Getpid())) {
			t.Errorf("the error says %v", err)
		}
		must(t, s.Close())
		if _, held, err := ReadLock(fsys, dir); held || err != nil {
			t.Errorf("after Close: held %v, %v", held, err)
		}
		// What a dead process left is no obstacle, whatever it says.
		for _, text := range []string{`{"pid":1,"address":"127.0.0.1:3001"}`, "", "{", strings.Repeat("x", 10_000)} {
			writeFile(t, fsys, filepath.Join(dir, lockFile), text)
			if _, held, err := ReadLock(fsys, dir); held || err != nil {
				t.Errorf("left-over %.10q: held %v, %v", text, held, err)
			}
			s, err := Open(fsys, dir, zerolog.Nop())
			if err != nil {
				t.Fatalf("left-over %.10q: %v", text, err)
			}
			if info, held, err := ReadLock(fsys, dir); !held || err != nil || info.PID != os.Getpid() || info.Address != "" {
				t.Errorf("left-over %.10q: held %v by %+v, %v", text, held, info, err)
			}
			must(t, s.Close())
		}
	})
}

// The same folder by another name is the same folder.
func TestLockByAnotherName(t *testing.T) {
	dir := t.TempDir()
	open(t, afero.NewOsFs(), dir)
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	_, err := Open(afero.NewOsFs(), link, zerolog.Nop())
	mustBe(t, err, ErrLocked)
	t.Chdir(filepath.Dir(dir))
	_, err = Open(afero.NewOsFs(), filepath.Base(dir), zerolog.Nop())
	mustBe(t, err, ErrLocked)
}

const holdEnv = "STORE_TEST_HOLD"

// TestHoldLock is no test: it is the other process of TestLockEndsWithItsProcess.
func TestHoldLock(t *testing.T) {
	dir := os.Getenv(holdEnv)
	if dir == "" {
		return
	}
	s, err := Open(afero.NewOsFs(), dir, zerolog.Nop())
	must(t, err)
	must(t, s.SetAddress("127.0.0.1:4444"))
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin) // until it is killed, or its parent is
	must(t, err)
}

// A second server is told who holds the folder; the lock ends with its process,
// however that ends.
func TestLockEndsWithItsProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHoldLock$")
	cmd.Env = append(os.Environ(), holdEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	_, err = cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it is dead where the test got through
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "held" {
	}
	_, err = Open(afero.NewOsFs(), dir, zerolog.Nop())
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != cmd.Process.Pid || locked.Address != "127.0.0.1:4444" {
		t.Fatalf("the error is %#v", err)
	}
	must(t, cmd.Process.Signal(syscall.SIGKILL))
	if err := cmd.Wait(); err == nil {
		t.Error("the other process was not killed")
	}
	info, held, err := ReadLock(afero.NewOsFs(), dir)
	if held || err != nil {
		t.Errorf("held %v by %+v, %v", held, info, err)
	}
	open(t, afero.NewOsFs(), dir)
}

// A lock whose file was deleted meanwhile keeps nobody out, so it is taken anew.
func TestLockOfDeletedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, lockFile)
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	must(t, stillThere(afero.NewOsFs(), f, path))
	must(t, os.Remove(path))
	mustBe(t, stillThere(afero.NewOsFs(), f, path), ErrLocked)
	other, err := os.Create(path)
	must(t, err)
	must(t, other.Close())
	mustBe(t, stillThere(afero.NewOsFs(), f, path), ErrLocked)
}

// A full disk or one that cannot be written any more does not keep the server
// away from what it has.
func TestOpenOnDiskThatTakesNothing(t *testing.T) {
	faults := crashfs.NewFaults(afero.NewMemMapFs())
	s, _ := open(t, faults, "/worlds")
	e := create(t, s, realmNamed("R"))
	must(t, home(s).SetLastActive(e.ID))
	key := string(s.Secret())
	must(t, s.Close())
	for _, fault := range []error{syscall.ENOSPC, syscall.EROFS} {
		faults.Script(func(op crashfs.Op) error {
			switch op.Name {
			case "create", "write", "truncate", "rename", "remove":
				return fault
			}
			return nil
		})
		s, log := open(t, faults, "/worlds")
		if home(s).LastActive() != e.ID || string(s.Secret()) != key || len(home(s).List()) != 1 {
			t.Errorf("%v: active %q, %v\n%s", fault, home(s).LastActive(), home(s).List(), log)
		}
		_, err := home(s).Create(realmNamed("S"))
		mustBe(t, err, fault) // told, not fatal (B24)
		faults.Heal()
		must(t, s.Close())
	}
}
