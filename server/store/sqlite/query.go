package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
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

// Column reads the only column of all rows of a query, which bounds them itself.
func Column[T any](ctx context.Context, q Queryer, query string, args ...any) ([]T, error) {
	return Collect(ctx, q, func(rows *sql.Rows) (v T, err error) { err = rows.Scan(&v); return v, err }, query, args...)
}

// Each calls f with each row of a query, which f scans. An error of f ends it.
func Each(ctx context.Context, q Queryer, f func(*sql.Rows) error, query string, args ...any) error {
	_, err := Collect(ctx, q, func(rows *sql.Rows) (struct{}, error) { return struct{}{}, f(rows) }, query, args...)
	return err
}

// List encodes values for json_each.
func List(values []string) string {
	raw, err := json.Marshal(values)
	if err != nil {
		panic(err) // strings always have a form in JSON
	}
	return string(raw)
}

// Damaged is an error of scanning: a value of a kind that we never write.
func Damaged(err error) error { return fmt.Errorf("%w: %w", disk.ErrCorrupt, err) }

// One reads the one row that a query has in every journal; ErrCorrupt without it.
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

// Queryer is a handle, a connection or a Conn that reads.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}
