package checkpoint

import (
	"encoding/json"
	"fmt"
	"slices"
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
	Views []world.View   // the views of the conversations in world:state
	Info  wire.RealmInfo // the realm's row of realm:list
	State []byte         // the encoding of World and Land by world.EncodeState; nil to make it when it is needed
}

// Picture is the state of a realm after one event: its world, its land (the map, the rooms and the overworld) and the
// views of its conversations. Checkpoints and snapshots for clients are made from it. A Picture makes each encoding
// when the encoding is first needed. The methods are safe for concurrent use.
type Picture struct {
	content Content
	state   map[world.Sight]func() ([]byte, error)
	views   map[world.Sight]func() ([]byte, error)
}

// sights has the three degrees of access: of hosts, of spectators to whom a host shows private parts, and of other
// spectators. A Picture has one encoding for each.
var sights = []world.Sight{world.SightWhole, world.SightShared, world.SightPublic}

// NewPicture returns a Picture with the content m.
func NewPicture(m Content) *Picture {
	p := &Picture{content: m, state: map[world.Sight]func() ([]byte, error){}}
	for _, sight := range sights {
		p.state[sight] = sync.OnceValues(func() ([]byte, error) {
			if sight == world.SightWhole && m.State != nil {
				return m.State, nil
			}
			return world.EncodeState(m.World.InSight(sight), m.Land)
		})
	}
	whole := sync.OnceValues(func() ([]byte, error) { return encodeViews(m.Views) })
	public := sync.OnceValues(func() ([]byte, error) {
		private := func(v world.View) bool { return world.IsPrivate(v.ConversationID) }
		if !slices.ContainsFunc(m.Views, private) {
			return whole()
		}
		return encodeViews(slices.DeleteFunc(slices.Clone(m.Views), private))
	})
	p.views = map[world.Sight]func() ([]byte, error){
		world.SightWhole: whole, world.SightShared: whole, world.SightPublic: public,
	}
	return p
}

func encodeViews(views []world.View) ([]byte, error) {
	raw, err := json.Marshal(views)
	if err != nil {
		return nil, fmt.Errorf("encode the views: %w", err)
	}
	return raw, nil
}

// Seq returns the seq of the last event that the Picture contains.
func (p *Picture) Seq() int64 { return p.content.World.Tick }

// World returns the Picture's world, which must not be modified.
func (p *Picture) World() *world.World { return p.content.World }

// On returns a Picture with the same world and the given land.
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

// Shown returns two parts of world:state as JSON: the world with its land, and the views of the conversations. They
// have what a client with the access sight may see (P2.4, P17.5).
func (p *Picture) Shown(sight world.Sight) (state, views []byte, err error) {
	if state, err = p.state[sight](); err != nil {
		return nil, nil, err
	}
	views, err = p.views[sight]()
	return state, views, err
}

// Checkpoint returns the Picture in the form in which state.json and bases store it.
func (p *Picture) Checkpoint() (world.Checkpoint, error) {
	raw, err := p.state[world.SightWhole]()
	if err != nil {
		return world.Checkpoint{}, err
	}
	return world.Checkpoint{Epoch: p.content.Epoch, Seq: p.Seq(), SavedAt: p.content.At, World: raw}, nil
}

// encode makes the encodings that checkpoints and hosts' snapshots need.
func (p *Picture) encode() error {
	_, _, err := p.Shown(world.SightWhole)
	return err
}
