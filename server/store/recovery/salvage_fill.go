package recovery

import (
	"context"
	"database/sql"
	"fmt"

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
	w := f.s.w
	switch b := ev.Body.(type) {
	case *world.ConversationStarted:
		return f.make(ctx, "head/"+b.Conversation.ConversationID, b.Conversation.ConversationID,
			"SELECT count(*) FROM conversations WHERE conversation_id = ?", []any{b.Conversation.ConversationID}, func() error {
				return w.PutConversation(&b.Conversation)
			})
	case *world.ConversationStatus:
		return f.later("head/"+b.ConversationID, &ev)
	case *world.ConversationRenamed:
		return f.later("head/"+b.ConversationID, &ev)
	case *world.ConversationTeam:
		return f.later("head/"+b.ConversationID, &ev)
	case *world.ChatStarted:
		if err := f.make(ctx, "run/"+b.ConversationID+"/"+b.RequestID, b.ConversationID,
			"SELECT count(*) FROM runs WHERE conversation_id = ? AND request_id = ?", []any{b.ConversationID,
				b.RequestID}, func() error {
				return w.InsertRun(b, &ev)
			}); err != nil || b.Message == nil {
			return err
		}
		return f.row(ctx, e, b.ConversationID, b.Message.MessageID,
			func() error { return w.InsertMessage(b.Message, ev.Seq) })
	case *world.ChatDone:
		return f.later("run/"+b.ConversationID+"/"+b.RequestID, &ev)
	case *world.ChatError:
		return f.later("run/"+b.ConversationID+"/"+b.RequestID, &ev)
	case *world.ChatCancelled:
		return f.later("run/"+b.ConversationID+"/"+b.RequestID, &ev)
	case *world.SegmentStarted:
		return f.row(ctx, e, b.ConversationID, b.MessageID, func() error { return w.Transcribe(&ev, f.touched) })
	case *world.SegmentClosed:
		if err := f.unclosed(ctx, b.Message.MessageID); err != nil {
			return err
		}
		return f.row(ctx, e, b.ConversationID, b.Message.MessageID,
			func() error { return w.CloseMessage(&b.Message, ev.Seq) })
	case *world.MessageAdded:
		return f.row(ctx, e, b.ConversationID, b.Message.MessageID,
			func() error { return w.InsertMessage(&b.Message, ev.Seq) })
	case *world.ToolStart:
		return f.row(ctx, e, b.ConversationID, b.MessageID, func() error { return w.Transcribe(&ev, f.touched) })
	case *world.ToolOutput:
		return f.later("row/"+b.MessageID, &ev)
	case *world.ToolEnd:
		return f.row(ctx, e, b.ConversationID, b.MessageID, func() error { return w.EndTool(b, &ev) })
	}
	return nil
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

// later folds an event into what was made of earlier ones.
func (f *filling) later(name string, ev *world.Event) error {
	if !f.made[name] {
		return nil
	}
	return f.s.w.Transcribe(ev, f.touched)
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
		WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.conversation_id = m.conversation_id) GROUP BY conversation_id ORDER BY min(seq) LIMIT 10000`)
	if err != nil {
		return err
	}
	of := &origin{world: w, savedAt: s.r.now}
	process := processConversation(of)
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
		c := &world.Conversation{
			ConversationID: o.id, Kind: world.KindChat, Title: "Recovered conversation", Status: world.ConversationCompleted,
			CreatedAt: world.Time(o.from), UpdatedAt: world.Time(o.to), EndedAt: world.Time(o.to),
		}
		if o.id == w.Party.ConversationID {
			c.Kind, c.Status, c.EndedAt = world.KindParty, world.ConversationPaused, 0
		}
		if c.Team.Members, err = sqlite.Collect(ctx, s.w, func(rows *sql.Rows) (m world.Member, err error) {
			err = rows.Scan(&m.ID, &m.Name)
			m.DisplayName, m.Role, m.Type, m.Color = m.Name, m.ID, world.KindAgent, "#808080"
			return m, err
		}, `SELECT member_id, max(name) FROM messages WHERE conversation_id = ? AND role = ? AND member_id <> '' GROUP BY member_id ORDER BY min(seq) LIMIT 64`,
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
