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

// The journal has what members have learned before anybody sees it, the vault files up to a minute later. An
// opening adds to each vault what only the journal has, so that a kill loses no insight that was shown (S3-14).
// It rebuilds a missing or damaged vault, as far back as the journal reaches. Erased insights have no text in
// the journal any more and add nothing.

// knowledgeType is the type of the events that vaults are made of.
var knowledgeType = (*world.KnowledgeUpdated)(nil).EventType()

// learned is an insight and the event that reported it.
type learned struct {
	seq int64
	world.Insight
}

// foldVaults sets the vaults of s: the loaded ones, completed with later insights from the
// journal. bad are the files that were not loaded, as LoadVaults names them; a file of a newer
// version is not touched. Events that are damaged are skipped and listed in unread, at most
// maxUnread of them; err is an error of the disk.
func foldVaults(ctx context.Context, j *journal.Journal, s *world.Saved, loaded []world.Vault,
	bad []string) (unread []error, err error) {
	f := vaultFold{ctx: ctx, lines: s.Lines, floor: j.Floor(), left: map[string]bool{}}
	for _, name := range bad {
		f.left[strings.TrimSuffix(name, ".json")] = true
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

// maxUnread is the number of damaged events or blocks that are reported.
const maxUnread = 10

type vaultFold struct {
	ctx    context.Context
	q      sqlite.Queryer
	lines  []world.Line
	floor  int64
	left   map[string]bool // members whose file must not be changed
	unread []error
}

// skips records damage and returns nil; it returns any other error.
func (f *vaultFold) skips(err error) error {
	if err == nil || !sqlite.IsDamage(err) {
		return err
	}
	f.note(err)
	return nil
}

func (f *vaultFold) note(err error) {
	if len(f.unread) < maxUnread {
		f.unread = append(f.unread, fmt.Errorf("something that a member has learned may be lost: %w", err))
	}
}

func (f *vaultFold) fold(vaults []world.Vault) (out []world.Vault, at int64, err error) {
	mark, err := f.mark()
	if err != nil {
		return nil, 0, err
	}
	at, known := f.standsAt(mark.Epoch, mark.Seq)
	if !known {
		at, mark.Vaults = f.floor-1, nil
	}
	from := at
	list := map[string]bool{}
	for _, v := range vaults {
		list[v.AgentID] = true
		if _, known := f.standsAt(v.Epoch, v.Seq); !known || v.Seq < mark.Vaults[v.AgentID] {
			from = f.floor - 1 // a file of an older version, or an older copy
		}
	}
	for id := range mark.Vaults {
		if !list[id] && !f.left[id] {
			from = f.floor - 1 // its file is gone, or was set aside
		}
	}
	said, err := f.read(from)
	if err != nil {
		return nil, 0, err
	}
	for _, v := range vaults {
		out = append(out, f.add(v, said[v.AgentID]))
		delete(said, v.AgentID)
	}
	for id, all := range said {
		if len(out) < files.MaxVaults {
			out = append(out, f.add(world.Vault{AgentID: id, Insights: []world.Insight{}}, all))
		}
	}
	slices.SortFunc(out, func(a, b world.Vault) int { return cmp.Compare(a.AgentID, b.AgentID) })
	return out, at, nil
}

// mark returns the stored mark. If it cannot be read, the result is empty: then all events are read.
func (f *vaultFold) mark() (m world.VaultMark, err error) {
	kept, err := tables.ReadMeta(f.ctx, f.q, tables.MetaVaults)
	if err == nil && kept != "" {
		if bad := json.Unmarshal([]byte(kept), &m); bad != nil {
			m, err = world.VaultMark{}, sqlite.Damaged(bad)
		}
	}
	return m, f.skips(err)
}

// standsAt returns the last event of this journal that something at (epoch, seq) includes: seq, or the end of
// the epoch if the journal has lost what came after it. known is false for a position in no epoch of this
// journal.
func (f *vaultFold) standsAt(epoch string, seq int64) (at int64, known bool) {
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

// add returns a vault with the insights that it lacks. all is in order.
func (f *vaultFold) add(v world.Vault, all []learned) world.Vault {
	at, known := f.standsAt(v.Epoch, v.Seq)
	if !known && len(v.Insights) > 0 {
		// The file is of an older version, or of a lost journal: insights after its newest one are
		// new.
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
	v.Behind = (len(v.Insights) > had || !known) && !f.left[v.AgentID]
	if over := len(v.Insights) - world.MaxInsights; over > 0 {
		v.Insights = slices.Clone(v.Insights[over:])
	}
	return v
}

// read returns the insights of the events after a seq, by member and in order: the newest world.MaxInsights
// of each member.
func (f *vaultFold) read(after int64) (map[string][]learned, error) {
	said := map[string][]learned{}
	lost := func(span tables.Span, err error) {
		if !errors.Is(err, tables.ErrGap) { // a gap was reported when it was recorded
			f.note(fmt.Errorf("events %d to %d: %w", span.From, span.To, err))
		}
	}
	err := tables.EachEvent(f.ctx, f.q, after, true, lost, func(e *tables.EventRow) (bool, error) {
		if e.Type != knowledgeType {
			return true, nil
		}
		ev, err := e.Event()
		if err != nil {
			return true, f.skips(err)
		}
		b, ok := ev.Body.(*world.KnowledgeUpdated)
		if !ok || b.Area == world.ErasedName && b.Text == "" {
			return true, nil
		}
		all := append(said[b.AgentID], learned{e.Seq, b.Insight(ev.At)})
		if len(all) > 2*world.MaxInsights {
			all = slices.Clone(all[len(all)-world.MaxInsights:])
		}
		said[b.AgentID] = all
		return true, nil
	})
	if err := f.skips(err); err != nil {
		return nil, err
	}
	for id, all := range said {
		said[id] = all[max(0, len(all)-world.MaxInsights):]
	}
	return said, nil
}
