package erasure

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"agentdungeon/server/forge"
	"agentdungeon/server/party"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// What an erasure is of, read from the tables while they still say it: conversations that
// go whole, names and words of a person, the quotations that are looked for.

// ScopeErasure finds out what an erasure is of, while the tables still say it, and notes
// it beside the intent. names are further ones that the person has.
func (x *Eraser) ScopeErasure(ctx context.Context, e world.Erasure, names []string, bare bool) (s world.Scope,
	err error) {
	defer x.meets(&err)
	s = world.Scope{Talks: slices.Clone(e.Conversations), Person: e.SpectatorID, Names: slices.Clone(names),
		Runs: map[string][]world.Span{}, Bare: bare}
	err = x.j.View(func(db *sql.DB) error {
		return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) error { return scope(ctx, q, x.j.Floor(), &s) })
	})
	if err != nil {
		return s, fmt.Errorf("find out what an erasure is of: %w", err)
	}
	raw, err := json.Marshal(Note{Erasure: e, Scope: &s})
	if err != nil {
		return s, fmt.Errorf("note what an erasure is of: %w", err)
	}
	return s, x.j.Amend("note what an erasure is of", func(w *tables.Writer) error {
		_, err := w.Exec("UPDATE erasures SET receipt = ? WHERE erasure_id = ? AND seq = 0", string(raw), e.ErasureID)
		return err
	})
}

// scope fills in s from the tables.
func scope(ctx context.Context, q sqlite.Queryer, floor int64, s *world.Scope) error {
	text := func(rows *sql.Rows) (v string, err error) { err = rows.Scan(&v); return v, err }
	if s.Person != "" {
		// A chat or a forge of this person alone goes whole: what it says is about theirs.
		own, err := sqlite.Collect(ctx, q, text, `SELECT conversation_id FROM conversations c WHERE kind IN (?1, ?2)
			AND (instr(team, ?4) > 0 OR EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.conversation_id AND m.spectator_id = ?3))
			AND (kind = ?2 AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.conversation_id AND m.spectator_id = ?3)
				OR NOT EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.conversation_id AND m.spectator_id NOT IN ('', ?3)))`,
			world.KindChat, world.KindForge, s.Person, `"`+s.Person+`"`)
		if err != nil {
			return err
		}
		s.Talks = append(s.Talks, own...)
		if s.Begun, err = sqlite.Collect(ctx, q, text,
			"SELECT DISTINCT conversation_id FROM audit WHERE action = ? AND who = ? AND conversation_id <> ''",
			tables.AuditStarted, s.Person); err != nil {
			return err
		}
		if s.Titled, err = sqlite.Collect(ctx, q, text, `SELECT DISTINCT conversation_id FROM audit a WHERE action = ?1 AND who = ?2
			AND NOT EXISTS (SELECT 1 FROM audit b WHERE b.action = ?1 AND b.conversation_id = a.conversation_id AND b.n > a.n)`,
			tables.AuditRenamed, s.Person); err != nil {
			return err
		}
		if err := personScope(ctx, q, floor, s); err != nil {
			return err
		}
	}
	var err error
	if s.Saving, err = saving(ctx, q, s.Talks); err != nil {
		return err
	}
	begun, err := begunWith(ctx, q, floor, s.Begun)
	if err != nil {
		return err
	}
	s.Words = append(s.Words, begun...)
	if s.Said, err = begunWith(ctx, q, floor, s.Talks); err != nil {
		return err
	}
	if err := talksScope(ctx, q, s); err != nil {
		return err
	}
	if err := setBacks(ctx, q, floor, s); err != nil {
		return err
	}
	if floor <= 1 {
		return nil
	}
	first := int64(0) // when the first event that is kept was
	if err := tables.EachEvent(ctx, q, floor-1, true, passOver, func(e *tables.EventRow) (bool, error) {
		first = e.At
		return false, nil
	}); err != nil {
		return err
	}
	before, err := sqlite.Collect(ctx, q, text, `SELECT conversation_id FROM conversations WHERE kind = ?
		AND created_at <= ? ORDER BY n DESC LIMIT 1`, world.KindProcess, first)
	if len(before) > 0 {
		s.Process = before[0]
	}
	return err
}

// talksScope finds what was said in the conversations that go, and when their runs and processes were.
func talksScope(ctx context.Context, q sqlite.Queryer, s *world.Scope) error {
	said := 0
	for _, id := range s.Talks {
		if _, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (struct{}, error) {
			m, err := tables.ScanMessage(rows)
			if said += len(m.Content); said <= world.MaxQuotes {
				s.Said = append(s.Said, m.Content)
			}
			return struct{}{}, err
		}, "SELECT "+tables.MessageColumns+" FROM messages m WHERE m.conversation_id = ? AND m.role = ? ORDER BY m.seq DESC", id, world.RoleUser); err != nil {
			return err
		}
		spans, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (v world.Span, err error) {
			err = rows.Scan((*int64)(&v.From), (*int64)(&v.To))
			return v, err
		}, `SELECT created_at, ifnull((SELECT min(n2.created_at) FROM conversations n2 WHERE n2.kind = ?2 AND n2.n > c.n), 0)
			FROM conversations c WHERE conversation_id = ?1 AND kind = ?2`, id, world.KindProcess)
		if err != nil {
			return err
		}
		s.Processes = append(s.Processes, spans...)
		if _, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (struct{}, error) {
			var member string
			var v world.Span
			err := rows.Scan(&member, (*int64)(&v.From), (*int64)(&v.To))
			s.Runs[member] = append(s.Runs[member], v)
			return struct{}{}, err
		}, "SELECT member_id, started_at, ended_at FROM runs WHERE conversation_id = ? ORDER BY started_at", id); err != nil {
			return err
		}
	}
	return nil
}

