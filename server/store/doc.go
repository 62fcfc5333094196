// Package store owns the worlds folder and every byte in it.
//
// Its JSON half goes through afero, and every write through one place that makes it all or
// nothing (folder.go). Of the worlds folder: the lock, the registry of realms and tenants
// (realms.json), settings of new realms and limits of retention (settings.json), the key
// that signs seats (secret.key), what retention knows of the clock (retention.json), and
// as bytes the templates and teams that people give. Of each realm's folder: checkpoints
// (state.json, state.prev.json), vaults (knowledge/), skills, the last scan (map.json),
// the copy of the findings (findings.json), sessions of an older program.
//
// Its SQLite half is realm.db, one for each realm: the journal of durable events, the lines
// (epochs), bases, remembered commands, what forges have gathered, the audit, erasures, and
// the transcripts, runs and messages that are written in their event's transaction, with
// the index that finds messages by their words; and the recovery that makes a realm of what
// its folder still holds, of an older version too. The index is an extra: it is made anew
// from the messages whenever it is not whole, and a journal goes on without it.
//
// realm.db is bounded: long texts and older events lie packed in it, events that are old
// enough are trimmed, both beside the commits, and whoever reads sees no difference.
//
// It never decides what happens in a realm, never touches a linked repository, and never
// overwrites a file that it could not read: such a file is set aside, renamed with the
// time, and deleted by nobody but a person or an erasure that was asked for. server/app
// opens it, server/keeper asks it for realms, and the actor works through realm.Journal,
// realm.Transcripts, realm.Eraser, realm.Rescuer, realm.Files and realm.Skills, which it
// implements.
//
// # Where to look
//
//   - the folder, writes that are all or nothing, who holds it: folder.go, lock*.go, held.go, store.go,
//     errors.go
//   - which realms there are, of whom: registry*.go, realms.go, tenant.go
//   - other files of the worlds folder, and their modes: modes.go, settings.go, secret.go, retention.go, given.go
//   - files of a realm: checkpoint.go, compact.go, vault.go, vault_fold.go, findings.go, skills*.go, sessions.go
//   - handles, pragmas, tables, migrations: sqlite.go, schema.go
//   - writing a batch: events, and the rows that follow from them: journal.go, journal_commit.go, project*.go
//   - reading: journal_read.go, journal_talks.go, journal_sessions.go, audit.go
//   - checksums of rows, events that are lost: row_sum.go, journal_gaps.go
//   - keeping it small, and its log: journal_packs.go, pack.go, journal_trim.go, journal_tidy.go, journal_keep.go
//   - the index of words: search*.go
//   - an opening: what is there, what of it is whole, what to go on with: recover*.go
//   - a damaged journal, made anew of what it still gives: salvage*.go
//   - what is damaged, and a whole copy of it, by command: check*.go, repair.go
//   - an opening where the folder takes no writing: reading.go, image.go
//   - files that are taken away while they are open, and written elsewhere: rescue.go
//   - taking something out of all of it: erase*.go
//   - what a command line may see beside a running server: inspect.go
package store
