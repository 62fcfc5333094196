package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"agentdungeon/server/store/sqlite"
)

// Readers is how many reads run at a time; more wait.
const Readers = 2

// Handle is the read-only handle on an open realm.db. It may be replaced while nobody uses it. Its
// methods may be called from any goroutine.
type Handle struct {
	gate sync.RWMutex // held for reading while db is used
	db   *sql.DB      // nil while it could not be opened again
}

// NewHandle owns db from now on, which may be nil.
func NewHandle(db *sql.DB) *Handle { return &Handle{db: db} }

// OpenAll opens a handle with all of its connections: one that was opened later would open
// whatever lies at path then.
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
			err = errors.Join(err, c.Close()) // back to the pool
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", sqlite.JournalFile, err), db.Close())
	}
	return db, nil
}

// View gives f the handle, which is not replaced meanwhile.
func (h *Handle) View(f func(*sql.DB) error) error {
	h.gate.RLock()
	defer h.gate.RUnlock()
	if h.db == nil {
		return errors.New("the journal is not open for reading")
	}
	return f(h.db)
}

// Replace gives f the handle while nobody reads, nil for none, and keeps what f returns, also
// beside an error.
func (h *Handle) Replace(f func(old *sql.DB) (*sql.DB, error)) (err error) {
	h.gate.Lock()
	defer h.gate.Unlock()
	h.db, err = f(h.db)
	return err
}

// Take waits for the reads under way and gives the handle away: the caller closes it, if it is not
// nil.
func (h *Handle) Take() (db *sql.DB) {
	h.gate.Lock()
	defer h.gate.Unlock()
	db, h.db = h.db, nil
	return db
}

// Close closes the handle once no read is under way.
func (h *Handle) Close() error {
	if db := h.Take(); db != nil {
		return db.Close()
	}
	return nil
}

// Reader reads what is committed to an open realm.db, Readers at a time, and never holds up a commit.
// It implements the reading half of realm.Journal and realm.Transcripts.
type Reader struct{ handle *Handle }

// NewReader reads through a handle.
func NewReader(h *Handle) *Reader { return &Reader{h} }

// View gives f the read-only handle, which is not replaced meanwhile.
func (r *Reader) View(f func(*sql.DB) error) error { return r.handle.View(f) }
