package keeper

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// mapped is a worlds folder with one realm, which has a linked folder and a map.json.
type mapped struct {
	*shelf
	head  world.Map // of the checkpoint
	file  []byte    // map.json
	saves [][]byte
}

func (m *mapped) Tenants() []string                  { return []string{"default"} }
func (m *mapped) Tenant(string) (TenantStore, error) { return m, nil }
func (m *mapped) Open(ctx context.Context, id string, auto bool) (Opened, error) {
	o, err := m.shelf.Open(ctx, id, auto)
	o.Saved.World.Realm.Path, o.Saved.Land.Map, o.Map = "/repo", m.head, m.file
	o.SaveMap = func(data []byte) error { m.saves = append(m.saves, data); return nil }
	return o, err
}

// scanned is a linked folder that reports one scan.
type scanned struct {
	folders
	first *dungeon.Survey
	now   *dungeon.Survey
}

func (s *scanned) Follow(ctx context.Context, _ string, first *dungeon.Survey, report func(*dungeon.Survey, dungeon.Change)) {
	s.first = first
	report(s.now, dungeon.Change{All: true, Files: []wire.FileChange{{Path: "a", What: wire.ChangeCreated}}})
	<-ctx.Done()
}

// What has changed in a linked folder since the last scan of an earlier run is found by the time of that scan. It
// is saved with the map, because the checkpoint may be older or newer than the map.
func TestFollowBeginsAtTheScanOfTheMap(t *testing.T) {
	tree, err := dungeon.NewBuilder("x").Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ saved, want world.Time }{{5000, 5000}, {500, 500}, {0, 1000}} { // 0: by an older version
		s := &mapped{shelf: newShelf("r"), head: world.Map{Files: 7, ScannedAt: 1000}, file: dungeon.Encode(tree, c.saved)}
		f := &scanned{now: &dungeon.Survey{Tree: tree, Head: world.Map{ScannedAt: 9000}}}
		synctest.Test(t, func(t *testing.T) {
			k := New(Config{Store: s, Folders: f, Templates: nothing{}, Drivers: nothing{}, Log: zerolog.Nop()})
			k.Start(t.Context())
			home, err := k.Tenant("default")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := home.Open(t.Context(), "r"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if n, err := k.Stop(); n != 0 || err != nil {
				t.Errorf("stop: %d, %v", n, err)
			}
		})
		if f.first == nil || f.first.Head.Files != 7 || f.first.Head.ScannedAt != c.want {
			t.Errorf("saved at %d: followed from %+v", c.saved, f.first)
		}
		if len(s.saves) != 1 {
			t.Fatalf("the map was saved %d times", len(s.saves))
		}
		if _, at, err := dungeon.Decode(s.saves[0]); err != nil || at != 9000 {
			t.Errorf("the map of the scan at 9000 was saved with %d, %v", at, err)
		}
	}
}