// saving are the forges that were writing a skill, by its name.
func saving(ctx context.Context, q sqlite.Queryer, talks []string) (map[string]string, error) {
	list, err := json.Marshal(talks)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	_, err = sqlite.Collect(ctx, q, func(rows *sql.Rows) (struct{}, error) {
		var id string
		var raw []byte
		var f world.Forge
		err := rows.Scan(&id, &raw)
		if err == nil && json.Unmarshal(raw, &f) == nil && f.State == string(forge.Saving) && f.Skill != "" {
			out[f.Skill] = id
		}
		return struct{}{}, err
	}, "SELECT conversation_id, CAST(shown AS BLOB) FROM forges WHERE conversation_id IN (SELECT value FROM json_each(?))", string(list))
	return out, err
}

// begunWith are the tasks and problems that conversations were begun with: people said
// them, and no row has them.
func begunWith(ctx context.Context, q sqlite.Queryer, floor int64, ids []string) (out []string, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	size := 0
	add := func(words string) {
		if size += len(words); size <= world.MaxQuotes && words != "" && words != world.ErasedName {
			out = append(out, words)
		}
	}
	const these = "conversation_id IN (SELECT value FROM json_each(?))"
	if _, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (struct{}, error) {
		c, err := tables.ScanConversation(rows)
		add(c.TaskPrompt)
		return struct{}{}, err
	}, "SELECT "+tables.ConversationColumns+" FROM conversations WHERE "+these, string(list)); err != nil {
		return nil, err
	}
	started, err := audited(ctx, q, floor, "action = 'process:started' AND "+these, string(list))
	for _, b := range started {
		if p, ok := b.(*world.ProcessStarted); ok {
			add(p.Problem)
		}
	}
	return out, err
}

// audited are the events that the audit tells of, as far as they are kept and can be read;
// where is a constant of this package.
func audited(ctx context.Context, q sqlite.Queryer, floor int64, where string, args ...any) ([]world.Body, error) {
	seqs, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (seq int64, err error) {
		err = rows.Scan(&seq)
		return seq,
			err
	},
		"SELECT seq FROM audit WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	var out []world.Body
	for _, seq := range seqs {
		if seq < floor || seq == 0 {
			continue // trimmed
		}
		ev, err := eventAt(ctx, q, seq)
		if err != nil {
			return nil, err
		}
		if ev != nil {
			out = append(out, ev.Body)
		}
	}
	return out, nil
}

// personScope finds a person's names and words. What does not fit in world.MaxQuotes is
// not looked for where others quote it; their rows go all the same.
func personScope(ctx context.Context, q sqlite.Queryer, floor int64, s *world.Scope) error {
	called := map[string]bool{}
	for _, n := range s.Names {
		called[n] = true
	}
	parties, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (id string, err error) {
		err = rows.Scan(&id)
		return id,
			err
	},
		"SELECT DISTINCT conversation_id FROM conversations c WHERE kind = ? AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.conversation_id AND m.spectator_id = ?)",
		world.KindParty, s.Person)
	if err != nil {
		return err
	}
	size := 0
	said := func(words string) {
		if size += len(words); size <= world.MaxQuotes && words != "" {
			s.Words = append(s.Words, words)
		}
	}
	// Each row is looked at: a damaged one may name somebody else, and its sum knows who said it.
	if _, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (struct{}, error) {
		m, err := tables.ScanStored(rows)
		if err != nil || !m.SaidBy(s.Person) {
			return struct{}{}, err
		}
		if slices.Contains(parties, m.ConversationID) { // its name is that of the place they took
			if task, _ := party.Read(m.Content); task.Task != nil && *task.Task != "" {
				s.Tasks = append(s.Tasks, *task.Task)
			}
		} else if !m.HeadDamaged() {
			called[m.Name] = true
		}
		if m.RequestID != "" {
			s.Asked = append(s.Asked, m.ConversationID+"/"+m.RequestID)
		}
		said(m.Content)
		return struct{}{}, nil
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

// namesInEvents finds what a person was called, and said in passing, where no row says it.
func namesInEvents(ctx context.Context, q sqlite.Queryer, floor int64, person string, called map[string]bool,
	said func(string)) error {
	id := []byte(`"` + person + `"`)
	return tables.EachEvent(ctx, q, floor-1, true, passOver, func(e *tables.EventRow) (bool, error) {
		if !world.FactsOf(e.Type).Names() {
			return true, ctx.Err()
		}
		if !bytes.Contains(e.Frame, id) {
			return true, nil
		}
		ev, err := e.Event()
		if err != nil {
			return true, nil // it goes as a whole: see redaction.events
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

// reasons finds what the server wrote about what a person paused, stopped or ended: the
// audit knows that it was them, the sentence has only their name.
func reasons(ctx context.Context, q sqlite.Queryer, floor int64, s *world.Scope) error {
	const theirs = "action = 'conversation.status' AND who = ?"
	found, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (v string, err error) { err = rows.Scan(&v); return v, err },
		"SELECT reason FROM conversations c WHERE reason <> '' AND EXISTS (SELECT 1 FROM audit a WHERE a.conversation_id = c.conversation_id AND "+theirs+")", s.Person)
	if err != nil {
		return err
	}
	s.Reasons = found
	events, err := audited(ctx, q, floor, theirs, s.Person)
	if err != nil {
		return err
	}
	for _, b := range events {
		if b, ok := b.(*world.ConversationStatus); ok && b.Reason != "" {
			s.Reasons = append(s.Reasons, b.Reason)
		}
	}
	slices.Sort(s.Reasons)
	s.Reasons = slices.Compact(s.Reasons)
	return nil
}
