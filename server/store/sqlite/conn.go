package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"

	"agentdungeon/shared/world"
)

// Conn is one connection that writes. Its owner serializes its use. No call has a deadline: after an interrupted
// commit it would be unknown whether the commit was done.
type Conn struct {
	db    *sql.DB
	Raw   *sql.Conn
	stmts map[string]*sql.Stmt // prepared statements by query; each query is prepared once
}

// QueryContext reads through the connection.
func (w *Conn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return w.Raw.QueryContext(ctx, query, args...)
}

// Attach attaches another database under a name.
func (w *Conn) Attach(dsn, name string) error {
	_, err := w.Raw.ExecContext(context.Background(), "ATTACH ? AS "+name, dsn)
	return err
}

// Backup copies the database page by page to another one. It also works after the file was renamed or deleted,
// because the open handle still reads it.
func (w *Conn) Backup(dsn string) error {
	return w.Raw.Raw(func(c any) error {
		from, ok := c.(interface {
			NewBackup(uri string) (*sqlite.Backup, error)
		})
		if !ok {
			return fmt.Errorf("the driver's %T cannot copy a database", c)
		}
		b, err := from.NewBackup(dsn)
		if err != nil {
			return err
		}
		_, err = b.Step(-1)
		return errors.Join(err, b.Finish())
	})
}

// OpenConn opens a database for writing. It returns an error if a pragma was not accepted: with
// synchronous below FULL, events that clients have seen could be lost.
func OpenConn(path, mode string) (_ *Conn, err error) {
	ctx := context.Background()
	db, err := Open(ctx, path, mode, 1)
	if err != nil {
		return nil, err
	}
	w := &Conn{db: db, stmts: map[string]*sql.Stmt{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if w.Raw, err = db.Conn(ctx); err != nil {
		return nil, fmt.Errorf("open %s: %w", JournalFile, err)
	}
	if mode == ModeWrite {
		if err = w.KeepLog(true); err != nil {
			return nil, err
		}
	}
	return w, w.CheckPragmas()
}

// OpenScratch opens a temporary database without a name. SQLite holds it in memory and writes what
// exceeds 2 MB to a temporary file that is already deleted, so nothing is left of it, however the
// process ends.
func OpenScratch(ctx context.Context) (_ *Conn, err error) {
	db, err := OpenDSN(ctx, "file:?_txlock=immediate&_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)"+
		"&_pragma=trusted_schema(0)", 1)
	if err != nil {
		return nil, err
	}
	w := &Conn{db: db, stmts: map[string]*sql.Stmt{}}
	if w.Raw, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open a scratch database: %w", err), w.Close())
	}
	return w, nil
}

// KeepLog sets whether the log file stays when the last handle is closed. Only a clean close calls KeepLog(false). So
// if a database was not closed cleanly and has no log, another program or a person has removed the log.
func (w *Conn) KeepLog(keep bool) error {
	on := 0
	if keep {
		on = 1
	}
	err := w.Raw.Raw(func(c any) error {
		control, ok := c.(sqlite.FileControl)
		if !ok {
			return fmt.Errorf("the driver's connection %T cannot change settings of an open file", c)
		}
		_, err := control.FileControlPersistWAL("main", on)
		return err
	})
	if err != nil {
		return fmt.Errorf("set whether the log file stays: %w", err)
	}
	return nil
}

// CheckPragmas returns an error if the handle does not sync each commit or does not overwrite deleted data.
func (w *Conn) CheckPragmas() error {
	for _, want := range [][2]string{{"journal_mode", "wal"}, {"synchronous", "2"}, {"wal_autocheckpoint", "0"},
		{"secure_delete", "1"}} {
		var is string
		if err := One(context.Background(), w, []any{&is}, "PRAGMA "+want[0]); err != nil {
			return fmt.Errorf("read %s back: %w", want[0], err)
		}
		if is != want[1] {
			return fmt.Errorf("%s: %s is %s and must be %s, so the database is not written", JournalFile, want[0], is, want[1])
		}
	}
	return nil
}

// Close closes the connection and its statements.
func (w *Conn) Close() error {
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	if w.Raw != nil {
		errs = append(errs, w.Raw.Close())
	}
	return errors.Join(append(errs, w.db.Close())...)
}

// Exec runs a prepared statement. query must be a constant, because each query stays prepared.
func (w *Conn) Exec(query string, args ...any) (sql.Result, error) {
	s := w.stmts[query]
	if s == nil {
		var err error
		if s, err = w.Raw.PrepareContext(context.Background(), query); err != nil {
			return nil, err
		}
		w.stmts[query] = s
	}
	return s.ExecContext(context.Background(), args...)
}

// Run executes statements that are not prepared.
func (w *Conn) Run(query string) error {
	_, err := w.Raw.ExecContext(context.Background(), query)
	return err
}

// Transact runs f in a transaction that is done wholly or not at all. After an error, clean reports whether
// nothing was written and the connection can be used again. clean is true if the disk was full, if the file was
// busy, or if f returned world.ErrBroken, ErrRefused or ErrIndex. On a full disk a commit fails before the last
// frame of the transaction is in the log, and SQLite ignores a transaction without its last frame.
func (w *Conn) Transact(f func() error) (clean bool, err error) {
	if err = w.Run("BEGIN IMMEDIATE"); err != nil {
		return IsFull(err) || IsBusy(err), fmt.Errorf("begin: %w", err)
	}
	if err = f(); err == nil {
		if err = w.Run("COMMIT"); err == nil {
			return true, nil
		}
		err = fmt.Errorf("commit: %w", err)
	}
	// After some errors SQLite has already rolled the transaction back.
	if rerr := w.Run("ROLLBACK"); rerr != nil && !strings.Contains(rerr.Error(), "no transaction is active") {
		return false, errors.Join(err, fmt.Errorf("roll back: %w", rerr))
	}
	return IsFull(err) || IsBusy(err) || errors.Is(err, world.ErrBroken) || errors.Is(err, ErrRefused) || errors.Is(err,
		ErrIndex), err
}

// ErrRefused means that the database is intact but cannot do what the caller has requested.
var ErrRefused = errors.New("refused")

// ErrIndex means that the search index cannot take a row. The caller then writes the transcript without the index.
var ErrIndex = errors.New("the search index is broken")

// Checkpoint moves the log into the database; if the parameter kind is TRUNCATE, it also empties the log. The
// result all reports whether the whole log was moved.
func (w *Conn) Checkpoint(kind string) (all bool, err error) {
	return Checkpoint(w, kind)
}

// Checkpoint does the same as Conn.Checkpoint through any handle.
func Checkpoint(q Queryer, kind string) (all bool, err error) {
	var busy, log, done int
	if err := One(context.Background(), q, []any{&busy, &log, &done}, "PRAGMA wal_checkpoint("+kind+")"); err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	return busy == 0 && log == done, nil
}
