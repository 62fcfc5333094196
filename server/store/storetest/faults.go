package storetest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"
	"testing"

	driversqlite "modernc.org/sqlite"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// faultyDriver is SQLite's driver with a call of Faults before and after each statement. init makes it the driver
// of all databases.
const faultyDriver = "sqlite-faulty"

// Faults sets the errors to inject. Tests that set it must not run in parallel.
var Faults struct {
	sync.Mutex
	Before, After func(query string) error
}

// SetFaults sets functions that return the error of a statement before or after it runs, until the test ends.
func SetFaults(t testing.TB, before, after func(query string) error) {
	set := func(b, a func(string) error) {
		Faults.Lock()
		defer Faults.Unlock()
		Faults.Before, Faults.After = b, a
	}
	set(before, after)
	t.Cleanup(func() { set(nil, nil) })
}

// FaultyRig returns a rig whose journal was just opened again. It has prepared few statements, so that a test can also
// make the preparing of a statement fail.
func FaultyRig(t *testing.T) *Rig {
	t.Helper()
	r := NewRig(t)
	r.Tell()
	r.Close() // closing drops the prepared statements
	r.Open()
	return r
}

var ErrDisk = errors.New("the disk failed")

func init() {
	db, err := sql.Open(sqlite.Driver, "")
	if err != nil {
		panic(err)
	}
	sql.Register(faultyDriver, faulty{db.Driver()})
	sqlite.Driver = faultyDriver
}

func around[T any](query string, f func() (T, error)) (T, error) {
	Faults.Lock()
	before, after := Faults.Before, Faults.After
	Faults.Unlock()
	var none T
	if before != nil {
		if err := before(query); err != nil {
			return none, err
		}
	}
	v, err := f()
	if err == nil && after != nil {
		if err := after(query); err != nil {
			return none, err
		}
	}
	return v, err
}

type faulty struct{ driver.Driver }

func (d faulty) Open(name string) (driver.Conn, error) {
	return around("open "+name, func() (driver.Conn, error) {
		c, err := d.Driver.Open(name)
		return faultyConn{c}, err
	})
}

type faultyConn struct{ driver.Conn }

func (c faultyConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	return around(q, func() (driver.Result, error) { return c.Conn.(driver.ExecerContext).ExecContext(ctx, q, args) })
}

func (c faultyConn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	return around(q, func() (driver.Rows, error) { return c.Conn.(driver.QueryerContext).QueryContext(ctx, q, args) })
}

func (c faultyConn) PrepareContext(ctx context.Context, q string) (driver.Stmt, error) {
	s, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, q)
	return faultyStmt{s, q}, err
}

func (c faultyConn) FileControlPersistWAL(name string, mode int) (int, error) {
	return c.Conn.(driversqlite.FileControl).FileControlPersistWAL(name, mode)
}

func (c faultyConn) NewBackup(uri string) (*driversqlite.Backup, error) {
	return c.Conn.(interface {
		NewBackup(uri string) (*driversqlite.Backup, error)
	}).NewBackup(uri)
}

func (c faultyConn) Ping(ctx context.Context) error { return c.Conn.(driver.Pinger).Ping(ctx) }

type faultyStmt struct {
	driver.Stmt
	query string
}

func (s faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return around(s.query, func() (driver.Result, error) { return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args) })
}

func (s faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return around(s.query, func() (driver.Rows, error) { return s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args) })
}

// Findings returns events that post findings with these ids.
func Findings(ids ...string) []world.Body {
	var out []world.Body
	for _, id := range ids {
		out = append(out, &world.FindingPosted{Finding: world.Finding{ID: id, Severity: "low", Title: id}})
	}
	return out
}
