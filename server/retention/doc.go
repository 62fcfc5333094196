// Package retention decides how long conversations are kept (S1-15, S1-16, S1-B8): which inactive
// conversations are marked abandoned, which ended conversations are deleted (rule.go), by which
// limits (policy.go), and when the clock can be trusted (clock.go).
//
// It is pure: it reads no clock, disk or transcript and deletes nothing. server/keeper runs the
// passes. server/store reads the limits from settings.json and the heads from realm.db.
package retention
