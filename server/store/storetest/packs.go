package storetest

import (
	"agentdungeon/server/store/tables"
)

// PackAll packs all rows except the newest, in blocks of the given number of events.
func (r *Rig) PackAll(events, rows int64) {
	r.T.Helper()
	last := r.O.Journal.Head() - rows
	Must(r.T, r.O.Journal.Amend("pack events", func(w *tables.Writer) error {
		var block []tables.EventRow
		var blocks [][]tables.EventRow
		if err := tables.EachRowFrom(w, 1, last, func(e *tables.EventRow) bool {
			if n := len(block); n > 0 && block[n-1].Seq != e.Seq-1 {
				blocks, block = append(blocks, block), nil
			}
			if block = append(block, *e); int64(len(block)) == events {
				blocks, block = append(blocks, block), nil
			}
			return true
		}); err != nil {
			return err
		}
		for _, b := range blocks {
			events, sum := tables.Pack(b)
			if err := w.PutBlock(b, events, sum); err != nil {
				return err
			}
		}
		return nil
	}))
}
