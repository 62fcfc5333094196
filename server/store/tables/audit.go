package tables

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// auditKept is the number of audit rows that a realm keeps; older rows are deleted.
const auditKept = 100_000

// audit adds the audit rows of an event, in the transaction of the event (S1-19). The parameter who is the id of the
// person who caused it, "" for the server. The rows have ids instead of names and no words of a transcript, so an
// erasure does not change them.
func (w *Writer) audit(ev *world.Event, who string) error {
	who = cmp.Or(who, "server")
	for _, n := range world.AuditNotes(ev.Body) {
		if n.Settings != nil {
			if err := w.auditSettings(ev, who, *n.Settings); err != nil {
				return err
			}
			continue
		}
		if n.Changed {
			before, err := w.statusOf(n.ConversationID)
			if err != nil {
				return err
			}
			if before == n.After {
				continue
			}
			n.Before = before
		}
		if err := w.AddAudit(world.AuditRow{
			At: ev.At, Seq: ev.Seq, Action: ev.Body.EventType(), ConversationID: n.ConversationID,
			Who: cmp.Or(n.Who, who), Before: n.Before, After: n.After, Note: n.Note,
		}); err != nil {
			return err
		}
	}
	return nil
}

// statusOf returns the status of a conversation, or "" if the id is unknown.
func (w *Writer) statusOf(conversationID string) (status string, err error) {
	err = sqlite.One(context.Background(), w, []any{&status},
		"SELECT ifnull((SELECT status FROM conversations WHERE conversation_id = ?), '')", conversationID)
	return status, err
}

// auditSettings records each changed setting as JSON values. The values before the change come from
// MetaSettings, because no table has the settings.
func (w *Writer) auditSettings(ev *world.Event, who string, s world.Settings) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	var now, before map[string]json.RawMessage
	if err := json.Unmarshal(raw, &now); err != nil {
		return fmt.Errorf("decode settings: %w", err)
	}
	known, err := ReadMeta(context.Background(), w, MetaSettings)
	if err != nil {
		return err
	}
	last := []byte(known)
	if len(last) == 0 {
		if last, err = json.Marshal(world.DefaultSettings()); err != nil {
			return fmt.Errorf("encode settings: %w", err)
		}
	}
	if err := json.Unmarshal(last, &before); err != nil {
		before = nil // the stored settings are damaged, so the audit rows do not have the values before the change
	}
	for _, k := range slices.Sorted(maps.Keys(now)) {
		if string(now[k]) == string(before[k]) {
			continue
		}
		if err := w.AddAudit(world.AuditRow{At: ev.At, Seq: ev.Seq, Action: ev.Body.EventType(), Who: who,
			Before: string(before[k]), After: string(now[k]), Note: k}); err != nil {
			return err
		}
	}
	return w.SetMeta(MetaSettings, string(raw))
}

// AddAudit adds a row to the audit and from time to time deletes all but the newest auditKept rows.
func (w *Writer) AddAudit(a world.AuditRow) error {
	res, err := w.Exec(`INSERT INTO audit (at, seq, action, conversation_id, who, before, after, note)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		int64(a.At), a.Seq, a.Action, a.ConversationID, a.Who, a.Before, a.After, a.Note)
	if err != nil {
		return err
	}
	n, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if n%1000 == 0 { // only every 1,000th row deletes old ones, because counting for each row would be slow
		_, err = w.Exec("DELETE FROM audit WHERE n <= ?", n-auditKept)
	}
	return err
}
