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

// The restoring of a session (document 002, restoreSession): first the reset, then the tables are read,
// then the session is Ready-Idle.

// history is the need of a session's rows.
type history struct {
	kind string // another kind counts as no session
	id   string
	// team provides the speakers' names, nil for the session's own team.
	team *world.Team
	at   time.Time
}

// taken is a session that was read. snap is nil if there is none.
type taken struct {
	saved world.SavedConversation
	snap  *Snapshot
}

// Loaded makes the engine keep the session in memory.
func (t taken) Loaded() *world.SavedConversation {
	if t.snap == nil {
		return nil
	}
	return &t.saved
}

// historyPage is the number of rows that are read at once.
const historyPage = 500

// read reads the session's head and the snapshot for Restore. It keeps only the words of rows that set the
// team task, and the first words of the session.
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

// restoreNeed is the need of a session that a team restores, with the party as it was before.
type restoreNeed struct {
	history
	ours   world.Team
	before State
}

type restorable struct {
	taken
	restoreNeed
}

// Key returns the key of the session.
func (n restoreNeed) Key() string { return "restore/" + n.id }

// Read returns a restorable.
func (n restoreNeed) Read(ctx context.Context, from kind.Sources) (any, error) {
	got, err := n.read(ctx, from)
	return restorable{got, n}, err
}

// restoring reports whether a session is being read. Until it is current, nobody may speak (S2-01).
func (k *Party) restoring(r *kind.Realm) bool { return k.reads != "" && r.Here.Reads(k.reads) }

// RestoringNow is the error for a command to a party that is being restored.
var RestoringNow = wire.Errorf(wire.NotReady, "a session is being restored; try again in a moment")

// restore decides team:set with a session: first the reset (S2-07) and, once that is committed, the need of
// the session in the tables.
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

// takesUp decides how the party continues with a session that was read.
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

// warning returns the event about speakers of a session who are not in its team any more.
func warning(id string, missing []Missing, text string) world.Body {
	w := &world.SessionWarning{
		SessionID: id, ConversationID: id, Message: text, MissingMembers: []world.MissingMember{},
	}
	for _, m := range missing {
		w.MissingMembers = append(w.MissingMembers, world.MissingMember(m))
	}
	return w
}

// absence is the need of the current session's rows, to find speakers who are not in its team any more.
type absence struct{ history }

// Key returns the key of the session.
func (n absence) Key() string { return "absence/" + n.id }

// Read returns a taken.
func (n absence) Read(ctx context.Context, from kind.Sources) (any, error) { return n.read(ctx, from) }

// seeks returns the need to find missing members (S2-09) after the team file of the current session has
// changed. The party stays Unchecked until the warning is durable, so that the plan asks again.
func (k *Party) seeks(r *kind.Realm) (need absence, ok bool) {
	need = absence{history{kind: k.name, id: r.World.Party.ConversationID, team: k.before, at: r.Clock.Now}}
	if !r.World.Party.Unchecked || atHand(r) == nil || r.Here.Reads(need.Key()) {
		return need, false
	}
	k.before = nil
	return need, true
}

// misses returns the warning about the missing members of the current session.
func misses(r *kind.Realm, id string, got taken) kind.Step {
	t := atHand(r)
	if got.snap == nil || t == nil || t.Head.ConversationID != id {
		return kind.Step{} // another session is current now
	}
	var bodies []world.Body
	missing := MissingMembers(t.Head.Team, got.snap.Context.Messages)
	if text := MissingText(missing); text != "" {
		bodies = append(bodies, warning(id, missing, text))
	}
	after := State(r.World.Party)
	after.Unchecked = false
	return kind.Step{Bodies: append(bodies, updated(after))}
}
