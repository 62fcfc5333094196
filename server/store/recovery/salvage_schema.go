package recovery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"agentdungeon/server/store/sqlite"
)

// sampled is the number of rows that show whether a table is the expected one.
const sampled = 5

// dropStrangers forgets tables whose first rows have values of other types than the table: the schema's page
// numbers lead to something else.
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

var errStranger = errors.New("it is another table")

// kindOf returns the type of column to which a value belongs.
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
