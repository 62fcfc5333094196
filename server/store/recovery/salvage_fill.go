package recovery

import (
	"context"
	"database/sql"
	"fmt"

	"agentdungeon/server/kinds"
	"agentdungeon/server/store/erasure"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// What only events still tell of: a row whose page is gone is shown as a row whose text is
// lost, a conversation whose head is gone has the one that it began with, a run that is gone
// ends as its events say.

// fill makes rows, runs and heads of the events that have none. w is the world that the realm
// goes on from.
func (s *salvage) fill(ctx context.Context, w *world.World) error {
	if err := s.findErased(ctx, w); err != nil {
		return err
	}
	f := &filling{s: s, made: map[string]bool{}, touched: map[string]world.Time{}}
	for after := s.floor - 1; ; {
		var page []tables.EventRow // no cursor is open while rows are written
		if err := tables.EachEvent(ctx, s.w, after, true, func(tables.Span, error) {},
			func(e *tables.EventRow) (bool, error) {
				page = append(page, *e)
				return len(page) < fillPage, nil
			}); err != nil {
			return err
		}
		for i := range page {
			if err := f.event(ctx, &page[i]); err != nil {
				return fmt.Errorf("event %d: %w", page[i].Seq, err)
			}
			after = page[i].Seq
		}
		if len(page) == 0 {
			break
		}
	}
	for id, at := range f.touched {
		if f.made["head/"+id] {
			if err := s.w.TouchConversation(id, at); err != nil {
				return err
			}
		}
	}
	return s.adopt(ctx, w)
}

// fillPage is how many events are held at a time.
const fillPage = 500

// filling makes what is missing, event by event.
type filling struct {
	s       *salvage
	made    map[string]bool       // rows, runs and heads that were made of events: later events change them
	touched map[string]world.Time // conversations, by when something last happened in them
}

func (f *filling) event(ctx context.Context, e *tables.EventRow) error {
	ev, err := e.Event()
	if err != nil {
		return err
	}
	talk := world.ConversationOf(ev.Body)
	if talk != "" && world.Touches(ev) {
		f.touched[talk] = ev.At
	}
	for _, c := range ev.Changes() {
		if err := f.change(ctx, e, talk, &ev, c); err != nil {
			return err
		}
	}
	return nil
}

// change makes what is missing of one change, or folds it into what was made of earlier ones.
func (f *filling) change(ctx context.Context, e *tables.EventRow, talk string, ev *world.Event, c world.Change) error {
	fold := func() error { return f.s.w.Change(c, talk, ev) }
	later := func(name string) error {
		if !f.made[name] {
			return nil
		}
		return fold()
	}
	run := func(requestID string) string { return "run/" + talk + "/" + requestID }
	switch c := c.(type) {
	case world.Began:
		delete(f.touched, talk) // its own updatedAt counts
		return f.make(ctx, "head/"+talk, talk,
			"SELECT count(*) FROM conversations WHERE conversation_id = ?", []any{talk}, fold)
	case world.StatusSet, world.TitleSet, world.TeamSet:
		return later("head/" + talk)
	case world.RunBegan:
		return f.make(ctx, run(c.Run.RequestID), talk,
			"SELECT count(*) FROM runs WHERE conversation_id = ? AND request_id = ?", []any{talk, c.Run.RequestID}, fold)
	case world.RunActive:
		return later(run(c.RequestID))
	case world.RunEnded:
		return later(run(c.RequestID))
	case world.RowAdded:
		return f.row(ctx, e, talk, c.Row.MessageID, fold)
	case world.RowClosed:
		if err := f.unclosed(ctx, c.Row.MessageID); err != nil {
			return err
		}
		return f.row(ctx, e, talk, c.Row.MessageID, fold)
	case world.RowExtended:
		return later("row/" + c.MessageID)
	case world.ToolClosed:
		return f.row(ctx, e, talk, c.End.MessageID, fold)
	}
	return nil // forges are not made of events
}

// make makes something that count does not find, unless it was erased.
func (f *filling) make(ctx context.Context, name, talk, count string, args []any, make func() error) error {
	if f.s.erased[talk] {
		return nil
	}
	if there, err := f.s.there(ctx, count, args...); err != nil || there {
		return err
	}
	f.made[name] = true
	return make()
}

// row writes a row that is missing, or one that an earlier event made. Its text is lost where
// the event has shown one.
func (f *filling) row(ctx context.Context, e *tables.EventRow, talk, id string, write func() error) error {
	if f.s.erased[talk] {
		return nil
	}
	if !f.made["row/"+id] {
		there, err := f.s.there(ctx, "SELECT count(*) FROM messages WHERE message_id = ? OR seq = ?", id, e.Seq)
		if err != nil || there {
			return err
		}
		f.made["row/"+id] = true
	}
	if err := write(); err != nil || e.TextAt == 0 {
		return err
	}
	return f.s.markDamaged(ctx, id)
}

// unclosed notes a row whose end was written to another page than the one that is left.
func (f *filling) unclosed(ctx context.Context, id string) error {
	open, err := f.s.there(ctx, "SELECT count(*) FROM messages WHERE message_id = ? AND status = ? AND content = ''", id,
		world.MessageOpen)
	if open {
		f.made["row/"+id] = true
	}
	return err
}

// findErased finds what was erased: it is not made again.
func (s *salvage) findErased(ctx context.Context, w *world.World) error {
	for _, id := range w.Erased {
		s.erased[id] = true
	}
	if err := tables.EachEvent(ctx, s.w, s.floor-1, true, func(tables.Span, error) {},
		func(e *tables.EventRow) (bool, error) {
			if e.Type != new(world.HistoryErased).EventType() {
				return true, nil
			}
			ev, err := e.Event()
			if b, ok := ev.Body.(*world.HistoryErased); ok {
				for _, id := range b.Conversations {
					s.erased[id] = true
				}
			}
			return err == nil, err
		}); err != nil {
		return err
	}
	erasures, err := erasure.Read(ctx, s.w, "seq > 0")
	if err != nil {
		return nil // the events have said it
	}
	for _, e := range erasures {
		for _, id := range e.Note.Erasure.Conversations {
			s.erased[id] = true
		}
	}
	return nil
}

// adopt gives rows whose conversation is gone a head to stand under: that of the process, or
// one of a talk that has ended.
func (s *salvage) adopt(ctx context.Context, w *world.World) error {
	type orphan struct {
		id       string
		from, to int64
	}
	orphans, err := sqlite.Collect(ctx, s.w, func(rows *sql.Rows) (o orphan, err error) {
		err = rows.Scan(&o.id, &o.from, &o.to)
		return o, err
	}, `SELECT conversation_id, min(at), max(at) FROM messages m
		WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.conversation_id = m.conversation_id)
		GROUP BY conversation_id ORDER BY min(seq) LIMIT 10000`)
	if err != nil {
		return err
	}
	process := w.StandIn(w.ProcessState.ConversationID, s.r.now) // new rows need a place too
	if process != nil {
		there, err := s.there(ctx, "SELECT count(*) FROM conversations WHERE conversation_id = ?", process.ConversationID)
		if err != nil {
			return err
		}
		if !there {
			if err := s.w.PutConversation(process); err != nil {
				return err
			}
		}
	}
	for _, o := range orphans {
		if process != nil && process.ConversationID == o.id {
			continue
		}
		c := w.StandIn(o.id, s.r.now)
		if c == nil {
			c = &world.Conversation{ConversationID: o.id, Kind: kinds.Recovered, Status: world.ConversationCompleted,
				EndedAt: world.Time(o.to)}
		}
		c.Title, c.CreatedAt, c.UpdatedAt = "Recovered conversation", world.Time(o.from), world.Time(o.to)
		if c.Team.Members, err = sqlite.Collect(ctx, s.w, func(rows *sql.Rows) (m world.Member, err error) {
			err = rows.Scan(&m.ID, &m.Name)
			m.DisplayName, m.Role, m.Type, m.Color = m.Name, m.ID, world.KindAgent, "#808080"
			return m, err
		}, `SELECT member_id, max(name) FROM messages WHERE conversation_id = ? AND role = ? AND member_id <> ''
			GROUP BY member_id ORDER BY min(seq) LIMIT 64`,
			o.id, world.RoleAssistant); err != nil {
			return err
		}
		if c.Team.Members == nil {
			c.Team.Members = []world.Member{}
		}
		if err := s.w.PutConversation(c); err != nil {
			return err
		}
	}
	return nil
}
