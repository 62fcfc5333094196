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

// Journal reads the events that a realm has committed. Any goroutine may call it.
type Journal interface {
	// Read returns the frames of the events after seq, oldest first, at most limit frames.
	Read(ctx context.Context, after int64, limit int) ([]world.Frame, error)
	// Floor returns the lowest seq that Read can return. If the journal has no events, Floor returns the
	// head's successor.
	Floor() int64
}

// Desk has the requests of viewers to their realm. Viewers call it from their own goroutines. Each call waits
// for the realm's actor, at most until ctx ends.
type Desk interface {
	// Reposition gives a newer end of catching up to a viewer that has not caught up yet.
	Reposition(ctx context.Context, v *Viewer) error
	// Instead gives a viewer a snapshot in place of the replay that err ended: the next frames of the viewer
	// are another welcome and the world (P5.4). Instead returns an error that wraps ErrLapped if no snapshot
	// is newer than the events that cannot be read.
	Instead(ctx context.Context, v *Viewer, err error) error
	// Identify sets the person at a viewer. Leave removes a viewer. Both wait until the realm's inbox has
	// room.
	Identify(viewer uint64, who wire.Spectator)
	Leave(viewer uint64)
}

// Feed is the source of frames for the viewers of one realm. The methods are safe for concurrent use.
type Feed struct {
	ring    *ring.Ring
	journal Journal
	desk    Desk
	done    <-chan struct{}
	erased  atomic.Int64 // seq of the last history:erased that was shown
}

// NewFeed returns the feed of a realm that ends when done is closed. erasedAt is the seq of the realm's last
// history:erased, 0 for none.
func NewFeed(frames *ring.Ring, journal Journal, desk Desk, done <-chan struct{}, erasedAt int64) *Feed {
	f := &Feed{ring: frames, journal: journal, desk: desk, done: done}
	f.erased.Store(erasedAt)
	return f
}

// ErasedAt returns the seq of the last history:erased that was shown, 0 for none. Frames that were shown
// before that event may contain what was erased.
func (f *Feed) ErasedAt() int64 { return f.erased.Load() }
