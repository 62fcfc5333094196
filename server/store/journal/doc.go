// Package journal is an open realm.db: the durable record of one realm.
//
// It commits batches of events with the rows that follow from them, reads frames and transcripts
// beside the commits, searches them, packs and trims what is old, and moves SQLite's log. It
// implements realm.Journal. The file is bounded: long texts and older events are packed, events
// that are old enough are deleted, both beside the commits.
//
// It expects a database that was examined and found whole, knows nothing of other files of the
// realm, and never decides what happens in it. server/store/recovery opens it, server/store/erasure
// changes rows in it, and the actor works through realm.Journal.
//
// # Where to look
//
//   - opening, writing beside the commits, closing: journal.go, location.go; read-only first: late.go
//   - a batch, and what became of one that failed: commit.go
//   - reading: frames.go, transcripts.go, load.go, sessions.go, search*.go, audit.go, heads.go
//   - keeping it small: tidy.go, trim.go; its log: log.go; what deleted rows leave: pages.go; a copy through the open
//     handle: backup.go
package journal
