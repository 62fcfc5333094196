package tables

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// putForge stores a forge as one row and replaces the previous one (S1-07): the state that people see,
// and the context as bytes that only server/forge reads. A damaged context is kept in a row of its own
// when it is replaced.
func (w *Writer) putForge(b *world.ForgeStepped, ev *world.Event) error {
	shown, err := json.Marshal(b.Forge)
	if err != nil {
		return fmt.Errorf("encode forge: %w", err)
	}
	if len(b.Damaged) > 0 {
		if err := w.putForgeRow(b.ConversationID+"/"+strconv.FormatInt(ev.Seq, 10), ev.At, "{}", b.Damaged); err != nil {
			return err
		}
	}
	return w.putForgeRow(b.ConversationID, ev.At, string(shown), b.Context)
}

func (w *Writer) putForgeRow(id string, at world.Time, shown string, context []byte) error {
	if context == nil {
		context = []byte{} // the column is NOT NULL
	}
	_, err := w.Exec(`INSERT INTO forges (conversation_id, updated_at, shown, context) VALUES (?, ?, ?, ?)
		ON CONFLICT (conversation_id) DO UPDATE SET
			updated_at = excluded.updated_at, shown = excluded.shown, context = excluded.context`,
		id, int64(at), shown, packContext(context))
	return err
}

// ReadForge returns what putForge stored. The state that people see is nil if there is no row or it
// cannot be read: whoever continues the forge computes it again from the context and reports what is
// wrong with it.
func ReadForge(ctx context.Context, q sqlite.Queryer, conversationID string) (*world.Forge, []byte, error) {
	rows, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (row [2][]byte, err error) {
		err = rows.Scan(&row[0], &row[1])
		return row, err
	}, "SELECT CAST(shown AS BLOB), context FROM forges WHERE conversation_id = ?", conversationID)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	var shown *world.Forge
	if json.Unmarshal(rows[0][0], &shown) != nil || shown == nil || shown.State == "" {
		shown = nil
	}
	return shown, unpackContext(rows[0][1]), nil
}
