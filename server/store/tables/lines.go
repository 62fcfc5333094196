package tables

import (
	"context"
	"database/sql"
	"fmt"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// maxLines limits the number of epochs that the journal keeps (world.Line). A client whose position is in a deleted
// epoch gets a snapshot.
const maxLines = 10_000

// InsertLine adds an epoch and deletes all but the newest maxLines.
func (w *Writer) InsertLine(l world.Line) error {
	// The row exists already if an earlier opening with this epoch stored the row and failed afterwards.
	if _, err := w.Exec(`INSERT INTO line (epoch, from_seq, opened_at, auto) VALUES (?, ?, ?, ?)
		ON CONFLICT (epoch) DO NOTHING`,
		l.Epoch, l.FromSeq, int64(l.OpenedAt), l.Auto); err != nil {
		return err
	}
	_, err := w.Exec("DELETE FROM line WHERE n <= (SELECT max(n) FROM line) - ?", maxLines)
	return err
}

// StoredHead returns the seq of the last event in the file.
func (w *Writer) StoredHead() (int64, error) {
	var head sql.NullInt64
	if err := sqlite.One(context.Background(), w, []any{&head}, `SELECT max(n) FROM (SELECT max(seq) AS n FROM journal
		UNION ALL SELECT * FROM (SELECT to_seq FROM journal_packs ORDER BY from_seq DESC LIMIT 1))`); err != nil {
		return 0, fmt.Errorf("read the head: %w", err)
	}
	if head.Valid {
		return head.Int64, nil
	}
	floor, err := ReadFloor(context.Background(), w)
	return floor - 1, err
}

// ReadFloor returns the lowest seq that the journal keeps or, if the journal is empty, the seq of its next event.
func ReadFloor(ctx context.Context, q sqlite.Queryer) (int64, error) {
	var floor int64
	if err := sqlite.One(ctx, q, []any{&floor}, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?",
		MetaFloor); err != nil {
		return 0, fmt.Errorf("read the floor: %w", err)
	}
	return floor, nil
}

// ReadLines returns all epochs, the oldest first.
func ReadLines(ctx context.Context, q sqlite.Queryer) ([]world.Line, error) {
	lines, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (l world.Line, err error) {
		err = rows.Scan(&l.Epoch, &l.FromSeq, (*int64)(&l.OpenedAt), &l.Auto)
		return l, err
	}, "SELECT epoch, from_seq, opened_at, auto FROM line ORDER BY n")
	if err != nil {
		return nil, fmt.Errorf("read the epochs: %w", err)
	}
	return lines, nil
}
