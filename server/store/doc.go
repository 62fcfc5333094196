// Package store owns the worlds folder and every byte in it.
//
// The JSON half: the folder's lock, the registry of realms (realms.json), the
// defaults of new realms (settings.json), the key that signs seats (secret.key),
// process templates as bytes, and in each realm's folder its checkpoints
// (state.json, state.prev.json), vaults and last scan (map.json). It goes through
// afero, and every write goes through one place that makes it all or nothing.
//
// The SQLite half: realm.db, one for each realm, with the journal of durable
// events, the lines (epochs), bases, remembered commands, and the transcripts,
// runs and messages that are written in their event's transaction, with the index
// that finds messages by their words; and the recovery that makes a realm of what its
// folder still holds, of an older version too. The index is an extra: it is made anew
// from the messages whenever it is not whole, and a journal goes on without it.
//
// realm.db is bounded: long texts and older events lie packed in it (pack.go,
// journal_packs.go), events that are old enough are trimmed (journal_trim.go), both
// beside the commits (journal_tidy.go), and whoever reads sees no difference.
//
// It never decides what happens in a realm, never touches a linked repository,
// and never overwrites a file that it could not read: such a file is set aside,
// renamed with the time. server/app opens it, server/keeper asks it for realms,
// and the actor writes through realm.Journal and realm.Files, which it implements.
package store
