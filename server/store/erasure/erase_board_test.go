package erasure_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// meddled is a disk that starts something else right before a file is renamed or removed, and waits for it for a
// short time.
type meddled struct {
	afero.Fs
	before func(op, name string) func() // nil: nothing
	ended  chan struct{}
}

func (m *meddled) begin(op, name string) {
	do := m.before(op, filepath.Base(name))
	if do == nil {
		return
	}
	go func() { defer close(m.ended); do() }()
	for range 100_000 {
		select {
		case <-m.ended:
			return
		default:
			runtime.Gosched()
		}
	}
}

func (m *meddled) Rename(from, to string) error {
	m.begin("rename", to)
	return m.Fs.Rename(from, to)
}

func (m *meddled) Remove(name string) error {
	m.begin("remove", name)
	return m.Fs.Remove(name)
}

// The board is copied through one handle and removed by an erasure through another. At the end it exists, with
// the content from after the erasure, whichever comes first (S1-19, S3-15).
func TestTheBoardWhileAnErasureForgets(t *testing.T) {
	const old, fresh = `{"seq":3,"findings":["planted"]}`, `{"seq":13,"findings":[]}`
	for name, c := range map[string]struct {
		op    string
		first func(copies, erases *files.Realm) error // in which the other is begun
		other func(copies, erases *files.Realm) error
	}{
		"a board is written, and an erasure forgets": {"rename",
			func(copies, _ *files.Realm) error { return copies.WriteFindings([]byte(fresh)) },
			func(_, erases *files.Realm) error { _, _, err := erases.Forget(20, 12, nil); return err },
		},
		"an erasure forgets, and a board is written": {"remove",
			func(_, erases *files.Realm) error { _, _, err := erases.Forget(20, 12, nil); return err },
			func(copies, _ *files.Realm) error { return copies.WriteFindings([]byte(fresh)) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			storetest.Must(t, files.OpenRealm(afero.NewOsFs(), dir).WriteCheckpoint(world.Checkpoint{Epoch: "e1", Seq: 20, World: storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 20)).World}))
			storetest.Must(t, os.WriteFile(filepath.Join(dir, files.FindingsFile), []byte(old), 0o600))
			disk := &meddled{Fs: afero.NewOsFs(), ended: make(chan struct{})}
			copies, erases := files.OpenRealm(disk, dir), files.OpenRealm(disk, dir)
			var failed error
			begun := false
			disk.before = func(op, file string) func() {
				if begun || op != c.op || file != files.FindingsFile {
					return nil
				}
				begun = true
				return func() { failed = c.other(copies, erases) }
			}
			storetest.Must(t, c.first(copies, erases))
			<-disk.ended
			storetest.Must(t, failed)
			got, err := os.ReadFile(filepath.Join(dir, files.FindingsFile))
			if storetest.Must(t, err); strings.TrimSpace(string(got)) != fresh {
				t.Errorf("the board is %s", got)
			}
		})
	}
}
