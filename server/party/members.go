package party

import (
	"cmp"
	"slices"

	"agentdungeon/server/team"
	"agentdungeon/shared/world"
)

// FirstHuman returns the person with the lowest order, "" for none (S2-08, S2-B12).
func FirstHuman(t world.Team) string {
	people := humans(t)
	if len(people) == 0 {
		return ""
	}
	return people[0].ID
}

// humans returns the people of a team by order. It keeps people with equal orders as the team lists them.
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

// nameOf returns a member's name, or the id if the member is unknown.
func nameOf(t world.Team, id string) string {
	if m := member(t, id); m != nil {
		return cmp.Or(m.DisplayName, m.Name, m.ID)
	}
	return id
}

// one returns the only member that a name can mean, nil if there are none or several.
func one(t world.Team, name string) *world.Member {
	if found := team.Find(t, name); len(found) == 1 {
		return &found[0]
	}
	return nil
}
