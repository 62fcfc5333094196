package realm

import (
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/place"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// People who enter rooms and go back; their heroes, where they hold a role, go there too.

func (a *actor) decideEnter(in Input, path string, page int) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, kind.RegisterFirst
	}
	v, err := a.r.rooms.Enter(a.world, in.From.SpectatorID, path, page)
	return a.entered(in, v, err)
}

func (a *actor) decideBack(in Input) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, kind.RegisterFirst
	}
	v, err := a.r.rooms.Back(a.world, in.From.SpectatorID)
	return a.entered(in, v, err)
}

func (a *actor) entered(in Input, v place.Visit, err error) (decision, *wire.Error) {
	if err != nil {
		return decision{}, a.r.refusal(err)
	}
	v.Room.RequestID = in.RequestID
	d := decision{room: v.Room}
	if v.Move != nil {
		d.bodies = []world.Body{v.Move}
		d.then = func() { a.walks.Follow(a.world, in.From.SpectatorID, v.Move.Path) }
	}
	return d, nil
}

// seenAgain is the answer to a navigation that was taken before: the room as it is
// now. A room is too large to be remembered with each command.
func (a *actor) seenAgain(in Input) (*wire.MapChange, *wire.Error) {
	enter, _ := in.Command.(*wire.NavigateEnter)
	room, err := a.r.rooms.Again(a.world, in.From.SpectatorID, enter)
	if err != nil {
		return nil, a.r.refusal(err)
	}
	room.RequestID = in.RequestID
	return room, nil
}
