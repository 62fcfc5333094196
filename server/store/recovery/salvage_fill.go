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

// What can be restored from events alone: a row whose page is lost is shown as a row with a lost text, a
// conversation without a head gets the one that it began with, and a lost run ends as its events say.

// fill makes missing rows, runs and heads from their events. w is the world that the realm continues
// from.
func (s *salvage) fill(ctx context.Context, w *world.World) error {
	if err := s.findErased(ctx, w); err != nil {
		return err
	}
	f := &filling{s: s, made: map[string]bool{}, touched: map[string]world.Time{}}
	for after := s.floor - 1; ; {
		var page []tables.EventRow // a page, because no cursor may be open while rows are written
		if err := tables.EachEvent(ctx, s.w, after, true, func(tables.Span, error) {},
			func(e *tables.EventRow) (bool, error) {
				page = append(page, *e)
				return len(page) < fillPage, nil
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
		if f.made[headName(id)] {
			if err := s.w.TouchConversation(id, at); err != nil {
				return err
			}
		}
	}
	return s.adopt(ctx, w)
}

// fillPage is the number of events that are held at a time.
const fillPage = 500

// filling makes what is missing, one page of events at a time.
type filling struct {
	s       *salvage
	made    map[string]bool       // rows, runs and heads that were made of events: later events change them
	touched map[string]world.Time // conversation ids with the time at which something last happened
	// has contains those of the page's rows, runs and heads that the new journal has, by name. places has
	// the seqs that rows occupy there, hollow the rows that are open and empty.
	has    map[string]bool
	places map[int64]bool
	hollow map[string]bool
}

func rowName(id string) string              { return "row/" + id }
func runName(talk, requestID string) string { return "run/" + talk + "/" + requestID }
func headName(talk string) string           { return "head/" + talk }

// page makes what is missing for a page of consecutive events.
func (f *filling) page(ctx context.Context, page []tables.EventRow) error {
	events := make([]world.Event, len(page))
	var talks, rows, requests []string
	for i := range page {
		var err error
		if events[i], err = page[i].Event(); err != nil {
			return fmt.Errorf("event %d: %w", page[i].Seq, err)
		}
		if talk := world.ConversationOf(events[i].Body); talk != "" {
			talks = append(talks, talk)
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
	if err := f.look(ctx, talks, requests, rows, page[0].Seq, page[len(page)-1].Seq); err != nil {
		return err
	}
	for i := range events {
		talk := world.ConversationOf(events[i].Body)
		if talk != "" && world.Touches(events[i]) {
			f.touched[talk] = events[i].At
		}
		for _, c := range events[i].Changes() {
			if err := f.change(ctx, &page[i], talk, &events[i], c); err != nil {
				return fmt.Errorf("event %d: %w", page[i].Seq, err)
			}
		}
	}
	return nil
}

// look finds which rows, runs and heads of a page exist.
func (f *filling) look(ctx context.Context, talks, requests, rows []string, from, to int64) error {
	f.has, f.places, f.hollow = map[string]bool{}, map[int64]bool{}, map[string]bool{}
	heads, err := sqlite.Column[string](ctx, f.s.w,
		"SELECT conversation_id FROM conversations WHERE conversation_id IN (SELECT value FROM json_each(?))",
		sqlite.List(talks))
	if err != nil {
		return err
	}
	for _, id := range heads {
		f.has[headName(id)] = true
	}
	if err := sqlite.Each(ctx, f.s.w, func(rows *sql.Rows) error {
		var talk, request string
		err := rows.Scan(&talk, &request)
		f.has[runName(talk, request)] = true
		return err
	}, `SELECT conversation_id, request_id FROM runs WHERE conversation_id IN (SELECT value FROM json_each(?))
		AND request_id IN (SELECT value FROM json_each(?))`, sqlite.List(talks), sqlite.List(requests)); err != nil {
		return err
	}
	return sqlite.Each(ctx, f.s.w, func(rows *sql.Rows) error {
		var id string
		var seq int64
		var hollow bool
		err := rows.Scan(&id, &seq, &hollow)
		f.has[rowName(id)], f.places[seq], f.hollow[id] = true, true, hollow
		return err
	}, `SELECT message_id, seq, status = ? AND content = '' FROM messages
		WHERE message_id IN (SELECT value FROM json_each(?)) OR seq BETWEEN ? AND ?`,
		world.MessageOpen, sqlite.List(rows), from, to)
}

// change makes what is missing for one change, or applies the change to what earlier events made.
func (f *filling) change(ctx context.Context, e *tables.EventRow, talk string, ev *world.Event, c world.Change) error {
	fold := func() error { return f.s.w.Change(c, talk, ev) }
	later := func(name string) error {
		if !f.made[name] {
			return nil
		}
		return fold()
	}
	switch c := c.(type) {
	case world.Began:
		delete(f.touched, talk) // the conversation's own updatedAt counts
		return f.make(headName(talk), talk, fold)
	case world.StatusSet, world.TitleSet, world.TeamSet:
		return later(headName(talk))
	case world.RunBegan:
		return f.make(runName(talk, c.Run.RequestID), talk, fold)
	case world.RunActive:
		return later(runName(talk, c.RequestID))
	case world.RunEnded:
		return later(runName(talk, c.RequestID))
	case world.RowAdded:
		return f.row(ctx, e, talk, c.Row.MessageID, fold)
	case world.RowClosed:
		if f.hollow[c.Row.MessageID] { // its end was written to another page than the one that is left
			f.made[rowName(c.Row.MessageID)] = true
		}
		return f.row(ctx, e, talk, c.Row.MessageID, fold)
	case world.RowExtended:
		return later(rowName(c.MessageID))
	case world.ToolClosed:
		return f.row(ctx, e, talk, c.End.MessageID, fold)
	}
	return nil // forges are not made of events
}

// make makes a missing row, run or head, unless it was erased.
func (f *filling) make(name, talk string, make func() error) error {
	if f.s.erased[talk] || f.has[name] {
		return nil
	}
	f.made[name], f.has[name] = true, true
	return make()
}

// row writes a missing row, or one that an earlier event made. If the event has shown a text, that text is
// lost.
func (f *filling) row(ctx context.Context, e *tables.EventRow, talk, id string, write func() error) error {
	if f.s.erased[talk] {
		return nil
	}
	if !f.made[rowName(id)] {
		if f.has[rowName(id)] || f.places[e.Seq] {
			return nil
		}
		f.made[rowName(id)], f.has[rowName(id)], f.places[e.Seq] = true, true, true
	}
	if err := write(); err != nil || e.TextAt == 0 {
		return err
	}
	return f.s.markDamaged(ctx, id)
}

// findErased finds what was erased and must not be made again.
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

// adopt gives rows without a conversation a head: that of the process, or the head of an ended
// conversation.
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
	process := w.StandIn(w.ProcessState.ConversationID, s.r.now) // new rows need a conversation too
	if process != nil {
		known, err := sqlite.Column[int64](ctx, s.w, "SELECT n FROM conversations WHERE conversation_id = ?",
			process.ConversationID)
		if err == nil && len(known) == 0 {
			err = s.w.PutConversation(process)
		}
		if err != nil {
			return err
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
