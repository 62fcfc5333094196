package realm

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// asks returns the hook call by which the agent of the session in seen asks for a permission.
func asks(command string) shadow.Hook {
	return shadow.Hook{
		Program: "claude", SessionID: "s1", Told: shadow.Asks, Tool: "Bash", Brief: command,
		Input: fmt.Sprintf(`{"command":%q}`, command), Choices: []string{world.ChoiceAllow, world.ChoiceDeny},
		Hold: 10 * time.Minute,
	}
}

// opensDoor passes a hook call to the realm, and returns the door that it opens.
func opensDoor(t *testing.T, b *bench, h shadow.Hook) *Door {
	t.Helper()
	d, err := b.r.Hook(context.Background(), h)
	if err != nil || d == nil {
		t.Fatalf("no door opens: %v", err)
	}
	return d
}

// A question of an agent opens a door for its hero. The first answer counts, and the hook gets it as soon as it is
// durable; a second answer is a conflict (P17.8).
func TestADoorIsAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		c := b.tab()
		observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
		d := opensDoor(t, b, asks("touch x"))
		c.pull()
		hero, door := c.world.Agent("claude:s1"), c.world.Door(d.ID)
		if door == nil || !door.Open() || door.Tool != "Bash" || door.Summary != "touch x" || door.AgentID != hero.ID {
			t.Fatalf("the door is %+v", door)
		}
		if s := hero.State; s.State != world.StateWaiting || s.Wait != world.WaitPermission || s.Source != world.SourceHook ||
			s.Reason != "Bash: touch x" {
			t.Errorf("before the door the hero is %+v", s)
		}
		observes(t, b, seen(3, shadow.Working), readTo(3))
		c.pull()
		if s := c.world.Agent("claude:s1").State; s.State != world.StateWaiting {
			t.Errorf("its files open the door: %+v", s)
		}
		for _, bad := range []*wire.DoorAnswer{{DoorID: d.ID, Choice: "always"}, {DoorID: "d-none", Choice: "allow"}} {
			if got := find(c.send(ada, "", bad), "error"); got == nil {
				t.Errorf("%+v is taken", bad)
			}
		}
		c.send(ada, "", &wire.DoorAnswer{DoorID: d.ID, Choice: world.ChoiceAllow})
		if closed := <-d.Closed; closed.Outcome != world.DoorAllowed || closed.By != ada.SpectatorID ||
			closed.Name != ada.Name {
			t.Errorf("the hook gets %+v", closed)
		}
		c.pull()
		if s := c.world.Agent("claude:s1").State; s.State != world.StateWorking || s.Reason != "" {
			t.Errorf("behind the door the hero is %+v", s)
		}
		got := find(c.send(ada, "", &wire.DoorAnswer{DoorID: d.ID, Choice: world.ChoiceDeny}), "error")
		if got == nil || got["code"] != string(wire.Conflict) {
			t.Errorf("a second answer gets %v", got)
		}
		observes(t, b, seen(3, shadow.Ended), readTo(3))
		c.pull()
		oneWorld(t, "in the end", b, c)
		b.stop()
		sound(t, "in the end", b.journal)
	})
}

// When the first of two doors of an agent closes, the agent waits for the second one (P17.8).
func TestAHeroWaitsForItsNextDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		defer b.stop()
		c := b.tab()
		observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
		first, second := opensDoor(t, b, asks("touch x")), opensDoor(t, b, asks("touch y"))
		for _, d := range []*Door{first, second} {
			observes(t, b, seen(3, shadow.Working), readTo(3))
			c.pull()
			if got, want := c.world.Agent("claude:s1").State.Reason, "Bash: "+c.world.Door(d.ID).Summary; got != want {
				t.Errorf("the hero waits for %q, want %q", got, want)
			}
			c.send(ada, "", &wire.DoorAnswer{DoorID: d.ID, Choice: world.ChoiceAllow})
			c.pull()
			if s := c.world.Agent("claude:s1").State; d == first && s.Reason != "Bash: touch y" {
				t.Errorf("after its first door the hero is %+v", s)
			}
		}
		if s := c.world.Agent("claude:s1").State; s.State != world.StateWorking {
			t.Errorf("after its last door the hero is %+v", s)
		}
	})
}

