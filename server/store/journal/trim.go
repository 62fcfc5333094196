package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// The journal limits its own size: it deletes events that are at least 90 days old, counted in the realm's own
// days, and older than the oldest base. It never deletes one of the newest 100,000 events. Transcripts stay.
//
// The age of an event is counted in days on which the realm was in use, measured from base to base. If more than 48
// hours lie between two bases, the realm was not in use or the clock has jumped. Then the time between them counts as
// one day, and the second base deletes nothing. So a wrong clock cannot make events old.

const (
	trimDays   = 90 * 24 * time.Hour
	trimEvents = 100_000        // the newest events, which reconnecting clients may replay (P5.4)
	maxStep    = 48 * time.Hour // a longer time between two bases counts as jumpStep
	jumpStep   = 24 * time.Hour
	// markEvery is the minimum time of use between two entries of age.Marks. maxMarks is the maximum number of
	// entries; if there are more, the oldest are dropped.
	markEvery = 12 * time.Hour
	maxMarks  = 400
)

// trimLimits are trimDays and trimEvents; tests use smaller ones.
type trimLimits struct {
	Days   time.Duration
	Events int64
}

var defaultTrimLimits = trimLimits{Days: trimDays, Events: trimEvents}

// age records for how long a realm has been in use. The table meta stores it as JSON.
type age struct {
	At    world.Time `json:"at"`    // time at which the newest base was saved
	Lived int64      `json:"lived"` // ms for which the realm had been in use at that time
	Marks []mark     `json:"marks"` // bases at least markEvery of use apart, oldest first
}

// mark has the seq of a base and, in ms, for how long the realm had been in use when the base was saved.
type mark struct {
	Seq   int64 `json:"seq"`
	Lived int64 `json:"lived"`
}

// step adds to the age the time since the last base; seq and savedAt are those of a new base. It returns the seq of
// the newest mark that is older than days, up to which all events are old. It returns 0 if there is none or the clock
// cannot be trusted.
func (a *age) step(seq int64, savedAt world.Time, days time.Duration) (old int64) {
	passed := time.Duration(0)
	if len(a.Marks) > 0 {
		passed = max(savedAt.Sub(a.At), 0)
	}
	jumped := passed > maxStep
	if jumped {
		passed = jumpStep
	}
	// If the clock was set back by more than maxStep, count from the new time. Otherwise no more days would be
	// counted.
	if savedAt > a.At || a.At-savedAt > world.Time(maxStep.Milliseconds()) {
		a.At = savedAt
	}
	a.Lived += passed.Milliseconds()
	if n := len(a.Marks); n == 0 || a.Lived-a.Marks[n-1].Lived >= markEvery.Milliseconds() {
		a.Marks = append(a.Marks, mark{seq, a.Lived})
	}
	kept := 0 // index of the newest mark that is older than days; this mark stays, because events before its seq are old
	for i, m := range a.Marks {
		if m.Lived <= a.Lived-days.Milliseconds() {
			kept, old = i, m.Seq
		}
	}
	a.Marks = slices.Delete(a.Marks, 0, max(kept, len(a.Marks)-maxMarks))
	if jumped {
		return 0
	}
	return old
}

// grow adds a base to the realm's age and sets the seq up to which tidying may trim the journal. It runs in the
// transaction of the base.
func (t *tidier) grow(c world.Checkpoint) error {
	a, err := readAge(context.Background(), t.db.w)
	if err != nil {
		return err
	}
	old := a.step(c.Seq, c.SavedAt, t.trims.Days)
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode the realm's age: %w", err)
	}
	var oldest int64
	if err := sqlite.One(context.Background(), t.db.w, []any{&oldest}, "SELECT min(seq) FROM bases"); err != nil {
		return err
	}
	if before := min(old, oldest, t.db.head-t.trims.Events) + 1; before > t.db.floor.Load() {
		t.trimTo = before
	}
	return t.db.w.SetMeta(tables.MetaAge, string(raw))
}

// readAge returns the stored age. If no age is stored, or the stored one is damaged, it returns the age of a new
// realm. Then events are kept for longer.
func readAge(ctx context.Context, q sqlite.Queryer) (*age, error) {
	kept, err := tables.ReadMeta(ctx, q, tables.MetaAge)
	if err != nil {
		return nil, err
	}
	a := new(age)
	if json.Unmarshal([]byte(kept), a) != nil {
		return new(age), nil
	}
	return a, nil
}

// trimChunk is the number of events that one transaction deletes; commits run between two of them.
const trimChunk = 2000

// trim deletes the events before a seq, in at most the given number of transactions. Transcripts stay. The events after
// the oldest base stay too, so that recovery can always start there: it is an error if before asks for one of them. A
// block of events (tables/packs.go) is deleted as a whole, so up to one block more may stay. The caller holds t.mu.
func (t *tidier) trim(ctx context.Context, before, steps int64) error {
	for range steps {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("trim the journal: %w", err)
		}
		var next int64
		err := t.db.write("trim", func() error {
			var oldest sql.NullInt64
			if err := sqlite.One(context.Background(), t.db.w, []any{&oldest}, "SELECT min(seq) FROM bases"); err != nil {
				return err
			}
			if !oldest.Valid || before > oldest.Int64+1 {
				return fmt.Errorf("%w: the oldest base needs the events from %d on", sqlite.ErrRefused, oldest.Int64+1)
			}
			next = min(before, t.db.floor.Load()+trimChunk)
			// A block is deleted as a whole or stays.
			pack, err := tables.SpanOf(context.Background(), t.db.w, next, false)
			if err != nil {
				return err
			}
			if pack.From > 0 {
				next = pack.From
			}
			if next <= t.db.floor.Load() {
				next = t.db.floor.Load()
				return nil
			}
			if _, err := t.db.w.Exec("DELETE FROM journal WHERE seq < ?", next); err != nil {
				return err
			}
			if _, err := t.db.w.Exec("DELETE FROM journal_packs WHERE to_seq < ?", next); err != nil {
				return err
			}
			// Delete the epochs that ended before event next-1. None of the remaining events belongs to one of them.
			if _, err := t.db.w.Exec("DELETE FROM line WHERE n < (SELECT max(n) FROM line WHERE from_seq <= ?)",
				next-1); err != nil {
				return err
			}
			return t.db.w.SetMeta(tables.MetaFloor, strconv.FormatInt(next, 10))
		})
		if err != nil {
			return err
		}
		stuck := next <= t.db.floor.Load()
		t.db.floor.Store(next)
		if next >= before || stuck {
			return nil
		}
	}
	return nil
}
