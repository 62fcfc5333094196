package history

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kinds"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Limits of the rows that an opening loads.
const (
	maxLive      = 1000   // live conversations; the settings allow at most 32 of them
	maxLoadRuns  = 10_000 // runs of one conversation: those of its current stage and the unfinished ones
	maxStageRows = 512    // newest rows of the current stage, as many as conversation.State holds in memory
)

// ReadCommands returns the answers to commands of the last day, oldest first.
func ReadCommands(ctx context.Context, q sqlite.Queryer, now world.Time) ([]world.CommandRow, error) {
	rows, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (c world.CommandRow, err error) {
		err = rows.Scan(&c.SpectatorID, &c.RequestID, &c.Hash, (*int64)(&c.At), &c.Reply)
		return c, err
	}, `SELECT spectator_id, request_id, hash, at, reply FROM commands WHERE at >= ? ORDER BY n DESC LIMIT ?`,
		int64(now)-tables.CommandsFor.Milliseconds(), world.MaxCommandRows)
	if err != nil {
		return nil, fmt.Errorf("read commands: %w", err)
	}
	slices.Reverse(rows)
	return rows, nil
}

// LoadConversations returns the conversations that an opening loads into memory, in the order in which they began:
//
//   - those in ids
//   - live ones with a run that the previous opening did not end
//   - the other live ones, except those that conversation.Rules leave on disk
//
// If there are more than maxLive, it takes those in ids first, then active ones, then those with such a run, then the
// newest. Of the process p it loads only the current stage.
func LoadConversations(ctx context.Context, q sqlite.Queryer, p *world.ProcessState,
	ids ...string) ([]world.SavedConversation, error) {
	const running = "EXISTS (SELECT 1 FROM runs r WHERE r.conversation_id = c.conversation_id AND r." +
		tables.UnderWay + ")"
	live := "status IN ('" + strings.Join([]string{world.ConversationActive, world.ConversationQueued,
		world.ConversationPaused, world.ConversationInterrupted}, "', '") + "')"
	heads, err := sqlite.Collect(ctx, q, tables.ScanConversation, "SELECT "+tables.ConversationColumns+`
		FROM conversations WHERE n IN (
			SELECT n FROM conversations c WHERE conversation_id IN (SELECT value FROM json_each(?1)) OR `+live+` AND (
				kind NOT IN (SELECT value FROM json_each(?2) UNION ALL SELECT value FROM json_each(?3))
				OR n IN (SELECT n FROM (
					SELECT n, row_number() OVER (PARTITION BY kind ORDER BY updated_at DESC, n DESC) AS place
					FROM conversations WHERE kind IN (SELECT value FROM json_each(?2)) AND `+live+`) WHERE place <= ?4)
				OR `+running+`)
			ORDER BY conversation_id IN (SELECT value FROM json_each(?1)) DESC, status = 'active' DESC, `+running+` DESC,
				n DESC LIMIT ?5)
		ORDER BY n`,
		sqlite.List(ids), kindsWith(func(r conversation.Rules) bool { return r.Recent }),
		kindsWith(func(r conversation.Rules) bool { return r.Sessions }), wire.ViewChats, maxLive)
	if err != nil {
		return nil, fmt.Errorf("read conversations: %w", err)
	}
	out := make([]world.SavedConversation, len(heads))
	for i, head := range heads {
		var stage stageRef
		if s := p.Stage(); s != nil && head.ConversationID == p.ConversationID {
			stage = stageRef{sql.NullString{String: s.ID, Valid: true}, p.StageAttempt}
		}
		if out[i], err = loadConversation(ctx, q, head, stage); err != nil {
			return nil, fmt.Errorf("read conversation %s: %w", head.ConversationID, err)
		}
	}
	return out, nil
}

// Conversation returns a conversation of any status as LoadConversations returns it. For a process it loads the stage
// of the newest turn. It returns world.ErrNoConversation (wrapped) if there is none with that id.
func (r *Reader) Conversation(ctx context.Context, id string) (c world.SavedConversation, err error) {
	err = r.handle.View(func(db *sql.DB) error {
		return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) error {
			heads, err := sqlite.Collect(ctx, q, tables.ScanConversation,
				"SELECT "+tables.ConversationColumns+" FROM conversations WHERE conversation_id = ?", id)
			if err != nil {
				return err
			}
			if len(heads) == 0 {
				return world.ErrNoConversation
			}
			var stage stageRef
			if kind := heads[0].Kind; kinds.Known(kind) && kinds.Rules(kind).Staged {
				if stage, err = newestStage(ctx, q, id); err != nil {
					return err
				}
			}
			c, err = loadConversation(ctx, q, heads[0], stage)
			return err
		})
	})
	if err != nil {
		return c, fmt.Errorf("read conversation %s: %w", id, err)
	}
	return c, nil
}

// kindsWith returns the kinds of conversation for whose rules match returns true, encoded for json_each.
func kindsWith(match func(conversation.Rules) bool) string { return sqlite.List(kinds.With(match)) }

// stageRef is a stage of a process and the stage's attempt. Its zero value stands for no stage.
type stageRef struct {
	id      sql.NullString
	attempt int
}

// newestStage returns the stage and attempt of a conversation's newest turn.
func newestStage(ctx context.Context, q sqlite.Queryer, conversationID string) (stageRef, error) {
	stages, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (s stageRef, err error) {
		err = rows.Scan(&s.id, &s.attempt)
		return s, err
	}, `SELECT turn_stage, turn_attempt FROM runs WHERE conversation_id = ? AND turn_stage IS NOT NULL
		ORDER BY start_seq DESC LIMIT 1`, conversationID)
	if err != nil || len(stages) == 0 {
		return stageRef{}, err
	}
	return stages[0], nil
}

