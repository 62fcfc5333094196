package realm

import (
	"context"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// observeMsg passes what a reader has found in a coding agent's session to the actor. reply has room for one value.
type observeMsg struct {
	seen  shadow.Seen
	reply chan<- observed
}

// observed is the answer to an observeMsg.
type observed struct {
	at  shadow.Position
	err error
}

// Observe passes new entries of a coding agent's session to the realm, and returns when the events that follow from
// them are durable. at is the position up to which the realm has the session. If at differs from seen.Next, the realm
// has not taken the entries, and the caller must read the session again from at. After an error that wraps a
// *wire.Error the caller may try again later.
func (r *Realm) Observe(ctx context.Context, seen shadow.Seen) (at shadow.Position, err error) {
	reply := make(chan observed, 1)
	got, err := call(ctx, r, observeMsg{seen: seen, reply: reply}, reply)
	if err != nil {
		return "", err
	}
	return got.at, got.err
}

// Shown says which sessions of coding agents a realm shows.
type Shown struct {
	Path     string // the linked folder, "" for none
	Off      bool   // the setting shadows is off, so no session may be read
	Sessions []world.Session
	Heroes   map[string]bool // the agents on the map, by AgentID, whose sessions still exist
	// Hooked has the agents whose present state was reported by one of their hooks: by AgentID, the time of the
	// report.
	Hooked map[string]world.Time
}

// Shown returns which sessions of coding agents the realm shows.
func (r *Realm) Shown(ctx context.Context) (Shown, error) {
	reply := make(chan Shown, 1)
	return call(ctx, r, shownMsg{reply}, reply)
}

// shownMsg asks which sessions of coding agents the realm shows. reply has room for one value.
type shownMsg struct{ reply chan<- Shown }

func shownOf(w *world.World) Shown {
	out := Shown{
		Path: w.Realm.Path, Off: w.Settings.Shadows == world.Off, Sessions: slices.Clone(w.Sessions),
		Heroes: map[string]bool{}, Hooked: map[string]world.Time{},
	}
	for i := range w.Agents {
		if a := &w.Agents[i]; a.State != nil && a.State.State != world.StateLost {
			out.Heroes[a.ID] = true
			if a.State.Source == world.SourceHook {
				out.Hooked[a.ID] = a.State.Since
			}
		}
	}
	return out
}

func (m observeMsg) refuse(e *wire.Error) { m.fail(e) }

func (m observeMsg) fail(err error) { m.reply <- observed{err: err} }

// outsideMsg is a message about an agent that runs outside of the server.
type outsideMsg interface {
	// decide returns the events for the message, and a function that answers the message; the actor calls it once the
	// events are durable. If busy is set, the realm can store no events now, and decide returns none.
	decide(r *kind.Realm, busy bool) (d kind.Decision, answer func())
	refuse(e *wire.Error)
	fail(err error)
}

func (m observeMsg) decide(r *kind.Realm, busy bool) (kind.Decision, func()) {
	if busy {
		return kind.Decision{}, func() { m.refuse(wait.TooMany) }
	}
	for _, k := range r.Kinds.All {
		if o, ok := k.(kind.Observer); ok {
			d, at := o.Observed(r, m.seen)
			return d, func() { m.reply <- observed{at: at} }
		}
	}
	return kind.Decision{}, func() {
		m.refuse(wire.Errorf(wire.NotReady, "this realm does not show the sessions of coding agents"))
	}
}

// outside emits the events for a message about a coding agent that this server did not start, and answers once they are
// durable. The message waits for the end of an erasure.
func (a *actor) outside(m outsideMsg) {
	if a.erasures.Busy() {
		if !a.waits.Join(afterErasure, m) {
			m.refuse(wait.TooMany)
		}
		return
	}
	d, answer := m.decide(a.realm, a.outbox.Full())
	if d.Needs != nil {
		if !a.waits.Wait(d.Needs, m) {
			m.refuse(wait.TooMany)
		}
		return
	}
	if d.Warn != "" {
		a.log.Warn().Msg(d.Warn)
	}
	a.emit("", d.Bodies...)
	a.outbox.ThenOr(0, answer, func() { m.refuse(command.ReadOnly) })
}
