package place

import (
	"agentdungeon/server/nav"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Visit is the room that a person has entered, and the event of entering, nil if the person was in the room
// already.
type Visit struct {
	Room *wire.MapChange
	Move *world.NavigationChanged
}

// Enter moves a person into a room. A bad path changes nothing (B29). The errors are those of Room, or
// conflict if the realm has no linked folder.
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

// Again returns the present state of the room that a person has entered by a command. The room is that of
// enter or, if enter is nil, the room where the person is now.
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

// walkable returns the reason why rooms of this realm cannot be entered, nil if they can.
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
