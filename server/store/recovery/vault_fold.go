package recovery

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// The journal stores an insight before any client sees it; the insight's vault file is written up to a minute later.
// An opening adds to each vault the insights that only the journal has, so that a kill loses no insight that was
// shown (S3-14). It also rebuilds a missing or damaged vault from all events in the journal. An erased insight has
// no text in the journal, so it is not added.

// learned is an insight and the seq of the event that added it.
type learned struct {
	seq int64
	world.Insight
}

// foldVaults sets s.Vaults to the loaded vaults, and adds the insights that only the journal has. bad has the names of
// the files that were not loaded, as LoadVaults returns them; a file of a newer version stays as it is. unread reports
// damaged events, which are skipped. An error comes from the disk.
func foldVaults(ctx context.Context, j *journal.Journal, s *world.Saved, loaded []world.Vault,
	bad []string) (unread []error, err error) {
	f := vaultFold{ctx: ctx, lines: s.Lines, floor: j.Floor(), untouched: map[string]bool{}}
	for _, name := range bad {
		f.untouched[strings.TrimSuffix(name, ".json")] = true
	}
	err = j.View(func(db *sql.DB) error {
		return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) (err error) {
			f.q = q
			s.Vaults, s.VaultsAt, err = f.fold(loaded)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read what members have learned: %w", err)
	}
	return f.unread, nil
}

// maxUnread limits the damaged events and blocks that are reported.
const maxUnread = 10

type vaultFold struct {
	ctx   context.Context
	q     sqlite.Queryer
	lines []world.Line
	floor int64
	// untouched has the ids of the members whose vault file must not be changed, because a newer version wrote the file.
	untouched map[string]bool
	unread    []error
}

// skipDamage notes an error about damage, so that the reading goes on, and returns nil. It returns any other error.
func (f *vaultFold) skipDamage(err error) error {
	if err == nil || !sqlite.IsDamage(err) {
		return err
	}
	f.report(err)
	return nil
}

func (f *vaultFold) report(err error) {
	if len(f.unread) < maxUnread {
		f.unread = append(f.unread, fmt.Errorf("an insight that a member has learned may be lost: %w", err))
	}
}

// fold returns the vaults with the later insights of the journal added, sorted by member. at is the event up to
// which the vault files are complete. fold reads all events of the journal if it has no VaultMark, or if a vault
// file is missing, is older than the VaultMark says, or belongs to another journal.
func (f *vaultFold) fold(vaults []world.Vault) (out []world.Vault, at int64, err error) {
	mark, err := f.mark()
	if err != nil {
		return nil, 0, err
	}
	at, known := f.position(mark.Epoch, mark.Seq)
	if !known {
		at, mark.Vaults = f.floor-1, nil
	}
	from := at
	loaded := map[string]bool{}
	for _, v := range vaults {
		loaded[v.AgentID] = true
		if _, known := f.position(v.Epoch, v.Seq); !known || v.Seq < mark.Vaults[v.AgentID] {
			from = f.floor - 1 // the file has no position, or an older one than the mark says: search all events
		}
	}
	for id := range mark.Vaults {
		if !loaded[id] && !f.untouched[id] {
			from = f.floor - 1 // the vault file of this member is missing or was set aside: search all events
		}
	}
	insights, err := f.read(from)
	if err != nil {
		return nil, 0, err
	}
	for _, v := range vaults {
		out = append(out, f.add(v, insights[v.AgentID]))
		delete(insights, v.AgentID)
	}
	for id, all := range insights {
		if len(out) < files.MaxVaults {
			out = append(out, f.add(world.Vault{AgentID: id, Insights: []world.Insight{}}, all))
		}
	}
	slices.SortFunc(out, func(a, b world.Vault) int { return cmp.Compare(a.AgentID, b.AgentID) })
	return out, at, nil
}

// mark returns the stored VaultMark. If it cannot be read, mark returns an empty one; fold then reads all events.
func (f *vaultFold) mark() (m world.VaultMark, err error) {
	raw, err := tables.ReadMeta(f.ctx, f.q, tables.MetaVaults)
	if err == nil && raw != "" {
		if bad := json.Unmarshal([]byte(raw), &m); bad != nil {
			m, err = world.VaultMark{}, sqlite.Damaged(bad)
		}
	}
	return m, f.skipDamage(err)
}

// position finds the place in this journal up to which a vault file has all insights. epoch and seq are the position
// that the file names. at is seq, or the last event of the epoch if the journal has lost the events after it. known is
// false if the journal does not have the epoch.
func (f *vaultFold) position(epoch string, seq int64) (at int64, known bool) {
	for i, l := range f.lines {
		if l.Epoch != epoch || epoch == "" {
			continue
		}
		if i+1 < len(f.lines) {
			seq = min(seq, f.lines[i+1].FromSeq-1)
		}
		return seq, true
	}
	return 0, false
}

// add returns the vault v with the insights that it lacks. all has the insights of the same member in the journal, in
// order.
func (f *vaultFold) add(v world.Vault, all []learned) world.Vault {
	at, known := f.position(v.Epoch, v.Seq)
	if !known && len(v.Insights) > 0 {
		// The file has no position in this journal: an older version wrote it, or it belongs to a journal that is lost. So
		// add the insights that are newer than the newest insight in the file.
		newest := v.Insights[len(v.Insights)-1]
		for _, l := range all {
			if l.Area == newest.Area && l.Text == newest.Text && l.At == newest.At {
				at = l.seq
			}
		}
	}
	had := len(v.Insights)
	for _, l := range all {
		if l.seq > at {
			v.Insights = append(v.Insights, l.Insight)
		}
	}
	v.Behind = (len(v.Insights) > had || !known) && !f.untouched[v.AgentID]
	if over := len(v.Insights) - world.MaxInsights; over > 0 {
		v.Insights = slices.Clone(v.Insights[over:])
	}
	return v
}

// read returns the insights of the events after a seq, by member and in order, at most the newest
// world.MaxInsights of each member.
func (f *vaultFold) read(after int64) (map[string][]learned, error) {
	insights := map[string][]learned{}
	knowledgeUpdated := (*world.KnowledgeUpdated)(nil).EventType()
	lost := func(span tables.Span, err error) {
		if !errors.Is(err, tables.ErrGap) { // a gap is not reported again: the opening that recorded it has reported it
			f.report(fmt.Errorf("events %d to %d: %w", span.From, span.To, err))
		}
	}
	err := tables.EachEvent(f.ctx, f.q, after, true, lost, func(e *tables.EventRow) (bool, error) {
		if e.Type != knowledgeUpdated {
			return true, nil
		}
		ev, err := e.Event()
		if err != nil {
			return true, f.skipDamage(err)
		}
		b, ok := ev.Body.(*world.KnowledgeUpdated)
		if !ok || b.Area == world.ErasedName && b.Text == "" {
			return true, nil
		}
		all := append(insights[b.AgentID], learned{e.Seq, b.Insight(ev.At)})
		if len(all) > 2*world.MaxInsights {
			all = slices.Clone(all[len(all)-world.MaxInsights:])
		}
		insights[b.AgentID] = all
		return true, nil
	})
	if err := f.skipDamage(err); err != nil {
		return nil, err
	}
	for id, all := range insights {
		insights[id] = all[max(0, len(all)-world.MaxInsights):]
	}
	return insights, nil
}
