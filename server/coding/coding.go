// Package coding is the kind of conversation that shows a session of a coding agent that a person runs, such as Claude
// Code in a terminal. The session's entries become rows, its agent becomes a hero, and its sub-agents heroes and
// conversations of their own.
//
// It decides from its arguments and keeps nothing between calls. It begins no conversation on a command and plays no
// turns: a session goes on in its own program. server/kinds registers it; server/realm drives it.
//
// # Where to look
//
//   - what was seen becomes events: observed.go; the rows: rows.go
//   - heroes on the map: hero.go; their doors: doors.go; words to them: words.go; the ledger: usage.go
//   - what they read and edit: touches.go; who is in whose way: collisions.go
package coding

import (
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Coding implements kind.Kind for the sessions that a realm shows.
type Coding struct {
	name string
	due  time.Time // when the next lost hero leaves the map; zero for never
	// collisions are those of the realm's world, and what was not judged yet.
	collisions collisions
	// terminals has the commands that show the terminals of sessions, by AgentID, at most world.MaxSessions.
	terminals map[string]string
}

// New returns the kind of coding sessions; name is the kind's name on the wire.
func New(name string) kind.Kind { return &Coding{name: name, terminals: map[string]string{}} }

// Traits implements kind.Kind.
func (*Coding) Traits() kind.Traits {
	return kind.Traits{Rules: conversation.Rules{Recent: true, Uncounted: true}, Private: true}
}

// elsewhere is the error for what only the session's own program can do.
var elsewhere = wire.Errorf(wire.Conflict, "this session runs in its own program; go on there")

// Begin returns an error: a session begins in its own program.
func (*Coding) Begin(*kind.Realm, kind.Start) (kind.Decision, *wire.Error) {
	return kind.Decision{}, wire.Errorf(wire.Conflict,
		"a coding session begins in its own program, in the linked folder; it appears here by itself")
}

// Said returns an error.
func (*Coding) Said(*kind.Realm, *kind.Talk, kind.Words) (kind.Decision, *wire.Error) {
	return kind.Decision{}, elsewhere
}

// Control returns an error.
func (*Coding) Control(*kind.Realm, *kind.Talk, kind.Control) (kind.Decision, *wire.Error) {
	return kind.Decision{}, elsewhere
}

// Turn returns no driver.
func (*Coding) Turn(*kind.Realm, *kind.Talk, *world.ChatStarted) (driver.Driver, driver.Turn) {
	return nil, driver.Turn{}
}

// Done returns chat.done. A session has no runs.
func (*Coding) Done(_ *kind.Realm, _ *kind.Talk, e kind.Ended) []world.Body {
	return []world.Body{kind.Done(e.Run, nil)}
}

// Cut returns no events.
func (*Coding) Cut(*kind.Realm, *kind.Talk, kind.Cut) []world.Body { return nil }

// View shows a session that has not ended, and the newest of those that have.
func (*Coding) View(_ *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Team: t.Head.Team, Standing: kind.Recent}
	if !t.Head.Ended() {
		v.Standing = kind.Open
	}
	return v
}

// stays is how long the hero of a lost session stays on the map, so that a person sees it.
const stays = 10 * time.Minute

// Next takes the heroes off the map whose sessions were lost some time ago, and all heroes of sessions if the realm
// shows none (setting shadows). Then it finds and clears collisions.
func (k *Coding) Next(r *kind.Realm) kind.Steps {
	return func(yield func(kind.Step) bool) {
		if k.heroes(r, yield) {
			k.collisions.steps(r, yield)
		}
	}
}

// heroes yields the events by which heroes leave the map. It returns false if yield did.
func (k *Coding) heroes(r *kind.Realm, yield func(kind.Step) bool) bool {
	k.due = time.Time{}
	for _, s := range r.World.Sessions {
		a := r.World.Agent(s.AgentID)
		if a == nil || a.State == nil {
			continue
		}
		if r.World.Settings.Shadows == world.Off {
			if !yield(kind.Step{Bodies: leaves(r, a.ID, unwatched)}) {
				return false
			}
			continue
		}
		if a.State.State != world.StateLost {
			continue
		}
		wait := stays - r.Clock.Wall.Sub(a.State.Since)
		if wait <= 0 || wait > 2*stays { // the clock was set back: nobody knows for how long it has been lost
			if !yield(kind.Step{Bodies: []world.Body{&world.AgentLeft{AgentID: a.ID, Reason: gone}}}) {
				return false
			}
			continue
		}
		if at := r.Clock.Now.Add(wait); k.due.IsZero() || at.Before(k.due) {
			k.due = at
		}
	}
	return true
}

// Due implements kind.Waker.
func (k *Coding) Due() time.Time {
	if k.due.IsZero() || !k.collisions.due.IsZero() && k.collisions.due.Before(k.due) {
		return k.collisions.due
	}
	return k.due
}

// Saw implements kind.Watcher.
func (k *Coding) Saw(_ *kind.Realm, ev world.Event) kind.Effects {
	k.collisions.saw(ev)
	return kind.Effects{}
}

// Running reports whether a session is at work, so that its realm stays open.
func (*Coding) Running(r *kind.Realm) bool {
	for _, s := range r.World.Sessions {
		if a := r.World.Agent(s.AgentID); a != nil && a.State != nil && a.State.State != world.StateLost {
			return true
		}
	}
	return false
}

// Holds returns the heroes of sessions that have not ended: only their own program ends them.
func (*Coding) Holds(r *kind.Realm) map[string]bool {
	out := map[string]bool{}
	for _, s := range r.World.Sessions {
		out[s.AgentID] = true
	}
	return out
}
