package place

import (
	"errors"
	"fmt"
	"sync/atomic"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Rooms are a realm's linked folder as it was last surveyed, and the land that was made of it.
// Any goroutine may ask; the realm's actor alone calls Begin, Set, Take and InUse.
type Rooms struct {
	latest     atomic.Pointer[dungeon.Survey] // never changed once it is here
	land       atomic.Pointer[world.Land]     // never nil once Begin has returned, and never changed
	generation atomic.Int64                   // counts surveys
	inUse      map[roomKey][]byte             // see InUse
}

// Begin with the land as it was last known.
func (r *Rooms) Begin(l *world.Land) { r.land.Store(l) }

// Set makes s, with the next generation in its head, the latest survey, and of l, which has all
// but that head, the latest land.
func (r *Rooms) Set(s *dungeon.Survey, l *world.Land) *world.Land {
	s.Head.Generation = r.generation.Add(1)
	l.Map = s.Head
	r.latest.Store(s)
	r.land.Store(l)
	return l
}

// Land is the latest one. It is not to be changed.
func (r *Rooms) Land() *world.Land { return r.land.Load() }

// Survey is the latest one, nil while the folder has not been read. It is not to be changed.
func (r *Rooms) Survey() *dungeon.Survey { return r.latest.Load() }

// Generation of the latest survey, 0 before the first.
func (r *Rooms) Generation() int64 { return r.generation.Load() }

func (r *Rooms) lookup(path string) (dungeon.Entry, bool) {
	s := r.latest.Load()
	if s == nil {
		return dungeon.Entry{}, false
	}
	return s.Tree.Lookup(path)
}

var errUnread = wire.Errorf(wire.NotReady, "the folder is still being read; try again in a moment")

// Room is a page of a folder's room, by path in wire form: a *wire.Error for a path or page
// that is not there, and not_ready while the folder has not been read.
func (r *Rooms) Room(path string, page int) (*wire.MapChange, error) {
	s := r.latest.Load()
	if s == nil {
		return nil, errUnread
	}
	change, err := dungeon.Room(s, path, page)
	if err != nil {
		if known := (*wire.Error)(nil); errors.As(err, &known) {
			return nil, known
		}
		return nil, fmt.Errorf("make the room of %s: %w", path, err)
	}
	change.Room.Generation = r.generation.Load()
	return &change, nil
}
