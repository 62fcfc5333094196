package coding_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/coding"
	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// engine is a realm in memory that folds what the kind decides.
type engine struct {
	*kind.Realm
	kind kind.Observer
}

func newEngine() *engine {
	set := kind.NewSet([]kind.Registration{{Name: "sessions", New: coding.New}})
	return &engine{
		Realm: &kind.Realm{
			World: world.New(world.Realm{ID: "r1", Path: "/home/dev/project"}), Talks: map[string]*kind.Talk{}, Kinds: set,
			Clock: kind.Clock{Now: time.Unix(1000, 0), Wall: 1_000_000},
		},
		kind: set.Of("sessions").(kind.Observer),
	}
}

func (e *engine) fold(bodies ...world.Body) {
	for _, b := range bodies {
		ev := world.Event{Seq: e.World.Tick + 1, At: e.At(), V: 1, Body: b}
		e.Clock.Last = ev.At
		world.Apply(e.World, ev)
		e.Kinds.Fold(e.Talks, ev)
	}
}

// sees passes s, what a reader has read, to the kind, folds the events that it decides, and returns them.
func (e *engine) sees(t *testing.T, s shadow.Seen) []world.Body {
	t.Helper()
	d, _ := e.kind.Observed(e.Realm, s)
	if d.Needs != nil {
		t.Fatalf("it needs %s", d.Needs.Key())
	}
	e.fold(d.Bodies...)
	return d.Bodies
}

func says(id, before, next, text string) shadow.Seen {
	return shadow.Seen{
		Session: shadow.Session{Program: "codex", ID: id}, Before: shadow.Position(before), Next: shadow.Position(next),
		Entries: []shadow.Entry{{ID: next, Kind: shadow.Words, Text: text}},
		State:   shadow.State{Name: shadow.Waiting, Wait: shadow.WaitPermission, Reason: "Bash: rm x", Source: shadow.FromStatus},
	}
}

// After the conversation of a session was erased, the session is read on from the same position into a new
// conversation, and the reason of its state is erased too (P17.4).
func TestAnErasedSessionGoesOnElsewhere(t *testing.T) {
	e := newEngine()
	e.sees(t, says("a", "", "1", "a secret"))
	id := e.World.Sessions[0].ConversationID
	was := e.World.Agent("codex:a").State
	e.fold(&world.HistoryErased{Conversations: []string{id}})
	delete(e.Talks, id)
	if now := e.World.Agent("codex:a").State; now.Reason != "" || now.Wait != world.WaitPermission || was.Reason == "" {
		t.Errorf("the state is %+v, and was %+v", now, was)
	}
	bodies := e.sees(t, says("a", "1", "2", "more"))
	if len(bodies) == 0 || e.World.Sessions[0].ConversationID == id || e.World.Sessions[0].Position != "2" {
		t.Errorf("it goes on as %+v with %d events", e.World.Sessions[0], len(bodies))
	}
	for _, talk := range e.Talks {
		if len(talk.Messages) != 1 || talk.Messages[0].Content != "more" {
			t.Errorf("the new conversation has %+v", talk.Messages)
		}
	}
}

// Two agents of one program have different names. A sub-agent has its own name, and its parent is known.
func TestHeroesHaveNames(t *testing.T) {
	e := newEngine()
	e.sees(t, says("a", "", "1", "hello"))
	e.sees(t, says("b", "", "1", "hello"))
	sub := says("c", "", "1", "hello")
	sub.Session.Parent, sub.Session.Name = "a", "Explore"
	e.sees(t, sub)
	want := map[string]string{"codex:a": "Codex", "codex:b": "Codex 2", "codex:c": "Explore"}
	if len(e.World.Agents) != len(want) || len(e.Talks) != 3 {
		t.Fatalf("%d heroes, %d conversations", len(e.World.Agents), len(e.Talks))
	}
	for id, name := range want {
		if a := e.World.Agent(id); a == nil || a.DisplayName != name {
			t.Errorf("%s is %+v, want %s", id, a, name)
		}
	}
	if s := e.World.Session("codex", "c"); s.Parent != "codex:a" {
		t.Errorf("the sub-agent's session is %+v", s)
	}
}

// Every session gets a hero, regardless of the setting maxAgents, and these heroes take no places from the members of
// processes. Beyond 48 heroes a session is a conversation without a hero (P17.3).
func TestEverySessionIsAHero_P17_3(t *testing.T) {
	e := newEngine()
	e.World.Settings.MaxAgents = 1
	for i := range world.MaxCoders + 1 {
		e.sees(t, says(fmt.Sprint("s", i), "", "1", "hello"))
	}
	if n := len(e.World.Agents); n != world.MaxCoders || len(e.Talks) != world.MaxCoders+1 {
		t.Errorf("%d heroes, %d conversations", n, len(e.Talks))
	}
	bard := world.Member{ID: "bard", Name: "Bard", DisplayName: "Bard", Type: world.KindAgent, Role: "bard"}
	if e.Room() != 1 || len(e.Comes(&bard, true)) != 1 {
		t.Errorf("there is room for %d members", e.Room())
	}
}

