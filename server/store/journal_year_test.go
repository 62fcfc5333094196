package store

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"agentdungeon/shared/world"
)

// A realm that is used every day for a year, taken down and killed now and then, takes no
// more in its hundredth day than in its last, but for what was said in it; and it opens from
// as few events, blocks and marks. YEAR_EVENTS is how many events a day has.
func TestYear(t *testing.T) {
	perDay := 40
	if n, err := strconv.Atoi(os.Getenv("YEAR_EVENTS")); err == nil {
		perDay = n
	}
	if raceOn {
		perDay = 10
	}
	r := newRig(t)
	r.tell()
	limits := func() {
		r.packLimits(int64(2*perDay), int64(2*perDay))
		r.o.Journal.mu.Lock()
		defer r.o.Journal.mu.Unlock()
		r.o.Journal.trims = trimLimits{days: trimDays, events: int64(20 * perDay)}
	}
	limits()
	var hundredth int64
	for today := 1; today <= 365; today++ {
		r.at = world.TimeOf(rigStart) + world.Time(int64(today)*day.Milliseconds())
		for range 2 {
			var bodies []world.Body
			for i := range perDay / 2 {
				bodies = append(bodies, &world.SpectatorCommand{SpectatorID: "s", Name: "person", Color: "#aabbcc", Text: fmt.Sprintf("day %d, word %d: %x", today, i, today*7919+i)})
			}
			b := r.batch(bodies...)
			b.Commands = []world.CommandRow{{SpectatorID: "s", RequestID: fmt.Sprint(today, r.w.Tick), Hash: "h", At: r.at, Reply: []byte(`{"ok":true}`)}}
			must(t, r.o.Journal.Commit(b))
			r.fold(b)
		}
		must(t, r.o.Journal.SaveBase(r.worldNow()))
		r.checkpoint()
		r.packAll(int64(2*perDay), int64(2*perDay))
		switch {
		case today%40 == 0:
			r.close()
			r.open()
			limits()
		case today%40 == 20:
			dir := r.killed()
			must(t, r.o.Journal.Close())
			r.dir = dir
			r.open()
			limits()
		}
		if today == 100 {
			must(t, r.o.Journal.EmptyLog(t.Context()))
			hundredth = r.o.Journal.Bytes()
		}
	}
	must(t, r.o.Journal.EmptyLog(t.Context()))
	kept := r.w.Tick - r.o.Journal.Floor() + 1
	if most := int64(94 * perDay); kept > most || kept < int64(89*perDay) {
		t.Fatalf("%d events are kept of %d, and %d are ninety days", kept, r.w.Tick, 90*perDay)
	}
	if last := r.o.Journal.Bytes(); last > hundredth+hundredth/8 {
		t.Fatalf("it takes %d bytes at the end, %d on the hundredth day", last, hundredth)
	}
	r.close()
	rem, err := examine(t.Context(), sqliteDriver, r.o.Journal.path)
	must(t, err)
	a, err := readAge(t.Context(), rem.db)
	must(t, err)
	if len(rem.packs) > 50 || len(rem.lines) > 20 || len(rem.bases) != keptBases || len(a.Marks) > 100 {
		t.Fatalf("%d blocks, %d lines, %d bases, %d marks", len(rem.packs), len(rem.lines), len(rem.bases), len(a.Marks))
	}
	must(t, rem.close())
	r.open()
	sameJSON(t, "world", r.o.Saved.World, r.w)
	floor := r.o.Journal.Floor()
	if got := readAll(t, r.o.Journal, floor-1); !slices.EqualFunc(got, r.frames[floor-1:], slices.Equal) {
		t.Fatal("the frames differ")
	}
}
