package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/spf13/afero"

	"agentdungeon/server/store"
	"agentdungeon/shared/wire"
)

// A realm is a folder: a copy of it under another name is a realm of its own, with
// its own id in the world and on the wire, beside the first.
func TestACopiedRealmIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		first := link(t, a, repo(t)).ID()
		stop(t, a)
		if err := os.CopyFS(filepath.Join(worlds, "copy-1"), os.DirFS(filepath.Join(worlds, first))); err != nil {
			t.Fatal(err)
		}
		for life := range 2 {
			a = start(t, worlds)
			r, err := home(t, a).Resume(context.Background(), "copy-1")
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if r.ID() != "copy-1" {
				t.Fatalf("life %d: it runs as %s", life, r.ID())
			}
			if old, err := home(t, a).Open(context.Background(), first); err != nil || old == r || old.ID() != first {
				t.Fatalf("life %d: the first realm: %v", life, err)
			}
			submit(t, r, &wire.SpectatorSay{Text: "in the copy"})
			stop(t, a)
			got, err := store.OpenFiles(afero.NewOsFs(), filepath.Join(worlds, "copy-1")).LoadCheckpoint(store.StateFile)
			if err != nil || got.World.Realm.ID != "copy-1" {
				t.Fatalf("life %d: its checkpoint is of %+v (%v)", life, got.World.Realm, err)
			}
		}
	})
}
