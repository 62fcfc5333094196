package coding_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/price"
	"agentdungeon/server/reader/claude"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// paid returns an entry with the usage of one request: 1 token of input and the given tokens of output, each at a price
// of 10.
func paid(key string, output int, at time.Time) shadow.Entry {
	return shadow.Entry{Kind: shadow.Spent, At: at, Usage: &shadow.Usage{Key: key, Model: "m", Input: 1, Output: output,
		Context: 100 + output, Micros: int64(10 * (1 + output)), Priced: true}}
}

// uses passes entries of a session to the realm as the next reading after the session's position.
func (e *engine) uses(t *testing.T, session, parent string, entries ...shadow.Entry) []world.Body {
	t.Helper()
	at := ""
	if s := e.World.Session("codex", session); s != nil {
		at = s.Position
	}
	return e.sees(t, shadow.Seen{Session: shadow.Session{Program: "codex", ID: session, Parent: parent},
		Before: shadow.Position(at), Next: shadow.Position(at + "."), Entries: entries})
}

func rowsOf(w *world.World) string {
	var out []string
	for _, u := range w.Usage {
		out = append(out, fmt.Sprintf("%s %s %s in=%d out=%d micros=%d unpriced=%d context=%d", u.AgentID, u.Model, u.Day,
			u.Input, u.Output, u.Micros, u.Unpriced, u.Context))
	}
	return strings.Join(out, "\n")
}

// A request is counted once. A later record of it with more tokens replaces the earlier one, also if it comes in
// another reading; a record with fewer tokens does not. A request that another session has just counted is a copy.
// There is one row for each day, each model and each agent (P17.12).
func TestEachRequestIsCountedOnce_P17_12(t *testing.T) {
	day := time.UnixMilli(900_000)
	unpriced := paid("k", 9, day)
	unpriced.Usage.Model, unpriced.Usage.Priced = "new", false
	future := paid("f", 3, day.AddDate(1, 0, 0))
	const one, two = "codex:a m 1970-01-01 in=1 out=42 micros=430 unpriced=0 context=142",
		"codex:a m 1970-01-01 in=2 out=45 micros=470 unpriced=0 context=103"
	for name, c := range map[string]struct {
		read [][]shadow.Entry
		want string
	}{
		"one":                       {[][]shadow.Entry{{paid("k", 42, day)}}, one},
		"in one reading":            {[][]shadow.Entry{{paid("k", 1, day), paid("k", 42, day)}}, one},
		"in two readings":           {[][]shadow.Entry{{paid("k", 1, day)}, {paid("k", 42, day)}}, one},
		"with less afterwards":      {[][]shadow.Entry{{paid("k", 42, day)}, {paid("k", 0, day)}}, one},
		"with as much afterwards":   {[][]shadow.Entry{{paid("k", 42, day)}, {paid("k", 42, day)}}, one},
		"over midnight":             {[][]shadow.Entry{{paid("k", 1, day)}, {paid("k", 42, day.Add(-24*time.Hour))}}, one},
		"two":                       {[][]shadow.Entry{{paid("k", 42, day)}, {paid("l", 3, day)}}, two},
		"two, the first again":      {[][]shadow.Entry{{paid("k", 7, day)}, {paid("l", 3, day), paid("k", 42, day), paid("l", 3, day)}}, strings.Replace(two, "103", "142", 1)},
		"without a price":           {[][]shadow.Entry{{unpriced}}, "codex:a new 1970-01-01 in=1 out=9 micros=0 unpriced=10 context=109"},
		"of a day that is to come":  {[][]shadow.Entry{{future}}, "codex:a m 1970-01-01 in=1 out=3 micros=40 unpriced=0 context=103"},
		"without a time":            {[][]shadow.Entry{{paid("k", 3, time.Time{})}}, "codex:a m 1970-01-01 in=1 out=3 micros=40 unpriced=0 context=103"},
		"below nothing and too big": {[][]shadow.Entry{{{Kind: shadow.Spent, Usage: &shadow.Usage{Key: "k", Input: -5, Output: 1 << 50, Priced: true}}}}, fmt.Sprint("codex:a  1970-01-01 in=0 out=", 1<<40, " micros=0 unpriced=0 context=0")},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine()
			for _, entries := range c.read {
				e.uses(t, "a", "", entries...)
			}
			if got := rowsOf(e.World); got != c.want {
				t.Errorf("the ledger is\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	t.Run("of another session", func(t *testing.T) {
		e := newEngine()
		e.uses(t, "a", "", paid("k", 42, day))
		e.uses(t, "b", "a", paid("k", 42, day), paid("l", 1, day))
		if got := rowsOf(e.World); got != one+"\ncodex:b m 1970-01-01 in=1 out=1 micros=20 unpriced=0 context=101" {
			t.Errorf("the ledger is\n%s", got)
		}
		if b := e.World.UsageOf("codex:b", "m", "1970-01-01"); b.Parent != "codex:a" || b.Name == "" {
			t.Errorf("the sub-agent's row is %+v", b)
		}
	})
}

// The ledger does not depend on how the records of a session are cut into readings, and has the same sums as a simple
// ledger that the test keeps. In the test the records of a request follow each other, each with more tokens (P17.12).
func TestReadingsDoNotChangeTheLedger_P17_12(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var entries []shadow.Entry
		want := map[string]int64{}
		for n := range 1 + rnd.IntN(30) {
			at := time.UnixMilli(900_000).AddDate(0, 0, -rnd.IntN(3))
			last := 0
			for range 1 + rnd.IntN(4) {
				last += rnd.IntN(50)
				entries = append(entries, paid(fmt.Sprint(n), last, at))
			}
			want[at.UTC().Format(time.DateOnly)] += int64(10 * (1 + last))
		}
		e := newEngine()
		for len(entries) > 0 {
			n := 1 + rnd.IntN(len(entries))
			e.uses(t, "a", "", entries[:n]...)
			entries = entries[n:]
		}
		if len(e.World.Usage) != len(want) {
			t.Fatalf("seed %d: the ledger is\n%s\nwant %v", seed, rowsOf(e.World), want)
		}
		for day, micros := range want {
			if u := e.World.UsageOf("codex:a", "m", day); u == nil || u.Micros != micros || 10*u.Sum() != micros {
				t.Fatalf("seed %d: the ledger is\n%s\nwant %v", seed, rowsOf(e.World), want)
			}
		}
	}
}

