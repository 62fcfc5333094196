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

// putForge keeps where a forge stands and what it has gathered, as one row that is
// replaced as a whole (S1-07): what is shown of it for people, the context as bytes that
// only server/forge reads. A damaged context that is replaced stays beside it.
func (w *Writer) putForge(b *world.ForgeStepped, ev *world.Event) error {
	shown, err := json.Marshal(b.Forge)
	if err != nil {
		return fmt.Errorf("encode forge: %w", err)
	}
	if len(b.Aside) > 0 {
		if err := w.putForgeRow(b.ConversationID+"/"+strconv.FormatInt(ev.Seq, 10), ev.At, "{}", b.Aside); err != nil {
			return err
		}
	}
	return w.putForgeRow(b.ConversationID, ev.At, string(shown), b.Context)
}

func (w *Writer) putForgeRow(id string, at world.Time, shown string, context []byte) error {
	if context == nil {
		context = []byte{} // the column holds no null
	}
	_, err := w.Exec(`INSERT INTO forges (conversation_id, updated_at, shown, context) VALUES (?, ?, ?, ?)
		ON CONFLICT (conversation_id) DO UPDATE SET
			updated_at = excluded.updated_at, shown = excluded.shown, context = excluded.context`,
		id, int64(at), shown, packContext(context))
	return err
}

// ReadForge gives what putForge kept. What is shown is nil where there is no row or it
// cannot be read: whoever takes the forge up makes it anew from the context, and says
// what is wrong with that.
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
