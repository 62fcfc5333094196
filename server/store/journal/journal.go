package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/history"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Journal is the durable record of one realm, in realm.db: its events, and the transcripts that are written in the
// transaction of their event. It implements realm.Journal. Commit must be called from one goroutine at a time; the
// other methods may be called from any goroutine.
//
// A commit is durable when its transaction is in SQLite's log and the log is synced (WAL, synchronous=FULL). When
// the log holds 4 MB, a goroutine moves it into the database between commits (PASSIVE). The journal empties the
// log when nothing waits to be committed (Idle), and when it is closed.
type Journal struct {
	*history.Reader
	db   *database
	log  *logKeeper
	tidy *tidier
	// readOnly is nil if the journal was opened for writing.
	readOnly *readOnly

	erasedAt   int64 // bases with a lower seq hold erased words and are not stored; guarded by the database's lock
	background sync.WaitGroup
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

// Bytes returns the size of the journal on disk in bytes: the database, its write-ahead log and the log's index.
func (j *Journal) Bytes() int64 {
	var sum int64
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(j.db.path + suffix); err == nil { // a file that is missing counts as empty
			sum += info.Size()
		}
	}
	return sum
}

// Commit stores a batch in one transaction. It waits until the batch is durable, however long that takes, and only
// then returns nil. After an error the caller may commit the same batch again, byte for byte, as often as needed:
// Commit recognizes a batch that is stored already. world.ErrBroken (wrapped) means that the journal does not hold the
// events that it should, or that the batch contradicts them; from then on nothing is written.
func (j *Journal) Commit(batch *world.Batch) error {
	if len(batch.Records) == 0 && len(batch.Commands) == 0 {
		return nil
	}
	if err := j.beginWriting(); err != nil {
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

// Idle empties the log if the log has at least limits.Idle bytes, and starts tidying if a tidying step is due. The
// caller calls Idle when nothing waits to be committed. Idle does not wait for readers.
func (j *Journal) Idle() {
	if j.tidy.due() {
		j.log.poke()
	}
	_, _ = j.log.empty(j.log.limits.Idle) // the error is dropped: if the disk fails, the next commit returns an error too
}

// Tidy takes all tidying steps that are due, without pauses, for example after a large import. Without a call of Tidy,
// the background goroutine takes them between commits.
func (j *Journal) Tidy(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("tidy the journal: %w", err)
		}
		if more, err := j.tidy.step(); err != nil || !more {
			return err
		}
	}
}

// Note adds an audit row that belongs to no event, for example about a pass of retention.
func (j *Journal) Note(a world.AuditRow) error {
	return j.db.write("add a row to the audit", func() error { return j.db.w.AddAudit(a) })
}

// Amend changes rows in a transaction that commits no events. If it is unknown whether an earlier transaction of
// this kind was stored, Amend first finds out. Until then no commit is possible.
func (j *Journal) Amend(what string, f func(*tables.Writer) error) error {
	if err := j.db.unblock(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return j.db.write(what, func() error {
		j.db.w.NoIndex = j.db.noIndex
		return f(j.db.w)
	})
}

// Search is Reader.Search. If it finds the index broken, it records that: rows are written without the index until the
// next opening rebuilds it.
func (j *Journal) Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	hits, err := j.Reader.Search(ctx, q)
	if sqlite.Code(err) == sqlite3.SQLITE_CORRUPT {
		// The error is dropped: if this fails, the next search tries it again.
		_ = j.db.write("record that the search index is broken", func() error {
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

// DropIndex empties a broken index, which may hold words of erased rows. The next opening rebuilds it.
func (j *Journal) DropIndex() error {
	return j.Amend("empty the search index", func(w *tables.Writer) error {
		j.db.noIndex = true
		if err := w.SetMeta(tables.MetaSearch, tables.BrokenSearch); err != nil {
			return err
		}
		return w.Run("DROP TABLE IF EXISTS search;" + tables.SearchSchema)
	})
}

// SaveBase stores a world in the journal, so that older events may be trimmed and recovery has another
// world to start from. The newest three bases are kept.
func (j *Journal) SaveBase(c world.Checkpoint) error {
	return j.db.write("save a base", func() error {
		if c.Seq > j.db.head {
			return fmt.Errorf("%w: the world has seq %d, the journal only %d", sqlite.ErrRefused, c.Seq, j.db.head)
		}
		if c.Seq < j.erasedAt {
			return nil // the world is older than the last erasure and holds erased words
		}
		if err := j.db.w.InsertBase(c); err != nil {
			return err
		}
		return j.tidy.grow(c)
	})
}

// ReplaceBases stores c as the only base and returns how many bases it deleted. From now on SaveBase does not store
// a base that is older than c.
func (j *Journal) ReplaceBases(c world.Checkpoint) (gone int, err error) {
	err = j.Amend("replace the bases", func(w *tables.Writer) error {
		if err := sqlite.One(context.Background(), w, []any{&gone}, "SELECT count(*) FROM bases WHERE seq < ?",
			c.Seq); err != nil {
			return err
		}
		if c.Seq > j.db.head {
			return fmt.Errorf("%w: the world has seq %d, the journal only %d", sqlite.ErrRefused, c.Seq, j.db.head)
		}
		if _, err := w.Exec("DELETE FROM bases WHERE seq < ?", c.Seq); err != nil {
			return err
		}
		j.erasedAt = max(j.erasedAt, c.Seq)
		return w.InsertBase(c)
	})
	return gone, err
}

// MarkVaults stores m, which says up to which event the vault files have all insights.
func (j *Journal) MarkVaults(m world.VaultMark) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("record up to which event the vault files are complete: %w", err)
	}
	return j.db.write("record up to which event the vault files are complete", func() error {
		return j.db.w.SetMeta(tables.MetaVaults, string(raw))
	})
}

// InPlace returns world.ErrMoved (wrapped) if the journal's files were deleted or replaced since they were opened.
// From then on nothing is written. It returns nil if the journal can be written, or cannot be written for another
// reason.
func (j *Journal) InPlace() error {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	if err := j.db.writable(); errors.Is(err, world.ErrMoved) {
		return err
	}
	return nil
}

// Backup copies the database page by page to a file, whose path is the parameter to. It reads through the open
// handle, so it works even after realm.db was renamed or deleted. The copy is one file, as after a clean close.
func (j *Journal) Backup(to string) error {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	if j.db.w == nil {
		return errors.New("the journal is closed")
	}
	_ = j.db.w.Run("ROLLBACK") // ends a write that an error has interrupted; without one, ROLLBACK does nothing
	dsn, err := sqlite.DSN(to, "mode=rwc")
	if err != nil {
		return err
	}
	err = j.db.w.Backup(dsn)
	if err != nil {
		return fmt.Errorf("copy %s: %w", sqlite.JournalFile, err)
	}
	w, err := tables.OpenWriter(to, sqlite.ModeWrite)
	if err != nil {
		return err
	}
	head, err := w.StoredHead()
	if err == nil && head < j.db.head {
		err = fmt.Errorf("the copy of %s ends at event %d, before %d", sqlite.JournalFile, head, j.db.head)
	}
	if err == nil {
		err = w.Shut()
	}
	return errors.Join(err, w.Close())
}

// Dir returns the realm's folder.
func (j *Journal) Dir() string { return filepath.Dir(j.db.path) }

// FolderInPlace reports whether the path of the realm's folder still leads to the folder in which the
// journal was opened.
func (j *Journal) FolderInPlace() bool {
	return j.db.location != nil && j.db.location.folder.InPlace() == nil
}
