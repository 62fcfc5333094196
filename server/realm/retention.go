package realm

import (
	"context"
	"errors"
	"fmt"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What retention asks of a realm (S1-15, S1-16). The rule decides from what the tables
// say (server/retention); what has happened since counts more than the rule.

// ErrNotSilent: since the rule has looked, something has happened in one of the
// conversations, or it is at hand.
var ErrNotSilent = errors.New("the conversation is not silent any more")

// byRetention is who marks, in the audit.
const byRetention = "retention"

// Silent is a conversation as the rule saw it: when it was last updated.
type Silent struct {
	ConversationID string
	UpdatedAt      world.Time
}

type abandonMsg struct {
	talks  []Silent
	reason string
	answer func(marked int, err error) // told once
	read   bool                        // those that were not in memory have been fetched
}

// Abandon marks conversations that have been silent as abandoned, in one commit, and
// returns how many, once that is on disk and shown. One that was updated since, in which a
// run is under way, that has ended, that is gone or that the realm is at is left alone.
func (r *Realm) Abandon(ctx context.Context, talks []Silent, reason string) (marked int, err error) {
	type result struct {
		marked int
		err    error
	}
	done := make(chan result, 1)
	if err := r.ask(ctx, abandonMsg{talks: talks, reason: reason, answer: func(marked int, err error) { done <- result{marked, err} }}); err != nil {
		return 0, err
	}
	select {
	case res := <-done:
		return res.marked, res.err
	case <-r.done:
		return 0, watch.ErrStopped
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// onAbandon fetches the conversations that are not in memory, and decides then.
func (a *actor) onAbandon(m abandonMsg) {
	var missing []string
	for _, s := range m.talks {
		if a.talks[s.ConversationID] == nil {
			missing = append(missing, s.ConversationID)
		}
	}
	switch {
	case a.broken != nil:
		m.answer(0, fmt.Errorf("mark conversations abandoned: %w", a.broken))
	case a.full():
		m.answer(0, errUnsaved)
	case len(missing) == 0 || m.read:
		a.markAbandoned(m)
	case !a.waits.Wait(wait.Silent{IDs: missing}, m):
		m.answer(0, wait.TooMany)
	}
}

var errUnsaved = wire.Errorf(wire.Unsaved, "the disk takes no more for now")

func (a *actor) markAbandoned(m abandonMsg) {
	a.by = byRetention
	defer func() { a.by = "" }()
	marked := 0
	for _, s := range m.talks {
		talk := a.talks[s.ConversationID]
		if talk == nil || talk.Head.Ended() || a.needed(talk, s.UpdatedAt) {
			continue
		}
		a.emit("", a.sees.To(&talk.Head, world.ConversationAbandoned, m.reason)...)
		marked++
	}
	a.out(entry{ // behind its events
		effect: func() { m.answer(marked, nil) },
		lost:   func() { m.answer(0, fmt.Errorf("mark conversations abandoned: %w", a.broken)) },
	})
}

// needed says that retention has to leave a conversation alone.
func (a *actor) needed(talk *conversation.State, seen world.Time) bool {
	return talk.Head.UpdatedAt != seen || len(talk.Active()) > 0 || a.atHand(talk) ||
		a.waits.Reads(kind.InMemory{ConversationID: talk.Head.ConversationID}.Key())
}

// atHand says that the realm is at a conversation.
func (a *actor) atHand(talk *conversation.State) bool {
	return a.kindOf(talk).View(a.sees, talk).Standing == kind.AtHand
}

// spokenSince says that retention has to leave one of these conversations alone, by when
// each was updated as the rule saw it: what it deletes has ended. One that is not in memory
// is as the tables say: what is being erased is not let go of (letGo).
func (a *actor) spokenSince(seen map[string]world.Time) bool {
	for id, at := range seen {
		if talk := a.talks[id]; talk != nil && (a.needed(talk, at) || !talk.Head.Ended()) {
			return true
		}
	}
	return false
}
