package recovery_test

import (
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// A folder that schema 2 wrote opens with everything in it, can be searched, and continues.
func TestVersion2Opens(t *testing.T) { // S1-20, S3-18
	dir, frames := storetest.RealmOf(t, 2)
	o := storetest.MustOpen(t, dir)
	if len(o.Warnings) > 0 || o.Journal.Head() != 240 {
		t.Fatal(o.Warnings, o.Journal.Head())
	}
	m := storetest.ModelOfEarlier(t, frames)
	m.Holds(t, o, frames)
	var naive []string
	open, tools, kinds := 0, 0, map[string]bool{}
	for id, rows := range m.Rows {
		kinds[m.Talks[id].Head.Kind] = true
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
	if got := storetest.Searched(t, o.Journal, "NAIVE"); !slices.Equal(got, naive) {
		t.Fatalf("found %v, want %v", got, naive)
	}
	if got := storetest.Searched(t, o.Journal, "drawbr"); !slices.Equal(got, []string{"lm"}) {
		t.Fatalf("found %v", got)
	}
	r := &storetest.Rig{T: t, Dir: dir, O: o, W: o.Saved.World.Clone(), At: o.Saved.LastAt, Frames: slices.Clone(frames)}
	r.Commit(&world.ToolEnd{ConversationID: "late", RequestID: "lr", MessageID: "lt", OK: true, Output: "portcullis"})
	r.Commit(&world.SegmentClosed{ConversationID: "late", RequestID: "lr2", Reason: world.ClosedByDone, Message: world.Message{MessageID: "lm2", ConversationID: "late", RequestID: "lr2", Role: world.RoleAssistant, MemberID: "a", Name: "A", Content: strings.Repeat("a barbican ", 300), Status: world.MessageDone, At: r.At}})
	for _, clean := range []bool{false, true} {
		again := r.Killed()
		if clean {
			r.Close()
			again = r.Dir
		}
		o := storetest.MustOpen(t, again)
		storetest.ModelOfEarlier(t, r.Frames).Holds(t, o, r.Frames)
		if got := storetest.Searched(t, o.Journal, "portcull"); !slices.Equal(got, []string{"lt"}) {
			t.Fatalf("found %v", got)
		}
		if got := storetest.Searched(t, o.Journal, "barbican"); !slices.Equal(got, []string{"lm2"}) {
			t.Fatalf("found %v", got)
		}
	}
}
