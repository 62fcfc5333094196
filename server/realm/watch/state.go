package watch

import (
	"encoding/json"
	"slices"
	"sync"

	"agentdungeon/shared/wire"
)

// Picture is a realm at one event. Its methods are safe from any goroutine and encode once.
type Picture interface {
	Seq() int64
	State() ([]byte, error)  // the world with its land
	Public() ([]byte, error) // the same without the path of the linked folder
	Views() ([]byte, error)  // the conversations
}

// State is a world:state. It is encoded once, by the first viewer that takes it: that is no work
// of the actor's.
type State struct {
	picture       Picture
	beside        wire.WorldState // without what the picture has
	whole, public func() ([]byte, error)
}

// Seq of the world that it shows.
func (s *State) Seq() int64 { return s.picture.Seq() }

// Frame returns world:state, if public without the path of the linked folder.
func (s *State) Frame(public bool) ([]byte, error) {
	if public {
		return s.public()
	}
	return s.whole()
}

// State is a picture with the rooms in use and who is here now. All who come before any of it
// changes share it.
func (a *Audience) State(p Picture, epoch string, rooms []json.RawMessage) *State {
	beside := wire.WorldState{
		Seq: p.Seq(), Epoch: epoch, Recent: a.Recent(p.Seq()), Rooms: rooms, Spectators: a.Spectators(),
	}
	if was := a.state; was != nil && was.picture == p && was.sameBeside(&beside) {
		return was
	}
	s := &State{picture: p, beside: beside}
	s.whole = sync.OnceValues(func() ([]byte, error) { return s.encode(p.State) })
	s.public = sync.OnceValues(func() ([]byte, error) { return s.encode(p.Public) })
	a.state = s
	return s
}

// Based says that the newest picture stands at seq: a state of an older one is not needed.
func (a *Audience) Based(seq int64) {
	if a.state != nil && a.state.Seq() != seq {
		a.state = nil
	}
}

// sameBeside says that what stands beside the world is what it was: it is encoded once, so it
// is the same where it lies at the same place.
func (s *State) sameBeside(t *wire.WorldState) bool {
	sameFrame := func(x, y json.RawMessage) bool { return samePlace(x, y) }
	return samePlace(s.beside.Spectators, t.Spectators) &&
		slices.EqualFunc(s.beside.Recent, t.Recent, sameFrame) && slices.EqualFunc(s.beside.Rooms, t.Rooms, sameFrame)
}

func samePlace[E any](x, y []E) bool { return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0]) }

func (s *State) encode(state func() ([]byte, error)) (_ []byte, err error) {
	frame := s.beside
	if frame.World, err = state(); err != nil {
		return nil, err
	}
	if frame.Conversations, err = s.picture.Views(); err != nil {
		return nil, err
	}
	return wire.Encode(&frame)
}
