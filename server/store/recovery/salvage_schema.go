package recovery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"agentdungeon/server/store/sqlite"
)

// sampled is how many rows of a table tell whether it is the one that it is taken for.
const sampled = 5

// dropStrangers forgets tables whose first rows hold values of other kinds than the table
// does: something else lies in its place.
func (o *oldJournal) dropStrangers(ctx context.Context) error {
	for table, columns := range o.columns {
		kinds, err := sqlite.Collect(ctx, o.db, func(rows *sql.Rows) (kind string, err error) {
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
