package files_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// findings.json is replaced atomically, and not created if its realm was removed. An erasure removes it if it is
// older than the erasure or has no seq (S3-15, S1-19).
func TestFindingsFile(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		home := files.OpenRealm(fsys, dir)
		_, err := home.ReadFindings()
		storetest.MustBe(t, err, disk.ErrMissing)
		storetest.Must(t, home.RemoveFindings())
		storetest.Must(t, home.WriteCheckpoint(world.Checkpoint{Epoch: "e1", Seq: 20, World: storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 20)).World}))
		for text, stays := range map[string]bool{
			`{"seq": 12}`: true, `{"seq": 13, "findings": []}`: true, `{"seq": 11}`: false, `{}`: false, `{`: false, ``: false,
		} {
			storetest.Must(t, home.WriteFindings([]byte(text)))
			if got, err := home.ReadFindings(); err != nil || string(got) != text {
				t.Errorf("%s: %s, %v", text, got, err)
			}
			gone, _, err := home.Forget(20, 12, nil)
			storetest.Must(t, err)
			if there, err := afero.Exists(fsys, filepath.Join(dir, files.FindingsFile)); err != nil || there != stays || (gone == 0) != stays {
				t.Errorf("%s: there is %v, %d gone, %v", text, there, gone, err)
			}
		}
		storetest.Must(t, home.RemoveFindings())
	})
}

// A folder in the place of findings.json is set aside with its content, by the next write, a removal or an erasure.
func TestFolderInThePlaceOfTheBoard(t *testing.T) {
	for name, meet := range map[string]func(*files.Realm) error{
		"the next board": func(f *files.Realm) error { return f.WriteFindings([]byte("{}")) },
		"its removal":    (*files.Realm).RemoveFindings,
		"an erasure": func(f *files.Realm) error {
			_, left, err := f.Forget(1, 1, nil)
			if err == nil && len(left) != 1 {
				err = fmt.Errorf("left: %q", left)
			}
			return err
		},
	} {
		fsys, dir := afero.NewOsFs(), t.TempDir()
		home := files.OpenRealm(fsys, dir)
		storetest.Must(t, home.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 1))))
		writeFile(t, fsys, filepath.Join(dir, files.FindingsFile, "mine.txt"), "somebody's")
		if err := meet(home); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		kept, err := filepath.Glob(filepath.Join(dir, "findings.aside-*.json", "mine.txt"))
		if err != nil || len(kept) != 1 {
			t.Errorf("%s: %q in %q", name, kept, storetest.Names(t, fsys, dir))
		}
	}
}
