package erasure

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/kinds"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// The scope of an erasure is read from the tables before they are redacted: the conversations to delete, the names and
// words of a person, and the quotations to look for.

// ScopeErasure computes the scope of an erasure, which is everything that the erasure covers, and stores it in the
// erasure's row. The parameter names has further names of the person; bare is set if the realm has no linked folder.
func (x *Eraser) ScopeErasure(ctx context.Context, e world.Erasure, names []string, bare bool) (s world.Scope,
	err error) {
	defer x.noteDamage(&err)
	s = world.Scope{Conversations: slices.Clone(e.Conversations), Person: e.SpectatorID, Names: slices.Clone(names),
		Runs: map[string][]world.Span{}, Bare: bare}
	err = x.j.View(func(db *sql.DB) error {
		return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) error { return scope(ctx, q, x.j.Floor(), &s) })
	})
	if err != nil {
		return s, fmt.Errorf("compute the scope of an erasure: %w", err)
	}
	return s, x.store("store the scope of an erasure", Note{Erasure: e, Scope: &s},
		"UPDATE erasures SET receipt = ?1 WHERE erasure_id = ?2 AND seq = 0", e.ErasureID)
}

// scope fills in the fields of s, the scope of an erasure, from the tables.
func scope(ctx context.Context, q sqlite.Queryer, floor int64, s *world.Scope) error {
	if s.Person != "" {
		// A chat or a forge of this person alone is deleted whole, because its answers are about the person's words.
		// The team is searched as text, because a damaged team is no JSON and may still name the person.
		const spoke = "EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.conversation_id AND m.spectator_id "
		own, err := sqlite.Column[string](ctx, q, `SELECT conversation_id FROM conversations c
			WHERE kind IN (SELECT value FROM json_each(?1))
			AND (instr(team, ?4) > 0 OR `+spoke+`= ?3))
			AND (kind IN (SELECT value FROM json_each(?2)) AND `+spoke+`= ?3) OR NOT `+spoke+`NOT IN ('', ?3)))`,
			kindsWith(func(r conversation.Rules) bool { return r.Recent }),
			kindsWith(func(r conversation.Rules) bool { return r.Context }), s.Person, `"`+s.Person+`"`)
		if err != nil {
			return err
		}
		s.Conversations = append(s.Conversations, own...)
		if s.Begun, err = sqlite.Column[string](ctx, q,
			"SELECT DISTINCT conversation_id FROM audit WHERE action = ? AND who = ? AND conversation_id <> ''",
			action[*world.ConversationStarted](), s.Person); err != nil {
			return err
		}
		if s.Titled, err = sqlite.Column[string](ctx, q, `SELECT DISTINCT conversation_id FROM audit a
			WHERE action = ?1 AND who = ?2 AND NOT EXISTS
				(SELECT 1 FROM audit b WHERE b.action = ?1 AND b.conversation_id = a.conversation_id AND b.n > a.n)`,
			action[*world.ConversationRenamed](), s.Person); err != nil {
			return err
		}
		if err := personScope(ctx, q, floor, s); err != nil {
			return err
		}
	}
	var err error
	if s.Saving, err = saving(ctx, q, s.Conversations); err != nil {
		return err
	}
	begun, err := begunWith(ctx, q, floor, s.Begun)
	if err != nil {
		return err
	}
	s.Words = append(s.Words, begun...)
	if s.ConversationWords, err = begunWith(ctx, q, floor, s.Conversations); err != nil {
		return err
	}
	if err := conversationScope(ctx, q, s); err != nil {
		return err
	}
	if err := setBacks(ctx, q, floor, s); err != nil {
		return err
	}
	if floor <= 1 {
		return nil
	}
	first := int64(0) // time of the first event that the journal keeps
	if err := tables.EachEvent(ctx, q, floor-1, true, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
		first = e.At
		return false, nil
	}); err != nil {
		return err
	}
	before, err := sqlite.Column[string](ctx, q, `SELECT conversation_id FROM conversations
		WHERE kind IN (SELECT value FROM json_each(?)) AND created_at <= ? ORDER BY n DESC LIMIT 1`, staged(), first)
	if len(before) > 0 {
		s.Process = before[0]
	}
	return err
}

