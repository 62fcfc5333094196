package store

import (
	"testing"
	"time"

	"agentdungeon/shared/world"
)

// A journal whose clock was beyond year 9999, as earlier versions wrote it, opens whole: its
// rows, its world and its frames are there, and what happens then follows the clock (P4.1).
func TestAJournalOfAFarYearIsRead(t *testing.T) {
	for name, year := range map[string]int{"ten thousand years ahead": 12026, "before year 0": -26} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.at = world.Time(time.Date(year, 11, 22, 10, 0, 0, 0, time.UTC).UnixMilli())
			r.tell()
			r.checkpoint()
			r.say(5)
			r.dir = r.killed()
			r.open()
			if told := r.o.Saved.Restored; told != nil && (told.TranscriptsLost || len(told.SetAside) > 0) {
				t.Fatalf("restored %+v", told)
			}
			if r.o.Saved.Head != int64(len(r.frames)) {
				t.Fatalf("the journal ends at %d, %d events were shown", r.o.Saved.Head, len(r.frames))
			}
			for i, frame := range readAll(t, r.o.Journal, 0) {
				if string(frame) != string(r.frames[i]) {
					t.Errorf("event %d is\n%s\nand was shown as\n%s", i+1, frame, r.frames[i])
				}
			}
			now := world.TimeOf(time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC))
			if got := world.After(r.o.Saved.LastAt, now); got != now {
				t.Errorf("the next event is of %s", got)
			}
		})
	}
}
