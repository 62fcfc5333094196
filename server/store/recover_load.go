package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
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
		if err = one(ctx, db, []any{&s.ErasedAt}, "SELECT ifnull(max(seq), 0) FROM erasures"); err != nil {
			return err
		}
		bases, err := readBases(ctx, db)
		if err != nil {
			return err
		}
		if len(bases) > 0 {
			s.BaseSeq, s.BaseAt = bases[0].seq, bases[0].savedAt
		}
		if s.Commands, err = readCommands(ctx, db, r.now); err != nil {
			return err
		}
		s.Conversations, err = loadConversations(ctx, db, &from.world.ProcessState, from.world.Party.ConversationID)
		return err
	})
	if err != nil {
		return s, fmt.Errorf("load: %w", err)
	}
	r.warnings = append(r.warnings, damagedRows(s.Conversations)...)
	vaults, bad, err := r.files.LoadVaults()
	if err != nil {
		r.warnings = append(r.warnings, err) // members begin to learn anew; the files stay
	}
	unread, err := j.foldVaults(ctx, &s, vaults, bad)
	if err != nil {
		return s, fmt.Errorf("load: %w", err)
	}
	r.warnings = append(r.warnings, unread...)
	if s.Skills, err = r.files.LoadSkills(from.world.Skills); err != nil {
		r.warnings = append(r.warnings, err) // those that are known stay known
	}
	for _, name := range bad {
		if strings.Contains(name, ".aside-") {
			told.SetAside = append(told.SetAside, "knowledge/"+name)
		}
	}
	if told.Source != "" || len(told.SetAside) > 0 {
		s.Restored = restored(&s, told)
		if s.Restored.Instances, err = r.instances(ctx, j, from); err != nil {
			return s, fmt.Errorf("load: %w", err)
		}
	}
	return s, nil
}

