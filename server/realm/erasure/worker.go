package erasure

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Eraser is an erasure as the journal does it (P16.3), from any goroutine, in this
// order. All of it may be tried again. The store's erasure.Eraser is it.
type Eraser interface {
	// EarlierErasure is the receipt of one of the same that has ended, nil for none.
	EarlierErasure(ctx context.Context, e world.Erasure) (*world.Receipt, error)
	// IntendErasure makes it durable that it is to happen, DropErasure takes that back.
	IntendErasure(e world.Erasure) error
	DropErasure(id string) error
	// ScopeErasure says what it is of; the last before history:erased counts.
	ScopeErasure(ctx context.Context, e world.Erasure, names []string, bare bool) (world.Scope, error)
	// Redact follows the commit of history:erased.
	Redact(ctx context.Context, id string) (world.Redacted, error)
	// ReplaceBases keeps c alone.
	ReplaceBases(c world.Checkpoint) (gone int, err error)
	// NoteRemoved makes durable that it is about to remove files that recovery set aside, and
	// gives all that it has removed.
	NoteRemoved(ctx context.Context, id string, names []string) (all []string, err error)
	// EndErasure empties the log and keeps the receipt.
	EndErasure(ctx context.Context, e world.Erasure, receipt world.Receipt, now func() time.Time) (
		world.Receipt, error)
}

// Files are those of the realm's folder that hold worlds.
type Files interface {
	// Asides are files of the folder that recovery set aside before a time, by name.
	Asides(before world.Time) (names []string, err error)
	// Forget removes files that hold worlds from before seq, the board of findings where it
	// is from before told, the seq of history:erased, and asides, names that Asides gave;
	// left are those set aside that stay.
	Forget(seq, told int64, asides []string) (gone int, left []string, err error)
}

// ErrNotSilent refuses an erasure by retention: since the rule has looked, something has
// happened in one of the conversations, or it is at hand.
var ErrNotSilent = errors.New("the conversation is not silent any more")

// ErrCutShort ends an erasure that was told and could not be ended: the next opening ends it.
var ErrCutShort = wire.Errorf(wire.NotReady,
	"the erasure has begun and could not be ended; opening the realm again ends it")

// Reports of a Worker, each a message to the actor.
type (
	// Found: what is asked for exists and the erasure is noted.
	Found struct {
		Erasure world.Erasure
		Scope   world.Scope
	}
	// Scoped: what goes on in it has stopped, and Scope is final.
	Scoped struct{ Scope world.Scope }
	// Redacted: the tables hold nothing of it any more.
	Redacted struct{ Rows world.Redacted }
	// Ended: the receipt, or why there is none.
	Ended struct {
		Receipt world.Receipt
		Err     error
	}
)

// Job is what Find begins with.
type Job struct {
	Erasure world.Erasure
	Resumed bool     // it was intended before this opening
	Names   []string // of the person, as the world and the sockets have them
	Bare    bool     // the realm has no linked folder
}

// Told is an erasure whose history:erased is durable.
type Told struct {
	Erasure world.Erasure
	Scope   world.Scope
	Seq     int64               // of history:erased
	After   *checkpoint.Picture // the realm after it
	Changed map[string]int      // what memory has forgotten, by kind; see world.Receipt
}

// Config is what a Worker needs.
type Config struct {
	Eraser  Eraser // nil: nothing can be erased
	Journal Transcripts
	Files   Files
	Log     zerolog.Logger
	Life    context.Context // of the actor; an erasure that outlives it goes on at the next opening
	Reports chan<- any      // to the actor; a report waits for its place
	// Damaged is told that the journal is damaged in a way that only an opening mends. It must
	// not wait for the realm. nil: such an erasure ends with ErrCutShort or the error.
	Damaged func(error)
}

// Worker does what an erasure waits for: the tables, commits, files. Its methods run in a
// goroutine of their own, one at a time; none uses the actor's state.
type Worker struct {
	Config
	job Job // the one under way, as Find noted it
}

// Find looks up what is asked for and notes it durably. It changes nothing that could not be
// taken back. The report is Found, or Ended with an earlier receipt or an error.
func (w *Worker) Find(job Job) {
	asked := &job.Erasure
	before, err := w.Eraser.EarlierErasure(w.Life, *asked)
	if err == nil && before == nil {
		asked.Conversations, err = w.existing(*asked, job.Resumed)
	}
	if err == nil && before == nil && !job.Resumed {
		err = w.Eraser.IntendErasure(*asked)
	}
	w.job = job
	switch {
	case w.reopens(err):
	case before != nil:
		w.report(Ended{Receipt: *before})
	case err != nil:
		w.report(Ended{Err: err})
	default:
		if scope, err := w.scope(); err != nil {
			w.Withdraw(err)
		} else {
			w.report(Found{job.Erasure, scope})
		}
	}
}

// Scope finds out what the erasure covers, once what goes on in it has stopped, which is
// durable by then, and these saves of skills have ended, so that the receipt can name them.
// The report is Scoped or Ended.
func (w *Worker) Scope(saves []<-chan struct{}) {
	for _, ended := range saves {
		select {
		case <-ended:
		case <-w.Life.Done():
			return
		}
	}
	if scope, err := w.scope(); err != nil {
		w.Withdraw(err)
	} else {
		w.report(Scoped{scope})
	}
}

