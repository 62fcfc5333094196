// Package retention is the rule of how long conversations are kept (S1-15, S1-16, S1-B8): which
// silent conversations are marked abandoned, which ended conversations are deleted, and when the
// clock is trusted.
//
// It is pure: heads, limits and a time in, decisions out. It reads no clock, disk or transcript
// and deletes nothing. server/keeper runs the passes; server/store reads the limits from
// settings.json and the heads from realm.db.
package retention