// The hero of a door with questions waits for the answers. The door needs one for each question, and the agent's hook
// gets them; if the terminal was first, the hook of the call that has run closes the door (P17.8).
func TestQuestionsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		defer b.stop()
		c := b.tab()
		observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
		h := asks("")
		h.Tool, h.Choices = shadow.Asking, []string{world.ChoiceAnswer, world.ChoiceDeny}
		h.Input = `{"questions":[{"question":"Which database?"},{"question":"Which extras?"}]}`
		d := opensDoor(t, b, h)
		c.pull()
		if s := c.world.Agent("claude:s1").State; s.State != world.StateWaiting || s.Wait != world.WaitQuestion {
			t.Errorf("before the door the hero is %+v", s)
		}
		answer := &wire.DoorAnswer{DoorID: d.ID, Choice: world.ChoiceAnswer, Answers: []string{"SQLite"}}
		if got := find(c.send(ada, "", answer), "error"); got == nil || got["code"] != string(wire.BadField) {
			t.Errorf("one answer to two questions gets %v", got)
		}
		answer.Answers = []string{"SQLite", "Cache, Logs"}
		c.send(ada, "", answer)
		if closed := <-d.Closed; closed.Outcome != world.DoorAnswered || !slices.Equal(closed.Answers, answer.Answers) {
			t.Errorf("the hook gets %+v", closed)
		}
		d = opensDoor(t, b, h)
		h.Told, h.Input = shadow.Did, strings.TrimSuffix(h.Input, "}")+`,"answers":{"Which database?":"Postgres"}}`
		if _, err := b.r.Hook(context.Background(), h); err != nil {
			t.Fatal(err)
		}
		if closed := <-d.Closed; closed.Outcome != world.DoorTerminal {
			t.Errorf("answered in the terminal: the hook gets %+v", closed)
		}
	})
}

// A door closes when its agent's status, its transcript, another hook or the end of its session shows that the agent
// has continued. Events from before the door opened do not close it (P17.8).
func TestADoorClosesWhenItsAgentMovesOn(t *testing.T) {
	call := shadow.Entry{Kind: shadow.Call, CallID: "t5", Tool: &shadow.Tool{Name: "Bash", Input: `{"command":"touch x"}`}}
	other := shadow.Entry{Kind: shadow.Call, CallID: "t6", Tool: &shadow.Tool{Name: "Bash", Input: `{"command":"ls"}`}}
	for name, c := range map[string]struct {
		moves   func(t *testing.T, b *bench)
		outcome string
	}{
		"a later status": {func(t *testing.T, b *bench) {
			observes(t, b, seen(5, shadow.Working), readTo(5))
		}, world.DoorTerminal},
		"its result": {func(t *testing.T, b *bench) {
			s := seen(5, shadow.Waiting, shadow.Entry{Kind: shadow.Result, CallID: "t5", OK: true})
			observes(t, b, s, readTo(6))
		}, world.DoorTerminal},
		"words": {func(t *testing.T, b *bench) {
			observes(t, b, seen(5, shadow.Waiting, shadow.Entry{Kind: shadow.Words, Text: "Well."}), readTo(6))
		}, world.DoorTerminal},
		"a hook": {func(t *testing.T, b *bench) {
			h := asks("touch x")
			h.Told = shadow.Did
			if _, err := b.r.Hook(context.Background(), h); err != nil {
				t.Error(err)
			}
		}, world.DoorTerminal},
		"the session ends": {func(t *testing.T, b *bench) {
			observes(t, b, seen(5, shadow.Ended), readTo(5))
		}, world.DoorEnded},
		"its result, with other names": {func(t *testing.T, b *bench) {
			e := shadow.Entry{Kind: shadow.Call, CallID: "t7", Tool: &shadow.Tool{Name: "exec", Input: `{"cmd":"touch x"}`}}
			s := seen(5, shadow.Waiting, e, shadow.Entry{Kind: shadow.Result, CallID: "t7", OK: true})
			observes(t, b, s, readTo(7))
		}, world.DoorTerminal},
		"another result": {func(t *testing.T, b *bench) {
			s := seen(5, shadow.Waiting, shadow.Entry{Kind: shadow.Result, CallID: "t6", OK: true})
			observes(t, b, s, readTo(6))
		}, ""},
		"an earlier status": {func(t *testing.T, b *bench) {
			s := seen(5, shadow.Working)
			s.State.Since = s.State.Since.Add(-time.Minute)
			observes(t, b, s, readTo(5))
		}, ""},
		"another hook": {func(t *testing.T, b *bench) {
			h := asks("ls")
			h.Told = shadow.Did
			if _, err := b.r.Hook(context.Background(), h); err != nil {
				t.Error(err)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
				b.start(false)
				defer b.stop()
				tab := b.tab()
				observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
				observes(t, b, seen(3, shadow.Working, call, other), readTo(5))
				d := opensDoor(t, b, asks("touch x"))
				time.Sleep(time.Second)
				c.moves(t, b)
				tab.pull()
				if got := tab.world.Door(d.ID); got.Outcome != c.outcome {
					t.Errorf("the outcome is %q, want %q", got.Outcome, c.outcome)
				}
				select {
				case closed := <-d.Closed:
					if closed.Outcome != c.outcome {
						t.Errorf("the hook gets %+v", closed)
					}
				default:
					if c.outcome != "" {
						t.Error("the hook waits on")
					}
				}
			})
		})
	}
}

