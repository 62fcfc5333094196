package recovery_test

import (
	"testing"
	"time"

	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// A journal whose clock was beyond year 9999, as earlier versions wrote it, opens with its rows, world and
// frames. The next event has the time of the clock (P4.1).
func TestAJournalOfAFarYearIsRead(t *testing.T) {
	for name, year := range map[string]int{"ten thousand years ahead": 12026, "before year 0": -26} {
		t.Run(name, func(t *testing.T) {
			r := storetest.NewRig(t)
			r.At = world.Time(time.Date(year, 11, 22, 10, 0, 0, 0, time.UTC).UnixMilli())
			r.Tell()
			r.Checkpoint()
			r.Say(5)
			r.Dir = r.Killed()
			r.Open()
			if told := r.O.Saved.Restored; told != nil && (told.TranscriptsLost || len(told.SetAside) > 0) {
				t.Fatalf("restored %+v", told)
			}
			if r.O.Saved.Head != int64(len(r.Frames)) {
				t.Fatalf("the journal ends at %d, %d events were shown", r.O.Saved.Head, len(r.Frames))
			}
			for i, frame := range storetest.ReadAll(t, r.O.Journal, 0) {
				if string(frame) != string(r.Frames[i]) {
					t.Errorf("event %d is\n%s\nand was shown as\n%s", i+1, frame, r.Frames[i])
				}
			}
			now := world.TimeOf(time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC))
			if got := world.After(r.O.Saved.LastAt, now); got != now {
				t.Errorf("the next event is of %s", got)
			}
		})
	}
}
