package recovery_test

import (
	"testing"

	"agentdungeon/server/store/storetest"
)

// A salvage also uses the events after a lost one: it folds them and restores rows from them (S3-17).
func TestSalvageGoesOnBehindALostEvent(t *testing.T) {
	r := storetest.NewRig(t)
	var seqs []int64
	for _, id := range []string{"a", "b", "c", "d"} {
		r.Commit(storetest.Findings(id)...)
		seqs = append(seqs, r.W.Tick)
	}
	k := &storetest.KilledRig{R: r, Worlds: map[int64]string{}}
	k.Dir = r.Killed()
	k.TakeLog(t)
	k.SQL(t, "DELETE FROM bases")
	k.FlipEvent(t, seqs[1])
	o := storetest.MustOpen(t, k.Dir)
	var ids []string
	for _, f := range o.Saved.World.Findings {
		ids = append(ids, f.ID)
	}
	storetest.SameJSON(t, "findings", ids, []string{"a", "c", "d"})
}
