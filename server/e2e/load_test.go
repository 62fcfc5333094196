package e2e

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// loadTemplate is a short process with every kind of stage: a parallel one, a sequential one with a person, and one
// that ends by a signal.
const loadTemplate = `{"id":"load","name":"Load","roles":[
 {"id":"a","name":"Ann","color":"#112233"},{"id":"b","name":"Bob","color":"#223344"},
 {"id":"c","name":"Cid","color":"#334455"},{"id":"p","name":"Person","color":"#445566"}],
"stages":[
 {"id":"gather","name":"Gather","goal":"gather","roles":["a","b","c"],"structure":"parallel","completion":"turn_count","turns":2,"artifacts":[{"name":"notes"}]},
 {"id":"weigh","name":"Weigh","goal":"weigh","roles":["a","p"],"structure":"sequential","completion":"turn_count","turns":1,"artifacts":[{"name":"verdict","producer":"p"}]},
 {"id":"settle","name":"Settle","goal":"settle","roles":["b"],"structure":"single","completion":"explicit_signal"},
 {"id":"close","name":"Close","goal":"close","roles":["b","c"],"structure":"sequential","completion":"turn_count","turns":2,"artifacts":[{"name":"report","producer":"c"}]}]}`

// loadScript streams for about 30 ms in each turn.
const loadScript = `{"version":1,"defaults":{"chunkMs":2,"chunkWords":2},"turns":[
 {"match":{"completion":"explicit_signal"},"steps":[{"say":"That is what we have now, in a few words."},{"seal":"settled"}]},
 {"match":{"role":"c"},"steps":[{"activity":"reading","tool":"read_file"},{"say":"{{role}} in {{stage}}, turn {{n}}: ä € 😀 one thing after the other, so that a kill may fall right into the middle."},
  {"finding":{"severity":"low","title":"from {{role}} in {{stage}}","text":"text {{n}}"}},{"artifact":{"name":"notes","text":"handed over by {{role}}"}}]},
 {"steps":[{"thought":"hm"},{"say":"{{role}} in {{stage}}, turn {{n}}: "},{"insight":{"area":"load","text":"learned in {{stage}}"}},{"say":"words and words and still more words, two at a time."}]}]}`

// siege is a realm under load whose server is killed repeatedly.
type siege struct {
	t      *testing.T
	rng    *rand.Rand
	home   *Home
	ledger *Ledger
	tabs   []*Tab
	first  string // epoch
	lives  int
}

// newSiege links a folder and connects tabs that work in it. The server of the first life is running.
func newSiege(t *testing.T, rng *rand.Rand) (*siege, *Life) {
	t.Helper()
	h := NewHome(t, server, "-script", file(t, filepath.Join(t.TempDir(), "load.json"), loadScript))
	file(t, filepath.Join(h.Worlds, "templates", "load.json"), loadTemplate)
	s := &siege{t: t, rng: rng, home: h, ledger: NewLedger(t), lives: 1}
	operator := NewTab(t, s.ledger, "operator")
	person := NewTab(t, s.ledger, "person")
	second := NewTab(t, s.ledger, "person") // another tab of the same person
	second.TabID = "tab-second"
	s.tabs = []*Tab{operator, NewTab(t, s.ledger, "speaker"), NewTab(t, s.ledger, ""), person, second}
	l := h.Start()
	operator.Join(l)
	operator.Do("link", &wire.LinkRepo{Path: repository(t)})
	operator.Until("a realm", func() bool { return operator.Live() && operator.World != nil })
	person.Join(l)
	person.Until("a seat", func() bool { return person.Seat != "" })
	second.Seat = person.Seat
	for _, tab := range s.tabs[1:] {
		if tab != person {
			tab.Join(l)
		}
	}
	for _, tab := range s.tabs {
		tab.Look(func() { tab.MustReplay, s.first = true, tab.Epoch })
	}
	second.Until("one person", func() bool { return second.Self.SpectatorID == person.Self.SpectatorID })
	s.work()
	return s, l
}

// work starts the work of all tabs.
func (s *siege) work() {
	acts := []func(*Tab){operates(), speaks(25 * time.Millisecond), nil, answers("p"), nil}
	for i, tab := range s.tabs {
		tab.Look(func() { tab.Act = acts[i] })
	}
}

