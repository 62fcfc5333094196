package commit

import (
	"iter"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Limits bound what waits for its commit; beyond them commands are answered "unsaved" and
// drivers wait.
type Limits struct {
	Events int
	Bytes  int
}

// DefaultLimits are those of P12.3.
var DefaultLimits = Limits{Events: 10_000, Bytes: 16 << 20}

// Config is what an outbox begins with.
type Config struct {
	Epoch    string
	Lines    []world.Line // of the realm, the last one this life's
	Head     int64        // the last event that is committed
	Limits   Limits
	Journal  Journal
	Rescuer  Rescuer // nil: a realm whose files are taken away is not rescued
	Audience *watch.Audience
	Rows     Rows
	Position *Position       // set to each committed head
	Inbox    chan<- any      // gets a Rescued
	Life     <-chan struct{} // closed when nothing is taken from Inbox any more
	Log      zerolog.Logger
}

// Outbox is the one ordered way out. entries[:handed] hold records that the committer has;
// everything waits behind the first uncommitted record. Only the realm's actor uses it.
type Outbox struct {
	conf    Config
	head    int64 // committed
	entries []Entry
	handed  int
	records int // uncommitted
	bytes   int
	showing []ring.Item // released and not shown yet: see Flush
	replies []reply     // released and not sent yet, in order

	now  time.Time // of the turn
	wall world.Time

	committer *committer
	batch     *world.Batch // that is being committed, nil for none
	since     time.Time    // when that began

	status  status
	broken  error // why nothing is committed any more, nil while it is
	rescuer *rescuer
}

// reply is a frame for one viewer that follows the first after frames of showing.
type reply struct {
	to    *watch.Viewer
	frame []byte
	after int
}

// New outbox, which commits nothing until Begin.
func New(c Config) *Outbox {
	return &Outbox{
		conf: c, head: c.Head, committer: newCommitter(),
		rescuer: &rescuer{port: c.Rescuer, inbox: c.Inbox, life: c.Life, log: c.Log},
		status:  status{SaveStatus: wire.SaveStatus{State: wire.SaveSaved, Seq: c.Head}},
	}
}

// Begin starts the committer.
func (o *Outbox) Begin() { o.committer.begin(o.conf.Journal) }

// Turn begins a turn of the actor.
func (o *Outbox) Turn(now time.Time, wall world.Time) { o.now, o.wall = now, wall }

// Out puts an entry in line. It gives what is due at once: nothing durable waits before it.
func (o *Outbox) Out(e Entry) (due Due, now bool) {
	switch {
	case o.broken != nil:
		// Nothing will be durable any more: what waits is never shown, and what is only said to
		// those who look goes past it.
		if e.Effect != nil {
			return Due{e.Effect, Lost}, true
		}
		if e.Reply != nil || e.Frame != nil && e.Delta == nil {
			o.release(e)
		}
		return Due{}, false
	case e.Record == nil && len(o.entries) == 0, e.Delta != nil && o.conf.Rows.Passes(e.Segment):
		o.release(e)
		return Due{e.Effect, Durable}, e.Effect != nil
	}
	if e.Delta != nil {
		o.conf.Rows.Queue(e.Segment)
	}
	if e.Record != nil {
		o.records++
	}
	if e.Saves {
		o.status.points++
	}
	o.bytes += e.size()
	o.entries = append(o.entries, e)
	return Due{}, false
}

// Answer has the newest event carry the answer of the command that led to it into its
// transaction. Where that event is committed already, the answer is not kept on disk.
func (o *Outbox) Answer(row world.CommandRow) {
	for i := len(o.entries) - 1; i >= 0; i-- {
		if o.entries[i].Record != nil {
			o.entries[i].command = &row
			return
		}
	}
}

// committed releases what a commit has made durable and what waited behind it, and gives the
// effects among it, each at its place.
func (o *Outbox) committed() iter.Seq[Due] {
	return func(yield func(Due) bool) {
		last := o.batch.Records[len(o.batch.Records)-1].Event.Seq
		o.batch, o.head = nil, last
		o.conf.Position.Set(o.conf.Epoch, last)
		n := 0
		for ; n < len(o.entries); n++ {
			e := o.entries[n]
			if e.Record != nil {
				if e.Record.Event.Seq > last {
					break
				}
				o.records--
			}
			if e.Delta != nil {
				o.conf.Rows.Unqueue(e.Segment)
			}
			if e.Saves {
				o.status.points--
			}
			o.bytes -= e.size()
			if e.Record != nil && e.Effect != nil {
				o.Flush()
				yield(Due{e.Effect, Durable})
			}
			o.release(e)
			if e.Record == nil && e.Effect != nil {
				yield(Due{e.Effect, Durable})
			}
		}
		o.Flush()
		rest := copy(o.entries, o.entries[n:])
		clear(o.entries[rest:])
		o.entries = o.entries[:rest]
		o.handed = max(0, o.handed-n)
	}
}

// release collects the frames and replies of one entry for Flush. An effect and a question
// about what was shown come after a Flush.
func (o *Outbox) release(e Entry) {
	switch {
	case e.Record != nil:
		it := ring.Item{Seq: e.Record.Event.Seq, Type: e.Record.Event.Body.EventType(), Bytes: e.Record.Frame}
		o.showing = append(o.showing, it)
		o.conf.Audience.Saw(it)
		o.conf.Rows.Shown(e.Record.Event.Body)
	case e.Frame != nil:
		o.showing = append(o.showing, ring.Item{Bytes: e.Frame})
		if e.Delta != nil {
			e.Segment.Released(e.Delta)
		}
	case e.Reply != nil:
		if e.To != nil {
			o.replies = append(o.replies, reply{e.To, e.Reply, len(o.showing)})
		}
	default:
		o.Flush()
	}
}

// Flush shows the collected frames at once and sends the replies, each at its place between
// them. A reply by itself would wake all viewers once for each command.
func (o *Outbox) Flush() {
	if len(o.showing) == 0 && len(o.replies) == 0 {
		return
	}
	begin := o.conf.Audience.Show(o.showing...)
	for _, r := range o.replies {
		r.to.SendAfter(begin+uint64(r.after), r.frame)
	}
	clear(o.showing)
	clear(o.replies)
	o.showing, o.replies = o.showing[:0], o.replies[:0]
}

// aside shows an ephemeral frame past what waits: save:status only.
func (o *Outbox) aside(f wire.Frame) {
	o.Flush()
	o.conf.Audience.Show(ring.Item{Bytes: watch.Encode(o.conf.Log, f)})
}

// Full says that no more may wait for the disk.
func (o *Outbox) Full() bool {
	return o.records >= o.conf.Limits.Events || o.bytes >= o.conf.Limits.Bytes
}

// History is the line of the realm up to what is committed.
func (o *Outbox) History() watch.History {
	return watch.History{Epoch: o.conf.Epoch, Lines: o.conf.Lines, Head: o.head}
}

// Head is the last event that is committed.
func (o *Outbox) Head() int64 { return o.head }

// Empty says that nothing waits.
func (o *Outbox) Empty() bool { return len(o.entries) == 0 }

// Unshown is how many events wait.
func (o *Outbox) Unshown() int { return o.records }

// Unsaved are the events that wait, in their order.
func (o *Outbox) Unsaved(yield func(*world.Record) bool) {
	for i := range o.entries {
		if r := o.entries[i].Record; r != nil && !yield(r) {
			return
		}
	}
}

// OnlyOpened says of a realm whose disk has taken nothing in this life that nothing waits but
// what nobody did: the next opening decides it again.
func (o *Outbox) OnlyOpened() bool {
	n := len(o.conf.Lines)
	if !o.IsFailing() || n == 0 || o.conf.Lines[n-1].FromSeq != o.head+1 {
		return false
	}
	for i := range o.entries {
		if e := &o.entries[i]; e.command != nil || e.Record != nil && e.Record.Who != "" {
			return false
		}
	}
	return true
}

// Position is a committed head, for any goroutine.
type Position struct{ at atomic.Pointer[position] }

type position struct {
	epoch string
	seq   int64
}

// Set it.
func (p *Position) Set(epoch string, seq int64) { p.at.Store(&position{epoch, seq}) }

// Get it; it was set before.
func (p *Position) Get() (epoch string, seq int64) {
	at := p.at.Load()
	return at.epoch, at.seq
}