func (w *Worker) scope() (world.Scope, error) {
	return w.Eraser.ScopeErasure(w.Life, w.job.Erasure, w.job.Names, w.job.Bare)
}

// Withdraw takes back an erasure of which nothing has happened; whoever asked is told err. One
// that was asked for before this opening was promised to go on: it stays noted, and the next
// opening tries again.
func (w *Worker) Withdraw(err error) {
	if w.Life.Err() != nil || w.reopens(err) {
		return // the next opening goes on
	}
	if !w.job.Resumed || errors.Is(err, ErrNotSilent) {
		err = errors.Join(err, w.Eraser.DropErasure(w.job.Erasure.ErasureID))
	}
	w.report(Ended{Err: err})
}

// existing are those of the conversations that there are. Of several, missing ones are passed
// over.
func (w *Worker) existing(asked world.Erasure, resumed bool) ([]string, error) {
	var there []string
	for _, id := range asked.Conversations {
		c, err := w.Journal.Conversation(w.Life, id)
		seen, watched := asked.Since[id]
		switch {
		case err == nil && watched && (c.Conversation.UpdatedAt != seen || !c.Conversation.Ended()):
			return nil, ErrNotSilent
		case err == nil:
			there = append(there, id)
		case !errors.Is(err, world.ErrNoConversation):
			return nil, err
		}
	}
	if len(there) == 0 && len(asked.Conversations) > 0 && !resumed {
		return nil, kind.NoTalk(asked.Conversations[0])
	}
	return there, nil
}

// Redact removes what the erasure covers from rows, bases and files, and makes the receipt. It
// tries until it is done, however long the disk takes; where it cannot end, the next opening
// does. The reports are Redacted and Ended. files writes the checkpoint after the erasure.
func (w *Worker) Redact(t Told, files *checkpoint.Writer) {
	cp, err := t.After.Checkpoint()
	step := func(what string, try func() error) {
		if err == nil {
			err = w.untilDone(what, try)
		}
	}
	changed := t.Changed
	var rows world.Redacted
	step("rows", func() (err error) {
		rows, err = w.Eraser.Redact(w.Life, t.Erasure.ErasureID)
		for what, n := range rows.Changed {
			changed[what] += n
		}
		return err
	})
	if err == nil && !w.report(Redacted{rows}) {
		return
	}
	step("bases", func() error {
		gone, err := w.Eraser.ReplaceBases(cp)
		changed["bases"] += gone
		return err
	})
	step("checkpoint", func() error { return files.Flush(w.Life) })
	var removed, left []string
	step("files", func() error {
		asides, err := w.Files.Asides(t.Erasure.AsidesBefore(world.TimeOf(time.Now())))
		if err != nil {
			return err
		}
		if removed, err = w.Eraser.NoteRemoved(w.Life, t.Erasure.ErasureID, asides); err != nil {
			return err
		}
		gone, kept, err := w.Files.Forget(cp.Seq, t.Seq, asides)
		changed["files"] += gone
		left = kept
		return err
	})
	var receipt world.Receipt
	step("log", func() (err error) {
		receipt = world.NewReceipt(t.Erasure, t.Scope.Conversations, t.After.World(), changed, removed, left)
		receipt, err = w.Eraser.EndErasure(w.Life, t.Erasure, receipt, time.Now)
		return err
	})
	if w.reopens(err) {
		return
	}
	if err != nil {
		err = ErrCutShort
	}
	w.report(Ended{receipt, err})
}

// Waits between two tries.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 3 * time.Second
)

// untilDone tries until it is done, or gives why no further try can do it.
func (w *Worker) untilDone(what string, try func() error) error {
	for wait := firstRetry; ; wait = min(wait*2, lastRetry) {
		err := try()
		if err == nil {
			return nil
		}
		if w.Life.Err() != nil {
			return context.Cause(w.Life)
		}
		w.Log.Warn().Err(err).Msg("an erasure waits: " + what)
		if errors.Is(err, world.ErrBroken) || errors.Is(err, world.ErrDamaged) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-w.Life.Done():
			return context.Cause(w.Life)
		}
	}
}

// reopens says that an erasure met damage that only an opening mends, and has the realm
// closed and opened again. Whoever asked is told that the realm has closed (watch.ErrStopped, or
// their socket is), asks again, and gets the receipt.
func (w *Worker) reopens(err error) bool {
	if !errors.Is(err, world.ErrDamaged) || w.Damaged == nil || w.Life.Err() != nil {
		return false
	}
	w.Log.Error().Err(err).
		Msg("an erasure met damage in the journal: the realm is closed and opened again, and the erasure goes on then")
	w.Damaged(err)
	return true
}

// report hands the actor a report; false: the realm is ending.
func (w *Worker) report(m any) bool {
	select {
	case w.Reports <- m:
		return true
	case <-w.Life.Done():
		return false
	}
}
