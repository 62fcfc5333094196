package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"agentdungeon/server/store/disk"
)

// Collect reads all rows of a query, which bounds them itself, and closes the
// cursor.
func Collect[T any](ctx context.Context, q Queryer, scan func(*sql.Rows) (T, error), query string,
	args ...any) (out []T, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, Damaged(err)
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// Damaged is an error of scanning: a value of a kind that we never write.
func Damaged(err error) error { return fmt.Errorf("%w: %w", disk.ErrCorrupt, err) }

// one reads the one row that a query has in every journal; ErrCorrupt without it.
func One(ctx context.Context, q Queryer, into []any, query string, args ...any) error {
	rows, err := Collect(ctx, q, func(rows *sql.Rows) (struct{}, error) {
		return struct{}{}, rows.Scan(into...)
	}, query, args...)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%w: a row that every journal has is missing", disk.ErrCorrupt)
	}
	return err
}

// Snapshot reads at one moment: a commit in between changes nothing of it. The
// transaction only reads and holds nobody up.
func Snapshot(ctx context.Context, db *sql.DB, f func(Queryer) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// Not BeginTx: it begins with the lock of a writer.
	if _, err := conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return err
	}
	defer func() {
		// Whatever ctx says: the connection goes back to the others.
		_, rerr := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, rerr)
	}()
	return f(conn)
}

type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}
