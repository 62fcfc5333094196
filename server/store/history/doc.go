// Package history reads the committed content of a realm.db: frames, transcripts, runs, answers, the
// audit and search hits.
//
// It owns the read-only handle (Handle), the queries and their limits: reads are short, because an
// open cursor keeps SQLite's log from being moved into the database.
//
// It never writes and never reads uncommitted data. server/store/journal embeds its Reader;
// server/store/recovery uses it to load what an opening takes into memory, and retention uses it to
// list the conversations of a realm that may be open (Heads).
//
// # Where to look
//
//   - the handle: handle.go
//   - frames: frames.go; transcripts and runs: transcripts.go
//   - conversations as an opening loads them: load.go; for retention: heads.go
//   - lists of conversations, of sessions, the audit: lists.go; of people, by id and name: people.go
//   - searching: search.go; the words of a text: search_parts.go
package history
