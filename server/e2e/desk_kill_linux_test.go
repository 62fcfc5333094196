package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Two agents work without a pause while the server is killed repeatedly, also during its starts. Each line that they
// have written becomes one row, in the order of the file, and no event that was shown is lost (P17.2).
func TestKillsWhileAgentsWork_P17_2(t *testing.T) {
	t.Parallel()
	kills := number(t, "AGENTDUNGEON_KILLS", watched(12, 6)) // "make soak" takes 100
	seed := seeded(t)
	rng := seed(51)
	d := newDesk(t)
	pid, _ := process(t)
	claude, codex := d.claude("5d3c1a00-0000-4000-8000-000000000001", pid), d.codex("01a20d48-32fd-7ad3-a1d7-000000000001")
	ends := []func(){claude.work(seed(52)), codex.work(seed(53))}
	l := d.home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.MustReplay = true
	d.joins(l, tab, claude.agent, codex.agent)
	for n := range kills {
		switch rng.IntN(3) {
		case 0: // during the start, or soon after it
			tab.Within(time.Duration(rng.IntN(60))*time.Millisecond, func() bool { return false })
		default: // in a reading
			until := 1 + rng.IntN(60)
			tab.Look(func() { until += tab.Frames })
			tab.Within(time.Second, func() bool { return tab.Frames >= until })
		}
		l.Kill()
		if l = d.home.Spawn(); rng.IntN(4) == 0 {
			tab.Within(time.Duration(rng.IntN(200))*time.Millisecond, func() bool { return false })
			l.Kill()
			l = d.home.Spawn()
		}
		l.Serving()
		d.joins(l, tab, claude.agent, codex.agent)
		if t.Failed() {
			t.Fatalf("after kill %d", n+1)
		}
	}
	for _, end := range ends {
		end()
	}
	for _, s := range []*record{claude, codex} {
		last := s.rows[len(s.rows)-1]
		eventually(t, "the end of "+s.agent, func() bool {
			rows := kept(tab, s.agent)
			return len(rows) > 0 && rows[len(rows)-1] == last
		})
		got := kept(tab, s.agent)
		if !slices.Equal(got, s.rows) {
			at := 0
			for at < min(len(got), len(s.rows)) && got[at] == s.rows[at] {
				at++
			}
			t.Errorf("%s: %d rows of %d; they differ from row %d on: %.200q, want %.200q", s.agent, len(got), len(s.rows), at,
				got[at:min(at+3, len(got))], s.rows[at:min(at+3, len(s.rows))])
		}
		t.Logf("%s: %d rows after %d kills", s.agent, len(got), kills)
	}
	tab.Look(func() {
		if len(tab.World.Sessions) != 2 {
			t.Errorf("%d sessions", len(tab.World.Sessions))
		}
	})
}

// wordOf returns the state of a word in the world of a tab, "gone" if the world does not have it. The caller holds mu.
func wordOf(tab *Tab, text string) (state, id string) {
	for w := range world.Words(tab.World.Sessions) {
		if w.Text == text {
			return w.State, w.WordID
		}
	}
	return "gone", ""
}

