package realm

import (
	"time"

	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/shared/world"
)

// When the world is saved, and what members have learned: the actor takes pictures and hands
// vaults over; server/realm/checkpoint writes them.

// checkpointDue is when the next checkpoint is to be taken, zero for not.
func (a *actor) checkpointDue() time.Time {
	if a.broken != nil {
		return time.Time{}
	}
	return a.saved.Due()
}

// checkpoint takes a picture of the world when it is time; it is encoded and written
// elsewhere.
func (a *actor) checkpoint() {
	due := a.checkpointDue()
	if due.IsZero() || a.now.Before(due) {
		return
	}
	if len(a.vaults.Changed()) == 0 && a.vaults.MarkDue(a.world.Tick) {
		a.saveVaults()
	}
	a.saved.Take(a.picture())
}

// picture is the realm as it is now.
func (a *actor) picture() *checkpoint.Picture {
	a.letGo()
	return checkpoint.NewPicture(checkpoint.Moment{
		Epoch: a.epoch, At: a.calendar.now, World: a.world.Clone(), Land: a.r.Land(), Views: a.views(), Info: a.info(),
	})
}

func (a *actor) onEncoded(e checkpoint.Encoded) {
	if err := a.saved.OnEncoded(e, max(a.r.feed.ErasedAt(), a.erasures.Least()), a.head); err != nil {
		a.breakdown(err)
	}
}

// firstCheckpoints begin with what the folder gave back, before anything else happens: all
// of it is committed.
func (a *actor) firstCheckpoints(cfg *Config) *checkpoint.Checkpoints {
	saved := &cfg.Saved
	a.letGo()
	first := checkpoint.Config{
		Files: cfg.Files, Journal: cfg.Journal, Log: a.log, Saved: cfg.Summary, BaseSeq: saved.BaseSeq, BaseAt: a.now,
		Base: checkpoint.NewPicture(checkpoint.Moment{
			Epoch: a.epoch, At: a.calendar.now, World: a.world.Clone(), Land: a.r.Land(), Views: a.views(), Info: a.info(),
			State: saved.Encoded,
		}),
	}
	// Of realms that are used for an hour a day, too, a base is saved each day.
	if at := saved.BaseAt.Go(); saved.BaseAt > 0 && at.Before(a.now) {
		first.BaseAt = at
	}
	return checkpoint.New(first)
}

// lastCheckpoint is the stop's: synchronous, of what is committed.
func (a *actor) lastCheckpoint() error {
	if a.broken != nil || a.world.Tick != a.head {
		return a.saved.Finish(nil) // the journal has what was shown; the next start folds it
	}
	return a.saved.Finish(a.picture())
}

// saveVaults hands over every vault that has changed, and then that the files hold all.
func (a *actor) saveVaults() {
	for _, id := range a.vaults.Changed() {
		a.saveVault(id)
	}
	m := a.vaults.Mark(a.epoch, a.world.Tick)
	a.out(entry{effect: func() { a.saved.Writer().MarkVaults(m) }})
}

// saveVault hands a vault over once everything in it is committed: a file must not stand at
// a seq that the journal does not have.
func (a *actor) saveVault(memberID string) {
	file, size, ok := a.vaults.File(memberID, a.epoch, a.world.Tick, a.at())
	if !ok {
		return
	}
	a.out(entry{effect: func() { a.saved.Writer().PutVault(file) }, holds: size})
}

// newInsights counts, by member, what the journal does not have yet.
func (a *actor) newInsights() map[string]int {
	newer := map[string]int{}
	for _, e := range a.outbox.entries {
		if e.record == nil {
			continue
		}
		if k, ok := e.record.Event.Body.(*world.KnowledgeUpdated); ok {
			newer[k.AgentID]++
		}
	}
	return newer
}
