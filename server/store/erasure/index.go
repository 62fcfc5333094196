package erasure

import (
	"context"
	"database/sql"

	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
)

// An erasure also removes words from the search index. With secure-delete, FTS5 removes each word of a deleted row
// from its pages, which takes some milliseconds for each row. For many rows the erasure switches secure-delete off:
// FTS5 then only marks rows as deleted; the erasure then merges the whole index in steps, which removes their words.
// The table meta records that secure-delete is off (MetaThinned).

// thinFrom is the minimum number of deleted rows for which the erasure merges the index.
var thinFrom = 300 // a variable, so that tests need fewer rows

// thin switches secure-delete of the search index off if many rows are to be deleted, and reports whether
// secure-delete is off.
func (r *redaction) thin(ctx context.Context) (bool, error) {
	var off, rows int
	if err := r.j.View(func(db *sql.DB) error {
		if err := sqlite.One(ctx, db, []any{&off}, "SELECT count(*) FROM meta WHERE key = ?",
			tables.MetaThinned); err != nil {
			return err
		}
		return sqlite.One(ctx, db, []any{&rows}, `SELECT count(*) FROM (SELECT 1 FROM messages
			WHERE conversation_id IN (SELECT value FROM json_each(?)) OR ? <> '' AND spectator_id = ? LIMIT ?)`,
			sqlite.List(r.scope.Conversations), r.scope.Person, r.scope.Person, thinFrom)
	}); err != nil || off > 0 || rows < thinFrom {
		return off > 0, err
	}
	return true, r.j.Amend("switch secure-delete of the search index off", func(w *tables.Writer) error {
		if w.NoIndex {
			return nil
		}
		if err := w.SetMeta(tables.MetaThinned, "1"); err != nil {
			return err
		}
		return w.Run("INSERT INTO search (search, rank) VALUES ('secure-delete', 0)")
	})
}

// mergePages is the number of pages of the index that one step merges.
const mergePages = 64

// mergeIndex merges the whole index in steps and switches secure-delete on again.
func mergeIndex(ctx context.Context, j *journal.Journal) error {
	pages := -mergePages // a negative number starts a merge of the whole index
	for over := false; !over && !j.IndexGone(); {
		err := j.Amend("merge the index", func(w *tables.Writer) error {
			before, after := 0, 0
			if err := sqlite.One(context.Background(), w, []any{&before}, "SELECT total_changes()"); err != nil {
				return err
			}
			if _, err := w.Exec("INSERT INTO search (search, rank) VALUES ('merge', ?)", pages); err != nil {
				return tables.IndexError(err)
			}
			if err := sqlite.One(context.Background(), w, []any{&after}, "SELECT total_changes()"); err != nil {
				return err
			}
			over = after-before < 2 && pages > 0 // total_changes grows by less than 2 if nothing is left to merge
			return nil
		})
		if err != nil {
			return err
		}
		pages = mergePages
		if err := journal.Rest(ctx, redactFor); err != nil {
			return err
		}
	}
	return j.Amend("merge the index", func(w *tables.Writer) error {
		if !w.NoIndex {
			if err := w.Run("INSERT INTO search (search, rank) VALUES ('secure-delete', 1)"); err != nil {
				return err
			}
		}
		_, err := w.Exec("DELETE FROM meta WHERE key = ?", tables.MetaThinned)
		return err
	})
}
