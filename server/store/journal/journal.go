package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/history"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Journal is the durable record of one realm, in realm.db: its events, and the transcripts that are
// written in their event's transaction. It implements realm.Journal. Open makes it; Commit is called
// from one goroutine, the other methods from any.
//
// A commit is there when its transaction stands in the log and the log is synced (WAL,
// synchronous=FULL). The log moves into the database beside the commits (PASSIVE, from a goroutine of
// its own, when it holds 4 MB) and is emptied when nothing else happens (Idle, Close).
type Journal struct {
	*history.Reader
	db   *database
	log  *logKeeper
	tidy *tidier
	late *late // of one that was opened for reading, else nil

	erasedAt   int64 // bases from before are not kept any more; guarded by the database's lock
	background sync.WaitGroup
}

// Open opens a realm.db that was examined and found whole, and begins a new
// line on it. The line is in the database itself, not only in its log, when it
// returns: whoever finds a state.json of this epoch later knows that it is ours
// even when the log is gone. tenant is whose realm it is from now on.
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
		return nil, fmt.Errorf("open %s: it ends at %d and ended at %d a moment ago", sqlite.JournalFile, head, d.head)
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
		return nil, fmt.Errorf("begin a new line: %w", err)
	}
	if all, err := d.w.Checkpoint("TRUNCATE"); err != nil {
		return nil, err
	} else if !all {
		return nil, fmt.Errorf("open %s: somebody else reads or writes it", sqlite.JournalFile)
	}
	if err = d.readers.Replace(func(*sql.DB) (*sql.DB, error) { return history.OpenAll(path) }); err != nil {
		return nil, err
	}
	j.background.Go(j.run)
	return j, nil
}

// newJournal has no handle that writes.
func newJournal(path string, line world.Line, readers *history.Handle) *Journal {
	d := &database{path: path, epoch: line.Epoch, head: line.FromSeq - 1, readers: readers}
	return &Journal{Reader: history.NewReader(readers), db: d, log: newLogKeeper(d), tidy: newTidier(d)}
}

// run moves the log and tidies beside the commits, when it is asked.
func (j *Journal) run() {
	for {
		select {
		case <-j.log.kick:
			j.db.moveLog()
			j.tidy.run()
		case <-j.tidy.stop:
			return
		}
	}
}

// end refuses every further write and waits for the background goroutine. It returns false where that
// has happened before.
func (j *Journal) end() bool {
	j.db.mu.Lock()
	was := j.db.closed
	j.db.closed = true
	j.db.mu.Unlock() // the goroutine may be about to ask whether it is closed
	if !was {
		close(j.tidy.stop)
	}
	j.background.Wait()
	return !was
}

// Epoch of the line that this opening writes.
func (j *Journal) Epoch() string { return j.db.epoch }

// Head is the seq of the last committed event.
func (j *Journal) Head() int64 {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	return j.db.head
}

// Floor is the lowest seq that Read still has, head+1 when it has none.
func (j *Journal) Floor() int64 { return j.db.floor.Load() }

// Messages is how many rows the transcripts have.
func (j *Journal) Messages() int64 { return j.db.messages.Load() }

// Bytes is what the journal takes on disk, its log included.
func (j *Journal) Bytes() int64 {
	var sum int64
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(j.db.path + suffix); err == nil { // one that is not there takes nothing
			sum += info.Size()
		}
	}
	return sum
}

// Commit makes a batch durable in one transaction and returns nil only then. It has no deadline. A
// batch that came back with an error may come again, byte for byte, as often as it takes: what stands
// already is recognized. world.ErrBroken (wrapped) means that the journal does not hold what it
// should, or that the batch contradicts what it holds: it is not written any more.
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

// Idle empties the log when it is worth it, and has tidying begin where that is due. It is called when
// nothing waits to be committed, and does not wait for readers.
func (j *Journal) Idle() {
	if j.tidy.due() {
		j.log.poke()
	}
	j.log.idle()
}

// Tidy takes all steps that are due, without a pause between them, as after a large import.
// By itself the journal takes them beside the commits.
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

// MarkAuto notes that the server's start resumed this line's process, not a person.
func (j *Journal) MarkAuto() error {
	if l := j.late; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.auto = true; !l.done {
			return nil // it is marked when the line begins
		}
	}
	return j.db.write("mark the line", func() error {
		_, err := j.db.w.Exec("UPDATE line SET auto = 1 WHERE epoch = ?", j.db.epoch)
		return err
	})
}

// Note adds a row to the audit that no event is about: a pass of retention.
func (j *Journal) Note(a world.AuditRow) error {
	return j.db.write("note in the audit", func() error { return j.db.w.AddAudit(a) })
}

// Amend changes rows beside the commits. When an earlier write beside them is in doubt it
// first finds out whether that stands: no commit may come that would.
func (j *Journal) Amend(what string, f func(*tables.Writer) error) error {
	if err := j.db.unblock(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return j.db.write(what, func() error {
		j.db.w.NoIndex = j.db.noIndex
		return f(j.db.w)
	})
}

// Search is that of the Reader. It also notes an index that it meets as broken: the next opening
// makes it anew, and until then rows are written without it.
func (j *Journal) Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	hits, err := j.Reader.Search(ctx, q)
	if sqlite.Code(err) == sqlite3.SQLITE_CORRUPT {
		_ = j.db.write("note a broken index", func() error { // else the next search notes it
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

// DropIndex empties a broken index, which still has words of what is erased. The next
// opening makes it anew.
func (j *Journal) DropIndex() error {
	return j.Amend("drop the search index", func(w *tables.Writer) error {
		j.db.noIndex = true
		if err := w.SetMeta(tables.MetaSearch, tables.BrokenSearch); err != nil {
			return err
		}
		return w.Run("DROP TABLE IF EXISTS search;" + tables.SearchSchema)
	})
}

// Close empties the log into the database and closes it: one file is left. After
// an error the log stays beside it, and both together are whole.
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
