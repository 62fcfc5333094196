package salvage

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"agentdungeon/server/kinds"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// mendHeads corrects the copied rows of the table conversations. It replaces an unknown kind by kinds.Recovered and an
// unknown status by completed, and empties a team or a subject whose JSON is invalid.
func (j *Journal) mendHeads(ctx context.Context) error {
	type head struct {
		n                         int64
		kind, status, team, about string
	}
	heads, err := sqlite.Collect(ctx, j.w, func(rows *sql.Rows) (h head, err error) {
		err = rows.Scan(&h.n, &h.kind, &h.status, &h.team, &h.about)
		return h, err
	}, "SELECT n, kind, status, team, about FROM conversations")
	if err != nil {
		return err
	}
	for _, h := range heads {
		was := h
		if !kinds.Known(h.kind) {
			h.kind = kinds.Recovered
		}
		if !slices.Contains(world.ConversationStatuses, h.status) {
			h.status = world.ConversationCompleted
		}
		var team world.Team
		if json.Unmarshal([]byte(h.team), &team) != nil || team.Members == nil {
			h.team = `{"id":"","name":"","members":[]}`
		}
		if h.about != "" && json.Unmarshal([]byte(h.about), new(world.About)) != nil {
			h.about = ""
		}
		if h == was {
			continue
		}
		j.Heads++
		if _, err := j.w.Exec("UPDATE conversations SET kind = ?, status = ?, team = ?, about = ? WHERE n = ?", h.kind,
			h.status, h.team, h.about, h.n); err != nil {
			return err
		}
	}
	return nil
}

// addHeads inserts a row in the table conversations (a head) for each conversation that has rows of a transcript but no
// head. For the world's process and party it takes the head from the world. Any other conversation becomes an ended one
// of the kind kinds.Recovered.
func (j *Journal) addHeads(ctx context.Context, w *world.World, now world.Time) error {
	type orphan struct {
		id          string
		first, last world.Time // the times of the conversation's first and last row
	}
	orphans, err := sqlite.Collect(ctx, j.w, func(rows *sql.Rows) (o orphan, err error) {
		err = rows.Scan(&o.id, (*int64)(&o.first), (*int64)(&o.last))
		return o, err
	}, `SELECT conversation_id, min(at), max(at) FROM messages m
		WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.conversation_id = m.conversation_id)
		GROUP BY conversation_id ORDER BY min(seq) LIMIT 10000`)
	if err != nil {
		return err
	}
	// The process goes on, so the conversation must exist even if it has no rows.
	process := w.StandIn(w.ProcessState.ConversationID, now)
	if process != nil {
		known, err := sqlite.Column[int64](ctx, j.w, "SELECT n FROM conversations WHERE conversation_id = ?",
			process.ConversationID)
		if err == nil && len(known) == 0 {
			err = j.w.PutConversation(process)
		}
		if err != nil {
			return err
		}
	}
	for _, o := range orphans {
		if process != nil && process.ConversationID == o.id {
			continue
		}
		c := w.StandIn(o.id, now)
		if c == nil {
			c = &world.Conversation{ConversationID: o.id, Kind: kinds.Recovered, Status: world.ConversationCompleted,
				EndedAt: o.last}
		}
		c.Title, c.CreatedAt, c.UpdatedAt = "Recovered conversation", o.first, o.last
		members, err := sqlite.Collect(ctx, j.w, func(rows *sql.Rows) (m world.Member, err error) {
			err = rows.Scan(&m.ID, &m.Name)
			m.DisplayName, m.Role, m.Type, m.Color = m.Name, m.ID, world.KindAgent, "#808080"
			return m, err
		}, `SELECT member_id, max(name) FROM messages WHERE conversation_id = ? AND role = ? AND member_id <> ''
			GROUP BY member_id ORDER BY min(seq) LIMIT 64`,
			o.id, world.RoleAssistant)
		if err != nil {
			return err
		}
		c.Team.Members = append([]world.Member{}, members...)
		if err := j.w.PutConversation(c); err != nil {
			return err
		}
	}
	return nil
}
