// Package memory decides which conversations of a realm are in memory: the live ones, those with
// the newest words, and those that were read again. The tables have all others.
//
// It owns the map of them, kind.Realm.Talks, and never replaces that map. It reads nothing:
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

// Talks holds the conversations in memory, by id.
type Talks struct {
	byID map[string]*conversation.State
}

// NewTalks puts the conversations of an opening into r.Talks.
func NewTalks(r *kind.Realm, saved []world.SavedConversation) *Talks {
	t := &Talks{byID: r.Talks}
	t.add(r, saved)
	return t
}

// Add adds the conversations that a result contains, and updates a conversation in memory with what the
// result says about it. It returns the ids of conversations that were read for a command or a plan and were
// not in memory before; the caller has to call plan.Mend for them.
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

// add adds the conversations that are not in memory and returns their ids.
func (t *Talks) add(r *kind.Realm, saved []world.SavedConversation) (added []string) {
	for _, s := range saved {
		if id := s.Conversation.ConversationID; t.byID[id] == nil {
			t.byID[id] = r.Kinds.Restore(s)
			added = append(added, id)
		}
	}
	return added
}

// Unload removes conversations that nothing needs in memory: ended ones, sessions other than the current one,
// and chats and forges without the newest words. It removes a conversation only if all its events are
// committed, the last one at head or before, so that the tables have the conversation.
func (t *Talks) Unload(r *kind.Realm, head int64) {
	kept := view.Kept(r)
	for id, talk := range t.byID {
		if !kept[id] && !r.Here.Erasing(id) && talk.LastSeq <= head && len(talk.Active()) == 0 {
			delete(t.byID, id)
		}
	}
}

// Shed removes data that only earlier stages of a kind needed.
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

// Erase removes the conversations of an erasure, and removes from the others what red redacts.
func (t *Talks) Erase(scope world.Scope, red *world.Redactor) {
	for id, talk := range t.byID {
		if slices.Contains(scope.Conversations, id) {
			delete(t.byID, id)
			continue
		}
		talk.Redact(red)
	}
}
