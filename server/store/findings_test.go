package store

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/shared/world"
)

// The board's file is replaced whole, is not made where its realm is gone, and goes with
// an erasure if it is from before that, or says nothing about when (S3-15, S1-19).
func TestFindingsFile(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		files := OpenFiles(fsys, dir)
		_, err := files.ReadFindings()
		mustBe(t, err, ErrMissing)
		must(t, files.RemoveFindings())
		must(t, files.WriteCheckpoint(world.Checkpoint{Epoch: "e1", Seq: 20, World: checkpointOf(t, "e1", worldAt("r", 20)).World}))
		for text, stays := range map[string]bool{
			`{"seq": 12}`: true, `{"seq": 13, "findings": []}`: true, `{"seq": 11}`: false, `{}`: false, `{`: false, ``: false,
		} {
			must(t, files.WriteFindings([]byte(text)))
			if got, err := files.ReadFindings(); err != nil || string(got) != text {
				t.Errorf("%s: %s, %v", text, got, err)
			}
			gone, _, err := files.Forget(20, 12, nil)
			must(t, err)
			if there, err := afero.Exists(fsys, filepath.Join(dir, FindingsFile)); err != nil || there != stays || (gone == 0) != stays {
				t.Errorf("%s: there is %v, %d gone, %v", text, there, gone, err)
			}
		}
		must(t, files.RemoveFindings())
	})
}

// A folder in the place of the board is set aside where it is met: by the next board, by
// its removal, by an erasure; what is in it stays.
func TestFolderInThePlaceOfTheBoard(t *testing.T) {
	for name, meet := range map[string]func(*RealmFiles) error{
		"the next board": func(f *RealmFiles) error { return f.WriteFindings([]byte("{}")) },
		"its removal":    (*RealmFiles).RemoveFindings,
		"an erasure": func(f *RealmFiles) error {
			_, left, err := f.Forget(1, 1, nil)
			if err == nil && len(left) != 1 {
				err = fmt.Errorf("left: %q", left)
			}
			return err
		},
	} {
		fsys, dir := afero.NewOsFs(), t.TempDir()
		files := OpenFiles(fsys, dir)
		must(t, files.WriteCheckpoint(checkpointOf(t, "e1", worldAt("r", 1))))
		writeFile(t, fsys, filepath.Join(dir, FindingsFile, "mine.txt"), "somebody's")
		if err := meet(files); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		kept, err := filepath.Glob(filepath.Join(dir, "findings.aside-*.json", "mine.txt"))
		if err != nil || len(kept) != 1 {
			t.Errorf("%s: %q in %q", name, kept, names(t, fsys, dir))
		}
	}
}
