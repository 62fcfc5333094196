package checkpoint

import (
	"iter"
	"maps"
	"slices"
	"time"

	"agentdungeon/shared/world"
)

const (
	// vaultEvery is the maximum time for which the file of a vault may lack an insight (S3-14).
	vaultEvery = 60 * time.Second
	// vaultMarks limits how many events an opening searches for insights: it searches all events after the last stored
	// world.VaultMark. A new VaultMark is stored after each vaultMarks events, even if no member has learned anything.
	vaultMarks = 10_000
)

// Vaults holds what members have learned. A vault is written to its file within vaultEvery after an insight;
// an opening takes insights that the file lacks from the journal. Only the realm's actor calls the methods.
type Vaults struct {
	byMember map[string]*world.Vault
	changed  map[string]bool // the ids of members whose file differs from the vault
	due      time.Time       // when the changed vaults are to be written; zero if none has changed
	marked   int64           // the seq of the last VaultMark, up to which the files have all insights
}

// NewVaults returns the vaults in list, which an opening has read. at is the event up to which the files are
// complete (the stored VaultMark).
func NewVaults(list []world.Vault, at int64, now time.Time) *Vaults {
	v := &Vaults{byMember: map[string]*world.Vault{}, changed: map[string]bool{}, marked: at}
	for _, vault := range list {
		v.byMember[vault.AgentID] = &vault
		if vault.Behind {
			v.touch(vault.AgentID, now)
		}
	}
	return v
}

// Of returns the insights of a member, the oldest first. The caller must not modify the result.
func (v *Vaults) Of(memberID string) []world.Insight {
	if vault := v.byMember[memberID]; vault != nil {
		return vault.Insights
	}
	return nil
}

// Learn adds the insight of the event b to the vault of its agent.
func (v *Vaults) Learn(b *world.KnowledgeUpdated, at world.Time, now time.Time) {
	vault := v.byMember[b.AgentID]
	if vault == nil {
		vault = &world.Vault{AgentID: b.AgentID}
		v.byMember[b.AgentID] = vault
	}
	vault.Insights = append(vault.Insights, b.Insight(at))
	if over := len(vault.Insights) - world.MaxInsights; over > 0 {
		vault.Insights = slices.Clone(vault.Insights[over:])
	}
	v.touch(b.AgentID, now)
}

func (v *Vaults) touch(memberID string, now time.Time) {
	v.changed[memberID] = true
	if v.due.IsZero() {
		v.due = now.Add(vaultEvery)
	}
}

// Redact removes the insights that an erasure covers. It returns how many it has removed, and the members that
// had them.
func (v *Vaults) Redact(red *world.Redactor, now time.Time) (gone int, members []string) {
	for id, vault := range v.byMember {
		left := *vault
		if n := red.Vault(&left); n > 0 {
			gone += n
			v.byMember[id] = &left
			v.touch(id, now)
			members = append(members, id)
		}
	}
	return gone, members
}

// Due returns when the changed vaults must be saved, zero for never.
func (v *Vaults) Due() time.Time { return v.due }

// Changed returns the members whose files differ from their vaults.
func (v *Vaults) Changed() []string { return slices.Collect(maps.Keys(v.changed)) }

// MarkDue reports whether a VaultMark must be stored at the event seq even if no vault has changed.
func (v *Vaults) MarkDue(seq int64) bool { return seq-v.marked >= vaultMarks }

// File returns a member's vault as of the event seq, in the form of its file, and its approximate size in bytes. ok is
// false if the file is up to date. After the call, Changed no longer returns the member.
func (v *Vaults) File(memberID, epoch string, seq int64, at world.Time) (file world.Vault, size int, ok bool) {
	if !v.changed[memberID] {
		return world.Vault{}, 0, false
	}
	delete(v.changed, memberID)
	vault := v.byMember[memberID]
	vault.Epoch, vault.Seq, vault.SavedAt = epoch, seq, at
	file = *vault
	file.Insights = slices.Clone(vault.Insights)
	for _, in := range file.Insights {
		size += len(in.Area) + len(in.Text)
	}
	return file, size, true
}

// Mark returns the VaultMark that must be stored after all results of File have been written.
func (v *Vaults) Mark(epoch string, seq int64) world.VaultMark {
	m := world.VaultMark{Epoch: epoch, Seq: seq, Vaults: make(map[string]int64, len(v.byMember))}
	for id, vault := range v.byMember {
		m.Vaults[id] = vault.Seq
	}
	v.marked, v.due = seq, time.Time{}
	return m
}

// Committed returns all vaults as of the event head, the last committed one. It leaves out the insights of the
// events in unsaved.
func (v *Vaults) Committed(epoch string, head int64, at world.Time, unsaved iter.Seq[*world.Record]) []world.Vault {
	newer := map[string]int{}
	for r := range unsaved {
		if k, ok := r.Event.Body.(*world.KnowledgeUpdated); ok {
			newer[k.AgentID]++
		}
	}
	var out []world.Vault
	for id, vault := range v.byMember {
		c := *vault
		c.Insights = slices.Clone(vault.Insights[:max(0, len(vault.Insights)-newer[id])])
		c.Epoch, c.Seq, c.SavedAt = epoch, head, at
		out = append(out, c)
	}
	return out
}
