package recovery

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
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

// load reads the state with which the actor starts. If it sets damaged vaults aside, it adds their names to notice,
// which clients get. warnings are faults that do not prevent the opening.
func (d *realmDir) load(ctx context.Context, j *journal.Journal, from *origin, notice *tables.Notice) (_ world.Saved,
	warnings []error, err error) {
	s := world.Saved{Realm: d.realm, World: from.world, Land: from.land, Head: from.seq, Epoch: j.Epoch()}
	s.State, _ = from.state() // nil after an error: the realm then encodes its state when it needs it, and gets the error
	if err := j.View(func(db *sql.DB) error { return loadTables(ctx, db, &s, d.now) }); err != nil {
		return s, nil, fmt.Errorf("load the state of the realm: %w", err)
	}
	warnings = damagedRows(s.Conversations)
	vaults, bad, err := d.files.LoadVaults()
	if err != nil {
		warnings = append(warnings, err) // the vaults that could not be read start empty; their files stay as they are
	}
	unread, err := foldVaults(ctx, j, &s, vaults, bad)
	if err != nil {
		return s, nil, fmt.Errorf("load the state of the realm: %w", err)
	}
	warnings = append(warnings, unread...)
	if s.Skills, err = d.files.LoadSkills(from.world.Skills); err != nil {
		warnings = append(warnings, err) // the world keeps the skills that it knows
	}
	for _, name := range bad {
		if strings.Contains(name, ".aside-") {
			notice.SetAside = append(notice.SetAside, "knowledge/"+name)
		}
	}
	if notice.Source != "" || len(notice.SetAside) > 0 {
		s.Restored = restored(&s, notice)
		if s.Restored.Instances, err = newerInstances(ctx, j, from); err != nil {
			return s, nil, fmt.Errorf("load the state of the realm: %w", err)
		}
	}
	return s, warnings, nil
}

// loadTables sets the fields of s whose values are in the tables.
func loadTables(ctx context.Context, db *sql.DB, s *world.Saved, now world.Time) (err error) {
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
	if s.Commands, err = history.ReadCommands(ctx, db, now); err != nil {
		return err
	}
	s.Conversations, err = history.LoadConversations(ctx, db, &s.World.ProcessState, s.World.AtHand()...)
	return err
}

// newerInstances returns the instances that the transcripts have and the world lacks, in the order in which they
// last played. It returns nil if the world comes from a checkpoint of this version, which has all instances. A
// checkpoint of an older version has no instances. Events of older versions start the numbers anew at each
// opening, so a fold of these events may end at a number that was used before.
func newerInstances(ctx context.Context, j *journal.Journal, from *origin) (out []world.Instance, err error) {
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

// restored returns the actor's first event. Where transcript and world count different numbers of turns, the event has
// the transcript's counts (S0-11). If the transcript was lost, these counts are 0.
func restored(s *world.Saved, notice *tables.Notice) *world.RealmRestored {
	out := &world.RealmRestored{
		Source: cmp.Or(notice.Source, world.RestoredFromNothing), RestoredTo: s.Head, Since: notice.Since,
		MissingMembers: []world.Member{}, TranscriptsLost: notice.TranscriptsLost, SetAside: notice.SetAside,
		Salvage: notice.Salvage,
	}
	p := &s.World.ProcessState
	if p.Stage() == nil {
		return out
	}
	var process world.SavedConversation
	for _, c := range s.Conversations {
		if c.Conversation.ConversationID == p.ConversationID {
			process = c
		}
	}
	for _, k := range kind.NewSet(kinds.All()).All {
		if c, counts := k.(kind.Counter); counts {
			stages, members := c.Counts(s.World, process)
			out.StageTurnCounts = differing(stages, p.StageTurnCounts)
			out.AgentTurnCounts = differing(members, p.AgentTurnCounts)
		}
	}
	return out
}

// differing returns those entries of the map now whose values differ from those in the map before, or nil if there
// are none.
func differing(now, before map[string]int) map[string]int {
	out := maps.Clone(now)
	maps.DeleteFunc(out, func(k string, n int) bool { return before[k] == n })
	if len(out) == 0 {
		return nil
	}
	return out
}
