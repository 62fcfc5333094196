package realm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Encoding and writing away from the actor: clones of the world become bytes, and the newest
// of them state.json; vault files and bases go the same way. When a clone is taken, the
// actor decides (checkpoint.go).

// baseEvery is how often a world is kept in the journal, so that older events may
// be trimmed.
const (
	baseEvents = 50_000
	baseAge    = 24 * time.Hour
)

// encoded is a world at seq, made while its events may still wait for their
// commit; it is of use once the head has reached seq.
type encoded struct {
	base
	epoch string
	at    world.Time
	info  wire.RealmInfo
	err   error
}

type clone struct {
	world   *world.World
	encoded []byte // world as JSON; nil: it is to be encoded
	views   []world.View
	epoch   string
	at      world.Time
	info    wire.RealmInfo
}

// keeping encodes clones and writes files away from the actor.
type keeping struct {
	clones  chan clone   // holds one: the actor has one clone under way
	encoded chan encoded // holds one
	stop    chan struct{}

	mu     sync.Mutex
	next   *encoded // latest wins: what has not been written is overtaken
	vaults map[string]world.Vault
	mark   *world.VaultMark // true once vaults are written; nil where it is kept
	kick   chan struct{}    // holds one
	least  int64            // worlds from before are not written any more: something was erased since
	// waiting are told what became of all that was handed over before; as many as wait.
	waiting []chan<- error

	done  sync.WaitGroup
	saved func(wire.RealmInfo)

	lastBaseSeq int64
	lastBaseAt  time.Time
}

func newKeeping() *keeping {
	return &keeping{
		clones: make(chan clone, 1), encoded: make(chan encoded, 1), stop: make(chan struct{}),
		vaults: map[string]world.Vault{}, kick: make(chan struct{}, 1),
	}
}

// start begins both goroutines.
func (k *keeping) start(files Files, journal Journal, log zerolog.Logger) {
	k.done.Go(k.encode)
	k.done.Go(func() { k.write(files, journal, log) })
}

// encode is the encoder's goroutine.
func (k *keeping) encode() {
	for {
		select {
		case c := <-k.clones:
			select {
			case k.encoded <- encode(c):
			case <-k.stop:
				return
			}
		case <-k.stop:
			return
		}
	}
}

func encode(c clone) encoded {
	e := encoded{epoch: c.epoch, at: c.at, info: c.info}
	e.seq = c.world.Tick
	l, err := encodeLand(c.world)
	fields := l.fields()
	if e.world = c.encoded; err == nil && e.world == nil {
		e.world, err = json.Marshal(c.world)
	}
	if err == nil {
		e.conversations, err = json.Marshal(c.views)
	}
	// A quote inside a JSON string is escaped, so this can only be the fields.
	e.mapAt, e.mapLen = bytes.Index(e.world, fields), len(fields)
	if err == nil && e.mapAt < 0 {
		err = errors.New("the map is not where it should be")
	}
	e.err = err
	return e
}

// write is the writer's goroutine: the newest checkpoint and the vaults, one at a
// time.
func (k *keeping) write(files Files, journal Journal, log zerolog.Logger) {
	failing := false
	for {
		select {
		case <-k.kick:
		case <-k.stop:
			return
		}
		k.mu.Lock()
		waiting := k.waiting
		k.waiting = nil
		k.mu.Unlock()
		err := k.writeAll(files, journal)
		for _, w := range waiting {
			w <- err // holds one
		}
		if err != nil {
			if !failing {
				log.Error().Err(err).Msg("a checkpoint or vault could not be written; the journal has everything")
			}
			failing = true
			continue
		}
		failing = false
	}
}

func (k *keeping) writeAll(files Files, journal Journal) error {
	k.mu.Lock()
	next, vaults, mark := k.next, k.vaults, k.mark
	if next != nil && next.seq < k.least {
		next = nil
	}
	k.next, k.vaults = nil, map[string]world.Vault{}
	k.mu.Unlock()
	var failed error
	for id, v := range vaults {
		if err := files.WriteVault(v); err != nil {
			failed = fmt.Errorf("vault of %s: %w", id, err)
			k.mu.Lock()
			if _, newer := k.vaults[id]; !newer {
				k.vaults[id] = v // with the next kick
			}
			k.mu.Unlock()
		}
	}
	if mark != nil && failed == nil {
		if failed = k.keepMark(journal, mark); failed != nil {
			failed = fmt.Errorf("mark of the vaults: %w", failed)
		}
	}
	if next == nil {
		return failed
	}
	cp := world.Checkpoint{Epoch: next.epoch, Seq: next.seq, SavedAt: next.at, World: next.world}
	if err := files.WriteCheckpoint(cp); err != nil {
		// The next change makes another; at the stop, or for who waits, it is tried again.
		k.mu.Lock()
		if k.next == nil {
			k.next = next
		}
		k.mu.Unlock()
		return fmt.Errorf("checkpoint at %d: %w", next.seq, err)
	}
	if k.saved != nil {
		k.saved(next.info)
	}
	if now := clock(); next.seq-k.lastBaseSeq >= baseEvents || now.Sub(k.lastBaseAt) >= baseAge {
		if err := journal.SaveBase(cp); err != nil {
			return fmt.Errorf("base at %d: %w", next.seq, err)
		}
		k.lastBaseSeq, k.lastBaseAt = next.seq, now
	}
	return failed
}

// put hands the writer a checkpoint; one that has not been begun is overtaken.
func (k *keeping) put(e *encoded) {
	k.mu.Lock()
	k.next = e
	k.mu.Unlock()
	k.poke()
}

// erased hands over the first world after an erasure: none from before it is written.
func (k *keeping) erased(e *encoded) {
	k.mu.Lock()
	k.least = e.seq
	if k.next == nil || k.next.seq < e.seq {
		k.next = e
	}
	k.mu.Unlock()
	k.poke()
}

// flush waits until all that was handed over before is written.
func (k *keeping) flush(ctx context.Context) error {
	done := make(chan error, 1)
	k.mu.Lock()
	k.waiting = append(k.waiting, done)
	k.mu.Unlock()
	k.poke()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (k *keeping) putVault(v world.Vault) {
	k.mu.Lock()
	k.vaults[v.AgentID] = v // bounded by the number of members
	k.mu.Unlock()
	k.poke()
}

// markVaults hands over what holds once all vaults that were handed over before are written.
func (k *keeping) markVaults(m world.VaultMark) {
	k.mu.Lock()
	k.mark = &m
	k.mu.Unlock()
	k.poke()
}

// keepMark keeps a mark; one that came meanwhile waits for its own vaults.
func (k *keeping) keepMark(journal Journal, mark *world.VaultMark) error {
	if err := journal.MarkVaults(*mark); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.mark == mark {
		k.mark = nil
	}
	return nil
}

func (k *keeping) poke() {
	select {
	case k.kick <- struct{}{}:
	default:
	}
}

// finish ends the goroutines and writes what is left: the stop's last save.
func (k *keeping) finish(files Files, journal Journal) error {
	close(k.stop)
	k.done.Wait()
	return k.writeAll(files, journal)
}
