package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// plays is a driver.
type plays func(ctx context.Context, emit func(driver.Chunk) error) error

func (p plays) Run(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
	return p(ctx, emit)
}

// toy is a kind in which one driver plays every run.
type toy struct {
	kind.Kind
	plays plays
}

func (k toy) Traits() kind.Traits { return kind.Traits{} }

func (k toy) Turn(_ *kind.Realm, _ *kind.Talk, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	return k.plays, driver.Turn{ConversationID: b.ConversationID, RequestID: b.RequestID, MemberID: b.MemberID}
}

func (k toy) Done(_ *kind.Realm, _ *kind.Talk, e kind.Ended) []world.Body {
	return []world.Body{kind.Done(e.Run, nil)}
}

func (k toy) Cut(*kind.Realm, *kind.Talk, kind.Cut) []world.Body { return nil }

// engine carries out the decisions of runs as the actor does; its disk accepts everything at once.
type engine struct {
	t     *testing.T
	r     *kind.Realm
	runs  *run.Runs
	words []string // words of the deltas that were shown
	ended []string // types of the events that end runs
	row   string   // text of the newest closed row
}

// begun returns an engine with one run that p plays in a goroutine.
func begun(t *testing.T, p plays) (*engine, *run.Player) {
	w := world.New(world.Realm{ID: "r"})
	set := kind.NewSet([]kind.Registration{{Name: "toy", New: func(string) kind.Kind { return toy{plays: p} }}})
	e := &engine{t: t, runs: run.New(zerolog.Nop())}
	e.r = &kind.Realm{ID: "r", World: w, Kinds: set, Talks: map[string]*kind.Talk{}}
	e.look()
	start := world.Conversation{ConversationID: "c", Kind: "toy", Status: world.ConversationActive}
	e.r.Talks["c"] = conversation.New(conversation.Rules{})
	e.emit(&world.ConversationStarted{Conversation: start})
	b := &world.ChatStarted{ConversationID: "c", RequestID: "q", MemberID: "m", Status: world.RunRunning}
	e.emit(b)
	player := e.runs.Begin(e.r, e.r.Talks["c"], b)
	if player == nil {
		t.Fatal("nobody plays")
	}
	return e, player
}

func (e *engine) look() {
	e.r.Clock.Now = time.Now()
	e.r.Clock.Wall = world.TimeOf(e.r.Clock.Now)
}

func (e *engine) emit(bodies ...world.Body) {
	for _, b := range bodies {
		at := e.r.At()
		ev := world.Event{Seq: e.r.World.Tick + 1, At: at, V: 1, Body: b}
		world.Apply(e.r.World, ev)
		e.r.Clock.Last = at
		e.r.Talks["c"].Apply(ev)
		e.runs.Watch(b, e.r.Clock.Now)
		e.runs.Shown(b)
		switch b := b.(type) {
		case *world.ChatDone, *world.ChatError, *world.ChatCancelled:
			e.ended = append(e.ended, b.EventType())
		case *world.SegmentClosed:
			e.row = b.Message.Content
		}
	}
}

func (e *engine) do(steps run.Steps) {
	for s := range steps {
		if d, ok := s.Frame.(*wire.ChatDelta); ok {
			e.words = append(e.words, d.Text)
			s.Words.Released(d)
		}
		if s.Durable != nil {
			s.Durable <- nil
		}
		e.emit(s.Bodies...)
	}
}

// hear handles everything that drivers have emitted so far.
func (e *engine) hear() {
	for {
		synctest.Wait()
		select {
		case m := <-e.runs.Made():
			e.look()
			e.do(e.runs.Hear(e.r, m))
		default:
			return
		}
	}
}

