package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/realm/watch"
)

// A realm whose repository was moved is linked again, keeps all that it had, and shows the files at the new place, also
// after the next restart. A mistyped realm or folder changes nothing. P7.4.
func TestRelink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds, fs := filepath.Join(t.TempDir(), "worlds"), afero.NewOsFs()
		before, after := repo(t), filepath.Join(t.TempDir(), "moved")
		a := start(t, worlds)
		id := link(t, a, before).ID()
		if _, err := RelinkInFolder(fs, worlds, "default", id, after, zerolog.Nop()); err == nil {
			t.Error("a realm is linked again although a server has the worlds folder open")
		}
		stop(t, a)
		if err := os.Rename(before, after); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(after, "new.go"), []byte("package tools\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := RelinkInFolder(fs, worlds, "default", "nosuch", after, zerolog.Nop()); err == nil || !strings.Contains(err.Error(), "no realm nosuch") {
			t.Errorf("of a mistyped realm it says %v", err)
		}
		from, err := RelinkInFolder(fs, worlds, "default", id, after, zerolog.Nop())
		if err != nil || from != before {
			t.Fatalf("it was linked to %s: %v", from, err)
		}
		for life := range 2 {
			a = start(t, worlds)
			synctest.Wait()
			r, ok := home(t, a).Current()
			if !ok || r.ID() != id {
				t.Fatalf("life %d has another realm", life)
			}
			v, err := r.Attach(t.Context(), watch.Position{})
			if err != nil {
				t.Fatal(err)
			}
			frames, err := v.Take(t.Context(), 1<<20)
			shown := ""
			for _, f := range frames {
				shown += string(f)
			}
			if err != nil || !strings.Contains(shown, `"path":"`+after+`"`) || strings.Contains(shown, before+`"`) || !strings.Contains(shown, `"files":4`) {
				t.Errorf("life %d: %v: the realm is not linked to %s:\n%.600s", life, err, after, shown)
			}
			stop(t, a)
		}
		if from, err = RelinkInFolder(fs, worlds, "default", id, before, zerolog.Nop()); err != nil || from != after {
			t.Errorf("the registry has %s, %v", from, err)
		}
	})
}
