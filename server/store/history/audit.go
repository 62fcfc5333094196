package history

import (
	"context"
	"database/sql"
	"fmt"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// Audit returns the rows since a time, oldest first: at most limit (1 to 1,000), numbered above
// after. To read on, pass the N of the last row as after.
func (r *Reader) Audit(ctx context.Context, since world.Time, after int64, limit int) (out []world.AuditRow,
	err error) {
	if limit <= 0 || limit > MaxReadRows {
		limit = MaxReadRows
	}
	err = r.handle.View(func(db *sql.DB) error {
		out, err = sqlite.Collect(ctx, db, func(rows *sql.Rows) (a world.AuditRow, err error) {
			err = rows.Scan(&a.N, (*int64)(&a.At), &a.Seq, &a.Action, &a.ConversationID, &a.Who, &a.Before, &a.After, &a.Note)
			return a, err
		}, `SELECT n, at, seq, action, conversation_id, who, before, after, note
			FROM audit WHERE at >= ? AND n > ? ORDER BY n LIMIT ?`, int64(since), after, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	return out, nil
}
