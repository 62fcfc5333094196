package checkpoint

import (
	"iter"
	"slices"
	"time"

	"agentdungeon/shared/world"
)

const (
	// vaultEvery bounds how long something learned stays out of its file (S3-14).
	vaultEvery = 60 * time.Second
	// vaultMarks is how many events may follow the last mark until another is kept although
	// nobody has learned anything: an opening looks at so many in vain.
	vaultMarks = 10_000
)

// Vaults are what members have learned, kept in memory and written to their files within a
// minute. The journal has each insight before anybody sees it; what a file lacks an opening
// takes from there. One goroutine, the realm's actor, calls its methods.
type Vaults struct {
	byMember map[string]*world.Vault
	changed  map[string]bool // members whose file lacks something
	due      time.Time       // zero: nothing is to be written
	marked   int64           // the seq of the last mark
}

// NewVaults takes the vaults as they were read; at is the seq of the mark that was kept.
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

// Of is what a member has learned, the oldest first, nil for nothing. It is not to be changed.
func (v *Vaults) Of(memberID string) []world.Insight {
	if vault := v.byMember[memberID]; vault != nil {
		return vault.Insights
	}
	return nil
}

// Learn adds what an event says.
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

// Redact takes out what an erasure is of. It gives how many insights went and the members
// whose files are to be written.
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

// Due is when Changed are to be saved, zero for not.
func (v *Vaults) Due() time.Time { return v.due }

// Changed are the members whose files lack something.
func (v *Vaults) Changed() []string {
	out := make([]string, 0, len(v.changed))
	for id := range v.changed {
		out = append(out, id)
	}
	return out
}

// Saving says which vaults are handed over to be written.
type Saving struct {
	Members []string
	Mark    bool // and then how far the files hold what the journal says
}

// All are the vaults whose files lack something, and the mark after them.
func (v *Vaults) All() Saving { return Saving{Members: v.Changed(), Mark: true} }

// Hand yields a world.Vault for each of these members whose file lacks something, as the file is to
// hold it at an event, and then the world.VaultMark; each with about how many bytes it has.
func (v *Vaults) Hand(which Saving, epoch string, seq int64, at world.Time) iter.Seq2[any, int] {
	return func(yield func(any, int) bool) {
		for _, id := range which.Members {
			if file, size, ok := v.file(id, epoch, seq, at); ok && !yield(file, size) {
				return
			}
		}
		if which.Mark {
			yield(v.mark(epoch, seq), 0)
		}
	}
}

// MarkDue says that a mark is to be kept although nobody may have learned anything.
func (v *Vaults) MarkDue(seq int64) bool { return seq-v.marked >= vaultMarks }

// file is a member's vault as its file is to hold it, standing at an event, and about how many
// bytes it has. ok is false where the file lacks nothing.
func (v *Vaults) file(memberID, epoch string, seq int64, at world.Time) (file world.Vault, size int, ok bool) {
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

// mark says how far the files hold what the journal says, once all that file has given is
// written.
func (v *Vaults) mark(epoch string, seq int64) world.VaultMark {
	m := world.VaultMark{Epoch: epoch, Seq: seq, Vaults: make(map[string]int64, len(v.byMember))}
	for id, vault := range v.byMember {
		m.Vaults[id] = vault.Seq
	}
	v.marked, v.due = seq, time.Time{}
	return m
}

// Committed are all vaults at the last committed event, without the insights of the events that
// are not committed.
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
