package realm

import (
	"fmt"
	"runtime/debug"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/view"
	"agentdungeon/shared/world"
)

// This file emits events: the actor numbers an event, applies it to the world, and passes it to the outbox and to the
// other parts of the actor.

// emit emits events that were decided together. The first event carries requestID, the requestId of the
// command that caused the events, or "".
func (a *actor) emit(requestID string, bodies ...world.Body) {
	if len(bodies) == 0 || a.outbox.Broken() != nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			a.breakdown(fmt.Errorf("panic while an event was applied to the world: %v\n%s", p, debug.Stack()))
		}
	}()
	bodies = a.runs.Expand(a.realm, bodies)
	for i, b := range bodies {
		if joined, ok := b.(*world.AgentJoined); ok {
			a.walks.Appear(a.realm.World, &joined.Agent)
		}
		if r, ok := b.(interface{ RunRequestID() string }); ok && requestID != "" && r.RunRequestID() != requestID {
			a.log.Error().Str("event", b.EventType()).
				Msg("the first event of a command belongs to another run, so it is emitted without the command's requestId")
			requestID = ""
		}
		at := a.realm.At()
		ev := world.Event{Seq: a.realm.World.Tick + 1, At: at, V: 1, RequestID: requestID, Body: b}
		rec, err := ev.Encode()
		if err != nil {
			a.breakdown(err)
			return
		}
		rec.Who = a.by
		a.realm.Clock.Last, requestID = at, ""
		world.Apply(a.realm.World, ev)
		a.realm.Kinds.Fold(a.realm.Talks, ev)
		e := commit.Entry{Record: &rec, Ends: i == len(bodies)-1}
		if more, ok := b.(interface{ ExtraBytes() int }); ok {
			e.Holds = more.ExtraBytes()
		}
		if _, ok := b.(*world.HistoryErased); ok {
			e.Effect = func(commit.Outcome) { // viewers must not get older frames: see Audience.Erased
				if erased, mark, ok := a.erasures.Redaction(ev.Seq); ok {
					a.audience.Erased(mark, ev.Seq, erased.Scope)
					a.saved.Erased(erased.After)
				}
			}
		}
		a.outbox.Out(e)
		a.react(ev)
	}
}

// react passes an event, after it was applied to the world, to the other parts of the actor. It emits no events.
func (a *actor) react(ev world.Event) {
	a.walks.Watch(a.realm.World, ev.Body)
	a.runs.Watch(ev.Body, a.realm.Clock.Now)
	switch b := ev.Body.(type) {
	case *world.ChatStarted:
		if b.Status == world.RunRunning {
			a.begin(b)
		}
	case *world.KnowledgeUpdated:
		a.saved.Vaults.Learn(b, ev.At, a.realm.Clock.Now)
	case *world.AgentLeft:
		a.saveVaults(b.AgentID)
		a.outbox.Then(0, func() { a.handle.ears.Ring(b.AgentID) })
	case *world.SettingsUpdated:
		a.audience.Share(&b.Settings, ev.Seq)
		a.outbox.Then(0, a.audience.Commit)
	case *world.DoorClosed:
		a.outbox.Then(0, func() { a.handle.doors.Closed(b) })
	case *world.AgentStated:
		a.outbox.Then(0, func() { a.handle.ears.Ring(b.AgentID) })
	case *world.WordTold:
		a.outbox.Then(0, func() { a.handle.ears.Ring(b.AgentID) })
	}
	for _, k := range a.realm.Kinds.All {
		w, ok := k.(kind.Watcher)
		if !ok {
			continue
		}
		effects := w.Saw(a.realm, ev)
		if effects.Sheds {
			a.talks.Shed(a.realm, k)
		}
		if effects.Asks != nil {
			a.begin(effects.Asks)
		}
		if effects.Writes != nil {
			a.write(*effects.Writes)
		}
		if effects.SavePoint != "" {
			a.outbox.SavePoint(effects.SavePoint)
		}
	}
}

// begin starts a driver for a run. If the turn is a person's, it sends the request for the turn to all viewers instead.
func (a *actor) begin(b *world.ChatStarted) {
	talk := a.realm.Talks[b.ConversationID]
	if talk == nil {
		return
	}
	if p := a.runs.Begin(a.realm, talk, b); p != nil {
		a.outbox.Then(p.Size(), func() {
			if a.runs.Started(p, a.realm.Clock.Now) {
				a.work.Go(p.Play)
			}
		})
		return
	}
	for _, turn := range view.Turns(a.realm) {
		if turn.ConversationID == b.ConversationID && turn.RequestID == b.RequestID {
			a.outbox.Show(turn)
		}
	}
}

// write starts to write a skill once all events so far are durable. It writes nothing if the run that asked for the
// skill has ended by then.
func (a *actor) write(w kind.Writing) {
	talk, request := w.Run.ConversationID, w.Run.RequestID
	size := 0
	for p, text := range w.Files.Files {
		size += len(p) + len(text)
	}
	a.outbox.Then(size, func() {
		if a.realm.Running(talk, request) == nil {
			return
		}
		a.writes.Begin(talk, request)
		worker := a.writes.Worker
		a.work.Go(func() { worker.Write(w) })
	})
}
