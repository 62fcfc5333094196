package storetest

import (
	"agentdungeon/shared/world"
)

// Learns commits one insight of a member for each text.
func (r *Rig) Learns(member string, texts ...string) {
	r.T.Helper()
	for _, text := range texts {
		r.Commit(&world.KnowledgeUpdated{AgentID: member, Area: "door", Text: text})
	}
}

// Saves writes a member's vault and then its mark, as the actor does.
func (r *Rig) Saves(member string, texts ...string) {
	r.T.Helper()
	v := world.Vault{AgentID: member, Epoch: r.O.Saved.Epoch, Seq: r.W.Tick}
	for _, text := range texts {
		v.Insights = append(v.Insights, world.Insight{Area: "door", Text: text, At: r.At})
	}
	Must(r.T, r.O.Files.WriteVault(v))
	Must(r.T, r.O.Journal.MarkVaults(world.VaultMark{Epoch: v.Epoch, Seq: v.Seq, Vaults: map[string]int64{member: v.Seq}}))
}