// A word to an agent is still queued after a SIGKILL. Only one hook gets it: no hook gets it again after a SIGKILL
// before the agent's record shows it, or after the record has shown it (P17.14).
func TestAWordOutlivesKills_P17_14(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pid, start := process(t)
	s := d.claude("5d3c1a00-0000-4000-8000-000000000002", pid)
	s.append(s.next())
	d.status(s, pid, start, "idle")
	l := d.home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.MustReplay = true
	again := func() {
		l.Kill()
		l = d.home.Start()
		d.joins(l, tab, s.agent)
	}
	d.joins(l, tab, s.agent)
	about := func(event string) object { return object{"hook_event_name": event, "session_id": s.id, "cwd": d.dir} }
	if did := d.hook("claude", about("SessionStart"))(); did != `0 "" ""` {
		t.Fatalf("the hook did %s", did)
	}
	tab.Until("an agent that hears", func() bool { return tab.World.Session("claude", s.id).Hears })
	tell := func(text string) {
		if c := tab.Do(strings.ReplaceAll(text, " ", "-"), &wire.AgentTell{AgentID: s.agent, Text: text}); c.Code != "" {
			t.Fatalf("agent:tell: %s", c.Answer)
		}
	}
	is := func(text, want string) {
		t.Helper()
		tab.Until(text+" is "+want, func() bool { state, _ := wordOf(tab, text); return state == want })
	}
	tell("look at the docs")
	is("look at the docs", "")
	again()
	is("look at the docs", "")
	did := d.hook("-wake claude", about("Stop"))()
	if !strings.HasPrefix(did, `2 "" "`) || strings.Count(did, "look at the docs") != 1 {
		t.Fatalf("the hook did %s", did)
	}
	is("look at the docs", world.WordHanded)
	again()
	is("look at the docs", world.WordHanded)
	next := func(text string) {
		t.Helper()
		tell(text)
		if did := d.hook("-wake claude", about("Stop"))(); strings.Count(did, "says through") != 1 || !strings.Contains(did, text) {
			t.Errorf("the next hook did %s", did)
		}
		is(text, world.WordHanded)
	}
	next("and at the tests")
	handed := did[len(`2 "" "`) : len(did)-1]
	s.append(spoke(t, s.id, d.dir, "user", "w-1", "Stop hook feedback: "+handed) + "\n")
	s.append(spoke(t, s.id, d.dir, "assistant", "w-2", []object{{"type": "text", "text": "I look."}}) + "\n")
	is("look at the docs", world.WordDelivered)
	again()
	is("look at the docs", world.WordDelivered)
	next("and at the rest")
	want := append(s.rows, "user look at the docs", "assistant I look.")
	if got := kept(tab, s.agent); !slices.Equal(got, want) {
		t.Errorf("the rows are %q, want %q", got, want)
	}
}

// The server is killed while a hook waits at a door. The hook asks the server again after the restart, so the door has
// its choices again, and an answer reaches the agent (P17.8).
func TestKillWhileAHookWaits_P17_8(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s, l, tab := d.asksAt(t, "5d3c1a00-0000-4000-8000-000000000003")
	ended := d.hook("claude", d.aboutTouch(s, "PermissionRequest"))
	before := d.open(tab)
	l.Kill()
	l = d.home.Start()
	d.joins(l, tab, s.agent)
	if after := d.open(tab); after.DoorID != before.DoorID {
		t.Errorf("after the restart the door is %+v, before it was %+v", after, before)
	}
	if c := tab.Do("answer", &wire.DoorAnswer{DoorID: before.DoorID, Choice: world.ChoiceAllow}); c.Code != "" {
		t.Fatalf("answer: %s", c.Answer)
	}
	if did := ended(); !strings.Contains(did, "allow") {
		t.Errorf("the hook did %s", did)
	}
}

// The server is killed while a hook waits at a door, and the agent's terminal decides before it starts again. The door
// closes, no other opens, and the hook ends silently (P17.8).
func TestTheTerminalDecidesWhileTheServerIsAway_P17_8(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s, l, tab := d.asksAt(t, "5d3c1a00-0000-4000-8000-000000000005")
	ended := d.hook("claude", d.aboutTouch(s, "PermissionRequest"))
	door := d.open(tab)
	l.Kill()
	s.append(spoke(t, s.id, d.dir, "user", "d-2",
		[]object{{"type": "tool_result", "tool_use_id": "toolu_d", "content": "done"}}) + "\n")
	l = d.home.Start()
	d.joins(l, tab, s.agent)
	if did := ended(); did != `0 "" ""` {
		t.Errorf("the hook did %s", did)
	}
	tab.Until("the door is closed", func() bool { return tab.World.Door(door.DoorID).Outcome == world.DoorTerminal })
	if c := tab.Do("late", &wire.DoorAnswer{DoorID: door.DoorID, Choice: world.ChoiceAllow}); c.Code == "" {
		t.Errorf("the door is answered: %s", c.Answer)
	}
	tab.Look(func() {
		if len(tab.World.Doors) != 1 {
			t.Errorf("there are the doors %+v", tab.World.Doors)
		}
	})
}

