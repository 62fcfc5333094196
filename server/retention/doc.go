// Package retention is the rule of what is kept how long (S1-15, S1-16, S1-B8): which
// silent conversations are marked abandoned, which that have ended are let go of, and
// when the clock may be believed.
//
// It is pure: heads, limits and a moment in, decisions out. It reads no clock, no disk
// and no transcript, and deletes nothing; server/keeper runs the passes, server/store
// reads the limits from settings.json and the heads from realm.db.
package retention