// A refusal on the page is corrected if the call has run nevertheless, because the terminal had allowed it before. A
// hook that tells that the call was refused does not correct it (P17.8).
func TestARefusalIsCorrected(t *testing.T) {
	for told, want := range map[shadow.Told]string{shadow.Did: world.DoorTerminal, shadow.Fails: world.DoorDenied} {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
			b.start(false)
			defer b.stop()
			c := b.tab()
			observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
			d := opensDoor(t, b, asks("touch x"))
			c.send(ada, "", &wire.DoorAnswer{DoorID: d.ID, Choice: world.ChoiceDeny})
			h := asks("touch x")
			h.Told = told
			if _, err := b.r.Hook(context.Background(), h); err != nil {
				t.Fatal(err)
			}
			c.pull()
			if got := c.world.Door(d.ID).Outcome; got != want {
				t.Errorf("after %s the outcome is %q, want %q", told, got, want)
			}
		})
	}
}

// If the agent's own record says that a person decided in the terminal, an answer on the page is corrected. The answer
// to an earlier question about the same call stays (P17.8).
func TestTheRecordCorrectsAnAnswer(t *testing.T) {
	for person, want := range map[bool]string{true: world.DoorTerminal, false: world.DoorAllowed} {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
			b.start(false)
			defer b.stop()
			c := b.tab()
			observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
			call := shadow.Entry{Kind: shadow.Call, CallID: "t5", Tool: &shadow.Tool{Name: "Bash", Input: `{"command":"touch x"}`}}
			observes(t, b, seen(3, shadow.Working, call), readTo(4))
			first := opensDoor(t, b, asks("touch x"))
			c.send(ada, "", &wire.DoorAnswer{DoorID: first.ID, Choice: world.ChoiceAllow})
			time.Sleep(time.Second)
			d := opensDoor(t, b, asks("touch x"))
			c.send(ada, "", &wire.DoorAnswer{DoorID: d.ID, Choice: world.ChoiceAllow})
			time.Sleep(time.Second)
			result := shadow.Entry{Kind: shadow.Result, CallID: "t5", OK: true, Person: person}
			observes(t, b, seen(4, shadow.Working, result), readTo(5))
			c.pull()
			if got := c.world.Door(d.ID); got.Outcome != want || (got.By == "") != person {
				t.Errorf("the outcome is %q by %q, want %q", got.Outcome, got.By, want)
			}
			if got := c.world.Door(first.ID); got.Outcome != world.DoorAllowed {
				t.Errorf("the outcome of an earlier door is %q", got.Outcome)
			}
		})
	}
}

// A door outlives the server. After a restart no hook waits for its answer, so only the terminal can answer it, and the same events
// close it as before the restart. The same happens when the hook stops waiting (P17.8).
func TestADoorOutlivesTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
		d := opensDoor(t, b, asks("touch x"))
		second := asks("ls")
		hung := opensDoor(t, b, second)
		b.r.Leave(hung)
		second.Told, second.DoorID = shadow.Hangs, hung.ID
		if _, err := b.r.Hook(context.Background(), second); err != nil {
			t.Fatal(err)
		}
		b.kill()
		b.start(true)
		c := b.tab()
		for _, id := range []string{d.ID, hung.ID} {
			if door := c.world.Door(id); door == nil || !door.Open() || len(door.Choices) != 0 || door.Until != 0 {
				t.Errorf("after the restart the door is %+v", door)
			}
			got := find(c.send(ada, "", &wire.DoorAnswer{DoorID: id, Choice: world.ChoiceAllow}), "error")
			if got == nil || got["code"] != string(wire.Conflict) {
				t.Errorf("an answer gets %v", got)
			}
		}
		time.Sleep(time.Second)
		observes(t, b, seen(3, shadow.Idle), readTo(3))
		c.pull()
		for _, door := range c.world.Doors {
			if door.Outcome != world.DoorTerminal {
				t.Errorf("the agent has moved on, but the door is %+v", door)
			}
		}
		observes(t, b, seen(3, shadow.Ended), readTo(3))
		c.pull()
		oneWorld(t, "in the end", b, c)
		b.stop()
		sound(t, "in the end", b.journal)
	})
}

