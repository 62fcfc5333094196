package wait_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/wait"
)

// need is a read whose result the test sets.
type need struct {
	key  string
	read func() (any, error)
}

func (n need) Key() string { return n.key }

func (n need) Read(context.Context, kind.Sources) (any, error) { return n.read() }

// disk has only an era, the number of erasures.
type disk struct {
	kind.Sources
	era atomic.Int64
}

func (d *disk) Era() int64 { return d.era.Load() }

func queue(t *testing.T) (q *wait.Queue, d *disk, inbox chan any) {
	d, inbox = &disk{}, make(chan any, wait.MaxWaiting)
	life, end := context.WithCancel(t.Context())
	q = wait.New(life, d, inbox)
	t.Cleanup(func() { end(); q.Close() })
	return q, d, inbox
}

func gives(got any) func() (any, error) { return func() (any, error) { return got, nil } }

// Messages with the same need are served by one read, and decided in the order in which they came.
func TestOneReadForAllThatWait(t *testing.T) {
	q, _, inbox := queue(t)
	reads := 0
	n := need{"n", func() (any, error) { reads++; return "found", nil }}
	for i := range 3 {
		if !q.Wait(n, i) {
			t.Fatal("there is no room")
		}
	}
	if !q.Reads("n") || q.Reads("other") {
		t.Error("nobody waits for n, or somebody for something else")
	}
	res := (<-inbox).(wait.Result)
	waited, ok := q.Finish(res)
	if !ok || res.Got != "found" || !slices.Equal(waited, []any{0, 1, 2}) || reads != 1 {
		t.Errorf("%d reads gave %v to %v", reads, res.Got, waited)
	}
	if q.Reads("n") {
		t.Error("somebody waits still")
	}
}

// Needs without a key are read one by one, each for its own message.
func TestAReadThatIsNotShared(t *testing.T) {
	q, _, inbox := queue(t)
	for i := range 2 {
		q.Wait(need{"", gives(i)}, i)
	}
	for range 2 {
		res := (<-inbox).(wait.Result)
		if waited, _ := q.Finish(res); !slices.Equal(waited, []any{res.Got}) {
			t.Errorf("%v was read for %v", res.Got, waited)
		}
	}
}

// The number of reads at the same time is limited, and so is the number of waiting messages; further ones are refused.
func TestTheQueueIsBounded(t *testing.T) {
	q, _, inbox := queue(t)
	open := make(chan struct{})
	slow := func(key string) need {
		return need{key, func() (any, error) { <-open; return key, nil }}
	}
	for i := range wait.MaxReads {
		if !q.Wait(slow(string(rune('a'+i))), i) {
			t.Fatalf("read %d is refused", i)
		}
	}
	if q.Wait(slow("one more"), 0) {
		t.Error("more is read at once than may be")
	}
	for i := wait.MaxReads; i < wait.MaxWaiting; i++ {
		if !q.Wait(slow("a"), i) {
			t.Fatalf("message %d is refused", i)
		}
	}
	if q.Wait(slow("a"), 0) {
		t.Error("more wait than may wait")
	}
	close(open)
	for range wait.MaxReads {
		q.Finish((<-inbox).(wait.Result))
	}
	if !q.Wait(slow("one more"), 0) {
		t.Error("there is no room once all are met")
	}
}

// Data that was read before an erasure is read again: nobody gets erased words. P16.3.
func TestReadAgainAfterAnErasure(t *testing.T) {
	q, d, inbox := queue(t)
	q.Wait(need{"n", func() (any, error) { return d.Era(), nil }}, "who asks")
	res := (<-inbox).(wait.Result)
	d.era.Add(1)
	if waited, ok := q.Finish(res); ok || waited != nil {
		t.Fatalf("%v gets what was read before", waited)
	}
	res = (<-inbox).(wait.Result)
	if waited, ok := q.Finish(res); !ok || len(waited) != 1 || res.Got != int64(1) {
		t.Errorf("%v gets %v", waited, res.Got)
	}
}

// The read for a message that Hold has added starts when the test calls Read, and only once. Messages that join under
// the same key are decided with it.
func TestHeldUntilItIsRead(t *testing.T) {
	q, _, inbox := queue(t)
	failed := errors.New("the disk is away")
	reads := 0
	key, ok := q.Hold(need{"n", func() (any, error) { reads++; return nil, failed }}, "first")
	if !ok || !q.Join(key, "second") {
		t.Fatal("there is no room")
	}
	if at, found := q.Find(func(m any) bool { return m == "second" }); !found || at != key {
		t.Errorf("who waits is found at %q", at)
	}
	q.Read(key)
	q.Read(key)
	res := (<-inbox).(wait.Result)
	if waited, _ := q.Finish(res); !slices.Equal(waited, []any{"first", "second"}) || !errors.Is(res.Err, failed) || reads != 1 {
		t.Errorf("%d reads give %v to %v", reads, res.Err, waited)
	}
	key, _ = q.Hold(need{"n", gives(nil)}, "third")
	if waited := q.Take(key); !slices.Equal(waited, []any{"third"}) || q.Reads("n") {
		t.Errorf("%v are taken out", waited)
	}
	if _, found := q.Find(func(any) bool { return true }); found {
		t.Error("somebody waits still")
	}
}
