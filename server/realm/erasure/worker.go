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

// Eraser carries out the steps of an erasure in the journal (P16.3). A caller calls the methods in the order in which
// they are declared, from any goroutine, and may repeat each. The store's erasure.Eraser implements it.
type Eraser interface {
	// EarlierErasure returns the receipt of a completed erasure with the same request as e, or nil.
	EarlierErasure(ctx context.Context, e world.Erasure) (*world.Receipt, error)
	// IntendErasure records durably that e has begun. DropErasure removes the record.
	IntendErasure(e world.Erasure) error
	DropErasure(id string) error
	// ScopeErasure returns and stores the scope of the erasure: everything that it covers. A later call replaces
	// the stored scope; there is no call after history:erased.
	ScopeErasure(ctx context.Context, e world.Erasure, names []string, bare bool) (world.Scope, error)
	// Redact rewrites rows and events. history:erased must be durable.
	Redact(ctx context.Context, id string) (world.Redacted, error)
	// ReplaceBases replaces all bases by c and returns how many it has removed.
	ReplaceBases(c world.Checkpoint) (gone int, err error)
	// NoteRemoved records durably that the files with these names, which recovery has set aside, are about to
	// be removed. It returns the names of all files that it has recorded for the erasure.
	NoteRemoved(ctx context.Context, id string, names []string) (all []string, err error)
	// EndErasure empties the write-ahead log and stores the receipt. It returns the receipt as it was stored.
	EndErasure(ctx context.Context, e world.Erasure, receipt world.Receipt, now func() time.Time) (
		world.Receipt, error)
}

// Files gives access to the files in the realm's folder that contain worlds.
type Files interface {
	// Asides returns the names of the files that recovery set aside before the given time.
	Asides(before world.Time) (names []string, err error)
	// Forget removes the checkpoints of worlds before event number seq, and the files in asides, which Asides has
	// returned. It removes findings.json if that is older than history:erased, whose number is erased. gone is the
	// number of removed files. left has the names of what may still hold erased words: files and folders that are still
	// set aside, and session files that could not be imported.
	Forget(seq, erased int64, asides []string) (gone int, left []string, err error)
}

// maxWait is how long an erasure waits for viewers that read slowly.
const maxWait = time.Second

// ErrNotSilent is the error of an erasure by retention if a conversation is in use or has changed since
// retention decided to delete it.
var ErrNotSilent = errors.New("the conversation is in use or has changed since it was selected for deletion")

// ErrCutShort is the error of an erasure that fails after history:erased. The next opening completes the
// erasure.
var ErrCutShort = wire.Errorf(wire.NotReady,
	"the erasure has begun and could not be ended; opening the realm again completes the erasure")

// These types are the reports of a Worker, which are messages to the actor.
type (
	// Found reports that the conversations or the person of the request exist, and that the beginning of the
	// erasure is durable.
	Found struct {
		Erasure world.Erasure
		Scope   world.Scope
	}
	// Scoped reports the final scope of the erasure: all that it covers.
	Scoped struct{ Scope world.Scope }
	// Redacted reports that the tables contain no erased words any more.
	Redacted struct{ Rows world.Redacted }
	// Ended reports the end of an erasure: the receipt or, if there is none, the error that prevented it.
	Ended struct {
		Receipt world.Receipt
		Err     error
	}
)

// Job is the argument of Worker.Find.
type Job struct {
	Erasure world.Erasure
	Resumed bool     // whether the erasure was requested before this opening of the realm
	Names   []string // the person's names in the world and at connected sockets
	Bare    bool     // the realm has no linked folder
}

// Redaction is the argument of Worker.Redact.
type Redaction struct {
	Erasure world.Erasure
	Scope   world.Scope
	Seq     int64               // the seq of history:erased
	After   *checkpoint.Picture // the realm after the erasure
	Changed map[string]int      // how much was removed from memory, by the keys of world.Receipt.Changed
}

