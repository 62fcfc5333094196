package realm

import (
	"cmp"
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/team"
)

// here implements kind.Here, through which the kinds of conversations read the state of the actor.
type here struct {
	*watch.Audience
	*wait.Queue
	runs     *run.Runs
	erasures *erasure.Erasures
}

func (h here) Answering() []string { return h.runs.Answering() }

// Erasing reports whether a conversation is being erased.
func (h here) Erasing(id string) bool { return h.erasures.Covers(id) }

// newRealm returns the kind.Realm of a realm that opens: the part of its state that the kinds of conversations read.
func newRealm(cfg Config, now here) *kind.Realm {
	r := &kind.Realm{
		ID: cfg.Saved.Realm.ID, World: cfg.Saved.World, Talks: map[string]*conversation.State{},
		Kinds: kind.NewSet(cfg.Kinds),
		Zone:  cmp.Or(cfg.Zone, time.Local), Born: cfg.Saved.Head, Templates: cfg.Templates, Teams: cfg.Teams,
		Drivers: cfg.Drivers, Pace: cfg.Pace, Here: now, Clock: kind.Clock{Last: cfg.Saved.LastAt},
	}
	if r.Teams == nil {
		r.Teams = team.Embedded{}
	}
	return r
}
