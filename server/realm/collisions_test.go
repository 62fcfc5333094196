package realm

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// works returns a reading of the session id in which the agent reads the given files, or edits them if edits is set. A
// file has the form "path" or "path@worktree". from is the number of entries of earlier readings.
func works(id string, from int, edits bool, files ...string) shadow.Seen {
	var entries []shadow.Entry
	for part := range slices.Chunk(files, world.MaxToolFiles) {
		tool := &shadow.Tool{Name: "Tool", Input: "{}"}
		for _, file := range part {
			name, worktree, _ := strings.Cut(file, "@")
			tool.Touches = append(tool.Touches, shadow.Touch{Path: "/x/" + name, Edit: edits, Place: name, Worktree: worktree})
		}
		call := fmt.Sprint("t", from+len(entries))
		entries = append(entries, shadow.Entry{Kind: shadow.Call, CallID: call, Tool: tool},
			shadow.Entry{Kind: shadow.Result, CallID: call, OK: true})
	}
	s := seen(from, shadow.Working, entries...)
	s.Session.ID = id
	return s
}

// A collision is in the world as soon as the reading that causes it is stored. Spectators see it too, without the names
// of worktrees. It outlives a restart and ends by itself. An erasure removes the touches of the conversation (P17.10,
// P17.11).
func TestCollisionsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		c := b.tab()
		observes(t, b, works("s1", 0, true, "src/a.go"), readTo(2))
		observes(t, b, works("s2", 0, true, "src/a.go@feature", "b.go"), readTo(2))
		c.pull()
		got := c.world.Collision("src/a.go")
		if got == nil || got.Why != world.CollisionEdits || fmt.Sprint(got.AgentIDs) != "[claude:s1 claude:s2]" {
			t.Fatalf("the collision is %+v", got)
		}
		if text := shown(t, c.world); strings.Contains(text, "feature") || !strings.Contains(text, "src/a.go") {
			t.Errorf("spectators get %s", text)
		}
		b.kill()
		b.start(false)
		c = b.tab()
		if len(c.world.Collisions) != 1 || len(c.world.Touches) != 3 || c.world.Touches[1].Worktree != "feature" {
			t.Errorf("after a restart: %+v, %+v", c.world.Collisions, c.world.Touches)
		}
		time.Sleep(31 * time.Minute)
		synctest.Wait()
		c.pull()
		if len(c.world.Collisions) != 0 {
			t.Errorf("half an hour later: %+v", c.world.Collisions)
		}
		w := c.world.Clone()
		world.Apply(w, world.Event{Seq: w.Tick + 1, V: 1, Body: &world.HistoryErased{
			Conversations: []string{w.Session("claude", "s2").ConversationID}}})
		if len(w.Touches) != 1 || w.Touches[0].AgentID != "claude:s1" || len(c.world.Touches) != 3 {
			t.Errorf("after an erasure: %+v", w.Touches)
		}
		for id, from := range map[string]int{"s1": 2, "s2": 2} {
			s := seen(from, shadow.Ended)
			s.Session.ID = id
			observes(t, b, s, readTo(from))
		}
		c.pull()
		oneWorld(t, "in the end", b, c)
		b.stop()
		sound(t, "in the end", b.journal)
	})
}

// TestRecordJournalOfCollisions writes a recorded journal, as TestRecordJournals does, with timelines of files and
// collisions: a collision that grows and one that ends, more touches than the world keeps, and the touches of an erased
// session.
func TestRecordJournalOfCollisions(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		c := b.tab()
		observes(t, b, works("s1", 0, false, "a.go", "b.go"), readTo(2))
		time.Sleep(time.Second)
		observes(t, b, works("s2", 0, true, "a.go", "b.go@tree"), readTo(2))
		observes(t, b, works("s1", 2, true, "a.go"), readTo(4))
		time.Sleep(time.Minute)
		late := works("s3", 0, true, "a.go")
		late.Entries[1].At = time.Now().Add(-30 * time.Second)
		observes(t, b, late, readTo(2))
		time.Sleep(31 * time.Minute)
		for n := range world.MaxTouchesOfFile + 2 {
			id := []string{"s1", "s2"}[n%2]
			from := []int{4, 2}[n%2] + n/2*2
			observes(t, b, works(id, from, n%3 == 0, "busy.go"), readTo(from+2))
			time.Sleep(time.Second)
		}
		var files []string
		for n := range world.MaxTouches {
			files = append(files, fmt.Sprint("dir/f", n))
		}
		s := works("s3", 2, false, files...)
		observes(t, b, s, readTo(2+len(s.Entries)))
		c.pull()
		erased := &world.HistoryErased{ErasureID: "x1", Reason: world.ErasedOnRequest,
			Conversations: []string{c.world.Session("claude", "s3").ConversationID}}
		b.stop()
		rec, err := world.Event{Seq: c.world.Tick + 1, At: world.TimeOf(time.Now()), V: 1, Body: erased}.Encode()
		if err == nil {
			err = b.journal.Commit(&world.Batch{Records: []world.Record{rec}})
		}
		if err != nil {
			t.Fatal(err)
		}
		b.record(dir, "collisions.jsonl")
	})
}