// conversationScope adds to s what people said in the erased conversations, and the times of these conversations'
// runs and processes.
func conversationScope(ctx context.Context, q sqlite.Queryer, s *world.Scope) error {
	said := 0
	for _, id := range s.Conversations {
		if err := sqlite.Each(ctx, q, func(rows *sql.Rows) error {
			m, err := tables.ScanMessage(rows)
			if said += len(m.Content); said <= world.MaxQuotes {
				s.ConversationWords = append(s.ConversationWords, m.Content)
			}
			return err
		}, "SELECT "+tables.MessageColumns+
			" FROM messages m WHERE m.conversation_id = ? AND m.role = ? ORDER BY m.seq DESC", id, world.RoleUser); err != nil {
			return err
		}
		spans, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (v world.Span, err error) {
			err = rows.Scan((*int64)(&v.From), (*int64)(&v.To))
			return v, err
		}, `SELECT created_at,
			ifnull((SELECT min(n2.created_at) FROM conversations n2 WHERE n2.kind = c.kind AND n2.n > c.n), 0)
			FROM conversations c WHERE conversation_id = ? AND kind IN (SELECT value FROM json_each(?))`, id, staged())
		if err != nil {
			return err
		}
		s.Processes = append(s.Processes, spans...)
		if err := runSpans(ctx, q, s,
			"SELECT member_id, started_at, ended_at FROM runs WHERE conversation_id = ? ORDER BY started_at", id); err != nil {
			return err
		}
	}
	return nil
}

// saving returns the conversations that were writing a skill, by the name of the skill.
func saving(ctx context.Context, q sqlite.Queryer, conversations []string) (map[string]string, error) {
	out := map[string]string{}
	return out, sqlite.Each(ctx, q, func(rows *sql.Rows) error {
		var id string
		var raw []byte
		var f world.Forge
		err := rows.Scan(&id, &raw)
		if err == nil && json.Unmarshal(raw, &f) == nil && f.Saves() != "" {
			out[f.Saves()] = id
		}
		return err
	}, `SELECT conversation_id, CAST(shown AS BLOB) FROM forges
		WHERE conversation_id IN (SELECT value FROM json_each(?))`, sqlite.List(conversations))
}

// kindsWith returns the kinds of conversation for whose rules match returns true, encoded for json_each.
func kindsWith(match func(conversation.Rules) bool) string { return sqlite.List(kinds.With(match)) }

// staged returns the kinds of conversations whose rows and runs belong to stages, encoded for json_each.
func staged() string { return kindsWith(func(r conversation.Rules) bool { return r.Staged }) }

// begunWith returns the tasks and problems that people entered when they began the conversations with the given ids.
// No row of a transcript contains these words.
func begunWith(ctx context.Context, q sqlite.Queryer, floor int64, ids []string) (out []string, err error) {
	size := 0
	add := func(words string) {
		if size += len(words); size <= world.MaxQuotes && words != "" && words != world.ErasedName {
			out = append(out, words)
		}
	}
	const these = "conversation_id IN (SELECT value FROM json_each(?))"
	if err := sqlite.Each(ctx, q, func(rows *sql.Rows) error {
		c, err := tables.ScanConversation(rows)
		add(c.TaskPrompt)
		return err
	}, "SELECT "+tables.ConversationColumns+" FROM conversations WHERE "+these, sqlite.List(ids)); err != nil {
		return nil, err
	}
	started, err := audited[*world.ProcessStarted](ctx, q, floor, these, sqlite.List(ids))
	for _, b := range started {
		add(b.Problem)
	}
	return out, err
}

// action returns the name under which the audit records events of the type T.
func action[T world.Body]() string {
	var none T
	return none.EventType()
}

// audited returns the events of the type T to which rows of the audit refer. It leaves out events that the journal no
// longer has or that cannot be read. The parameter where is a constant SQL condition that selects the rows.
func audited[T world.Body](ctx context.Context, q sqlite.Queryer, floor int64, where string, args ...any) ([]T, error) {
	seqs, err := sqlite.Column[int64](ctx, q, "SELECT seq FROM audit WHERE action = ? AND "+where,
		append([]any{action[T]()}, args...)...)
	if err != nil {
		return nil, err
	}
	var out []T
	for _, seq := range seqs {
		if seq < floor || seq == 0 {
			continue // the row names no event, or the journal has trimmed the event
		}
		ev, err := eventAt(ctx, q, seq)
		if err != nil {
			return nil, err
		}
		if ev == nil {
			continue
		}
		if b, ok := ev.Body.(T); ok {
			out = append(out, b)
		}
	}
	return out, nil
}