// Config has what a Worker needs.
type Config struct {
	Eraser  Eraser // nil if this realm cannot erase
	Journal Transcripts
	Files   Files
	Log     zerolog.Logger
	Life    context.Context // the actor's context; the next opening resumes an erasure that outlasts it
	Reports chan<- any      // the channel on which reports are sent to the actor
	// Damaged is called if the journal has damage that only an opening repairs. It must not wait for the
	// realm. If Damaged is nil, an erasure that meets such damage fails.
	Damaged func(error)
}

// Worker carries out the steps of the erasure under way that read or write the disk. Its methods run outside
// the actor's goroutine, one at a time.
type Worker struct {
	Config
	job Job // set by Find
}

// Find looks up the conversations of the request and records durably that the erasure has begun; Withdraw can
// undo the record. Find reports Found, or Ended with an earlier receipt or an error.
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

// Scope finds everything that the erasure covers. It is called after all runs in the conversations of the erasure have
// stopped. It first waits for the skills that are being written, so that the receipt can list them, and at most
// maxWait until passed is closed: all viewers have got the frames that were shown. A viewer that has not got them when
// history:erased is shown is cut. Scope reports Scoped or Ended.
func (w *Worker) Scope(saves []<-chan struct{}, passed <-chan struct{}) {
	for _, ended := range saves {
		select {
		case <-ended:
		case <-w.Life.Done():
			return
		}
	}
	late := time.NewTimer(maxWait)
	defer late.Stop()
	select {
	case <-passed:
	case <-late.C:
	case <-w.Life.Done():
		return
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

// Withdraw ends an erasure with err before history:erased. A resumed erasure stays on record, so that the next
// opening tries again, unless err is ErrNotSilent.
func (w *Worker) Withdraw(err error) {
	if w.Life.Err() != nil || w.reopens(err) {
		return // the record stays, so the next opening tries the erasure again
	}
	if !w.job.Resumed || errors.Is(err, ErrNotSilent) {
		err = errors.Join(err, w.Eraser.DropErasure(w.job.Erasure.ErasureID))
	}
	w.report(Ended{Err: err})
}

// existing returns the conversations of the request that exist. If the request is retention's and a conversation has
// changed since retention read it, it returns ErrNotSilent. If none of the conversations exists, it returns not_found.
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

// Redact removes what the erasure covers from rows, bases and files, and completes the receipt. It repeats a failed
// step until the realm ends; the next opening then resumes the erasure. Redact reports Redacted and Ended. The writer
// in the parameter files writes the checkpoint that replaces older ones.
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

// A failed step is repeated after the time firstRetry. Each further wait is twice as long, but at most
// lastRetry.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 3 * time.Second
)

// untilDone calls try, which does one step, until it succeeds, the realm ends, or the journal proves to be unusable.
// what names the step in the log.
func (w *Worker) untilDone(what string, try func() error) error {
	for wait := firstRetry; ; wait = min(wait*2, lastRetry) {
		err := try()
		if err == nil {
			return nil
		}
		if w.Life.Err() != nil {
			return context.Cause(w.Life)
		}
		if errors.Is(err, world.ErrBroken) || errors.Is(err, world.ErrDamaged) {
			w.Log.Warn().Err(err).Msg("a step of an erasure has failed: " + what)
			return err
		}
		w.Log.Warn().Err(err).Msg("a step of an erasure has failed and is repeated: " + what)
		select {
		case <-time.After(wait):
		case <-w.Life.Done():
			return context.Cause(w.Life)
		}
	}
}

// reopens reports whether err is damage in the journal that only an opening repairs. If so, it asks the keeper to close
// the realm and open it again; the opening resumes the erasure. The sender of the request gets the error of a closed
// realm; if the sender repeats the request later, the answer is the receipt.
func (w *Worker) reopens(err error) bool {
	if !errors.Is(err, world.ErrDamaged) || w.Damaged == nil || w.Life.Err() != nil {
		return false
	}
	w.Log.Error().Err(err).
		Msg("the journal is damaged: the realm is closed and opened again, which resumes the erasure")
	w.Damaged(err)
	return true
}

// report sends the message m to the actor. It returns false if the realm has ended.
func (w *Worker) report(m any) bool {
	select {
	case w.Reports <- m:
		return true
	case <-w.Life.Done():
		return false
	}
}
