package place

import (
	"agentdungeon/server/nav"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Visit is a person in a room: what they are shown, and the event that brought them there,
// nil where they were there already.
type Visit struct {
	Room *wire.MapChange
	Move *world.NavigationChanged
}

// Enter takes a person into a room. A bad path changes nothing (B29). Errors are those of
// Room; conflict where the realm has no folder.
func (r *Rooms) Enter(w *world.World, spectatorID, path string, page int) (Visit, error) {
	room, err := r.open(w, path, page)
	if err != nil {
		return Visit{}, err
	}
	v := Visit{Room: room}
	if v.Move = nav.Enter(&w.NavigationState, spectatorID, path); v.Move != nil {
		room.Back = len(v.Move.Stack) > 0
	}
	return v, nil
}

// Back takes a person to the room before; conflict where there is none.
func (r *Rooms) Back(w *world.World, spectatorID string) (Visit, error) {
	if err := r.walkable(w); err != nil {
		return Visit{}, err
	}
	change := nav.Back(&w.NavigationState, spectatorID, func(path string) bool {
		entry, ok := r.lookup(path)
		return ok && entry.Folder
	})
	if change == nil {
		return Visit{}, wire.Errorf(wire.Conflict, "there is no room before this one")
	}
	room, err := r.open(w, change.Path, 0)
	if err != nil {
		return Visit{}, err
	}
	room.Back = len(change.Stack) > 0
	return Visit{room, change}, nil
}

// Again is the room, as it is now, of a person who has entered it already; with "" for a
// path where the person is.
func (r *Rooms) Again(w *world.World, spectatorID string, enter *wire.NavigateEnter) (*wire.MapChange, error) {
	path, page := w.NavigationState.AgentCurrentPath[spectatorID], 0
	if enter != nil {
		path, page = enter.Path, enter.Page
	}
	room, err := r.open(w, path, page)
	if err != nil {
		return nil, err
	}
	room.Back = len(w.NavigationState.AgentNavStacks[spectatorID]) > 0
	return room, nil
}

// walkable says why nobody can walk in the realm's folder, nil where that is possible.
func (r *Rooms) walkable(w *world.World) error {
	switch {
	case r.Survey() != nil:
		return nil
	case w.Realm.Path == "":
		return wire.Errorf(wire.Conflict, "this realm has no folder to walk in; link one first")
	}
	return errUnread
}

func (r *Rooms) open(w *world.World, path string, page int) (*wire.MapChange, error) {
	if err := r.walkable(w); err != nil {
		return nil, err
	}
	return r.Room(path, page)
}
