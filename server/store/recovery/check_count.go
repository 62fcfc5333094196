package recovery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/erasure"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
)

// countWhole counts the events, messages and conversations of a journal that an opening would use as it is. It records
// damage to single rows, one line for each kind of damage.
func (c *Checked) countWhole(ctx context.Context, x *examined) error {
	d := c.Database
	if err := d.count(ctx, x.db, x.floor, x.head); err != nil {
		return err
	}
	for _, b := range x.bases {
		if _, _, err := tables.ReadBase(ctx, x.db, b); sqlite.IsDamage(err) {
			d.BadBases++
		} else if err != nil {
			return err
		}
	}
	unfinished, err := erasure.Read(ctx, x.db, "done_at = 0")
	if err != nil {
		return err
	}
	d.Erasures = len(unfinished)
	for _, damage := range []struct {
		n    int64
		what string
	}{
		{d.Events.Unreadable, "events cannot be read"},
		{d.Messages.Damaged, "messages are not what was stored"},
		{int64(d.Heads.Bad), "heads of conversations cannot be read"},
		{int64(d.BadBases), "bases cannot be read"},
	} {
		if damage.n > 0 {
			c.damaged("%s: %d %s", sqlite.JournalFile, damage.n, damage.what)
			c.rebuildFor = fmt.Errorf("%w: %d %s", disk.ErrCorrupt, damage.n, damage.what)
		}
	}
	return nil
}

// count counts the content of tables of this version.
func (d *CheckedDatabase) count(ctx context.Context, q sqlite.Queryer, floor, head int64) error {
	if err := d.countEvents(ctx, q, floor, head); err != nil {
		return fmt.Errorf("count events: %w", err)
	}
	d.Messages = CheckedMessages{}
	if err := tables.EachStored(ctx, q, func(row *tables.StoredRow) {
		m := &d.Messages
		m.Known++
		m.Readable++
		switch {
		case row.Marked():
			m.Marked++
		case row.Damaged:
			m.Damaged++
			if len(m.Where) < maxListed {
				m.Where = append(m.Where, row.ConversationID+"/"+row.MessageID)
			}
		case !row.Sum.Valid:
			m.Unsealed++
		}
	}); err != nil {
		return fmt.Errorf("count messages: %w", err)
	}
	d.Heads = CheckedFiles{}
	if err := sqlite.Each(ctx, q, func(rows *sql.Rows) error {
		head, whole, err := tables.ScanHeadWhole(rows)
		if d.Heads.Count++; err == nil && !whole {
			d.Heads.Bad++
			d.Heads.list(head.ConversationID)
		}
		return err
	}, "SELECT "+tables.ConversationColumns+" FROM conversations ORDER BY n"); err != nil {
		return fmt.Errorf("count conversations: %w", err)
	}
	return sqlite.One(ctx, q, []any{&d.Runs, &d.Bases}, "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM bases)")
}

func (d *CheckedDatabase) countEvents(ctx context.Context, q sqlite.Queryer, floor, head int64) error {
	d.Events = CheckedEvents{Known: max(head-floor+1, 0)}
	e := &d.Events
	if err := sqlite.One(ctx, q, []any{&e.Blocks},
		"SELECT count(*) FROM journal_packs WHERE length(events) > 0"); err != nil {
		return err
	}
	lost := func(s tables.Span, err error) {
		gap := errors.Is(err, tables.ErrGap)
		if gap {
			e.Lost += s.To - s.From + 1
		} else {
			e.Unreadable += s.To - s.From + 1
		}
		if last := len(e.Where) - 1; last >= 0 && e.Where[last].To == s.From-1 && e.Where[last].Lost == gap {
			e.Where[last].To = s.To
		} else if len(e.Where) < maxListed {
			e.Where = append(e.Where, CheckedSpan{s.From, s.To, gap})
		}
	}
	return tables.EachEvent(ctx, q, floor-1, true, lost, func(row *tables.EventRow) (bool, error) {
		if _, err := row.Event(); errors.Is(err, disk.ErrCorrupt) {
			lost(tables.Span{From: row.Seq, To: row.Seq}, err)
		} else if err != nil {
			return false, err
		} else {
			e.Readable++
		}
		return true, nil
	})
}
