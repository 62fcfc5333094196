package tables

import (
	"context"
	"encoding/json"
	"fmt"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// SetMeta sets the value of a key of the table meta.
func (w *Writer) SetMeta(key, value string) error {
	_, err := w.Exec(`INSERT INTO meta (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}

// ReadMeta returns the value of a key of the table meta, or "" if it is not set.
func ReadMeta(ctx context.Context, q sqlite.Queryer, key string) (value string, err error) {
	err = sqlite.One(ctx, q, []any{&value}, "SELECT ifnull((SELECT value FROM meta WHERE key = ?), '')", key)
	return value, err
}

// Keys of the table meta.
const (
	// MetaReady marks a database named NewFile as complete. Its value is a suffix: the old files that the new
	// database replaces get it in their names when they are set aside (disk.Folder.AsideSuffix).
	MetaReady = "ready"

	MetaFloor  = "floor"  // see ReadFloor
	MetaOpen   = "open"   // "1" from an opening to a clean Close; a database with this value must have a log
	metaNotice = "notice" // what the last opening restored; see Notice
	MetaVaults = "vaults" // world.VaultMark as JSON; a journal of an older version has no such key
	MetaAge    = "age"    // the time that the realm was in use; see age in package journal
	// MetaPlain is set only while rows may have unpacked texts or no checksums: rows of an older version, or of a
	// journal that was rebuilt. Its value is a seq: rows up to this seq are packed and have checksums.
	MetaPlain    = "plain"
	MetaSearch   = "search"   // set only if an index was found broken; the next opening rebuilds that index
	MetaSettings = "settings" // the realm's settings as the audit last recorded them
	// MetaThinned is set while the search index still holds words of deleted rows, until mergeIndex has removed them.
	MetaThinned = "thinned"
	MetaSecure  = "secure" // set if the whole file was written with secure_delete
	MetaTenant  = "tenant" // the tenant of the realm at its last opening (S1-08); older versions did not store it
)

// Values of MetaSearch. BrokenSearch means that the search index is broken, BrokenTables that an index of a table
// is broken.
const (
	BrokenSearch = "broken"
	BrokenTables = "tables"
)

// Notice records what an opening restored. The opening stores it together with the new epoch. The actor reports it in
// the realm's first event; if the realm is closed before that, the next opening reports it.
type Notice struct {
	Head            int64      `json:"head"`
	Source          string     `json:"source,omitempty"` // "" at the first opening of a realm
	Since           world.Time `json:"since,omitempty"`
	TranscriptsLost bool       `json:"transcriptsLost,omitempty"`
	SetAside        []string   `json:"setAside,omitempty"`
	// Salvage is the result of a salvage, nil if there was none.
	Salvage *world.Salvage `json:"salvage,omitempty"`
}

// SetNotice stores the notice of an opening in place of the previous one.
func (w *Writer) SetNotice(n *Notice) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode notice: %w", err)
	}
	return w.SetMeta(metaNotice, string(raw))
}

// ReadNotice returns the notice that the last opening has stored. It returns disk.ErrCorrupt (wrapped) for a damaged
// one.
func ReadNotice(ctx context.Context, q sqlite.Queryer) (*Notice, error) {
	var raw []byte
	if err := sqlite.One(ctx, q, []any{&raw}, "SELECT value FROM meta WHERE key = ?", metaNotice); err != nil {
		return nil, err
	}
	n := new(Notice)
	if err := json.Unmarshal(raw, n); err != nil {
		return nil, fmt.Errorf("%w: decode what the last opening has restored: %w", disk.ErrCorrupt, err)
	}
	return n, nil
}
