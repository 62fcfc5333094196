package checkpoint

import (
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A picture is taken a quiet time after the last change, but at most unsaved after the first change
// that the last picture lacks (S3-06).
const (
	quiet   = time.Second
	unsaved = 5 * time.Second
)

// Checkpoints decides when pictures are taken and which of them may be shown and written: those
// whose events are all committed. Only the realm's actor calls its methods. Only Finish waits for a
// disk.
type Checkpoints struct {
	base      *Picture  // the newest one that may be used
	shown     *Picture  // base with the latest land; nil if nobody has needed it
	candidate *Picture  // is encoded and waits for the commit of its events; nil for none
	encoding  bool      // the encoder has a picture
	since     time.Time // of the first change that no picture has; zero for none
	last      time.Time // of the last change

	stopped bool // no picture is taken any more

	Vaults  *Vaults // what members have learned
	writer  *Writer
	encoder encoder
}

// encoder encodes pictures in a goroutine of its own.
type encoder struct {
	in   chan *Picture // has room for one
	out  chan Encoded  // has room for one
	stop <-chan struct{}
	done sync.WaitGroup
}

// Encoded is a picture with its encodings, or the error of making them.
type Encoded struct {
	Picture *Picture
	Err     error
}

// Config is what New needs.
type Config struct {
	Files   Files
	Journal Journal
	Log     zerolog.Logger
	Saved   func(wire.RealmInfo) // called after each checkpoint, from another goroutine; may be nil
	Vaults  *Vaults
	BaseSeq int64     // of the newest base in the journal
	BaseAt  time.Time // when that base was saved
}

// New returns a realm's checkpoints. Nothing is written before Begin.
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

// Begin starts the encoder and the writer. base is the realm as it was recovered.
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

// Writer returns the writer of checkpoints and vaults.
func (c *Checkpoints) Writer() *Writer { return c.writer }

// Base returns the newest picture whose events are all committed.
func (c *Checkpoints) Base() *Picture { return c.base }

// Shown returns the base with a land that may be newer, for clients. It returns the same picture
// while both stay the same.
func (c *Checkpoints) Shown(land *world.Land) *Picture {
	if c.shown == nil || c.shown.content.Land != land {
		c.shown = c.base.On(land)
	}
	return c.shown
}

// Changed records a change that the last picture lacks.
func (c *Checkpoints) Changed(now time.Time) {
	c.last = now
	if c.since.IsZero() {
		c.since = now
	}
}

// Stop makes Due return zero from now on.
func (c *Checkpoints) Stop() { c.stopped = true }

// Due returns when the next picture is to be taken, zero for never.
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

// Take passes a picture to the encoder. It is called only when a picture is due.
func (c *Checkpoints) Take(p *Picture) {
	c.encoding, c.since = true, time.Time{}
	c.encoder.in <- p // never blocks: none is due while the encoder has one
}

// Out returns the channel of encoded pictures for OnEncoded.
func (c *Checkpoints) Out() <-chan Encoded { return c.encoder.out }

// OnEncoded handles an encoded picture. A picture from before the event least has what was erased
// since, so it is dropped. head is the last committed event.
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

// Committed makes the encoded picture the base and writes it if all its events are committed: a
// checkpoint must not be ahead of the journal.
func (c *Checkpoints) Committed(head int64) {
	p := c.candidate
	if p == nil || p.Seq() > head {
		return
	}
	c.candidate, c.base, c.shown = nil, p, nil
	c.writer.put(p)
}

// Erased makes p, the first picture after an erasure, the base. Older pictures are not shown or
// written any more. All events of p must be committed.
func (c *Checkpoints) Erased(p *Picture) {
	c.base, c.shown = p, nil
	if c.candidate != nil && c.candidate.Seq() < p.Seq() {
		c.candidate = nil
	}
	c.writer.erased(p)
}

// Finish ends the goroutines and writes what waits. last is the picture of the realm at its end, nil
// if not all of its events are committed.
func (c *Checkpoints) Finish(last *Picture) error {
	close(c.writer.stop)
	if last != nil {
		c.writer.put(last)
	}
	c.encoder.done.Wait()
	return c.writer.finish()
}
