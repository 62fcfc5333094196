package history

import (
	"context"
	"database/sql"
	"fmt"

	"agentdungeon/server/conversation"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Conversations returns a page of the list of conversations, the last updated first. The page has at most q.Limit
// (1 to wire.MaxListed) conversations. more reports whether there is another page. The next page begins with
// conversations that were updated before the last one of this page. So conversations with the same time of update
// are never on two pages, unless they fill a whole page.
func (r *Reader) Conversations(ctx context.Context, q world.ConversationQuery) (page []world.ConversationInfo,
	more bool, err error) {
	limit := q.Limit
	if limit <= 0 || limit > wire.MaxListed {
		limit = wire.MaxListed
	}
	before := int64(q.Before)
	if before <= 0 {
		before = 1 << 62
	}
	page, err = Collect(ctx, r, func(rows *sql.Rows) (c world.ConversationInfo, err error) {
		c.Conversation, err = tables.ScanHead(rows, &c.Messages)
		return c, err
	}, "SELECT "+tables.ConversationColumns+`,
			(SELECT count(*) FROM messages m WHERE m.conversation_id = c.conversation_id)
		FROM conversations c WHERE (? = '' OR kind = ?) AND (? = '' OR status = ?)
			AND (updated_at < ? OR updated_at = ? AND ? <> '' AND conversation_id > ?)
		ORDER BY updated_at DESC, conversation_id LIMIT ?`,
		q.Kind, q.Kind, q.Status, q.Status, before, before, q.BeforeID, q.BeforeID, limit+1)
	if err != nil {
		return nil, false, fmt.Errorf("list conversations: %w", err)
	}
	if more = len(page) > limit; more {
		next := page[limit].UpdatedAt
		page = page[:limit]
		for n := limit; n > 0 && page[0].UpdatedAt != next; n-- {
			if page[n-1].UpdatedAt != next {
				page = page[:n]
				break
			}
		}
	}
	return page, more, nil
}

// Sessions returns at most limit committed sessions of a team, the last updated first. It leaves out sessions in
// which nothing was said.
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

// Audit returns audit rows, oldest first: those that were written at the time since or later and whose N is greater
// than after. It returns at most limit (1 to 1,000) rows. To get the next rows, pass the N of the last row as after.
func (r *Reader) Audit(ctx context.Context, since world.Time, after int64, limit int) (out []world.AuditRow,
	err error) {
	if limit <= 0 || limit > MaxReadRows {
		limit = MaxReadRows
	}
	out, err = Collect(ctx, r, func(rows *sql.Rows) (a world.AuditRow, err error) {
		err = rows.Scan(&a.N, (*int64)(&a.At), &a.Seq, &a.Action, &a.ConversationID, &a.Who, &a.Before, &a.After, &a.Note)
		return a, err
	}, `SELECT n, at, seq, action, conversation_id, who, before, after, note
		FROM audit WHERE at >= ? AND n > ? ORDER BY n LIMIT ?`, int64(since), after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	return out, nil
}