// The sum that the program itself has counted is shown beside the ledger's sum and not added to it. It is dropped when
// the session makes the next request (P17.12).
func TestWhatTheProgramCountsIsNotInTheSum_P17_12(t *testing.T) {
	e := newEngine()
	day := time.UnixMilli(900_000)
	stated := shadow.Entry{Kind: shadow.Stated, Micros: 431}
	e.uses(t, "a", "", paid("k", 42, day), stated)
	if s := e.World.Session("codex", "a"); s.Stated != 431 || e.World.Usage[0].Micros != 430 {
		t.Errorf("the program counts %d, the ledger is\n%s", s.Stated, rowsOf(e.World))
	}
	e.uses(t, "a", "", paid("k", 42, day))
	if s := e.World.Session("codex", "a"); s.Stated != 431 {
		t.Error("another record of the same request has made it old")
	}
	e.uses(t, "a", "", paid("l", 1, day))
	if s := e.World.Session("codex", "a"); s.Stated != 0 {
		t.Errorf("the program counts %d without the newest request", s.Stated)
	}
}

// recorded reads the sessions of a recording of Claude Code and passes them to the realm as a server does: with prices,
// in readings of at most maxBytes.
func recorded(t *testing.T, e *engine, maxBytes int) {
	t.Helper()
	home := t.TempDir()
	if err := os.CopyFS(home, os.DirFS(filepath.Join("..", "reader", "claude", "testdata", "day"))); err != nil {
		t.Fatal(err)
	}
	reader := claude.New(claude.Config{Homes: []string{home}})
	list, err := reader.Sessions(context.Background(), func(string) bool { return true }, 100)
	if err != nil {
		t.Fatal(err)
	}
	prices := price.Default()
	for _, s := range list.Sessions {
		at := shadow.Position("")
		for more := true; more; {
			b, err := reader.Read(context.Background(), s, at, maxBytes)
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Entries {
				if u := b.Entries[i].Usage; u != nil {
					u.Micros, u.Priced = prices.Of(u.Model, u.Tokens())
				}
			}
			e.sees(t, shadow.Seen{Session: b.Session, Before: at, Next: b.Next, Entries: b.Entries})
			at, more = b.Next, b.More
		}
	}
}

// For one session the sum of the records of Claude Code 2.1.330 equals to the cent what the program itself has counted,
// including three sub-agents, an interrupted turn and split messages. A fork counts no request of its parent. The two
// sums differ if the program has asked for a summary (/compact), because no record has the tokens of that request
// (P17.12).
func TestTheLedgerOfARecordingIsWhatTheProgramCounts_P17_12(t *testing.T) {
	for _, maxBytes := range []int{1, 2_000, 1 << 20} {
		e := newEngine()
		e.Clock.Wall = world.TimeOf(time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC))
		recorded(t, e, maxBytes)
		sums := map[string]int64{}
		requests := map[string]int64{}
		for _, u := range e.World.Usage {
			id := u.AgentID
			if u.Parent != "" {
				id = u.Parent
			}
			sums[id] += u.Micros
			requests[id] += u.Input / 1300
			if u.Unpriced != 0 || u.Day != "2026-11-23" || u.Model != "claude-opus-5-5" {
				t.Errorf("a row is %+v", u)
			}
		}
		const parted, compacted, forked = "a5da0ece-22bb-4ea3-94b3-9522512d4212", "5fcaf07b-4337-4859-9d0e-ec09cd4a5ee8",
			"02b659f3-6659-49ae-ab28-4e2759335b32"
		cents := func(micros int64) int64 { return (micros + 5_000) / 10_000 }
		for _, c := range []struct {
			id       string
			requests int64
			stated   int64
			same     bool
		}{{parted, 17, 309_280, true}, {compacted, 3, 91_200, false}, {forked, 5, 0, false}} {
			id := "claude:" + c.id
			s := e.World.Session("claude", c.id)
			if s == nil || s.Stated != c.stated || requests[id] != c.requests {
				t.Errorf("of %s are %d requests counted, and the session is %+v", c.id, requests[id], s)
				continue
			}
			if same := cents(s.Stated) == cents(sums[id]); same != c.same {
				t.Errorf("%s: the sum is %d, the program counts %d", c.id, sums[id], s.Stated)
			}
		}
		if !slices.ContainsFunc(e.World.Usage, func(u world.AgentUsage) bool { return u.Parent == "claude:"+parted }) {
			t.Error("no sub-agent has a row")
		}
	}
}
