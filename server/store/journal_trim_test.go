package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"agentdungeon/shared/world"
)

const day = 24 * time.Hour

// A realm is as old as it was used: a clock that jumps, either way, makes nothing old by
// itself.
func TestAge(t *testing.T) {
	start := world.TimeOf(rigStart)
	after := func(d time.Duration) world.Time { return start + world.Time(d.Milliseconds()) }
	for _, c := range []struct {
		name  string
		steps []time.Duration // of the clock, from base to base
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
			a, at, old := &age{}, time.Duration(0), int64(0)
			for i, step := range c.steps {
				if i > 0 {
					at += step
				}
				old = a.step(int64(i)+1, after(at), trimDays)
			}
			if old != c.want {
				t.Fatalf("old up to %d, want %d", old, c.want)
			}
			if len(a.Marks) > maxMarks {
				t.Fatalf("%d marks", len(a.Marks))
			}
		})
	}
}

// Whatever the clock does, what is old was counted at least so long before.
func TestAgeNeverHurries(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		a, at := &age{}, world.TimeOf(rigStart)
		lived := []time.Duration{0}
		for i := range 300 {
			step := time.Duration(rnd.Int64N(int64(30 * time.Hour)))
			if rnd.IntN(10) == 0 {
				step = time.Duration(rnd.Int64N(int64(1000*day))) - 500*day
			}
			at += world.Time(step.Milliseconds())
			old := a.step(int64(i)+1, at, 5*day)
			lived = append(lived, time.Duration(a.Lived)*time.Millisecond)
			if old > 0 && lived[i+1]-lived[old] < 5*day {
				t.Fatalf("seed %d: base %d is old after %s", seed, old, lived[i+1]-lived[old])
			}
			if grew := lived[i+1] - lived[i]; grew < 0 || grew > maxStep {
				t.Fatalf("it grew %s", grew)
			}
		}
		if len(a.Marks) > maxMarks {
			t.Fatalf("%d marks", len(a.Marks))
		}
	}
}

// The journal is trimmed by itself, in steps, below the oldest kept base and what is to be
// replayed; a killed realm goes on with it, and a clock that jumps trims nothing.
func TestJournalIsTrimmedByItself(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.o.Journal.trims = trimLimits{days: 5 * day, events: 30}
	base := func(passed time.Duration) {
		t.Helper()
		r.at += world.Time(passed.Milliseconds())
		r.say(10)
		must(t, r.o.Journal.SaveBase(r.worldNow()))
	}
	var at []int64
	for range 5 {
		base(day)
		at = append(at, r.w.Tick)
	}
	r.packAll(8, 5)
	if floor := r.o.Journal.Floor(); floor != 1 {
		t.Fatalf("floor %d on the fifth day", floor)
	}
	base(400 * day)
	r.packAll(8, 5)
	if floor := r.o.Journal.Floor(); floor != 1 {
		t.Fatalf("floor %d: a jump trims", floor)
	}
	base(day)
	r.packAll(8, 5)
	floor := r.o.Journal.Floor()
	if floor <= 1 || floor > at[1]+1 {
		t.Fatalf("floor %d, the first bases at %v", floor, at)
	}
	if _, err := r.o.Journal.Read(t.Context(), 0, 1); !errors.Is(err, ErrMissing) {
		t.Fatal(err)
	}
	for range 10 {
		base(day)
	}
	r.packAll(8, 5)
	if got := r.o.Journal.Floor(); got > r.w.Tick-30+1 || got < r.w.Tick-30-20 {
		t.Fatalf("floor %d of %d", got, r.w.Tick)
	}
	rows, _, err := r.o.Journal.Rows(t.Context(), "c1", "", 0, 100)
	if err != nil || len(rows) < 4 {
		t.Fatalf("the transcript: %d rows, %v", len(rows), err)
	}
	floor = r.o.Journal.Floor()
	o := mustOpen(t, r.killed())
	if o.Journal.Floor() != floor || o.Saved.BaseSeq != r.w.Tick || o.Saved.BaseAt == 0 {
		t.Fatalf("floor %d, base %d", o.Journal.Floor(), o.Saved.BaseSeq)
	}
	sameJSON(t, "world", o.Saved.World, r.w)
	if got := readAll(t, o.Journal, floor-1); !slices.EqualFunc(got, r.frames[floor-1:], slices.Equal) {
		t.Fatal("the frames differ")
	}
}

// What says how old a realm is may be lost or garbled: then it begins to count anew.
func TestAgeIsGarbled(t *testing.T) {
	for i, how := range []string{"UPDATE meta SET value = 'x' WHERE key = 'age'", "DELETE FROM meta WHERE key = 'age'", `UPDATE meta SET value = '{"at":1,"lived":-5,"marks":[{"seq":9999999,"lived":-1000000000000}]}' WHERE key = 'age'`} {
		r := newRig(t)
		r.tell()
		must(t, r.o.Journal.SaveBase(r.worldNow()))
		r.close()
		k := &killedRig{dir: r.dir}
		k.sql(t, how)
		r.open()
		r.o.Journal.trims = trimLimits{days: day, events: 1}
		r.say(5)
		must(t, r.o.Journal.SaveBase(r.worldNow()))
		r.packAll(100, 100)
		if got := readAll(t, r.o.Journal, r.o.Journal.Floor()-1); len(got) < 2 {
			t.Fatalf("%d: %d events are left", i, len(got))
		}
		r.say(1)
		sameJSON(t, fmt.Sprint(i), mustOpen(t, r.killed()).Saved.World, r.w)
	}
}

// A clock that was ten years ahead and was set back does not stop a realm's days.
func TestAgeAfterAClockThatWasAhead(t *testing.T) {
	a, at, seq := new(age), world.TimeOf(rigStart), int64(0)
	step := func(by time.Duration) (old int64) {
		at += world.Time(by.Milliseconds())
		seq += 10
		return a.step(seq, at, 90*24*time.Hour)
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
