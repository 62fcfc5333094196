package commit

import (
	"errors"
	"sync"
	"time"

	"agentdungeon/shared/world"
)

// Journal commits batches of events.
type Journal interface {
	// Commit makes a batch durable in one transaction. If Commit returns an error that wraps world.ErrBroken,
	// the journal contains other events than the realm expects and must not be written any more. After any
	// other error the committer may pass the same batch again.
	Commit(batch *world.Batch) error
	// Idle is called when no batch waits, so that the journal can empty its log and tidy the database.
	Idle()
}

// Result is the outcome of an attempt to commit a batch.
type Result struct {
	done bool
	err  error // with done: the journal is broken; without done: the commit has failed and is repeated
}

// committer commits one batch at a time. If a commit fails, it repeats the commit with the same bytes.
type committer struct {
	in   chan *world.Batch // has room for one batch; the actor sends only when the committer is idle
	out  chan Result       // has room for one
	stop chan struct{}
	work sync.WaitGroup
}

// FirstRetry is the wait after the first failure of a commit. The wait doubles with each further failure, up
// to LastRetry. If no batch comes for idleAfter, the committer calls Journal.Idle.
const (
	FirstRetry = 100 * time.Millisecond
	LastRetry  = 3 * time.Second
	idleAfter  = 2 * time.Second
)

func newCommitter() *committer {
	return &committer{in: make(chan *world.Batch, 1), out: make(chan Result, 1), stop: make(chan struct{})}
}

func (c *committer) begin(j Journal) { c.work.Go(func() { c.run(j) }) }

// run commits until stop is closed.
func (c *committer) run(j Journal) {
	idle := false
	for {
		var quiet <-chan time.Time
		if !idle {
			quiet = time.After(idleAfter)
		}
		select {
		case batch := <-c.in:
			idle = false
			if !c.commit(j, batch) {
				return
			}
		case <-quiet:
			j.Idle()
			idle = true
		case <-c.stop:
			return
		}
	}
}

func (c *committer) commit(j Journal, batch *world.Batch) bool {
	for wait := FirstRetry; ; wait = min(wait*2, LastRetry) {
		err := j.Commit(batch)
		if err == nil || errors.Is(err, world.ErrBroken) {
			return c.report(Result{done: true, err: err})
		}
		if !c.report(Result{err: err}) {
			return false
		}
		select {
		case <-time.After(wait):
		case <-c.stop:
			return false
		}
	}
}

func (c *committer) report(r Result) bool {
	select {
	case c.out <- r:
		return true
	case <-c.stop:
		return false
	}
}
