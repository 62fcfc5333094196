package party

import (
	"cmp"
	"slices"

	"agentdungeon/server/team"
	"agentdungeon/shared/world"
)

// FirstHuman returns the person of the lowest order, "" for none (S2-08, S2-B12).
func FirstHuman(t world.Team) string {
	people := humans(t)
	if len(people) == 0 {
		return ""
	}
	return people[0].ID
}

// humans are the people of a team by order, those of one order as the team lists them.
func humans(t world.Team) []world.Member {
	var out []world.Member
	for _, m := range t.Members {
		if m.Type == world.KindHuman {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b world.Member) int { return cmp.Compare(a.Order, b.Order) })
	return out
}

func member(t world.Team, id string) *world.Member {
	for i := range t.Members {
		if t.Members[i].ID == id {
			return &t.Members[i]
		}
	}
	return nil
}

// nameOf is what a member is called, its id where it is unknown.
func nameOf(t world.Team, id string) string {
	if m := member(t, id); m != nil {
		return cmp.Or(m.DisplayName, m.Name, m.ID)
	}
	return id
}

// one returns the only member that a name means, nil for none or several.
func one(t world.Team, name string) *world.Member {
	if found := team.Find(t, name); len(found) == 1 {
		return &found[0]
	}
	return nil
}
