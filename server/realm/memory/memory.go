// Package memory holds the conversations of a realm that are in memory: the live ones, those that
// last spoke, and those that were read again. The tables have all others.
//
// It owns the map of them (kind.Realm.Talks), which stays the same one, and says what enters and
// what leaves it. It reads nothing: server/realm hands it what was saved or read. Only the realm's
// actor calls it.
package memory

import (
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/view"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/world"
)

// Talks are the conversations in memory, by id.
type Talks struct {
	byID map[string]*conversation.State
}

// NewTalks puts the conversations of an opening into the map of what kinds see.
func NewTalks(r *kind.Realm, saved []world.SavedConversation) *Talks {
	t := &Talks{byID: r.Talks}
	for _, s := range saved {
		t.byID[s.Conversation.ConversationID] = r.Kinds.Restore(s)
	}
	return t
}

// Take takes in what was read, where it is a conversation or says something about one. It returns
// the ids of those that were read by themselves and are new: their kinds look at them (plan.Mend).
func (t *Talks) Take(r *kind.Realm, res wait.Result) (fresh []string) {
	var saved []world.SavedConversation
	if l, ok := res.Got.(kind.Loaded); ok && l.Loaded() != nil {
		saved = append(saved, *l.Loaded())
	}
	alone := false
	switch need := res.Need.(type) {
	case kind.InMemory:
		alone = true
		saved = append(saved, res.Got.(world.SavedConversation))
	case wait.Silent:
		saved = res.Got.([]world.SavedConversation)
	case wait.OldRun:
		if talk := t.byID[need.ConversationID]; talk != nil && res.Got == true {
			talk.Remember(need.RequestID)
		}
	}
	for _, s := range saved {
		if id := s.Conversation.ConversationID; t.byID[id] == nil {
			t.byID[id] = r.Kinds.Restore(s)
			if alone {
				fresh = append(fresh, id)
			}
		}
	}
	return fresh
}

// LetGo drops the conversations that nobody needs in memory: ended ones, sessions of parties but
// the one at hand, and chats and forges but for those that last spoke. All of theirs is committed,
// up to head, so the tables have it.
func (t *Talks) LetGo(r *kind.Realm, head int64) {
	kept := view.Kept(r)
	for id, talk := range t.byID {
		if !kept[id] && !r.Here.Erasing(id) && talk.LastSeq <= head && len(talk.Active()) == 0 {
			delete(t.byID, id)
		}
	}
}

// Shed drops what only earlier stages of a kind needed.
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

// Erase drops the conversations of an erasure, and takes what is erased out of the others.
func (t *Talks) Erase(scope world.Scope, red *world.Redactor) {
	for id, talk := range t.byID {
		if slices.Contains(scope.Conversations, id) {
			delete(t.byID, id)
			continue
		}
		talk.Redact(red)
	}
}
