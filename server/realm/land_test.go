package realm

import (
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/kinds"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A page may attach after an opening and before the first survey. Its welcome and its world:state then name the same
// generation of the map, and map:changed has a later one, so that the page does not ignore map:changed. The generations
// begin anew with each opening, under another epoch.
func TestGenerationsBeginAnewWithAnEpoch(t *testing.T) { // P10.6
	bubble(t, speak, func(b *bench) {
		b.land = world.NewLand()
		b.land.Map.Files, b.land.Country = 7, dungeon.Country("r1", nil)
		epochs := map[string]bool{}
		for range 2 {
			b.stop()
			b.start(false)
			c := b.tab()
			if to, shown := find(c.frames, "welcome")["mapGeneration"], c.land.Map; to != 0.0 || shown.Generation != 0 || shown.Files != 7 {
				t.Errorf("before the first survey the welcome names generation %v, and world:state has %+v", to, shown)
			}
			b.r.SetSurvey(aSurvey(t), dungeon.Change{All: true})
			changed := find(c.pull(), "map:changed")
			if changed == nil || changed["generation"] != 1.0 || b.r.Land().Map.Generation != 1 {
				t.Fatalf("the first survey has the generation %v", changed["generation"])
			}
			room := find(c.send(ada, "m", &wire.MapRoom{}), "map:change")
			if room == nil || room["room"].(map[string]any)["generation"] != 1.0 {
				t.Errorf("the room after the first survey: %v", room)
			}
			epochs[c.epoch] = true
		}
		if len(epochs) != 2 {
			t.Errorf("two openings with the same generations have the epochs %v", epochs)
		}
	})
}

// Recovery has encoded the restored world while it waited for the disk. The first snapshot has this encoding, but not if
// the realm has changed its world since, as it does if the folder was copied and so has another id.
func TestTheFirstSnapshotIsTheRestoredState(t *testing.T) {
	for _, id := range []string{"r1", "copy"} {
		bubble(t, speak, func(b *bench) {
			b.stop()
			w, land := world.New(world.Realm{ID: "r1", Name: "realm", Tenant: "default"}), world.NewLand()
			land.Country = dungeon.Country("r1", nil)
			b.r = Start(Config{
				Saved: world.Saved{
					Realm: world.Realm{ID: id, Name: "realm", Tenant: "default"}, World: w, Land: land, Epoch: "e9",
					State: []byte(`{"realm":{"id":"encoded"}}`),
				},
				Journal: &memJournal{}, Files: &memFiles{}, Kinds: kinds.All(), Templates: builtin{}, Drivers: b.drivers, Log: zerolog.Nop(),
			})
			defer b.r.Stop(b.t.Context())
			v, err := b.r.Attach(b.t.Context(), watch.Position{})
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			frames, err := v.Take(b.t.Context(), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"r1": "encoded", "copy": "copy"}[id]
			if got := string(slices.Concat(frames...)); !strings.Contains(got, `"world":{"realm":{"id":"`+want+`"`) {
				t.Errorf("the first snapshot of realm %s is not that of realm %s: %s", id, want, got)
			}
		})
	}
}

// A replay has no changes of the folder. So a client that shows another map than the present one gets the present map
// after its replay; other clients do not. P5.15.
func TestAReplayBringsTheMap(t *testing.T) { // P5.15
	bubble(t, speak, func(b *bench) {
		c := b.tab()
		before := c.epoch
		b.r.SetSurvey(aSurvey(t), dungeon.Change{All: true})
		c.pull()
		returns := func(epoch string, shown *int64) (kinds []string, changed map[string]any) {
			from := len(c.frames)
			c.attach(watch.Position{Epoch: &epoch, LastSeq: &c.seq, MapGeneration: shown})
			got := c.frames[from:]
			if got[0]["continuity"] != wire.ContinuityReplay {
				t.Fatalf("no replay: %v", got[0])
			}
			return types(got), find(got, "map:changed")
		}
		changes := func(changed map[string]any) (out []string) {
			for _, one := range changed["changes"].([]any) {
				out = append(out, one.(map[string]any)["path"].(string))
			}
			return out
		}
		none, old, present := int64(0), int64(9), int64(1)
		for _, shown := range []*int64{&none, &old} {
			kinds, changed := returns(before, shown)
			if changed == nil || !slices.Equal(kinds[:3], []string{"welcome", "overlays", "map:changed"}) {
				t.Fatalf("a client with generation %d got %v", *shown, kinds)
			}
			if changed["generation"] != 1.0 || changed["all"] != true || changed["mapTree"] == nil || changed["country"] == nil ||
				changed["map"].(map[string]any)["files"] != float64(b.r.Land().Map.Files) {
				t.Errorf("the present map has %v", changed)
			}
		}
		for _, shown := range []*int64{&present, nil} {
			if kinds, changed := returns(before, shown); changed != nil {
				t.Errorf("a client that has the map, or has not said which, got %v", kinds)
			}
		}
		for _, path := range []string{"a", "b", "a"} {
			moment := map[string]string{"b": wire.MomentCommit}[path]
			b.r.SetSurvey(aSurvey(t), dungeon.Change{
				Moment: moment, Files: []wire.FileChange{{Path: path, What: wire.ChangeChanged}},
			})
		}
		for shown, want := range map[int64]string{0: "b a commit", 1: "b a commit", 2: "b a commit", 3: "a "} {
			if _, changed := returns(before, &shown); changed == nil {
				t.Errorf("a client that shows generation %d of 4 got no map", shown)
			} else if moment, _ := changed["moment"].(string); strings.Join(append(changes(changed), moment), " ") != want {
				t.Errorf("a client that shows generation %d has missed %q, not %v %q", shown, want, changes(changed), moment)
			}
		}
		c.pull()
		fresh := len(c.frames)
		c.attach(watch.Position{})
		if find(c.frames[fresh:], "map:changed") != nil {
			t.Error("a client got the map in a snapshot and again")
		}
		b.stop()
		b.start(false)
		if kinds, changed := returns(before, &none); changed == nil || changed["generation"] != 0.0 {
			t.Errorf("a client that shows generation 0 of the epoch before got %v", kinds)
		}
		b.stop()
		b.start(false)
		b.r.SetSurvey(aSurvey(t), dungeon.Change{All: true, Files: []wire.FileChange{{Path: "a", What: wire.ChangeChanged}}})
		if _, changed := returns(c.epoch, &old); changed == nil || len(changes(changed)) != 1 {
			t.Errorf("a client that comes back after the first scan of an opening does not hear what changed before it: %v", changed)
		}
	})
}
