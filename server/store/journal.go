package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"agentdungeon/shared/world"
)

// Journal is the durable record of one realm, in realm.db: its events, and the
// transcripts that are written in their event's transaction. Reads are short, two at
// a time, and never hold up a commit. It implements
// realm.Journal. OpenRealm makes it; Commit is called from one goroutine, the
// other methods from any.
//
// A commit is there when its transaction stands in the log and the log is synced
// (WAL, synchronous=FULL). The log moves into the database beside the commits
// (PASSIVE, from a goroutine of its own, when it holds 4 MB) and is emptied when
// nothing else happens (Idle, Close).
type Journal struct {
	path   string
	driver string
	epoch  string

	mu       sync.Mutex // held while the database is written
	w        *writer    // nil while it could not be opened again
	head     int64
	unsure   bool  // the last write may or may not stand: settle finds out
	beside   bool  // that write was none of a batch
	erasedAt int64 // bases from before are not kept any more
	broken   error // world.ErrBroken: never written again
	closed   bool
	// noIndex: the search index was found broken; rows are written without until the
	// next opening makes it anew.
	noIndex bool

	gate   sync.RWMutex // held for reading while a handle below is used
	reader *sql.DB      // read-only; nil while it could not be opened again
	mover  *sql.DB      // moves the log; opened when first needed

	floor    atomic.Int64
	messages atomic.Int64  // rows of all transcripts
	kick     chan struct{} // holds one: the mover has been asked already
	limits   logLimits
	nextKick int64      // size of the log that asks next; guarded by mu
	moving   sync.Mutex // held while the mover moves; taken after mu or gate
	moved    sync.WaitGroup
	stop     chan struct{} // closed by Close
	tidying  sync.Mutex    // held while a step of tidying runs; taken before mu
	packs    packLimits
	// What lies behind packed is not packed as far as is known; plain is how far texts of
	// an older version are, -1 for no such texts. Both guarded by mu.
	packed, plain int64
	location      *location // where it lies; see writable
	// trimTo is where the journal may begin, 0 or its floor for no change; guarded by mu.
	trimTo int64
	trims  trimLimits
	late   *late // of one that was opened for reading and is not open for writing yet; guarded by mu
}

// readers is how many reads run at a time; more wait.
const readers = 2

// openJournal opens a realm.db that was examined and found whole, and begins a new
// line on it. The line is in the database itself, not only in its log, when it
// returns: whoever finds a state.json of this epoch later knows that it is ours
// even when the log is gone. tenant is whose realm it is from now on.
func openJournal(driver, path, tenant string, line world.Line, told *notice) (_ *Journal, err error) {
	j := newJournal(driver, path, line)
	if j.w, err = openWriter(driver, path, modeWrite); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.w.close())
		}
	}()
	if head, err := j.w.storedHead(); err != nil {
		return nil, err
	} else if head != j.head {
		return nil, fmt.Errorf("open %s: it ends at %d and ended at %d a moment ago", JournalFile, head, j.head)
	}
	floor, err := readFloor(context.Background(), j.w.conn)
	if err != nil {
		return nil, err
	}
	j.floor.Store(floor)
	var rows int64
	if err := one(context.Background(), j.w.conn, []any{&rows}, "SELECT count(*) FROM messages"); err != nil {
		return nil, err
	}
	j.messages.Store(rows)
	if err := j.findTidy(); err != nil {
		return nil, err
	}
	if _, err := j.w.transact(func() error {
		if err := j.w.insertLine(line); err != nil {
			return err
		}
		if err := j.w.setNotice(told); err != nil {
			return err
		}
		if err := j.w.setMeta(metaTenant, tenant); err != nil {
			return err
		}
		if _, err := j.w.exec("DELETE FROM meta WHERE key = ?", metaReady); err != nil {
			return err
		}
		return j.w.setMeta(metaOpen, "1")
	}); err != nil {
		return nil, fmt.Errorf("begin a new line: %w", err)
	}
	if all, err := j.w.checkpoint("TRUNCATE"); err != nil {
		return nil, err
	} else if !all {
		return nil, fmt.Errorf("open %s: somebody else reads or writes it", JournalFile)
	}
	if j.reader, err = openReaders(driver, path); err != nil {
		return nil, err
	}
	j.moved.Go(j.move)
	return j, nil
}

// newJournal has no handle yet.
func newJournal(driver, path string, line world.Line) *Journal {
	return &Journal{
		path: path, driver: driver, epoch: line.Epoch, head: line.FromSeq - 1,
		kick: make(chan struct{}, 1), stop: make(chan struct{}), packs: defaultPackLimits, trims: defaultTrimLimits, limits: defaultLogLimits, nextKick: defaultLogLimits.move,
	}
}

// maxLines bounds the lines that are kept. A position on a forgotten one gets a
// snapshot.
const maxLines = 10_000

