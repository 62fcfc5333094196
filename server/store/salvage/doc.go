// Package salvage copies what can be read of a damaged realm.db into a new one.
//
// It owns how a damaged database is read row by row (Source), which rows are copied, repaired or
// marked as damaged (Copy), and what is restored from events alone because its own page is lost: rows of
// transcripts, runs and heads of conversations (Journal.Complete). Events that cannot be read become gaps.
//
// It never writes to the damaged database, renames no file and does not choose the world from which the
// realm continues. server/store/recovery does that, and is its only caller.
//
// # Where to look
//
//   - the new journal and the order of the steps: journal.go
//   - restoring rows, runs and heads from events: fill.go, heads.go
//   - copying tables: copy.go; adapting a row to its table: target.go
//   - reading the damaged database: source.go
package salvage
