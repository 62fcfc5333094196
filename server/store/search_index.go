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

// unindex takes a closed row out of the search index, before its text is changed or it is
// deleted: the index is told what it holds of it.
func (w *writer) unindex(m *world.Message) error {
	if w.noIndex || m.Status == world.MessageOpen || m.Content == "" {
		return nil
	}
	_, err := w.exec("INSERT INTO search (search, rowid, conversation, content) VALUES ('delete', ?, ?, ?)", m.Seq, m.ConversationID, searchText(m.Content))
	return indexError(err)
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
