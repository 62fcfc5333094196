package realm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/world"
)

// This file copies the committed world and transcripts for other parts of the server.

// World returns a copy of the world once all events in it are durable. If the disk fails, it returns the world
// as of the last committed event. It returns ErrBroken if the realm is broken.
func (r *Realm) World(ctx context.Context) (*world.World, error) {
	reply := make(chan worldCopy, 1)
	got, err := call(ctx, r, worldMsg{reply}, reply)
	switch {
	case err != nil:
		return nil, err
	case got.base != nil:
		return r.foldFrom(ctx, got)
	}
	return got.world, got.err
}

// Tail returns the same copy of the world as World, and a cursor over the events after it.
func (r *Realm) Tail(ctx context.Context) (*world.World, *watch.Tail, error) {
	w, err := r.World(ctx)
	if err != nil {
		return nil, nil, err
	}
	t, err := r.feed.Tail(w.Tick)
	if err != nil {
		return nil, nil, err
	}
	return w, t, nil
}

type worldMsg struct{ reply chan<- worldCopy }

// worldCopy is the actor's reply to a worldMsg. Without an error, either world is a copy of the world, or base is an
// older world. In the latter case the receiver makes the copy: it clones base and applies the later events up to head.
type worldCopy struct {
	world *world.World
	base  *world.World // must not be modified
	head  int64
	err   error
}

func (a *actor) copyWorld(m worldMsg) {
	if waits, err := a.postpone(m); waits {
		return
	} else if err != nil {
		m.reply <- worldCopy{err: err}
		return
	}
	committed := func() { m.reply <- worldCopy{base: a.saved.Base().World(), head: a.outbox.Head()} }
	if a.outbox.IsFailing() && !a.outbox.Empty() {
		committed()
		return
	}
	w := a.realm.World.Clone()
	a.outbox.Out(commit.Entry{Impatient: true, Effect: func(o commit.Outcome) {
		switch o {
		case commit.Durable:
			m.reply <- worldCopy{world: w}
		case commit.Unsaved:
			committed()
		case commit.Lost:
			m.reply <- worldCopy{err: ErrBroken}
		}
	}})
}

// Vaults returns copies of what the members have learned, up to the last committed event, in the order of their ids.
func (r *Realm) Vaults(ctx context.Context) ([]world.Vault, error) {
	reply := make(chan vaultsCopy, 1)
	got, err := call(ctx, r, vaultsMsg{reply}, reply)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(got.vaults, func(a, b world.Vault) int { return strings.Compare(a.AgentID, b.AgentID) })
	return got.vaults, got.err
}

// vaultsMsg asks for the vaults. reply has room for one value.
type vaultsMsg struct{ reply chan<- vaultsCopy }

type vaultsCopy struct {
	vaults []world.Vault
	err    error
}

// copy answers the message, unless it waits for an erasure.
func (m vaultsMsg) copy(a *actor) {
	if waits, err := a.postpone(m); waits {
		return
	} else if err != nil {
		m.reply <- vaultsCopy{err: err}
		return
	}
	m.reply <- vaultsCopy{vaults: a.saved.Vaults.Committed(a.outbox.History().Epoch, a.outbox.Head(), a.realm.At(),
		a.outbox.Unsaved)}
}

// foldFrom returns a copy of from.base to which it has applied the events up to from.head.
func (r *Realm) foldFrom(ctx context.Context, from worldCopy) (*world.World, error) {
	w := from.base.Clone()
	for after := w.Tick; after < from.head; {
		frames, err := r.journal.Read(ctx, after, 500)
		if err == nil && len(frames) == 0 {
			err = fmt.Errorf("the journal ends at event %d, before event %d", after, from.head)
		}
		if err != nil {
			return nil, fmt.Errorf("read the events after the world: %w", err)
		}
		for _, f := range frames[:min(int64(len(frames)), from.head-after)] {
			ev, err := world.DecodeEvent(f.Bytes)
			if err != nil {
				return nil, fmt.Errorf("decode event %d: %w", f.Seq, err)
			}
			world.Apply(w, ev)
			after = f.Seq
		}
	}
	return w, nil
}

// Transcripts returns a reader of the committed conversations. It may be used as long as the realm is open.
func (r *Realm) Transcripts() Transcripts { return r.tables }

// Search returns rows of all conversations that match a query.
func (r *Realm) Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	select {
	case <-r.done:
		return nil, watch.ErrStopped
	default:
	}
	q.Public = q.Public && !r.feed.Shared()
	return r.tables.Search(ctx, q)
}