// A hook outlives the server too and asks again. Then its door has its choices again, and the hook gets the answer. If
// the question was decided meanwhile, no door opens (P17.8).
func TestAQuestionIsAskedAgainAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
		first, second := asks("touch x"), asks("ls")
		kept, decided := opensDoor(t, b, first), opensDoor(t, b, second)
		b.kill()
		b.start(true)
		c := b.tab()
		did := second
		did.Told = shadow.Did
		if _, err := b.r.Hook(context.Background(), did); err != nil {
			t.Fatal(err)
		}
		first.Again, second.Again = true, true
		if d, err := b.r.Hook(context.Background(), second); d != nil || err != nil {
			t.Errorf("of a question that was decided meanwhile there is %+v %v", d, err)
		}
		again := opensDoor(t, b, first)
		c.pull()
		if got := c.world.Door(kept.ID); again.ID != kept.ID || !got.Open() || !slices.Equal(got.Choices, first.Choices) {
			t.Errorf("the door %s is %+v, and the hook waits for %s", kept.ID, got, again.ID)
		}
		if hold := c.world.Door(kept.ID).Until.Sub(world.TimeOf(time.Now())); hold < 9*time.Minute || hold > 10*time.Minute {
			t.Errorf("the door can be answered for %s", hold)
		}
		if hero := c.world.Agent(c.world.Sessions[0].AgentID); hero.State.State != world.StateWaiting {
			t.Errorf("the hero is %+v", hero.State)
		}
		if d, err := b.r.Hook(context.Background(), first); d != nil || err != nil {
			t.Errorf("for a second hook of one question there is %+v %v", d, err)
		}
		c.send(ada, "", &wire.DoorAnswer{DoorID: kept.ID, Choice: world.ChoiceAllow})
		synctest.Wait()
		select {
		case closed := <-again.Closed:
			if closed.Outcome != world.DoorAllowed {
				t.Errorf("the hook gets %+v", closed)
			}
		default:
			t.Error("the hook gets no answer")
		}
		c.pull()
		if got := c.world.Door(decided.ID); got.Outcome != world.DoorTerminal || len(c.world.Doors) != 2 {
			t.Errorf("in the end there are %+v", c.world.Doors)
		}
		observes(t, b, seen(3, shadow.Ended), readTo(3))
		c.pull()
		oneWorld(t, "in the end", b, c)
		b.stop()
		sound(t, "in the end", b.journal)
	})
}

// If world.MaxDoors doors are open, a further question opens none, and the agent's own terminal asks. Of the closed
// doors the newest are kept (P17.8).
func TestDoorsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		defer b.stop()
		c := b.tab()
		observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
		for i := range world.MaxDoors {
			opensDoor(t, b, asks(fmt.Sprint("touch ", i)))
		}
		if d, err := b.r.Hook(context.Background(), asks("one more")); d != nil || err != nil {
			t.Errorf("one more opens: %+v %v", d, err)
		}
		observes(t, b, seen(3, shadow.Ended), readTo(3))
		c.pull()
		if n := len(c.world.Doors); n != world.MaxClosedDoors {
			t.Errorf("%d closed doors stay", n)
		}
		if last := c.world.Doors[len(c.world.Doors)-1]; last.Summary != fmt.Sprint("touch ", world.MaxDoors-1) {
			t.Errorf("the newest is %+v", last)
		}
	})
}

