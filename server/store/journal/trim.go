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
	Days   time.Duration
	Events int64
}

var defaultTrimLimits = trimLimits{Days: trimDays, Events: trimEvents}

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
	// A clock that was set back far does not stop the realm's days.
	if at > a.At || a.At-at > world.Time(maxStep.Milliseconds()) {
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

// readAge is that of a realm that has just begun where none is known, or none can be read: it
// only makes events stay longer.
func readAge(ctx context.Context, q sqlite.Queryer) (*age, error) {
	kept, err := tables.ReadMeta(ctx, q, tables.MetaAge)
	if err != nil {
		return nil, err
	}
	a := new(age)
	if json.Unmarshal([]byte(kept), a) != nil {
		a = new(age)
	}
	return a, nil
}

// SaveBase keeps a world in the journal, so that older events may be trimmed and
// recovery has another place to begin. The newest three are kept.
func (j *Journal) SaveBase(c world.Checkpoint) error {
	return j.db.write("save a base", func() error {
		if c.Seq > j.db.head {
			return fmt.Errorf("%w: its seq %d is ahead of the head %d", sqlite.ErrRefused, c.Seq, j.db.head)
		}
		if c.Seq < j.erasedAt {
			return nil // it holds what was erased since
		}
		if err := j.db.w.InsertBase(c); err != nil {
			return err
		}
		return j.tidy.grow(c)
	})
}

// ReplaceBases keeps c as the only base and says how many are gone. No base from before c is
// kept any more.
func (j *Journal) ReplaceBases(c world.Checkpoint) (gone int, err error) {
	err = j.Amend("replace the bases", func(w *tables.Writer) error {
		if err := sqlite.One(context.Background(), w, []any{&gone}, "SELECT count(*) FROM bases WHERE seq < ?",
			c.Seq); err != nil {
			return err
		}
		if c.Seq > j.db.head {
			return fmt.Errorf("%w: its seq %d is ahead of the head %d", sqlite.ErrRefused, c.Seq, j.db.head)
		}
		if _, err := w.Exec("DELETE FROM bases WHERE seq < ?", c.Seq); err != nil {
			return err
		}
		j.erasedAt = max(j.erasedAt, c.Seq)
		return w.InsertBase(c)
	})
	return gone, err
}

// trimChunk is how many events go in one transaction: commits come between.
const trimChunk = 2000

// trim deletes the events before seq in at most so many steps; transcripts stay. It never goes above
// the oldest kept base, so that recovery can always begin at one: what was asked for beyond that is an
// error and trims nothing. A block of events (tables/packs.go) goes as a whole or stays, so up to a
// block more than was asked for may be kept. mu is held.
func (t *tidier) trim(ctx context.Context, before, steps int64) error {
	for range steps {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("trim: %w", err)
		}
		var next int64
		err := t.db.write("trim", func() error {
			var oldest sql.NullInt64
			if err := sqlite.One(context.Background(), t.db.w, []any{&oldest}, "SELECT min(seq) FROM bases"); err != nil {
				return err
			}
			if !oldest.Valid || before > oldest.Int64+1 {
				return fmt.Errorf("%w: events from %d on are needed by the oldest base", sqlite.ErrRefused, oldest.Int64+1)
			}
			next = min(before, t.db.floor.Load()+trimChunk)
			// A block goes as a whole, or stays.
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
			// A line that ended below the floor tells nobody anything any more.
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

// MarkVaults keeps how far the vault files hold what the journal says.
func (j *Journal) MarkVaults(m world.VaultMark) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("mark the vaults: %w", err)
	}
	return j.db.write("mark the vaults", func() error { return j.db.w.SetMeta(tables.MetaVaults, string(raw)) })
}
