package place

import (
	"hash/fnv"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/world"
)

// settleFort returns the event by which a member gets a fort, nil if the member has one. The fort stands on the first
// free lot or, if no lot is free, on the lot of the oldest fort whose member has left. If there is no such fort
// either, the member gets no fort and stays by the keep, the house in the middle of the country.
func settleFort(w *world.World, member *world.Agent) world.Body {
	if w.Fort(member.ID) != nil || member.Role == world.RoleOracle {
		return nil // the oracle gets no fort, because its place is the keep
	}
	out := &world.FortUpdate{Fort: world.Fort{
		AgentID: member.ID, Name: member.DisplayName, Color: member.Color, Stage: world.FortCampfire,
		Biome: biomeOf(member.Role, member.Name),
	}}
	for n := range world.MaxForts {
		centre, gate := dungeon.FortLot(n)
		free := true
		for _, f := range w.Forts {
			free = free && (f.X != centre[0] || f.Y != centre[1])
		}
		if free {
			out.Fort.X, out.Fort.Y, out.Fort.GateX, out.Fort.GateY = centre[0], centre[1], gate[0], gate[1]
			return out
		}
	}
	for _, f := range w.Forts {
		if w.Agent(f.AgentID) == nil {
			out.Removes = f.AgentID
			out.Fort.X, out.Fort.Y, out.Fort.GateX, out.Fort.GateY = f.X, f.Y, f.GateX, f.GateY
			return out
		}
	}
	return nil
}

func biomeOf(role, name string) string {
	h := fnv.New32a()
	h.Write([]byte(role + "/" + name))
	return world.Biomes[h.Sum32()%uint32(len(world.Biomes))]
}

// growFort returns the event by which a member's fort reaches the stage that the member has earned. It returns nil if
// the fort is at that stage. A member earns a stage by arriving, by the first finding, by the third finding, and by a
// turn in a stage of the process that has ended since; acted says whether the member had such a turn. A fort never
// loses a stage.
func growFort(w *world.World, agentID string, now world.Time, acted bool) world.Body {
	f := w.Fort(agentID)
	if f == nil {
		return nil
	}
	stage := f.Stage
	if a := w.Agent(agentID); a != nil && a.Walk != nil && !onWay(a, now) {
		stage = max(stage, world.FortTent)
	}
	if stage < world.FortTower {
		findings := 0
		for i := range w.Findings {
			if w.Findings[i].AgentID == agentID {
				findings++
			}
		}
		switch {
		case findings >= 3:
			stage = world.FortTower
		case findings >= 1:
			stage = max(stage, world.FortHut)
		}
	}
	if acted {
		stage = world.FortFort
	}
	if stage == f.Stage {
		return nil
	}
	grown := *f
	grown.Stage = stage
	return &world.FortUpdate{Fort: grown}
}
