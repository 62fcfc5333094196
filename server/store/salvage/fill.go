package salvage

import (
	"context"
	"database/sql"
	"fmt"

	"agentdungeon/server/store/erasure"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// The functions in this file restore what the salvage could not copy but events still report: rows of transcripts,
// heads of conversations (their rows in the table conversations) and runs. A restored row is marked as damaged if it
// had a text, because events do not have the texts. A restored head or run gets its first state, then the later
// changes that events report.

// findErased finds the conversations that were erased, so that nothing of them is restored.
func (j *Journal) findErased(ctx context.Context, w *world.World) error {
	for _, id := range w.Erased {
		j.erased[id] = true
	}
	historyErased := (*world.HistoryErased)(nil).EventType()
	if err := tables.EachEvent(ctx, j.w, j.Floor-1, true, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
		if e.Type != historyErased {
			return true, nil
		}
		ev, err := e.Event()
		if b, ok := ev.Body.(*world.HistoryErased); ok {
			for _, id := range b.Conversations {
				j.erased[id] = true
			}
		}
		return err == nil, err
	}); err != nil {
		return err
	}
	erasures, err := erasure.Read(ctx, j.w, "seq > 0")
	if err != nil {
		return nil // an unreadable table erasures is no loss: the history:erased events name the same ids
	}
	for _, e := range erasures {
		for _, id := range e.Note.Erasure.Conversations {
			j.erased[id] = true
		}
	}
	return nil
}

// pageEvents is the maximum number of events that fill holds in memory at a time.
const pageEvents = 500

