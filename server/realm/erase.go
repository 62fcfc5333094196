package realm

import (
	"context"
	"errors"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file is the actor's part of an erasure (P16.3). Package erasure documents the steps of an erasure.

// Erase erases conversations, or a person's words and identity, and returns once the bytes are gone (S1-19). e has Who,
// Reason, and either Conversations or SpectatorID. If the same erasure was done before, Erase returns the same receipt.
// If ctx ends first, the erasure continues, even after a restart. A *wire.Error says why the erasure was refused:
// bad_field, not_found, conflict for a process that runs, unsaved while the disk does not answer, not_ready while the
// realm stops, or rate_limited.
func (r *Realm) Erase(ctx context.Context, e world.Erasure) (world.Receipt, error) {
	reply := make(chan erasure.Ended, 1)
	answer := func(receipt world.Receipt, err error) { reply <- erasure.Ended{Receipt: receipt, Err: err} }
	got, err := call(ctx, r, erasure.Request{Erasure: e, Answer: answer}, reply)
	if err != nil {
		return world.Receipt{}, err
	}
	return got.Receipt, got.Err
}

// afterErasure is the key of the messages that wait for the end of an erasure.
const afterErasure = "erasure"

// postpone makes m wait for the end of the erasure under way, if that erasure began before this opening. It
// returns an error if the queue has no room.
func (a *actor) postpone(m any) (waits bool, err error) {
	if !a.erasures.Resuming() {
		return false, nil
	}
	if !a.waits.Join(afterErasure, m) {
		return false, wait.TooMany
	}
	return true, nil
}

// resumeErasures continues the next erasure that began before this opening.
func (a *actor) resumeErasures() {
	for m, ok := a.erasures.Resume(); ok; m, ok = a.erasures.Resume() {
		a.erase(m)
	}
}

// erase handles the messages about erasures: a request, or a report of the worker that carries out the erasure.
func (a *actor) erase(m any) {
	worker := a.erasures.Worker
	switch m := m.(type) {
	case erasure.Request:
		a.requestErasure(m)
	case erasure.Found:
		requestID, bodies, err := a.erasures.Stop(a.realm, m)
		if err != nil {
			a.work.Go(func() { worker.Withdraw(err) })
			return
		}
		a.emit(requestID, bodies...)
		a.outbox.ThenOr(0, func() {
			saves, passed := a.writes.Of(m.Scope.Conversations), a.audience.Passed()
			a.work.Go(func() { worker.Scope(saves, passed) })
		}, func() { a.erase(erasure.Ended{Err: ErrBroken}) })
	case erasure.Scoped:
		a.decideErasure(m)
	case erasure.Redacted:
		for _, row := range m.Rows.Commands {
			a.answers.Forget(row.SpectatorID, row.RequestID)
		}
		a.erasures.Redacted()
	case erasure.Ended:
		if ended := a.erasures.End(m); ended.Answer != nil {
			ended.Answer(m.Receipt, m.Err)
		}
		a.resumeErasures()
	}
}

// requestErasure begins an erasure. If another one is under way, the request waits for its end.
func (a *actor) requestErasure(m erasure.Request) {
	err := ErrBroken
	if a.outbox.Broken() == nil {
		var job *erasure.Job
		job, err = a.erasures.Ask(a.realm, m, erasure.State{
			Epoch: a.outbox.History().Epoch, Stopping: a.stopping, Unsaved: a.outbox.IsFailing() || a.outbox.Full(),
			Here: a.audience.Names(m.Erasure.SpectatorID),
		})
		if err == nil {
			worker := a.erasures.Worker
			a.work.Go(func() { worker.Find(*job) })
			return
		}
	}
	if errors.Is(err, erasure.ErrBusy) {
		if a.waits.Join(afterErasure, m) {
			return
		}
		err = wait.TooMany
	}
	if m.Answer != nil {
		m.Answer(world.Receipt{}, err)
	}
}

// decideErasure emits history:erased and removes what the erasure covers from memory. From then on nobody can
// read the tables until the worker has redacted them.
func (a *actor) decideErasure(m erasure.Scoped) {
	if a.outbox.Broken() != nil {
		a.erase(erasure.Ended{Err: ErrBroken})
		return
	}
	asked, bodies := a.erasures.Decide(a.realm, m)
	a.by = asked.Erasure.Who
	defer func() { a.by = "" }()
	a.emit(asked.RequestID, bodies...)
	if a.outbox.Broken() != nil {
		a.erase(erasure.Ended{Err: ErrBroken})
		return
	}
	if asked.Command != nil {
		a.answers.Remember(*asked.Command, a.realm.Clock.Wall)
		a.outbox.Answer(*asked.Command)
	}
	seq := a.realm.World.Tick
	a.forget(a.erasures.Decided(seq, a.audience.Mark()))
	// If the journal breaks, it is unknown whether history:erased is durable. The next opening of the realm finds out.
	a.outbox.ThenOr(0, func() {
		if redaction, _, ok := a.erasures.Redaction(seq); ok {
			a.work.Go(func() { a.erasures.Worker.Redact(redaction, a.saved.Writer()) })
		}
	}, func() { a.erase(erasure.Ended{Err: erasure.ErrCutShort}) })
}

// forget removes everything that an erasure covers from the actor's memory.
func (a *actor) forget(scope world.Scope, red *world.Redactor) {
	a.talks.Erase(scope, red)
	a.answers.Erase(scope)
	gone, members := a.saved.Vaults.Redact(red, a.realm.Clock.Now)
	if len(members) > 0 {
		a.saveVaults(members...)
	}
	for _, k := range a.realm.Kinds.All {
		if e, ok := k.(kind.Editor); ok {
			e.Redact(red.WithoutQuotes)
		}
	}
	a.runs.Forget(red)
	a.handle.noteErased(a.realm.World.Erased)
	a.outbox.Out(commit.Entry{Frame: a.audience.Forget(a.handle.Erased)})
	a.erasures.Forgotten(gone, a.picture(nil))
}

// eraseFor handles the command history:erase, by which a person asks for an erasure.
func (a *actor) eraseFor(in Input, c *wire.HistoryErase) {
	gone := func(id string) bool { return a.erasures.Gone(a.realm.World, id) }
	if gone(in.From.SpectatorID) && !gone(c.SpectatorID) && !gone(c.ConversationID) {
		a.refuse(in, erasure.ErrUnknownPerson)
		return
	} // not refused: an erased person may repeat the command by which they were erased
	m := erasure.Request{
		Erasure:   world.Erasure{SpectatorID: c.SpectatorID, Reason: world.ErasedOnRequest, Who: in.From.SpectatorID},
		RequestID: in.RequestID,
		Answer: func(receipt world.Receipt, err error) {
			var e *wire.Error
			switch {
			case err == nil:
				a.answer(in, &wire.Erased{RequestID: in.RequestID, Receipt: receipt})
			case errors.As(err, &e):
				a.refuse(in, e)
			default:
				a.refuse(in, wire.Errorf(wire.Internal,
					"the erasure failed and nothing was changed; the server's log has the reason"))
			}
		},
	}
	if c.ConversationID != "" {
		m.Erasure.Conversations = []string{c.ConversationID}
	}
	if in.RequestID != "" {
		m.Command = &world.CommandRow{
			SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: command.Hash(c), At: a.realm.Clock.Wall,
			Reply: a.audience.Encode(&wire.CommandReply{RequestID: in.RequestID, Command: c.CommandType()}),
		}
	}
	if strings.TrimSpace(m.Erasure.Who) == "" {
		m.Erasure.Who = "server"
	}
	a.requestErasure(m)
}
