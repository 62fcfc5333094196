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

// Eraser does the steps of an erasure in the journal (P16.3). The methods are called in this order, from any
// goroutine, and may be repeated. The store's erasure.Eraser implements it.
type Eraser interface {
	// EarlierErasure returns the receipt of a finished erasure with the same request as e, nil for none.
	EarlierErasure(ctx context.Context, e world.Erasure) (*world.Receipt, error)
	// IntendErasure makes the intention to erase durable, DropErasure withdraws the intention.
	IntendErasure(e world.Erasure) error
	DropErasure(id string) error
	// ScopeErasure returns and stores the scope of the erasure, that is all that it covers. Only the scope of
	// the last call before history:erased counts.
	ScopeErasure(ctx context.Context, e world.Erasure, names []string, bare bool) (world.Scope, error)
	// Redact rewrites rows and events after history:erased is durable.
	Redact(ctx context.Context, id string) (world.Redacted, error)
	// ReplaceBases replaces all bases by c.
	ReplaceBases(c world.Checkpoint) (gone int, err error)
	// NoteRemoved makes the note durable that files with these names, which recovery set aside, are about to
	// be removed. It returns the names of all files that the erasure has noted.
	NoteRemoved(ctx context.Context, id string, names []string) (all []string, err error)
	// EndErasure empties the write-ahead log and stores the receipt.
	EndErasure(ctx context.Context, e world.Erasure, receipt world.Receipt, now func() time.Time) (
		world.Receipt, error)
}

// Files are the files in the realm's folder that contain worlds.
type Files interface {
	// Asides returns the names of the files that recovery set aside before a time.
	Asides(before world.Time) (names []string, err error)
	// Forget removes files that contain worlds from before seq, the board of findings if the board is from
	// before erased (the seq of history:erased), and asides, which are names that Asides returned. left has
	// the names of the files set aside that Forget did not remove.
	Forget(seq, erased int64, asides []string) (gone int, left []string, err error)
}

// ErrNotSilent refuses an erasure by retention: a conversation was updated after retention decided to delete
// it, or the conversation is in use.
var ErrNotSilent = errors.New("the conversation is not silent any more")

// ErrCutShort is the error of an erasure that failed after history:erased. The next opening completes the
// erasure.
var ErrCutShort = wire.Errorf(wire.NotReady,
	"the erasure has begun and could not be ended; opening the realm again ends it")

// Reports of a Worker, which are messages to the actor.
type (
	// Found means that what the request names exists and that the intention is durable.
	Found struct {
		Erasure world.Erasure
		Scope   world.Scope
	}
	// Scoped has the final scope.
	Scoped struct{ Scope world.Scope }
	// Redacted means that the tables contain nothing any more that is to be erased.
	Redacted struct{ Rows world.Redacted }
	// Ended has the receipt, or the reason why there is none.
	Ended struct {
		Receipt world.Receipt
		Err     error
	}
)

// Job is the argument of Worker.Find.
type Job struct {
	Erasure world.Erasure
	Resumed bool     // somebody asked for the erasure before this opening
	Names   []string // the person's names in the world and at connected sockets
	Bare    bool     // the realm has no linked folder
}

// Redaction is the argument of Worker.Redact.
type Redaction struct {
	Erasure world.Erasure
	Scope   world.Scope
	Seq     int64               // of history:erased
	After   *checkpoint.Picture // the realm after the erasure
	Changed map[string]int      // how much was removed from memory, by the keys of world.Receipt.Changed
}

// Config is what a Worker needs.
type Config struct {
	Eraser  Eraser // nil: nothing can be erased
	Journal Transcripts
	Files   Files
	Log     zerolog.Logger
	Life    context.Context // the actor's context; the next opening resumes an erasure that outlasts it
	Reports chan<- any      // to the actor
	// Damaged is called if the journal has damage that only an opening repairs. Damaged must not wait for the
	// realm. If Damaged is nil, such an erasure ends with the error.
	Damaged func(error)
}

// Worker does those steps of the erasure under way that read or write the disk. The methods run outside the
// actor's goroutine, one at a time.
type Worker struct {
	Config
	job Job // set by Find
}

// Find looks up what the request names and makes the intention durable; Withdraw can undo that. Find reports
// Found, or Ended with an earlier receipt or an error.
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

// Scope finds all that the erasure covers, after everything in those conversations has stopped. It first
// waits for the skills that are being written, so that the receipt can list them. It reports Scoped or Ended.
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

// Withdraw ends an erasure with err before history:erased. If the erasure was resumed and err is not
// ErrNotSilent, the intention stays durable, so that the next opening tries again.
func (w *Worker) Withdraw(err error) {
	if w.Life.Err() != nil || w.reopens(err) {
		return // the next opening resumes it
	}
	if !w.job.Resumed || errors.Is(err, ErrNotSilent) {
		err = errors.Join(err, w.Eraser.DropErasure(w.job.Erasure.ErasureID))
	}
	w.report(Ended{Err: err})
}

// existing returns those of the asked conversations that exist. It returns ErrNotSilent if one of them was
// updated after retention read it, and not_found if none exists.
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

// Redact removes what the erasure covers from rows, bases and files, and makes the receipt. It repeats failed
// steps until the realm ends; then the next opening resumes the erasure. It reports Redacted and Ended. The
// writer files writes the checkpoint after the erasure.
func (w *Worker) Redact(t Redaction, files *checkpoint.Writer) {
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

// A failed step is repeated after firstRetry. Each further wait is twice as long, up to lastRetry.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 3 * time.Second
)

// untilDone repeats a step until the step succeeds, the realm ends or the journal proves to be unusable.
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

// reopens reports whether err is damage of the journal that only an opening repairs, and if so has the realm
// closed and opened again. That opening resumes the erasure. Callers get the error that the realm has closed;
// when they ask again, they get the receipt.
func (w *Worker) reopens(err error) bool {
	if !errors.Is(err, world.ErrDamaged) || w.Damaged == nil || w.Life.Err() != nil {
		return false
	}
	w.Log.Error().Err(err).
		Msg("the journal is damaged: the realm is closed and opened again, which resumes the erasure")
	w.Damaged(err)
	return true
}

// report sends a report to the actor. It returns false if the realm ends.
func (w *Worker) report(m any) bool {
	select {
	case w.Reports <- m:
		return true
	case <-w.Life.Done():
		return false
	}
}