// When a host switches shadows off, the heroes leave with the reason and the conversations stay as they are. When a host
// switches shadows on again, the session's hero comes back (P17.6).
func TestHeroesLeaveWhenShadowsAreOff(t *testing.T) {
	e := newEngine()
	e.sees(t, says("a", "", "1", "hello"))
	next := func() (left []world.Body) {
		for step := range e.kind.(kind.Kind).Next(e.Realm) {
			left = append(left, step.Bodies...)
			e.fold(step.Bodies...)
		}
		return left
	}
	next()
	if e.World.Agent("codex:a") == nil {
		t.Fatal("there is no hero")
	}
	e.World.Settings.Shadows = world.Off
	want := []world.Body{&world.AgentLeft{AgentID: "codex:a", Reason: "this realm shows no coding agents now"}}
	if left := next(); !reflect.DeepEqual(left, want) {
		t.Errorf("off: the events are %+v", left)
	}
	talk := e.Talks[e.World.Sessions[0].ConversationID]
	if e.World.Agent("codex:a") != nil || talk.Head.Status != world.ConversationActive {
		t.Errorf("off: %+v, the conversation is %s", e.World.Agents, talk.Head.Status)
	}
	e.World.Settings.Shadows = world.On
	e.sees(t, says("a", "1", "2", "more"))
	next()
	if e.World.Agent("codex:a") == nil || len(e.Talks) != 1 {
		t.Errorf("on: %+v, %d conversations", e.World.Agents, len(e.Talks))
	}
}

// The output of a call that is marked as withheld is not kept, not even if it comes in a later batch or after a
// restart. Nor is an output whose call is unknown kept (P17.9).
func TestWithheldOutputsAreNotKept(t *testing.T) {
	e := newEngine()
	result := func(before, next, call string) shadow.Seen {
		s := says("a", before, next, "PLAIN")
		s.Entries[0].Kind, s.Entries[0].CallID, s.Entries[0].OK = shadow.Result, call, true
		return s
	}
	s := says("a", "", "1", "")
	s.Entries = []shadow.Entry{
		{ID: "1", Kind: shadow.Call, CallID: "hidden", Tool: &shadow.Tool{Name: "Bash", Input: "cat .env", Withheld: true}},
		{ID: "2", Kind: shadow.Call, CallID: "shown", Tool: &shadow.Tool{Name: "Bash", Input: "cat main.go"}},
	}
	e.sees(t, s)
	e.sees(t, result("1", "2", "hidden"))
	e.sees(t, result("2", "3", "shown"))
	e.sees(t, result("3", "4", "unknown"))
	want := map[string]bool{"hidden": false, "shown": true, "unknown": false}
	for _, m := range e.Talks[e.World.Sessions[0].ConversationID].Messages {
		kept := m.Content == "PLAIN"
		if m.Status != world.MessageDone || kept != want[m.Tool.CallID] || m.Content == "" || m.Tool.Withheld == kept {
			t.Errorf("%s: %+v %+v", m.Tool.CallID, m, m.Tool)
		}
		delete(want, m.Tool.CallID)
	}
	if len(want) > 0 {
		t.Errorf("no rows of %v", want)
	}
}

// A call that a person refused is not shown as one that failed: the program's record says so, or the door of the call
// was answered so on the page (P17.1).
func TestRefusedCallsAreMarked(t *testing.T) {
	e := newEngine()
	s := says("a", "", "1", "")
	s.Entries = nil
	for _, id := range []string{"refused", "denied", "allowed", "failed"} {
		s.Entries = append(s.Entries, shadow.Entry{ID: id, Kind: shadow.Call, CallID: id, Tool: &shadow.Tool{Name: "Bash", Input: id}})
	}
	e.sees(t, s)
	talk := e.World.Sessions[0].ConversationID
	for _, id := range []string{"denied", "allowed"} {
		door := world.AgentDoor{DoorID: id, AgentID: "codex:a", ConversationID: talk, Tool: "Bash", Detail: id, Since: e.At()}
		e.fold(&world.DoorOpened{AgentDoor: door}, &world.DoorClosed{DoorID: id, ConversationID: talk, Outcome: id})
	}
	e.Clock.Wall += 1000
	s = says("a", "1", "2", "")
	s.Entries = nil
	for _, m := range e.Talks[talk].Messages {
		s.Entries = append(s.Entries, shadow.Entry{ID: m.MessageID, Kind: shadow.Result, CallID: m.Tool.CallID,
			Refused: m.Tool.CallID == "refused", Text: "no"})
	}
	e.sees(t, s)
	for _, m := range e.Talks[talk].Messages {
		want := m.Tool.CallID == "refused" || m.Tool.CallID == "denied"
		if m.Status != world.MessageError || m.Tool.Refused != want {
			t.Errorf("%s is %s, refused: %t", m.Tool.CallID, m.Status, m.Tool.Refused)
		}
	}
}

