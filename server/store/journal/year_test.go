package journal_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"agentdungeon/server/soak"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// A realm is used every day for a year, and stopped and killed now and then. Except for the transcripts it takes
// no more space on its last day than on its hundredth, and opens from as few events, blocks and marks.
// YEAR_EVENTS sets the number of events of a day.
func TestYear(t *testing.T) {
	perDay := soak.Cases(40, 10)
	if n, err := strconv.Atoi(os.Getenv("YEAR_EVENTS")); err == nil {
		perDay = n
	}
	r := storetest.NewRig(t)
	r.Tell()
	limits := func() {
		r.O.Journal.SetPacking(int64(2*perDay), int64(2*perDay))
		(*r.O.Journal.MuRef()).Lock()
		defer (*r.O.Journal.MuRef()).Unlock()
		(*r.O.Journal.TrimsRef()) = journal.TrimLimits{Days: journal.TrimDays, Events: int64(20 * perDay)}
	}
	limits()
	var hundredth int64
	for today := 1; today <= 365; today++ {
		r.At = world.TimeOf(storetest.RigStart) + world.Time(int64(today)*day.Milliseconds())
		for range 2 {
			var bodies []world.Body
			for i := range perDay / 2 {
				bodies = append(bodies, &world.SpectatorCommand{SpectatorID: "s", Name: "person", Color: "#aabbcc", Text: fmt.Sprintf("day %d, word %d: %x", today, i, today*7919+i)})
			}
			b := r.Batch(bodies...)
			b.Commands = []world.CommandRow{{SpectatorID: "s", RequestID: fmt.Sprint(today, r.W.Tick), Hash: "h", At: r.At, Reply: []byte(`{"ok":true}`)}}
			storetest.Must(t, r.O.Journal.Commit(b))
			r.Fold(b)
		}
		storetest.Must(t, r.O.Journal.SaveBase(r.WorldNow()))
		r.Checkpoint()
		packAll(r, int64(2*perDay), int64(2*perDay))
		switch {
		case today%40 == 0:
			r.Close()
			r.Open()
			limits()
		case today%40 == 20:
			dir := r.Killed()
			storetest.Must(t, r.O.Journal.Close())
			r.Dir = dir
			r.Open()
			limits()
		}
		if today == 100 {
			storetest.Must(t, r.O.Journal.EmptyLog(t.Context()))
			hundredth = r.O.Journal.Bytes()
		}
	}
	storetest.Must(t, r.O.Journal.EmptyLog(t.Context()))
	kept := r.W.Tick - r.O.Journal.Floor() + 1
	if most := int64(94 * perDay); kept > most || kept < int64(89*perDay) {
		t.Fatalf("%d events are kept of %d, and %d are ninety days", kept, r.W.Tick, 90*perDay)
	}
	if last := r.O.Journal.Bytes(); last > hundredth+hundredth/8 {
		t.Fatalf("it takes %d bytes at the end, %d on the hundredth day", last, hundredth)
	}
	r.Close()
	rem := storetest.LookAt(t, (*r.O.Journal.PathRef()))
	lines, err := tables.ReadLines(t.Context(), rem)
	storetest.Must(t, err)
	bases, err := tables.ReadBases(t.Context(), rem)
	storetest.Must(t, err)
	a, err := journal.ReadAge(t.Context(), rem.DB)
	storetest.Must(t, err)
	if rem.Blocks > 50 || len(lines) > 20 || len(bases) != tables.KeptBases || len(a.Marks) > 100 {
		t.Fatalf("%d blocks, %d lines, %d bases, %d marks", rem.Blocks, len(lines), len(bases), len(a.Marks))
	}
	storetest.Must(t, rem.Close())
	r.Open()
	storetest.SameJSON(t, "world", r.O.Saved.World, r.W)
	floor := r.O.Journal.Floor()
	if got := storetest.ReadAll(t, r.O.Journal, floor-1); !slices.EqualFunc(got, r.Frames[floor-1:], slices.Equal) {
		t.Fatal("the frames differ")
	}
}
