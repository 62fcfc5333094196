package journal_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

const day = 24 * time.Hour

// The age of a realm is the time for which it was used: a clock that jumps, either way, makes nothing old.
func TestAge(t *testing.T) {
	start := world.TimeOf(storetest.RigStart)
	after := func(d time.Duration) world.Time { return start + world.Time(d.Milliseconds()) }
	for _, c := range []struct {
		name  string
		steps []time.Duration // the times on the clock between two bases
		want  int64           // the newest base that is old at the end
	}{
		{"the first", []time.Duration{0}, 0},
		{"ninety days", slices.Repeat([]time.Duration{day}, 90), 0},
		{"a day more", slices.Repeat([]time.Duration{day}, 91), 1},
		{"a hundred and one", slices.Repeat([]time.Duration{day}, 101), 11},
		{"a jump by a year at the end", append(slices.Repeat([]time.Duration{day}, 91), 365*day), 0},
		{"a jump by a year, and a day", append(slices.Repeat([]time.Duration{day}, 80), 365*day, day), 0},
		{"a year back and on", append(slices.Repeat([]time.Duration{day}, 85), -365*day, day, day), 0},
		{"there and back again", append(slices.Repeat([]time.Duration{day}, 85), 365*day, -365*day, 365*day, -365*day, day), 0},
		{"used once a week", slices.Repeat([]time.Duration{7 * day}, 120), 0},
		{"used once a week, and twice in the last", append(slices.Repeat([]time.Duration{7 * day}, 120), time.Hour), 30},
		{"two bases an hour", slices.Repeat([]time.Duration{30 * time.Minute}, 48*92), 73},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, at, old := &journal.Age{}, time.Duration(0), int64(0)
			for i, step := range c.steps {
				if i > 0 {
					at += step
				}
				old = a.Step(int64(i)+1, after(at), journal.TrimDays)
			}
			if old != c.want {
				t.Fatalf("old up to %d, want %d", old, c.want)
			}
			if len(a.Marks) > journal.MaxMarks {
				t.Fatalf("%d marks", len(a.Marks))
			}
		})
	}
}

// Whatever the clock does, an event becomes old only after the realm was in use for the whole time since.
func TestAgeNeverHurries(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		a, at := &journal.Age{}, world.TimeOf(storetest.RigStart)
		lived := []time.Duration{0}
		for i := range 300 {
			step := time.Duration(rnd.Int64N(int64(30 * time.Hour)))
			if rnd.IntN(10) == 0 {
				step = time.Duration(rnd.Int64N(int64(1000*day))) - 500*day
			}
			at += world.Time(step.Milliseconds())
			old := a.Step(int64(i)+1, at, 5*day)
			lived = append(lived, time.Duration(a.Lived)*time.Millisecond)
			if old > 0 && lived[i+1]-lived[old] < 5*day {
				t.Fatalf("seed %d: base %d is old after %s", seed, old, lived[i+1]-lived[old])
			}
			if grew := lived[i+1] - lived[i]; grew < 0 || grew > journal.MaxStep {
				t.Fatalf("it grew %s", grew)
			}
		}
		if len(a.Marks) > journal.MaxMarks {
			t.Fatalf("%d marks", len(a.Marks))
		}
	}
}

