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

// maxSearchText is how many bytes of a row's text are searched.
const maxSearchText = 64 << 10

// SearchText is what stands in the index of a row's text: as bytes, for a text may hold a
// NUL, and a word that is cut at the end is a word.
func SearchText(text string) string { return text[:min(len(text), maxSearchText)] }

// index takes a row into the search index, once it is closed and says something. A
// journal whose index is broken goes on without; the next opening makes it anew.
func (w *Transcripts) index(messageID, text string) error {
	if w.NoIndex {
		return nil
	}
	_, err := w.Exec(`INSERT INTO search (rowid, conversation, content)
		SELECT seq, conversation_id, ? FROM messages WHERE message_id = ?`, SearchText(text), messageID)
	return IndexError(err)
}

// Unindex takes a row out of the search index, before its text is changed or it is deleted:
// the index must be told what it has of it. Where nobody can say any more what it has the
// index is of no use: ErrIndex.
func (w *Transcripts) Unindex(messageID any) error {
	if w.NoIndex {
		return nil // DropIndex has emptied it, or the next opening makes it anew
	}
	rows, err := w.Row(messageID)
	if err != nil || len(rows) == 0 {
		return err
	}
	return w.UnindexRow(&rows[0])
}

// Row is a row as it lies there, none where it is gone.
func (w *Transcripts) Row(messageID any) ([]world.Message, error) {
	return sqlite.Collect(context.Background(), w, ScanMessage,
		"SELECT "+MessageColumns+" FROM messages m WHERE m.message_id = ?", messageID)
}

func (w *Transcripts) UnindexRow(m *world.Message) error {
	switch {
	case w.NoIndex:
		return nil
	case m.Damaged:
		return fmt.Errorf("%w: row %s is damaged, so nobody knows what the index has of it", sqlite.ErrIndex, m.MessageID)
	case m.Status == world.MessageOpen || m.Content == "":
		return nil
	}
	_, err := w.Exec("INSERT INTO search (search, rowid, conversation, content) VALUES ('delete', ?, ?, ?)", m.Seq,
		m.ConversationID, SearchText(m.Content))
	return IndexError(err)
}

// RewriteRow changes a row of a transcript and what the search index has of it. text is the
// row's new one.
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
	// An open row lies open, as closedText has it.
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

// IndexError wraps what FTS5 says of a broken index as sqlite.ErrIndex.
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

// FillSearch takes all rows into an index that is empty. One whose text is damaged is left
// out: it has no words.
func (w *Transcripts) FillSearch() error {
	type row struct {
		seq  int64
		conv string
		text string
	}
	for after := int64(0); ; {
		var page []row // at most one text more than MaxRowBytes
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

// MaybeIndex says whether a broken search index may be why a commit failed: FTS5 tells
// of it in these ways, the last three when the transaction ends. It writes then.
func MaybeIndex(err error) bool {
	return errors.Is(err, sqlite.ErrIndex) || !errors.Is(err, world.ErrBroken) && ofIndex(err)
}
