package place

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Rooms has the last survey (the result of a scan) of a realm's linked folder, and the land (the map, the rooms and
// the overworld) that was made from that survey. Only the realm's actor calls Begin, Set, Take and InUse; the other
// methods are safe for concurrent use.
type Rooms struct {
	latest atomic.Pointer[dungeon.Survey] // the survey is never modified
	land   atomic.Pointer[world.Land]     // not nil after Begin; the land is never modified
	inUse  map[roomKey][]byte             // the frames that InUse has returned last
	recent recentChanges                  // recent changes of the land; only Take and Whole use it
	whole  wholeMap                       // the frame that Whole has returned last
}

// Begin sets the land that the realm has until the first survey. The generation of that land is 0.
func (r *Rooms) Begin(l *world.Land) { r.land.Store(l) }

// Set sets the survey and the land. It gives the survey the next generation, and copies the survey's summary of the
// map (Head) into the land.
func (r *Rooms) Set(s *dungeon.Survey, l *world.Land) *world.Land {
	s.Head.Generation = r.Generation() + 1
	l.Map = s.Head
	r.latest.Store(s)
	r.land.Store(l)
	return l
}

// Land returns the land: the map of the linked folder, the rooms and the overworld. The caller must not modify it.
func (r *Rooms) Land() *world.Land { return r.land.Load() }

// Survey returns the last survey, or nil before the first one. The caller must not modify it.
func (r *Rooms) Survey() *dungeon.Survey { return r.latest.Load() }

// Generation returns the generation of the last survey, or 0 before the first one. The generations begin anew with
// each opening of the realm, that is, with each epoch.
func (r *Rooms) Generation() int64 { return r.Land().Map.Generation }

func (r *Rooms) lookup(path string) (dungeon.Entry, bool) {
	s := r.latest.Load()
	if s == nil || s.Tree == nil {
		return dungeon.Entry{}, false
	}
	return s.Tree.Lookup(path)
}

// File returns a file that the map shows, and where the map is from (world.Map.Source). It returns a *wire.Error if the
// map does not show the file, or not_ready before the first survey.
func (r *Rooms) File(path string) (e dungeon.Entry, source string, err error) {
	s := r.latest.Load()
	if s == nil || s.Tree == nil {
		return e, "", errUnread
	}
	if _, err := dungeon.DecodePath(path); err != nil {
		return e, "", err
	}
	if e, ok := s.Tree.Lookup(path); ok && !e.Folder {
		return e, s.Head.Source, nil
	}
	return e, "", wire.Errorf(wire.NotFound, "the map shows no such file")
}

// Find returns the files and folders on the map that match text; see dungeon.Tree.Find. It returns a *wire.Error
// not_ready before the first survey.
func (r *Rooms) Find(ctx context.Context, text string) (*wire.FilesFound, error) {
	s := r.latest.Load()
	if s == nil || s.Tree == nil {
		return nil, errUnread
	}
	found, more, err := s.Tree.Find(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("search the map: %w", err)
	}
	out := &wire.FilesFound{Files: []wire.FoundFile{}, More: more}
	for _, e := range found {
		out.Files = append(out.Files, wire.FoundFile{Path: e.Path, Folder: e.Folder})
	}
	return out, nil
}

var errUnread = wire.Errorf(wire.NotReady, "the folder is still being read; try again in a moment")

// Room returns a page of the room of a folder. It returns a *wire.Error if path or page does not exist, or
// not_ready before the first survey.
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
	change.Room.Generation = s.Head.Generation
	return &change, nil
}
