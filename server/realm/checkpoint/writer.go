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

// Files writes checkpoints and vaults to a realm's folder.
type Files interface {
	// WriteCheckpoint replaces state.json and keeps the old one as state.prev.json.
	WriteCheckpoint(c world.Checkpoint) error
	// WriteVault replaces knowledge/<agentId>.json.
	WriteVault(v world.Vault) error
}

// Journal stores bases and the VaultMark.
type Journal interface {
	// SaveBase stores a checkpoint in the journal as a base, so that older events may be dropped.
	SaveBase(c world.Checkpoint) error
	// MarkVaults stores m, which says up to which event the vault files have all insights. The next opening searches
	// only later events for insights.
	MarkVaults(m world.VaultMark) error
}

// The writer saves a base if the last one is more than baseEvents events behind, or older than baseAge.
const (
	baseEvents = 50_000
	baseAge    = 24 * time.Hour
)

// Writer writes checkpoints and vaults in a goroutine of its own. If several states of the realm (Pictures) wait, or
// several vaults of one member, it writes only the newest. It tries a failed write again together with the next write.
// The methods are safe for concurrent use; only Flush waits for the disk.
type Writer struct {
	files   Files
	journal Journal
	log     zerolog.Logger
	saved   func(wire.RealmInfo) // called after each checkpoint; may be nil

	kick chan struct{} // tells the goroutine that something is to be written; has room for one value
	stop chan struct{}
	done sync.WaitGroup

	mu      sync.Mutex
	next    *Picture               // nil for none
	vaults  map[string]world.Vault // by member
	mark    *world.VaultMark       // the VaultMark to store after the vaults; nil for none
	least   int64                  // Pictures before this seq contain what was erased, so they are not written
	waiting []chan<- error         // one channel for each Flush, with room for one value

	// baseSeq and baseAt are the seq and the time of the newest base. Only the goroutine uses them, and finish
	// after the goroutine has ended.
	baseSeq int64
	baseAt  time.Time
}

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
			told <- err
		}
		if err != nil && !failing {
			w.log.Error().Err(err).
				Msg("a checkpoint or vault could not be written; the journal has the same data")
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
		// The write has failed. Try to write this Picture again with the next write, unless put has set a newer one
		// meanwhile.
		w.mu.Lock()
		if w.next == nil {
			w.next = next
		}
		w.mu.Unlock()
		return fmt.Errorf("write the checkpoint at event %d: %w", next.Seq(), err)
	}
	if w.saved != nil {
		w.saved(next.content.Info)
	}
	if now := time.Now(); c.Seq-w.baseSeq >= baseEvents || now.Sub(w.baseAt) >= baseAge {
		if err := w.journal.SaveBase(c); err != nil {
			return fmt.Errorf("save the base at event %d: %w", c.Seq, err)
		}
		w.baseSeq, w.baseAt = c.Seq, now
	}
	return failed
}

// writeVaults writes the vault files. If no write has failed, it then stores in the journal up to which event these
// files have all insights (the parameter mark).
func (w *Writer) writeVaults(vaults map[string]world.Vault, mark *world.VaultMark) error {
	var failed error
	for id, v := range vaults {
		if err := w.files.WriteVault(v); err != nil {
			failed = fmt.Errorf("save the vault of %s: %w", id, err)
			w.mu.Lock()
			if _, newer := w.vaults[id]; !newer {
				w.vaults[id] = v // the write has failed; it is repeated after the next signal on kick
			}
			w.mu.Unlock()
		}
	}
	if mark == nil || failed != nil {
		return failed
	}
	if err := w.journal.MarkVaults(*mark); err != nil {
		return fmt.Errorf("record in the journal up to which event the vault files are complete: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mark == mark { // a newer mark stays pending until the newer vaults are written
		w.mark = nil
	}
	return nil
}

// put makes p the next Picture to write.
func (w *Writer) put(p *Picture) {
	w.mu.Lock()
	w.next = p
	w.mu.Unlock()
	w.poke()
}

// erased makes p, the first Picture after an erasure, the next one to write. The writer writes no older
// Picture from now on.
func (w *Writer) erased(p *Picture) {
	w.mu.Lock()
	w.least = p.Seq()
	if w.next == nil || w.next.Seq() < p.Seq() {
		w.next = p
	}
	w.mu.Unlock()
	w.poke()
}

// Flush waits until everything that the writer has got is written, or until ctx ends.
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

// PutVault makes the goroutine write the vault v. All insights of v must be committed.
func (w *Writer) PutVault(v world.Vault) {
	w.mu.Lock()
	w.vaults[v.AgentID] = v
	w.mu.Unlock()
	w.poke()
}

// MarkVaults makes the goroutine store m in the journal once it has written all vaults that it has got.
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

// finish waits until the goroutine has ended, and then writes what the goroutine has not written.
func (w *Writer) finish() error {
	w.done.Wait()
	return w.writeAll()
}
