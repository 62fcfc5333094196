package recovery

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/kinds"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// load reads what the actor starts with.
func (r *opening) load(ctx context.Context, j *journal.Journal, from *origin, told *tables.Notice) (world.Saved,
	error) {
	s := world.Saved{Realm: r.realm, World: from.world, Land: from.land, Head: from.seq, Epoch: j.Epoch()}
	err := j.View(func(db *sql.DB) (err error) {
		if s.Lines, err = tables.ReadLines(ctx, db); err != nil {
			return err
		}
		if err = sqlite.One(ctx, db, []any{&s.ErasedAt}, "SELECT ifnull(max(seq), 0) FROM erasures"); err != nil {
			return err
		}
		bases, err := tables.ReadBases(ctx, db)
		if err != nil {
			return err
		}
		if len(bases) > 0 {
			s.BaseSeq, s.BaseAt = bases[0].Seq, bases[0].SavedAt
		}
		if s.Commands, err = history.ReadCommands(ctx, db, r.now); err != nil {
			return err
		}
		s.Conversations, err = history.LoadConversations(ctx, db, &from.world.ProcessState,
			from.world.ProcessState.ConversationID, from.world.Party.ConversationID)
		return err
	})
	if err != nil {
		return s, fmt.Errorf("load: %w", err)
	}
	r.warnings = append(r.warnings, damagedRows(s.Conversations)...)
	vaults, bad, err := r.files.LoadVaults()
	if err != nil {
		r.warnings = append(r.warnings, err) // the members' knowledge starts empty; the files stay
	}
	unread, err := foldVaults(ctx, j, &s, vaults, bad)
	if err != nil {
		return s, fmt.Errorf("load: %w", err)
	}
	r.warnings = append(r.warnings, unread...)
	if s.Skills, err = r.files.LoadSkills(from.world.Skills); err != nil {
		r.warnings = append(r.warnings, err) // the known skills stay
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

// instances returns the members' instances where the transcripts have a newer one than the world, the one
// that last played longest ago first. A checkpoint of this version has all instances. One of an older version
// has none, and events of older versions count from the start after each opening, so that a fold of them may
// end at a number that was used before.
func (r *opening) instances(ctx context.Context, j *journal.Journal, from *origin) (out []world.Instance, err error) {
	if !from.older {
		return nil, nil
	}
	err = j.View(func(db *sql.DB) (err error) {
		out, err = sqlite.Collect(ctx, db, func(rows *sql.Rows) (i world.Instance, err error) {
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
	return slices.DeleteFunc(out, func(i world.Instance) bool {
		return i.Number() <= from.world.InstanceNumber(i.MemberID)
	}), nil
}

// damagedRows returns an error for each loaded row that is damaged.
func damagedRows(conversations []world.SavedConversation) (out []error) {
	for _, c := range conversations {
		for _, m := range c.Messages {
			if m.Damaged {
				out = append(out, fmt.Errorf(
					"%w: row %s of conversation %s has a wrong checksum and is shown as damaged",
					disk.ErrCorrupt, m.MessageID, m.ConversationID))
			}
		}
	}
	return out
}

// restored returns the first event of the actor. Its turn counts are those that differ between transcript and
// world: the transcript decides (S0-11), and if it was lost they are zero.
func restored(s *world.Saved, told *tables.Notice) *world.RealmRestored {
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
	var talk world.SavedConversation
	for _, c := range s.Conversations {
		if c.Conversation.ConversationID == p.ConversationID {
			talk = c
		}
	}
	for _, k := range kind.NewSet(kinds.All()).All {
		if c, counts := k.(kind.Counter); counts {
			stages, members := c.Counts(s.World, talk)
			out.StageTurnCounts = differing(stages, p.StageTurnCounts)
			out.AgentTurnCounts = differing(members, p.AgentTurnCounts)
		}
	}
	return out
}

// differing returns the counts in is that differ from was, nil if there are none.
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
