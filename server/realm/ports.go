package realm

import (
	"context"

	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/shared/world"
)

// Journal is the durable record of a realm. journal.Journal is it.
type Journal interface {
	Transcripts
	commit.Journal
	// Read gives the frames of the events after seq, oldest first, as they were
	// shown: at most limit rows and about 1 MiB. It returns less only at the head.
	Read(ctx context.Context, after int64, limit int) ([]world.Frame, error)
	// Floor is the lowest seq that Read still has, head+1 when it has none.
	Floor() int64
	// SaveBase keeps a world in the journal so that older events may be trimmed.
	SaveBase(c world.Checkpoint) error
	// MarkVaults keeps how far the vault files hold what the journal says, so that an opening
	// need not look further back.
	MarkVaults(m world.VaultMark) error
	Close() error
}

// Transcripts reads the journal's conversations.
type Transcripts = erasure.Transcripts

// Files keeps a realm's JSON files and its skills. files.Realm is it.
type Files interface {
	Skills
	erasure.Files
	Imports
	// WriteCheckpoint replaces state.json and keeps its predecessor.
	WriteCheckpoint(c world.Checkpoint) error
	// WriteVault replaces knowledge/<agentId>.json.
	WriteVault(v world.Vault) error
}

// Rescuer writes a realm elsewhere whose files were taken away. recovery.Rescuer is it.
type Rescuer = commit.Rescuer

// Skills keeps a realm's skills folder. Its methods touch the disk: they are called from
// any goroutine but the actor's.
type Skills interface {
	// LoadSkills reads all skills, by name, those that are known first where there are too
	// many; an error says nothing of any of them.
	LoadSkills(known []world.Skill) ([]world.SkillText, error)
	// ReadSkill gives the files of a skill by path; world.ErrNoSkill (wrapped).
	ReadSkill(name string) (map[string]string, error)
	// WriteSkill writes a skill wholly or not at all, and again without harm;
	// world.ErrSkillTaken (wrapped) where another one lies there.
	WriteSkill(s world.SkillFiles) error
}

// Imports keeps files of sessions, to be imported. Its methods touch the disk: they are called
// from any goroutine but the actor's.
type Imports interface {
	// SessionFiles names them; an error says why there may be more.
	SessionFiles() (names []string, err error)
	ReadSession(name string) ([]byte, error)
	RemoveSession(name string) error
}

// Folder reads small files of a linked folder: those at its top of these names that are
// there, each at most limit bytes and no link.
type Folder interface {
	Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error)
}
