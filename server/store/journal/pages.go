package journal

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"time"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
)

// Deleted rows leave copies in realm.db and in its log. secure_delete overwrites deleted rows, but not the copies that
// SQLite leaves when it moves rows from one page of a table to another: these are in the unused middle of a page.
// ScrubPages overwrites that part of every page, in steps. Scour rebuilds a database that was once written without
// secure_delete. EmptyLog truncates the log, which also holds copies.

// scrubStep is the number of pages that one transaction examines.
const scrubStep = 64

// ScrubPages overwrites the unused parts of all pages of the tables and indexes.
func (j *Journal) ScrubPages(ctx context.Context) error {
	for from := int64(1); ; from += scrubStep {
		var pages int64
		began := time.Now()
		err := j.Amend("overwrite unused space", func(w *tables.Writer) error {
			if err := sqlite.One(context.Background(), w, []any{&pages}, "PRAGMA page_count"); err != nil {
				return err
			}
			return scrub(w, from, min(from+scrubStep-1, pages))
		})
		if err != nil || from+scrubStep > pages {
			return err
		}
		if err := Rest(ctx, time.Since(began)); err != nil {
			return err
		}
	}
}

// scrub overwrites the unused parts of the pages with the numbers from..to, through SQLite (sqlite_dbpage).
func scrub(w *tables.Writer, from, to int64) error {
	type page struct {
		n    int64
		data []byte
	}
	list, err := sqlite.Collect(context.Background(), w, func(rows *sql.Rows) (p page, err error) {
		err = rows.Scan(&p.n, &p.data)
		return p, err
	}, "SELECT pgno, data FROM sqlite_dbpage WHERE pgno BETWEEN ? AND ?", from, to)
	if err != nil {
		return fmt.Errorf("read pages: %w", err)
	}
	for _, p := range list {
		if !scrubbed(p.data, p.n == 1) {
			continue
		}
		if _, err := w.Exec("UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?", p.data, p.n); err != nil {
			return fmt.Errorf("write page %d: %w", p.n, err)
		}
	}
	return nil
}

// scrubbed overwrites the unused part of a b-tree page with zeros, in place, and reports whether that changed the
// page. It skips other pages, which begin with a page number or with zeros: secure_delete overwrites their unused
// parts.
func scrubbed(data []byte, first bool) bool {
	at := 0
	if first {
		at = 100 // the offset after the header of the file
	}
	head := at + 8
	switch data[at] {
	case 2, 5: // the header of an inner page is 4 bytes longer: it has the number of the last child page
		head += 4
	case 10, 13:
	default:
		return false
	}
	cells := int(binary.BigEndian.Uint16(data[at+3:]))
	content := int(binary.BigEndian.Uint16(data[at+5:]))
	if content == 0 {
		content = 65536
	}
	end := head + 2*cells
	if end > content || content > len(data) {
		return false // not a valid page
	}
	changed := false
	zero := func(part []byte) {
		for i, b := range part {
			if b != 0 {
				part[i], changed = 0, true
			}
		}
	}
	zero(data[end:content])
	for block := int(binary.BigEndian.Uint16(data[at+1:])); block >= content && block+4 <= len(data); {
		size := int(binary.BigEndian.Uint16(data[block+2:]))
		if size < 4 || block+size > len(data) {
			break
		}
		zero(data[block+4 : block+size])
		next := int(binary.BigEndian.Uint16(data[block:]))
		if next <= block {
			break
		}
		block = next
	}
	return changed
}

// Scour rebuilds a database that was once written without secure_delete, because its free space may hold rows that
// were deleted long ago. MetaSecure records that this is done. Writers wait meanwhile.
func (j *Journal) Scour() error {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	if err := j.db.writable(); err != nil {
		return err
	}
	clean, err := tables.ReadMeta(context.Background(), j.db.w, tables.MetaSecure)
	if err != nil || clean != "" {
		return err
	}
	if err := j.db.w.Run("VACUUM"); err != nil {
		return fmt.Errorf("rebuild %s: %w", sqlite.JournalFile, err)
	}
	ok, err := j.db.w.Transact(func() error { return j.db.w.SetMeta(tables.MetaSecure, "1") })
	j.db.unsure, j.db.amends = !ok, true
	return err
}

// emptyEvery is the pause between two tries to empty the log.
const emptyEvery = 20 * time.Millisecond

// EmptyLog moves the whole log into the database and truncates it. It waits until no reader prevents that, or ctx
// ends.
func (j *Journal) EmptyLog(ctx context.Context) error {
	for {
		j.db.moveLog() // first moves most of the log without the database's lock, so that the locked step below is short
		done, err := j.log.empty(0)
		if done || err != nil && !sqlite.IsBusy(err) {
			return err
		}
		select {
		case <-time.After(emptyEvery):
		case <-ctx.Done():
			return fmt.Errorf("empty the log: %w", context.Cause(ctx))
		}
	}
}

// Rest waits for d or until ctx ends. A caller that works in steps passes the duration of its last step, so that
// commits can use the database for half of the time.
func Rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
