package realm

import (
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/plan"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
)

// do carries out the steps that runs have decided.
func (a *actor) do(steps run.Steps) {
	for s := range steps {
		switch {
		case s.Frame != nil:
			delta, _ := s.Frame.(*wire.ChatDelta)
			a.outbox.Out(commit.Entry{Frame: a.audience.Encode(s.Frame), Delta: delta, Segment: s.Words})
		case s.Durable != nil:
			a.outbox.Then(0, func() { s.Durable <- nil })
		case s.Reads != nil:
			a.walks.Visit(s.Reads.Member, s.Reads.Path)
		case s.Heard != nil:
			a.runs.Drop(s.Heard.Key)
			if a.outbox.Broken() == nil {
				a.drive(plan.Heard(a.realm, *s.Heard))
			}
		default:
			a.emit("", s.Bodies...)
		}
	}
}
