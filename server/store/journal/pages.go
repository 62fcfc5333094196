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

// What deleted rows leave in realm.db and in its log. secure_delete overwrites what is
// deleted, not the copies that SQLite leaves behind when it moves rows from one page of a
// table to another: they stand in the unused middle of a page. ScrubPages overwrites that
// middle in every page, through SQLite (sqlite_dbpage), in steps; scour makes a database
// anew that was once written without secure_delete; EmptyLog cuts the log to nothing.

// scrubStep is how many pages one transaction looks at.
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

// scrubbed overwrites what is unused in a page of a b-tree with zeros, in place, and says
// whether that changed it. Pages of other kinds begin with the number of a page, or with
// zeros, and are left alone: secure_delete has seen to those.
func scrubbed(data []byte, first bool) bool {
	at := 0
	if first {
		at = 100 // the file's own header
	}
	head := at + 8
	switch data[at] {
	case 2, 5: // an inner page also names its last child
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
		return false // not a page as we know it
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

// Scour makes a database that was not always written with secure_delete anew, once: its
// free space may hold what was deleted long ago. Writers wait meanwhile.
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
		return fmt.Errorf("make %s anew: %w", sqlite.JournalFile, err)
	}
	ok, err := j.db.w.Transact(func() error { return j.db.w.SetMeta(tables.MetaSecure, "1") })
	j.db.unsure, j.db.beside = !ok, true
	return err
}

// emptyEvery is how long it waits between two tries to empty the log.
const emptyEvery = 20 * time.Millisecond

// EmptyLog moves all of the log into the database and cuts it to nothing. It waits for readers that
// are in the way.
func (j *Journal) EmptyLog(ctx context.Context) error {
	for {
		j.db.moveLog() // most of it moves beside the commits; what is left is little
		done, err := j.log.empty()
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

// Rest lets commits come: as long as a chunk has held them up.
func Rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
