package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/process"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Bounds of what a start takes into memory.
const (
	maxLive      = 1000   // live conversations; settings allow 32 at a time
	maxLoadRuns  = 10_000 // runs of one conversation that are under way or of the stage
	maxStageRows = 512    // rows of the stage, the newest: what conversation.State keeps too
)

// load reads what the actor begins with.
func (r *recovery) load(ctx context.Context, j *Journal, from *origin, told *notice) (world.Saved, error) {
	s := world.Saved{Realm: r.realm, World: from.world, Head: from.seq, Epoch: j.epoch}
	err := j.read(func(db *sql.DB) (err error) {
		if s.Lines, err = readLines(ctx, db); err != nil {
			return err
		}
		if s.Commands, err = readCommands(ctx, db, r.now); err != nil {
			return err
		}
		s.Conversations, err = loadConversations(ctx, db, &from.world.ProcessState)
		return err
	})
	if err != nil {
		return s, fmt.Errorf("load: %w", err)
	}
	vaults, bad, err := r.files.LoadVaults()
	if err != nil {
		r.warnings = append(r.warnings, err) // members begin to learn anew; the files stay
	}
	s.Vaults = vaults
	for _, name := range bad {
		if strings.Contains(name, ".aside-") {
			told.SetAside = append(told.SetAside, "knowledge/"+name)
		}
	}
	if told.Source != "" || len(told.SetAside) > 0 {
		s.Restored = restored(&s, told)
	}
	return s, nil
}

// restored is what the actor tells first. Turn counts are those that the
// transcript says otherwise than the world: the transcript is the authority
// (S0-11), and where it was lost that is zero.
func restored(s *world.Saved, told *notice) *world.RealmRestored {
	source := told.Source
	if source == "" {
		source = world.RestoredFromNothing
	}
	out := &world.RealmRestored{
		Source: source, RestoredTo: s.Head, Since: told.Since, MissingMembers: []world.Member{},
		TranscriptsLost: told.TranscriptsLost, SetAside: told.SetAside,
	}
	p := &s.World.ProcessState
	if p.Stage() == nil {
		return out
	}
	var facts process.Facts
	for _, c := range s.Conversations {
		if c.Conversation.ConversationID == p.ConversationID {
			facts = process.Facts{Runs: c.Runs, Rows: c.StageRows}
		}
	}
	stages, members := process.Counts(p, facts)
	out.StageTurnCounts = differing(stages, p.StageTurnCounts)
	out.AgentTurnCounts = differing(members, p.AgentTurnCounts)
	return out
}

// differing are the counts of is that was does not say; nil for none.
func differing(is, was map[string]int) map[string]int {
	var out map[string]int
	for k, n := range is {
		if was[k] != n {
			if out == nil {
				out = map[string]int{}
			}
			out[k] = n
		}
	}
	return out
}

// readCommands are the answers of the last day, oldest first.
func readCommands(ctx context.Context, q queryer, now world.Time) ([]world.CommandRow, error) {
	rows, err := collect(ctx, q, func(rows *sql.Rows) (c world.CommandRow, err error) {
		err = rows.Scan(&c.SpectatorID, &c.RequestID, &c.Hash, (*int64)(&c.At), &c.Reply)
		return c, err
	}, `SELECT spectator_id, request_id, hash, at, reply FROM commands WHERE at >= ? ORDER BY n DESC LIMIT ?`,
		int64(now)-commandsFor.Milliseconds(), world.MaxCommandRows)
	if err != nil {
		return nil, fmt.Errorf("read commands: %w", err)
	}
	slices.Reverse(rows)
	return rows, nil
}

