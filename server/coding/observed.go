package coding

import (
	"cmp"

	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// Observed returns the events that follow from seen (kind.Observer), which is what a reader has read of the session's
// files. The events begin the session's conversation and put its hero on the map, if that has not happened yet. They
// add the rows of the entries, record the position after the entries, and set the hero's state.
func (k *Coding) Observed(r *kind.Realm, seen shadow.Seen) (d kind.Decision, at shadow.Position) {
	s := &seen.Session
	known := r.World.Session(s.Program, s.ID)
	if known != nil {
		at = shadow.Position(known.Position)
	}
	if seen.Unwatched {
		d.Bodies = leaves(r, agentID(s), notRead)
		return d, at
	}
	fresh := seen.Next != at && seen.Before == at
	if known == nil && !fresh {
		return d, at
	}
	now := world.Session{Program: s.Program, SessionID: s.ID, AgentID: agentID(s), Position: string(at)}
	if s.Parent != "" {
		now.Parent = agentID(&shadow.Session{Program: s.Program, ID: s.Parent})
	}
	agent := member(r, s)
	var t *kind.Talk
	if known != nil {
		now.Counted, now.Stated = known.Counted, known.Stated
	}
	if known != nil && !r.World.IsErased(known.ConversationID) {
		now.ConversationID, now.Hears = known.ConversationID, known.Hears
		if t = r.Talks[known.ConversationID]; t == nil {
			return kind.Decision{Needs: kind.InMemory{ConversationID: known.ConversationID}}, at
		}
		agent = *cmp.Or(t.Head.Member(agent.ID), &agent)
	}
	var entries []shadow.Entry
	if fresh {
		entries = seen.Entries
	}
	var bodies []world.Body
	if t == nil {
		head := r.New(k.name, title(s, agent.DisplayName, entries), world.ConversationActive,
			world.Team{ID: s.Program, Name: agent.DisplayName, Members: []world.Member{agent}})
		now.ConversationID = head.ConversationID
		bodies = append(bodies, &world.ConversationStarted{Conversation: head})
	}
	w := newRows(r, s, t, now.ConversationID, agent)
	for i := range entries {
		w.add(&entries[i])
	}
	if fresh {
		at, now.Position = seen.Next, string(seen.Next)
	}
	over := seen.State.Name == shadow.Ended || seen.State.Name == shadow.Gone
	if over {
		w.close()
	}
	bodies = append(append(bodies, w.bodies...), entitled(s, t, agent.DisplayName, entries, w.bodies)...)
	bodies = append(bodies, w.touch.bodies()...)
	bodies = append(bodies, k.words(r, &now, seen, fresh, over)...)
	if fresh {
		bodies = append(bodies, spent(r, &now, agent, seen.Entries)...)
	}
	if fresh || known.Hears != now.Hears {
		bodies = append(bodies, &world.SessionRead{Session: now})
	}
	used := calls(t, seen.Entries)
	shut := append(passed(r, agent.ID, seen, used), disproved(r, agent.ID, seen.Entries, used)...)
	stated := k.stated(r, t, w, now, seen, waitsBehind(r, agent.ID, shut))
	if stated == nil {
		shut = goesOn(r, agent.ID, shut)
	}
	bodies = append(append(bodies, shut...), stated...)
	return kind.Decision{Bodies: bodies}, at
}

// stated returns the events that the session's state causes for its conversation and its hero. While a door of the
// hero is open, the hero's state is waiting, even if the session's files show another state.
func (k *Coding) stated(r *kind.Realm, t *kind.Talk, w *rows, s world.Session, seen shadow.Seen,
	door *world.AgentDoor) []world.Body {
	agent := w.agent
	if seen.State.Name == "" {
		return nil
	}
	state := world.AgentState{
		State: seen.State.Name, Wait: seen.State.Wait, Reason: kind.Clip(seen.State.Reason, shadow.MaxReason),
		Source: seen.State.Source, Since: world.TimeOf(seen.State.Since),
	}
	hero := r.World.Agent(agent.ID)
	state.Path, state.Edits = touched(w.last, hero)
	if state.TestsFailed = w.testsFailed; !w.tested && hero != nil && hero.State != nil {
		state.TestsFailed = hero.State.TestsFailed
	}
	if door != nil {
		behind(door, &state)
	}
	var out []world.Body
	status, was := world.ConversationActive, world.ConversationActive
	if t != nil {
		was = t.Head.Status
	}
	switch state.State {
	case world.StateEnded:
		status = world.ConversationCompleted
		if w.failed {
			status = world.ConversationFailed
		}
	case world.StateLost:
		status = world.ConversationInterrupted
	}
	if status != was {
		out = append(out, &world.ConversationStatus{ConversationID: s.ConversationID, Status: status})
	}
	switch {
	case state.State == world.StateEnded:
		if hero != nil {
			out = append(out, &world.AgentLeft{AgentID: agent.ID, Reason: gone})
		}
		return out
	case hero == nil && state.State == world.StateLost:
		return out
	case hero == nil:
		joins := comes(r, agent)
		if len(joins) == 0 {
			return out // the map has no room; the conversation continues without a hero
		}
		out = append(out, joins...)
	case hero.State != nil && *hero.State == state:
		return out
	}
	return append(out, &world.AgentStated{AgentID: agent.ID, ConversationID: s.ConversationID, AgentState: state})
}

// touched returns the file that the session read or edited last, relative to the linked folder, and whether it was
// edited. last is the file of the newest call that has ended without an error. A call that has not ended names no
// file: it may wait for permission, and if a person refuses it or it fails, it has read and edited nothing. If last is
// empty, touched returns the file in the hero's present state.
func touched(last world.ToolFile, hero *world.Agent) (path string, edits bool) {
	if last.Path != "" {
		return last.Path, last.Edits
	}
	if hero != nil && hero.State != nil {
		return hero.State.Path, hero.State.Edits
	}
	return "", false
}
