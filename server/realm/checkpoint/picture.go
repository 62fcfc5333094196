package checkpoint

import (
	"encoding/json"
	"fmt"
	"sync"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Moment is what a picture is made of. None of it is changed any more once a picture has it.
type Moment struct {
	Epoch string
	At    world.Time
	World *world.World
	Land  *world.Land
	Views []world.View   // of world:state
	Info  wire.RealmInfo // the row of realm:list
	// State is World and Land encoded by world.EncodeState; nil where nobody has done that.
	State []byte
}

// Picture is a realm at one event. It is encoded once, by whoever needs that first. Its
// methods are safe from any goroutine.
type Picture struct {
	moment Moment
	state  func() ([]byte, error)
	public func() ([]byte, error)
	views  func() ([]byte, error)
}

// NewPicture of a moment.
func NewPicture(m Moment) *Picture {
	p := &Picture{moment: m}
	p.state = sync.OnceValues(func() ([]byte, error) {
		if m.State != nil {
			return m.State, nil
		}
		return world.EncodeState(m.World, m.Land)
	})
	p.public = sync.OnceValues(func() ([]byte, error) {
		w := *m.World
		w.Realm.Path = ""
		return world.EncodeState(&w, m.Land)
	})
	p.views = sync.OnceValues(func() ([]byte, error) {
		raw, err := json.Marshal(m.Views)
		if err != nil {
			return nil, fmt.Errorf("encode the views: %w", err)
		}
		return raw, nil
	})
	return p
}

// Seq is the event that the picture stands at.
func (p *Picture) Seq() int64 { return p.moment.World.Tick }

// World is the picture's. It is not to be changed.
func (p *Picture) World() *world.World { return p.moment.World }

// On gives the same realm on another land: p itself where that is its own.
func (p *Picture) On(land *world.Land) *Picture {
	if land == p.moment.Land {
		return p
	}
	m := p.moment
	m.Land, m.State = land, nil
	on := NewPicture(m)
	on.views = p.views
	return on
}

// State is the world with its land as JSON.
func (p *Picture) State() ([]byte, error) { return p.state() }

// Public is State without the path of the linked folder, for spectators (P2.4).
func (p *Picture) Public() ([]byte, error) { return p.public() }

// Views are the conversations of world:state as JSON.
func (p *Picture) Views() ([]byte, error) { return p.views() }

// Checkpoint is the picture as state.json and the journal keep it.
func (p *Picture) Checkpoint() (world.Checkpoint, error) {
	raw, err := p.state()
	if err != nil {
		return world.Checkpoint{}, err
	}
	return world.Checkpoint{Epoch: p.moment.Epoch, Seq: p.Seq(), SavedAt: p.moment.At, World: raw}, nil
}

// encode has all of it encoded.
func (p *Picture) encode() error {
	if _, err := p.state(); err != nil {
		return err
	}
	_, err := p.views()
	return err
}
