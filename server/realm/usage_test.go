package realm

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// spends returns an entry with the token usage of one request to a model.
func spends(key, model string, output int, priced bool) shadow.Entry {
	u := &shadow.Usage{Key: key, Model: model, Input: 1_300, Output: output, CacheRead: 11_000, CacheWrite: 2_000,
		Context: 14_300 + output, Window: 200_000}
	if priced {
		u.Micros, u.Priced = int64(17_400+20*output), true
	}
	return shadow.Entry{Kind: shadow.Words, Text: "I look.", Usage: u}
}

// The ledger is committed with the rows and the position of the same reading. So after a kill at any commit it has each
// request once, also a request whose records are in two readings. Each model has a row of its own (P17.12).
func TestTheLedgerIsCommittedWithTheRows_P17_12(t *testing.T) {
	parts := [][]shadow.Entry{
		{spends("a", "m", 1, true)},
		{spends("a", "m", 42, true), spends("b", "n", 42, false)},
		{{Kind: shadow.Stated, Micros: 18_240}},
	}
	whole := &memJournal{}
	check := func(t *testing.T, at string, b *bench) {
		c := b.tab()
		u := c.world.Usage
		if len(u) != 2 || u[0].Micros != 18_240 || u[0].Output != 42 || u[0].Unpriced != 0 || u[0].Context != 14_342 ||
			u[0].Window != 200_000 || u[1].Micros != 0 || u[1].Unpriced != 14_342 || u[1].AgentID != "claude:s1" {
			t.Errorf("%s: the ledger is %+v", at, u)
		}
		if s := c.world.Session("claude", "s1"); s.Stated != 18_240 || len(s.Counted) != 2 {
			t.Errorf("%s: the session is %+v", at, s)
		}
		oneWorld(t, at, b, c)
		b.stop()
		sound(t, at, b.journal)
	}
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: whole, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		n := 0
		for _, part := range parts {
			observes(t, b, seen(n, shadow.Working, part...), readTo(n+len(part)))
			n += len(part)
		}
		observes(t, b, seen(n, shadow.Idle), readTo(n))
		check(t, "in the end", b)
	})
	for n := range whole.ends {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{t: t, journal: whole.upTo(n), files: &memFiles{}, path: "/home/dev/project"}
			b.life, b.lines = 1, []world.Line{{Epoch: "e1", FromSeq: 1}}
			b.start(true)
			readsOn(t, b, parts)
			check(t, fmt.Sprintf("killed after commit %d of %d", n+1, len(whole.ends)), b)
		})
	}
}

// TestRecordJournalOfUsage writes a recorded journal, as TestRecordJournals does, with the ledger: requests of several
// models and days, a sub-agent, the program's own sums, and an erased session.
func TestRecordJournalOfUsage(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		c := b.tab()
		observes(t, b, seen(0, shadow.Working, spends("a", "m", 1, true)), readTo(1))
		observes(t, b, seen(1, shadow.Working, spends("a", "m", 42, true), spends("b", "n", 9, false)), readTo(3))
		sub := seen(0, shadow.Working, spends("c", "m", 7, true))
		sub.Session.ID, sub.Session.Parent, sub.Session.Name = "s2", "s1", "Explore"
		observes(t, b, sub, readTo(1))
		time.Sleep(30 * time.Hour)
		observes(t, b, seen(3, shadow.Idle, spends("d", "m", 5, true), shadow.Entry{Kind: shadow.Stated, Micros: 99}), readTo(5))
		c.pull()
		erased := &world.HistoryErased{ErasureID: "x1", Reason: world.ErasedOnRequest,
			Conversations: []string{c.world.Session("claude", "s1").ConversationID}}
		b.stop()
		rec, err := world.Event{Seq: c.world.Tick + 1, At: world.TimeOf(time.Now()), V: 1, Body: erased}.Encode()
		if err == nil {
			err = b.journal.Commit(&world.Batch{Records: []world.Record{rec}})
		}
		if err != nil {
			t.Fatal(err)
		}
		b.record(dir, "usage.jsonl")
	})
}
