package storetest

// PackAll packs what can be packed, in blocks of so many events, all but the newest rows.
func (r *Rig) PackAll(events, rows int64) {
	r.T.Helper()
	r.PackLimits(events, rows)
	Must(r.T, r.O.Journal.Tidy(r.T.Context()))
}

// PackLimits sets what is packed. The journal's own goroutine reads it, too.
func (r *Rig) PackLimits(events, rows int64) {
	r.O.Journal.SetPacking(events, rows)
}