// often returns a function that returns true at most once in the time every.
func often(every time.Duration) func() bool {
	var last time.Time
	return func() bool {
		if time.Since(last) < every {
			return false
		}
		last = time.Now()
		return true
	}
}

// operates returns an Act that starts a process when the last one has ended. Three starts of the server without a turn
// pause the process; then it sends /resume.
func operates() func(*Tab) {
	n, due := 0, often(50*time.Millisecond)
	return func(t *Tab) {
		if len(t.Pending) > 0 || t.World == nil || !due() {
			return
		}
		n++
		id := fmt.Sprintf("op-%d", n)
		switch p := &t.World.ProcessState; {
		case p.Status == world.StatusIdle || p.Status == world.StatusCompleted:
			t.Send(id, &wire.StartProcess{Problem: "What to do under load?", TemplateID: "load"})
		case p.Status == world.StatusPaused, p.Waiting != nil && p.Waiting.Code == world.WaitTurnFailed:
			t.Send(id, &wire.PlayerCommand{Text: "/resume"})
		}
	}
}

// speaks returns an Act that says a new text at most once in the time every.
func speaks(every time.Duration) func(*Tab) {
	n, due := 0, often(every)
	return func(t *Tab) {
		if len(t.Pending) < 3 && t.World != nil && due() {
			n++
			t.Send(fmt.Sprintf("say-%s-%d", t.Name, n), &wire.SpectatorSay{Text: fmt.Sprintf("%s says %d", t.Name, n)})
		}
	}
}

// answers returns an Act that holds a role and answers its turns.
func answers(role string) func(*Tab) {
	n, due := 0, often(30*time.Millisecond)
	return func(t *Tab) {
		if t.World == nil || len(t.Pending) > 0 || t.World.ProcessState.Status != world.StatusRunning {
			return
		}
		c := t.World.ProcessState.Casting(role)
		switch {
		case c == nil:
		case c.SpectatorID != t.Self.SpectatorID:
			if due() {
				n++
				t.Send(fmt.Sprintf("take-%d", n), &wire.TakeRole{RoleID: role})
			}
		case len(t.Asks) > 0 && due():
			n++
			t.Send(fmt.Sprintf("answer-%d", n), &wire.ChatSend{
				ConversationID: t.World.ProcessState.ConversationID, Content: fmt.Sprintf("answer %d of a person", n),
			})
		}
	}
}

// again starts the next life and connects all tabs to it.
func (s *siege) again() *Life {
	s.t.Helper()
	l := s.home.Start()
	s.lives++
	for _, tab := range s.tabs {
		if err := tab.Connect(l); err != nil {
			s.t.Fatalf("life %d: %s cannot come back: %v\n%s", s.lives, tab.Name, err, l.Log())
		}
	}
	return l
}

// ask waits until all tabs are back, and asks for everything that was shown.
func (s *siege) ask(l *Life) {
	s.t.Helper()
	s.live()
	s.ledger.AskAgain(s.tabs[0], l)
}

// live waits until all tabs have the server's last event.
func (s *siege) live() {
	s.t.Helper()
	for _, tab := range s.tabs {
		tab.Until("live again", func() bool { return tab.Live() })
	}
}

// settle lets all turns end in a last life, and compares what the tabs have with what is on disk.
func (s *siege) settle(l *Life) {
	s.t.Helper()
	s.live()
	operator := s.tabs[0]
	for i, tab := range s.tabs {
		if i != 3 { // a turn that was requested must end before a pause takes effect
			tab.Look(func() { tab.Act = nil })
		}
	}
	operator.Until("nothing to operate", func() bool { return len(operator.Pending) == 0 })
	operator.Look(func() {
		if operator.World.ProcessState.Status == world.StatusRunning {
			operator.Send("the-end", &wire.PlayerCommand{Text: "/pause"})
		}
	})
	operator.Until("a process at rest", func() bool {
		return len(operator.Pending) == 0 && operator.World.ProcessState.Status != world.StatusRunning
	})
	for _, tab := range s.tabs {
		tab.Look(func() { tab.Act = nil })
		tab.Until("an answer to everything", func() bool { return len(tab.Pending) == 0 })
	}
	last := operator.Do("last", &wire.SpectatorSay{Text: "the last word"})
	if last.Code != "" {
		s.t.Fatalf("the last word: %s", last.Answer)
	}
	head := s.ledger.Head()
	for _, tab := range s.tabs {
		tab.Until("the last word", func() bool { return tab.Seq >= head })
	}
	audit(s.t, l, s.ledger, s.first, s.tabs...)
	for text, n := range s.ledger.Said() {
		if n != 1 {
			s.t.Errorf("%q was taken %d times", text, n)
		}
	}
}