// asksAt starts a server with a session of Claude Code that is about to call a tool, and a tab that shows it.
func (d *desk) asksAt(t *testing.T, id string) (*record, *Life, *Tab) {
	t.Helper()
	pid, start := process(t)
	s := d.touches(id, pid)
	d.status(s, pid, start, "busy")
	l := d.home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	d.joins(l, tab, s.agent)
	return s, l, tab
}

// open waits for an open door with choices and returns it.
func (d *desk) open(tab *Tab) (out world.AgentDoor) {
	d.t.Helper()
	tab.Until("a door", func() bool {
		for _, one := range tab.World.Doors {
			if one.Open() && len(one.Choices) == 2 {
				out = one
				return true
			}
		}
		return false
	})
	return out
}

// A word that is handed in the instant of a SIGKILL may have reached its hook or not. It stays handed after the restart,
// no later hook gets it, and at the session's end it is unknown, unless the record shows it (P17.14).
func TestAWordInTheInstantOfAKill_P17_14(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pid, start := process(t)
	s := d.claude("5d3c1a00-0000-4000-8000-000000000004", pid)
	s.append(s.next())
	d.status(s, pid, start, "idle")
	l := d.home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.MustReplay = true
	var life atomic.Pointer[Life]
	tab.Heard = func(frame []byte) {
		if bytes.Contains(frame, []byte(`"state":"handed"`)) && bytes.Contains(frame, []byte(`"word:state"`)) {
			if l := life.Swap(nil); l != nil {
				l.Signal(syscall.SIGKILL)
			}
		}
	}
	d.joins(l, tab, s.agent)
	about := func(event string) object { return object{"hook_event_name": event, "session_id": s.id, "cwd": d.dir} }
	d.hook("claude", about("SessionStart"))()
	tab.Until("an agent that hears", func() bool { return tab.World.Session("claude", s.id).Hears })
	given, texts := map[string]int{}, []string{}
	took := func(did string) {
		for _, text := range texts {
			given[text] += strings.Count(did, text)
		}
	}
	var ended func() string
	for round := range 3 {
		text := fmt.Sprint("word number ", round)
		texts = append(texts, text)
		if ended == nil {
			ended = d.hook("-wake claude", about("Stop"))
		}
		life.Store(l)
		tab.Look(func() { tab.Send(fmt.Sprint("q", round), &wire.AgentTell{AgentID: s.agent, Text: text}) })
		<-l.Done()
		l.Kill()
		l = d.home.Start()
		d.joins(l, tab, s.agent)
		tab.Until("a word that is handed", func() bool { state, _ := wordOf(tab, text); return state == world.WordHanded })
		after := fmt.Sprint("after the kill ", round)
		texts = append(texts, after)
		if c := tab.Do(fmt.Sprint("a", round), &wire.AgentTell{AgentID: s.agent, Text: after}); c.Code != "" {
			t.Fatalf("tell: %s", c.Answer)
		}
		did := ended() // that of before the kill, if it waits for a server again
		took(did)
		if !strings.Contains(did, after) {
			took(d.hook("-wake claude", about("Stop"))())
		}
		// Wait for this frame here: otherwise it could count for the next round, and the server would be killed
		// before that round has sent its word.
		tab.Until("the word after is handed", func() bool { state, _ := wordOf(tab, after); return state == world.WordHanded })
		ended = nil
	}
	for _, text := range texts {
		if most := given[text]; most > 1 || strings.HasPrefix(text, "after") && most != 1 {
			t.Errorf("%q was given %d times", text, most)
		}
	}
	must(t, os.Remove(filepath.Join(d.root, ".claude", "sessions", strconv.Itoa(pid)+".json"))) // it ends in good order
	for _, text := range texts {
		tab.Until("what nobody knows", func() bool { state, _ := wordOf(tab, text); return state == world.WordUnknown })
	}
}
