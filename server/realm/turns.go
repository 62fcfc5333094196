package realm

import (
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/plan"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/view"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Runs of drivers, as the actor carries out what server/realm/run decides.

// react does what an event asks for outside the fold. It decides nothing.
func (a *actor) react(ev world.Event) {
	a.walks.Watch(a.world, ev.Body)
	a.runs.Watch(ev.Body, a.sees.Clock.Now)
	switch b := ev.Body.(type) {
	case *world.ChatStarted:
		if b.Status == world.RunRunning {
			a.begin(b)
		}
	case *world.KnowledgeUpdated:
		a.saved.Vaults.Learn(b, ev.At, a.sees.Clock.Now)
	case *world.AgentLeft:
		a.saveVaults(checkpoint.Saving{Members: []string{b.AgentID}})
	}
	for _, k := range a.sees.Kinds.All {
		w, ok := k.(kind.Watcher)
		if !ok {
			continue
		}
		asks := w.Saw(a.sees, ev)
		if asks.Sheds {
			a.talks.Shed(a.sees, k)
		}
		if asks.Asks != nil {
			a.begin(asks.Asks)
		}
		if asks.Writes != nil {
			a.write(*asks.Writes)
		}
		if asks.SavePoint != "" {
			a.outbox.SavePoint(asks.SavePoint)
		}
	}
}

// begin has a run played: by a driver, or by the person who is told so.
func (a *actor) begin(b *world.ChatStarted) {
	talk := a.sees.Talks[b.ConversationID]
	if talk == nil {
		return
	}
	if p := a.runs.Begin(a.sees, talk, b); p != nil {
		// Nothing acts outside before all that led to it is durable.
		a.then(act{holds: p.Size(), effect: func() {
			if a.runs.Started(p, a.sees.Clock.Now) {
				a.work.Go(p.Play)
			}
		}})
		return
	}
	for _, turn := range view.Turns(a.sees) {
		if turn.ConversationID == b.ConversationID && turn.RequestID == b.RequestID {
			a.out(commit.Entry{Frame: a.audience.Encode(turn)})
		}
	}
}

// onMade is the actor's turn when a driver has made something.
func (a *actor) onMade(m run.Made) {
	if member, path := a.runs.Reads(m); path != "" {
		a.walks.Visit(member, path)
	}
	a.do(a.runs.Hear(a.sees, m))
}

// do carries out what follows from runs, one step after the other.
func (a *actor) do(steps run.Steps) {
	for s := range steps {
		switch {
		case s.Frame != nil:
			delta, _ := s.Frame.(*wire.ChatDelta)
			a.out(commit.Entry{Frame: a.audience.Encode(s.Frame), Delta: delta, Segment: s.Words})
		case s.Durable != nil:
			a.then(act{effect: func() { s.Durable <- nil }}) // it holds one
		case s.Heard != nil:
			a.runs.Drop(s.Heard.Key) // whoever answered has ended, or is not heard any more
			if a.outbox.Broken() == nil {
				a.drive(plan.Heard(a.sees, *s.Heard))
			}
		default:
			a.emit("", s.Bodies...)
		}
	}
}
