package recovery_test

import (
	"slices"
	"testing"

	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// The numbers of instances continue in a realm whose files an older version wrote: its worlds have no instances,
// and its runs may start from 1 after each opening, so the largest number counts. If the world has instances,
// the runs are not read (S0-07, S1-20).
func TestInstancesOfOlderVersions_S0_07(t *testing.T) {
	for version := 1; version <= 3; version++ {
		dir, frames := storetest.RealmOf(t, version)
		want := map[string]int{}
		for _, frame := range frames {
			ev, err := world.DecodeEvent(frame)
			storetest.Must(t, err)
			if b, ok := ev.Body.(*world.ChatStarted); ok && b.Instance != "" {
				want[b.MemberID] = max(want[b.MemberID], world.Instance{MemberID: b.MemberID, Instance: b.Instance}.Number())
			}
		}
		o := storetest.MustOpen(t, dir)
		r := &storetest.Rig{T: t, Dir: dir, O: o, W: o.Saved.World.Clone(), At: o.Saved.LastAt, Frames: slices.Clone(frames)}
		r.Commit(o.Saved.Restored)
		for member, n := range want {
			if got := r.W.InstanceNumber(member); got != n {
				t.Errorf("version %d: the newest of %s is %d, want %d", version, member, got, n)
			}
		}
		if len(want) == 0 {
			t.Errorf("version %d has no instances", version)
		}
		r.Checkpoint()
		o = storetest.MustOpen(t, r.Killed())
		if got := o.Saved.Restored.Instances; got != nil {
			t.Errorf("version %d, opened again: %v", version, got)
		}
	}
}
