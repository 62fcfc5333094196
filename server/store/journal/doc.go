// Package journal is an open realm.db: the durable record of one realm.
//
// It commits batches of events with the rows that follow from them, packs and trims what is old, and
// moves SQLite's log. It implements realm.Journal, whose reading half is server/store/history. The file
// is bounded: long texts and older events are packed, events that are old enough are deleted, both
// beside the commits.
//
// It expects a database that was examined and found whole, knows nothing of other files of the
// realm, and never decides what happens in it. server/store/recovery opens it, server/store/erasure
// changes rows in it, and the actor works through realm.Journal.
//
// # Where to look
//
//   - opening, committing, writing beside the commits, closing: journal.go, location.go; read-only first: late.go
//   - the handles, a transaction, and what became of one that failed: database.go
//   - keeping it small: tidy.go, trim.go; its log: log.go; what deleted rows leave: pages.go; a copy through the open
//     handle: backup.go
package journal
