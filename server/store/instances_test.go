package store

import (
	"slices"
	"testing"

	"agentdungeon/shared/world"
)

// Instances count on in a realm whose files an older version wrote: its worlds have none,
// and its runs may count anew in each life, so the largest number counts. Where the world
// has them nothing is read (S0-07, S1-20).
func TestInstancesOfOlderVersions_S0_07(t *testing.T) {
	for version := 1; version <= 3; version++ {
		dir, frames := realmOf(t, version)
		want := map[string]int{}
		for _, frame := range frames {
			ev, err := world.DecodeEvent(frame)
			must(t, err)
			if b, ok := ev.Body.(*world.ChatStarted); ok && b.Instance != "" {
				want[b.MemberID] = max(want[b.MemberID], world.Instance{MemberID: b.MemberID, Instance: b.Instance}.Number())
			}
		}
		o := mustOpen(t, dir)
		r := &rig{t: t, dir: dir, o: o, w: o.Saved.World.Clone(), at: o.Saved.LastAt, frames: slices.Clone(frames)}
		r.commit(o.Saved.Restored)
		for member, n := range want {
			if got := r.w.InstanceNumber(member); got != n {
				t.Errorf("version %d: the newest of %s is %d, want %d", version, member, got, n)
			}
		}
		if len(want) == 0 {
			t.Errorf("version %d has no instances", version)
		}
		r.checkpoint()
		o = mustOpen(t, r.killed())
		if got := o.Saved.Restored.Instances; got != nil {
			t.Errorf("version %d, opened again: %v", version, got)
		}
	}
}
