package realm

import (
	"context"
	"iter"

	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/place"
	"agentdungeon/shared/world"
)

// Journal is the durable record of a realm. journal.Journal implements it.
type Journal interface {
	Transcripts
	commit.Journal
	checkpoint.Journal
	// Read returns the frames of the events after seq, oldest first: at most limit, and about 1 MiB.
	// It returns fewer only at the head.
	Read(ctx context.Context, after int64, limit int) ([]world.Frame, error)
	// Floor returns the lowest seq that Read has, the head's successor if it has none.
	Floor() int64
	Close() error
}

// Transcripts reads the journal's conversations.
type Transcripts = erasure.Transcripts

// Files reads and writes a realm's JSON files and its skills. files.Realm implements it.
type Files interface {
	Skills
	Imports
	erasure.Files
	checkpoint.Files
}

// Rescuer writes a realm elsewhere after its files were taken away. recovery.Rescuer implements it.
type Rescuer = commit.Rescuer

// Skills reads and writes a realm's skills folder, from any goroutine but the actor's. For the
// methods of the first two lines see kind.Sources.
type Skills interface {
	LoadSkills(known []world.Skill) ([]world.SkillText, error)
	ReadSkill(name string) (map[string]string, error)
	// WriteSkill writes a skill wholly or not at all, and may be repeated. It returns an error that
	// wraps world.ErrSkillTaken if another skill has that name.
	WriteSkill(s world.SkillFiles) error
}

// Imports reads the files of sessions to import, from any goroutine but the actor's; see
// kind.Sources.
type Imports interface {
	SessionFiles() (names []string, err error)
	ReadSession(name string) ([]byte, error)
	RemoveSession(name string) error
}

// Folder reads small files of a linked folder; see kind.Sources.
type Folder interface {
	Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error)
}

// sources implements wait.Sources.
type sources struct {
	*erasure.Tables
	Skills
	Imports
	folder Folder
	rooms  *place.Rooms
}

func (s sources) Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error) {
	if s.folder == nil {
		return nil, nil
	}
	return s.folder.Peek(ctx, path, names, limit)
}

func (s sources) Paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		survey := s.rooms.Survey()
		if survey == nil || survey.Tree == nil {
			return
		}
		for e := range survey.Tree.All {
			if !e.Folder && !yield(e.Path) {
				return
			}
		}
	}
}
