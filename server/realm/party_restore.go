package realm

import (
	"context"
	"errors"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/party"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// How a session of a team is taken up again (document 002, restoreSession): the reset at
// once, then what the tables say of it, read off the actor's goroutine, then Ready-Idle.

// Restore takes a session up again, as team:set with resumeSessionId does, for who started
// the server. The error's text is for a person; it is nil once the session is at hand and
// all of that is durable.
func (r *Realm) Restore(ctx context.Context, teamID, sessionID string) error {
	told := make(chan error, 1)
	in := Input{From: Person{Role: wire.RoleHost}, Command: &wire.TeamSet{TeamID: teamID, ResumeSessionID: sessionID}, told: told}
	if err := r.ask(ctx, in); err != nil {
		return err
	}
	select {
	case err := <-told:
		return err
	case <-r.done:
		return watch.ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// restore is team:set with a session: the reset at once, then what the tables say of the
// session once all before is committed, then Ready-Idle (S2-07). Until then nothing is
// said in the party (S2-01).
func (a *actor) restore(in Input, c *wire.TeamSet) {
	key := in.From.SpectatorID + "/" + in.RequestID
	if a.theParty().Restoring && in.RequestID != "" && a.restoreKey == key && len(a.resent) < maxResent {
		a.resent = append(a.resent, in) // the same command, perhaps by another socket: it hears the same
		return
	}
	t, e := party.TeamOf(a.sees, c.TeamID)
	switch {
	case in.From.SpectatorID == "" && in.told == nil:
		e = kind.RegisterFirst
	case a.theParty().Restoring:
		e = restoringNow
	}
	if e != nil {
		a.refuse(in, e)
		return
	}
	before := party.State(a.world.Party)
	seq := a.world.Tick + 1
	a.emit(in.RequestID, party.Leaving(a.sees, *t)...)
	a.theParty().Restoring, a.restoreKey = true, key
	over := func(then func()) {
		a.theParty().Restoring = false
		then()
		again := a.resent
		a.resent = nil
		for _, in := range again {
			a.command(in)
		}
	}
	a.lookUp(func(ctx context.Context) func() {
		saved, snap, err := a.session(ctx, c.ResumeSessionID, nil)
		return func() {
			over(func() {
				switch e := a.erasures.Refuse(a.world, in.From.SpectatorID, target(in.Command)); {
				case a.outbox.Broken() != nil:
					a.refuse(in, readOnly)
				case e != nil: // they were erased meanwhile
					a.refuse(in, e)
				case err == nil && (snap != nil && a.arrives(&saved) || snap == nil && a.arrives(nil)):
					a.refuse(in, stillArriving)
				default:
					a.takenUp(in, t, before, c.ResumeSessionID, seq, saved, snap, err)
				}
			})
		}
	}, func() { over(func() { a.refuse(in, readOnly) }) })
}

// maxResent is how often a command is taken again while it is being done.
const maxResent = 8

// lookUp reads off the actor's goroutine once all that was decided is committed. It has no
// part in maxReads: there is one restore at a time, one look at who is missing for a team
// that has changed, and as many files as an opening takes in. lost is done instead where
// nothing is committed any more; nil for nothing.
func (a *actor) lookUp(read func(context.Context) (then func()), lost func()) {
	a.then(act{lost: lost, effect: func() {
		times := a.tables.Era()
		a.work.Go(func() {
			then := read(a.life)
			a.inTurn(func() {
				if a.tables.Era() != times { // it may hold what was erased meanwhile
					a.lookUp(read, lost)
					return
				}
				then()
			})
		})
	}})
}

// sessionPage is how many rows of a session are read at once.
const sessionPage = 500

// session reads a session: its head as it is loaded, and the snapshot that a restore goes
// by. Of the rows' words only those are kept that say the team task and the first that
// were said: the others stay in the tables. A nil snapshot is one that there is not. Speakers
// are called as in the team was, the session's own for nil.
func (a *actor) session(ctx context.Context, id string, was *world.Team) (saved world.SavedConversation, snap *party.Snapshot, err error) {
	saved, err = a.tables.Conversation(ctx, id)
	switch {
	case errors.Is(err, world.ErrNoConversation):
		return saved, nil, nil
	case err != nil:
		return saved, nil, err
	case saved.Conversation.Kind != world.KindParty:
		return saved, nil, nil
	}
	var pages [][]world.Message // the newest first
	task := false
	for before, more := int64(0), true; more; {
		var rows []world.Message
		if rows, more, err = a.tables.Rows(ctx, id, "", before, sessionPage); err != nil {
			return saved, nil, err
		}
		if len(rows) == 0 {
			break
		}
		before = rows[0].Seq
		for i := range slices.Backward(rows) {
			tells := !task && party.SaysTask(rows[i])
			if task = task || tells; !tells && more {
				rows[i].Content = ""
			}
		}
		pages = append(pages, rows)
	}
	slices.Reverse(pages)
	head := saved.Conversation
	if was != nil {
		head.Team = *was
	}
	return saved, party.NewSnapshot(head, slices.Concat(pages...), clock()), nil
}

// takenUp is the actor's turn after a session was read.
func (a *actor) takenUp(in Input, t *world.Team, before party.State, id string, seq int64, saved world.SavedConversation, snap *party.Snapshot, err error) {
	if err != nil {
		a.unread(in, err)
		return
	}
	r, err := party.Restore(before, t, id, snap, a.now, a.zone)
	if err != nil {
		code := wire.Conflict
		if snap == nil {
			code = wire.NotFound
		}
		refusal := &wire.Error{Code: code, Message: err.Error()}
		if broken := a.r.BrokenSession(id); snap == nil && broken != nil {
			refusal = broken
		}
		if in.RequestID != "" { // sent again it is refused again
			a.answers.Remember(world.CommandRow{
				SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: command.Hash(in.Command), Reply: a.errorFrame(in, refusal), At: a.calendar.now,
			}, a.calendar.now)
		}
		a.refuse(in, refusal)
		return
	}
	if a.talks[id] == nil {
		a.talks[id] = a.stateOf(saved)
	}
	head := &a.talks[id].Head
	var bodies []world.Body
	if r.Warning != "" {
		bodies = append(bodies, a.warning(id, r.Missing, r.Warning))
	}
	if !party.Same(head.Team, *t) {
		bodies = append(bodies, &world.ConversationTeam{ConversationID: id, Team: *t})
	}
	totals := r.Session.Totals
	a.emit("", append(bodies,
		&world.ConversationRenamed{ConversationID: id, Title: r.Session.Title},
		&world.ConversationStatus{ConversationID: id, Status: world.ConversationPaused},
		&world.PartyUpdated{Party: world.Party(r.State)},
		&world.SessionRestored{SessionID: id, ConversationID: id, MessageCount: totals.TotalMessages, Stats: &world.PartyStats{
			TotalMessages: totals.TotalMessages, MessagesByRole: totals.MessagesByRole, Duration: totals.Duration,
		}},
		&world.TeamReady{Team: *t, Restored: true, ConversationID: id},
	)...)
	a.answer(in, seq, r.Session.Title+". Say something to go on.")
}

// answer is the reply of a command that was decided in two turns.
func (a *actor) answer(in Input, seq int64, text string) {
	frame := a.encode(&wire.CommandReply{RequestID: in.RequestID, Command: in.Command.CommandType(), Text: text, Seq: seq})
	if in.RequestID != "" && a.outbox.Broken() == nil {
		row := world.CommandRow{
			SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: command.Hash(in.Command), Reply: frame, At: a.calendar.now,
		}
		a.answers.Remember(row, a.calendar.now)
		a.outbox.Answer(row)
	}
	a.out(commit.Entry{Reply: frame, To: in.To})
	if in.told != nil {
		a.then(act{effect: func() { in.told <- nil }, lost: func() { in.told <- readOnly }}) // holds one
	}
}

func (a *actor) warning(id string, missing []party.Missing, text string) world.Body {
	w := &world.SessionWarning{SessionID: id, ConversationID: id, Message: text, MissingMembers: []world.MissingMember{}}
	for _, m := range missing {
		w.MissingMembers = append(w.MissingMembers, world.MissingMember(m))
	}
	return w
}

// warnOfMissing tells of those who spoke in the session at hand and are not in its team
// any more (S2-09): the team's file has changed under it. Until that is durable the party
// is Untold, and every change of it and every opening looks again.
func (a *actor) warnOfMissing() {
	if !a.world.Party.Untold || a.seeksMissing {
		return
	}
	a.seeksMissing = true
	id, was := a.world.Party.ConversationID, a.theParty().Left()
	a.lookUp(func(ctx context.Context) func() {
		_, snap, err := a.session(ctx, id, was)
		return func() {
			a.seeksMissing = false
			talk := a.partyTalk()
			switch {
			case err != nil && !errors.Is(err, context.Canceled):
				a.log.Error().Err(err).Str("conversation", id).Msg("who is missing in a session could not be read")
			case err != nil, snap == nil, talk == nil:
			case talk.Head.ConversationID != id:
				a.warnOfMissing() // another session is at hand by now
			default:
				var bodies []world.Body
				missing := party.MissingMembers(talk.Head.Team, snap.Context.Messages)
				if text := party.MissingText(missing); text != "" {
					bodies = append(bodies, a.warning(id, missing, text))
				}
				after := a.world.Party
				after.Untold = false
				a.emit("", append(bodies, &world.PartyUpdated{Party: after})...)
			}
		}
	}, nil)
}

// restoringNow is what is said to whoever wants a session while one is being restored.
var restoringNow = wire.Errorf(wire.NotReady, "a session is being restored; try again in a moment")