func (w *writer) insertLine(l world.Line) error {
	// It stands there already where an opening was cut short and is tried again (begin).
	if _, err := w.exec("INSERT INTO line (epoch, from_seq, opened_at, auto) VALUES (?, ?, ?, ?) ON CONFLICT (epoch) DO NOTHING",
		l.Epoch, l.FromSeq, int64(l.OpenedAt), l.Auto); err != nil {
		return err
	}
	_, err := w.exec("DELETE FROM line WHERE n <= (SELECT max(n) FROM line) - ?", maxLines)
	return err
}

func (w *writer) setMeta(key, value string) error {
	_, err := w.exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}

// storedHead is the seq of the last event that stands in the file.
func (w *writer) storedHead() (int64, error) {
	var head sql.NullInt64
	if err := one(context.Background(), w.conn, []any{&head}, `SELECT max(n) FROM (SELECT max(seq) AS n FROM journal
		UNION ALL SELECT * FROM (SELECT to_seq FROM journal_packs ORDER BY from_seq DESC LIMIT 1))`); err != nil {
		return 0, fmt.Errorf("read the head: %w", err)
	}
	if head.Valid {
		return head.Int64, nil
	}
	floor, err := readFloor(context.Background(), w.conn)
	return floor - 1, err
}

func readFloor(ctx context.Context, q queryer) (int64, error) {
	var floor int64
	if err := one(ctx, q, []any{&floor}, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", metaFloor); err != nil {
		return 0, fmt.Errorf("read the floor: %w", err)
	}
	return floor, nil
}

// Epoch of the line that this opening writes.
func (j *Journal) Epoch() string { return j.epoch }

// Head is the seq of the last committed event.
func (j *Journal) Head() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.head
}

// Floor is the lowest seq that Read still has, head+1 when it has none.
func (j *Journal) Floor() int64 { return j.floor.Load() }

// Messages is how many rows the transcripts have.
func (j *Journal) Messages() int64 { return j.messages.Load() }

// Bytes is what the journal takes on disk, its log included.
func (j *Journal) Bytes() int64 {
	var sum int64
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(j.path + suffix); err == nil { // one that is not there takes nothing
			sum += info.Size()
		}
	}
	return sum
}

// MarkAuto says that the server's start resumed this line's process, not a person.
func (j *Journal) MarkAuto() error {
	j.mu.Lock()
	late := j.late
	if late != nil {
		late.auto = true
	}
	j.mu.Unlock()
	if late != nil {
		return nil // it is marked when the line begins
	}
	return j.write("mark the line", func() error {
		_, err := j.w.exec("UPDATE line SET auto = 1 WHERE epoch = ?", j.epoch)
		return err
	})
}

// write does something beside the commits.
func (j *Journal) write(what string, f func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.writable(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if j.unsure {
		return fmt.Errorf("%s: the last write is still in doubt", what)
	}
	clean, err := j.w.transact(f)
	j.unsure, j.beside = !clean, true
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	j.messages.Add(j.w.rows)
	return nil
}

// writable says why nothing is written any more. mu is held.
func (j *Journal) writable() error {
	switch {
	case j.closed:
		return ErrClosed
	case j.broken != nil:
		return j.broken
	case j.late != nil:
		return fmt.Errorf("the realm is open for reading only: %w", j.late.why)
	}
	j.broken = j.location.check()
	return j.broken
}

// Close empties the log into the database and closes it: one file is left. After
// an error the log stays beside it, and both together are whole.
func (j *Journal) Close() error {
	j.tidyBeforeClose()
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	close(j.stop)
	close(j.kick)
	j.mu.Unlock() // the mover may be about to ask whether it is closed
	j.moved.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	errs := []error{j.closeReaders()}
	if j.late != nil {
		errs = append(errs, j.closeImage())
	}
	if j.w != nil {
		if j.broken == nil && !j.unsure {
			errs = append(errs, j.w.shut())
		}
		errs = append(errs, j.w.close())
		j.w = nil
	}
	errs = append(errs, j.location.release())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close %s: %w", JournalFile, err)
	}
	return nil
}

// openReaders opens the handle that reads, with all of its connections: one that was opened
// later would open whatever lies there then.
func openReaders(driver, path string) (_ *sql.DB, err error) {
	ctx := context.Background()
	db, err := openSQLite(ctx, driver, path, modeRead, readers)
	if err != nil {
		return nil, err
	}
	var conns [readers]*sql.Conn
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
		return nil, errors.Join(fmt.Errorf("open %s: %w", JournalFile, err), db.Close())
	}
	return db, nil
}

// shut leaves one file behind when the handle is closed, and says in it that no log belongs to
// it.
func (w *writer) shut() error {
	if _, err := w.transact(func() error { return w.setMeta(metaOpen, "0") }); err != nil {
		return err
	}
	if _, err := w.checkpoint("TRUNCATE"); err != nil {
		return err
	}
	return w.keepLog(false)
}

func (j *Journal) closeReaders() error {
	j.gate.Lock()
	defer j.gate.Unlock()
	var errs []error
	for _, db := range []**sql.DB{&j.reader, &j.mover} {
		if *db != nil {
			errs = append(errs, (*db).Close())
			*db = nil
		}
	}
	return errors.Join(errs...)
}
