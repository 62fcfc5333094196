package realm

import (
	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/server/realm/view"
)

// checkpoint takes a Picture of the realm (its state after the last event) if the time that Checkpoints.Due returns
// has come.
func (a *actor) checkpoint() {
	due := a.saved.Due()
	if due.IsZero() || a.realm.Clock.Now.Before(due) {
		return
	}
	if len(a.saved.Vaults.Changed()) == 0 && a.saved.Vaults.MarkDue(a.realm.World.Tick) {
		a.saveVaults()
	}
	a.saved.Take(a.picture(nil))
}

// picture returns a Picture of the realm: its state after the last event. encoded is its world with its land as
// world.EncodeState returns them, or nil to encode them when they are needed.
func (a *actor) picture(encoded []byte) *checkpoint.Picture {
	a.talks.Unload(a.realm, a.outbox.Head())
	land := a.handle.Land()
	return checkpoint.NewPicture(checkpoint.Content{
		Epoch: a.outbox.History().Epoch, At: a.realm.Clock.Wall, World: a.realm.World.Clone(), Land: land,
		Views: view.All(a.realm), Info: view.Info(a.realm, land), State: encoded,
	})
}

// newCheckpoints returns the checkpoints of a realm that opens.
func newCheckpoints(cfg *Config) *checkpoint.Checkpoints {
	saved, now := &cfg.Saved, clock()
	c := checkpoint.Config{
		Files: cfg.Files, Journal: cfg.Journal, Log: cfg.Log.With().Str("realm", saved.Realm.ID).Logger(), Saved: cfg.Summary,
		BaseSeq: saved.BaseSeq, BaseAt: now, Vaults: checkpoint.NewVaults(saved.Vaults, saved.VaultsAt, now),
	}
	// The age of the base continues over openings, so that a realm that is open for only one hour a day also
	// gets a base each day.
	if at := saved.BaseAt.Go(); saved.BaseAt > 0 && at.Before(now) {
		c.BaseAt = at
	}
	return checkpoint.New(c)
}

// saveVaults writes the changed vaults of the given members. It writes a vault once all insights in the vault are
// durable, because the file of a vault must not be ahead of the journal. If no members are given, it writes all
// changed vaults, and then stores in the journal up to which event the files are complete (VaultMark).
func (a *actor) saveVaults(members ...string) {
	all := len(members) == 0
	if all {
		members = a.saved.Vaults.Changed()
	}
	for _, id := range members {
		file, size, ok := a.saved.Vaults.File(id, a.outbox.History().Epoch, a.realm.World.Tick, a.realm.At())
		if ok {
			a.outbox.Then(size, func() { a.saved.Writer().PutVault(file) })
		}
	}
	if all {
		mark := a.saved.Vaults.Mark(a.outbox.History().Epoch, a.realm.World.Tick)
		a.outbox.Then(0, func() { a.saved.Writer().MarkVaults(mark) })
	}
}
