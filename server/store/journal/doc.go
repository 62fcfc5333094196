// Package journal is an open realm.db: the durable record of one realm.
//
// It commits batches of events with the rows that follow from them, packs long texts and older events, deletes events
// that are old enough, and moves SQLite's log into the database. It implements realm.Journal, whose reading half is
// server/store/history.
//
// It expects a database that was examined and found intact, reads no other file of the realm, and never decides which
// events happen. server/store/recovery opens it, server/store/erasure changes rows in it, and the actor uses it
// through realm.Journal.
//
// # Where to look
//
//   - committing, other writes, a copy through the open handle: journal.go; space that deleted rows occupy: pages.go
//   - opening and closing: open.go
//   - keeping it small: tidy.go, trim.go; its log: log.go
//   - the handles, a transaction, and finding out whether a failed one was stored: database.go
//   - whether the files were moved: location.go
package journal
