package commit_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// disk accepts or refuses commits, as the test sets.
type disk struct {
	mu      sync.Mutex
	err     error
	batches []*world.Batch
}

func (d *disk) Commit(b *world.Batch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.batches = append(d.batches, b)
	}
	return d.err
}

func (d *disk) Idle() {}

func (d *disk) set(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

// line is an outbox together with what the actor gets from it.
type line struct {
	*commit.Outbox
	disk *disk
	ring *ring.Ring
	seq  int64
	log  []string // the effects that were called, in order
}

// inLine runs f with an outbox whose disk commits nothing until the test allows it.
func inLine(t *testing.T, f func(l *line)) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{disk: &disk{}, ring: ring.New(ring.DefaultLimits, 0)}
		l.Outbox = commit.New(commit.Config{
			Epoch: "e1", Limits: commit.DefaultLimits, Journal: l.disk, Runs: run.New(zerolog.Nop()), Position: &commit.Position{},
			Audience: watch.NewAudience("r1", watch.NewFeed(l.ring, nil, nil, nil, 0), zerolog.Nop()), Log: zerolog.Nop(),
		})
		l.Begin()
		f(l)
		l.Stop()
		l.Wait()
		l.ring.Close()
	})
}

// event puts an event into the outbox; ends says whether it is the last one of a decision.
func (l *line) event(ends bool) {
	l.seq++
	l.Out(commit.Entry{Ends: ends, Record: &world.Record{
		Event: world.Event{Seq: l.seq, Body: &world.SettingsUpdated{}}, Frame: fmt.Appendf(nil, `{"seq":%d}`, l.seq),
	}})
}

func (l *line) effect(name string) { l.Out(commit.Entry{Effect: l.logs(name)}) }

// logs returns an effect that logs its name and its outcome.
func (l *line) logs(name string) func(commit.Outcome) {
	return func(o commit.Outcome) { l.log = append(l.log, fmt.Sprint(name, " ", int(o))) }
}

// pump commits the waiting batch and handles the result.
func (l *line) pump() (broken error) {
	l.Pump()
	return l.On(<-l.Results())
}

// shown returns the frames that were shown so far.
func (l *line) shown() (out []string) {
	end, _ := l.ring.Head()
	items, _, _ := l.ring.Read(nil, 0, end, 1<<20)
	for _, it := range items {
		out = append(out, string(it.Bytes))
	}
	return out
}

// An event is shown when it is committed, and no later frame is shown before it. An effect is called at its place in
// the order. P12.1.
func TestNothingOvertakesAnEvent(t *testing.T) {
	inLine(t, func(l *line) {
		l.effect("first")
		l.event(true)
		l.Out(commit.Entry{Frame: []byte("said")})
		l.effect("second")
		l.event(true)
		if got := l.shown(); len(got) > 0 || !slices.Equal(l.log, []string{"first 0"}) {
			t.Errorf("before the commit %q is shown, and %q is due", got, l.log)
		}
		if err := l.pump(); err != nil {
			t.Fatal(err)
		}
		if got := l.shown(); !slices.Equal(got, []string{`{"seq":1}`, "said", `{"seq":2}`}) {
			t.Errorf("shown is %q", got)
		}
		if !slices.Equal(l.log, []string{"first 0", "second 0"}) || l.Head() != 2 || !l.Empty() {
			t.Errorf("due was %q at %d", l.log, l.Head())
		}
	})
}

// Events that were decided together are committed in one batch, however many there are.
func TestABatchEndsWhereADecisionEnds(t *testing.T) {
	inLine(t, func(l *line) {
		for i := range 700 {
			l.event(i == 599 || i == 699)
		}
		for range 2 {
			if err := l.pump(); err != nil {
				t.Fatal(err)
			}
		}
		sizes := []int{}
		for _, b := range l.disk.batches {
			sizes = append(sizes, len(b.Records))
		}
		if !slices.Equal(sizes, []int{600, 100}) {
			t.Errorf("batches of %d", sizes)
		}
	})
}

// While the disk fails, the same batch is tried again and everybody is told. Impatient effects are called at once, with
// the outcome Unsaved. P12.2.
func TestAFailingDisk(t *testing.T) {
	inLine(t, func(l *line) {
		l.disk.set(errors.New("no room"))
		l.event(true)
		l.Out(commit.Entry{Effect: l.logs("impatient"), Impatient: true})
		l.effect("patient")
		for range 3 {
			if err := l.pump(); err != nil {
				t.Fatal(err)
			}
		}
		if !l.IsFailing() || !slices.Equal(l.log, []string{"impatient 1"}) {
			t.Errorf("failing: %v, and due is %q", l.IsFailing(), l.log)
		}
		l.disk.set(nil)
		time.Sleep(commit.LastRetry)
		for !l.Empty() {
			if err := l.pump(); err != nil {
				t.Fatal(err)
			}
		}
		if s := l.Status(); s.State != wire.SaveSaved || !slices.Equal(l.log, []string{"impatient 1", "patient 0"}) {
			t.Errorf("afterwards it is %s, and due was %q", s.State, l.log)
		}
	})
}

// When the journal cannot commit any more, everybody who waits gets an error, and waiting events are never shown.
// P12.2.
func TestABrokenJournal(t *testing.T) {
	inLine(t, func(l *line) {
		l.disk.set(fmt.Errorf("%w: it is somebody else's", world.ErrBroken))
		l.event(true)
		l.effect("waiting")
		broken := l.pump()
		if !errors.Is(broken, world.ErrBroken) {
			t.Fatalf("it is not broken: %v", broken)
		}
		l.Break(broken)
		l.End(commit.Lost)
		l.effect("later")
		l.Out(commit.Entry{Frame: []byte("said")})
		if !slices.Equal(l.log, []string{"waiting 2", "later 2"}) || l.Unshown() != 1 || l.Broken() == nil {
			t.Errorf("due is %q, and %d events wait", l.log, l.Unshown())
		}
		l.Flush()
		if got := l.shown(); len(got) != 2 || got[1] != "said" {
			t.Errorf("shown is %q", got)
		}
	})
}

// An outbox reports that it is full when it reaches its limits. P12.3.
func TestALimitedOutbox(t *testing.T) {
	inLine(t, func(l *line) {
		for range commit.DefaultLimits.Events - 1 {
			l.event(true)
		}
		if l.Full() {
			t.Error("it is full too early")
		}
		if l.event(true); !l.Full() {
			t.Error("too many events wait")
		}
	})
	inLine(t, func(l *line) {
		l.event(true)
		if l.Out(commit.Entry{Effect: l.logs("large"), Holds: commit.DefaultLimits.Bytes}); !l.Full() {
			t.Error("too many bytes wait")
		}
	})
}
