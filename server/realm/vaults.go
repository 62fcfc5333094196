package realm

import (
	"time"

	"agentdungeon/shared/world"
)

// What members have learned: kept in memory, written to their files by and by.

// learn adds to a member's vault; it is saved within a minute and when the member
// leaves (S3-14).
func (a *actor) learn(memberID string, in world.Insight) {
	v := a.vaults[memberID]
	if v == nil {
		v = &world.Vault{AgentID: memberID}
		a.vaults[memberID] = v
	}
	v.Insights = append(v.Insights, in)
	if over := len(v.Insights) - world.MaxInsights; over > 0 {
		v.Insights = append([]world.Insight(nil), v.Insights[over:]...)
	}
	a.vaultDirty[memberID] = true
	if a.vaultDue.IsZero() {
		a.vaultDue = a.now.Add(vaultEvery)
	}
}

// vaultEvery bounds how long something learned stays unsaved (S3-14).
const vaultEvery = 60 * time.Second

func (a *actor) saveVaults() {
	for id := range a.vaultDirty {
		a.saveVault(id)
	}
}

func (a *actor) saveVault(memberID string) {
	if !a.vaultDirty[memberID] {
		return
	}
	delete(a.vaultDirty, memberID)
	v := *a.vaults[memberID]
	v.Insights = append([]world.Insight(nil), v.Insights...)
	v.SavedAt = world.TimeOf(a.now)
	a.keeping.putVault(v)
}
