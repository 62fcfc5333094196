package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// The first page of a database says what tables there are and where each begins. Where it is
// destroyed SQLite reads nothing, although all rows may be there. But makeJournal makes all
// tables in one order, so their places are the same in every journal that it has made: an
// image gets the first page of a new one, and pages of the schema behind its last. Journals
// that schema 1 or 2 began, and no version has made anew since, lie otherwise: their tables
// fail the look at what lies there, and stay unread.

// withSchema gives the image the schema of a new journal in the place of its own.
func (m *image) withSchema(ctx context.Context, driver string) error {
	pages, err := newPages(ctx, driver)
	if err != nil {
		return err
	}
	first := pages[0]
	size := int64(len(first))
	if m.page == 0 {
		m.page = size
	}
	count := uint32(m.size / size)
	if m.page != size || count < 2 {
		return fmt.Errorf("%w: its pages have %d bytes", ErrCorrupt, m.page)
	}
	m.patches = map[uint32][]byte{1: first}
	// The leaves of the schema follow the last page.
	move := func(at int) error {
		child := binary.BigEndian.Uint32(first[at:])
		if child < 2 || int(child) > len(pages) {
			return fmt.Errorf("page %d of a new journal is not there", child)
		}
		count++
		m.patches[count] = pages[child-1]
		binary.BigEndian.PutUint32(first[at:], count)
		return nil
	}
	if first[100] == 5 { // an inner page: its cells begin with the numbers of pages
		for i := range int(binary.BigEndian.Uint16(first[103:])) {
			if err := move(int(binary.BigEndian.Uint16(first[112+2*i:]))); err != nil {
				return err
			}
		}
		if err := move(108); err != nil {
			return err
		}
	}
	m.size = int64(count) * size
	for at, n := range map[int]uint32{24: 1, 92: 1, 28: count, 32: 0, 36: 0} { // change counters, pages, free pages
		binary.BigEndian.PutUint32(first[at:], n)
	}
	return nil
}

// newPages are the pages of a journal that has just been made.
func newPages(ctx context.Context, driver string) (pages [][]byte, err error) {
	db, err := openDSN(ctx, driver, "file::memory:?_pragma=trusted_schema(0)", 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "BEGIN;"+journalTables+searchTables+fmt.Sprintf("PRAGMA user_version = %d; COMMIT;", journalSchema)); err != nil {
		return nil, fmt.Errorf("make the tables: %w", err)
	}
	pages, err = collect(ctx, db, func(rows *sql.Rows) (page []byte, err error) {
		err = rows.Scan(&page)
		return page, err
	}, "SELECT data FROM sqlite_dbpage ORDER BY pgno")
	if err == nil && len(pages) == 0 {
		err = errors.New("a new journal has no pages")
	}
	return pages, err
}

// sampled is how many rows of a table tell whether it is the one that it is taken for.
const sampled = 5

// dropStrangers forgets tables whose first rows hold values of other kinds than the table
// does: something else lies in its place.
func (o *oldJournal) dropStrangers(ctx context.Context) error {
	for table, columns := range o.columns {
		kinds, err := collect(ctx, o.db, func(rows *sql.Rows) (kind string, err error) {
			err = rows.Scan(&kind)
			return strings.ToLower(kind), err
		}, "SELECT type FROM pragma_table_info(?)", table)
		if err != nil {
			return err
		}
		err = o.give(ctx, func(values []any) error {
			for i, v := range values {
				if v != nil && kinds[i] != kindOf(v) {
					return fmt.Errorf("%w: it holds %s for %s", errStranger, kindOf(v), columns[i])
				}
			}
			return nil
		}, len(columns), "SELECT "+strings.Join(columns, ", ")+" FROM "+table+" LIMIT ?", sampled)
		switch {
		case errors.Is(err, errStranger):
			delete(o.columns, table)
		case err != nil && !o.damage(err):
			return err
		}
	}
	return nil
}

var errStranger = errors.New("another table lies there")

// kindOf is the kind of column that a value is of.
func kindOf(v any) string {
	switch v.(type) {
	case int64:
		return "integer"
	case string:
		return "text"
	case []byte:
		return "blob"
	}
	return ""
}