// loadConversation reads the state of one conversation: what its plan needs to continue, and what clients see of it.
func loadConversation(ctx context.Context, q sqlite.Queryer, head world.Conversation,
	stage stageRef) (world.SavedConversation, error) {
	c := world.SavedConversation{Conversation: head}
	id, rules := head.ConversationID, kinds.Rules(head.Kind)
	rows, hasMore, err := readRows(ctx, q, id, "", 0, wire.ViewMessages)
	if err != nil {
		return c, err
	}
	c.HasMore = hasMore
	if len(rows) > 0 {
		c.LastSeq = rows[len(rows)-1].Seq
	}
	if hasMore { // the page may lack older rows of runs that are still under way
		open, err := sqlite.Collect(ctx, q, tables.ScanMessage, "SELECT "+tables.MessageColumns+` FROM runs r
			JOIN messages m ON m.conversation_id = r.conversation_id AND m.request_id = r.request_id
			WHERE r.conversation_id = ? AND r.`+tables.UnderWay+` AND m.seq < ? AND m.status = ? ORDER BY m.seq DESC LIMIT ?`,
			id, rows[0].Seq, world.MessageOpen, maxLoadRuns)
		if err != nil {
			return c, err
		}
		slices.Reverse(open)
		for i := range open {
			open[i] = shown(open[i])
		}
		rows = append(open, rows...)
	}
	c.Messages = rows
	// In a conversation with stages, the runs of the current stage are enough.
	c.Runs, err = sqlite.Collect(ctx, q, tables.ScanRun, "SELECT "+tables.RunColumns+` FROM runs
		WHERE conversation_id = ? AND (`+tables.UnderWay+`
			OR turn_stage = ? AND turn_attempt = ? OR ? AND turn_stage IS NOT NULL)
		ORDER BY start_seq DESC LIMIT ?`,
		id, stage.id, stage.attempt, !rules.Staged && !rules.Uncounted, maxLoadRuns)
	if err != nil {
		return c, err
	}
	slices.Reverse(c.Runs)
	if !rules.Staged {
		// A run with taken = 1 only passed words to the agent, which need not answer them. It cannot be repeated, so
		// it does not count as the last run.
		last, err := sqlite.Collect(ctx, q, tables.ScanRun,
			"SELECT "+tables.RunColumns+" FROM runs WHERE conversation_id = ? AND taken = 0 ORDER BY start_seq DESC LIMIT 1", id)
		if err != nil {
			return c, err
		}
		if len(last) > 0 {
			c.LastRun = &last[0]
		}
		if hasMore {
			if c.Said, err = saidRows(ctx, q, id); err != nil {
				return c, err
			}
		}
	}
	if rules.Context {
		if c.Forge, c.ForgeContext, err = tables.ReadForge(ctx, q, id); err != nil {
			return c, err
		}
	}
	if c.Requests, err = sqlite.Column[string](ctx, q,
		"SELECT request_id FROM runs WHERE conversation_id = ? ORDER BY start_seq DESC LIMIT ?",
		id, world.MaxRequests); err != nil {
		return c, err
	}
	slices.Reverse(c.Requests)
	if c.StageRows, err = stageRows(ctx, q, id, stage); err != nil {
		return c, err
	}
	return c, sqlite.One(ctx, q, []any{(*int64)(&c.LastTurnAt)},
		"SELECT ifnull(max(ended_at), 0) FROM runs WHERE conversation_id = ? AND status = ? AND turn_stage IS NOT NULL",
		id, world.RunDone)
}

// saidRows returns the newest rows of a conversation without stages that agents may see, oldest first: at most
// world.MaxSaid rows and about world.MaxSaidBytes bytes.
func saidRows(ctx context.Context, q sqlite.Queryer, conversationID string) (out []world.Message, err error) {
	before, bytes := int64(0), 0
	for len(out) < world.MaxSaid && bytes < world.MaxSaidBytes {
		rows, more, err := readRows(ctx, q, conversationID, "", before, 200)
		if err != nil {
			return nil, err
		}
		for _, m := range slices.Backward(rows) {
			before = m.Seq
			full := len(out) >= world.MaxSaid || bytes >= world.MaxSaidBytes
			if full || m.Status == world.MessageOpen || m.Role == world.RoleSystem {
				continue
			}
			m.Content, _ = world.Cut(m.Content, world.MaxArtifactText)
			bytes += len(m.Content)
			out = append(out, m)
		}
		if !more {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}

// stageRows returns what members said in turns of one attempt at a stage: the completed rows of assistants, and the
// answers of people, which have the requestId of their turn. It cuts each text to world.MaxArtifactText, because no
// artifact is longer.
func stageRows(ctx context.Context, q sqlite.Queryer, conversationID string, stage stageRef) ([]world.Message, error) {
	if !stage.id.Valid {
		return nil, nil
	}
	rows, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (world.Message, error) {
		m, err := tables.ScanMessage(rows)
		m.Content, _ = world.Cut(m.Content, world.MaxArtifactText)
		return m, err
	}, "SELECT "+tables.MessageColumns+` FROM runs r
		JOIN messages m ON m.conversation_id = r.conversation_id AND m.request_id = r.request_id
		WHERE r.conversation_id = ? AND r.turn_stage = ? AND r.turn_attempt = ?
		AND m.role IN (?, ?) AND m.status = ? AND m.member_id <> '' ORDER BY m.seq DESC LIMIT ?`,
		conversationID, stage.id, stage.attempt, world.RoleAssistant, world.RoleUser, world.MessageDone, maxStageRows)
	slices.Reverse(rows)
	return rows, err
}
