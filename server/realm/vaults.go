package realm

import (
	"slices"
	"time"

	"agentdungeon/shared/world"
)

// What members have learned: kept in memory, written to their files by and by. The journal
// has each insight before anybody sees it; what a file lacks an opening takes from there.

// learn adds to a member's vault what an event says; the vault is saved within a minute and
// when the member leaves (S3-14).
func (a *actor) learn(b *world.KnowledgeUpdated, at world.Time) {
	v := a.vaults[b.AgentID]
	if v == nil {
		v = &world.Vault{AgentID: b.AgentID}
		a.vaults[b.AgentID] = v
	}
	v.Insights = append(v.Insights, world.Insight{Area: b.Area, Text: b.Text, At: at})
	if over := len(v.Insights) - world.MaxInsights; over > 0 {
		v.Insights = append([]world.Insight(nil), v.Insights[over:]...)
	}
	a.vaultChanged(b.AgentID)
}

// vaultChanged has a vault written within vaultEvery.
func (a *actor) vaultChanged(memberID string) {
	a.vaultDirty[memberID] = true
	if a.vaultDue.IsZero() {
		a.vaultDue = a.now.Add(vaultEvery)
	}
}

const (
	// vaultEvery bounds how long something learned stays out of its file (S3-14).
	vaultEvery = 60 * time.Second
	// vaultMarks is how many events may follow the last mark until another is kept although
	// nobody has learned anything: an opening looks at so many in vain.
	vaultMarks = 10_000
)

// saveVaults hands over every vault that has changed, and then that the files hold all.
func (a *actor) saveVaults() {
	for id := range a.vaultDirty {
		a.saveVault(id)
	}
	m := world.VaultMark{Epoch: a.epoch, Seq: a.world.Tick, Vaults: make(map[string]int64, len(a.vaults))}
	for id, v := range a.vaults {
		m.Vaults[id] = v.Seq
	}
	a.vaultsAt = m.Seq
	a.out(entry{effect: func() { a.keeping.markVaults(m) }})
}

// saveVault hands a vault over once everything in it is committed: a file must not stand at
// a seq that the journal does not have.
func (a *actor) saveVault(memberID string) {
	if !a.vaultDirty[memberID] {
		return
	}
	delete(a.vaultDirty, memberID)
	v := a.vaults[memberID]
	v.Epoch, v.Seq, v.SavedAt = a.epoch, a.world.Tick, a.at()
	file, size := *v, 0
	file.Insights = slices.Clone(v.Insights)
	for _, in := range file.Insights {
		size += len(in.Area) + len(in.Text)
	}
	a.out(entry{effect: func() { a.keeping.putVault(file) }, holds: size})
}
