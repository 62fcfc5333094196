package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agentdungeon/server/conversation"
	"agentdungeon/server/retention"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// maxHeads limits the conversations of a realm that one pass of retention examines. The pass takes those that were
// updated longest ago, because they are due before all others.
const maxHeads = 200_000

// Heads returns the conversations of the realm in the folder dir as retention needs them. It does not open the
// realm, so no file changes and no epoch begins, and the realm may be open meanwhile. It sees committed data only.
// If the realm is not open, it must not be opened during the call: see sqlite.ModeLook.
func Heads(ctx context.Context, dir string) (heads []retention.Head, err error) {
	id, path := filepath.Base(dir), filepath.Join(dir, sqlite.JournalFile)
	if !disk.Exists(path) {
		return nil, nil // without a realm.db the realm was never opened, or the next opening reports that the file is lost
	}
	mode := sqlite.ModePeek // a realm.db that was closed has no log; this mode creates none
	if disk.Exists(path + "-wal") {
		mode = sqlite.ModeLook
		// A copied folder may lack the index of the log, and SQLite then creates one.
		if index := path + "-shm"; !disk.Exists(index) {
			mode = sqlite.ModeRead
			defer func() {
				if rmErr := os.Remove(index); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
					err = errors.Join(err, fmt.Errorf("remove the index of the write-ahead log of realm %s: %w", id, rmErr))
				}
			}()
		}
	}
	db, err := sqlite.Open(ctx, path, mode, 1)
	if err != nil {
		return nil, fmt.Errorf("read the conversations of realm %s: %w", id, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if heads, err = readHeads(ctx, db); err != nil {
		return nil, fmt.Errorf("read the conversations of realm %s: %w", id, err)
	}
	return heads, nil
}

func readHeads(ctx context.Context, db *sql.DB) ([]retention.Head, error) {
	version, err := tables.CheckVersion(ctx, db)
	if err != nil {
		return nil, err
	}
	about := "about"
	if version < 2 {
		about = "''"
	}
	var process string // the id of the newest process, which is the realm's current or last one
	if err := sqlite.One(ctx, db, []any{&process},
		`SELECT ifnull((SELECT conversation_id FROM conversations
			WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY n DESC LIMIT 1), '')`,
		kindsWith(func(r conversation.Rules) bool { return r.Staged })); err != nil {
		return nil, err
	}
	return sqlite.Collect(ctx, db, func(rows *sql.Rows) (h retention.Head, err error) {
		var about []byte
		if err := rows.Scan(&h.ID, &h.Kind, &h.Status, (*int64)(&h.UpdatedAt), (*int64)(&h.EndedAt), &about,
			&h.Running); err != nil {
			return h, err
		}
		if len(about) > 0 {
			var a world.About
			if err := json.Unmarshal(about, &a); err != nil {
				return h, fmt.Errorf("%w: decode the subject of conversation %s: %w", disk.ErrCorrupt, h.ID, err)
			}
			h.About = a.ConversationID
		}
		h.Current = h.ID == process
		return h, nil
	}, `SELECT conversation_id, kind, status, updated_at, ended_at, `+about+`,
			EXISTS (SELECT 1 FROM runs r WHERE r.conversation_id = c.conversation_id AND r.`+tables.UnderWay+`)
		FROM conversations c ORDER BY updated_at LIMIT ?`, maxHeads)
}
