package world

import (
	"fmt"
	"testing"
	"time"
)

// manyUsages returns more rows of the ledger than a world keeps, of more models than there can be rows for earlier
// days. The page's test of its ledger (client/src/state/usage.test.ts) has the same rows.
func manyUsages() (out []*UsageChanged) {
	for i := range MaxUsage + 200 {
		u := AgentUsage{AgentID: fmt.Sprint("codex:", i), ConversationID: "private-x", Model: fmt.Sprint("x", i%75),
			Day: time.Date(2001, 1, 1+i%5, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), Tokens: Tokens{Input: int64(i)},
			Micros: int64(i % 3), Unpriced: int64(i % 2)}
		out = append(out, &UsageChanged{u})
	}
	return out
}

// The ledger has at most MaxUsage rows. The oldest rows of agents that are not on the map are added to rows for
// earlier days, one for each of at most MaxEarlier models, so that no sum is lost (P17.12).
func TestTheLedgerIsBounded_P17_12(t *testing.T) {
	w := New(Realm{ID: "r1"})
	w.Agents = []Agent{{ID: "codex:0"}}
	var want AgentUsage
	for i, b := range manyUsages() {
		want.Tokens, want.Micros, want.Unpriced = want.Plus(b.Tokens), want.Micros+b.Micros, want.Unpriced+b.Unpriced
		Apply(w, Event{Seq: int64(i + 1), V: 1, Body: b})
		if len(w.Usage) > MaxUsage {
			t.Fatalf("%d rows after %d", len(w.Usage), i+1)
		}
	}
	var got AgentUsage
	earlier, days := 0, map[string]int{}
	for _, u := range w.Usage {
		got.Tokens, got.Micros, got.Unpriced = got.Plus(u.Tokens), got.Micros+u.Micros, got.Unpriced+u.Unpriced
		days[u.Day]++
		if u.AgentID == "" {
			earlier++
		}
	}
	if got != want {
		t.Errorf("the sum is %+v, want %+v", got, want)
	}
	if earlier != 15 || len(w.Usage) != MaxUsage || days["2001-01-01"] != 225 || w.UsageOf("codex:0", "x0", "2001-01-01") == nil {
		t.Errorf("%d rows, %d of earlier days, by day %v", len(w.Usage), earlier, days)
	}
	if err := w.Validate(); err != nil {
		t.Error(err)
	}
	// Applying the same events again sets the same rows and adds nothing to them.
	before := fmt.Sprint(w.Usage[len(w.Usage)-5:])
	for _, b := range manyUsages()[MaxUsage+195:] {
		Apply(w, Event{Seq: w.Tick + 1, V: 1, Body: b})
	}
	if after := fmt.Sprint(w.Usage[len(w.Usage)-5:]); after != before {
		t.Errorf("set again they are\n%s\nwant\n%s", after, before)
	}
	w.Agents = nil
	for i := range MaxUsage {
		Apply(w, Event{Seq: w.Tick + 1, V: 1, Body: &UsageChanged{AgentUsage{AgentID: "a", Model: fmt.Sprint("y", i), Day: "2002-01-01"}}})
	}
	for i := range 100 {
		Apply(w, Event{Seq: w.Tick + 1, V: 1, Body: &UsageChanged{AgentUsage{AgentID: "b", Model: fmt.Sprint("z", i), Day: "2002-01-01"}}})
	}
	earlier = 0
	for _, u := range w.Usage {
		if u.AgentID == "" {
			earlier++
		}
	}
	if earlier > MaxEarlier+1 || w.UsageOf("", "", "") == nil || w.Validate() != nil {
		t.Errorf("of many models, %d rows of earlier days: %v", earlier, w.Validate())
	}
}

// The erasure of a conversation removes the name of its agent from the ledger; the numbers stay (P17.12).
func TestAnErasureKeepsTheNumbersOfTheLedger_P17_12(t *testing.T) {
	w := New(Realm{ID: "r1"})
	for _, id := range []string{"a", "b"} {
		u := AgentUsage{AgentID: id, ConversationID: "private-" + id, Name: "N " + id, Model: "m", Day: "2026-11-24", Micros: 7}
		Apply(w, Event{Seq: w.Tick + 1, V: 1, Body: &UsageChanged{u}})
	}
	Apply(w, Event{Seq: w.Tick + 1, V: 1, Body: &HistoryErased{ErasureID: "x", Reason: ErasedOnRequest, Conversations: []string{"private-a"}}})
	if a, b := w.Usage[0], w.Usage[1]; a.Name != "" || a.Micros != 7 || b.Name != "N b" {
		t.Errorf("the ledger is %+v", w.Usage)
	}
}