// Words that come within a delta's time are joined into one delta; the closed row has all words.
func TestWordsAreJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, p := begun(t, func(_ context.Context, emit func(driver.Chunk) error) error {
			for _, w := range []string{"one ", "two ", "three"} {
				if err := emit(driver.Chunk{Text: w}); err != nil {
					return err
				}
			}
			time.Sleep(time.Second)
			return nil
		})
		if !e.runs.Started(p, time.Now()) {
			t.Fatal("not started")
		}
		go p.Play()
		e.hear()
		time.Sleep(time.Until(e.runs.Due()))
		e.look()
		e.do(e.runs.OnTime(e.r))
		if got := strings.Join(e.words, "|"); got != "one |two three" {
			t.Errorf("shown %q", got)
		}
		if o := e.runs.Overlays("c"); len(o) != 1 {
			t.Errorf("overlays %v", o)
		}
		time.Sleep(time.Second)
		e.hear()
		if e.row != "one two three" || strings.Join(e.ended, " ") != "chat.done" || e.runs.Len() != 0 {
			t.Errorf("row %q, ended %v, %d play", e.row, e.ended, e.runs.Len())
		}
	})
}

// Chunks that a driver emits after its run has ended are ignored, and the driver gets an error.
func TestADroppedRunIsNotHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 1)
		e, p := begun(t, func(ctx context.Context, emit func(driver.Chunk) error) error {
			err := emit(driver.Chunk{Text: "waits in the queue"})
			<-ctx.Done()
			told <- errors.Join(err, emit(driver.Chunk{Text: "too late"}))
			return nil
		})
		e.runs.Started(p, time.Now())
		go p.Play()
		synctest.Wait()
		e.emit(e.runs.End(e.r, p.Key, world.CancelPerson)...)
		e.hear()
		if err := <-told; !errors.Is(err, context.Canceled) {
			t.Errorf("the driver is told %v", err)
		}
		if len(e.words) > 0 || e.row != "" || strings.Join(e.ended, " ") != "chat.cancelled" {
			t.Errorf("words %q, row %q, ended %v", e.words, e.row, e.ended)
		}
		if e.runs.Started(p, time.Now()) {
			t.Error("a run that has ended is played")
		}
	})
}

// The turn of a driver that panics or says nothing fails.
func TestTurnsThatFail(t *testing.T) {
	for name, p := range map[string]plays{
		"panic":   func(context.Context, func(driver.Chunk) error) error { panic("oh") },
		"silence": func(context.Context, func(driver.Chunk) error) error { return nil },
		"error":   func(context.Context, func(driver.Chunk) error) error { return errors.New("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, player := begun(t, p)
				e.runs.Started(player, time.Now())
				go player.Play()
				e.hear()
				if strings.Join(e.ended, " ") != "chat.error" || e.runs.Len() != 0 {
					t.Errorf("ended %v, %d play", e.ended, e.runs.Len())
				}
			})
		})
	}
}

// The time limit begins when the turn does, not when it was decided.
func TestTheTimeLimitBeginsWithTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, p := begun(t, func(ctx context.Context, _ func(driver.Chunk) error) error {
			<-ctx.Done()
			return ctx.Err()
		})
		limit := time.Duration(e.r.World.Settings.TurnTimeoutSeconds) * time.Second
		time.Sleep(2 * limit)
		if due := e.runs.Due(); !due.IsZero() {
			t.Errorf("due %v before it plays", due)
		}
		e.runs.Started(p, time.Now())
		go p.Play()
		if got := time.Until(e.runs.Due()); got != limit {
			t.Errorf("ends in %v, not %v", got, limit)
		}
		time.Sleep(limit)
		e.look()
		e.do(e.runs.OnTime(e.r))
		if strings.Join(e.ended, " ") != "chat.error" {
			t.Errorf("ended %v", e.ended)
		}
	})
}

// A tool acts once its start is durable; a second tool with a callId that is in use is refused.
func TestAToolWaitsForItsStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var acted []error
		e, p := begun(t, func(_ context.Context, emit func(driver.Chunk) error) error {
			for range 2 {
				acted = append(acted, emit(driver.Chunk{Tool: &driver.ToolStart{CallID: "1", Name: "look"}}))
			}
			return errors.New("enough")
		})
		e.runs.Started(p, time.Now())
		go p.Play()
		synctest.Wait()
		if len(acted) != 0 {
			t.Error("it acted before its start was durable")
		}
		e.hear()
		if len(acted) != 2 || acted[0] != nil || acted[1] == nil {
			t.Errorf("the driver is told %v", acted)
		}
		if len(e.ended) != 1 || len(e.r.Talks["c"].Active()) != 0 {
			t.Errorf("ended %v", e.ended)
		}
	})
}
