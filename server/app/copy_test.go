package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/spf13/afero"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/store/files"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// shownAs returns the realm's id in the world:state of a new viewer.
func shownAs(t *testing.T, r *realm.Realm) string {
	t.Helper()
	v, err := r.Attach(context.Background(), watch.Position{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	frames, err := v.Take(context.Background(), 1<<20)
	if err != nil || len(frames) < 2 { // welcome, world:state, and what follows them
		t.Fatalf("%d frames: %v", len(frames), err)
	}
	var state struct{ World world.World }
	if err := json.Unmarshal(frames[1], &state); err != nil {
		t.Fatal(err)
	}
	return state.World.Realm.ID
}

// A copy of a realm's folder under another name is another realm, with its own id in the world and on the
// wire.
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
			if id := shownAs(t, r); id != "copy-1" {
				t.Fatalf("life %d: its first world:state is of %s", life, id)
			}
			if old, err := home(t, a).Open(context.Background(), first); err != nil || old == r || old.ID() != first {
				t.Fatalf("life %d: the first realm: %v", life, err)
			}
			submit(t, r, &wire.SpectatorSay{Text: "in the copy"})
			stop(t, a)
			got, err := files.OpenRealm(afero.NewOsFs(), filepath.Join(worlds, "copy-1")).LoadCheckpoint(files.StateFile)
			if err != nil || got.World.Realm.ID != "copy-1" {
				t.Fatalf("life %d: its checkpoint is of %+v (%v)", life, got.World.Realm, err)
			}
		}
	})
}
