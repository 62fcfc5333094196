package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/history"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Journal is the durable record of one realm, in realm.db: its events, and the transcripts that are
// written in the transaction of their event. It implements realm.Journal. Open returns one. Commit is
// called from one goroutine, the other methods from any.
//
// A commit is durable when its transaction is in the log and the log is synced (WAL, synchronous=FULL).
// A goroutine moves the log into the database beside the commits when it holds 4 MB (PASSIVE). The
// journal empties the log when nothing else happens (Idle, Close).
type Journal struct {
	*history.Reader
	db   *database
	log  *logKeeper
	tidy *tidier
	late *late // set if the journal was opened for reading, else nil

	erasedAt   int64 // bases with a lower seq are not stored any more; guarded by the database's lock
	background sync.WaitGroup
}

// Open opens a realm.db that was examined and found intact, and begins a new epoch on it. When Open
// returns, the epoch is in the database itself and not only in its log. So a later opening that finds a
// state.json of this epoch knows that it belongs to this journal, even if the log is lost. tenant is
// the realm's tenant from now on.
func Open(path, tenant string, line world.Line, told *tables.Notice) (_ *Journal, err error) {
	j := newJournal(path, line, history.NewHandle(nil))
	d := j.db
	if d.w, err = tables.OpenWriter(path, sqlite.ModeWrite); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.w.Close())
		}
	}()
	if head, err := d.w.StoredHead(); err != nil {
		return nil, err
	} else if head != d.head {
		return nil, fmt.Errorf("open %s: its head is %d, not %d as examined", sqlite.JournalFile, head, d.head)
	}
	floor, err := tables.ReadFloor(context.Background(), d.w)
	if err != nil {
		return nil, err
	}
	d.floor.Store(floor)
	var rows int64
	if err := sqlite.One(context.Background(), d.w, []any{&rows}, "SELECT count(*) FROM messages"); err != nil {
		return nil, err
	}
	d.messages.Store(rows)
	if err := j.tidy.find(); err != nil {
		return nil, err
	}
	if _, err := d.w.Transact(func() error {
		if err := d.w.InsertLine(line); err != nil {
			return err
		}
		if err := d.w.SetNotice(told); err != nil {
			return err
		}
		if err := d.w.SetMeta(tables.MetaTenant, tenant); err != nil {
			return err
		}
		if _, err := d.w.Exec("DELETE FROM meta WHERE key = ?", tables.MetaReady); err != nil {
			return err
		}
		return d.w.SetMeta(tables.MetaOpen, "1")
	}); err != nil {
		return nil, fmt.Errorf("begin a new epoch: %w", err)
	}
	if all, err := d.w.Checkpoint("TRUNCATE"); err != nil {
		return nil, err
	} else if !all {
		return nil, fmt.Errorf("open %s: another process reads or writes it", sqlite.JournalFile)
	}
	if err = d.readers.Replace(func(*sql.DB) (*sql.DB, error) { return history.OpenAll(path) }); err != nil {
		return nil, err
	}
	j.background.Go(j.run)
	return j, nil
}

// newJournal returns a journal without a handle that writes.
func newJournal(path string, line world.Line, readers *history.Handle) *Journal {
	d := &database{path: path, epoch: line.Epoch, head: line.FromSeq - 1, readers: readers}
	return &Journal{Reader: history.NewReader(readers), db: d, log: newLogKeeper(d), tidy: newTidier(d)}
}

// run is the background goroutine: when kicked, it moves the log, and tidies once the commits pause.
func (j *Journal) run() {
	var step <-chan time.Time // nil if there is nothing to tidy
	for {
		select {
		case <-j.log.kick:
			j.db.moveLog()
			if step == nil {
				step = j.tidy.begin()
			}
		case <-step:
			step = j.tidy.next()
		case <-j.tidy.stop:
			return
		}
	}
}

// end refuses all further writes and waits for the background goroutine. It returns false if it was
// called before.
func (j *Journal) end() bool {
	j.db.mu.Lock()
	was := j.db.closed
	j.db.closed = true
	j.db.mu.Unlock() // the goroutine may be waiting for it to check closed
	if !was {
		close(j.tidy.stop)
	}
	j.background.Wait()
	return !was
}

// Epoch returns the epoch of this opening.
func (j *Journal) Epoch() string { return j.db.epoch }

// Head returns the seq of the last committed event.
func (j *Journal) Head() int64 {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	return j.db.head
}

