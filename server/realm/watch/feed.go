package watch

import (
	"context"
	"errors"
	"sync/atomic"

	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// ErrLapped is the error that Viewers and Tails return if they were too slow: the ring has dropped frames that they
// had not returned yet.
var ErrLapped = errors.New("the viewer or tail was too slow")

// ErrStopped is the error that a Viewer or a Tail returns after its realm has closed.
var ErrStopped = errors.New("the realm has closed")

// Journal reads the events that a realm has committed. Any goroutine may call it.
type Journal interface {
	// Read returns the frames of the events after seq, oldest first, at most limit frames.
	Read(ctx context.Context, after int64, limit int) ([]world.Frame, error)
	// Floor returns the lowest seq that Read can return. If the journal has no events, Floor returns the seq of the
	// next event.
	Floor() int64
}

// Desk passes requests of viewers to their realm. Viewers call it from their own goroutines. Reposition and Instead
// wait for the realm's actor, at most until ctx ends.
type Desk interface {
	// Reposition moves a viewer to the present end of the ring, from where it then gets live frames. It is called if
	// the ring has dropped the viewer's old place before the viewer has reached it.
	Reposition(ctx context.Context, v *Viewer) error
	// Instead gives a viewer a snapshot in place of the rest of its replay, which err has ended. The next
	// frames of the viewer are then another welcome and the world (P5.4). Instead returns an error that wraps
	// ErrLapped if no snapshot is newer than the events that cannot be read.
	Instead(ctx context.Context, v *Viewer, err error) error
	// Identify sets the person who uses a viewer. Leave removes a viewer. Both wait while the realm's inbox is
	// full.
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
	shared  atomic.Bool  // whether spectators see what is private; see Share
}

// NewFeed returns the feed of a realm. The realm closes done when it ends. erasedAt is the seq of the realm's
// last history:erased, 0 for none.
func NewFeed(frames *ring.Ring, journal Journal, desk Desk, done <-chan struct{}, erasedAt int64) *Feed {
	f := &Feed{ring: frames, journal: journal, desk: desk, done: done}
	f.erased.Store(erasedAt)
	return f
}

// Share sets whether spectators see what is private (P17.16). A spectator's viewer that was attached before the change
// is cut; its client reconnects and gets a snapshot.
func (f *Feed) Share(on bool) { f.shared.Store(on) }

// Shared reports whether spectators see what is private.
func (f *Feed) Shared() bool { return f.shared.Load() }

// sight returns the part of the realm that a client may see; spectator is false for a host.
func (f *Feed) sight(spectator bool) world.Sight {
	switch {
	case !spectator:
		return world.SightWhole
	case f.Shared():
		return world.SightShared
	}
	return world.SightPublic
}

// ErasedAt returns the seq of the last history:erased that clients were shown, 0 for none. Older frames may
// contain erased words.
func (f *Feed) ErasedAt() int64 { return f.erased.Load() }
