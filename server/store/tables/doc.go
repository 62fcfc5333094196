// Package tables is the layout of realm.db: tables, rows, checksums, packed blocks, versions.
//
// It owns the schema and its migrations, which row an event writes (Writer.Change is the one
// place), how rows and blocks of events are encoded, summed and read back, gaps for events that
// are lost, the full-text index, and the keys of the table meta. It reads and writes through
// the caller's connection, inside the caller's transaction.
//
// It never opens a realm, keeps no state but that of one connection, and decides nothing.
// Through it server/store/journal writes batches, recovery reads and rebuilds databases, and
// erasure removes words.
//
// # Where to look
//
//   - tables, migrations, a new database: schema.go; the connection that writes: writer.go
//   - which event goes into which table: project.go, audit.go; a batch: store.go
//   - events as rows and as blocks: event.go, packs.go, gaps.go; compression: compress.go
//   - rows of transcripts: scan.go, seal.go; their index: search_index.go; checksums: sums.go
//   - epochs: lines.go; bases: bases.go; keys of the table meta and the notice of an opening: meta.go
package tables