// personScope adds a person's names and words to s. It adds at most world.MaxQuotes bytes of words, so quotations
// of any further words are not found. The person's own rows are redacted in any case.
func personScope(ctx context.Context, q sqlite.Queryer, floor int64, s *world.Scope) error {
	called := map[string]bool{}
	for _, n := range s.Names {
		called[n] = true
	}
	sessions, err := sessionsOf(ctx, q, s.Person)
	if err != nil {
		return err
	}
	size := 0
	said := func(words string) {
		if size += len(words); size <= world.MaxQuotes && words != "" {
			s.Words = append(s.Words, words)
		}
	}
	// Every row is examined, because a damaged row may name another person; then only its checksum shows who said it.
	if err := sqlite.Each(ctx, q, func(rows *sql.Rows) error {
		m, err := tables.ScanStored(rows)
		if err != nil || !m.SaidBy(s.Person) {
			return err
		}
		if k := sessions[m.ConversationID]; k != nil { // in a session, the row has the name of the role that the person took
			if task := k.Task(m.Content); task != "" {
				s.Tasks = append(s.Tasks, task)
			}
		} else if !m.HeadDamaged() {
			called[m.Name] = true
		}
		if m.RequestID != "" {
			s.AskedRuns = append(s.AskedRuns, m.ConversationID+"/"+m.RequestID)
		}
		said(m.Content)
		return nil
	}, "SELECT "+tables.MessageColumns+" FROM messages m ORDER BY m.seq DESC"); err != nil {
		return err
	}
	if err := namesInEvents(ctx, q, floor, s.Person, called, said); err != nil {
		return err
	}
	if err := reasons(ctx, q, floor, s); err != nil {
		return err
	}
	heads, err := sqlite.Collect(ctx, q, tables.ScanConversation,
		"SELECT "+tables.ConversationColumns+" FROM conversations WHERE instr(team, ?) > 0", `"`+s.Person+`"`)
	if err != nil {
		return err
	}
	for _, h := range heads {
		if m := h.Member(s.Person); m != nil {
			called[m.DisplayName] = true
		}
	}
	s.Names = s.Names[:0]
	for name := range called {
		if name != "" && name != world.ErasedName {
			s.Names = append(s.Names, name)
		}
	}
	slices.Sort(s.Names)
	return nil
}

// sessionsOf returns the conversations in which a person spoke and whose kind can take a task from a person's
// words. It returns each conversation's kind as a kind.Tasker, by conversation id.
func sessionsOf(ctx context.Context, q sqlite.Queryer, person string) (map[string]kind.Tasker, error) {
	out := map[string]kind.Tasker{}
	for name, k := range kind.NewSet(kinds.All()).All {
		tasker, ok := k.(kind.Tasker)
		if !ok {
			continue
		}
		ids, err := sqlite.Column[string](ctx, q, `SELECT conversation_id FROM conversations c WHERE kind = ? AND EXISTS
			(SELECT 1 FROM messages m WHERE m.conversation_id = c.conversation_id AND m.spectator_id = ?)`, name, person)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			out[id] = tasker
		}
	}
	return out, nil
}

// namesInEvents finds the names and words of a person that only events contain, and no row of a transcript. It adds
// the names to the map called, and calls the function said with the words.
func namesInEvents(ctx context.Context, q sqlite.Queryer, floor int64, person string, called map[string]bool,
	said func(string)) error {
	return tables.EachEvent(ctx, q, floor-1, true, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
		if !world.FactsOf(e.Type).Names() {
			return true, ctx.Err()
		}
		ev, err := e.Event()
		if err != nil {
			return true, nil // the event is removed as a whole: see redaction.events
		}
		for _, n := range world.Named(ev.Body) {
			if n.SpectatorID == person {
				called[n.Name] = true
				if n.Said != "" {
					said(n.Said)
				}
			}
		}
		return true, nil
	})
}

// reasons adds to s the sentences in which the server reported that the person paused, stopped or ended a
// conversation. The sentences contain the person's name. The audit shows which conversations they are, because it has
// the person's id.
func reasons(ctx context.Context, q sqlite.Queryer, floor int64, s *world.Scope) error {
	var err error
	if s.Reasons, err = sqlite.Column[string](ctx, q, `SELECT reason FROM conversations c WHERE reason <> ''
		AND EXISTS (SELECT 1 FROM audit a WHERE a.conversation_id = c.conversation_id AND action = ? AND who = ?)`,
		action[*world.ConversationStatus](), s.Person); err != nil {
		return err
	}
	events, err := audited[*world.ConversationStatus](ctx, q, floor, "who = ?", s.Person)
	if err != nil {
		return err
	}
	for _, b := range events {
		if b.Reason != "" {
			s.Reasons = append(s.Reasons, b.Reason)
		}
	}
	slices.Sort(s.Reasons)
	s.Reasons = slices.Compact(s.Reasons)
	return nil
}