// TestRecordJournalOfDoors writes a recorded journal, as TestRecordJournals does, with these doors: one that is
// answered on the page and corrected, one that is answered in the terminal, some whose session ends, more than are
// kept, and the doors of an erased session.
func TestRecordJournalOfDoors(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		c := b.tab()
		tells := func(h shadow.Hook, told shadow.Told) {
			h.Told = told
			if _, err := b.r.Hook(context.Background(), h); err != nil {
				t.Fatal(err)
			}
		}
		observes(t, b, seen(0, shadow.Working, coding()[0]...), readTo(3))
		sub := seen(0, shadow.Working, coding()[0]...)
		sub.Session.ID, sub.Session.Parent, sub.Session.Name = "s2", "s1", "Explore"
		observes(t, b, sub, readTo(3))
		refused := opensDoor(t, b, asks("touch x"))
		c.send(ada, "", &wire.DoorAnswer{DoorID: refused.ID, Choice: world.ChoiceDeny})
		tells(asks("touch x"), shadow.Did)
		opensDoor(t, b, asks("ls"))
		time.Sleep(time.Second)
		observes(t, b, seen(3, shadow.Working, coding()[1]...), readTo(5))
		for i := range world.MaxClosedDoors {
			opensDoor(t, b, asks(fmt.Sprint("touch ", i)))
		}
		tells(asks(""), shadow.Over)
		observes(t, b, seen(5, shadow.Idle, coding()[2]...), readTo(7))
		h := asks("go vet")
		h.SessionID = "s2"
		h.DoorID = opensDoor(t, b, h).ID
		tells(h, shadow.Hangs)
		h.Input = `{"command":"go test"}`
		opensDoor(t, b, h)
		c.pull()
		erased := &world.HistoryErased{ErasureID: "x1", Reason: world.ErasedOnRequest,
			Conversations: []string{c.world.Session("claude", "s2").ConversationID}}
		b.stop()
		rec, err := world.Event{Seq: c.world.Tick + 1, At: world.TimeOf(time.Now()), V: 1, Body: erased}.Encode()
		if err == nil {
			err = b.journal.Commit(&world.Batch{Records: []world.Record{rec}})
		}
		if err != nil {
			t.Fatal(err)
		}
		b.record(dir, "doors.jsonl")
	})
}

// heldEraser waits before a redaction until the test releases it.
type heldEraser struct {
	erasure.Eraser
	let chan struct{}
}

func (e heldEraser) Redact(ctx context.Context, id string) (world.Redacted, error) {
	<-e.let
	return e.Eraser.Redact(ctx, id)
}

// Readings and hook calls that arrive during an erasure wait for its end, as commands do, and none is refused. A hook
// that has ended meanwhile opens no door (P17.8).
func TestAgentsWaitForAnErasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, let := newDisk(t, speak, t.TempDir()), make(chan struct{})
		d.with = func(cfg *Config) { cfg.Eraser = heldEraser{cfg.Eraser, let} }
		d.open(false)
		c := d.tab()
		c.returns = true
		id := reads(c, shadow.Working, coding()[0]...)
		chat := begun(t, c.send(ben, "n", chatWith("sage")))
		erased := make(chan error, 1)
		go func() {
			_, err := d.r.Erase(context.Background(), world.Erasure{
				Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test",
			})
			erased <- err
		}()
		synctest.Wait()
		gone, cancel := context.WithCancel(context.Background())
		told := make(chan string, 3)
		go func() {
			_, err := d.r.Observe(context.Background(), seen(3, shadow.Working, coding()[1]...))
			told <- fmt.Sprint("read ", err)
		}()
		go func() {
			door, err := d.r.Hook(context.Background(), asks("touch x"))
			told <- fmt.Sprint("door ", door != nil, err)
		}()
		go func() {
			_, err := d.r.Hook(gone, asks("touch y"))
			told <- fmt.Sprint("gone ", err)
		}()
		synctest.Wait()
		cancel()
		heard := func() (out []string) {
			for synctest.Wait(); len(told) > 0; {
				out = append(out, <-told)
			}
			slices.Sort(out)
			return out
		}
		if got := heard(); !slices.Equal(got, []string{"gone context canceled"}) {
			t.Errorf("during the erasure: %q", got)
		}
		close(let)
		time.Sleep(time.Minute)
		if got := heard(); !slices.Equal(got, []string{"door true <nil>", "read <nil>"}) {
			t.Errorf("after the erasure: %q", got)
		}
		if err := <-erased; err != nil {
			t.Error(err)
		}
		c.pull()
		if w := c.world; len(w.Doors) != 1 || w.Doors[0].Detail != asks("touch x").Input || w.Doors[0].ConversationID != id {
			t.Errorf("the doors are %+v", w.Doors)
		}
		d.stop()
	})
}
