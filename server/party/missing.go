package party

import (
	"context"
	"fmt"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// missing is the read (kind.Need) of the current session's rows. It finds speakers who are not in the session's
// team any more.
type missing struct{ history }

// Key returns a text that identifies this read of the session.
func (n missing) Key() string { return "missing/" + n.id }

// Read returns the session that was read, as a loaded.
func (n missing) Read(ctx context.Context, from kind.Sources) (any, error) { return n.read(ctx, from) }

// needMissing returns the read that finds missing members (S2-09) after a member has left the team of the current
// session; ok is false if there is nothing to read now. State.Unchecked stays set until the event with the warning is
// durable. So if the server is killed before, Next asks for the warning again after the restart.
func (k *Party) needMissing(r *kind.Realm) (need missing, ok bool) {
	need = missing{history{kind: k.name, id: r.World.Party.ConversationID, team: k.former, at: r.Clock.Now}}
	if !r.World.Party.Unchecked || session(r) == nil || r.Here.Reads(need.Key()) {
		return need, false
	}
	k.former = nil
	return need, true
}

// warnMissing returns the warning about missing members of the session id. It returns no event if that session is not
// current any more. got is the session that was read (loaded); err is the error of reading it, or nil.
func warnMissing(r *kind.Realm, id string, got any, err error) kind.Step {
	if err != nil {
		return kind.Step{Talk: id, Warn: fmt.Sprintf("a session's missing members could not be read: %v", err)}
	}
	t, snap := session(r), got.(loaded).snap
	if snap == nil || t == nil || t.Head.ConversationID != id {
		return kind.Step{}
	}
	after := State(r.World.Party)
	after.Unchecked = false
	members := missingMembers(t.Head.Team, snap.Context.Messages)
	return kind.Step{Bodies: append(warning(id, members), updated(after))}
}

// warning returns the event that warns of missing members, or no event if members is empty.
func warning(id string, members []world.MissingMember) []world.Body {
	if len(members) == 0 {
		return nil
	}
	return []world.Body{&world.SessionWarning{
		SessionID: id, ConversationID: id, Message: missingText(members), MissingMembers: members,
	}}
}
