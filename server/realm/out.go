package realm

import (
	"errors"

	"agentdungeon/server/realm/commit"
	"agentdungeon/shared/world"
)

// What leaves the actor: everything goes through one line (package commit), in the order in
// which it was decided.

// out puts an entry in line.
func (a *actor) out(e commit.Entry) {
	if due, now := a.outbox.Out(e); now {
		a.does(due)
	}
}

// act is an effect that is a step of the actor: done once all before it is durable, or lost
// instead, or unsaved; those two may be nil. holds is how many bytes it keeps.
type act struct {
	effect, lost, unsaved func()
	holds                 int
}

// then has a step done once all that was decided is durable.
func (a *actor) then(e act) {
	a.out(commit.Entry{Effect: e, Holds: e.holds, Impatient: e.unsaved != nil})
}

// shownErasure is the effect of history:erased at a seq, right before it is shown.
type shownErasure struct{ seq int64 }

// does an effect whose moment has come.
func (a *actor) does(due commit.Due) {
	switch e := due.Effect.(type) {
	case act:
		step := e.effect
		switch due.Outcome {
		case commit.Lost:
			step = e.lost
		case commit.Unsaved:
			step = e.unsaved
		}
		if step != nil {
			step()
		}
	case liveReply:
		if due.Outcome == commit.Durable && e.to.To != nil {
			e.rows.Overlays = a.runs.Overlays(e.rows.ConversationID)
			e.to.To.Send(a.audience.Encode(e.rows))
		}
	case shownErasure: // viewers that have not had what came before it come back for the world after it
		if told, mark, ok := a.erasures.Shown(e.seq); ok {
			a.audience.Erased(mark, e.seq, told.Scope)
			a.saved.Erased(told.After)
		}
	case world.Vault:
		if due.Outcome == commit.Durable {
			a.saved.Writer().PutVault(e)
		}
	case world.VaultMark:
		if due.Outcome == commit.Durable {
			a.saved.Writer().MarkVaults(e)
		}
	}
}

// onCommit is the actor's turn when the committer reports.
func (a *actor) onCommit(res commit.Result) {
	due, broken := a.outbox.On(res)
	if broken != nil {
		a.breakdown(broken)
		return
	}
	for d := range due {
		a.does(d)
	}
	a.saved.Committed(a.outbox.Head())
	a.audience.Based(a.saved.Base().Seq())
}

// breakdown makes the realm readable only: what was shown stays, nothing more is decided.
func (a *actor) breakdown(err error) {
	if a.outbox.Broken() != nil {
		return
	}
	lost := a.outbox.Break(err)
	a.plans.Stop()
	a.saved.Stop()
	a.runs.DropAll() // their time limits would come for ever
	if errors.Is(err, world.ErrMoved) && a.outbox.CanRescue() {
		// It is written elsewhere: what is committed of memory, and the newest picture whose events
		// are all committed. Of one from before an erasure the journal has the one after it.
		m := world.Memory{Vaults: a.saved.Vaults.Committed(
			a.outbox.History().Epoch, a.outbox.Head(), world.TimeOf(a.sees.Clock.Now), a.outbox.Unsaved)}
		for _, s := range a.sees.Texts {
			m.Skills = append(m.Skills, s)
		}
		base := a.saved.Base()
		if base.Seq() < max(a.r.feed.ErasedAt(), a.erasures.Least()) {
			base = nil
		}
		a.r.rescuing.Store(true)
		a.outbox.Rescue(m, base)
	}
	for d := range lost {
		a.does(d)
	}
}
