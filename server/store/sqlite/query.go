package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"agentdungeon/server/store/disk"
)

// Collect reads all rows of a query and closes the cursor. The query must limit the number of rows.
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

// Column reads the only column of all rows of a query. The query must limit the number of rows.
func Column[T any](ctx context.Context, q Queryer, query string, args ...any) ([]T, error) {
	return Collect(ctx, q, func(rows *sql.Rows) (v T, err error) { err = rows.Scan(&v); return v, err }, query, args...)
}

// Each calls f for each row of a query; f scans the row. Each stops when f returns an error.
func Each(ctx context.Context, q Queryer, f func(*sql.Rows) error, query string, args ...any) error {
	_, err := Collect(ctx, q, func(rows *sql.Rows) (struct{}, error) { return struct{}{}, f(rows) }, query, args...)
	return err
}

// List encodes values as a JSON array, for SQLite's json_each.
func List(values []string) string {
	raw, err := json.Marshal(values)
	if err != nil {
		panic(err) // never happens: every list of strings can be encoded
	}
	return string(raw)
}

// Damaged wraps an error of scanning in disk.ErrCorrupt: the value has a type that this program never writes.
func Damaged(err error) error { return fmt.Errorf("%w: %w", disk.ErrCorrupt, err) }

// One scans the row of a query that returns exactly one row in every intact journal. It returns ErrCorrupt (wrapped)
// if there is no row.
func One(ctx context.Context, q Queryer, into []any, query string, args ...any) error {
	rows, err := Collect(ctx, q, func(rows *sql.Rows) (struct{}, error) {
		return struct{}{}, rows.Scan(into...)
	}, query, args...)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%w: the journal lacks a row that every journal has", disk.ErrCorrupt)
	}
	return err
}

// Snapshot runs f in a transaction that only reads. So f sees one state of the database, even if others commit
// during the call. Snapshot blocks no other handle.
func Snapshot(ctx context.Context, db *sql.DB, f func(Queryer) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// BeginTx would take the lock of a writer (_txlock=immediate).
	if _, err := conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return err
	}
	defer func() {
		// The rollback runs even if ctx has ended, because the connection goes back to the pool.
		_, rerr := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, rerr)
	}()
	return f(conn)
}

// Queryer runs queries that read: a *sql.DB, a *sql.Conn or a *Conn.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}
