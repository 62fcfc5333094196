package realm

import (
	"testing"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A page may attach after an opening and before the first survey. Its welcome and its world:state then name the same
// generation, whatever the saved land's was, and map:changed has a later one, so that the page does not ignore it.
// The generations begin anew with each opening, under another epoch.
func TestGenerationsBeginAnewWithAnEpoch(t *testing.T) { // P10.6
	bubble(t, speak, func(b *bench) {
		b.land = world.NewLand()
		b.land.Map.Files, b.land.Map.Generation, b.land.Country = 7, 57, dungeon.Country("r1", nil)
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
