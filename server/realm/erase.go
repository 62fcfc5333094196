package realm

import (
	"context"
	"errors"
	"slices"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// An erasure (P16.3) in the turns of the actor: asked for, told, answered. What it is and in
// which order it goes on is server/realm/erasure.

// Erase erases conversations, or a person's words and identity, and returns once the bytes
// are gone (S1-19). Who, Reason and one of Conversations and SpectatorID are to be given.
// The same again gives the same receipt. Where ctx ends first the erasure goes on, across
// restarts too. A *wire.Error says why it was not begun: not_found, conflict for a process
// that runs, unsaved while the disk does not answer, rate_limited.
func (r *Realm) Erase(ctx context.Context, e world.Erasure) (world.Receipt, error) {
	done := make(chan erasure.Ended, 1)
	answer := func(receipt world.Receipt, err error) { done <- erasure.Ended{Receipt: receipt, Err: err} }
	if err := r.ask(ctx, erasure.Request{Erasure: e, Answer: answer}); err != nil {
		return world.Receipt{}, err
	}
	select {
	case res := <-done:
		return res.Receipt, res.Err
	case <-r.done:
		select {
		case res := <-done:
			return res.Receipt, res.Err
		default:
			return world.Receipt{}, watch.ErrStopped
		}
	case <-ctx.Done():
		return world.Receipt{}, context.Cause(ctx)
	}
}

// Erased says that a person of that id was erased here: who comes with their seat is
// somebody else.
func (r *Realm) Erased(spectatorID string) bool {
	gone := r.erased.Load()
	return gone != nil && slices.Contains(*gone, spectatorID)
}

func (r *Realm) noteErased(ids []string) {
	ids = slices.Clone(ids)
	r.erased.Store(&ids)
}

// erase is the turn in which an erasure is asked for, or its goroutine reports.
func (a *actor) erase(m any) {
	worker := a.erasures.Worker
	switch m := m.(type) {
	case erasure.Request:
		var job *erasure.Job
		err := ErrBroken
		if a.outbox.Broken() == nil {
			job, err = a.erasures.Ask(a.sees, m, erasure.State{
				Epoch: a.outbox.History().Epoch, Stopping: a.stopping, Unsaved: a.outbox.IsFailing() || a.outbox.Full(),
				Here: a.audience.Names(m.Erasure.SpectatorID),
			})
		}
		switch {
		case err != nil && m.Answer != nil:
			m.Answer(world.Receipt{}, err)
		case job != nil:
			a.work.Go(func() { worker.Find(*job) })
		}
	case erasure.Found:
		requestID, bodies, err := a.erasures.Stop(a.sees, m)
		if err != nil {
			a.work.Go(func() { worker.Withdraw(err) })
			return
		}
		a.emit(requestID, bodies...)
		a.then(act{
			effect: func() {
				saves := a.writes.Of(m.Scope.Conversations)
				a.work.Go(func() { worker.Scope(saves) })
			},
			lost: func() { a.erase(erasure.Ended{Err: ErrBroken}) },
		})
	case erasure.Scoped:
		a.tellErased(m)
	case erasure.Redacted:
		for _, row := range m.Rows.Commands {
			a.answers.Forget(row.SpectatorID, row.RequestID)
		}
		a.erasures.Redacted()
	case erasure.Ended:
		if done := a.erasures.End(m); done.Answer != nil {
			done.Answer(m.Receipt, m.Err)
		}
		for next, ok := a.erasures.Next(); ok; next, ok = a.erasures.Next() { // one that is refused does not begin
			a.erase(next)
		}
		for _, held := range a.erasures.Rest() {
			a.onMessage(held)
		}
	}
}

// tellErased decides history:erased: from here on nothing of it is in memory, and nobody
// reads the tables until they are redacted.
func (a *actor) tellErased(m erasure.Scoped) {
	if a.outbox.Broken() != nil {
		a.erase(erasure.Ended{Err: ErrBroken})
		return
	}
	asked, bodies := a.erasures.Tell(a.sees, m)
	a.by = asked.Erasure.Who
	defer func() { a.by = "" }()
	a.emit(asked.RequestID, bodies...)
	if a.outbox.Broken() != nil {
		a.erase(erasure.Ended{Err: ErrBroken})
		return
	}
	if asked.Command != nil {
		a.answers.Remember(*asked.Command, a.sees.Clock.Wall)
		a.outbox.Answer(*asked.Command)
	}
	seq := a.world.Tick
	a.forget(a.erasures.Told(seq, a.audience.Mark()))
	a.then(act{
		effect: func() {
			if told, _, ok := a.erasures.Shown(seq); ok {
				a.work.Go(func() { a.erasures.Worker.Redact(told, a.saved.Writer()) })
			}
		},
		lost: func() { a.erase(erasure.Ended{Err: erasure.ErrCutShort}) }, // whether it is told the next opening sees
	})
}

// forget takes what is erased out of the actor's memory.
func (a *actor) forget(scope world.Scope, red *world.Redactor) {
	a.talks.Erase(scope, red)
	a.answers.Erase(scope)
	gone, members := a.saved.Vaults.Redact(red, a.sees.Clock.Now)
	a.saveVaults(checkpoint.Saving{Members: members})
	for _, k := range a.sees.Kinds.All {
		if e, ok := k.(kind.Editor); ok {
			e.Redact(red.WithoutQuotes)
		}
	}
	a.runs.Forget(red)
	a.r.noteErased(a.world.Erased)
	a.out(commit.Entry{Frame: a.audience.Forget(a.r.Erased)})
	a.erasures.Forgotten(gone, a.picture(nil))
}

// eraseFor is the turn of history:erase.
func (a *actor) eraseFor(in Input, c *wire.HistoryErase) {
	gone := func(id string) bool { return a.erasures.Gone(a.world, id) }
	if gone(in.From.SpectatorID) && !gone(c.SpectatorID) && !gone(c.ConversationID) {
		a.refuse(in, erasure.ErrUnknownPerson) // what has gone already they may ask for again: they were cut off by it
		return
	}
	m := erasure.Request{
		Erasure:   world.Erasure{SpectatorID: c.SpectatorID, Reason: world.ErasedOnRequest, Who: in.From.SpectatorID},
		RequestID: in.RequestID,
		Answer: func(receipt world.Receipt, err error) {
			var e *wire.Error
			switch {
			case err == nil:
				a.out(commit.Entry{Reply: a.audience.Encode(&wire.Erased{RequestID: in.RequestID, Receipt: receipt}), To: in.To})
			case errors.As(err, &e):
				a.refuse(in, e)
			default:
				a.refuse(in, wire.Errorf(wire.Internal,
					"it could not be erased; nothing was changed, and the server's log says more"))
			}
		},
	}
	if c.ConversationID != "" {
		m.Erasure.Conversations = []string{c.ConversationID}
	}
	if in.RequestID != "" {
		m.Command = &world.CommandRow{
			SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: command.Hash(c), At: a.sees.Clock.Wall,
			Reply: a.audience.Encode(&wire.CommandReply{RequestID: in.RequestID, Command: c.CommandType()}),
		}
	}
	if strings.TrimSpace(m.Erasure.Who) == "" {
		m.Erasure.Who = "server"
	}
	a.erase(m)
}
