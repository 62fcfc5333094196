package checkpoint

import (
	"encoding/json"
	"fmt"
	"sync"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Content has the parts of a Picture. A caller must not modify them after NewPicture.
type Content struct {
	Epoch string
	At    world.Time
	World *world.World
	Land  *world.Land
	Views []world.View   // of world:state
	Info  wire.RealmInfo // the row of realm:list
	// State is the result of world.EncodeState for World and Land. It may be nil: then the Picture calls
	// world.EncodeState when it needs the result.
	State []byte
}

// Picture is the state of a realm after one event: its world, its land and the views of its conversations.
// Checkpoints and snapshots for clients are made from it. A Picture makes each encoding when the encoding is first
// needed. The methods are safe for concurrent use.
type Picture struct {
	content Content
	state   func() ([]byte, error)
	public  func() ([]byte, error)
	views   func() ([]byte, error)
}

// NewPicture returns the Picture that consists of m.
func NewPicture(m Content) *Picture {
	p := &Picture{content: m}
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

// Seq returns the seq of the last event that the Picture contains.
func (p *Picture) Seq() int64 { return p.content.World.Tick }

// World returns the Picture's world, which must not be modified.
func (p *Picture) World() *world.World { return p.content.World }

// On returns a Picture of the same world with another land.
func (p *Picture) On(land *world.Land) *Picture {
	if land == p.content.Land {
		return p
	}
	m := p.content
	m.Land, m.State = land, nil
	on := NewPicture(m)
	on.views = p.views
	return on
}

// State returns the world and its land as JSON.
func (p *Picture) State() ([]byte, error) { return p.state() }

// Public returns the same JSON as State without the path of the linked folder, for spectators (P2.4).
func (p *Picture) Public() ([]byte, error) { return p.public() }

// Views returns the field of world:state that has the views of conversations, as JSON.
func (p *Picture) Views() ([]byte, error) { return p.views() }

// Checkpoint returns the Picture in the form in which state.json and bases store it.
func (p *Picture) Checkpoint() (world.Checkpoint, error) {
	raw, err := p.state()
	if err != nil {
		return world.Checkpoint{}, err
	}
	return world.Checkpoint{Epoch: p.content.Epoch, Seq: p.Seq(), SavedAt: p.content.At, World: raw}, nil
}

// encode makes the encodings that checkpoints and hosts' snapshots need.
func (p *Picture) encode() error {
	if _, err := p.state(); err != nil {
		return err
	}
	_, err := p.views()
	return err
}