// Tidying trims the journal in steps, below the oldest kept base and the events that may be replayed. A killed
// realm continues trimming, and a clock that jumps trims nothing.
func TestJournalIsTrimmedByItself(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	(*r.O.Journal.TrimsRef()) = journal.TrimLimits{Days: 5 * day, Events: 30}
	base := func(passed time.Duration) {
		t.Helper()
		r.At += world.Time(passed.Milliseconds())
		r.Say(10)
		storetest.Must(t, r.O.Journal.SaveBase(r.WorldNow()))
	}
	var at []int64
	for range 5 {
		base(day)
		at = append(at, r.W.Tick)
	}
	packAll(r, 8, 5)
	if floor := r.O.Journal.Floor(); floor != 1 {
		t.Fatalf("floor %d on the fifth day", floor)
	}
	base(400 * day)
	packAll(r, 8, 5)
	if floor := r.O.Journal.Floor(); floor != 1 {
		t.Fatalf("floor %d: a jump trims", floor)
	}
	base(day)
	packAll(r, 8, 5)
	floor := r.O.Journal.Floor()
	if floor <= 1 || floor > at[1]+1 {
		t.Fatalf("floor %d, the first bases at %v", floor, at)
	}
	if _, err := r.O.Journal.Read(t.Context(), 0, 1); !errors.Is(err, disk.ErrMissing) {
		t.Fatal(err)
	}
	for range 10 {
		base(day)
	}
	packAll(r, 8, 5)
	if got := r.O.Journal.Floor(); got > r.W.Tick-30+1 || got < r.W.Tick-30-20 {
		t.Fatalf("floor %d of %d", got, r.W.Tick)
	}
	rows, _, err := r.O.Journal.Rows(t.Context(), "c1", "", 0, 100)
	if err != nil || len(rows) < 4 {
		t.Fatalf("the transcript: %d rows, %v", len(rows), err)
	}
	floor = r.O.Journal.Floor()
	o := storetest.MustOpen(t, r.Killed())
	if o.Journal.Floor() != floor || o.Saved.BaseSeq != r.W.Tick || o.Saved.BaseAt == 0 {
		t.Fatalf("floor %d, base %d", o.Journal.Floor(), o.Saved.BaseSeq)
	}
	storetest.SameJSON(t, "world", o.Saved.World, r.W)
	if got := storetest.ReadAll(t, o.Journal, floor-1); !slices.EqualFunc(got, r.Frames[floor-1:], slices.Equal) {
		t.Fatal("the frames differ")
	}
}

// If the stored age is lost or garbled, the age begins at 0 again.
func TestAgeIsGarbled(t *testing.T) {
	for i, how := range []string{"UPDATE meta SET value = 'x' WHERE key = 'age'", "DELETE FROM meta WHERE key = 'age'", `UPDATE meta SET value = '{"at":1,"lived":-5,"marks":[{"seq":9999999,"lived":-1000000000000}]}' WHERE key = 'age'`} {
		r := storetest.NewRig(t)
		r.Tell()
		storetest.Must(t, r.O.Journal.SaveBase(r.WorldNow()))
		r.Close()
		k := &storetest.KilledRig{Dir: r.Dir}
		k.SQL(t, how)
		r.Open()
		(*r.O.Journal.TrimsRef()) = journal.TrimLimits{Days: day, Events: 1}
		r.Say(5)
		storetest.Must(t, r.O.Journal.SaveBase(r.WorldNow()))
		packAll(r, 100, 100)
		if got := storetest.ReadAll(t, r.O.Journal, r.O.Journal.Floor()-1); len(got) < 2 {
			t.Fatalf("%d: %d events are left", i, len(got))
		}
		r.Say(1)
		storetest.SameJSON(t, fmt.Sprint(i), storetest.MustOpen(t, r.Killed()).Saved.World, r.W)
	}
}

// A clock that was ten years ahead and was set back does not stop the count of days.
func TestAgeAfterAClockThatWasAhead(t *testing.T) {
	a, at, seq := new(journal.Age), world.TimeOf(storetest.RigStart), int64(0)
	step := func(by time.Duration) (old int64) {
		at += world.Time(by.Milliseconds())
		seq += 10
		return a.Step(seq, at, 90*24*time.Hour)
	}
	step(0)
	step(3650 * 24 * time.Hour)
	if old := step(-3650 * 24 * time.Hour); old != 0 {
		t.Errorf("a jump makes events up to %d old", old)
	}
	old := int64(0)
	for range 100 {
		old = step(24 * time.Hour)
	}
	if lived := time.Duration(a.Lived) * time.Millisecond; lived < 100*24*time.Hour || lived > 102*24*time.Hour || old == 0 {
		t.Errorf("after a hundred days more the realm has lived %s, events up to %d are old", lived, old)
	}
}
