package world

import "slices"

// AgentGoes is a whole walk. Apply moves the agent to the end of the walk at once; the page draws the steps (P10.9).
// Worn lists the tiles whose wear the walk changes; Wear has their new values.
type AgentGoes struct {
	AgentID   string  `json:"agentId"`
	Path      []Point `json:"path"`
	StartsAt  Time    `json:"startsAt"`
	MsPerTile int     `json:"msPerTile"`
	Revealed  []Point `json:"revealed"`
	Worn      []Point `json:"worn"`
	Wear      []int   `json:"wear"`
	// Room lists the tiles of the walk that are in the room of Folder.
	Room []Point `json:"room"`
	// Folder, Inside, Page, X and Y are the position at the end; see Agent.
	Folder    string `json:"realm"`
	Inside    bool   `json:"inside,omitempty"`
	Page      int    `json:"page,omitempty"`
	X         int    `json:"x"`
	Y         int    `json:"y"`
	ArrivesAt Time   `json:"arrivesAt"`
	Target    string `json:"target,omitempty"`
	// First is set if no hero has entered the room of Folder before.
	First bool `json:"first,omitempty"`
	// Stack lists the rooms that the agent has passed since it left the overworld, the last one last: at most the
	// newest MaxHeroStack. It is empty if the walk ends on the overworld.
	Stack []string `json:"stack,omitempty"`
}

// FortUpdate adds or replaces a fort. Removes is the member whose fort makes room for the new fort, "" for none.
type FortUpdate struct {
	Fort    Fort   `json:"fort"`
	Removes string `json:"removes,omitempty"`
}

// NavigationChanged sets a person's room (Path) and the rooms to go back through (Stack), the previous room last.
// Forgets is a person whose rooms are removed to keep MaxWalkers, "" for none.
type NavigationChanged struct {
	SpectatorID string   `json:"spectatorId"`
	Path        string   `json:"path"`
	Stack       []string `json:"stack"`
	Forgets     string   `json:"forgets,omitempty"`
}

func (*AgentGoes) EventType() string         { return "agent:goes" }
func (*FortUpdate) EventType() string        { return "fort:update" }
func (*NavigationChanged) EventType() string { return "navigation:changed" }

var (
	_ = register(facts[AgentGoes]{
		personal: none("positions of a member on the map"),
	})
	_ = register(facts[FortUpdate]{
		personal: rule(nil, []string{"fort.name"}, func(r *Redactor, b *FortUpdate, _ *Event) {
			if slices.Contains(r.names, b.Fort.Name) {
				r.replace(&b.Fort.Name, ErasedName)
			}
		}),
	})
	_ = register(facts[NavigationChanged]{
		personal: rule(nil, []string{"path", "stack[]"}, func(r *Redactor, b *NavigationChanged, _ *Event) {
			if b.SpectatorID == r.person && r.person != "" {
				r.replace(&b.Path, "")
				r.changed = r.changed || len(b.Stack) > 0
				b.Stack = []string{}
			}
		}),
	})
)

func (b *AgentGoes) apply(w *World, _ *Event) {
	w.Fog = layer(w.Fog, LayerExplored, b.Revealed, func(int) int { return 1 })
	w.Paths = layer(w.Paths, LayerWorn, b.Worn, func(i int) int {
		if i < len(b.Wear) {
			return b.Wear[i]
		}
		return 1
	})
	if b.First {
		w.Explored = append(w.Explored, b.Folder)
	}
	if a := w.Agent(b.AgentID); a != nil {
		a.X, a.Y, a.Folder, a.Inside, a.Page = b.X, b.Y, b.Folder, b.Inside, b.Page
		a.Walk = &Walk{
			Path: NotNil(b.Path), Room: NotNil(b.Room), StartsAt: b.StartsAt,
			MsPerTile: b.MsPerTile, ArrivesAt: b.ArrivesAt, Target: b.Target,
		}
		if b.Inside {
			w.NavigationState.enter(b.AgentID, b.Folder, b.Stack)
		} else {
			w.NavigationState.leave(b.AgentID)
		}
	}
}

func (b *FortUpdate) apply(w *World, _ *Event) {
	if b.Removes != "" {
		w.Forts = slices.DeleteFunc(w.Forts, func(f Fort) bool { return f.AgentID == b.Removes })
	}
	w.Forts = upsert(w.Forts, b.Fort, func(f *Fort) bool { return f.AgentID == b.Fort.AgentID })
	w.updateObjects(authorKey(b.Fort.AgentID))
	if b.Removes != "" {
		w.updateObjects(authorKey(b.Removes))
	}
}

func (b *NavigationChanged) apply(w *World, _ *Event) {
	n := &w.NavigationState
	if b.Forgets != "" {
		n.leave(b.Forgets)
	}
	others := slices.DeleteFunc(n.Walkers, func(id string) bool { return id == b.SpectatorID || id == b.Forgets })
	n.Walkers = append(others, b.SpectatorID)
	n.enter(b.SpectatorID, b.Path, b.Stack)
}