// fill inserts missing rows, runs and heads from their events.
func (j *Journal) fill(ctx context.Context) error {
	f := &filler{j: j, restored: map[item]bool{}, touched: map[string]world.Time{}}
	for after := j.Floor - 1; ; {
		// The events are read into memory first, because no cursor may be open while rows are written.
		var page []tables.EventRow
		if err := tables.EachEvent(ctx, j.w, after, true, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
			page = append(page, *e)
			return len(page) < pageEvents, nil
		}); err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		after = page[len(page)-1].Seq
		if err := f.page(ctx, page); err != nil {
			return err
		}
	}
	for id, at := range f.touched {
		if f.restored[headItem(id)] {
			if err := j.w.TouchConversation(id, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// filler inserts the rows, runs and heads (rows of the table conversations) that the new journal lacks and that
// events report. It handles one page of events at a time.
type filler struct {
	j        *Journal
	restored map[item]bool         // the items that the filler has inserted; later events change only these
	touched  map[string]world.Time // time of the last event of each conversation, by id
	// The following fields describe the new journal, as far as the events of the page name its items: which items
	// exist, which seqs are taken by rows, and which rows are open and empty.
	exists   map[item]bool
	takenSeq map[int64]bool
	empty    map[string]bool // by message id
}

// item identifies a row, a run or the head of a conversation (its row in the table conversations).
type item struct{ kind, conversation, id string }

func rowItem(id string) item               { return item{"row", "", id} }
func runItem(conversation, id string) item { return item{"run", conversation, id} }
func headItem(conversation string) item    { return item{"head", conversation, ""} }

// page inserts the rows, runs and heads that the new journal lacks and that a page of consecutive events reports.
func (f *filler) page(ctx context.Context, page []tables.EventRow) error {
	events := make([]world.Event, len(page))
	var conversations, rows, requests []string
	for i := range page {
		var err error
		if events[i], err = page[i].Event(); err != nil {
			return fmt.Errorf("event %d: %w", page[i].Seq, err)
		}
		if id := world.ConversationOf(events[i].Body); id != "" {
			conversations = append(conversations, id)
		}
		for _, c := range events[i].Changes() {
			switch c := c.(type) {
			case world.RunBegan:
				requests = append(requests, c.Run.RequestID)
			case world.RowAdded:
				rows = append(rows, c.Row.MessageID)
			case world.RowClosed:
				rows = append(rows, c.Row.MessageID)
			case world.ToolClosed:
				rows = append(rows, c.End.MessageID)
			}
		}
	}
	if err := f.find(ctx, conversations, requests, rows, page[0].Seq, page[len(page)-1].Seq); err != nil {
		return err
	}
	for i := range events {
		id := world.ConversationOf(events[i].Body)
		if id != "" && world.Touches(events[i]) {
			f.touched[id] = events[i].At
		}
		for _, c := range events[i].Changes() {
			if err := f.change(&page[i], id, &events[i], c); err != nil {
				return fmt.Errorf("event %d: %w", page[i].Seq, err)
			}
		}
	}
	return nil
}

// find finds which of the rows, runs and heads of a page exist.
func (f *filler) find(ctx context.Context, conversations, requests, rows []string, from, to int64) error {
	f.exists, f.takenSeq, f.empty = map[item]bool{}, map[int64]bool{}, map[string]bool{}
	heads, err := sqlite.Column[string](ctx, f.j.w,
		"SELECT conversation_id FROM conversations WHERE conversation_id IN (SELECT value FROM json_each(?))",
		sqlite.List(conversations))
	if err != nil {
		return err
	}
	for _, id := range heads {
		f.exists[headItem(id)] = true
	}
	if err := sqlite.Each(ctx, f.j.w, func(rows *sql.Rows) error {
		var conversation, request string
		err := rows.Scan(&conversation, &request)
		f.exists[runItem(conversation, request)] = true
		return err
	}, `SELECT conversation_id, request_id FROM runs WHERE conversation_id IN (SELECT value FROM json_each(?))
		AND request_id IN (SELECT value FROM json_each(?))`, sqlite.List(conversations), sqlite.List(requests)); err != nil {
		return err
	}
	return sqlite.Each(ctx, f.j.w, func(rows *sql.Rows) error {
		var id string
		var seq int64
		var empty bool
		err := rows.Scan(&id, &seq, &empty)
		f.exists[rowItem(id)], f.takenSeq[seq], f.empty[id] = true, true, empty
		return err
	}, `SELECT message_id, seq, status = ? AND content = '' FROM messages
		WHERE message_id IN (SELECT value FROM json_each(?)) OR seq BETWEEN ? AND ?`,
		world.MessageOpen, sqlite.List(rows), from, to)
}

// change applies one change of an event to the new journal. If the change begins an item that is missing, it
// inserts the item. Any other change is applied only to an item that an earlier event restored.
func (f *filler) change(e *tables.EventRow, conversation string, ev *world.Event, c world.Change) error {
	apply := func() error { return f.j.w.Change(c, conversation, ev) }
	applyTo := func(it item) error {
		if !f.restored[it] {
			return nil
		}
		return apply()
	}
	switch c := c.(type) {
	case world.Began:
		delete(f.touched, conversation) // the inserted head already has the time of its last change
		return f.restore(headItem(conversation), conversation, apply)
	case world.StatusSet, world.TitleSet, world.TeamSet:
		return applyTo(headItem(conversation))
	case world.RunBegan:
		return f.restore(runItem(conversation, c.Run.RequestID), conversation, apply)
	case world.RunActive:
		return applyTo(runItem(conversation, c.RequestID))
	case world.RunEnded:
		return applyTo(runItem(conversation, c.RequestID))
	case world.RowAdded:
		return f.restoreRow(e, conversation, c.Row.MessageID, apply)
	case world.RowClosed:
		// The event closes the row with a text. An open and empty row was copied from an older copy of its page.
		if f.empty[c.Row.MessageID] {
			f.restored[rowItem(c.Row.MessageID)] = true
		}
		return f.restoreRow(e, conversation, c.Row.MessageID, apply)
	case world.RowExtended:
		return applyTo(rowItem(c.MessageID))
	case world.ToolClosed:
		return f.restoreRow(e, conversation, c.End.MessageID, apply)
	}
	return nil // forges cannot be restored from events
}

// restore inserts a missing run or head, unless its conversation was erased.
func (f *filler) restore(it item, conversation string, insert func() error) error {
	if f.j.erased[conversation] || f.exists[it] {
		return nil
	}
	f.restored[it], f.exists[it] = true, true
	return insert()
}

// restoreRow calls write, which inserts a missing row or changes a row that an earlier event restored. It does
// nothing if the row was copied or if its conversation was erased. If the event has shown a text, the text is
// lost, and restoreRow marks the row as damaged.
func (f *filler) restoreRow(e *tables.EventRow, conversation, id string, write func() error) error {
	if f.j.erased[conversation] {
		return nil
	}
	if it := rowItem(id); !f.restored[it] {
		if f.exists[it] || f.takenSeq[e.Seq] {
			return nil
		}
		f.restored[it], f.exists[it], f.takenSeq[e.Seq] = true, true, true
	}
	if err := write(); err != nil || e.TextAt == 0 {
		return err
	}
	return f.j.markDamaged(id)
}
