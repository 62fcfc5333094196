package storetest

import (
	"fmt"
	"math/rand/v2"

	"agentdungeon/shared/world"
)

func (r *Rig) Base() {
	r.T.Helper()
	if err := r.O.Journal.SaveBase(r.WorldNow()); err != nil {
		r.T.Fatal(err)
	}
}

// Fill commits rows of size bytes each and returns the greatest length of the log, in bytes.
func (r *Rig) Fill(rows, size int) (most int64) {
	r.T.Helper()
	rnd := rand.New(rand.NewPCG(1, 1))
	for range rows {
		raw := make([]byte, 2*size) // random, so that packing cannot make it smaller than size
		for i := range raw {
			raw[i] = byte(' ' + rnd.IntN(16))
		}
		text := string(raw)
		r.Commit(&world.MessageAdded{Message: world.Message{MessageID: fmt.Sprint("m", r.W.Tick), Content: text}})
		most = max(most, logBytesOf(r.Dir))
	}
	r.Frames = nil
	return most
}
