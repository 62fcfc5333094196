package party

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// Bounds of what an agent is told of the history (S2-B17).
const (
	WindowMessages = 5
	WindowBytes    = 32 << 10 // of their texts together
)

// Window is what an agent is told of the history: the newest WindowMessages rows that
// somebody said, without markers, oldest first. Where they are too long together the
// oldest go, and of the newest its beginning is told. Rows that only routed do not
// count. The rows given, oldest first, stay as they are.
func Window(rows []world.Message) []world.Message {
	var out []world.Message
	room := WindowBytes
	for _, row := range slices.Backward(rows) {
		if !spoken(row) {
			continue
		}
		if row.Content = Bare(row.Content); row.Content == "" {
			continue
		}
		if len(out) == WindowMessages || len(out) > 0 && len(row.Content) > room {
			break
		}
		row.Content, _ = world.Cut(row.Content, room)
		room -= len(row.Content)
		out = append(out, row)
	}
	slices.Reverse(out)
	return out
}

// Guide tells an agent how words route and whom it can ask: a part of its prompt.
func Guide(t world.Team, self string) string {
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
		"To ask somebody, end your answer with a line of its own such as [NEXT: name], or [NEXT: one, other] for several, who then speak in this order. " +
		"[NEXT: name!P1] is for what cannot wait, !P3 for what can. " +
		"Ask only who has something to add; without such a line those who were asked before go on, and then a person does. " +
		"[TEAM_TASK: ...] on that line sets what the team works on, [DROP: name] or [DROP: ALL] takes back who was asked. " +
		"Nowhere else do these words do anything."
}
