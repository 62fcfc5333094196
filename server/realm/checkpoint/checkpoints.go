package checkpoint

import (
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// When a checkpoint is taken: quiet after the last change, but never more than
// unsaved after the first one that is not in it (S3-06; a debounce without a
// maximum never saves a busy realm).
const (
	quiet   = time.Second
	unsaved = 5 * time.Second
)

// Checkpoints decides when pictures are taken and which of them may be shown and written: one
// whose events are all committed. One goroutine, the realm's actor, calls its methods; none
// waits for a disk but Finish.
type Checkpoints struct {
	base      *Picture // the newest whose events are all committed
	shown     *Picture // base on the latest land; nil until it is asked for
	candidate *Picture // is encoded and waits for its events' commit; nil for none
	encoding  bool     // one is on its way through the encoder
	since     time.Time
	last      time.Time // of the changes that no picture holds, the first and the last; zero for none

	stopped bool // no picture is due any more

	Vaults  *Vaults // what members have learned
	writer  *Writer
	encoder encoder
}

// encoder encodes pictures in a goroutine of its own.
type encoder struct {
	in   chan *Picture // holds one: one picture is under way
	out  chan Encoded  // holds one
	stop <-chan struct{}
	done sync.WaitGroup
}

// Encoded is a picture that is encoded, or why it could not be.
type Encoded struct {
	Picture *Picture
	Err     error
}

// Config is what Checkpoints begins with.
type Config struct {
	Files   Files
	Journal Journal
	Log     zerolog.Logger
	Saved   func(wire.RealmInfo) // told of each checkpoint, from another goroutine; may be nil
	Vaults  *Vaults
	BaseSeq int64     // of the newest base in the journal
	BaseAt  time.Time // when that was saved
}

// New makes a realm's checkpoints. Nothing is written before Begin.
func New(cfg Config) *Checkpoints {
	stop := make(chan struct{})
	return &Checkpoints{
		Vaults: cfg.Vaults,
		writer: &Writer{
			files: cfg.Files, journal: cfg.Journal, log: cfg.Log, saved: cfg.Saved, stop: stop, kick: make(chan struct{}, 1),
			baseSeq: cfg.BaseSeq, baseAt: cfg.BaseAt, vaults: map[string]world.Vault{},
		},
		encoder: encoder{in: make(chan *Picture, 1), out: make(chan Encoded, 1), stop: stop},
	}
}

// Begin starts the encoder and the writer with the realm as its folder gave it back: all of it
// is committed.
func (c *Checkpoints) Begin(base *Picture) {
	c.base = base
	c.encoder.done.Go(c.encoder.run)
	c.writer.begin()
}

func (e *encoder) run() {
	for {
		select {
		case p := <-e.in:
			select {
			case e.out <- Encoded{p, p.encode()}:
			case <-e.stop:
				return
			}
		case <-e.stop:
			return
		}
	}
}

// Writer takes what is written beside the checkpoints.
func (c *Checkpoints) Writer() *Writer { return c.writer }

// Base is the newest picture whose events are all committed.
func (c *Checkpoints) Base() *Picture { return c.base }

// Shown is the base on a land that may be newer: what people are shown who come now. It is
// encoded once for all of them.
func (c *Checkpoints) Shown(land *world.Land) *Picture {
	if c.shown == nil || c.shown.moment.Land != land {
		c.shown = c.base.On(land)
	}
	return c.shown
}

// Changed notes that a picture of now differs from the last one taken.
func (c *Checkpoints) Changed(now time.Time) {
	c.last = now
	if c.since.IsZero() {
		c.since = now
	}
}

// Stop makes no picture due any more: the journal takes nothing.
func (c *Checkpoints) Stop() { c.stopped = true }

// Due is when the next picture is to be taken, zero for not.
func (c *Checkpoints) Due() time.Time {
	if c.stopped || c.since.IsZero() || c.encoding || c.candidate != nil {
		return time.Time{}
	}
	due := c.last.Add(quiet)
	if limit := c.since.Add(unsaved); limit.Before(due) {
		due = limit
	}
	return due
}

// Take begins to encode a picture of now; Out tells when that is done. It is called when one
// is due.
func (c *Checkpoints) Take(p *Picture) {
	c.encoding, c.since = true, time.Time{}
	c.encoder.in <- p // never blocks: one is under way, room for one
}

// Out gives the pictures that Take has begun, each to be handed to OnEncoded.
func (c *Checkpoints) Out() <-chan Encoded { return c.encoder.out }

// OnEncoded takes a picture that is encoded. One from before the seq least holds what was
// erased since and is dropped. head is the last committed event.
func (c *Checkpoints) OnEncoded(e Encoded, least, head int64) error {
	c.encoding = false
	if e.Picture.Seq() < least {
		return nil
	}
	if e.Err != nil {
		return e.Err
	}
	c.candidate = e.Picture
	c.Committed(head)
	return nil
}

// Committed makes the encoded picture the base and has it written, once all its events are
// committed: a checkpoint is never ahead of the journal.
func (c *Checkpoints) Committed(head int64) {
	p := c.candidate
	if p == nil || p.Seq() > head {
		return
	}
	c.candidate, c.base, c.shown = nil, p, nil
	c.writer.put(p)
}

// Erased makes p the base: the first picture after an erasure, all of whose events are
// committed. None from before it is shown or written any more.
func (c *Checkpoints) Erased(p *Picture) {
	c.base, c.shown = p, nil
	if c.candidate != nil && c.candidate.Seq() < p.Seq() {
		c.candidate = nil
	}
	c.writer.erased(p)
}

// Finish ends the goroutines and writes what waits, and last, the picture of the realm at its
// end; nil where not all of that is committed.
func (c *Checkpoints) Finish(last *Picture) error {
	close(c.writer.stop)
	if last != nil {
		c.writer.put(last)
	}
	c.encoder.done.Wait()
	return c.writer.finish()
}
