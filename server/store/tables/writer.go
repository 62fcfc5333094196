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
	// Unpacked counts the calls of Unpack: a block that was made of rows read before one is refused.
	// UnpackedFrom is the first event unpacked since tidying last looked, 0 for none.
	Unpacked     int
	UnpackedFrom int64
}

// Transcripts writes the rows of transcripts and the index in which they are searched.
type Transcripts struct {
	*sqlite.Conn
	// NoIndex leaves the search index alone: it is broken, and the next opening makes it anew.
	NoIndex bool
	// Rows counts the rows that the transaction under way has inserted, less those that it
	// has deleted.
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

// OpenScratch opens a database that is not kept and has no search index.
func OpenScratch(ctx context.Context) (*Writer, error) {
	c, err := sqlite.OpenScratch(ctx)
	if err != nil {
		return nil, err
	}
	return &Writer{Conn: c, Transcripts: &Transcripts{Conn: c, NoIndex: true}}, nil
}

// Transact is that of the connection, and begins to count rows anew.
func (w *Writer) Transact(f func() error) (clean bool, err error) {
	w.Rows = 0
	return w.Conn.Transact(f)
}

// Shut leaves one file behind when the handle is closed, and says in it that no log belongs to
// it.
func (w *Writer) Shut() error {
	if _, err := w.Transact(func() error { return w.SetMeta(MetaOpen, "0") }); err != nil {
		return err
	}
	if _, err := w.Checkpoint("TRUNCATE"); err != nil {
		return err
	}
	return w.KeepLog(false)
}

// Affects executes what must change so many rows.
func (w *Writer) Affects(rows int64, query string, args ...any) error {
	res, err := w.Exec(query, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n != rows {
		return fmt.Errorf("%w: %d rows are there, %d were read", sqlite.ErrRefused, n, rows)
	}
	return nil
}
