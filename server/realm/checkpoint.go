package realm

import (
	"time"

	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/view"
)

// When the world is saved, and what members have learned: the actor takes pictures and hands
// vaults over; server/realm/checkpoint writes them.

// checkpointDue is when the next checkpoint is to be taken, zero for not.
func (a *actor) checkpointDue() time.Time {
	if a.outbox.Broken() != nil {
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
	if len(a.saved.Vaults.Changed()) == 0 && a.saved.Vaults.MarkDue(a.world.Tick) {
		a.saveVaults()
	}
	a.saved.Take(a.picture())
}

// letGo forgets conversations that nobody needs in memory: ended ones, sessions of parties
// but the one at hand, and chats and forges but for those that last spoke. All of theirs
// is committed, so the tables have it.
func (a *actor) letGo() {
	kept := view.Kept(a.sees)
	for id, talk := range a.talks {
		if !kept[id] && !a.erasures.Covers(id) && talk.LastSeq <= a.outbox.Head() && len(talk.Active()) == 0 {
			delete(a.talks, id)
		}
	}
}

// picture is the realm as it is now.
func (a *actor) picture() *checkpoint.Picture {
	a.letGo()
	return checkpoint.NewPicture(a.moment())
}

func (a *actor) moment() checkpoint.Moment {
	return checkpoint.Moment{
		Epoch: a.epoch, At: a.calendar.now, World: a.world.Clone(), Land: a.r.Land(), Views: view.All(a.sees),
		Info: view.Info(a.sees, a.r.Land()),
	}
}

func (a *actor) onEncoded(e checkpoint.Encoded) {
	if err := a.saved.OnEncoded(e, max(a.r.feed.ErasedAt(), a.erasures.Least()), a.outbox.Head()); err != nil {
		a.breakdown(err)
	}
}

// newCheckpoints are those of a realm that opens.
func newCheckpoints(cfg *Config) *checkpoint.Checkpoints {
	saved, now := &cfg.Saved, clock()
	c := checkpoint.Config{
		Files: cfg.Files, Journal: cfg.Journal, Log: cfg.Log.With().Str("realm", saved.Realm.ID).Logger(), Saved: cfg.Summary,
		BaseSeq: saved.BaseSeq, BaseAt: now, Vaults: checkpoint.NewVaults(saved.Vaults, saved.VaultsAt, now),
	}
	// Of realms that are used for an hour a day, too, a base is saved each day.
	if at := saved.BaseAt.Go(); saved.BaseAt > 0 && at.Before(now) {
		c.BaseAt = at
	}
	return checkpoint.New(c)
}

// lastCheckpoint is the stop's: synchronous, of what is committed.
func (a *actor) lastCheckpoint() error {
	if a.outbox.Broken() != nil || a.world.Tick != a.outbox.Head() {
		return a.saved.Finish(nil) // the journal has what was shown; the next start folds it
	}
	return a.saved.Finish(a.picture())
}

// saveVaults hands over every vault that has changed, and then that the files hold all.
func (a *actor) saveVaults() {
	for _, id := range a.saved.Vaults.Changed() {
		a.saveVault(id)
	}
	a.out(commit.Entry{Effect: a.saved.Vaults.Mark(a.epoch, a.world.Tick)})
}

// saveVault hands a vault over once everything in it is committed: a file must not stand at
// a seq that the journal does not have.
func (a *actor) saveVault(memberID string) {
	if file, size, ok := a.saved.Vaults.File(memberID, a.epoch, a.world.Tick, a.sees.At()); ok {
		a.out(commit.Entry{Effect: file, Holds: size})
	}
}
