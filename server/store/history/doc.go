// Package history reads what is committed to a realm.db: frames, transcripts, runs, answers, the audit
// and what a search finds.
//
// It owns the read-only handle (Handle), the queries and their bounds: reads are short, because an
// open cursor keeps SQLite's log from being moved.
//
// It never writes, and never sees what is not committed. server/store/journal embeds its Reader;
// server/store/recovery loads with it what an opening takes into memory, and retention lists
// conversations with it beside whoever has the realm open (Heads).
//
// # Where to look
//
//   - the handle: handle.go
//   - events as they were shown: frames.go; transcripts and runs: transcripts.go, sessions.go; the audit: audit.go
//   - what an opening loads: load.go; what retention looks at: heads.go
//   - searching: search.go, search_parts.go
package history
