package store

import (
	"slices"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// modelOfEarlier is modelOf of a journal that version 1 or 2 began: they let every row change its
// conversation, whatever the row's own time (see world.Touches).
func modelOfEarlier(t testing.TB, frames [][]byte) *model {
	t.Helper()
	m := modelOf(t, frames)
	for _, frame := range frames {
		ev, err := world.DecodeEvent(frame)
		must(t, err)
		if b, ok := ev.Body.(*world.MessageAdded); ok {
			head := &m.talks[b.ConversationID].Head
			head.UpdatedAt = max(head.UpdatedAt, ev.At)
		}
	}
	return m
}

// A folder that schema 2 wrote opens with everything in it, is searched, and goes on.
func TestVersion2Opens(t *testing.T) { // S1-20, S3-18
	dir, frames := realmOf(t, 2)
	o := mustOpen(t, dir)
	if len(o.Warnings) > 0 || o.Journal.Head() != 240 {
		t.Fatal(o.Warnings, o.Journal.Head())
	}
	m := modelOfEarlier(t, frames)
	m.holds(t, o, frames)
	var naive []string
	open, tools, kinds := 0, 0, map[string]bool{}
	for id, rows := range m.rows {
		kinds[m.talks[id].Head.Kind] = true
		for _, row := range rows {
			if row.Status == world.MessageOpen {
				open++
			} else if strings.Contains(strings.ToLower(row.Content), "naïve") {
				naive = append(naive, row.MessageID)
			}
			if row.Tool != nil {
				tools++
			}
		}
	}
	slices.Sort(naive)
	if open < 3 || tools < 3 || len(kinds) < 4 || len(naive) < 10 {
		t.Fatalf("%d open, %d of tools, %v, %d found", open, tools, kinds, len(naive))
	}
	if got := searched(t, o.Journal, "NAIVE"); !slices.Equal(got, naive) {
		t.Fatalf("found %v, want %v", got, naive)
	}
	if got := searched(t, o.Journal, "drawbr"); !slices.Equal(got, []string{"lm"}) {
		t.Fatalf("found %v", got)
	}
	r := &rig{t: t, dir: dir, o: o, w: o.Saved.World.Clone(), at: o.Saved.LastAt, frames: slices.Clone(frames)}
	r.commit(&world.ToolEnd{ConversationID: "late", RequestID: "lr", MessageID: "lt", OK: true, Output: "portcullis"})
	r.commit(&world.SegmentClosed{ConversationID: "late", RequestID: "lr2", Reason: world.ClosedByDone, Message: world.Message{MessageID: "lm2", ConversationID: "late", RequestID: "lr2", Role: world.RoleAssistant, MemberID: "a", Name: "A", Content: strings.Repeat("a barbican ", 300), Status: world.MessageDone, At: r.at}})
	for _, clean := range []bool{false, true} {
		again := r.killed()
		if clean {
			r.close()
			again = r.dir
		}
		o := mustOpen(t, again)
		modelOfEarlier(t, r.frames).holds(t, o, r.frames)
		if got := searched(t, o.Journal, "portcull"); !slices.Equal(got, []string{"lt"}) {
			t.Fatalf("found %v", got)
		}
		if got := searched(t, o.Journal, "barbican"); !slices.Equal(got, []string{"lm2"}) {
			t.Fatalf("found %v", got)
		}
	}
}
