package history

import (
	"context"
	"database/sql"
	"fmt"

	"agentdungeon/server/conversation"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Sessions returns the committed sessions of a team in which something was said, the last updated first:
// at most limit of them.
func (r *Reader) Sessions(ctx context.Context, teamID string, limit int) (out []world.SessionInfo, err error) {
	const spoken = "m.conversation_id = c.conversation_id AND m.role IN (?2, ?3) AND m.status <> ?4"
	err = r.handle.View(func(db *sql.DB) error {
		return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) error {
			out, err = sqlite.Collect(ctx, q, func(rows *sql.Rows) (s world.SessionInfo, err error) {
				s.Conversation, err = tables.ScanHead(rows, &s.Spoken)
				return s, err
			}, "SELECT "+tables.ConversationColumns+", (SELECT count(*) FROM messages m WHERE "+spoken+`) FROM conversations c
				WHERE kind IN (SELECT value FROM json_each(?1)) AND json_extract(team, '$.id') = ?5
				AND EXISTS (SELECT 1 FROM messages m WHERE `+spoken+`)
				ORDER BY updated_at DESC, n DESC LIMIT ?6`,
				kindsWith(func(r conversation.Rules) bool { return r.Sessions }),
				world.RoleUser, world.RoleAssistant, world.MessageOpen, teamID, limit)
			if err != nil {
				return err
			}
			for i := range out {
				first, err := sqlite.Collect(ctx, q, tables.ScanMessage, "SELECT "+tables.MessageColumns+` FROM messages m
					WHERE m.conversation_id = ? AND m.role IN (?, ?) AND m.status <> ? ORDER BY m.seq LIMIT 1`,
					out[i].ConversationID, world.RoleUser, world.RoleAssistant, world.MessageOpen)
				if err != nil {
					return err
				}
				if len(first) > 0 {
					out[i].First = first[0]
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the sessions of team %s: %w", teamID, err)
	}
	return out, nil
}
