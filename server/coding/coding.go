// Package coding is the kind of conversation that shows a session of a coding agent that a person runs, such as
// Claude Code in a terminal. The session's entries become rows, its agent becomes a hero, and each sub-agent
// becomes a hero with a conversation of its own.
//
// It decides from its arguments. Its few fields are caches that a restart may lose. No command begins such a
// conversation, and it plays no turns: the session runs in its own program. server/kinds registers the kind;
// server/realm drives it.
//
// # Where to look
//
//   - how what a reader has read becomes events: observed.go; the rows: rows.go; the title: title.go
//   - heroes on the map: hero.go; their doors, which are questions that people answer: doors.go; words, which are
//     messages of people to them: words.go; how a person stops one: stop.go; the ledger of tokens and costs: usage.go
//   - which files they read and edit: touches.go; which agents are in each other's way: collisions.go
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
	// collisions finds files at which two agents are in each other's way, and remembers which paths it still has to
	// check.
	collisions collisions
	// terminals has, by AgentID, the command that attaches to the session's terminal; at most world.MaxSessions.
	terminals map[string]string
}

// New returns the kind of coding sessions; name is the kind's name on the wire.
func New(name string) kind.Kind { return &Coding{name: name, terminals: map[string]string{}} }

// Traits returns the fixed properties of coding sessions; among them, only hosts see the sessions (P17.5).
func (*Coding) Traits() kind.Traits {
	return kind.Traits{Rules: conversation.Rules{Recent: true, Uncounted: true}, Private: true}
}

// elsewhere is the error for commands that only the agent's own program can carry out.
var elsewhere = wire.Errorf(wire.Conflict, "this session runs in its own program; go on there")

// Begin returns an error, because a session begins only in the agent's own program.
func (*Coding) Begin(*kind.Realm, kind.Start) (kind.Decision, *wire.Error) {
	return kind.Decision{}, wire.Errorf(wire.Conflict,
		"a coding session begins in its own program, in the linked folder; it appears here by itself")
}

// Said returns an error, because a person can write to the session only in the agent's own program.
func (*Coding) Said(*kind.Realm, *kind.Talk, kind.Words) (kind.Decision, *wire.Error) {
	return kind.Decision{}, elsewhere
}

// Control returns an error, because only the agent's own program can control the session.
func (*Coding) Control(*kind.Realm, *kind.Talk, kind.Control) (kind.Decision, *wire.Error) {
	return kind.Decision{}, elsewhere
}

// Turn returns no driver, because the agent's own program plays the turns.
func (*Coding) Turn(*kind.Realm, *kind.Talk, *world.ChatStarted) (driver.Driver, driver.Turn) {
	return nil, driver.Turn{}
}

// Done returns the event chat.done. The engine never has to call it, because a session has no runs.
func (*Coding) Done(_ *kind.Realm, _ *kind.Talk, e kind.Ended) []world.Body {
	return []world.Body{kind.Done(e.Run, nil)}
}

// Cut returns no events, because a session has no runs that a restart could cut off.
func (*Coding) Cut(*kind.Realm, *kind.Talk, kind.Cut) []world.Body { return nil }

// View shows a session that has not ended, and the newest of the ended ones.
func (*Coding) View(_ *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Team: t.Head.Team, Standing: kind.Recent}
	if !t.Head.Ended() {
		v.Standing = kind.Open
	}
	return v
}

// stays is how long the hero of a lost session stays on the map, so that people notice it. A session is lost if its
// process has died or cannot be seen any more.
const stays = 10 * time.Minute

// Next takes heroes off the map whose sessions were lost long enough ago. If the setting shadows is off, it takes
// the heroes of all sessions off the map. Then it finds new collisions and ends old ones.
func (k *Coding) Next(r *kind.Realm) kind.Steps {
	return func(yield func(kind.Step) bool) {
		if k.heroes(r, yield) {
			k.collisions.steps(r, yield)
		}
	}
}

// heroes yields the events by which heroes leave the map. It returns false if yield returned false.
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
		if wait <= 0 || wait > 2*stays { // the clock was set back, so the time since the loss is unknown
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

// Due returns the time at which the next lost hero has to leave the map or the next collision changes; the zero time
// means never (kind.Waker).
func (k *Coding) Due() time.Time {
	if k.due.IsZero() || !k.collisions.due.IsZero() && k.collisions.due.Before(k.due) {
		return k.collisions.due
	}
	return k.due
}

// Saw remembers the files at which the event can cause a collision (kind.Watcher).
func (k *Coding) Saw(_ *kind.Realm, ev world.Event) kind.Effects {
	k.collisions.saw(ev)
	return kind.Effects{}
}

// Running reports whether an agent of a session is at work. If one is, the realm stays open.
func (*Coding) Running(r *kind.Realm) bool {
	for _, s := range r.World.Sessions {
		if a := r.World.Agent(s.AgentID); a != nil && a.State != nil && a.State.State != world.StateLost {
			return true
		}
	}
	return false
}

// Holds returns the heroes of sessions that have not ended: they stay on the map when the realm is opened, because
// only the session's own program can end them.
func (*Coding) Holds(r *kind.Realm) map[string]bool {
	out := map[string]bool{}
	for _, s := range r.World.Sessions {
		out[s.AgentID] = true
	}
	return out
}
