package realm

import (
	"context"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/world"
)

// Tail gives the world as it is committed and a cursor that begins right after it. It
// waits until all that is decided is durable: ErrBroken and watch.ErrStopped say that this
// will not be.
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

type boardMsg struct{ note string }

// SetBoard tells everybody who watches what is wrong with the board of findings outside
// this server, in one sentence for people; "" says that all is well. It may wait while
// the inbox is full.
func (r *Realm) SetBoard(note string) { r.tell(boardMsg{note}) }
