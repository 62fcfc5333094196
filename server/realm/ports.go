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

// Journal stores the events of a realm durably. journal.Journal implements it.
type Journal interface {
	Transcripts
	commit.Journal
	checkpoint.Journal
	// Read returns the frames of the events after seq, the oldest first: at most limit frames, and at most about 1 MiB.
	// It returns fewer only at the end of the journal.
	Read(ctx context.Context, after int64, limit int) ([]world.Frame, error)
	// Floor returns the lowest seq that Read can return. If the journal has no events, Floor returns the seq
	// of the next event.
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

// Rescuer writes a realm to another folder if its files were taken away. recovery.Rescuer implements it.
type Rescuer = commit.Rescuer

// Skills reads and writes the skills folder of a realm. Any goroutine may call it except the actor's.
// kind.Sources documents the methods before WriteSkill.
type Skills interface {
	LoadSkills(known []world.Skill) ([]world.SkillText, error)
	ReadSkill(name string) (map[string]string, error)
	// WriteSkill writes all files of a skill or none; a caller may repeat it. It returns an error that wraps
	// world.ErrSkillTaken if another skill has the same name.
	WriteSkill(s world.SkillFiles) error
}

// Imports reads the session files that a realm imports. Any goroutine may call it except the actor's.
// kind.Sources documents the methods.
type Imports interface {
	SessionFiles() (names []string, err error)
	ReadSession(name string) ([]byte, error)
	RemoveSession(name string) error
}

// Folder reads small files of a linked folder. kind.Sources documents Peek.
type Folder interface {
	Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error)
}

// sources implements wait.Sources: it has everything from which a realm reads data for a decision.
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
