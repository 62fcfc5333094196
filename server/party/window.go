package party

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// Limits of the history in an agent's prompt (S2-B17).
const (
	windowMessages = 5
	windowBytes    = 32 << 10 // bytes of all texts in the window together
)

// window returns the history for an agent's prompt: the newest windowMessages rows of people and agents,
// oldest first and without markers. If they are too long together, it omits the oldest ones; if the newest
// alone is too long, it cuts off its end. It skips rows that hold nothing but markers. It does not modify
// rows.
func window(rows []world.Message) []world.Message {
	var out []world.Message
	room := windowBytes
	for _, row := range slices.Backward(rows) {
		if !spoken(row) {
			continue
		}
		if row.Content = Bare(row.Content); row.Content == "" {
			continue
		}
		if len(out) == windowMessages || len(out) > 0 && len(row.Content) > room {
			break
		}
		row.Content, _ = world.Cut(row.Content, room)
		room -= len(row.Content)
		out = append(out, row)
	}
	slices.Reverse(out)
	return out
}

// guide returns the part of an agent's prompt that explains the markers and lists the other members. self is the
// agent's member id.
func guide(t world.Team, self string) string {
	var others []string
	for _, m := range t.Members {
		if m.ID == self {
			continue
		}
		what := "agent"
		if m.Type == world.KindHuman {
			what = "person"
		}
		others = append(others, fmt.Sprintf("%s (%s, %s)", m.ID, nameOf(t, m.ID), what))
	}
	return "In this team you can ask: " + strings.Join(others, ", ") + ".\n" +
		"To ask somebody, end your answer with a line of its own such as [NEXT: name], or " +
		"[NEXT: one, other] for several, who then speak in this order. " +
		"[NEXT: name!P1] is for what cannot wait, !P3 for what can. " +
		"Ask only who has something to add; without such a line those who were asked before go on, " +
		"and then a person does. " +
		"[TEAM_TASK: ...] on that line sets what the team works on, " +
		"[DROP: name] or [DROP: ALL] takes back who was asked. " +
		"Nowhere else do these words do anything."
}