// When the server no longer reads sessions, their heroes leave at once, and nothing else changes (P17.7).
func TestHeroesLeaveAServerThatReadsNoSessions(t *testing.T) {
	e := newEngine()
	e.sees(t, says("a", "", "1", "hello"))
	gone := says("a", "1", "1", "")
	gone.Entries, gone.State, gone.Unwatched = nil, shadow.State{}, true
	bodies := e.sees(t, gone)
	talk := e.Talks[e.World.Sessions[0].ConversationID]
	if len(bodies) != 1 || e.World.Agent("codex:a") != nil || talk.Head.Status != world.ConversationActive {
		t.Errorf("%d events, the heroes are %+v, the conversation is %s", len(bodies), e.World.Agents, talk.Head.Status)
	}
	if again := e.sees(t, gone); len(again) != 0 || e.World.Sessions[0].Position != "1" {
		t.Errorf("told again: %+v of %+v", again, e.World.Sessions[0])
	}
	e.sees(t, says("a", "1", "2", "more"))
	if e.World.Agent("codex:a") == nil || len(e.Talks) != 1 {
		t.Error("it is no hero again")
	}
}

// When the wall clock jumps by hours, no hero at work becomes lost or leaves, and no lost hero is shown at work. A lost
// hero leaves within 20 minutes, even if the clock was set back by hours (P17.3).
func TestHeroesWhenTheClockJumps_P17_3(t *testing.T) {
	for _, jump := range []time.Duration{0, 5 * time.Hour, -5 * time.Hour, -9 * time.Minute} {
		e := newEngine()
		begin := e.Clock
		for _, id := range []string{"works", "dies"} {
			s := says(id, "", "1", "hello")
			s.State = shadow.State{Name: shadow.Working, Source: shadow.FromStatus, Since: begin.Now}
			e.sees(t, s)
		}
		gone := says("dies", "1", "1", "")
		gone.Entries = nil
		gone.State = shadow.State{Name: shadow.Gone, Source: shadow.FromStatus, Since: begin.Now}
		e.sees(t, gone)
		for minute := range 21 {
			e.Clock.Now = begin.Now.Add(time.Duration(minute) * time.Minute)
			e.Clock.Wall = world.TimeOf(time.UnixMilli(int64(begin.Wall)).Add(jump + e.Clock.Now.Sub(begin.Now)))
			for step := range e.kind.(kind.Kind).Next(e.Realm) {
				e.fold(step.Bodies...)
			}
			if a := e.World.Agent("codex:works"); a == nil || a.State.State != world.StateWorking {
				t.Errorf("%s: after %d minutes the one at work is %+v", jump, minute, a)
			}
			a := e.World.Agent("codex:dies")
			if a != nil && a.State.State != world.StateLost || a == nil && jump == 0 && minute < 10 {
				t.Errorf("%s: after %d minutes the lost one is %+v", jump, minute, a)
			}
		}
		if a := e.World.Agent("codex:dies"); a != nil {
			t.Errorf("%s: the lost one stays: %+v", jump, a.State)
		}
	}
}

// If a hook of a session was heard before the session was found, its agent can get messages of the owner, unless the
// session belongs to a sub-agent, its program takes no messages, or the session is over (P17.14).
func TestASessionHearsByAnEarlyHook(t *testing.T) {
	for name, c := range map[string]struct {
		program, parent, state string
		hears                  bool
	}{
		"main":          {"codex", "", shadow.Waiting, true},
		"sub-agent":     {"codex", "p", shadow.Waiting, false},
		"other program": {"opencode", "", shadow.Waiting, false},
		"over":          {"codex", "", shadow.Ended, false},
	} {
		e := newEngine()
		seen := says("a", "", "1", "Hello.")
		seen.Session.Program, seen.Session.Parent, seen.State.Name, seen.Heard = c.program, c.parent, c.state, true
		e.sees(t, seen)
		if s := e.World.Session(c.program, "a"); s == nil || s.Hears != c.hears {
			t.Errorf("%s: the session is %+v", name, s)
		}
	}
	e := newEngine()
	e.sees(t, says("a", "", "1", "Hello."))
	later := says("a", "1", "1", "")
	later.Entries, later.Heard = nil, true
	if e.sees(t, later); !e.World.Session("codex", "a").Hears {
		t.Error("a hook that was heard while the session was found for the first time is forgotten")
	}
}

