package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// maxSearchText is the maximum number of bytes of a row's text that are indexed.
const maxSearchText = 64 << 10

// SearchText returns the part of a text that is indexed: its first maxSearchText bytes, even if they end within a
// word.
func SearchText(text string) string { return text[:min(len(text), maxSearchText)] }

// index adds a closed row with a text to the search index. It does nothing if NoIndex is set.
func (w *Transcripts) index(messageID, text string) error {
	if w.NoIndex {
		return nil
	}
	_, err := w.Exec(`INSERT INTO search (rowid, conversation, content)
		SELECT seq, conversation_id, ? FROM messages WHERE message_id = ?`, SearchText(text), messageID)
	return IndexError(err)
}

// Row returns a row as it is stored, in a list that is empty if there is no row with that id.
func (w *Transcripts) Row(messageID any) ([]world.Message, error) {
	return sqlite.Collect(context.Background(), w, ScanMessage,
		"SELECT "+MessageColumns+" FROM messages m WHERE m.message_id = ?", messageID)
}

// UnindexRow removes a row from the search index. The caller changes the row's text or deletes the row only
// afterwards, because FTS5 needs the words that the index has of the row. If these words are unknown, the index
// cannot be used any more, and UnindexRow returns ErrIndex (wrapped).
func (w *Transcripts) UnindexRow(m *world.Message) error {
	switch {
	case w.NoIndex: // nothing is to be removed: DropIndex has emptied the index, or the next opening rebuilds it
		return nil
	case m.Damaged:
		return fmt.Errorf("%w: row %s is damaged, so its words in the index are unknown", sqlite.ErrIndex, m.MessageID)
	case m.Status == world.MessageOpen || m.Content == "":
		return nil
	}
	_, err := w.Exec("INSERT INTO search (search, rowid, conversation, content) VALUES ('delete', ?, ?, ?)", m.Seq,
		m.ConversationID, SearchText(m.Content))
	return IndexError(err)
}

// RewriteRow changes a row of a transcript: it calls change, stores the new text and replaces the row's words in
// the search index.
func (w *Transcripts) RewriteRow(messageID any, text string, change func() error) error {
	rows, err := w.Row(messageID)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := w.UnindexRow(&rows[0]); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	content, packed := PackText(text)
	// The text of an open row is not packed (see closedText).
	if _, err := w.Exec(`UPDATE messages SET content = CASE status WHEN ?1 THEN ?2 ELSE ?3 END,
			packed = CASE status WHEN ?1 THEN NULL ELSE ?4 END
		WHERE message_id = ?5`, world.MessageOpen, text, content, packed, messageID); err != nil {
		return err
	}
	if err := w.Seal(messageID, text, rows[0].Damaged); err != nil {
		return err
	}
	if w.NoIndex || text == "" {
		return nil
	}
	_, err = w.Exec(`INSERT INTO search (rowid, conversation, content)
		SELECT seq, conversation_id, ? FROM messages WHERE message_id = ? AND status <> ?`,
		SearchText(text), messageID, world.MessageOpen)
	return err
}

// IndexError wraps err in sqlite.ErrIndex if err is an error of FTS5 that means a broken index. Otherwise it
// returns err.
func IndexError(err error) error {
	if ofIndex(err) {
		err = fmt.Errorf("%w: %w", sqlite.ErrIndex, err)
	}
	return err
}

func ofIndex(err error) bool {
	codes := []int{sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT}
	return slices.Contains(codes, sqlite.Code(err))
}

// FillSearch adds all rows to an empty index. It skips rows whose text is damaged, because their words
// are unknown.
func (w *Transcripts) FillSearch() error {
	type row struct {
		seq  int64
		conv string
		text string
	}
	for after := int64(0); ; {
		var page []row // the texts of a page exceed MaxRowBytes by at most one text
		rows, err := w.QueryContext(context.Background(), `SELECT seq, message_id, conversation_id, content, packed
			FROM messages WHERE seq > ? AND status <> ? ORDER BY seq LIMIT 500`, after, world.MessageOpen)
		if err != nil {
			return err
		}
		seen := false
		for bytes := 0; bytes < MaxRowBytes && rows.Next(); {
			var r row
			var id, content string
			var packed []byte
			if err := rows.Scan(&r.seq, &id, &r.conv, &content, &packed); err != nil {
				return errors.Join(sqlite.Damaged(err), rows.Close())
			}
			seen, after = true, r.seq
			text, err := UnpackText(id, content, packed)
			if err == nil && text != "" {
				r.text = SearchText(text)
				bytes += len(r.text)
				page = append(page, r)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil || !seen {
			return err
		}
		for _, r := range page {
			if _, err := w.Exec("INSERT INTO search (rowid, conversation, content) VALUES (?, ?, ?)", r.seq, r.conv,
				r.text); err != nil {
				return err
			}
		}
	}
}

// MaybeIndex reports whether a broken search index may be the cause of a failed commit: FTS5 refused a row
// (ErrIndex), or the transaction failed at its end, when FTS5 writes, with a code that FTS5 returns too.
func MaybeIndex(err error) bool {
	return errors.Is(err, sqlite.ErrIndex) || !errors.Is(err, world.ErrBroken) && ofIndex(err)
}