// loadConversations are the live ones and in any case the process's, in the order
// in which they began.
func loadConversations(ctx context.Context, q queryer, p *world.ProcessState) ([]world.SavedConversation, error) {
	heads, err := collect(ctx, q, scanConversation, "SELECT "+conversationColumns+` FROM conversations
		WHERE status IN (?, ?, ?, ?) OR conversation_id = ? ORDER BY n DESC LIMIT ?`,
		world.ConversationActive, world.ConversationQueued, world.ConversationPaused, world.ConversationInterrupted,
		p.ConversationID, maxLive)
	if err != nil {
		return nil, fmt.Errorf("read conversations: %w", err)
	}
	slices.Reverse(heads)
	out := make([]world.SavedConversation, len(heads))
	for i, head := range heads {
		if out[i], err = loadConversation(ctx, q, head, p); err != nil {
			return nil, fmt.Errorf("read conversation %s: %w", head.ConversationID, err)
		}
	}
	return out, nil
}

func loadConversation(ctx context.Context, q queryer, head world.Conversation, p *world.ProcessState) (world.SavedConversation, error) {
	c := world.SavedConversation{Conversation: head}
	id := head.ConversationID
	rows, hasMore, err := readMessages(ctx, q, id, 0, wire.ViewMessages)
	if err != nil {
		return c, err
	}
	c.HasMore = hasMore
	if hasMore { // rows of runs that were under way all the time since
		open, err := collect(ctx, q, scanMessage, "SELECT "+messageColumns+` FROM runs r
			JOIN messages m ON m.conversation_id = r.conversation_id AND m.request_id = r.request_id
			WHERE r.conversation_id = ? AND r.status = ? AND m.seq < ? AND m.status = ? ORDER BY m.seq DESC LIMIT ?`,
			id, world.RunRunning, rows[0].Seq, world.MessageOpen, maxLoadRuns)
		if err != nil {
			return c, err
		}
		slices.Reverse(open)
		rows = append(open, rows...)
	}
	for _, m := range rows {
		c.Messages = append(c.Messages, m.Message)
	}
	// The stage's turns, where it is the process's conversation and a stage is on.
	var stage sql.NullString
	if s := p.Stage(); s != nil && id == p.ConversationID {
		stage = sql.NullString{String: s.ID, Valid: true}
	}
	c.Runs, err = collect(ctx, q, scanRun, "SELECT "+runColumns+` FROM runs
		WHERE conversation_id = ? AND (status = ? OR turn_stage = ? AND turn_attempt = ?) ORDER BY start_seq DESC LIMIT ?`,
		id, world.RunRunning, stage, p.StageAttempt, maxLoadRuns)
	if err != nil {
		return c, err
	}
	slices.Reverse(c.Runs)
	if c.StageRows, err = stageRows(ctx, q, id, stage, p.StageAttempt); err != nil {
		return c, err
	}
	return c, one(ctx, q, []any{(*int64)(&c.LastTurnAt)},
		"SELECT ifnull(max(ended_at), 0) FROM runs WHERE conversation_id = ? AND status = ? AND turn_stage IS NOT NULL", id, world.RunDone)
}

// stageRows are what members said in turns of the stage and attempt: done
// assistant rows and the answers of people, which carry their turn's requestId.
// Each is cut to world.MaxArtifactText, more of it goes into no artifact.
func stageRows(ctx context.Context, q queryer, conversationID string, stage sql.NullString, attempt int) ([]world.Message, error) {
	if !stage.Valid {
		return nil, nil
	}
	rows, err := collect(ctx, q, func(rows *sql.Rows) (MessageRow, error) {
		m, err := scanMessage(rows)
		m.Content, _ = world.Cut(m.Content, world.MaxArtifactText)
		return m, err
	}, "SELECT "+messageColumns+` FROM runs r
		JOIN messages m ON m.conversation_id = r.conversation_id AND m.request_id = r.request_id
		WHERE r.conversation_id = ? AND r.turn_stage = ? AND r.turn_attempt = ?
		AND m.role IN (?, ?) AND m.status = ? AND m.member_id <> '' ORDER BY m.seq DESC LIMIT ?`,
		conversationID, stage, attempt, world.RoleAssistant, world.RoleUser, world.MessageDone, maxStageRows)
	if err != nil {
		return nil, err
	}
	out := make([]world.Message, 0, len(rows))
	for _, m := range slices.Backward(rows) {
		out = append(out, m.Message)
	}
	return out, nil
}
