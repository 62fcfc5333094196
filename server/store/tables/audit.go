package tables

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// auditKept is how many rows of the audit a realm keeps; the oldest go.
const auditKept = 100_000

// Actions by which erasing finds what a person began, and which titles they gave.
const (
	AuditStarted = "conversation.started"
	AuditRenamed = "conversation.renamed"
)

// audit notes who changed what in the transaction of the event that says so (S1-19): never
// what was said, names only as ids. An erasure leaves it as it is.
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
			Who: who, Before: n.Before, After: n.After, Note: n.Note,
		}); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) statusOf(conversationID string) (string, error) {
	found, err := sqlite.Collect(context.Background(), w, func(rows *sql.Rows) (s string,
		err error) {
		err = rows.Scan(&s)
		return s, err
	},
		"SELECT status FROM conversations WHERE conversation_id = ?", conversationID)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0], nil
}

// auditSettings notes each setting that changed, as JSON values. The one before is what
// the audit itself last knew: settings stand in no table.
func (w *Writer) auditSettings(ev *world.Event, who string, s world.Settings) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	var now, before map[string]json.RawMessage
	if err := json.Unmarshal(raw, &now); err != nil {
		return fmt.Errorf("decode settings: %w", err)
	}
	var last []byte
	if rows, err := sqlite.Collect(context.Background(), w, func(rows *sql.Rows) (v []byte,
		err error) {
		err = rows.Scan(&v)
		return v, err
	},
		"SELECT value FROM meta WHERE key = ?", MetaSettings); err != nil {
		return err
	} else if len(rows) > 0 {
		last = rows[0]
	}
	if len(last) == 0 {
		if last, err = json.Marshal(world.DefaultSettings()); err != nil {
			return fmt.Errorf("encode settings: %w", err)
		}
	}
	if err := json.Unmarshal(last, &before); err != nil {
		before = nil // only what was is not known
	}
	keys := make([]string, 0, len(now))
	for k := range now {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
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

func (w *Writer) AddAudit(a world.AuditRow) error {
	res, err := w.Exec("INSERT INTO audit (at, seq, action, conversation_id, who, before, after, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		int64(a.At), a.Seq, a.Action, a.ConversationID, a.Who, a.Before, a.After, a.Note)
	if err != nil {
		return err
	}
	n, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if n%1000 == 0 { // not with each row
		_, err = w.Exec("DELETE FROM audit WHERE n <= ?", n-auditKept)
	}
	return err
}
