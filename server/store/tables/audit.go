package tables

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	add := func(conversation, before, after, note string) error {
		return w.AddAudit(world.AuditRow{
			At: ev.At, Seq: ev.Seq, Action: ev.Body.EventType(), ConversationID: conversation, Who: who, Before: before, After: after, Note: note,
		})
	}
	switch b := ev.Body.(type) {
	case *world.ConversationStarted:
		return add(b.Conversation.ConversationID, "", b.Conversation.Status, b.Conversation.Kind)
	case *world.ConversationStatus:
		before, err := w.statusOf(b.ConversationID)
		if err != nil || before == b.Status {
			return err
		}
		return add(b.ConversationID, before, b.Status, "")
	case *world.ConversationRenamed:
		return add(b.ConversationID, "", "", "")
	case *world.ForgeStepped:
		for _, m := range b.Moves {
			if err := add(b.ConversationID, m.From, m.To, ""); err != nil {
				return err
			}
		}
	case *world.RealmRestored:
		return add("", "", b.Source, fmt.Sprintf("to %d, %d runs interrupted", b.RestoredTo, b.InterruptedRuns))
	case *world.SessionRestored:
		return add(b.ConversationID, "", "", fmt.Sprintf("%d messages", b.MessageCount))
	case *world.TeamReady:
		return add(b.ConversationID, "", b.Team.ID, "")
	case *world.HistoryErased:
		note := b.SpectatorID
		if len(b.Conversations) > 1 || b.SpectatorID != "" {
			note = strings.TrimSpace(note + " " + strconv.Itoa(len(b.Conversations)) + " conversations")
		}
		return add(b.ConversationID, "", b.Reason, note)
	case *world.SettingsUpdated:
		return w.auditSettings(ev, who, b.Settings)
	case *world.ProcessStarted:
		return add(b.ConversationID, "", world.StatusRunning, b.TemplateID)
	case *world.ProcessPaused:
		return add("", "", world.StatusPaused, "")
	case *world.ProcessResumed:
		return add("", "", world.StatusRunning, "")
	case *world.ProcessCompleted:
		return add("", "", world.StatusCompleted, "")
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
