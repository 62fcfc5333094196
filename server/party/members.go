package party

import (
	"cmp"
	"slices"

	"agentdungeon/server/team"
	"agentdungeon/shared/world"
)

// firstHuman returns the id of the person with the lowest order, "" for none (S2-08, S2-B12).
func firstHuman(t world.Team) string {
	people := humans(t)
	if len(people) == 0 {
		return ""
	}
	return people[0].ID
}

// humans returns the people of a team by order. People with equal orders stay in the team's sequence.
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

// member returns a pointer into t.Members, nil for an unknown id.
func member(t world.Team, id string) *world.Member {
	i := slices.IndexFunc(t.Members, func(m world.Member) bool { return m.ID == id })
	if i < 0 {
		return nil
	}
	return &t.Members[i]
}

func isHuman(t world.Team, id string) bool {
	m := member(t, id)
	return m != nil && m.Type == world.KindHuman
}

func isAgent(t world.Team, id string) bool {
	m := member(t, id)
	return m != nil && m.Type == world.KindAgent
}

// nameOf returns a member's name, or the id if the member is unknown.
func nameOf(t world.Team, id string) string {
	if m := member(t, id); m != nil {
		return cmp.Or(m.DisplayName, m.Name, m.ID)
	}
	return id
}

// onlyMatch returns the member that a name means. It returns nil if the name fits no member or several members.
func onlyMatch(t world.Team, name string) *world.Member {
	if found := team.Find(t, name); len(found) == 1 {
		return &found[0]
	}
	return nil
}