// audit compares what clients were shown with what the server still has: every byte of the journal, the world, the
// transcripts. No run may be under way. A hero may still walk home, so worlds are compared at the same seq.
func audit(t *testing.T, l *Life, ledger *Ledger, firstEpoch string, tabs ...*Tab) {
	t.Helper()
	ledger.Check()
	for _, tab := range tabs {
		tab.Look(func() { SameWorld(t, tab.Name, tab.World, ledger.Fold(tab.Seq)) })
	}
	fresh := NewTab(t, ledger, "")
	fresh.Join(l)
	fresh.Until("the head", func() bool { return fresh.Seq == ledger.Head() })
	fresh.Look(func() {
		SameWorld(t, "a fresh snapshot", fresh.World, ledger.Fold(fresh.Seq))
		sameRows(t, ledger, fresh.Views, fresh.Base)
	})
	fresh.Close()
	if firstEpoch == "" {
		return
	}
	// This tab gets everything from the first event on, as the journal has it now.
	historian := NewTab(t, ledger, "")
	historian.RealmID, historian.Epoch, historian.World, historian.MustReplay = tabs[0].RealmID, firstEpoch, world.New(world.Realm{}), true
	historian.Join(l)
	if shown := ledger.Head(); !historian.Within(Patience, func() bool { return historian.Seq >= shown }) {
		t.Errorf("the journal ends before %d, which was shown", shown)
	}
	historian.Look(func() { SameWorld(t, "the journal", historian.World, ledger.Fold(historian.Seq)) })
	historian.Close()
}

// sameAsFresh compares a tab's world with that of a new tab at the same seq.
func sameAsFresh(t *testing.T, l *Life, tab *Tab) {
	t.Helper()
	fresh := NewTab(t, tab.ledger, "")
	fresh.RealmID = tab.RealmID
	fresh.Join(l)
	defer fresh.Close()
	for {
		seq, mine := tab.Position()
		fresh.Until("what the other has", func() bool { return fresh.Seq >= seq })
		if there, theirs := fresh.Position(); there == seq {
			SameWorld(t, "a fresh snapshot", theirs, mine)
			return
		}
		tab.Until("what the fresh one has", func() bool { return tab.Seq > seq })
	}
}

// sameRows compares the views of a snapshot at seq with the events up to seq.
func sameRows(t testing.TB, ledger *Ledger, views []world.View, seq int64) {
	t.Helper()
	events := ledger.Events()[:seq]
	for _, v := range views {
		open := underWay(events, v.ConversationID)
		rows := Rows(events, v.ConversationID)
		if n := len(rows) - len(v.Messages); n < 0 || n > 0 != v.HasMore {
			t.Errorf("conversation %s: %d rows were shown, %d are kept (more: %v)", v.ConversationID, len(rows), len(v.Messages), v.HasMore)
			continue
		}
		for i, m := range v.Messages {
			if want := rows[len(rows)-len(v.Messages)+i]; !reflect.DeepEqual(m, want) {
				t.Errorf("conversation %s, row %d:\n%+v\nwas shown as\n%+v", v.ConversationID, i, m, want)
			}
		}
		for _, r := range v.ActiveRuns {
			if !open[r.RequestID] {
				t.Errorf("run %s is under way only in the snapshot", r.RequestID)
			}
			delete(open, r.RequestID)
		}
		for id := range open {
			t.Errorf("run %s is under way and not in the snapshot", id)
		}
	}
}

// underWay returns the runs of a conversation that have begun and not ended.
func underWay(events []world.Event, conversation string) map[string]bool {
	open := map[string]bool{}
	for _, ev := range events {
		if world.ConversationOf(ev.Body) != conversation {
			continue
		}
		switch b := ev.Body.(type) {
		case *world.ChatStarted:
			open[b.RequestID] = true
		case *world.ChatDone:
			delete(open, b.RequestID)
		case *world.ChatError:
			delete(open, b.RequestID)
		case *world.ChatCancelled:
			delete(open, b.RequestID)
		}
	}
	return open
}
