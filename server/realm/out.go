package realm

import (
	"errors"

	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/view"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Everything that leaves the actor goes through the outbox and keeps the order in which the actor decided it.

// answer sends a frame to the sender of a command. A snapshot gets its overlays (the words of open rows) only when it
// leaves the outbox: a snapshot may wait there for the disk, and the overlays must have the newest words.
func (a *actor) answer(in Input, f wire.Frame) {
	rows, ok := f.(*wire.Snapshot)
	if ok && a.outbox.Broken() != nil {
		rows.Overlays = a.runs.Overlays(rows.ConversationID)
	}
	if !ok || a.outbox.Broken() != nil {
		a.outbox.Out(commit.Entry{Reply: a.audience.Encode(f), To: in.To})
		return
	}
	size := 0
	for _, m := range rows.Messages {
		size += view.RowBytes(m)
	}
	a.outbox.Then(size, func() {
		if in.To != nil {
			rows.Overlays = a.runs.Overlays(rows.ConversationID)
			in.To.Send(a.audience.Encode(rows))
		}
	})
}

// refuse answers a command with an error.
func (a *actor) refuse(in Input, e *wire.Error) {
	a.answer(in, refusal(in, e))
	if in.outcome != nil {
		in.outcome <- e
	}
}

func refusal(in Input, e *wire.Error) wire.Frame {
	return &wire.ErrorFrame{RequestID: in.RequestID, Code: e.Code, Message: e.Message}
}

// breakdown makes the realm read-only after the error err. Clients keep what they were shown, and the actor emits no
// more events. Commands that only read are still answered.
func (a *actor) breakdown(err error) {
	if a.outbox.Broken() != nil {
		return
	}
	a.outbox.Break(err)
	a.plans.Stop()
	a.saved.Stop()
	a.runs.DropAll() // a run that stays would be due at its time limit again and again
	if errors.Is(err, world.ErrMoved) && a.outbox.CanRescue() {
		m := world.Memory{Vaults: a.saved.Vaults.Committed(
			a.outbox.History().Epoch, a.outbox.Head(), world.TimeOf(a.realm.Clock.Now), a.outbox.Unsaved)}
		for _, s := range a.realm.Texts {
			m.Skills = append(m.Skills, s)
		}
		base := a.saved.Base()
		// Do not rescue from a Picture that contains erased words. The journal has a newer base without them.
		if base.Seq() < a.erasures.Least(a.handle.feed.ErasedAt()) {
			base = nil
		}
		a.handle.rescuing.Store(true)
		a.outbox.Rescue(m, base)
	}
	a.outbox.End(commit.Lost)
}
