package world

import "slices"

// AgentGoes is a whole walk. Apply moves the agent to the end of the walk at once; the page shows it tile by tile
// (P10.9). Worn lists the tiles whose wear the walk changes; Wear has their new values.
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

// NavigationChanged sets a person's room (Path) and the rooms to which the person can go back (Stack), the previous
// room last. Forgets is another person whose rooms are removed so that there are at most MaxWalkers, "" for none.
type NavigationChanged struct {
	SpectatorID string   `json:"spectatorId"`
	Path        string   `json:"path"`
	Stack       []string `json:"stack"`
	Forgets     string   `json:"forgets,omitempty"`
}

// FileTouch is a run (an unbroken sequence) of tool calls by which one coding agent has read or edited a file. The
// run ends when another agent reads or edits the file.
type FileTouch struct {
	Path           string `json:"path"` // relative to the linked folder
	AgentID        string `json:"agentId"`
	ConversationID string `json:"conversationId"` // conversation of the agent's session
	Name           string `json:"name"`           // name of the agent, for the time after it has left the map
	// Worktree is the name of the other worktree in which the agent has read or edited the same file, "" for the
	// linked folder. Spectators do not get it.
	Worktree string `json:"worktree,omitempty"`
	Reads    int    `json:"reads,omitempty"` // number of tool calls that have read the file successfully
	Edits    int    `json:"edits,omitempty"` // number of tool calls that have edited the file
	Since    Time   `json:"since"`           // time of the first touch
	Last     Time   `json:"last"`            // time of the last touch
	Edited   Time   `json:"edited"`          // time of the last edit, null for none
}

// Limits of World.Touches. If there are more than MaxTouches, the oldest are dropped; of one file, at most
// MaxTouchesOfFile are kept.
const (
	MaxTouches       = 500
	MaxTouchesOfFile = 20
	MaxTouchedPath   = 1024 // maximum length of a path in bytes; touches of a file with a longer path are not recorded
)

// FilesTouched adds to the timelines of files what a coding agent has read and edited. It has at most one
// FileTouch for each file and worktree, in the order of Last.
type FilesTouched struct {
	Touches []FileTouch `json:"touches"`
}

// Collision is a file that two or more coding agents have edited, or that one has edited after others had read it.
type Collision struct {
	Path string `json:"path"` // relative to the linked folder
	// AgentIDs has first the agents that edited the file, then those that only read it; each part is sorted.
	AgentIDs []string `json:"agentIds"`
	Why      string   `json:"why"` // one of CollisionEdits, CollisionReads
	Since    Time     `json:"since"`
}

// Values of Collision.Why.
const (
	CollisionEdits = "edits" // two agents edited the file
	CollisionReads = "reads" // one agent edited the file after another had read it
)

// MaxCollisions is the maximum number of collisions of a world. If there are that many, further ones are not
// reported.
const MaxCollisions = 64

// CollisionFound adds a collision, or replaces the one at the same path.
type CollisionFound struct {
	Collision
}

// CollisionCleared removes the collision at a path.
type CollisionCleared struct {
	Path string `json:"path"`
}

func (*FilesTouched) EventType() string     { return "file:touched" }
func (*CollisionFound) EventType() string   { return "collision:found" }
func (*CollisionCleared) EventType() string { return "collision:cleared" }

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
	_ = register(facts[FilesTouched]{
		hush:     func(b *FilesTouched) { b.Touches = withoutWorktrees(b.Touches) },
		personal: none("names of files and agents"),
	})
	_ = register(facts[CollisionFound]{personal: none("a name of a file and ids of agents")})
	_ = register(facts[CollisionCleared]{personal: none("a name of a file")})
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

// Collision returns the collision at a path, or nil.
func (w *World) Collision(path string) *Collision {
	return find(w.Collisions, func(c *Collision) bool { return c.Path == path })
}

func (b *FilesTouched) apply(w *World, _ *Event) {
	for _, t := range b.Touches {
		w.touch(t)
	}
}

// touch adds t to the timeline of a file, and keeps Touches in the order of Last. If the newest entry of the file is by
// the same agent in the same worktree, touch extends that entry.
func (w *World) touch(t FileTouch) {
	last, runs, oldest := -1, 0, -1
	for i := range w.Touches {
		if w.Touches[i].Path != t.Path {
			continue
		}
		if last = i; oldest < 0 {
			oldest = i
		}
		runs++
	}
	drop := -1
	if last >= 0 {
		if was := &w.Touches[last]; was.AgentID == t.AgentID && was.Worktree == t.Worktree {
			t.Reads, t.Edits = t.Reads+was.Reads, t.Edits+was.Edits
			t.Since, t.Last, t.Edited = min(t.Since, was.Since), max(t.Last, was.Last), max(t.Edited, was.Edited)
			drop = last
		} else if runs >= MaxTouchesOfFile {
			drop = oldest
		}
	}
	if drop < 0 && len(w.Touches) >= MaxTouches {
		drop = 0
	}
	if drop >= 0 {
		w.Touches = slices.Delete(w.Touches, drop, drop+1)
	}
	at := len(w.Touches)
	for at > 0 && w.Touches[at-1].Last > t.Last {
		at--
	}
	w.Touches = slices.Insert(w.Touches, at, t)
}

// withoutWorktrees returns the touches without the names of worktrees, which spectators may not see.
func withoutWorktrees(all []FileTouch) []FileTouch {
	all = slices.Clone(all)
	for i := range all {
		all[i].Worktree = ""
	}
	return all
}

// eraseTouches removes the touches of sessions whose conversations were erased.
func (w *World) eraseTouches(conversations []string) {
	w.Touches = slices.DeleteFunc(w.Touches, func(t FileTouch) bool {
		return slices.Contains(conversations, t.ConversationID)
	})
}

func (b *CollisionFound) apply(w *World, _ *Event) {
	w.Collisions = upsert(w.Collisions, b.Collision, func(c *Collision) bool { return c.Path == b.Path })
}

func (b *CollisionCleared) apply(w *World, _ *Event) {
	w.Collisions = slices.DeleteFunc(w.Collisions, func(c Collision) bool { return c.Path == b.Path })
}
