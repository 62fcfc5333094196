package party

import (
	"context"
	"errors"
	"slices"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// How a session is taken up again (document 002, restoreSession): the reset at once, then
// what the tables say of the session, then Ready-Idle.

// history needs a session's rows.
type history struct {
	kind string // the session is of this kind, or there is none
	id   string
	// team is the team as which speakers are called, nil for the session's own.
	team *world.Team
	at   time.Time
}

// taken is what was read of a session. snap is nil if there is none.
type taken struct {
	saved world.SavedConversation
	snap  *Snapshot
}

// Loaded has the engine keep the session in memory.
func (t taken) Loaded() *world.SavedConversation {
	if t.snap == nil {
		return nil
	}
	return &t.saved
}

// historyPage is how many rows of a session are read at once.
const historyPage = 500

// read reads the session's head as it is loaded, and the snapshot that a restore goes by. Of
// the rows' words only those are kept that say the team task and the first that were said.
func (n history) read(ctx context.Context, from kind.Sources) (out taken, err error) {
	out.saved, err = from.Conversation(ctx, n.id)
	if errors.Is(err, world.ErrNoConversation) || err == nil && out.saved.Conversation.Kind != n.kind {
		return taken{}, nil
	}
	var pages [][]world.Message // the newest first
	task := false
	for before, more := int64(0), err == nil; more; {
		var rows []world.Message
		if rows, more, err = from.Rows(ctx, n.id, "", before, historyPage); err != nil || len(rows) == 0 {
			break
		}
		before = rows[0].Seq
		for i := range slices.Backward(rows) {
			tells := !task && SaysTask(rows[i])
			if task = task || tells; !tells && more {
				rows[i].Content = ""
			}
		}
		pages = append(pages, rows)
	}
	if err != nil {
		return taken{}, err
	}
	slices.Reverse(pages)
	head := out.saved.Conversation
	if n.team != nil {
		head.Team = *n.team
	}
	out.snap = NewSnapshot(head, slices.Concat(pages...), n.at)
	return out, nil
}

// restoreNeed needs the session that a team takes up again, with the party as it was before.
type restoreNeed struct {
	history
	ours   world.Team
	before State
}

type restorable struct {
	taken
	restoreNeed
}

// Key is the session's.
func (n restoreNeed) Key() string { return "restore/" + n.id }

// Read gives a restorable.
func (n restoreNeed) Read(ctx context.Context, from kind.Sources) (any, error) {
	got, err := n.read(ctx, from)
	return restorable{got, n}, err
}

// restoring says that a session is being read: until it is at hand nothing is said (S2-01).
func (k *Party) restoring(r *kind.Realm) bool { return k.reads != "" && r.Here.Reads(k.reads) }

// RestoringNow is the answer to who wants something of a party that is being restored.
var RestoringNow = wire.Errorf(wire.NotReady, "a session is being restored; try again in a moment")

// restore is team:set with a session: the reset at once (S2-07), and once that is committed
// the session as the tables have it.
func (k *Party) restore(r *kind.Realm, in kind.Command, c *wire.TeamSet) (kind.Decision, *wire.Error) {
	need := restoreNeed{
		history: history{kind: k.name, id: c.ResumeSessionID, at: r.Clock.Now}, before: State(r.World.Party),
	}
	if got, ok := r.Met[need.Key()].(restorable); ok {
		return k.takesUp(r, got)
	}
	t, e := teamOf(r, c.TeamID)
	switch {
	case in.From.SpectatorID == "" && !in.Server:
		e = kind.RegisterFirst
	case k.restoring(r):
		e = RestoringNow
	}
	if e != nil {
		return kind.Decision{}, e
	}
	need.ours, k.reads = *t, need.Key()
	return kind.Decision{Bodies: leaving(r, *t), Needs: need}, nil
}

// takesUp decides after a session was read.
func (k *Party) takesUp(r *kind.Realm, got restorable) (kind.Decision, *wire.Error) {
	id, t := got.id, got.ours
	if k.files.mayArrive(id, got.taken) {
		return kind.Decision{}, StillArriving
	}
	back, err := Restore(got.before, &t, id, got.snap, r.Clock.Now, r.Zone)
	switch {
	case err != nil && got.snap != nil:
		return kind.Decision{}, &wire.Error{Code: wire.Conflict, Message: err.Error()}
	case err != nil:
		if broken := k.files.broken(id); broken != nil {
			return kind.Decision{}, broken
		}
		return kind.Decision{}, &wire.Error{Code: wire.NotFound, Message: err.Error()}
	}
	var bodies []world.Body
	if back.Warning != "" {
		bodies = append(bodies, warning(id, back.Missing, back.Warning))
	}
	if !same(got.saved.Conversation.Team, t) {
		bodies = append(bodies, &world.ConversationTeam{ConversationID: id, Team: t})
	}
	totals := back.Session.Totals
	return kind.Decision{
		Bodies: append(bodies,
			&world.ConversationRenamed{ConversationID: id, Title: back.Session.Title},
			&world.ConversationStatus{ConversationID: id, Status: world.ConversationPaused},
			updated(back.State),
			&world.SessionRestored{
				SessionID: id, ConversationID: id, MessageCount: totals.TotalMessages,
				Stats: &world.PartyStats{
					TotalMessages: totals.TotalMessages, MessagesByRole: totals.MessagesByRole, Duration: totals.Duration,
				},
			},
			&world.TeamReady{Team: t, Restored: true, ConversationID: id},
		),
		Text: back.Session.Title + ". Say something to go on.",
	}, nil
}

// warning tells of those who spoke in a session and are not in its team any more.
func warning(id string, missing []Missing, text string) world.Body {
	w := &world.SessionWarning{
		SessionID: id, ConversationID: id, Message: text, MissingMembers: []world.MissingMember{},
	}
	for _, m := range missing {
		w.MissingMembers = append(w.MissingMembers, world.MissingMember(m))
	}
	return w
}

// absence needs the rows of the session at hand, to see who spoke in it and is not in its
// team any more.
type absence struct{ history }

// Key is the session's.
func (n absence) Key() string { return "absence/" + n.id }

// Read gives a taken.
func (n absence) Read(ctx context.Context, from kind.Sources) (any, error) { return n.read(ctx, from) }

// seeks looks for who is missing (S2-09), because the team's file has changed under the
// session at hand. Until the warning is durable the party is Untold, and the plan asks again.
func (k *Party) seeks(r *kind.Realm) (need absence, ok bool) {
	need = absence{history{kind: k.name, id: r.World.Party.ConversationID, team: k.before, at: r.Clock.Now}}
	if !r.World.Party.Untold || atHand(r) == nil || r.Here.Reads(need.Key()) {
		return need, false
	}
	k.before = nil
	return need, true
}

// misses tells who is missing in the session at hand.
func misses(r *kind.Realm, id string, got taken) kind.Step {
	t := atHand(r)
	if got.snap == nil || t == nil || t.Head.ConversationID != id {
		return kind.Step{} // another session is at hand by now
	}
	var bodies []world.Body
	missing := MissingMembers(t.Head.Team, got.snap.Context.Messages)
	if text := MissingText(missing); text != "" {
		bodies = append(bodies, warning(id, missing, text))
	}
	after := State(r.World.Party)
	after.Untold = false
	return kind.Step{Bodies: append(bodies, updated(after))}
}
