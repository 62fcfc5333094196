package commit

import (
	"errors"
	"iter"
	"sync"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Journal is where batches are committed.
type Journal interface {
	// Commit makes a batch durable in one transaction and returns only then. The same batch
	// may come again after an error. world.ErrBroken (wrapped) means that the journal holds
	// something else and must not be written any more; any other error is worth another try.
	Commit(batch *world.Batch) error
	// Idle lets the journal tidy its log; called when nothing waits to be committed.
	Idle()
}

// Result is what became of a try to commit a batch.
type Result struct {
	done bool
	err  error // with done: the journal is broken; without: one failed try
}

// Results are to be handed to On.
func (o *Outbox) Results() <-chan Result { return o.committer.out }

// On takes a result and gives what is due after it. An error means that nothing can be
// committed any more: Break follows.
func (o *Outbox) On(r Result) (due iter.Seq[Due], broken error) {
	switch {
	case r.done && r.err != nil:
		return nil, r.err
	case r.done:
		return func(yield func(Due) bool) {
			o.committed()(yield)
			o.tell(wire.SaveSaved, "")
		}, nil
	}
	return o.failed(r.err), nil
}

// failed tells everybody that the disk takes nothing, and gives what does not wait for it.
func (o *Outbox) failed(err error) iter.Seq[Due] {
	if o.status.State != wire.SaveFailing {
		o.conf.Log.Error().Err(err).Int64("seq", o.head+1).Msg("the journal cannot be written; trying again")
	}
	o.status.failure = err
	o.tell(wire.SaveFailing, o.Failing().Message)
	return o.give(Unsaved, func(e *Entry) bool { return e.Impatient })
}

// Break ends all committing: what was shown stays, nothing more is decided. It gives what
// waited, which waits for nothing now.
func (o *Outbox) Break(err error) iter.Seq[Due] {
	o.broken, o.batch = err, nil
	o.conf.Log.Error().Err(err).Msg("the realm is broken and can only be read")
	o.tell(wire.SaveBroken, "This realm cannot be written any more, only read. "+
		"What was shown is safe. Restart the server to recover it.")
	return o.give(Lost, func(*Entry) bool { return true })
}

// Abandon ends all committing because the realm ends before the disk has taken everything.
func (o *Outbox) Abandon(err error) { o.broken = err }

// Broken is why nothing is committed any more, nil while it is.
func (o *Outbox) Broken() error { return o.broken }

// give gives the effects of entries that wait, and takes them out of these.
func (o *Outbox) give(outcome Outcome, which func(*Entry) bool) iter.Seq[Due] {
	return func(yield func(Due) bool) {
		for i := range o.entries {
			if e := &o.entries[i]; e.Effect != nil && e.Record == nil && which(e) {
				due := Due{e.Effect, outcome}
				e.Effect = nil
				yield(due)
			}
		}
	}
}

// Stop ends the committer. A try under way is not cut short: Wait waits for it.
func (o *Outbox) Stop() { close(o.committer.stop) }

// Wait until the committer and a rescue have ended.
func (o *Outbox) Wait() {
	o.committer.work.Wait()
	o.rescuer.work.Wait()
}

// committer writes the journal: one batch at a time, retried byte for byte until it is durable.
type committer struct {
	in   chan *world.Batch // holds one; the actor sends only when idle
	out  chan Result       // holds one result and the notices before it
	stop chan struct{}
	work sync.WaitGroup
}

// Waits of the committer: between tries while the disk does not take a batch, and until the
// journal may tidy up where nothing is committed.
const (
	FirstRetry = 100 * time.Millisecond // doubled each time
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
