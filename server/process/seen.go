package process

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file collects what the plan needs to know of a realm: the current process, its runs and rows, and the people
// whose turn it is.

// current returns the conversation of the current process, nil for none.
func current(r *kind.Realm) *kind.Talk { return r.Talks[r.World.ProcessState.ConversationID] }

// factsOf returns the facts of the current stage from the transcript.
func factsOf(r *kind.Realm) Facts {
	if t := current(r); t != nil {
		return Facts{Runs: t.Runs, Rows: t.Said}
	}
	return Facts{}
}

// doneOf returns the event chat.done of a run. If the run is a turn of the current process, the event has the counts
// of turns after it.
func doneOf(r *kind.Realm, run world.Run) world.Body {
	if run.Turn == nil || run.ConversationID != r.World.ProcessState.ConversationID {
		return kind.Done(run, nil)
	}
	return kind.Done(run, Counted(&r.World.ProcessState, factsOf(r), *run.Turn))
}

// openAsks returns an entry for each turn that a person has to take now, oldest first.
func openAsks(r *kind.Realm) []world.Ask {
	p, t := &r.World.ProcessState, current(r)
	if t == nil {
		return nil
	}
	var out []world.Ask
	for _, run := range t.Active() {
		if run.Turn == nil {
			continue
		}
		if c := p.Casting(run.Turn.RoleID); c != nil && c.Kind == world.KindHuman {
			out = append(out, world.Ask{
				ConversationID: p.ConversationID, RequestID: run.RequestID, RoleID: run.Turn.RoleID, MemberID: run.MemberID,
				Prompt: Ask(p, *run.Turn),
			})
		}
	}
	return out
}

// runAnswered returns the run that a person's words answer: the run of the member memberID or, if memberID is "",
// the oldest run that waits for the person. If memberID is "" and no run waits for the person, it returns nil.
func runAnswered(r *kind.Realm, who kind.Person, memberID string) (*world.Run, *wire.Error) {
	for _, ask := range openAsks(r) {
		c := r.World.ProcessState.Casting(ask.RoleID)
		if c.SpectatorID == who.SpectatorID && (memberID == "" || memberID == ask.MemberID) {
			return r.Running(ask.ConversationID, ask.RequestID), nil
		}
	}
	if memberID != "" {
		return nil, wire.Errorf(wire.Conflict, "it is not the turn of %s, or somebody else holds the role",
			r.MemberName(memberID))
	}
	return nil, nil
}

// freed returns the event that makes a role open: nobody holds the role any more.
func freed(c world.Casting) world.Body {
	return &world.ProcessCast{Casting: world.Casting{RoleID: c.RoleID, MemberID: c.MemberID, Kind: world.KindOpen}}
}
