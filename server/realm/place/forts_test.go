package place

import (
	"fmt"
	"testing"

	"agentdungeon/shared/world"
)

// A country has sixteen forts. A seventeenth member gets the fort of a member who has left; if there is none, it stays
// by the keep.
func TestTheSeventeenthFort(t *testing.T) {
	w := world.New(world.Realm{ID: "r1"})
	join := func(id string) *world.FortUpdate {
		world.Apply(w, world.Event{Seq: w.Tick + 1, Body: &world.AgentJoined{Agent: world.Agent{ID: id, Role: id, Name: id}}})
		f, _ := settleFort(w, w.Agent(id)).(*world.FortUpdate)
		if f != nil {
			world.Apply(w, world.Event{Seq: w.Tick + 1, Body: f})
		}
		return f
	}
	lots := map[world.Point]bool{}
	for i := range world.MaxForts {
		f := join(fmt.Sprint("m", i))
		lots[world.Point{f.Fort.X, f.Fort.Y}] = true
	}
	if len(lots) != world.MaxForts {
		t.Fatalf("%d lots", len(lots))
	}
	if f := join("late"); f != nil {
		t.Fatalf("with all of them here: %+v", f)
	}
	world.Apply(w, world.Event{Seq: w.Tick + 1, Body: &world.AgentLeft{AgentID: "m3"}})
	if f, _ := settleFort(w, w.Agent("late")).(*world.FortUpdate); f == nil || f.Removes != "m3" {
		t.Fatalf("m3 has left: %+v", f)
	}
	if f := join("oracle"); f != nil {
		t.Errorf("the oracle builds %+v", f)
	}
	if err := w.Validate(); err != nil {
		t.Error(err)
	}
}
