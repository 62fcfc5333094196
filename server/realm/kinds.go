package realm

import (
	"cmp"
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/plan"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/team"
)

// How the engine drives the kinds: what they see, and how the steps happen that they decide
// (package plan).

// moment is what goes on at the moment, for kinds.
type moment struct {
	*watch.Audience
	*wait.Queue
	runs     *run.Runs
	erasures *erasure.Erasures
}

func (h moment) Answering() []string { return h.runs.Answering() }

// Erasing says whether a conversation is being erased.
func (h moment) Erasing(id string) bool { return h.erasures.Covers(id) }

// seen is what kinds see of the realm when it opens.
func seen(cfg Config, here moment) *kind.Realm {
	r := &kind.Realm{
		ID: cfg.Saved.Realm.ID, World: cfg.Saved.World, Talks: map[string]*conversation.State{},
		Kinds: kind.NewSet(cfg.Kinds),
		Zone:  cmp.Or(cfg.Zone, time.Local), Born: cfg.Saved.Head, Templates: cfg.Templates, Teams: cfg.Teams,
		Drivers: cfg.Drivers, Pace: cfg.Pace, Here: here, Clock: kind.Clock{Last: cfg.Saved.LastAt},
	}
	if r.Teams == nil {
		r.Teams = team.Embedded{}
	}
	return r
}

// drive has the steps of kinds happen, one after the other, until nothing is decided any more.
func (a *actor) drive(steps plan.Steps) {
	for s := range steps {
		if s.Warn != "" {
			a.log.Warn().Str("conversation", s.Talk).Msg(s.Warn)
		}
		if s.Info != "" {
			a.log.Info().Str("conversation", s.Talk).Msg(s.Info)
		}
		a.emit("", s.Bodies...)
		if s.Needs != nil {
			if key, ok := a.waits.Hold(s.Needs, foundMsg{s.Kind}); ok { // else the plan asks again
				a.readBehind(key)
			}
		}
		if a.outbox.Broken() != nil || a.stopping {
			return
		}
	}
}
