package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// countWhole counts what a journal holds that goes on as it is, and notes each damage that one
// row costs.
func (c *Checked) countWhole(ctx context.Context, rem *remains) error {
	if err := c.count(ctx, rem.db, rem.floor, rem.head); err != nil {
		return err
	}
	d := c.Database
	bases, err := readBases(ctx, rem.db)
	if err != nil {
		return err
	}
	for _, b := range bases {
		if _, err := readBase(ctx, rem.db, b); isDamage(err) {
			d.BadBases++
		} else if err != nil {
			return err
		}
	}
	open, err := readErasures(ctx, rem.db, "done_at = 0")
	if err != nil {
		return err
	}
	d.Erasures = len(open)
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
			c.damaged("%s: %d %s", JournalFile, damage.n, damage.what)
			c.salvages = fmt.Errorf("%w: %d %s", ErrCorrupt, damage.n, damage.what)
		}
	}
	return nil
}

// count counts what the tables of this version hold.
func (c *Checked) count(ctx context.Context, q queryer, floor, head int64) error {
	d := c.Database
	if err := d.countEvents(ctx, q, floor, head); err != nil {
		return fmt.Errorf("count events: %w", err)
	}
	d.Messages = CheckedMessages{}
	if err := eachStored(ctx, q, func(row *storedRow) {
		m := &d.Messages
		m.Known++
		m.Readable++
		switch {
		case row.marked():
			m.Marked++
		case row.Damaged:
			m.Damaged++
			if len(m.Where) < maxListed {
				m.Where = append(m.Where, row.ConversationID+"/"+row.MessageID)
			}
		case !row.sum.Valid:
			m.Unsealed++
		}
	}); err != nil {
		return fmt.Errorf("count messages: %w", err)
	}
	d.Heads = CheckedFiles{}
	if _, err := collect(ctx, q, func(rows *sql.Rows) (_ struct{}, err error) {
		head, whole, err := scanHeadWhole(rows)
		if d.Heads.Count++; err == nil && !whole {
			d.Heads.Bad++
			d.Heads.name(head.ConversationID)
		}
		return struct{}{}, err
	}, "SELECT "+conversationColumns+" FROM conversations ORDER BY n"); err != nil {
		return fmt.Errorf("count conversations: %w", err)
	}
	return one(ctx, q, []any{&d.Runs, &d.Bases}, "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM bases)")
}

func (d *CheckedDatabase) countEvents(ctx context.Context, q queryer, floor, head int64) error {
	d.Events = CheckedEvents{Known: max(head-floor+1, 0)}
	e := &d.Events
	if err := one(ctx, q, []any{&e.Blocks}, "SELECT count(*) FROM journal_packs WHERE length(events) > 0"); err != nil {
		return err
	}
	lost := func(s packSpan, err error) {
		gap := errors.Is(err, errGap)
		if gap {
			e.Lost += s.to - s.from + 1
		} else {
			e.Unreadable += s.to - s.from + 1
		}
		if last := len(e.Where) - 1; last >= 0 && e.Where[last].To == s.from-1 && e.Where[last].Lost == gap {
			e.Where[last].To = s.to
		} else if len(e.Where) < maxListed {
			e.Where = append(e.Where, CheckedSpan{s.from, s.to, gap})
		}
	}
	return eachEvent(ctx, q, floor-1, true, lost, func(row *eventRow) (bool, error) {
		if _, err := row.event(); errors.Is(err, ErrCorrupt) {
			lost(packSpan{from: row.seq, to: row.seq}, err)
		} else if err != nil {
			return false, err
		} else {
			e.Readable++
		}
		return true, nil
	})
}
