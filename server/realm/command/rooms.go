package command

import (
	"errors"
	"fmt"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/place"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func enter(s State, in kind.Command, c *wire.NavigateEnter) (Decision, *wire.Error) {
	return visit(in, func() (place.Visit, error) {
		return s.Rooms.Enter(s.World, in.From.SpectatorID, c.Path, c.Page)
	})
}

func back(s State, in kind.Command, _ *wire.NavigateBack) (Decision, *wire.Error) {
	return visit(in, func() (place.Visit, error) { return s.Rooms.Back(s.World, in.From.SpectatorID) })
}

// visit decides a command by which a person enters a room. The members that the person plays walk to the room too.
func visit(in kind.Command, enter func() (place.Visit, error)) (Decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return Decision{}, kind.RegisterFirst
	}
	v, err := enter()
	if err != nil {
		return noRoom(err)
	}
	v.Room.RequestID = in.RequestID
	d := Decision{Reply: v.Room, Fresh: true, Follow: v.Move}
	if v.Move != nil {
		d.Bodies = []world.Body{v.Move}
	}
	return d, nil
}

// openFile decides the command file:open, by which a person reports which file they look at (P19.5). It refuses a
// file that the person may not open or that the map does not have.
func openFile(s State, in kind.Command, c *wire.FileOpen) (Decision, *wire.Error) {
	switch {
	case in.From.SpectatorID == "":
		return Decision{}, kind.RegisterFirst
	case c.Path == "":
	case in.From.Role != wire.RoleHost && !s.World.Settings.FilesShared():
		return Decision{}, wire.FilesForHosts
	default:
		if _, _, err := s.Rooms.File(c.Path); err != nil {
			return noRoom(err)
		}
	}
	return Decision{Looks: c}, nil
}

// noRoom returns the error for a room that cannot be shown.
func noRoom(err error) (Decision, *wire.Error) {
	if known := (*wire.Error)(nil); errors.As(err, &known) {
		return Decision{}, known
	}
	return Decision{Decision: kind.Decision{Warn: fmt.Sprintf("make a room: %v", err)}},
		wire.Errorf(wire.Internal, "the room could not be made")
}
