package tables

import (
	"context"
	"fmt"

	"agentdungeon/server/store/sqlite"
)

// Writer writes the tables of realm.db through one connection.
type Writer struct {
	*sqlite.Conn
	*Transcripts
	// Unpacked counts the calls of Unpack and Lose. Tidying compares the count before and after it reads rows, so that it
	// never stores a block of rows that such a call has changed. UnpackedFrom is the seq from which tidying must look
	// for unpacked events again, or 0 if there was no such call.
	Unpacked     int
	UnpackedFrom int64
}

// Transcripts writes the rows of transcripts and their search index.
type Transcripts struct {
	*sqlite.Conn
	// NoIndex means that the search index is broken and not written until the next opening rebuilds it.
	NoIndex bool
	// Rows counts the rows that the current transaction has inserted, minus those that it has
	// deleted.
	Rows int64
}

// OpenWriter opens realm.db for writing.
func OpenWriter(path, mode string) (*Writer, error) {
	c, err := sqlite.OpenConn(path, mode)
	if err != nil {
		return nil, err
	}
	return &Writer{Conn: c, Transcripts: &Transcripts{Conn: c}}, nil
}

// OpenScratch opens a temporary database without a search index.
func OpenScratch(ctx context.Context) (*Writer, error) {
	c, err := sqlite.OpenScratch(ctx)
	if err != nil {
		return nil, err
	}
	return &Writer{Conn: c, Transcripts: &Transcripts{Conn: c, NoIndex: true}}, nil
}

// Transact does the same as Conn.Transact, and resets the count Rows.
func (w *Writer) Transact(f func() error) (clean bool, err error) {
	w.Rows = 0
	return w.Conn.Transact(f)
}

// Shut prepares the last close of the database. It records that no write-ahead log will stand beside the database,
// copies the log into the database, and lets the last handle that closes delete the log's file. So one file is left.
func (w *Writer) Shut() error {
	if _, err := w.Transact(func() error { return w.SetMeta(MetaOpen, "0") }); err != nil {
		return err
	}
	if _, err := w.Checkpoint("TRUNCATE"); err != nil {
		return err
	}
	return w.KeepLog(false)
}

// Affects executes a statement. It returns an error if the number of changed rows differs from rows.
func (w *Writer) Affects(rows int64, query string, args ...any) error {
	res, err := w.Exec(query, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n != rows {
		return fmt.Errorf("%w: the statement changed %d rows instead of %d", sqlite.ErrRefused, n, rows)
	}
	return nil
}
