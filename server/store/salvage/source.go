package salvage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Source reads a damaged realm.db in place, row by row, and skips pages that cannot be read. It writes
// nothing.
type Source struct {
	image   *sqlite.Image
	db      *sql.DB
	columns map[string][]string // column names by table, for the tables of a journal
}

// OpenSource opens a damaged realm.db. It returns nil if none of its tables can be found. An error comes from the
// disk.
func OpenSource(ctx context.Context, path string) (_ *Source, err error) {
	s := &Source{columns: map[string][]string{}}
	if s.image, err = sqlite.OpenImage(path); err != nil {
		if errors.Is(err, disk.ErrCorrupt) || errors.Is(err, disk.ErrMissing) {
			return nil, nil
		}
		return nil, err
	}
	err = s.findTables(ctx)
	if err == nil && len(s.columns) == 0 {
		err = s.assumeSchema(ctx)
	}
	if err != nil || len(s.columns) == 0 {
		if sqlite.IsDamage(err) {
			err = nil
		}
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// findTables opens a handle and reads the columns of the tables of a journal. It finds none if the list of
// tables cannot be read.
func (s *Source) findTables(ctx context.Context) error {
	if s.db != nil {
		if err := s.db.Close(); err != nil {
			return err
		}
	}
	var err error
	if s.db, err = s.image.Handle(ctx, 1, ""); err != nil {
		if s.db = nil; sqlite.IsDamage(err) {
			return nil
		}
		return err
	}
	for _, table := range tables.Names {
		// Read only tables, because a foreign view or virtual table could run any code.
		names, err := sqlite.Column[string](ctx, s.db,
			`SELECT c.name FROM sqlite_schema s, pragma_table_info(s.name) c
			WHERE s.type = 'table' AND s.name = ? AND s.sql LIKE 'CREATE TABLE%' AND s.rootpage > 0`, table)
		if err != nil && !sqlite.IsDamage(err) {
			return err
		}
		if err == nil && len(names) > 0 {
			s.columns[table] = names
		}
	}
	return nil
}

// assumeSchema replaces an unreadable list of tables by the list of a new journal. A journal creates its tables
// before it writes anything else, so the tables of both journals begin at the same pages. In journals that older
// versions created, the tables may begin at other pages. assumeSchema ignores such tables.
func (s *Source) assumeSchema(ctx context.Context) error {
	pages, err := tables.NewPages(ctx)
	if err != nil {
		return err
	}
	if err := s.image.WithSchema(pages); err != nil {
		return err
	}
	if err := s.findTables(ctx); err != nil {
		return err
	}
	for table, columns := range s.columns {
		fits, err := s.fits(ctx, table, columns)
		if err != nil {
			return err
		}
		if !fits {
			delete(s.columns, table)
		}
	}
	return nil
}

// sampleRows is the number of rows of a page that are read to find out whether the page belongs to the assumed table.
const sampleRows = 5

// errOtherTable stops a scan at a row of another table.
var errOtherTable = errors.New("the row belongs to another table")

// fits reports whether the first rows of a table have values of its columns' types.
func (s *Source) fits(ctx context.Context, table string, columns []string) (bool, error) {
	types, err := sqlite.Column[string](ctx, s.db, "SELECT lower(type) FROM pragma_table_info(?)", table)
	if err != nil {
		return false, err
	}
	err = s.query(ctx, func(values []any) error {
		for i, v := range values {
			if v != nil && types[i] != typeOf(v) {
				return errOtherTable
			}
		}
		return nil
	}, len(columns), "SELECT "+strings.Join(columns, ", ")+" FROM "+table+" LIMIT ?", sampleRows)
	if err != nil && !errors.Is(err, errOtherTable) && !isDamage(err) {
		return false, err
	}
	return !errors.Is(err, errOtherTable), nil
}

// typeOf returns the column type of a value.
func typeOf(v any) string {
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

// Close closes the database.
func (s *Source) Close() error {
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	return errors.Join(err, s.image.Close())
}

// Meta returns a value of the table meta, "" if it cannot be read.
func (s *Source) Meta(ctx context.Context, key string) string {
	var value string
	if len(s.columns["meta"]) == 0 {
		return ""
	}
	if sqlite.One(ctx, s.db, []any{&value}, "SELECT value FROM meta WHERE key = ?", key) != nil {
		return ""
	}
	return value
}

// Bases returns the bases that can be read, without their worlds.
func (s *Source) Bases(ctx context.Context) (bases []tables.BaseRow, err error) {
	err = s.eachByKey(ctx, "bases", "seq", []string{"saved_at"}, 0, func(v []any) error {
		bases = append(bases, tables.BaseRow{Seq: v[0].(int64), SavedAt: world.Time(asInt(v[1]))})
		return nil
	})
	return bases, err
}

// Base returns the world and land of a base, like tables.ReadBase.
func (s *Source) Base(ctx context.Context, b tables.BaseRow) (*world.World, *world.Land, error) {
	return tables.ReadBase(ctx, s.db, b)
}

// tailProbes is the number of keys that are tried one by one after the last readable row, if the end of the table
// is unknown.
const tailProbes = 4096

// eachByKey calls f with the rows of a table that has an integer key. The first value of each row is the key. The
// rows come in order of their keys, as long as the table is sorted. After an unreadable page eachByKey tries the
// next keys one by one until a row can be read. It tries the keys up to limit, or up to tailProbes after the last
// row if that key is higher. f may get a row twice. An error comes from f or from the disk.
func (s *Source) eachByKey(ctx context.Context, table, key string, columns []string, limit int64,
	f func([]any) error) error {
	if len(s.columns[table]) == 0 {
		return nil
	}
	rows := "SELECT " + strings.Join(append([]string{key}, columns...), ", ") + " FROM " + table + " WHERE " + key
	next, ordered := int64(0), true
	take := func(values []any) error {
		n, isInt := values[0].(int64)
		if !isInt {
			return nil
		}
		ordered = ordered && n >= next
		next = max(next, n+1)
		return f(values)
	}
	for {
		err := s.query(ctx, take, len(columns)+1, rows+" >= ? ORDER BY "+key, next)
		if err == nil || !isDamage(err) {
			return err
		}
		if !ordered { // the keys are not in order, because pages have changed places, so every key is tried
			next = 0
		}
		end, readable := max(limit, next+tailProbes), false
		for probe := next; probe <= end && !readable; probe++ {
			if err := s.query(ctx, take, len(columns)+1, rows+" = ?", probe); err != nil && !isDamage(err) {
				return err
			}
			next = probe + 1
			readable = ordered && s.readableFrom(ctx, table, key, next)
		}
		if !readable {
			return nil
		}
	}
}

// readableFrom reports whether a row can be read when a scan of the table begins at the key from.
func (s *Source) readableFrom(ctx context.Context, table, key string, from int64) bool {
	n, err := sqlite.Column[int64](ctx, s.db,
		"SELECT "+key+" FROM "+table+" WHERE "+key+" >= ? ORDER BY "+key+" LIMIT 1", from)
	return err == nil && len(n) > 0
}

// eachInOrder calls f with the rows of a table that has no integer key. It reads the table from its beginning. If
// a page is unreadable, it also reads the table from its end, up to an unreadable page. order is the list of
// columns by which the table is sorted.
func (s *Source) eachInOrder(ctx context.Context, table, order string, columns []string, f func([]any) error) error {
	if len(s.columns[table]) == 0 {
		return nil
	}
	for _, direction := range []string{" ASC", " DESC"} {
		by := strings.ReplaceAll(order, ",", direction+",") + direction
		err := s.query(ctx, f, len(columns), "SELECT "+strings.Join(columns, ", ")+" FROM "+table+" ORDER BY "+by)
		if err == nil || !isDamage(err) {
			return err
		}
	}
	return nil
}

// errCopy marks an error of writing a row to the new journal, in contrast to an error of reading the damaged one.
var errCopy = errors.New("copy a row")

// isDamage reports whether an error is about the content of the source.
func isDamage(err error) bool { return sqlite.IsDamage(err) && !errors.Is(err, errCopy) }

// query calls f with each row of an SQL query. It stops when f returns an error, and returns that error wrapped in
// errCopy.
func (s *Source) query(ctx context.Context, f func([]any) error, columns int, query string,
	args ...any) (err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		values := make([]any, columns)
		into := make([]any, columns)
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := f(values); err != nil {
			return fmt.Errorf("%w: %w", errCopy, err)
		}
	}
	return rows.Err()
}
