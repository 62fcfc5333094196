package realm

import (
	"errors"
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// entry is one thing that leaves the actor. Exactly one of record, frame, reply
// and effect is set.
type entry struct {
	record  *world.Record     // durable: a barrier until its commit returns
	ends    bool              // last of what was decided together: no batch ends within
	command *world.CommandRow // rides with its record into the same transaction
	frame   []byte            // ephemeral, for everybody
	delta   *wire.ChatDelta   // what frame is, when it is a delta
	segment *conversation.Segment
	reply   []byte // for one viewer
	to      *watch.Viewer
	effect  func() // acts outside, once all before it is durable
	lost    func() // instead of effect, where that will never be: somebody waits; may be nil
	unsaved func() // instead of effect, when the disk turns out to take nothing; may be nil
	holds   int    // bytes that effect keeps, or record beside its frame
	saves   bool   // the frame is session:saved
}

func (e *entry) size() int {
	n := len(e.frame) + len(e.reply) + e.holds + 64
	if e.record != nil {
		n += len(e.record.Frame)
	}
	return n
}

// outbox is the one ordered way out. entries[:handed] hold records
// that the committer has; everything waits behind the first uncommitted record.
type outbox struct {
	entries []entry
	handed  int
	records int // uncommitted
	bytes   int
}

// Limits of a batch: group commit takes what has queued up to here. What was
// decided together is never split: it happens wholly or not at all.
const (
	maxBatch      = 512
	maxBatchBytes = 1 << 20
)

// out puts an entry in line and lets it go at once when nothing durable waits.
func (a *actor) out(e entry) {
	if a.broken != nil {
		// Nothing will be durable any more: what waits is never shown, and what is
		// only said to those who look goes past it.
		switch {
		case e.frame != nil && e.delta == nil, e.reply != nil:
			a.release(e)
		case e.lost != nil:
			e.lost()
		}
		return
	}
	if e.record == nil && len(a.outbox.entries) == 0 {
		a.release(e)
		return
	}
	// Words of a row that is on the screens already wait for nothing: they are
	// numbered within it and provisional until its close (P9.3).
	if e.delta != nil && a.runs.Passes(e.segment) {
		a.release(e)
		return
	}
	if e.delta != nil {
		a.runs.Queue(e.segment)
	}
	if e.record != nil {
		a.outbox.records++
	}
	if e.saves {
		a.unsaved++
	}
	a.outbox.bytes += e.size()
	a.outbox.entries = append(a.outbox.entries, e)
}

// full says that no more may wait for the disk: commands are answered unsaved.
func (a *actor) full() bool {
	return a.outbox.records >= a.limits.Events || a.outbox.bytes >= a.limits.Bytes
}

// pump hands the committer what has queued, if it is idle.
func (a *actor) pump() {
	if a.committing != nil || a.broken != nil || a.outbox.handed == len(a.outbox.entries) {
		return
	}
	batch := &world.Batch{}
	bytes, i, whole := 0, a.outbox.handed, false // whole: what is in it may be committed without what follows
	for ; i < len(a.outbox.entries); i++ {
		e := &a.outbox.entries[i]
		if e.record == nil {
			continue
		}
		if whole && (len(batch.Records) >= maxBatch || bytes+len(e.record.Frame) > maxBatchBytes) {
			break
		}
		whole = e.ends
		bytes += len(e.record.Frame) + e.holds
		batch.Records = append(batch.Records, *e.record)
		if e.command != nil {
			batch.Commands = append(batch.Commands, *e.command)
		}
	}
	a.outbox.handed = i
	if len(batch.Records) == 0 {
		return
	}
	a.committing = batch
	a.commitSince = a.now
	a.commits.in <- batch // never blocks: the committer is idle and holds one
}

// committed lets out what a commit has made durable and what waited behind it.
func (a *actor) committed() {
	last := a.committing.Records[len(a.committing.Records)-1].Event.Seq
	a.committing = nil
	a.head = last
	a.r.head.Store(&position{a.epoch, last})
	n := 0
	for n < len(a.outbox.entries) {
		e := a.outbox.entries[n]
		if e.record != nil {
			if e.record.Event.Seq > last {
				break
			}
			a.outbox.records--
		}
		if e.delta != nil {
			a.runs.Unqueue(e.segment)
		}
		if e.saves {
			a.unsaved--
		}
		a.outbox.bytes -= e.size()
		a.release(e)
		n++
	}
	a.flush()
	rest := copy(a.outbox.entries, a.outbox.entries[n:])
	clear(a.outbox.entries[rest:])
	a.outbox.entries = a.outbox.entries[:rest]
	a.outbox.handed = max(0, a.outbox.handed-n)
	a.saved.Committed(a.head)
	if a.latest != nil && a.latest.picture.Seq() != a.saved.Base().Seq() {
		a.latest = nil
	}
}

// release shows one entry. Frames are collected and go to the ring together, so
// anything that asks the ring where it stands comes after flush.
func (a *actor) release(e entry) {
	switch {
	case e.record != nil:
		if told, ok := e.record.Event.Body.(*world.HistoryErased); ok && told != nil {
			a.flush() // what came before it belongs to what is let go of
			a.erasedShown(e.record.Event.Seq)
		}
		it := ring.Item{Seq: e.record.Event.Seq, Type: e.record.Event.Body.EventType(), Bytes: e.record.Frame}
		a.showing = append(a.showing, it)
		a.audience.Saw(it)
		a.runs.Shown(e.record.Event.Body)
	case e.frame != nil:
		a.showing = append(a.showing, ring.Item{Bytes: e.frame})
		if e.delta != nil {
			e.segment.Released(e.delta)
		}
	case e.reply != nil:
		a.flush()
		if e.to != nil {
			e.to.Send(e.reply)
		}
	case e.effect != nil:
		a.flush()
		e.effect()
	}
}

// flush appends what release has collected.
func (a *actor) flush() {
	if len(a.showing) == 0 {
		return
	}
	a.audience.Show(a.showing...)
	clear(a.showing)
	a.showing = a.showing[:0]
}

// aside shows an ephemeral frame past the outbox: save:status only.
func (a *actor) aside(f wire.Frame) {
	a.flush()
	a.audience.Show(ring.Item{Bytes: a.encode(f)})
}

// committer owns the writing of the journal: one batch at a time, retried byte
// for byte until it is durable.
type committer struct {
	in   chan *world.Batch // holds one; the actor sends only when idle
	out  chan commitResult // holds one result and the notices before it
	stop chan struct{}
}

type commitResult struct {
	done bool
	err  error // with done: the journal is broken; without: one failed try
}

// Waits between tries while the disk does not take a batch.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 3 * time.Second
)

