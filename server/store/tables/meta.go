package tables

func (w *Writer) SetMeta(key, value string) error {
	_, err := w.Exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}

// A salvage makes a new journal of what a damaged one, or none, still gives: each row, event,
// head, run and answer that can be read (recovery/salvage_read.go, recovery/salvage_copy.go), the newest world
// that can be made of state.json and the events (here), rows and heads that only events still
// tell of (recovery/salvage_fill.go), and gaps for the rest. The damaged files are set aside.
//
// The order of its steps: the new journal is whole and synced under another name, and says
// which files it takes the place of; then those are renamed, and it takes its name. A crash
// before the first rename leaves all as it was, one after it is ended by the next opening
// (finishSalvage). So it happens once, or not at all.

// MetaReady says in a journal under NewFile that it is whole, and what the names of the
// files that it replaces get when they are set aside (AsideSuffix).
const MetaReady = "ready"

// Keys of meta.
const (
	MetaFloor    = "floor"    // the lowest seq that the journal keeps or, being empty, would give next
	MetaOpen     = "open"     // "1" from opening to a clean Close: a log must lie beside the database
	metaNotice   = "notice"   // what the last opening restored; see notice
	MetaVaults   = "vaults"   // world.VaultMark as JSON; absent in older ones
	MetaAge      = "age"      // how long the realm has lived; see age
	MetaPlain    = "plain"    // there only while rows of an older version may lie unpacked or without a sum: the seq up to which they do not
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
