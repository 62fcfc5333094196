package tables

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// Store writes a batch inside the caller's transaction.
func (w *Writer) Store(batch *world.Batch) error {
	touched := map[string]world.Time{} // by conversation id, the new updatedAt of that conversation
	for i := range batch.Records {
		if err := w.storeRecord(&batch.Records[i], touched); err != nil {
			return contradiction(err, batch.Records[i].Event.Seq)
		}
	}
	for id, at := range touched {
		if err := w.TouchConversation(id, at); err != nil {
			return err
		}
	}
	return w.storeCommands(batch.Commands)
}

func (w *Writer) storeRecord(r *world.Record, touched map[string]world.Time) error {
	ev, frame := &r.Event, r.WithoutText()
	id, has := RowID(ev).(string)
	if err := w.insertEvent(&EventRow{
		Seq: ev.Seq, At: int64(ev.At), Type: ev.Body.EventType(), V: int64(max(ev.V, 1)), RequestID: ev.RequestID,
		TextAt: int64(r.TextAt), Sum: FrameSum(frame, r.TextAt, r.Text),
		MessageID: sql.NullString{String: id, Valid: has}, Frame: frame,
	}); err != nil {
		return err
	}
	return w.project(ev, r.Who, touched)
}

// contradiction adds the seq of an event to err, the error of storing the event. If the event contradicts stored
// rows, so that a retry cannot succeed, the result wraps world.ErrBroken.
func contradiction(err error, seq int64) error {
	if sqlite.Code(err) == sqlite3.SQLITE_CONSTRAINT && !errors.Is(err, sqlite.ErrIndex) {
		return fmt.Errorf("%w: event %d contradicts stored rows: %w", world.ErrBroken, seq, err)
	}
	return fmt.Errorf("event %d: %w", seq, err)
}

// CommandsFor is the time for which the answer to a command is stored (P6.2).
const CommandsFor = 24 * time.Hour

// storeCommands stores answers and deletes old ones: those more than a day older than the newest in rows, and
// the oldest beyond world.MaxCommandRows.
func (w *Writer) storeCommands(rows []world.CommandRow) error {
	var newest world.Time
	for _, c := range rows {
		newest = max(newest, c.At)
		if _, err := w.Exec(`INSERT OR REPLACE INTO commands (spectator_id, request_id, hash, at, reply)
			VALUES (?, ?, ?, ?, ?)`,
			c.SpectatorID, c.RequestID, c.Hash, int64(c.At), blob(c.Reply)); err != nil {
			return fmt.Errorf("store the answer to a command: %w", err)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if _, err := w.Exec("DELETE FROM commands WHERE at < ?", int64(newest)-CommandsFor.Milliseconds()); err != nil {
		return fmt.Errorf("delete old answers to commands: %w", err)
	}
	// n grows with each row, so this leaves at most MaxCommandRows rows, without counting them.
	if _, err := w.Exec("DELETE FROM commands WHERE n <= (SELECT max(n) FROM commands) - ?",
		world.MaxCommandRows); err != nil {
		return fmt.Errorf("delete old answers to commands: %w", err)
	}
	return nil
}

// blob returns nil for an empty slice, so that the column is NULL with every driver.
func blob(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}
