package realm

import (
	"context"
	"fmt"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/world"
)

// World gives a copy of the world once all of it is durable: what an export writes
// has been shown. While the disk takes nothing it is the world as it was last shown.
func (r *Realm) World(ctx context.Context) (*world.World, error) {
	reply := make(chan shownWorld, 1)
	if err := r.ask(ctx, worldMsg{reply}); err != nil {
		return nil, err
	}
	select {
	case w := <-reply:
		switch {
		case w.base != nil:
			return r.foldFrom(ctx, w)
		case w.world == nil:
			return nil, ErrBroken
		}
		return w.world, nil
	case <-r.done:
		return nil, watch.ErrStopped
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

type worldMsg struct{ reply chan shownWorld } // holds one

// shownWorld is a world, or the one before the events up to head; neither of a realm
// that is broken.
type shownWorld struct {
	world *world.World
	base  *world.World // not to be changed
	head  int64
}

func (a *actor) tellWorld(m worldMsg) {
	shown := func() { m.reply <- shownWorld{base: a.saved.Base().World(), head: a.outbox.Head()} }
	switch {
	case a.outbox.Broken() != nil:
		m.reply <- shownWorld{}
	case a.outbox.IsFailing() && !a.outbox.Empty():
		shown()
	default:
		w := a.world.Clone()
		a.then(act{
			effect: func() { m.reply <- shownWorld{world: w} }, lost: func() { m.reply <- shownWorld{} }, unsaved: shown,
		})
	}
}

// foldFrom makes the world at head of the one before it and the events after that.
func (r *Realm) foldFrom(ctx context.Context, from shownWorld) (*world.World, error) {
	w := from.base.Clone()
	for after := w.Tick; after < from.head; {
		frames, err := r.journal.Read(ctx, after, 500)
		if err == nil && len(frames) == 0 {
			err = fmt.Errorf("the journal ends at %d", after)
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

// Transcripts are the realm's conversations as they are committed; reading them needs
// the realm to be open.
func (r *Realm) Transcripts() Transcripts { return r.tables }

// Search finds rows of all conversations by their words, from any goroutine. What is
// found is committed.
func (r *Realm) Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	select {
	case <-r.done:
		return nil, watch.ErrStopped
	default:
	}
	return r.tables.Search(ctx, q)
}
