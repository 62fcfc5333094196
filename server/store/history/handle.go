package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"agentdungeon/server/store/sqlite"
)

// Readers is the maximum number of reads that run at the same time; further reads wait.
const Readers = 2

// Handle is the read-only handle on an open realm.db. Replace exchanges its sql.DB while no read runs. Its methods
// are safe for concurrent use.
type Handle struct {
	gate sync.RWMutex // held for reading while db is used
	db   *sql.DB      // nil if Replace could not open the database again
}

// NewHandle returns a Handle that owns db, which may be nil.
func NewHandle(db *sql.DB) *Handle { return &Handle{db: db} }

// OpenAll opens a handle with all of its connections. A connection that is opened later could open another file that
// has replaced the one at path.
func OpenAll(path string) (_ *sql.DB, err error) {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, path, sqlite.ModeRead, Readers)
	if err != nil {
		return nil, err
	}
	var conns [Readers]*sql.Conn
	for i := range conns {
		var cerr error
		conns[i], cerr = db.Conn(ctx)
		err = errors.Join(err, cerr)
	}
	for _, c := range conns {
		if c != nil {
			err = errors.Join(err, c.Close()) // closing a sql.Conn returns the connection to the pool
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", sqlite.JournalFile, err), db.Close())
	}
	return db, nil
}

// View calls f with the handle, which is not replaced during the call.
func (h *Handle) View(f func(*sql.DB) error) error {
	h.gate.RLock()
	defer h.gate.RUnlock()
	if h.db == nil {
		return errors.New("the journal is not open for reading")
	}
	return f(h.db)
}

// Replace calls f with the handle, nil if there is none, while no read runs. The result of f becomes the
// handle, even if f also returns an error.
func (h *Handle) Replace(f func(old *sql.DB) (*sql.DB, error)) (err error) {
	h.gate.Lock()
	defer h.gate.Unlock()
	h.db, err = f(h.db)
	return err
}

// Take waits for running reads and removes the handle from h. The caller closes it, unless it is
// nil.
func (h *Handle) Take() (db *sql.DB) {
	h.gate.Lock()
	defer h.gate.Unlock()
	db, h.db = h.db, nil
	return db
}

// Close closes the handle after all running reads.
func (h *Handle) Close() error {
	if db := h.Take(); db != nil {
		return db.Close()
	}
	return nil
}

// Reader reads the committed content of an open realm.db, Readers at a time. It never delays a commit.
// It implements the reading half of realm.Journal and realm.Transcripts.
type Reader struct{ handle *Handle }

// NewReader returns a Reader of a handle.
func NewReader(h *Handle) *Reader { return &Reader{h} }

// View calls f with the read-only handle, which is not replaced during the call.
func (r *Reader) View(f func(*sql.DB) error) error { return r.handle.View(f) }

// Collect is sqlite.Collect on the handle of a Reader.
func Collect[T any](ctx context.Context, r *Reader, scan func(*sql.Rows) (T, error), query string,
	args ...any) (out []T, err error) {
	err = r.View(func(db *sql.DB) error {
		out, err = sqlite.Collect(ctx, db, scan, query, args...)
		return err
	})
	return out, err
}