// instances are those that the transcripts know better than the world, who played longest
// ago first. A checkpoint of this version has them all. One of an older version has none,
// and events of older versions count anew in each life, so that a fold of them may end at
// a number that was used before.
func (r *recovery) instances(ctx context.Context, j *Journal, from *origin) (out []world.Instance, err error) {
	if !from.older {
		return nil, nil
	}
	err = j.read(func(db *sql.DB) (err error) {
		out, err = collect(ctx, db, func(rows *sql.Rows) (i world.Instance, err error) {
			var n int
			var newest int64
			err = rows.Scan(&i.MemberID, &n, &newest)
			i.Instance = i.MemberID + "#" + strconv.Itoa(n)
			return i, err
		}, `SELECT member_id, max(CAST(substr(instance, length(member_id) + 2) AS INTEGER)), max(start_seq) AS newest
			FROM runs WHERE instance <> '' GROUP BY member_id ORDER BY newest DESC LIMIT ?`, world.MaxInstances)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read instances: %w", err)
	}
	slices.Reverse(out)
	return slices.DeleteFunc(out, func(i world.Instance) bool { return i.Number() <= from.world.InstanceNumber(i.MemberID) }), nil
}

// damagedRows says which rows of those that a start has read are not what was stored.
func damagedRows(conversations []world.SavedConversation) (out []error) {
	for _, c := range conversations {
		for _, m := range c.Messages {
			if m.Damaged {
				out = append(out, fmt.Errorf("%w: row %s of conversation %s is not what was stored; it is shown as damaged", ErrCorrupt, m.MessageID, m.ConversationID))
			}
		}
	}
	return out
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
		TranscriptsLost: told.TranscriptsLost, SetAside: told.SetAside, Salvage: told.Salvage,
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

// loadConversations are the live ones and in any case the process's and the party's, in
// the order in which they began: of chats and of forges only those that last spoke, of
// other sessions of parties none, but for those with a run that the life before did not end. At most
// maxLive, the newest.
func loadConversations(ctx context.Context, q queryer, p *world.ProcessState, party string) ([]world.SavedConversation, error) {
	live := "status IN ('" + strings.Join([]string{world.ConversationActive, world.ConversationQueued, world.ConversationPaused, world.ConversationInterrupted}, "', '") + "')"
	heads, err := collect(ctx, q, scanConversation, "SELECT "+conversationColumns+` FROM conversations WHERE n IN (
			SELECT n FROM conversations c WHERE conversation_id IN (?1, ?5) OR `+live+` AND (kind NOT IN (?2, ?6, ?7)
				OR n IN (SELECT n FROM conversations WHERE kind = ?2 AND `+live+` ORDER BY updated_at DESC, n DESC LIMIT ?3)
				OR n IN (SELECT n FROM conversations WHERE kind = ?7 AND `+live+` ORDER BY updated_at DESC, n DESC LIMIT ?3)
				OR EXISTS (SELECT 1 FROM runs r WHERE r.conversation_id = c.conversation_id AND r.`+underWay+`))
			ORDER BY conversation_id IN (?1, ?5) DESC, status = 'active' DESC, EXISTS (SELECT 1 FROM runs r WHERE r.conversation_id = c.conversation_id AND r.`+underWay+`) DESC, n DESC LIMIT ?4)
		ORDER BY n`, p.ConversationID, world.KindChat, wire.ViewChats, maxLive, party, world.KindParty, world.KindForge)
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

// stageRef is a stage of a process and its attempt; not valid for none.
type stageRef struct {
	id      sql.NullString
	attempt int
}

// newestStage is the stage and attempt of a conversation's newest turn.
func newestStage(ctx context.Context, q queryer, conversationID string) (stageRef, error) {
	stages, err := collect(ctx, q, func(rows *sql.Rows) (s stageRef, err error) {
		err = rows.Scan(&s.id, &s.attempt)
		return s, err
	}, "SELECT turn_stage, turn_attempt FROM runs WHERE conversation_id = ? AND turn_stage IS NOT NULL ORDER BY start_seq DESC LIMIT 1", conversationID)
	if err != nil || len(stages) == 0 {
		return stageRef{}, err
	}
	return stages[0], nil
}

// loadConversation reads what a conversation's plan and view begin with.
func loadConversation(ctx context.Context, q queryer, head world.Conversation, stage stageRef) (world.SavedConversation, error) {
	c := world.SavedConversation{Conversation: head}
	id := head.ConversationID
	rows, hasMore, err := readRows(ctx, q, id, "", 0, wire.ViewMessages)
	if err != nil {
		return c, err
	}
	c.HasMore = hasMore
	if len(rows) > 0 {
		c.LastSeq = rows[len(rows)-1].Seq
	}
	if hasMore { // rows of runs that were under way all the time since
		open, err := collect(ctx, q, scanMessage, "SELECT "+messageColumns+` FROM runs r
			JOIN messages m ON m.conversation_id = r.conversation_id AND m.request_id = r.request_id
			WHERE r.conversation_id = ? AND r.`+underWay+` AND m.seq < ? AND m.status = ? ORDER BY m.seq DESC LIMIT ?`,
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
	// A council's turns are all counted, a process's those of the stage that is on.
	c.Runs, err = collect(ctx, q, scanRun, "SELECT "+runColumns+` FROM runs
		WHERE conversation_id = ? AND (`+underWay+` OR turn_stage = ? AND turn_attempt = ? OR ? AND turn_stage IS NOT NULL)
		ORDER BY start_seq DESC LIMIT ?`,
		id, stage.id, stage.attempt, head.Kind == world.KindCouncil, maxLoadRuns)
	if err != nil {
		return c, err
	}
	slices.Reverse(c.Runs)
	if head.Kind == world.KindCouncil || head.Kind == world.KindChat || head.Kind == world.KindParty || head.Kind == world.KindForge {
		// Words that were taken in and asked for no answer are no run to take again.
		last, err := collect(ctx, q, scanRun, "SELECT "+runColumns+" FROM runs WHERE conversation_id = ? AND taken = 0 ORDER BY start_seq DESC LIMIT 1", id)
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
	if head.Kind == world.KindForge {
		if c.Forge, c.ForgeContext, err = readForge(ctx, q, id); err != nil {
			return c, err
		}
	}
	if c.Requests, err = collect(ctx, q, func(rows *sql.Rows) (request string, err error) {
		err = rows.Scan(&request)
		return request, err
	}, "SELECT request_id FROM runs WHERE conversation_id = ? ORDER BY start_seq DESC LIMIT ?", id, world.MaxRequests); err != nil {
		return c, err
	}
	slices.Reverse(c.Requests)
	if c.StageRows, err = stageRows(ctx, q, id, stage); err != nil {
		return c, err
	}
	return c, one(ctx, q, []any{(*int64)(&c.LastTurnAt)},
		"SELECT ifnull(max(ended_at), 0) FROM runs WHERE conversation_id = ? AND status = ? AND turn_stage IS NOT NULL", id, world.RunDone)
}

// saidRows are what a council's or a chat's agents may be told of, oldest first.
func saidRows(ctx context.Context, q queryer, conversationID string) (out []world.Message, err error) {
	before, bytes := int64(0), 0
	for len(out) < world.MaxSaid && bytes < world.MaxSaidBytes {
		rows, more, err := readRows(ctx, q, conversationID, "", before, 200)
		if err != nil {
			return nil, err
		}
		for _, m := range slices.Backward(rows) {
			before = m.Seq
			if m.Status == world.MessageOpen || m.Role == world.RoleSystem || len(out) >= world.MaxSaid || bytes >= world.MaxSaidBytes {
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

// stageRows are what members said in turns of the stage and attempt: done
// assistant rows and the answers of people, which carry their turn's requestId.
// Each is cut to world.MaxArtifactText, more of it goes into no artifact.
func stageRows(ctx context.Context, q queryer, conversationID string, stage stageRef) ([]world.Message, error) {
	if !stage.id.Valid {
		return nil, nil
	}
	rows, err := collect(ctx, q, func(rows *sql.Rows) (world.Message, error) {
		m, err := scanMessage(rows)
		m.Content, _ = world.Cut(m.Content, world.MaxArtifactText)
		return m, err
	}, "SELECT "+messageColumns+` FROM runs r
		JOIN messages m ON m.conversation_id = r.conversation_id AND m.request_id = r.request_id
		WHERE r.conversation_id = ? AND r.turn_stage = ? AND r.turn_attempt = ?
		AND m.role IN (?, ?) AND m.status = ? AND m.member_id <> '' ORDER BY m.seq DESC LIMIT ?`,
		conversationID, stage.id, stage.attempt, world.RoleAssistant, world.RoleUser, world.MessageDone, maxStageRows)
	slices.Reverse(rows)
	return rows, err
}
