package salvage

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
)

// target is a table of the new journal, reduced to the columns that the damaged table has too.
type target struct {
	w      *tables.Writer
	fields []targetColumn // the integer key first, if the table has one
	query  string         // inserts a row
}

type targetColumn struct {
	name, kind string
	notNull    bool
}

// target returns a table of the new journal. key is its integer key, "" if it has none.
func (j *Journal) target(ctx context.Context, table, key string) (*target, error) {
	columns, err := sqlite.Collect(ctx, j.w, func(rows *sql.Rows) (c targetColumn, err error) {
		err = rows.Scan(&c.name, &c.kind, &c.notNull)
		return c, err
	}, `SELECT name, type, "notnull" OR pk > 0 FROM pragma_table_info(?1) ORDER BY name <> ?2, cid`, table, key)
	if err != nil {
		return nil, err
	}
	columns = slices.DeleteFunc(columns, func(c targetColumn) bool {
		return c.name != key && !slices.Contains(j.source.columns[table], c.name)
	})
	t := &target{w: j.w, fields: columns}
	names := t.names()
	t.query = fmt.Sprintf("INSERT OR IGNORE INTO %s (%s) VALUES (%s)", table, strings.Join(names, ", "),
		strings.Join(slices.Repeat([]string{"?"}, len(names)), ", "))
	return t, nil
}

// index returns the position of a column in a row, -1 if the row lacks it.
func (t *target) index(column string) int {
	return slices.IndexFunc(t.fields, func(c targetColumn) bool { return c.name == column })
}

func (t *target) names() []string {
	names := make([]string, len(t.fields))
	for i, c := range t.fields {
		names[i] = c.name
	}
	return names
}

// insert copies a row unless its key is taken. converted reports that a value had a type that this program
// never writes and was converted.
func (t *target) insert(values []any) (inserted, converted bool, err error) {
	args := slices.Clone(values)
	for i, v := range values {
		if v == nil && !t.fields[i].notNull {
			continue
		}
		var same bool
		switch t.fields[i].kind {
		case "INTEGER":
			_, same = v.(int64)
			args[i] = asInt(v)
		case "TEXT":
			text := asText(v)
			is, isText := v.(string)
			same = isText && is == text
			args[i] = text
		default:
			_, same = v.([]byte)
			args[i] = append([]byte{}, asBytes(v)...) // the driver stores a nil slice as NULL
		}
		converted = converted || !same
	}
	res, err := t.w.Exec(t.query, args...)
	if err != nil {
		return false, converted, err
	}
	n, err := res.RowsAffected()
	return n > 0, converted, err
}

// The following functions return the value of a damaged row as a type that this program writes: the
// same value, or the nearest one.

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
