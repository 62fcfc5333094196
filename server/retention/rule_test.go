package retention

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/world"
)

// noon is on the day before the 29th of February of a leap year.
var noon = world.TimeOf(time.Date(2028, 2, 28, 12, 0, 0, 0, time.UTC))

func ago(d time.Duration) world.Time { return noon - world.Time(d.Milliseconds()) }

func days24(n int) time.Duration { return time.Duration(n) * day }

// trusted is a clock that has never jumped.
var trusted = Watch{SeenAt: noon}

func acts(heads []Head, p Policy, w Watch) string {
	var out []string
	for _, it := range Plan(heads, p, w, noon) {
		text := it.ConversationID + " " + string(it.Act)
		if it.Held != "" {
			text += " (" + it.Held + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// For each status the rule does nothing a millisecond before the limit, and acts at the limit
// (S1-15, S1-16, S1-B8, P16.11). It marks only conversations that have not ended, and deletes only
// ended ones.
func TestTheRuleAtItsEdges(t *testing.T) {
	p := Default()
	const ms = time.Millisecond
	for _, c := range []struct {
		name string
		head Head
		want string
	}{
		{"29 days of silence", Head{Status: world.ConversationActive, UpdatedAt: ago(days24(29))}, ""},
		{"30 days but a moment", Head{Status: world.ConversationActive, UpdatedAt: ago(days24(30) - ms)}, ""},
		{"30 days", Head{Status: world.ConversationActive, UpdatedAt: ago(days24(30))}, "x abandon"},
		{"a queued one", Head{Status: world.ConversationQueued, UpdatedAt: ago(days24(31))}, "x abandon"},
		{"a paused one", Head{Status: world.ConversationPaused, UpdatedAt: ago(days24(400))}, "x abandon"},
		{"an interrupted one", Head{Status: world.ConversationInterrupted, UpdatedAt: ago(days24(400))}, "x abandon"},
		{"one that answers", Head{Status: world.ConversationActive, UpdatedAt: ago(days24(400)), Running: true}, "x keep (a run is under way)"},
		{"the one at hand", Head{Status: world.ConversationPaused, UpdatedAt: ago(days24(400)), Current: true}, "x keep (it is the realm's current process or party)"},
		{"perhaps the one at hand", Head{Status: world.ConversationPaused, UpdatedAt: ago(days24(400)), MaybeCurrent: true}, "x keep (it is unknown which party is the current one)"},
		{"completed, 90 days but a moment", Head{Status: world.ConversationCompleted, UpdatedAt: ago(days24(90) - ms), EndedAt: ago(days24(90) - ms)}, ""},
		{"completed, 90 days", Head{Status: world.ConversationCompleted, UpdatedAt: ago(0), EndedAt: ago(days24(90))}, "x delete"},
		{"completed long ago, at hand", Head{Status: world.ConversationCompleted, EndedAt: ago(days24(900)), Current: true}, "x keep (it is the realm's current process or party)"},
		{"failed, 90 days", Head{Status: world.ConversationFailed, EndedAt: ago(days24(90))}, "x delete"},
		{"completed by an older version", Head{Status: world.ConversationCompleted, UpdatedAt: ago(days24(90))}, "x delete"},
		{"abandoned, 90 days but a moment", Head{Status: world.ConversationAbandoned, EndedAt: ago(days24(90) - ms)}, ""},
		{"abandoned, 90 days", Head{Status: world.ConversationAbandoned, EndedAt: ago(days24(90))}, "x delete"},
		{"told in the future", Head{Status: world.ConversationCompleted, EndedAt: noon + 1}, ""},
		{"told never", Head{Status: world.ConversationCompleted}, ""},
		{"an unknown status is as one that has not ended", Head{Status: "later", UpdatedAt: ago(days24(31))}, "x abandon"},
	} {
		c.head.ID, c.head.Kind = "x", world.KindForge
		if got := acts([]Head{c.head}, p, trusted); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		for _, kind := range world.Kinds { // others are kept until an operator sets a limit
			c.head.Kind = kind
			if got := acts([]Head{c.head}, Policy{}, trusted); got != "" {
				t.Errorf("%s: a %s without limits: %q", c.name, kind, got)
			}
			if got := acts([]Head{c.head}, p, trusted); kind != world.KindForge && got != "" {
				t.Errorf("%s: a %s by default: %q", c.name, kind, got)
			}
		}
	}
}

// A conversation is marked after 30 days of silence and deleted 90 days after the mark, so after
// 120 days.
func TestMarkedAndThenDeleted(t *testing.T) {
	h := Head{ID: "x", Kind: world.KindForge, Status: world.ConversationPaused, UpdatedAt: noon}
	for d, want := range map[int]Act{29: "", 30: Abandon} {
		now := noon + world.Time(days24(d).Milliseconds())
		got := Plan([]Head{h}, Default(), trusted, now)
		if (want == "") != (len(got) == 0) || len(got) > 0 && got[0].Act != want {
			t.Errorf("day %d: %v", d, got)
		}
	}
	mark := noon + world.Time(days24(30).Milliseconds())
	h.Status, h.UpdatedAt, h.EndedAt = world.ConversationAbandoned, mark, mark
	if got := Soonest([]Head{h}, Default(), trusted, mark); got != noon+world.Time(days24(120).Milliseconds()) {
		t.Errorf("it is deleted at %v", got)
	}
	for d, want := range map[int]int{119: 0, 120: 1} {
		if got := Plan([]Head{h}, Default(), trusted, noon+world.Time(days24(d).Milliseconds())); len(got) != want {
			t.Errorf("day %d: %v", d, got)
		}
	}
	h.Status, h.EndedAt, h.UpdatedAt = world.ConversationActive, 0, noon+world.Time(days24(100).Milliseconds()) // a new message made it active
	if got := Plan([]Head{h}, Default(), trusted, noon+world.Time(days24(129).Milliseconds())); len(got) != 0 {
		t.Errorf("active again: %v", got)
	}
}

// A conversation stays as long as another conversation is about it. Once the other is deleted, the next pass deletes
// it.
func TestWhatOthersTalkOverStays(t *testing.T) {
	p := Policy{world.KindProcess: {CompletedDays: 10}, world.KindChat: {CompletedDays: 20}}
	process := Head{ID: "p", Kind: world.KindProcess, Status: world.ConversationCompleted, EndedAt: ago(days24(30))}
	chat := Head{ID: "c", Kind: world.KindChat, Status: world.ConversationActive, UpdatedAt: ago(days24(30)), About: "p"}
	self := Head{ID: "s", Kind: world.KindProcess, Status: world.ConversationCompleted, EndedAt: ago(days24(30)), About: "s"}
	if got := acts([]Head{process, chat, self}, p, trusted); got != "p keep (another conversation is about it), s delete" {
		t.Errorf("%q", got)
	}
	chat.Status, chat.EndedAt = world.ConversationCompleted, ago(days24(25))
	if got := acts([]Head{process, chat}, p, trusted); got != "p keep (another conversation is about it), c delete" {
		t.Errorf("%q", got)
	}
	if got := acts([]Head{process}, p, trusted); got != "p delete" {
		t.Errorf("after the chat: %q", got)
	}
}

// After some jumps of the clock retention trusts the clock, after others it waits, and each changes the age of
// conversations (P16.12: retention does nothing when the clock has jumped by more than 48 h).
func TestClockJumps(t *testing.T) {
	h := func(n int) world.Time { return noon + world.Time((time.Duration(n) * time.Hour).Milliseconds()) }
	w, _ := Watch{}.Observe(noon, 0)
	if w.Trusted() || w.Waits != TrustAfter {
		t.Fatalf("a clock that nobody has seen is trusted: %+v", w)
	}
	look := func(w Watch, now world.Time, lived time.Duration) Watch {
		next, _ := w.Observe(now, lived)
		return next
	}
	w = look(w, h(23), 23*time.Hour)
	if w.Trusted() {
		t.Error("trusted after 23 hours")
	}
	if again := look(w, h(23+40), 0); again.Trusted() || again.Waits != time.Hour {
		t.Errorf("a restart after 40 hours: %+v", again)
	}
	w = look(w, h(24), time.Hour)
	if !w.Trusted() {
		t.Errorf("not trusted after 24 hours of life: %+v", w)
	}
	for _, c := range []struct {
		name  string
		now   world.Time
		lived time.Duration
		ok    bool
	}{
		{"an hour", h(25), time.Hour, true},
		{"a start after 48 hours", h(24 + 48), 0, true},
		{"a start after 48 hours and a moment", h(24+48) + 1, 0, false},
		{"48 hours ahead within a life", h(24 + 49), time.Hour, true},
		{"49 hours ahead", h(24 + 50), time.Hour, false},
		{"47 hours back", h(24 - 47), 0, true},
		{"49 hours back", h(24 - 49), 0, false},
		{"10 years ahead", h(24 + 87_600), time.Hour, false},
		{"to 1970", 1, time.Hour, false},
	} {
		next, jump := w.Observe(c.now, c.lived)
		if next.Trusted() != c.ok || (jump == 0) != c.ok || next.SeenAt != c.now {
			t.Errorf("%s: %+v, jump %v", c.name, next, jump)
		}
		if !c.ok {
			settled := look(look(next, c.now+world.Time((23*time.Hour).Milliseconds()), 23*time.Hour), c.now+world.Time((24*time.Hour).Milliseconds()), time.Hour)
			if !settled.Trusted() {
				t.Errorf("%s: after a day of life %+v", c.name, settled)
			}
		}
	}
}

// A jump makes no earlier conversation older, however long the new clock is trusted. A clock that
// returns from a wrong time leaves ages as they were.
func TestJumpsAgeNothing(t *testing.T) {
	at := func(y int, m time.Month, d int) world.Time {
		return world.TimeOf(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
	}
	p := Default()
	one := func(status string, at world.Time) []Head {
		return []Head{{ID: "x", Kind: world.KindForge, Status: status, UpdatedAt: at, EndedAt: at}}
	}
	// The clock of a machine without a battery begins in 1970, and is set an hour later.
	w, _ := Watch{}.Observe(at(1970, 1, 2), 0)
	w, jump := w.Observe(at(2026, 11, 1), time.Hour)
	if jump < 50*365*day {
		t.Fatalf("jump %v", jump)
	}
	w.Waits = 0
	done := one(world.ConversationCompleted, at(1970, 1, 2)+world.Time((30*time.Minute).Milliseconds()))
	if got := Plan(done, p, w, at(2026, 11, 20)); len(got) != 0 {
		t.Errorf("a conversation of 1970 is deleted after 19 days: %v", got)
	}
	if got := Plan(done, p, w, at(2027, 3, 1)); len(got) != 1 || got[0].Act != Delete {
		t.Errorf("a conversation of 1970 is not deleted after four months: %v", got)
	}
	if got := Plan(one(world.ConversationCompleted, at(2026, 11, 2)), p, w, at(2027, 1, 30)); len(got) != 0 {
		t.Errorf("89 days after the jump: %v", got)
	}
	if got := Plan(one(world.ConversationCompleted, at(2026, 11, 2)), p, w, at(2027, 1, 31)); len(got) != 1 {
		t.Errorf("90 days after the jump: %v", got)
	}
	// The clock is set a year ahead by mistake, and back a week later.
	w = Watch{SeenAt: at(2026, 11, 1)}
	w, _ = w.Observe(at(2027, 11, 1), time.Hour)
	w.Waits = 0
	before := one(world.ConversationCompleted, at(2026, 10, 1))
	if got := Plan(before, p, w, at(2027, 11, 8)); len(got) != 0 {
		t.Errorf("a clock a year ahead makes it due: %v", got)
	}
	w.SeenAt = at(2027, 11, 8)
	w, _ = w.Observe(at(2026, 11, 8), time.Hour)
	w.Waits = 0
	if got := Plan(before, p, w, at(2026, 12, 29)); len(got) != 0 {
		t.Errorf("89 days: %v", got)
	}
	if got := Plan(before, p, w, at(2026, 12, 31)); len(got) != 1 {
		t.Errorf("91 days: %v", got)
	}
	if got := Plan(one(world.ConversationCompleted, at(2027, 11, 5)), p, w, at(2028, 2, 1)); len(got) != 0 {
		t.Errorf("a conversation of the wrong year is due: %v", got)
	}
	for range 3 * maxJumps { // the list of jumps is bounded, and that makes no conversation older
		w.SeenAt = at(2030, 1, 1)
		w, _ = w.Observe(at(2031, 1, 1), time.Hour)
	}
	if len(w.Jumps) > maxJumps || w.shift(at(2026, 1, 1)) < 3*maxJumps*364*day {
		t.Errorf("%d jumps, %v", len(w.Jumps), w.shift(at(2026, 1, 1)))
	}
}

func TestPolicy(t *testing.T) {
	raw := func(text string) map[string]json.RawMessage {
		m := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for text, want := range map[string]Policy{
		`{}`: {"forge": {90, 90, 30}},
		`{"retentionCompletedDays":7,"abandonAfterDays":0}`:                                                {"forge": {7, 90, 0}},
		`{"retention":{"chat":{"completedDays":30}},"retentionAbandonedDays":5}`:                           {"forge": {90, 5, 30}, "chat": {30, 0, 0}},
		`{"retention":{"forge":{"completedDays":0,"abandonedDays":0,"abandonAfterDays":0},"council":{}}}`:  {"forge": {0, 0, 0}, "council": {0, 0, 0}},
		`{"retention":{"process":{"abandonAfterDays":36500}, "party":{"abandonedDays":1}}, "maxAgents":3}`: {"forge": {90, 90, 30}, "process": {0, 0, 36500}, "party": {0, 1, 0}},
	} {
		if got, err := Parse(raw(text)); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v (%v)", text, got, err)
		}
	}
	for text, say := range map[string]string{
		`{"retentionCompletedDays":-1}`:                   "retentionCompletedDays must be a whole number of days from 0 (never) to 36500",
		`{"abandonAfterDays":"30"}`:                       "abandonAfterDays must be",
		`{"retentionAbandonedDays":null}`:                 "retentionAbandonedDays must be",
		`{"retention":7}`:                                 "retention must have limits by kind",
		`{"retention":null}`:                              "retention must have limits by kind",
		`{"retention":{"talk":{}}}`:                       `there is no kind "talk"`,
		`{"retention":{"chat":[]}}`:                       "retention.chat must have limits",
		`{"retention":{"chat":{"days":1}}}`:               `retention.chat has no limit "days"`,
		`{"retention":{"chat":{"completedDays":1.5}}}`:    "retention.chat.completedDays must be",
		`{"retention":{"forge":{"completedDays":36501}}}`: "retention.forge.completedDays must be",
	} {
		if got, err := Parse(raw(text)); err == nil || !strings.Contains(err.Error(), say) || got != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// For any heads: the plan touches no running and no current conversation, deletes none that another
// one is about, marks none that has ended and deletes none that has not, acts on none before its
// time, and without limits acts on none.
func FuzzPlan(f *testing.F) {
	f.Add(uint64(1), 20, int64(0))
	f.Add(uint64(7), 200, int64(90))
	f.Fuzz(func(t *testing.T, seed uint64, n int, jump int64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n = max(0, min(n, 300))
		heads := make([]Head, n)
		statuses := []string{"active", "queued", "paused", "interrupted", "completed", "abandoned", "failed", "?"}
		for i := range heads {
			at := ago(time.Duration(rng.Int64N(int64(200 * day))))
			heads[i] = Head{
				ID: fmt.Sprint(i), Kind: world.Kinds[rng.IntN(len(world.Kinds))], Status: statuses[rng.IntN(len(statuses))],
				UpdatedAt: at, EndedAt: at * world.Time(rng.IntN(2)), Running: rng.IntN(9) == 0, Current: rng.IntN(9) == 0,
			}
			if rng.IntN(4) == 0 {
				heads[i].About = fmt.Sprint(rng.IntN(n))
			}
		}
		p := Policy{}
		for _, kind := range world.Kinds {
			p[kind] = Limits{rng.IntN(100), rng.IntN(100), rng.IntN(100)}
		}
		w := Watch{SeenAt: noon}
		w, _ = w.Observe(noon+world.Time(jump%36_500*day.Milliseconds()), time.Hour)
		by := map[string]Head{}
		for _, h := range heads {
			by[h.ID] = h
		}
		items := Plan(heads, p, w, noon)
		if !slices.IsSortedFunc(items, func(a, b Item) int { return int(min(max(a.Due-b.Due, -1), 1)) }) {
			t.Fatal("not in order")
		}
		for _, it := range items {
			h := by[it.ConversationID]
			c := world.Conversation{Status: h.Status}
			switch {
			case it.Act != Keep && (h.Running || h.Current):
				t.Fatalf("%+v: %+v", h, it)
			case it.Act == Abandon && (c.Ended() || p[h.Kind].AbandonAfterDays == 0), it.Act == Delete && !c.Ended():
				t.Fatalf("%+v: %+v", h, it)
			case it.Due > noon, (it.Act == Keep) != (it.Held != ""):
				t.Fatalf("%+v: %+v", h, it)
			}
			if it.Act == Delete && slices.ContainsFunc(heads, func(o Head) bool { return o.About == h.ID && o.ID != h.ID }) {
				t.Fatalf("%+v goes and is talked over", h)
			}
		}
		if got := Plan(heads, Policy{}, w, noon); len(got) != 0 {
			t.Fatalf("without limits: %v", got)
		}
	})
}

// A conversation that a wrong clock has dated into the future is neither kept for as long as the
// clock was wrong nor deleted early: its date counts as the time when the clock was set back.
func TestTimesThatLieAhead(t *testing.T) {
	p := Default()
	ahead := noon + world.Time(days24(3650).Milliseconds())
	heads := []Head{{ID: "x", Kind: world.KindForge, Status: world.ConversationCompleted, UpdatedAt: ahead, EndedAt: ahead}}
	known := Watch{SeenAt: noon, Jumps: []Jump{{ago(days24(200)), days24(3650)}, {ago(days24(100)), -days24(3650)}}}
	if got := acts(heads, p, known); got != "x delete" {
		t.Errorf("a hundred days after the clock was set back: %q", got)
	}
	known.Jumps[1].Before = ago(days24(89))
	if got := acts(heads, p, known); got != "" {
		t.Errorf("89 days after the clock was set back: %q", got)
	}
	// No observation of the clock has found the jump, so it counts as if it happened when ObserveDate gets the date.
	met := trusted.ObserveDate(ahead, noon)
	if again := met.ObserveDate(ahead, noon+1); len(met.Jumps) != 1 || len(again.Jumps) != 1 || acts(heads, p, met) != "" {
		t.Errorf("%+v, then %+v, and %q", met, again, acts(heads, p, met))
	}
	later := met
	later.SeenAt = noon + world.Time(days24(90).Milliseconds())
	if items := Plan(heads, p, later, later.SeenAt); len(items) != 1 || items[0].Act != Delete {
		t.Errorf("90 days later: %+v", items)
	}
	if w := trusted.ObserveDate(noon+world.Time(days24(1).Milliseconds()), noon); len(w.Jumps) != 0 {
		t.Errorf("a day ahead is no jump: %+v", w)
	}
}
