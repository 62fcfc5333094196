package realm

import (
	"errors"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/nav"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// decideEnter takes a person into a room; their hero, where they hold a role, goes
// there too. A bad path changes nothing (B29).
func (a *actor) decideEnter(in Input, path string, page int) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, registerFirst
	}
	room, e := a.room(in, path, page)
	if e != nil {
		return decision{}, e
	}
	d := decision{room: room}
	if change := nav.Enter(&a.world.NavigationState, in.From.SpectatorID, path); change != nil {
		d.bodies = []world.Body{change}
		d.then = func() { a.follow(in.From.SpectatorID, path) }
		room.Back = len(change.Stack) > 0
	}
	return d, nil
}

// decideBack takes a person to the room before.
func (a *actor) decideBack(in Input) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, registerFirst
	}
	if _, e := a.folder(); e != nil {
		return decision{}, e
	}
	change := nav.Back(&a.world.NavigationState, in.From.SpectatorID, func(path string) bool {
		entry, ok := a.r.survey.Load().Tree.Lookup(path)
		return ok && entry.Folder
	})
	if change == nil {
		return decision{}, wire.Errorf(wire.Conflict, "there is no room before this one")
	}
	room, e := a.room(in, change.Path, 0)
	if e != nil {
		return decision{}, e
	}
	room.Back = len(change.Stack) > 0
	return decision{
		bodies: []world.Body{change}, room: room, then: func() { a.follow(in.From.SpectatorID, change.Path) },
	}, nil
}

// follow lets the heroes of a person go where the person is.
func (a *actor) follow(spectatorID, path string) {
	for i := range a.world.Agents {
		if m := &a.world.Agents[i]; m.Kind == world.KindHuman && m.SpectatorID == spectatorID {
			a.move.aims[m.ID] = aim{kind: aimPath, path: path}
		}
	}
}

// seenAgain is the answer to a navigation that was taken before: the room as it is
// now. A room is too large to be remembered with each command.
func (a *actor) seenAgain(in Input) (*wire.MapChange, *wire.Error) {
	id := in.From.SpectatorID
	path, page := a.world.NavigationState.AgentCurrentPath[id], 0
	if enter, ok := in.Command.(*wire.NavigateEnter); ok {
		path, page = enter.Path, enter.Page
	}
	room, e := a.room(in, path, page)
	if e != nil {
		return nil, e
	}
	room.Back = len(a.world.NavigationState.AgentNavStacks[id]) > 0
	return room, nil
}

func (a *actor) folder() (*dungeon.Survey, *wire.Error) {
	s := a.r.survey.Load()
	switch {
	case s != nil:
		return s, nil
	case a.world.Realm.Path == "":
		return nil, wire.Errorf(wire.Conflict, "this realm has no folder to walk in; link one first")
	}
	return nil, wire.Errorf(wire.NotReady, "the folder is still being read; try again in a moment")
}

func (a *actor) room(in Input, path string, page int) (*wire.MapChange, *wire.Error) {
	s, e := a.folder()
	if e != nil {
		return nil, e
	}
	room, err := dungeon.Room(s, path, page)
	if err != nil {
		if errors.As(err, &e) {
			return nil, e
		}
		a.log.Error().Err(err).Msg("make a room")
		return nil, wire.Errorf(wire.Internal, "the room could not be made")
	}
	room.RequestID, room.Room.Generation = in.RequestID, a.r.generation.Load()
	return &room, nil
}
