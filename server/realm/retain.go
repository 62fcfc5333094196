package realm

import (
	"context"
	"errors"
	"fmt"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What retention asks of a realm (S1-15, S1-16). The rule decides from what the tables
// say (server/retention); what has happened since counts more than the rule.

// ErrNotSilent: since the rule has looked, something has happened in the conversation, or
// it is at hand.
var ErrNotSilent = errors.New("the conversation is not silent any more")

// byRetention is who marks, in the audit.
const byRetention = "retention"

type abandonMsg struct {
	id, reason string
	seen       world.Time
	reply      chan<- error // holds one
}

// Abandon marks a conversation that has been silent as abandoned, and returns once that
// is on disk and shown. seen is its updatedAt as the rule saw it; where it is another by
// now, a run is under way, it has ended, or the realm is at it, nothing is changed and the
// error is ErrNotSilent. world.ErrNoConversation where there is none of that id.
func (r *Realm) Abandon(ctx context.Context, id string, seen world.Time, reason string) error {
	reply := make(chan error, 1)
	select {
	case r.inbox <- abandonMsg{id, reason, seen, reply}:
	case <-r.done:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-reply:
		return err
	case <-r.done:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// onAbandon fetches the conversation where it is not in memory, and decides then.
func (a *actor) onAbandon(m abandonMsg) {
	switch {
	case a.broken != nil:
		m.reply <- fmt.Errorf("mark %s abandoned: %w", m.id, a.broken)
	case a.full():
		m.reply <- errUnsaved
	case a.talks[m.id] != nil:
		if err := a.markAbandoned(m); err != nil {
			m.reply <- err
			return
		}
		a.out(entry{effect: func() { m.reply <- nil }}) // behind its event
	case a.reads >= maxReads:
		m.reply <- tooManyReads
	default:
		a.reads++
		a.work.Go(func() {
			saved, err := a.transcripts.Conversation(a.life, m.id)
			select {
			case a.r.inbox <- readMsg{func() {
				a.reads--
				if err != nil {
					m.reply <- err
					return
				}
				if a.talks[m.id] == nil {
					a.talks[m.id] = conversation.Restore(saved)
				}
				a.onAbandon(m)
			}}:
			case <-a.life.Done():
			}
		})
	}
}

var errUnsaved = wire.Errorf(wire.Unsaved, "the disk takes no more for now")

// markAbandoned decides; its events are on their way when it returns.
func (a *actor) markAbandoned(m abandonMsg) error {
	talk := a.talks[m.id]
	if a.needed(talk, m.seen) || talk.Head.Ended() {
		return ErrNotSilent
	}
	a.by = byRetention
	defer func() { a.by = "" }()
	a.emit("", a.councilTo(&talk.Head, world.ConversationAbandoned, m.reason)...)
	return nil
}

// needed says that retention has to leave a conversation alone.
func (a *actor) needed(talk *conversation.State, seen world.Time) bool {
	id := talk.Head.ConversationID
	return talk.Head.UpdatedAt != seen || len(talk.Active()) > 0 || id == a.world.ProcessState.ConversationID ||
		id == a.world.Party.ConversationID || a.waking[id] != nil
}

// spokenSince says that retention has to leave one of these conversations alone, by when
// each was updated as the rule saw it: what it deletes has ended. One that is not in memory is as the tables say: what
// is being erased is not let go of (letGo).
func (a *actor) spokenSince(seen map[string]world.Time) bool {
	for id, at := range seen {
		talk := a.talks[id]
		if id == a.world.ProcessState.ConversationID || id == a.world.Party.ConversationID || talk != nil && (a.needed(talk, at) || !talk.Head.Ended()) {
			return true
		}
	}
	return false
}

// abandonedChat says that a person's words take a chat up again (S1-16), as abandonedForge
// does of a forge.
func abandonedChat(c *world.Conversation) bool {
	return c.Kind == world.KindChat && c.Status == world.ConversationAbandoned
}
