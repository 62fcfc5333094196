// Package memory decides which conversations of a realm are in memory: the live ones, those with the newest words, and
// those that were read again. The tables have all others.
//
// It owns the map of the conversations in memory, kind.Realm.Talks, and never replaces that map. It reads nothing:
// server/realm passes in what was restored or read. Only the realm's actor calls it.
package memory

import (
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/view"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/world"
)

// Talks holds the conversations that are in memory, by id.
type Talks struct {
	byID map[string]*conversation.State
}

// NewTalks adds the conversations that an opening has restored to r.Talks.
func NewTalks(r *kind.Realm, saved []world.SavedConversation) *Talks {
	t := &Talks{byID: r.Talks}
	t.add(r, saved)
	return t
}

// Add stores what was read for a need (data that a command or a plan has asked for): it adds the conversations in the
// result. If the result is about an old run, it also records the run's requestId in the run's conversation. fresh has
// the ids of conversations that a command or a plan needed and that were not in memory; the caller must call
// plan.Mend for them.
func (t *Talks) Add(r *kind.Realm, res wait.Result) (fresh []string) {
	if l, ok := res.Got.(kind.Loaded); ok && l.Loaded() != nil {
		t.add(r, []world.SavedConversation{*l.Loaded()})
	}
	switch need := res.Need.(type) {
	case kind.InMemory:
		fresh = t.add(r, []world.SavedConversation{res.Got.(world.SavedConversation)})
	case wait.Silent:
		t.add(r, res.Got.([]world.SavedConversation))
	case wait.OldRun:
		if talk := t.byID[need.ConversationID]; talk != nil && res.Got == true {
			talk.Remember(need.RequestID)
		}
	}
	return fresh
}

// add adds those conversations that are not in memory and returns their ids.
func (t *Talks) add(r *kind.Realm, saved []world.SavedConversation) (added []string) {
	for _, s := range saved {
		if id := s.Conversation.ConversationID; t.byID[id] == nil {
			t.byID[id] = r.Kinds.Restore(s)
			added = append(added, id)
		}
	}
	return added
}

// Unload removes the conversations that need not be in memory: those that have ended, sessions other than the current
// one, and chats and forges that are not among those with the newest words (view.Kept). It keeps a conversation that
// has a run under way, that is being erased, or of which the tables do not have all events yet (head is the last event
// that they have).
func (t *Talks) Unload(r *kind.Realm, head int64) {
	kept := view.Kept(r)
	for id, talk := range t.byID {
		if !kept[id] && !r.Here.Erasing(id) && talk.LastSeq <= head && len(talk.Active()) == 0 {
			delete(t.byID, id)
		}
	}
}

// Shed removes from memory the rows and conversations that the kind of conversation k no longer needs, because only
// earlier stages of its process needed them.
func (t *Talks) Shed(r *kind.Realm, k kind.Kind) {
	s, ok := k.(kind.Shedder)
	if !ok {
		return
	}
	talk, keep, drop := s.Sheds(r)
	if talk != nil {
		talk.Forget(keep)
	}
	for _, id := range drop {
		delete(t.byID, id)
	}
}

// Erase removes the erased conversations from memory, and redacts the others with red.
func (t *Talks) Erase(scope world.Scope, red *world.Redactor) {
	for id, talk := range t.byID {
		if slices.Contains(scope.Conversations, id) {
			delete(t.byID, id)
			continue
		}
		talk.Redact(red)
	}
}
