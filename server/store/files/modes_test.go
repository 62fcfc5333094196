package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// openToOthers lists the files and folders below dir that others than the owner can access.
func openToOthers(t *testing.T, dir string) (found []string) {
	t.Helper()
	storetest.Must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode()&os.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 {
			found = append(found, strings.TrimPrefix(path, dir)+" "+info.Mode().String())
		}
		return err
	}))
	return found
}

// While a realm is open and afterwards, only the owner can access the files of the worlds folder. An opening changes
// the modes of files that an older version or a copy has left open to others, and logs how many (S1-19).
func TestWorldsFolderIsTheOwnersAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := filepath.Join(t.TempDir(), "worlds")
	storetest.Must(t, os.Mkdir(dir, 0o777))
	s, log := storetest.Open(t, afero.NewOsFs(), dir)
	if !strings.Contains(log.String(), "the modes of these files are corrected") {
		t.Errorf("the log does not say that the folder was open to others: %s", log)
	}
	home, err := s.Tenant(world.DefaultTenant)
	storetest.Must(t, err)
	e, err := home.Create(world.Realm{Name: "Keep"})
	storetest.Must(t, err)
	at := filepath.Join(dir, e.ID)
	r := &storetest.Rig{T: t, Dir: at}
	r.Open()
	r.Tell()
	r.Checkpoint()
	storetest.Must(t, r.O.Files.WriteVault(world.Vault{AgentID: "bard"}))
	if _, err := os.Stat(filepath.Join(at, sqlite.JournalFile+"-shm")); err != nil {
		t.Fatal(err)
	}
	if found := openToOthers(t, dir); len(found) > 0 {
		t.Errorf("others can get at %q", found)
	}
	r.Close()
	storetest.Must(t, s.Close())

	outside := filepath.Join(t.TempDir(), "outside")
	storetest.Must(t, os.WriteFile(outside, nil, 0o644))
	storetest.Must(t, os.Symlink(outside, filepath.Join(at, "link")))
	storetest.Must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()|0o055)
	}))
	s, log = storetest.Open(t, afero.NewOsFs(), dir)
	if found := openToOthers(t, dir); len(found) > 0 || !strings.Contains(log.String(), "these files are corrected") {
		t.Errorf("others can still get at %q; the log: %s", found, log)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("a file outside of the folder has mode %v, %v", info.Mode(), err)
	}
	storetest.Must(t, s.Close())
	if s, log = storetest.Open(t, afero.NewOsFs(), dir); strings.Contains(log.String(), "modes") {
		t.Errorf("modes that are right are told: %s", log)
	}
	storetest.Must(t, s.Close())

	// A folder with other files in it may be a shared one: the modes of files that are not ours
	// stay.
	storetest.Must(t, os.WriteFile(filepath.Join(dir, "letters"), nil, 0o644))
	storetest.Must(t, os.Chmod(dir, 0o755))
	storetest.Must(t, os.Chmod(filepath.Join(at, sqlite.JournalFile), 0o644))
	s, log = storetest.Open(t, afero.NewOsFs(), dir)
	if found := openToOthers(t, dir); len(found) != 2 || !strings.Contains(log.String(), "chmod 700 closes") {
		t.Errorf("others can get at %q; the log: %s", found, log)
	}
	storetest.Must(t, s.Close())

	storetest.Must(t, os.Chmod(filepath.Join(at, sqlite.JournalFile), 0o644))
	_, log = storetest.Open(t, noChmod{afero.NewOsFs()}, dir)
	if !strings.Contains(log.String(), "these files cannot be corrected") {
		t.Errorf("the log does not report modes that cannot be corrected: %s", log)
	}
}

type noChmod struct{ afero.Fs }

func (noChmod) Chmod(string, os.FileMode) error { return errors.New("no chmod here") }
