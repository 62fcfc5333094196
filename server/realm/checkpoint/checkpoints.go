package checkpoint

import (
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A Picture (the realm's state after an event) is taken once the world has not changed for the duration quiet. If
// changes go on, it is taken when the oldest change that no Picture has is as old as the duration unsaved (S3-06).
const (
	quiet   = time.Second
	unsaved = 5 * time.Second
)

// Checkpoints decides when Pictures of the realm's state are taken. Only a Picture whose events are all committed
// may be shown or written. Only the realm's actor calls the methods. Only Finish waits for a disk.
type Checkpoints struct {
	base      *Picture  // the newest Picture whose events are all committed
	shown     *Picture  // what Shown returned last: base with another land; nil if base has changed since
	candidate *Picture  // the encoded Picture that waits for the commit of its events; nil for none
	encoding  bool      // whether the encoder is encoding a Picture
	since     time.Time // time of the first change that no Picture has; zero for none
	last      time.Time // time of the last change

	stopped bool // no more Pictures are taken

	Vaults  *Vaults // what members have learned
	writer  *Writer
	encoder encoder
}

// encoder encodes Pictures in a goroutine of its own.
type encoder struct {
	in   chan *Picture // has room for one
	out  chan Encoded  // has room for one
	stop <-chan struct{}
	done sync.WaitGroup
}

// Encoded has an encoded Picture, or the error that encoding it returned.
type Encoded struct {
	Picture *Picture
	Err     error
}

// Config has the arguments of New.
type Config struct {
	Files   Files
	Journal Journal
	Log     zerolog.Logger
	Saved   func(wire.RealmInfo) // called after each checkpoint, from another goroutine; may be nil
	Vaults  *Vaults
	BaseSeq int64     // seq of the newest base in the journal
	BaseAt  time.Time // when that base was saved
}

// New returns the checkpoints of a realm. They write nothing before Begin.
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

// Begin starts the encoder and the writer. base is the Picture of the realm that recovery has restored. The encoder
// encodes it at once, so that the first client after a restart does not wait for that.
func (c *Checkpoints) Begin(base *Picture) {
	c.base = base
	c.encoder.done.Go(func() {
		_ = base.encode() // the error is dropped here: whoever needs the encoding calls encode again and gets it
		c.encoder.run()
	})
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

// Writer returns the writer of checkpoints and of the members' vaults (the files with what each member has learned).
func (c *Checkpoints) Writer() *Writer { return c.writer }

// Base returns the newest Picture whose events are all committed.
func (c *Checkpoints) Base() *Picture { return c.base }

// Shown returns the Picture from which snapshots for clients are made: the base with the present land (the map, the
// rooms and the overworld), because the base's own land may be older. While the base and land stay the same, it
// returns the same Picture again.
func (c *Checkpoints) Shown(land *world.Land) *Picture {
	if c.shown == nil || c.shown.content.Land != land {
		c.shown = c.base.On(land)
	}
	return c.shown
}

// Changed records that the world has changed at the time now.
func (c *Checkpoints) Changed(now time.Time) {
	c.last = now
	if c.since.IsZero() {
		c.since = now
	}
}

// Stop makes Due return the zero time from now on, so that no more Pictures are taken.
func (c *Checkpoints) Stop() { c.stopped = true }

// Due returns when the next Picture must be taken. The zero time means that none need be taken.
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

// Take passes p to the encoder. The caller calls Take only when the time that Due returns has come.
func (c *Checkpoints) Take(p *Picture) {
	c.encoding, c.since = true, time.Time{}
	c.encoder.in <- p // never blocks: no Picture is due while the encoder has one
}

// Out returns the channel from which the actor takes encoded Pictures and passes them to OnEncoded.
func (c *Checkpoints) Out() <-chan Encoded { return c.encoder.out }

// OnEncoded handles an encoded Picture. It drops a Picture whose Seq is less than least, because such a Picture
// contains words that have been erased since. head is the seq of the last committed event.
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

// Committed makes the encoded Picture the base and writes it, unless the Picture contains an event after head,
// the last committed one: a checkpoint must not be ahead of the journal.
func (c *Checkpoints) Committed(head int64) {
	p := c.candidate
	if p == nil || p.Seq() > head {
		return
	}
	c.candidate, c.base, c.shown = nil, p, nil
	c.writer.put(p)
}

// Erased makes p, the first Picture after an erasure, the base. Older Pictures are no longer shown or
// written. All events of p must be committed.
func (c *Checkpoints) Erased(p *Picture) {
	c.base, c.shown = p, nil
	if c.candidate != nil && c.candidate.Seq() < p.Seq() {
		c.candidate = nil
	}
	c.writer.erased(p)
}

// Finish ends the goroutines and writes what is still to be written: the vaults and one Picture, which is last or, if
// last is nil, the one that the writer has got. last is a Picture of the realm at its end, or nil if some events of
// that Picture are not committed.
func (c *Checkpoints) Finish(last *Picture) error {
	close(c.writer.stop)
	if last != nil {
		c.writer.put(last)
	}
	c.encoder.done.Wait()
	return c.writer.finish()
}