func newCommitter() *committer {
	return &committer{in: make(chan *world.Batch, 1), out: make(chan commitResult, 1), stop: make(chan struct{})}
}

// run commits until stop is closed. A try under way is never cut short.
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

// idleAfter is how long nothing was committed before the journal may tidy up.
const idleAfter = 2 * time.Second

func (c *committer) commit(j Journal, batch *world.Batch) bool {
	for wait := firstRetry; ; wait = min(wait*2, lastRetry) {
		err := j.Commit(batch)
		switch {
		case err == nil:
			return c.report(commitResult{done: true})
		case errors.Is(err, world.ErrBroken):
			return c.report(commitResult{done: true, err: err})
		}
		if !c.report(commitResult{err: err}) {
			return false
		}
		select {
		case <-time.After(wait):
		case <-c.stop:
			return false
		}
	}
}

func (c *committer) report(r commitResult) bool {
	select {
	case c.out <- r:
		return true
	case <-c.stop:
		return false
	}
}

// onCommit is the actor's turn when the committer reports.
func (a *actor) onCommit(res commitResult) {
	switch {
	case res.done && res.err != nil:
		a.breakdown(res.err)
	case res.done:
		a.committed()
		a.status(wire.SaveSaved, "")
	default:
		if a.save.State != wire.SaveFailing {
			a.log.Error().Err(res.err).Int64("seq", a.head+1).Msg("the journal cannot be written; trying again")
		}
		a.failure = res.err
		a.status(wire.SaveFailing, a.failing().Message)
		for i := range a.outbox.entries {
			if e := &a.outbox.entries[i]; e.unsaved != nil {
				e.unsaved()
				e.effect, e.lost, e.unsaved = func() {}, nil, nil
			}
		}
	}
}

// root is the innermost of an error: what the disk said, without where.
func root(err error) error {
	for {
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			if inner := e.Unwrap(); inner != nil {
				err = inner
				continue
			}
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				err = all[len(all)-1]
				continue
			}
		}
		return err
	}
}

// status tells everybody when the state of saving changes.
func (a *actor) status(state, message string) {
	was := a.save.State
	if was == state {
		a.save.Seq = a.head
		return
	}
	if was == wire.SaveSaved {
		a.save.Since = a.calendar.now
	}
	if state == wire.SaveSaved {
		a.save.Since = 0
		if was == wire.SaveFailing {
			a.log.Info().Int64("seq", a.head).Msg("the journal is written again")
		}
	}
	a.save.State, a.save.Seq, a.save.Message = state, a.head, message
	a.aside(&a.save)
}

// breakdown makes the realm readable only: what was shown stays, nothing more is
// decided.
func (a *actor) breakdown(err error) {
	if a.broken != nil {
		return
	}
	a.broken = err
	a.committing = nil
	a.log.Error().Err(err).Msg("the realm is broken and can only be read")
	a.noneArrives()
	a.runs.DropAll() // their time limits would come for ever
	if a.status(wire.SaveBroken, "This realm cannot be written any more, only read. What was shown is safe. Restart the server to recover it."); errors.Is(err, world.ErrMoved) {
		a.beginRescue()
	}
	for i := range a.outbox.entries { // who waits for what was decided waits for nothing
		if lost := a.outbox.entries[i].lost; lost != nil {
			a.outbox.entries[i].lost = nil
			lost()
		}
	}
}
