package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentdungeon/server/retention"
	"agentdungeon/shared/world"
)

// retentionFile is what the passes know of the clock.
const (
	retentionFile     = "retention.json"
	retentionSchema   = 1
	maxRetentionBytes = 1 << 20
)

// maxHeads is how many conversations of a realm one pass looks at, those first that were
// updated longest ago: others cannot be due before them by the same limits.
const maxHeads = 200_000

// Heads are a realm's conversations as retention sees them, read beside whoever has the
// realm open and without opening it: no file changes, no line begins. What is not
// committed yet is not seen. A realm that is not open must not be opened meanwhile (modeLook).
func (t *Tenant) Heads(ctx context.Context, id string) (heads []retention.Head, err error) {
	dir, err := t.RealmDir(id)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, JournalFile)
	if !exists(path) {
		return nil, nil // it was never opened, or the next opening says what was lost
	}
	mode := modePeek // one that is closed is one file, and stays one
	if exists(path + "-wal") {
		mode = modeLook
		if index := path + "-shm"; !exists(index) { // as in a copy of a folder: SQLite makes one to read the log
			mode = modeRead
			defer func() {
				if rmErr := os.Remove(index); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
					err = errors.Join(err, fmt.Errorf("remove the index of the log of %s: %w", id, rmErr))
				}
			}()
		}
	}
	db, err := openSQLite(ctx, sqliteDriver, path, mode, 1)
	if err != nil {
		return nil, fmt.Errorf("read the conversations of %s: %w", id, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if heads, err = readHeads(ctx, db); err != nil {
		return nil, fmt.Errorf("read the conversations of %s: %w", id, err)
	}
	t.atHand(id, heads)
	return heads, nil
}

func readHeads(ctx context.Context, db *sql.DB) ([]retention.Head, error) {
	version, err := checkVersion(ctx, db)
	if err != nil {
		return nil, err
	}
	about := "about"
	if version < 2 {
		about = "''"
	}
	var process string // the newest is the one that the realm is at, or was at last
	if err := one(ctx, db, []any{&process}, "SELECT ifnull((SELECT conversation_id FROM conversations WHERE kind = ? ORDER BY n DESC LIMIT 1), '')", world.KindProcess); err != nil {
		return nil, err
	}
	return collect(ctx, db, func(rows *sql.Rows) (h retention.Head, err error) {
		var about []byte
		if err := rows.Scan(&h.ID, &h.Kind, &h.Status, (*int64)(&h.UpdatedAt), (*int64)(&h.EndedAt), &about, &h.Running); err != nil {
			return h, err
		}
		if len(about) > 0 {
			var a world.About
			if err := json.Unmarshal(about, &a); err != nil {
				return h, fmt.Errorf("%w: about of %s: %w", ErrCorrupt, h.ID, err)
			}
			h.About = a.ConversationID
		}
		h.AtHand = h.ID == process
		return h, nil
	}, `SELECT conversation_id, kind, status, updated_at, ended_at, `+about+`,
			EXISTS (SELECT 1 FROM runs r WHERE r.conversation_id = c.conversation_id AND r.`+underWay+`)
		FROM conversations c ORDER BY updated_at LIMIT ?`, maxHeads)
}

// atHand marks the party at hand, which only the world knows. A realm that is open knows
// better, and is asked again before anything is done. Where there is no checkpoint yet, or
// none that can be read, each party may be the one; the others of the realm are not held
// for that. What is wrong with the file the next opening says.
func (t *Tenant) atHand(id string, heads []retention.Head) {
	parties := false
	for _, h := range heads {
		parties = parties || h.Kind == world.KindParty
	}
	if !parties {
		return
	}
	var c *LoadedCheckpoint
	files, err := t.RealmFiles(id)
	if err == nil {
		c, err = files.LoadCheckpoint(StateFile)
	}
	for i := range heads {
		switch {
		case err != nil:
			heads[i].Unsure = heads[i].Kind == world.KindParty
		case heads[i].ID == c.World.Party.ConversationID:
			heads[i].AtHand = true
		}
	}
}

type retentionState struct {
	Schema int `json:"schema"`
	retention.Watch
}

// LoadWatch is what the passes knew of the clock, the zero Watch where nothing is known:
// in a new folder, or where the file was damaged, which is set aside. One of a newer
// version, or that the disk does not give, is an error: then nothing is to be let go of.
func (s *Store) LoadWatch() (retention.Watch, error) {
	data, err := s.root.read(retentionFile, maxRetentionBytes)
	if errors.Is(err, ErrMissing) {
		return retention.Watch{}, nil
	}
	var state retentionState
	if err == nil {
		if jerr := json.Unmarshal(data, &state); jerr != nil || state.Schema < 1 || state.Waits < 0 {
			err = fmt.Errorf("%s: %w", retentionFile, errors.Join(ErrCorrupt, jerr))
		}
	}
	switch {
	case err == nil && state.Schema > retentionSchema:
		return retention.Watch{}, fmt.Errorf("%s: %w: schema %d, this one reads up to %d", retentionFile, ErrNewer, state.Schema, retentionSchema)
	case errors.Is(err, ErrCorrupt):
		aside, asideErr := s.root.setAside(time.Now(), retentionFile)
		s.log.Error().Err(err).Strs("setAside", aside).Msg("what was known of the clock is lost; nothing is let go of until the server has lived for a day")
		return retention.Watch{}, asideErr
	case err != nil:
		return retention.Watch{}, fmt.Errorf("read %s: %w", retentionFile, err)
	}
	return state.Watch, nil
}

// SaveWatch keeps it.
func (s *Store) SaveWatch(w retention.Watch) error {
	data, err := json.MarshalIndent(retentionState{retentionSchema, w}, "", "  ")
	if err != nil {
		return fmt.Errorf("save %s: %w", retentionFile, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := s.inPlace(); err != nil {
		return fmt.Errorf("save %s: %w", retentionFile, err)
	}
	if err := s.root.replace(retentionFile, append(data, '\n')); err != nil {
		return fmt.Errorf("save %s: %w", retentionFile, err)
	}
	return nil
}
