package watch

import (
	"encoding/json"
	"slices"
	"sync"

	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// State is a world:state frame. The goroutine of the first viewer that takes the frame encodes it, so that the actor
// does not have to.
type State struct {
	picture *checkpoint.Picture
	beside  wire.WorldState // the fields of world:state that do not come from picture
	frames  map[world.Sight]func() ([]byte, error)
}

// Seq returns the seq of the last event in the state.
func (s *State) Seq() int64 { return s.picture.Seq() }

// Frame returns the world:state frame for a client with the access sight.
func (s *State) Frame(sight world.Sight) ([]byte, error) { return s.frames[sight]() }

// State returns the world:state frame with the world, the land and the conversations of p, the rooms in use and the
// spectators that are present. If nothing has changed since the last call, it returns the same State.
func (a *Audience) State(p *checkpoint.Picture, epoch string, rooms []json.RawMessage) *State {
	beside := wire.WorldState{
		Seq: p.Seq(), Epoch: epoch, Recent: a.Recent(p.Seq()), Rooms: rooms, Spectators: a.Spectators(),
	}
	if was := a.state; was != nil && was.picture == p && was.sameBeside(&beside) {
		return was
	}
	s := &State{picture: p, beside: beside, frames: map[world.Sight]func() ([]byte, error){}}
	for _, sight := range []world.Sight{world.SightWhole, world.SightShared, world.SightPublic} {
		s.frames[sight] = sync.OnceValues(func() ([]byte, error) { return s.encode(sight) })
	}
	a.state = s
	return s
}

// Based drops the stored State if its world is older than the newest Picture, so that the State does not keep an old
// Picture in memory. seq is the last event of the newest Picture.
func (a *Audience) Based(seq int64) {
	if a.state != nil && a.state.Seq() != seq {
		a.state = nil
	}
}

// sameBeside reports whether s and t have the same spectators, recent events and rooms. These are the fields that do
// not come from a Picture. It compares addresses and not contents, because frames share the fields that did not
// change.
func (s *State) sameBeside(t *wire.WorldState) bool {
	sameFrame := func(x, y json.RawMessage) bool { return samePlace(x, y) }
	return samePlace(s.beside.Spectators, t.Spectators) &&
		slices.EqualFunc(s.beside.Recent, t.Recent, sameFrame) && slices.EqualFunc(s.beside.Rooms, t.Rooms, sameFrame)
}

func samePlace[E any](x, y []E) bool { return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0]) }

func (s *State) encode(sight world.Sight) ([]byte, error) {
	frame := s.beside
	state, views, err := s.picture.Shown(sight)
	if err != nil {
		return nil, err
	}
	frame.World, frame.Conversations = state, views
	return wire.Encode(&frame)
}
