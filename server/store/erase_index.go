package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// The search index and erasing. FTS5 with secure-delete takes each word of a row out of
// its pages, some milliseconds a row. That is right for a conversation. For many rows it is
// turned off meanwhile: rows are struck out, and then all of the index is merged piece by
// piece, which leaves what is struck out behind. Which of the two goes on stands in meta.

// thinFrom is from how many rows on the index is merged.
var thinFrom = 300 // not a constant, so that tests need not write as many

// thin turns secure-delete off where many rows go, and says whether it is off.
func (r *redaction) thin(ctx context.Context) (bool, error) {
	var off, rows int
	list, err := json.Marshal(r.scope.Talks)
	if err != nil {
		return false, fmt.Errorf("encode ids: %w", err)
	}
	if err := r.j.read(func(db *sql.DB) error {
		if err := one(ctx, db, []any{&off}, "SELECT count(*) FROM meta WHERE key = ?", metaThinned); err != nil {
			return err
		}
		return one(ctx, db, []any{&rows}, `SELECT count(*) FROM (SELECT 1 FROM messages
			WHERE conversation_id IN (SELECT value FROM json_each(?)) OR ? <> '' AND spectator_id = ? LIMIT ?)`,
			string(list), r.scope.Person, r.scope.Person, thinFrom)
	}); err != nil || off > 0 || rows < thinFrom {
		return off > 0, err
	}
	return true, r.j.erase("strike rows out of the index", func() error {
		if r.j.noIndex {
			return nil
		}
		if err := r.j.w.setMeta(metaThinned, "1"); err != nil {
			return err
		}
		return r.j.w.run("INSERT INTO search (search, rank) VALUES ('secure-delete', 0)")
	})
}

// mergePages is how many pages of the index one step merges.
const mergePages = 64

// mergeIndex merges all of the index in steps, and turns secure-delete on again.
func (j *Journal) mergeIndex(ctx context.Context) error {
	pages := -mergePages // the first step takes all of it on
	for over := false; !over && !j.noIndex; {
		err := j.erase("merge the index", func() error {
			before, after := 0, 0
			if err := one(context.Background(), j.w.conn, []any{&before}, "SELECT total_changes()"); err != nil {
				return err
			}
			if _, err := j.w.exec("INSERT INTO search (search, rank) VALUES ('merge', ?)", pages); err != nil {
				return indexError(err)
			}
			if err := one(context.Background(), j.w.conn, []any{&after}, "SELECT total_changes()"); err != nil {
				return err
			}
			over = after-before < 2 && pages > 0 // as FTS5 says that there is nothing left
			return nil
		})
		if err != nil {
			return err
		}
		pages = mergePages
		if err := rest(ctx, redactFor); err != nil {
			return err
		}
	}
	return j.erase("merge the index", func() error {
		if !j.noIndex {
			if err := j.w.run("INSERT INTO search (search, rank) VALUES ('secure-delete', 1)"); err != nil {
				return err
			}
		}
		_, err := j.w.exec("DELETE FROM meta WHERE key = ?", metaThinned)
		return err
	})
}

// indexGone says that rows are written without the index.
func (j *Journal) indexGone() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.noIndex
}

// dropIndex empties a broken index, which still has words of what is erased. The next
// opening makes it anew.
func (j *Journal) dropIndex() error {
	return j.erase("drop the search index", func() error {
		j.noIndex = true
		if err := j.w.setMeta(metaSearch, brokenSearch); err != nil {
			return err
		}
		return j.w.run("DROP TABLE IF EXISTS search;" + searchTables)
	})
}
