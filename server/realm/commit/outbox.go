package commit

import (
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Limits bound the events that wait for a commit. If they are reached, commands are refused with unsaved, and
// the actor takes nothing from drivers.
type Limits struct {
	Events int
	Bytes  int
}

// DefaultLimits are the numbers of events and bytes that may wait in an outbox (P12.3).
var DefaultLimits = Limits{Events: 10_000, Bytes: 16 << 20}

// Config has the arguments of New.
type Config struct {
	Epoch    string
	Lines    []world.Line // the lines of the realm; the last one began with this opening
	Head     int64        // the last event that is committed
	Limits   Limits
	Journal  Journal
	Rescuer  Rescuer // writes the realm to another folder if its files were taken away; nil for none
	Audience *watch.Audience
	Runs     *run.Runs       // decides which deltas need not wait for events
	Position *Position       // always has the seq of the last committed event
	Inbox    chan<- any      // the actor's channel, to which a finished rescue sends a Rescued
	Life     <-chan struct{} // closed when the actor no longer receives from Inbox
	Log      zerolog.Logger
}

// Outbox is the queue of everything that leaves a realm. Only the realm's actor uses it.
type Outbox struct {
	conf    Config
	head    int64 // seq of the last committed event
	entries []Entry
	handed  int         // the records of entries[:handed] were passed to the committer
	records int         // number of events in entries
	bytes   int         // total size of entries in bytes
	showing []ring.Item // released frames for the next Flush
	replies []reply     // released replies for the next Flush, in order

	now  time.Time // time of the actor's step
	wall world.Time

	committer *committer
	batch     *world.Batch // the batch that is being committed; nil for none
	since     time.Time    // when the commit of batch began

	status  status
	broken  error // the reason why nothing can be committed any more; nil while commits are possible
	rescuer *rescuer
}

// reply is a frame for one viewer. after is the number of frames in showing that the viewer gets before it.
type reply struct {
	to    *watch.Viewer
	frame []byte
	after int
}

// New returns an empty outbox. The outbox commits nothing before Begin.
func New(c Config) *Outbox {
	return &Outbox{
		conf: c, head: c.Head, committer: newCommitter(),
		rescuer: &rescuer{port: c.Rescuer, inbox: c.Inbox, life: c.Life, log: c.Log},
		status:  status{SaveStatus: wire.SaveStatus{State: wire.SaveSaved, Seq: c.Head}},
	}
}

// Step tells the outbox the time of the actor's step.
func (o *Outbox) Step(now time.Time, wall world.Time) { o.now, o.wall = now, wall }

// Out adds an entry to the queue, or releases the entry at once if no event waits before it.
func (o *Outbox) Out(e Entry) {
	switch {
	case o.broken != nil:
		// Nothing is committed any more, so the events before this entry are never shown. Replies, and frames that are no
		// deltas, still go out, because clients can still read the realm.
		if e.Effect != nil {
			e.Effect(Lost)
		} else if e.Reply != nil || e.Frame != nil && e.Delta == nil {
			o.release(e)
		}
		return
	case e.Record == nil && len(o.entries) == 0, e.Delta != nil && o.conf.Runs.Passes(e.Segment):
		o.release(e)
		return
	}
	if e.Delta != nil {
		o.conf.Runs.Queue(e.Segment)
	}
	if e.Record != nil {
		o.records++
	}
	if e.Saves {
		o.status.points++
	}
	o.bytes += e.size()
	o.entries = append(o.entries, e)
}

// Then calls f when all events so far are durable. size is the number of bytes that f keeps in memory.
// If the journal breaks, f is never called.
func (o *Outbox) Then(size int, f func()) { o.ThenOr(size, f, func() {}) }

// ThenOr calls f when all events so far are durable, as Then does. If the journal breaks, it calls lost in
// place of f.
func (o *Outbox) ThenOr(size int, f, lost func()) {
	o.Out(Entry{Holds: size, Effect: func(outcome Outcome) {
		if outcome == Durable {
			f()
		} else {
			lost()
		}
	}})
}

// Show adds an ephemeral frame to the queue.
func (o *Outbox) Show(f wire.Frame) { o.Out(Entry{Frame: watch.Encode(o.conf.Log, f)}) }

// Answer stores the answer to a command in the transaction of the newest event. If the newest event is
// committed already, the answer is not stored.
func (o *Outbox) Answer(row world.CommandRow) {
	for i := len(o.entries) - 1; i >= 0; i-- {
		if o.entries[i].Record != nil {
			o.entries[i].command = &row
			return
		}
	}
}

// release adds the frame or the reply of an entry to those that the next Flush sends. It calls the effect of an entry
// at once, after a Flush.
func (o *Outbox) release(e Entry) {
	switch {
	case e.Record != nil:
		if e.Effect != nil {
			o.Flush()
			e.Effect(Durable)
		}
		it := ring.Item{
			Seq: e.Record.Event.Seq, Type: e.Record.Event.Body.EventType(), Bytes: e.Record.Frame,
			ForAll: world.ForAll(e.Record.Event.Body),
		}
		o.showing = append(o.showing, it)
		o.conf.Audience.Saw(it)
		o.conf.Runs.Shown(e.Record.Event.Body)
	case e.Frame != nil:
		o.showing = append(o.showing, ring.Item{Bytes: e.Frame})
		if e.Delta != nil {
			e.Segment.Released(e.Delta)
		}
	case e.Reply != nil:
		if e.To != nil {
			o.replies = append(o.replies, reply{e.To, e.Reply, len(o.showing)})
		}
	case e.Effect != nil:
		o.Flush()
		e.Effect(Durable)
	}
}

// Flush shows the collected frames and sends the collected replies in their order. It does this once for many
// entries, because each call wakes all viewers.
func (o *Outbox) Flush() {
	if len(o.showing) == 0 && len(o.replies) == 0 {
		return
	}
	// Queue the replies first; each waits at its viewer for the frames before it. If the frames went first, a viewer
	// could take the frames that follow a reply before the reply has come. Wake the viewers with replies last: they
	// find the frames too, and do not wait for the ring to signal all the others.
	begin := o.conf.Audience.Mark()
	for _, r := range o.replies {
		r.to.SendAfter(begin+uint64(r.after), r.frame)
	}
	o.conf.Audience.Show(o.showing...)
	for _, r := range o.replies {
		r.to.Wake()
	}
	clear(o.showing)
	clear(o.replies)
	o.showing, o.replies = o.showing[:0], o.replies[:0]
}

// Full reports whether the events that wait have reached the limits.
func (o *Outbox) Full() bool {
	return o.records >= o.conf.Limits.Events || o.bytes >= o.conf.Limits.Bytes
}

// History returns the realm's epochs and the seq of the last committed event, from which the audience decides whether a
// client gets a replay.
func (o *Outbox) History() watch.History {
	return watch.History{Epoch: o.conf.Epoch, Lines: o.conf.Lines, Head: o.head}
}

// Head returns the seq of the last committed event.
func (o *Outbox) Head() int64 { return o.head }

// Empty reports whether the queue is empty.
func (o *Outbox) Empty() bool { return len(o.entries) == 0 }

// Unshown returns the number of events that wait for a commit.
func (o *Outbox) Unshown() int { return o.records }

// Unsaved yields the events that wait for a commit, in order.
func (o *Outbox) Unsaved(yield func(*world.Record) bool) {
	for i := range o.entries {
		if r := o.entries[i].Record; r != nil && !yield(r) {
			return
		}
	}
}

// Position holds the epoch and the seq of the last committed event. It is safe for concurrent use.
type Position struct{ at atomic.Pointer[position] }

type position struct {
	epoch string
	seq   int64
}

// Set sets the position.
func (p *Position) Set(epoch string, seq int64) { p.at.Store(&position{epoch, seq}) }

// Get returns the epoch and the seq. Set must have been called before.
func (p *Position) Get() (epoch string, seq int64) {
	at := p.at.Load()
	return at.epoch, at.seq
}
