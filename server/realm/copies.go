package realm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/checkpoint"
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

// copyMsg is a message that asks the actor for a copy of its state. If an erasure continues that began before the
// realm was opened, the message waits for the erasure's end.
type copyMsg interface {
	copy(r *kind.Realm, saved *checkpoint.Checkpoints, out *commit.Outbox)
	fail(err error)
}

// copy answers a copyMsg with a copy of the actor's state, or with an error.
func (a *actor) copy(m copyMsg) {
	switch waits, err := a.postpone(m); {
	case err != nil:
		m.fail(err)
	case !waits:
		m.copy(a.realm, a.saved, a.outbox)
	}
}

type worldMsg struct{ reply chan<- worldCopy }

// worldCopy is the actor's reply to a worldMsg. Unless err is set, one of two fields is set. The field world is a
// copy of the world. The field base is an older world: the receiver clones it and applies the later events up to
// head.
type worldCopy struct {
	world *world.World
	base  *world.World // must not be modified
	head  int64
	err   error
}

func (m worldMsg) fail(err error) { m.reply <- worldCopy{err: err} }

func (m worldMsg) copy(r *kind.Realm, saved *checkpoint.Checkpoints, out *commit.Outbox) {
	committed := func() { m.reply <- worldCopy{base: saved.Base().World(), head: out.Head()} }
	if out.IsFailing() && !out.Empty() {
		committed()
		return
	}
	w := r.World.Clone()
	out.Out(commit.Entry{Impatient: true, Effect: func(o commit.Outcome) {
		switch o {
		case commit.Durable:
			m.reply <- worldCopy{world: w}
		case commit.Unsaved:
			committed()
		case commit.Lost:
			m.fail(ErrBroken)
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

// vaultsMsg asks for copies of the members' vaults (what each has learned). reply has room for one value, so that the
// actor never waits.
type vaultsMsg struct{ reply chan<- vaultsCopy }

type vaultsCopy struct {
	vaults []world.Vault
	err    error
}

func (m vaultsMsg) fail(err error) { m.reply <- vaultsCopy{err: err} }

func (m vaultsMsg) copy(r *kind.Realm, saved *checkpoint.Checkpoints, out *commit.Outbox) {
	m.reply <- vaultsCopy{vaults: saved.Vaults.Committed(out.History().Epoch, out.Head(), r.At(), out.Unsaved)}
}

// foldFrom returns a copy of from.base to which it has applied the events up to from.head.
func (r *Realm) foldFrom(ctx context.Context, from worldCopy) (*world.World, error) {
	w := from.base.Clone()
	fold := world.NewFold(w)
	for after := w.Tick; after < from.head; {
		frames, err := r.journal.Read(ctx, after, 500)
		if err == nil && len(frames) == 0 {
			err = fmt.Errorf("the journal ends at event %d, before event %d", after, from.head)
		}
		if err != nil {
			return nil, fmt.Errorf("read the events that are newer than the copied world: %w", err)
		}
		for _, f := range frames[:min(int64(len(frames)), from.head-after)] {
			ev, err := world.DecodeEvent(f.Bytes)
			if err != nil {
				return nil, fmt.Errorf("decode event %d: %w", f.Seq, err)
			}
			fold.Apply(ev)
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