// If a hook reports that a turn begins or is over, the hero shows it at once, until the session's files show another
// state. The report changes nothing for a hero that waits behind a door, that is lost or that is not on the map
// (P17.17).
func TestHooksSharpenTurns_P17_17(t *testing.T) {
	e := newEngine()
	at := func(name, wait, source string, since int64) shadow.Seen {
		s := says("a", "1", "1", "")
		s.Entries, s.State = nil, shadow.State{Name: name, Wait: wait, Source: source, Since: time.UnixMilli(since)}
		return s
	}
	told := func(h shadow.Hook) {
		t.Helper()
		h.Program, h.SessionID = "codex", "a"
		d, _ := e.kind.(kind.Doorkeeper).Hooked(e.Realm, h)
		e.fold(d.Bodies...)
	}
	is := func(what, state, wait, source string) {
		t.Helper()
		if s := e.World.Agent("codex:a").State; s.State != state || s.Wait != wait || s.Source != source {
			t.Errorf("%s: the hero is %+v", what, s)
		}
	}
	e.sees(t, says("a", "", "1", "Hello."))
	e.sees(t, at(shadow.Idle, "", shadow.FromTranscript, 1))
	told(shadow.Hook{Told: shadow.Over, State: shadow.Working})
	is("a prompt", world.StateWorking, "", world.SourceHook)
	e.sees(t, at(shadow.Working, "", shadow.FromTranscript, 2))
	is("the file", world.StateWorking, "", world.SourceTranscript)
	told(shadow.Hook{Told: shadow.Over, State: shadow.Working})
	is("a prompt while it works", world.StateWorking, "", world.SourceTranscript)
	told(shadow.Hook{Told: shadow.Asks, Tool: "Bash", Input: "{}", Choices: []string{world.ChoiceAllow}})
	told(shadow.Hook{Told: shadow.Says, State: shadow.Waiting})
	is("a notice behind a door", world.StateWaiting, world.WaitPermission, world.SourceHook)
	told(shadow.Hook{Told: shadow.Over, State: shadow.Waiting})
	is("a stop", world.StateWaiting, world.WaitTurn, world.SourceHook)
	e.sees(t, at(shadow.Gone, "", shadow.FromLock, 3))
	told(shadow.Hook{Told: shadow.Over, State: shadow.Working})
	is("a lost one", world.StateLost, "", world.SourceLock)
}

// A session that ends after its turn failed, such as that of a headless Claude Code whose provider refuses it, is
// failed; one that went on after it is completed (P17.3).
func TestASessionThatEndsWithAFailureIsFailed(t *testing.T) {
	refused := shadow.Entry{ID: "f", Kind: shadow.Failed, Text: "API Error: 401"}
	over := shadow.State{Name: shadow.Ended, Source: shadow.FromStatus}
	e := newEngine()
	sees := func(before, next, want string, state shadow.State, entries ...shadow.Entry) {
		t.Helper()
		s := reads(before, next, entries...)
		s.State = state
		e.sees(t, s)
		if got := e.Talks[e.World.Sessions[0].ConversationID].Head.Status; got != want {
			t.Errorf("at %s it is %s, want %s", next, got, want)
		}
	}
	working := shadow.State{Name: shadow.Working, Source: shadow.FromStatus}
	sees("", "1", world.ConversationFailed, over, asks("mend the parser"), refused)
	rows := e.Talks[e.World.Sessions[0].ConversationID].Messages
	if m := rows[len(rows)-1]; m.Role != world.RoleSystem || m.Status != world.MessageError || m.Content != "The turn failed: API Error: 401" {
		t.Errorf("the row of the failure is %+v", m)
	}
	sees("1", "2", world.ConversationActive, working, asks("again"))
	sees("2", "3", world.ConversationCompleted, over, shadow.Entry{ID: "w", Kind: shadow.Words, Text: "Done."})
	sees("3", "4", world.ConversationActive, working, asks("and the tests"), refused)
	sees("4", "4", world.ConversationFailed, over)
	sees("4", "4", world.ConversationFailed, over)
}

// What the program tells the agent, such as the end of a background task, is a row of the system and not a prompt of a
// person: no title is made of it (P17.1).
func TestANoticeOfTheProgramIsNoPrompt(t *testing.T) {
	e := newEngine()
	e.sees(t, reads("", "1", shadow.Entry{ID: "n", Kind: shadow.Notice, Text: `Agent "Look at A" finished`}))
	talk := e.Talks[e.World.Sessions[0].ConversationID]
	if m := talk.Messages[0]; len(talk.Messages) != 1 || m.Role != world.RoleSystem || m.Content != `Agent "Look at A" finished` {
		t.Errorf("the row is %+v", m)
	}
	if strings.Contains(talk.Head.Title, "Look") {
		t.Errorf("its title is %q", talk.Head.Title)
	}
}
