package realm

import (
	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/view"
)

// When the world is saved, and what members have learned: the actor takes pictures and hands
// vaults over; server/realm/checkpoint writes them.

// checkpoint takes a picture of the world when it is time; it is encoded and written
// elsewhere.
func (a *actor) checkpoint() {
	due := a.saved.Due()
	if due.IsZero() || a.sees.Clock.Now.Before(due) {
		return
	}
	if len(a.saved.Vaults.Changed()) == 0 && a.saved.Vaults.MarkDue(a.world.Tick) {
		a.saveVaults(a.saved.Vaults.All())
	}
	a.saved.Take(a.picture(nil))
}

// picture is the realm as it is now; state is its world and land as JSON, nil where nobody has
// encoded that.
func (a *actor) picture(state []byte) *checkpoint.Picture {
	a.talks.LetGo(a.sees, a.outbox.Head())
	land := a.r.Land()
	return checkpoint.NewPicture(checkpoint.Moment{
		Epoch: a.outbox.History().Epoch, At: a.sees.Clock.Wall, World: a.world.Clone(), Land: land,
		Views: view.All(a.sees), Info: view.Info(a.sees, land), State: state,
	})
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

// saveVaults hands vaults over once everything in them is committed: a file must not stand at a seq
// that the journal does not have.
func (a *actor) saveVaults(which checkpoint.Saving) {
	for effect, size := range a.saved.Vaults.Hand(which, a.outbox.History().Epoch, a.world.Tick, a.sees.At()) {
		a.out(commit.Entry{Effect: effect, Holds: size})
	}
}
