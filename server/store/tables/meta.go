package tables

import (
	"context"

	"agentdungeon/server/store/sqlite"
)

// SetMeta sets the value of a key.
func (w *Writer) SetMeta(key, value string) error {
	_, err := w.Exec(`INSERT INTO meta (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}

// ReadMeta returns the value of a key, "" where it is not set.
func ReadMeta(ctx context.Context, q sqlite.Queryer, key string) (value string, err error) {
	err = sqlite.One(ctx, q, []any{&value}, "SELECT ifnull((SELECT value FROM meta WHERE key = ?), '')", key)
	return value, err
}

// Keys of meta.
const (
	// MetaReady says in a journal under NewFile that it is whole. Its value is what the names of the
	// files that it replaces get when they are set aside (disk.Folder.AsideSuffix).
	MetaReady = "ready"

	MetaFloor  = "floor"  // the lowest seq that the journal keeps or, being empty, would give next
	MetaOpen   = "open"   // "1" from opening to a clean Close: a log must lie beside the database
	metaNotice = "notice" // what the last opening restored; see notice
	MetaVaults = "vaults" // world.VaultMark as JSON; absent in older ones
	MetaAge    = "age"    // how long the realm has lived; see age
	// MetaPlain is there only while rows of an older version may lie unpacked or without a sum: the
	// seq up to which they do not.
	MetaPlain    = "plain"
	MetaSearch   = "search"   // there only where an index was found broken: the next opening makes it anew
	MetaSettings = "settings" // the realm's settings as the audit last noted them
	MetaThinned  = "thinned"  // there while rows are struck out of the search index that are to be merged away
	MetaSecure   = "secure"   // there where all of the file was written with secure_delete
	MetaTenant   = "tenant"   // whose realm it was when it was opened last (S1-08); absent in older ones
)

// What MetaSearch says is broken: the search index, or an index of some table.
const (
	BrokenSearch = "broken"
	BrokenTables = "tables"
)
