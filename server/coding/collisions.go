package coding

import (
	"maps"
	"slices"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// collides is the maximum time between the tool calls of two agents that collide at a file. A collision ends when
// this time has passed after the last of these calls.
const collides = 30 * time.Minute

// collisions finds and clears collisions: files at which two agents on the map are in each other's way. Two agents
// collide at a file if both have edited it, also in different worktrees, or if one has edited it in a worktree in
// which the other had read it before and has not read it again. An agent and its sub-agents never collide, because
// the agent waits for them and gets their results.
type collisions struct {
	// fresh has the paths of files that agents have read or edited since the last call of next; nil means all
	// paths.
	fresh map[string]bool
	due   time.Time // when the next collision changes without a touch; zero for never
}

// saw adds to fresh the paths at which the event can create a collision. The method next checks the existing
// collisions in any case.
func (c *collisions) saw(ev world.Event) {
	switch b := ev.Body.(type) {
	case *world.FilesTouched:
		for i := range b.Touches {
			if c.fresh != nil {
				c.fresh[b.Touches[i].Path] = true
			}
		}
	case *world.AgentJoined:
		c.fresh = nil
	}
}

// steps yields the events about collisions. The engine applies each event before it takes the next one, and calls
// steps again after the last one.
func (c *collisions) steps(r *kind.Realm, yield func(kind.Step) bool) {
	for range world.MaxCollisions {
		body := c.next(r)
		if body == nil || !yield(kind.Step{Bodies: []world.Body{body}}) {
			return
		}
	}
}

// next returns the next event about a collision, nil for none.
func (c *collisions) next(r *kind.Realm) world.Body {
	if c.fresh == nil {
		c.fresh = map[string]bool{}
		for i := range r.World.Touches {
			c.fresh[r.World.Touches[i].Path] = true
		}
	}
	c.due = time.Time{}
	for i := range r.World.Collisions {
		was := &r.World.Collisions[i]
		now, until := judge(r, was.Path)
		if now == nil {
			return &world.CollisionCleared{Path: was.Path}
		}
		if now.Since = was.Since; now.Why != was.Why || !slices.Equal(now.AgentIDs, was.AgentIDs) {
			return &world.CollisionFound{Collision: *now}
		}
		if c.due.IsZero() || until.Before(c.due) {
			c.due = until
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.fresh)) {
		if r.World.Collision(path) == nil && len(r.World.Collisions) < world.MaxCollisions {
			if now, _ := judge(r, path); now != nil {
				return &world.CollisionFound{Collision: *now} // the path stays fresh until the event is folded
			}
		}
		delete(c.fresh, path)
	}
	return nil
}

// hand records when one agent has read and edited a file in one worktree.
type hand struct {
	agentID, worktree string
	edited, last      world.Time // times of the last edit, 0 for none, and of the last touch
}

// judge returns the collision at a path, nil for none. until is the time at which the collision changes or ends if
// no agent reads or edits the file before.
func judge(r *kind.Realm, path string) (found *world.Collision, until time.Time) {
	hands := handsOn(r, path)
	var editors, readers []string
	for _, a := range hands {
		left := collides - r.Clock.Wall.Sub(a.edited)
		for _, b := range hands {
			if left <= 0 || a.agentID == b.agentID || related(r.World, a.agentID, b.agentID) {
				continue
			}
			switch {
			case b.edited != 0 && b.edited <= a.edited && a.edited.Sub(b.edited) <= collides:
				editors = append(editors, a.agentID, b.agentID)
			case a.worktree == b.worktree && b.last < a.edited && a.edited.Sub(b.last) <= collides:
				editors, readers = append(editors, a.agentID), append(readers, b.agentID)
			default:
				continue
			}
			if at := r.Clock.Now.Add(left); until.IsZero() || at.Before(until) {
				until = at
			}
		}
	}
	if len(editors) == 0 {
		return nil, until
	}
	editors = sorted(editors)
	found = &world.Collision{Path: path, Why: world.CollisionReads, AgentIDs: editors, Since: r.At()}
	if len(editors) > 1 {
		found.Why = world.CollisionEdits
	}
	for _, id := range sorted(readers) {
		if !slices.Contains(editors, id) {
			found.AgentIDs = append(found.AgentIDs, id)
		}
	}
	return found, until
}

// handsOn returns for each agent and worktree the times of the last edit and of the last touch of a file. It leaves
// out agents that are lost or not on the map.
func handsOn(r *kind.Realm, path string) (out []hand) {
	for i := range r.World.Touches {
		t := &r.World.Touches[i]
		if t.Path != path {
			continue
		}
		a := r.World.Agent(t.AgentID)
		if a == nil || a.State == nil || a.State.State == world.StateLost {
			continue
		}
		at := slices.IndexFunc(out, func(h hand) bool { return h.agentID == t.AgentID && h.worktree == t.Worktree })
		if at < 0 {
			at, out = len(out), append(out, hand{agentID: t.AgentID, worktree: t.Worktree})
		}
		out[at].edited, out[at].last = max(out[at].edited, t.Edited), max(out[at].last, t.Last)
	}
	return out
}

// related reports whether one of two agents is a sub-agent of the other, at any depth.
func related(w *world.World, a, b string) bool { return descends(w, a, b) || descends(w, b, a) }

// descends reports whether agent is a sub-agent of parent, at any depth.
func descends(w *world.World, agent, parent string) bool {
	for range 16 { // no program nests this deep; the limit ends a loop of parents in a damaged file
		i := slices.IndexFunc(w.Sessions, func(s world.Session) bool { return s.AgentID == agent })
		if i < 0 || w.Sessions[i].Parent == "" {
			return false
		}
		if agent = w.Sessions[i].Parent; agent == parent {
			return true
		}
	}
	return false
}

// sorted sorts the values and removes repeated ones. It changes the slice.
func sorted(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}
