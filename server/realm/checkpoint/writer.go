package checkpoint

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Files are where checkpoints and vaults are written.
type Files interface {
	// WriteCheckpoint replaces state.json and keeps its predecessor.
	WriteCheckpoint(c world.Checkpoint) error
	// WriteVault replaces knowledge/<agentId>.json.
	WriteVault(v world.Vault) error
}

// Journal keeps bases and marks.
type Journal interface {
	// SaveBase keeps a world in the journal so that older events may be trimmed.
	SaveBase(c world.Checkpoint) error
	// MarkVaults keeps how far the vault files hold what the journal says.
	MarkVaults(m world.VaultMark) error
}

// How often a world is kept in the journal.
const (
	baseEvents = 50_000
	baseAge    = 24 * time.Hour
)

// Writer writes what it is handed from a goroutine of its own: of several checkpoints the
// newest, and all vaults. What could not be written is tried again with what is handed over
// next. Its methods are safe from any goroutine and wait for no disk, but Flush.
type Writer struct {
	files   Files
	journal Journal
	log     zerolog.Logger
	saved   func(wire.RealmInfo) // told of each checkpoint; may be nil

	kick chan struct{} // holds one
	stop chan struct{}
	done sync.WaitGroup

	mu     sync.Mutex
	next   *Picture               // nil: none waits
	vaults map[string]world.Vault // by member; at most one each
	mark   *world.VaultMark       // holds once the vaults are written; nil where it is kept
	least  int64                  // worlds before this seq are not written: something was erased since
	// waiting are told what became of all that was handed over before: one for each Flush.
	waiting []chan<- error

	// The newest base. Only the goroutine uses it, and finish after that.
	baseSeq int64
	baseAt  time.Time
}

// begin starts the goroutine.
func (w *Writer) begin() { w.done.Go(w.run) }

func (w *Writer) run() {
	failing := false
	for {
		select {
		case <-w.kick:
		case <-w.stop:
			return
		}
		w.mu.Lock()
		waiting := w.waiting
		w.waiting = nil
		w.mu.Unlock()
		err := w.writeAll()
		for _, told := range waiting {
			told <- err // holds one
		}
		if err != nil && !failing {
			w.log.Error().Err(err).Msg("a checkpoint or vault could not be written; the journal has everything")
		}
		failing = err != nil
	}
}

func (w *Writer) writeAll() error {
	w.mu.Lock()
	next, vaults, mark := w.next, w.vaults, w.mark
	if next != nil && next.Seq() < w.least {
		next = nil
	}
	w.next, w.vaults = nil, map[string]world.Vault{}
	w.mu.Unlock()
	failed := w.writeVaults(vaults, mark)
	if next == nil {
		return failed
	}
	c, err := next.Checkpoint()
	if err == nil {
		err = w.files.WriteCheckpoint(c)
	}
	if err != nil {
		// The next change makes another; at the stop, or for who waits, it is tried again.
		w.mu.Lock()
		if w.next == nil {
			w.next = next
		}
		w.mu.Unlock()
		return fmt.Errorf("checkpoint at %d: %w", next.Seq(), err)
	}
	if w.saved != nil {
		w.saved(next.moment.Info)
	}
	if now := time.Now(); c.Seq-w.baseSeq >= baseEvents || now.Sub(w.baseAt) >= baseAge {
		if err := w.journal.SaveBase(c); err != nil {
			return fmt.Errorf("base at %d: %w", c.Seq, err)
		}
		w.baseSeq, w.baseAt = c.Seq, now
	}
	return failed
}

// writeVaults writes vaults and, where all of them are written, the mark.
func (w *Writer) writeVaults(vaults map[string]world.Vault, mark *world.VaultMark) error {
	var failed error
	for id, v := range vaults {
		if err := w.files.WriteVault(v); err != nil {
			failed = fmt.Errorf("vault of %s: %w", id, err)
			w.mu.Lock()
			if _, newer := w.vaults[id]; !newer {
				w.vaults[id] = v // with the next kick
			}
			w.mu.Unlock()
		}
	}
	if mark == nil || failed != nil {
		return failed
	}
	if err := w.journal.MarkVaults(*mark); err != nil {
		return fmt.Errorf("mark of the vaults: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mark == mark { // one that came meanwhile waits for its own vaults
		w.mark = nil
	}
	return nil
}

// put hands a checkpoint over; one that waits is overtaken.
func (w *Writer) put(p *Picture) {
	w.mu.Lock()
	w.next = p
	w.mu.Unlock()
	w.poke()
}

// erased hands the first world after an erasure over: none from before it is written any more.
func (w *Writer) erased(p *Picture) {
	w.mu.Lock()
	w.least = p.Seq()
	if w.next == nil || w.next.Seq() < p.Seq() {
		w.next = p
	}
	w.mu.Unlock()
	w.poke()
}

// Flush waits until all that was handed over before is written, or gives why it was not. ctx
// ends the wait.
func (w *Writer) Flush(ctx context.Context) error {
	done := make(chan error, 1)
	w.mu.Lock()
	w.waiting = append(w.waiting, done)
	w.mu.Unlock()
	w.poke()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// PutVault hands a vault over, all of which is committed.
func (w *Writer) PutVault(v world.Vault) {
	w.mu.Lock()
	w.vaults[v.AgentID] = v
	w.mu.Unlock()
	w.poke()
}

// MarkVaults hands over what holds once all vaults that were handed over before are written.
func (w *Writer) MarkVaults(m world.VaultMark) {
	w.mu.Lock()
	w.mark = &m
	w.mu.Unlock()
	w.poke()
}

func (w *Writer) poke() {
	select {
	case w.kick <- struct{}{}:
	default:
	}
}

// finish ends the goroutine and writes what is left.
func (w *Writer) finish() error {
	w.done.Wait()
	return w.writeAll()
}
