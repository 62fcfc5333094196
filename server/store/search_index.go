package store

import (
	"context"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/shared/world"
)

// errIndex is a search index that does not take a row. The transcript goes on without.
var errIndex = errors.New("the search index is broken")

// maxSearchText is how many bytes of a row's text are searched.
const maxSearchText = 64 << 10

// searchText is what stands in the index of a row's text: as bytes, for a text may hold a
// NUL, and a word that is cut at the end is a word.
func searchText(text string) string { return text[:min(len(text), maxSearchText)] }

// index takes a row into the search index, once it is closed and says something. A
// journal whose index is broken goes on without; the next opening makes it anew.
func (w *writer) index(messageID, text string) error {
	if w.noIndex {
		return nil
	}
	_, err := w.exec("INSERT INTO search (rowid, conversation, content) SELECT seq, conversation_id, ? FROM messages WHERE message_id = ?", searchText(text), messageID)
	return indexError(err)
}

// unindex takes a row out of the search index, before its text is changed or it is deleted:
// the index must be told what it has of it. Where nobody can say any more what it has the
// index is of no use: errIndex.
func (w *writer) unindex(messageID any) error {
	if w.noIndex {
		return nil // dropIndex has emptied it, or the next opening makes it anew
	}
	rows, err := w.row(messageID)
	if err != nil || len(rows) == 0 {
		return err
	}
	return w.unindexRow(&rows[0])
}

// row is a row as it lies there, none where it is gone.
func (w *writer) row(messageID any) ([]world.Message, error) {
	return collect(context.Background(), w.conn, scanMessage, "SELECT "+messageColumns+" FROM messages m WHERE m.message_id = ?", messageID)
}

func (w *writer) unindexRow(m *world.Message) error {
	switch {
	case w.noIndex:
		return nil
	case m.Damaged:
		return fmt.Errorf("%w: row %s is damaged, so nobody knows what the index has of it", errIndex, m.MessageID)
	case m.Status == world.MessageOpen || m.Content == "":
		return nil
	}
	_, err := w.exec("INSERT INTO search (search, rowid, conversation, content) VALUES ('delete', ?, ?, ?)", m.Seq, m.ConversationID, searchText(m.Content))
	return indexError(err)
}

// rewriteRow changes a row of a transcript and what the search index has of it. text is the
// row's new one.
func (w *writer) rewriteRow(messageID any, text string, change func() error) error {
	rows, err := w.row(messageID)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := w.unindexRow(&rows[0]); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	content, packed := packText(text)
	// An open row lies open, as closedText has it.
	if _, err := w.exec(`UPDATE messages SET content = CASE status WHEN ?1 THEN ?2 ELSE ?3 END, packed = CASE status WHEN ?1 THEN NULL ELSE ?4 END
		WHERE message_id = ?5`, world.MessageOpen, text, content, packed, messageID); err != nil {
		return err
	}
	if err := w.seal(messageID, text, rows[0].Damaged); err != nil {
		return err
	}
	if w.noIndex || text == "" {
		return nil
	}
	_, err = w.exec("INSERT INTO search (rowid, conversation, content) SELECT seq, conversation_id, ? FROM messages WHERE message_id = ? AND status <> ?",
		searchText(text), messageID, world.MessageOpen)
	return err
}

func indexError(err error) error {
	if code := sqliteCode(err); code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_ERROR || code == sqlite3.SQLITE_CONSTRAINT {
		err = fmt.Errorf("%w: %w", errIndex, err)
	}
	return err
}

// fillSearch takes all rows into an index that is empty. One whose text is damaged is left
// out: it has no words.
func (w *writer) fillSearch() error {
	type row struct {
		seq  int64
		conv string
		text string
	}
	for after := int64(0); ; {
		var page []row // at most one text more than maxRowBytes
		rows, err := w.conn.QueryContext(context.Background(), `SELECT seq, message_id, conversation_id, content, packed FROM messages
			WHERE seq > ? AND status <> ? ORDER BY seq LIMIT 500`, after, world.MessageOpen)
		if err != nil {
			return err
		}
		seen := false
		for bytes := 0; bytes < maxRowBytes && rows.Next(); {
			var r row
			var id, content string
			var packed []byte
			if err := rows.Scan(&r.seq, &id, &r.conv, &content, &packed); err != nil {
				return errors.Join(damaged(err), rows.Close())
			}
			seen, after = true, r.seq
			text, err := unpackText(id, content, packed)
			if err == nil && text != "" {
				r.text = searchText(text)
				bytes += len(r.text)
				page = append(page, r)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil || !seen {
			return err
		}
		for _, r := range page {
			if _, err := w.exec("INSERT INTO search (rowid, conversation, content) VALUES (?, ?, ?)", r.seq, r.conv, r.text); err != nil {
				return err
			}
		}
	}
}
