package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"agentdungeon/shared/world"
)

// The journal is bounded by itself: events go once they are of the realm's
// ninety-first day or older, below the oldest kept base, and never one of the newest 100,000.
// Transcripts stay.
//
// A realm's days are those that it has lived, told by its bases: from one base to the next as
// much time as has passed, but where that is more than 48 hours the realm was not used or the
// clock has jumped. Then it counts as one day, and nothing goes at this base: no clock that is
// wrong makes anything old.

const (
	trimDays   = 90 * 24 * time.Hour
	trimEvents = 100_000 // the newest, which clients that come back may replay (P5.4)
	maxStep    = 48 * time.Hour
	jumpStep   = 24 * time.Hour
	// markEvery is how far marks are apart, and maxMarks how many there can be then, with
	// room; of more, the oldest go.
	markEvery = 12 * time.Hour
	maxMarks  = 400
)

// trimLimits are those above; tests have smaller ones.
type trimLimits struct {
	days   time.Duration
	events int64
}

var defaultTrimLimits = trimLimits{days: trimDays, events: trimEvents}

// age is the time that a realm has been in use, now and at earlier events; stored in meta as JSON.
type age struct {
	At    world.Time `json:"at"`    // of the newest base
	Lived int64      `json:"lived"` // ms that the realm had lived then
	Marks []mark     `json:"marks"` // oldest first
}

// mark is a seq, and how long the realm had lived then.
type mark struct {
	Seq   int64 `json:"seq"`
	Lived int64 `json:"lived"`
}

// step adds a base, and gives the seq of the newest event that is old enough to go: 0 for
// none, or where the clock is not to be trusted.
func (a *age) step(seq int64, at world.Time, days time.Duration) (old int64) {
	passed := time.Duration(0)
	if len(a.Marks) > 0 {
		passed = max(at.Sub(a.At), 0)
	}
	jumped := passed > maxStep
	if jumped {
		passed = jumpStep
	}
	if at > a.At || a.At-at > world.Time(maxStep.Milliseconds()) { // a clock that was set back far does not stop the realm's days
		a.At = at
	}
	a.Lived += passed.Milliseconds()
	if n := len(a.Marks); n == 0 || a.Lived-a.Marks[n-1].Lived >= markEvery.Milliseconds() {
		a.Marks = append(a.Marks, mark{seq, a.Lived})
	}
	kept := 0 // of those that are old the newest stays: it says where old ends
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

// grow counts a base into the realm's age and says how far the journal may be trimmed, which
// tidying does. It runs in the base's transaction.
func (j *Journal) grow(c world.Checkpoint) error {
	a, err := readAge(context.Background(), j.w.conn)
	if err != nil {
		return err
	}
	old := a.step(c.Seq, c.SavedAt, j.trims.days)
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode the realm's age: %w", err)
	}
	var oldest int64
	if err := one(context.Background(), j.w.conn, []any{&oldest}, "SELECT min(seq) FROM bases"); err != nil {
		return err
	}
	if before := min(old, oldest, j.head-j.trims.events) + 1; before > j.floor.Load() {
		j.trimTo = before
	}
	return j.w.setMeta(metaAge, string(raw))
}

// readAge is that of a realm that has just begun where none is known, or none can be read: it
// only makes events stay longer.
func readAge(ctx context.Context, q queryer) (*age, error) {
	kept, err := collect(ctx, q, func(rows *sql.Rows) (raw []byte, err error) {
		err = rows.Scan(&raw)
		return raw, err
	}, "SELECT value FROM meta WHERE key = ?", metaAge)
	if err != nil {
		return nil, err
	}
	a := new(age)
	if len(kept) > 0 && json.Unmarshal(kept[0], a) != nil {
		a = new(age)
	}
	return a, nil
}

// keptBases is how many worlds the journal keeps: the newest, and two more should
// it be damaged.
const keptBases = 3

// SaveBase keeps a world in the journal, so that older events may be trimmed and
// recovery has another place to begin. The newest three are kept.
func (j *Journal) SaveBase(c world.Checkpoint) error {
	return j.write("save a base", func() error {
		if c.Seq > j.head {
			return fmt.Errorf("%w: its seq %d is ahead of the head %d", errRefused, c.Seq, j.head)
		}
		if c.Seq < j.erasedAt {
			return nil // it holds what was erased since
		}
		if err := j.w.insertBase(c); err != nil {
			return err
		}
		return j.grow(c)
	})
}

func (w *writer) insertBase(c world.Checkpoint) error {
	if _, err := w.exec("INSERT OR REPLACE INTO bases (seq, epoch, saved_at, sum, world) VALUES (?, ?, ?, ?, ?)",
		c.Seq, c.Epoch, int64(c.SavedAt), frameSum(c.World, 0, ""), []byte(c.World)); err != nil {
		return err
	}
	_, err := w.exec("DELETE FROM bases WHERE seq NOT IN (SELECT seq FROM bases ORDER BY seq DESC LIMIT ?)", keptBases)
	return err
}

// trimChunk is how many events go in one transaction: commits come between.
const trimChunk = 2000

// Trim forgets the events before seq; transcripts stay. It never goes above the
// oldest kept base, so that recovery can always begin at one: what was asked for
// beyond that is an error and trims nothing. A block of events (journal_packs.go) goes
// as a whole or stays, so up to a block more than was asked for may be kept.
func (j *Journal) Trim(ctx context.Context, before int64) error {
	j.tidying.Lock()
	defer j.tidying.Unlock()
	return j.trim(ctx, before, 1<<62)
}

// trim is Trim in at most so many steps. tidying is held.
func (j *Journal) trim(ctx context.Context, before, steps int64) error {
	for range steps {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("trim: %w", err)
		}
		var next int64
		err := j.write("trim", func() error {
			var oldest sql.NullInt64
			if err := one(context.Background(), j.w.conn, []any{&oldest}, "SELECT min(seq) FROM bases"); err != nil {
				return err
			}
			if !oldest.Valid || before > oldest.Int64+1 {
				return fmt.Errorf("%w: events from %d on are needed by the oldest base", errRefused, oldest.Int64+1)
			}
			next = min(before, j.floor.Load()+trimChunk)
			// A block goes as a whole, or stays.
			pack, err := packOf(context.Background(), j.w.conn, next, false)
			if err != nil {
				return err
			}
			if pack.from > 0 {
				next = pack.from
			}
			if next <= j.floor.Load() {
				next = j.floor.Load()
				return nil
			}
			if _, err := j.w.exec("DELETE FROM journal WHERE seq < ?", next); err != nil {
				return err
			}
			if _, err := j.w.exec("DELETE FROM journal_packs WHERE to_seq < ?", next); err != nil {
				return err
			}
			// A line that ended below the floor tells nobody anything any more.
			if _, err := j.w.exec("DELETE FROM line WHERE n < (SELECT max(n) FROM line WHERE from_seq <= ?)", next-1); err != nil {
				return err
			}
			return j.w.setMeta(metaFloor, strconv.FormatInt(next, 10))
		})
		if err != nil {
			return err
		}
		stuck := next <= j.floor.Load()
		j.floor.Store(next)
		if next >= before || stuck {
			return nil
		}
	}
	return nil
}
