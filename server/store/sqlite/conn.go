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

// Conn is one connection that writes. Its owner serializes its use. It has no deadline
// anywhere: a commit that was cut short may or may not stand.
type Conn struct {
	db    *sql.DB
	Raw   *sql.Conn
	stmts map[string]*sql.Stmt // prepared once; as many as there are constant statements
}

// QueryContext reads through the connection.
func (w *Conn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return w.Raw.QueryContext(ctx, query, args...)
}

// Attach opens another database beside this one, under a name.
func (w *Conn) Attach(dsn, name string) error {
	_, err := w.Raw.ExecContext(context.Background(), "ATTACH ? AS "+name, dsn)
	return err
}

// Backup copies the database page by page to another one. It reads through the open handle,
// which leads to the file whatever became of its name.
func (w *Conn) Backup(dsn string) error {
	return w.Raw.Raw(func(c any) error {
		from, ok := c.(interface {
			NewBackup(uri string) (*sqlite.Backup, error)
		})
		if !ok {
			return fmt.Errorf("the driver's %T has no backup", c)
		}
		b, err := from.NewBackup(dsn)
		if err != nil {
			return err
		}
		_, err = b.Step(-1)
		return errors.Join(err, b.Finish())
	})
}

// OpenConn opens for writing and refuses a database whose pragmas do not hold:
// with less than FULL what was shown could be lost.
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

// OpenScratch opens a database without a name, for what is not kept: SQLite holds it in memory
// and writes what does not fit (2 MB) to a temporary file that it has already deleted, so that
// nothing is left of it however the process ends.
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

// KeepLog sets whether the log's file stays when the last handle closes. Only a clean close removes
// it: a log that is missing later was taken away.
func (w *Conn) KeepLog(keep bool) error {
	on := 0
	if keep {
		on = 1
	}
	err := w.Raw.Raw(func(c any) error {
		control, ok := c.(sqlite.FileControl)
		if !ok {
			return fmt.Errorf("the driver's %T has no file control", c)
		}
		_, err := control.FileControlPersistWAL("main", on)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep the log: %w", err)
	}
	return nil
}

// CheckPragmas returns an error where the handle does not sync each commit or overwrite what it deletes.
func (w *Conn) CheckPragmas() error {
	for _, want := range [][2]string{{"journal_mode", "wal"}, {"synchronous", "2"}, {"wal_autocheckpoint", "0"},
		{"secure_delete", "1"}} {
		var is string
		if err := One(context.Background(), w, []any{&is}, "PRAGMA "+want[0]); err != nil {
			return fmt.Errorf("read %s back: %w", want[0], err)
		}
		if is != want[1] {
			return fmt.Errorf("%s: %s is %s and must be %s: it is not written like this", JournalFile, want[0], is, want[1])
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

// Exec runs a prepared statement. query is a constant: each one is kept.
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

// Run executes statements that are not worth preparing.
func (w *Conn) Run(query string) error {
	_, err := w.Raw.ExecContext(context.Background(), query)
	return err
}

// Transact does all of f or nothing. After an error, clean says that nothing was
// written for certain and the handle is as good as before: the disk was full, the
// file busy, or f had its own reason (world.ErrBroken, ErrRefused, ErrIndex). A full disk
// fails before the commit's last frame stands in the log, so it counts as clean.
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
	// Some errors have ended the transaction by themselves: that is as good.
	if rerr := w.Run("ROLLBACK"); rerr != nil && !strings.Contains(rerr.Error(), "no transaction is active") {
		return false, errors.Join(err, fmt.Errorf("roll back: %w", rerr))
	}
	return IsFull(err) || IsBusy(err) || errors.Is(err, world.ErrBroken) || errors.Is(err, ErrRefused) || errors.Is(err,
		ErrIndex), err
}

// ErrRefused is what a caller asked for and may not have; nothing is wrong with
// the file.
var ErrRefused = errors.New("refused")

// ErrIndex is a search index that does not take a row. The transcript goes on without.
var ErrIndex = errors.New("the search index is broken")

// Checkpoint moves the log into the database; TRUNCATE also empties it. It says
// whether all of it went.
func (w *Conn) Checkpoint(kind string) (all bool, err error) {
	return Checkpoint(w, kind)
}

// Checkpoint is Conn.Checkpoint through any handle.
func Checkpoint(q Queryer, kind string) (all bool, err error) {
	var busy, log, done int
	if err := One(context.Background(), q, []any{&busy, &log, &done}, "PRAGMA wal_checkpoint("+kind+")"); err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	return busy == 0 && log == done, nil
}