// Floor returns the lowest seq that Read can return, or head+1 if there is none.
func (j *Journal) Floor() int64 { return j.db.floor.Load() }

// Messages returns the number of rows of all transcripts.
func (j *Journal) Messages() int64 { return j.db.messages.Load() }

// Bytes returns the size of the journal on disk in bytes, with its log.
func (j *Journal) Bytes() int64 {
	var sum int64
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(j.db.path + suffix); err == nil { // a missing file has no size
			sum += info.Size()
		}
	}
	return sum
}

// Commit makes a batch durable in one transaction and returns nil only then. It has no deadline. After
// an error the caller may commit the same batch again, byte for byte, as often as needed: Commit
// recognizes what is stored already. world.ErrBroken (wrapped) means that the journal does not hold what
// it should, or that the batch contradicts it; nothing is written any more.
func (j *Journal) Commit(batch *world.Batch) error {
	if len(batch.Records) == 0 && len(batch.Commands) == 0 {
		return nil
	}
	if err := j.begin(); err != nil {
		return fmt.Errorf("commit: %w", sqlite.WithReason(err))
	}
	j.db.mu.Lock()
	err := j.db.commit(batch)
	j.db.mu.Unlock()
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if j.tidy.due() {
		j.log.poke()
	}
	j.log.grown()
	return nil
}

// Idle empties the log if it is large enough, and starts tidying if there is something to tidy. The caller
// calls it when nothing waits to be committed. It does not wait for readers.
func (j *Journal) Idle() {
	if j.tidy.due() {
		j.log.poke()
	}
	j.log.idle()
}

// Tidy takes all steps that are due, without pauses, for example after a large import. Otherwise the
// journal takes them by itself beside the commits.
func (j *Journal) Tidy(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("tidy: %w", err)
		}
		if more, err := j.tidy.step(); err != nil || !more {
			return err
		}
	}
}

// MarkAuto records that the server's start, and not a person, resumed the process in this epoch.
func (j *Journal) MarkAuto() error {
	if l := j.late; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.auto = true; !l.done {
			return nil // the mark is set when the epoch begins
		}
	}
	return j.db.write("mark the line", func() error {
		_, err := j.db.w.Exec("UPDATE line SET auto = 1 WHERE epoch = ?", j.db.epoch)
		return err
	})
}

// Note adds a row to the audit that belongs to no event: a pass of retention.
func (j *Journal) Note(a world.AuditRow) error {
	return j.db.write("note in the audit", func() error { return j.db.w.AddAudit(a) })
}

// Amend changes rows beside the commits. If the outcome of an earlier such write is unknown, it finds
// that out first: until then no commit may come.
func (j *Journal) Amend(what string, f func(*tables.Writer) error) error {
	if err := j.db.unblock(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return j.db.write(what, func() error {
		j.db.w.NoIndex = j.db.noIndex
		return f(j.db.w)
	})
}

// Search is Reader.Search. If it finds the index broken, it also records that: rows are written without
// the index until the next opening rebuilds it.
func (j *Journal) Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	hits, err := j.Reader.Search(ctx, q)
	if sqlite.Code(err) == sqlite3.SQLITE_CORRUPT {
		_ = j.db.write("note a broken index", func() error { // otherwise the next search records it
			j.db.noIndex = true
			return j.db.w.SetMeta(tables.MetaSearch, tables.BrokenSearch)
		})
	}
	return hits, err
}

// IndexGone reports whether rows are written without the search index.
func (j *Journal) IndexGone() bool {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	return j.db.noIndex
}

// DropIndex empties a broken index, which still holds words of erased rows. The next opening
// rebuilds it.
func (j *Journal) DropIndex() error {
	return j.Amend("drop the search index", func(w *tables.Writer) error {
		j.db.noIndex = true
		if err := w.SetMeta(tables.MetaSearch, tables.BrokenSearch); err != nil {
			return err
		}
		return w.Run("DROP TABLE IF EXISTS search;" + tables.SearchSchema)
	})
}

// Close empties the log into the database and closes it, so that one file is left. After an error the
// log stays, and the two files together are complete.
func (j *Journal) Close() error {
	j.tidy.beforeClose()
	if !j.end() {
		return nil
	}
	var errs []error
	if l := j.late; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.done {
			l.done = true
			errs = append(errs, l.closeImage(j.db.readers.Take()))
		}
	}
	if err := errors.Join(append(errs, j.db.close())...); err != nil {
		return fmt.Errorf("close %s: %w", sqlite.JournalFile, err)
	}
	return nil
}
