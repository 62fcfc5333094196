package recovery

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// oldJournal reads a damaged database in place, row by row. It skips pages that cannot be read. It writes
// nothing.
type oldJournal struct {
	image   *sqlite.Image
	db      *sql.DB
	columns map[string][]string // of those tables that a journal has
}

// openOld opens a damaged database for a salvage. It returns nil if not even the list of its tables can be read.
// An error comes from the disk.
func openOld(ctx context.Context, path string) (_ *oldJournal, err error) {
	o := &oldJournal{columns: map[string][]string{}}
	if o.image, err = sqlite.OpenImage(path); err != nil {
		if errors.Is(err, disk.ErrCorrupt) || errors.Is(err, disk.ErrMissing) {
			return nil, nil
		}
		return nil, err
	}
	err = o.findTables(ctx)
	if err == nil && len(o.columns) == 0 {
		var pages [][]byte
		if pages, err = tables.NewPages(ctx); err == nil {
			err = o.image.WithSchema(pages)
		}
		if err == nil {
			err = o.findTables(ctx)
		}
		if err == nil {
			err = o.dropStrangers(ctx)
		}
	}
	if err != nil || len(o.columns) == 0 {
		if sqlite.IsDamage(err) {
			err = nil
		}
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

// findTables opens a handle and finds the tables of a journal: none if the list of tables cannot be
// read.
func (o *oldJournal) findTables(ctx context.Context) error {
	if o.db != nil {
		if err := o.db.Close(); err != nil {
			return err
		}
	}
	var err error
	if o.db, err = o.image.Handle(ctx, 1, ""); err != nil {
		if o.db = nil; sqlite.IsDamage(err) {
			return nil
		}
		return err
	}
	for _, table := range tables.Names {
		// Only tables: a foreign view or virtual table could run anything.
		names, err := sqlite.Column[string](ctx, o.db,
			`SELECT c.name FROM sqlite_schema s, pragma_table_info(s.name) c
			WHERE s.type = 'table' AND s.name = ? AND s.sql LIKE 'CREATE TABLE%' AND s.rootpage > 0`, table)
		if err != nil && !sqlite.IsDamage(err) {
			return err
		}
		if err == nil && len(names) > 0 {
			o.columns[table] = names
		}
	}
	return nil
}

func (o *oldJournal) close() error {
	var errs []error
	if o.db != nil {
		errs = append(errs, o.db.Close())
	}
	return errors.Join(append(errs, o.image.Close())...)
}

// tailProbes is the number of keys after the last readable row that are tried one by one if the end of the
// table is unknown.
const tailProbes = 4096

// each calls f with the rows of a table that has a number as its key, in order as far as the table is. The
// first value is the key. After an unreadable page it continues with the next readable key, up to limit or
// tailProbes after the last row. A row may come twice. Errors come from f or the disk.
func (o *oldJournal) each(ctx context.Context, table, key string, columns []string, limit int64,
	f func([]any) error) error {
	if len(o.columns[table]) == 0 {
		return nil
	}
	list := "SELECT " + key + ", " + strings.Join(columns, ", ") + " FROM " + table + " WHERE " + key
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
		err := o.give(ctx, take, len(columns)+1, list+" >= ? ORDER BY "+key, next)
		if err == nil || !o.damage(err) {
			return err
		}
		if !ordered { // pages are in each other's place: every key is tried
			next = 0
		}
		end, along := max(limit, next+tailProbes), false
		for probe := next; probe <= end && !along; probe++ {
			if err := o.give(ctx, take, len(columns)+1, list+" = ?", probe); err != nil && !o.damage(err) {
				return err
			}
			next = probe + 1
			along = ordered && o.leads(ctx, table, key, next)
		}
		if !along {
			return nil
		}
	}
}

// errCopy marks an error of f, as opposed to one of the old journal.
var errCopy = errors.New("copy a row")

// leads reports whether a scan of the table can read a row from a key on.
func (o *oldJournal) leads(ctx context.Context, table, key string, from int64) bool {
	n, err := sqlite.Column[int64](ctx, o.db,
		"SELECT "+key+" FROM "+table+" WHERE "+key+" >= ? ORDER BY "+key+" LIMIT 1", from)
	return err == nil && len(n) > 0
}

// damage reports whether an error is about the old journal's content.
func (o *oldJournal) damage(err error) bool { return sqlite.IsDamage(err) && !errors.Is(err, errCopy) }

// eachNamed calls f with the rows of a table without numbers, from both ends as far as each can be
// read.
func (o *oldJournal) eachNamed(ctx context.Context, table, order string, columns []string, f func([]any) error) error {
	if len(o.columns[table]) == 0 {
		return nil
	}
	for _, direction := range []string{" ASC", " DESC"} {
		by := strings.ReplaceAll(order, ",", direction+",") + direction
		err := o.give(ctx, f, len(columns), "SELECT "+strings.Join(columns, ", ")+" FROM "+table+" ORDER BY "+by)
		if err == nil || !o.damage(err) {
			return err
		}
	}
	return nil
}

// give calls f with the rows of a query. An error of f stops it.
func (o *oldJournal) give(ctx context.Context, f func([]any) error, columns int, query string,
	args ...any) (err error) {
	rows, err := o.db.QueryContext(ctx, query, args...)
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

// bases returns the bases of the journal that can be read, as origins.
func (o *oldJournal) bases(ctx context.Context) (out []origin, err error) {
	err = o.each(ctx, "bases", "seq", []string{"epoch", "saved_at", "sum", "world"}, 0, func(v []any) error {
		raw, sum := asBytes(v[4]), asInt(v[3])
		if tables.FrameSum(raw, 0, "") != sum {
			return nil
		}
		w, land, err := world.DecodeState(raw, json.Unmarshal)
		if err != nil {
			return nil
		}
		w.Fill()
		land.Fill()
		if seq := v[0].(int64); w.Validate() == nil && w.Tick == seq {
			savedAt := world.Time(asInt(v[2]))
			from := origin{source: world.RestoredFromBase, seq: seq, savedAt: savedAt, world: w, land: land, older: true}
			if seq == 0 {
				from.source = world.RestoredFromJournal // the world before the first event
			}
			out = append(out, from)
		}
		return nil
	})
	return out, err
}

// meta returns a value of the table meta, "" if it cannot be read.
func (o *oldJournal) meta(ctx context.Context, key string) string {
	if o == nil || len(o.columns["meta"]) == 0 {
		return ""
	}
	var value string
	if sqlite.One(ctx, o.db, []any{&value}, "SELECT value FROM meta WHERE key = ?", key) != nil {
		return ""
	}
	return value
}

// has reports whether the table has the column.
func (o *oldJournal) has(table, column string) bool {
	for _, c := range o.columns[table] {
		if c == column {
			return true
		}
	}
	return false
}

// Conversions of a damaged row's values to the types of this program: the same value, or the nearest one.

func asInt(v any) int64 {
	n, _ := v.(int64)
	return n
}

func asText(v any) string {
	var s string
	switch t := v.(type) {
	case string:
		s = t
	case []byte:
		s = string(t)
	case int64, float64:
		s = fmt.Sprint(t)
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s
}

func asBytes(v any) []byte {
	switch t := v.(type) {
	case []byte:
		return t
	case string:
		return []byte(t)
	}
	return nil
}
