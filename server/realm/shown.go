package realm

import (
	"context"
	"encoding/json"
	"fmt"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
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

// shownWorld is a world, or the encoded one before the events up to head; neither of a realm
// that is broken.
type shownWorld struct {
	world *world.World
	base  []byte
	seq   int64
	head  int64
}

func (a *actor) tellWorld(m worldMsg) {
	shown := func() { m.reply <- shownWorld{base: a.base.world, seq: a.base.seq, head: a.head} }
	switch {
	case a.broken != nil:
		m.reply <- shownWorld{}
	case a.save.State == wire.SaveFailing && len(a.outbox.entries) > 0:
		shown()
	default:
		w := a.world.Clone()
		a.out(entry{effect: func() { m.reply <- shownWorld{world: w} }, lost: func() { m.reply <- shownWorld{} }, unsaved: shown})
	}
}

// foldFrom makes the world at head of an encoded one and the events after it.
func (r *Realm) foldFrom(ctx context.Context, from shownWorld) (*world.World, error) {
	w := new(world.World)
	if err := json.Unmarshal(from.base, w); err != nil {
		return nil, fmt.Errorf("decode the world: %w", err)
	}
	w.Fill()
	for after := from.seq; after < from.head; {
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
