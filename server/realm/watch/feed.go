package watch

import (
	"context"
	"errors"
	"sync/atomic"

	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// ErrLapped ends a viewer or a tail that was too slow: live traffic has passed its cursor.
var ErrLapped = errors.New("the viewer was too slow")

// ErrStopped ends a viewer or a tail of a realm that has closed.
var ErrStopped = errors.New("the realm has closed")

// Journal reads what a realm has committed, from any goroutine.
type Journal interface {
	// Read gives the frames of the events after seq, oldest first: at most limit.
	Read(ctx context.Context, after int64, limit int) ([]world.Frame, error)
	// Floor is the lowest seq that Read still has, the head's successor when it has none.
	Floor() int64
}

// Desk is what viewers ask of their realm, from their own goroutines. Each waits for the
// realm's actor, at most as long as ctx.
type Desk interface {
	// Reposition gives a viewer that has not caught up a newer moment to catch up to.
	Reposition(ctx context.Context, v *Viewer) error
	// Instead gives a viewer a snapshot in place of the replay that err ended: its next
	// frames are another welcome and the world (P5.4). ErrLapped (wrapped) where no snapshot
	// is newer than what cannot be read.
	Instead(ctx context.Context, v *Viewer, err error) error
	// Identify says who sits at a viewer, Leave that it has gone. They wait for a place in
	// the realm's inbox.
	Identify(viewer uint64, who wire.Spectator)
	Leave(viewer uint64)
}

// Feed is what the viewers of one realm read. Any goroutine may use it.
type Feed struct {
	ring    *ring.Ring
	journal Journal
	desk    Desk
	done    <-chan struct{}
	erased  atomic.Int64 // seq of the last history:erased that was shown
}

// NewFeed of a realm that ends when done is closed. erasedAt is the seq of its last
// history:erased, 0 for none.
func NewFeed(frames *ring.Ring, journal Journal, desk Desk, done <-chan struct{}, erasedAt int64) *Feed {
	f := &Feed{ring: frames, journal: journal, desk: desk, done: done}
	f.erased.Store(erasedAt)
	return f
}

// ErasedAt is the seq of the last history:erased that was shown, 0 for none: what was shown
// before it may hold what was erased.
func (f *Feed) ErasedAt() int64 { return f.erased.Load() }
