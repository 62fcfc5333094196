package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Journal is the durable record of one realm, in realm.db: its events, and the
// transcripts that are written in their event's transaction. Reads are short, two at
// a time, and never hold up a commit. It implements
// realm.Journal. Open makes it; Commit is called from one goroutine, the
// other methods from any.
//
// A commit is there when its transaction stands in the log and the log is synced
// (WAL, synchronous=FULL). The log moves into the database beside the commits
// (PASSIVE, from a goroutine of its own, when it holds 4 MB) and is emptied when
// nothing else happens (Idle, Close).
type Journal struct {
	path  string
	epoch string

	mu       sync.Mutex     // held while the database is written
	w        *tables.Writer // nil while it could not be opened again
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

// Readers is how many reads run at a time; more wait.
const Readers = 2

// Open opens a realm.db that was examined and found whole, and begins a new
// line on it. The line is in the database itself, not only in its log, when it
// returns: whoever finds a state.json of this epoch later knows that it is ours
// even when the log is gone. tenant is whose realm it is from now on.
func Open(path, tenant string, line world.Line, told *tables.Notice) (_ *Journal, err error) {
	j := newJournal(path, line)
	if j.w, err = tables.OpenWriter(path, sqlite.ModeWrite); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.w.Close())
		}
	}()
	if head, err := j.w.StoredHead(); err != nil {
		return nil, err
	} else if head != j.head {
		return nil, fmt.Errorf("open %s: it ends at %d and ended at %d a moment ago", sqlite.JournalFile, head, j.head)
	}
	floor, err := tables.ReadFloor(context.Background(), j.w)
	if err != nil {
		return nil, err
	}
	j.floor.Store(floor)
	var rows int64
	if err := sqlite.One(context.Background(), j.w, []any{&rows}, "SELECT count(*) FROM messages"); err != nil {
		return nil, err
	}
	j.messages.Store(rows)
	if err := j.findTidy(); err != nil {
		return nil, err
	}
	if _, err := j.w.Transact(func() error {
		if err := j.w.InsertLine(line); err != nil {
			return err
		}
		if err := j.w.SetNotice(told); err != nil {
			return err
		}
		if err := j.w.SetMeta(tables.MetaTenant, tenant); err != nil {
			return err
		}
		if _, err := j.w.Exec("DELETE FROM meta WHERE key = ?", tables.MetaReady); err != nil {
			return err
		}
		return j.w.SetMeta(tables.MetaOpen, "1")
	}); err != nil {
		return nil, fmt.Errorf("begin a new line: %w", err)
	}
	if all, err := j.w.Checkpoint("TRUNCATE"); err != nil {
		return nil, err
	} else if !all {
		return nil, fmt.Errorf("open %s: somebody else reads or writes it", sqlite.JournalFile)
	}
	if j.reader, err = openReaders(path); err != nil {
		return nil, err
	}
	j.moved.Go(j.move)
	return j, nil
}

// newJournal has no handle yet.
func newJournal(path string, line world.Line) *Journal {
	return &Journal{
		path: path, epoch: line.Epoch, head: line.FromSeq - 1,
		kick: make(chan struct{}, 1), stop: make(chan struct{}), packs: defaultPackLimits, trims: defaultTrimLimits, limits: defaultLogLimits, nextKick: defaultLogLimits.Move,
	}
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
		_, err := j.w.Exec("UPDATE line SET auto = 1 WHERE epoch = ?", j.epoch)
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
	clean, err := j.w.Transact(f)
	j.unsure, j.beside = !clean, true
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	j.messages.Add(j.w.Rows)
	return nil
}

// Amend changes rows beside the commits. When an earlier write beside them is in doubt it
// first finds out whether that stands: no commit may come that would.
func (j *Journal) Amend(what string, f func(*tables.Writer) error) error {
	if err := j.unblock(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return j.write(what, func() error {
		j.w.NoIndex = j.noIndex
		return f(j.w)
	})
}

func (j *Journal) unblock() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.writable() != nil || !j.unsure || !j.beside {
		return nil
	}
	_, err := j.settle(&world.Batch{})
	return err
}

// writable says why nothing is written any more. mu is held.
func (j *Journal) writable() error {
	switch {
	case j.closed:
		return disk.ErrClosed
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
			errs = append(errs, j.w.Shut())
		}
		errs = append(errs, j.w.Close())
		j.w = nil
	}
	errs = append(errs, j.location.release())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close %s: %w", sqlite.JournalFile, err)
	}
	return nil
}

// openReaders opens the handle that reads, with all of its connections: one that was opened
// later would open whatever lies there then.
func openReaders(path string) (_ *sql.DB, err error) {
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
