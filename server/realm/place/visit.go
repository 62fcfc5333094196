package place

import (
	"agentdungeon/server/nav"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Visit has the room that a person has entered. Move is the event of entering, or nil if the person was in the
// room already.
type Visit struct {
	Room *wire.MapChange
	Move *world.NavigationChanged
}

// Enter moves a person into a room. If the path is invalid, nothing changes (B29). Enter returns the errors of
// Room, or conflict if the realm has no linked folder.
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

// Back moves a person to the previous room. It returns conflict if there is no previous room.
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

// Again returns the present state of a room that a person has already entered by a command: the room that the command
// enter names or, if enter is nil, the room in which the person is now.
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

// walkable returns an error if nobody can enter rooms of this realm now.
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
