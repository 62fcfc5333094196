package kind

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/hints"
	"agentdungeon/shared/world"
)

// A look is a read (Need) of the skills folder and of small files of the linked repository. People may change both
// at any time, so a decision that depends on them needs a look first.

// Looked is the result of a look. The engine updates World.Skills, Realm.Texts and Realm.Hints before it
// repeats the decision.
type Looked struct {
	Skills    []world.SkillText
	SkillsErr error // the error of reading the skills folder; the world then keeps its list of skills
	Hints     hints.Hints
	HintsErr  error // the error because of which Hints lacks commands from files of the repository
}

// lookKey is the key of every look: decisions that wait at the same time share one look.
const lookKey = "skills"

// maxHintFile is the maximum size of a file of the repository that is read for hints, in bytes.
const maxHintFile = 64 << 10

// Look returns the Need that a decision must return if it depends on the skills folder or the linked repository. It
// returns nil if Realm.Met already has the result.
func (r *Realm) Look() Need {
	if _, met := r.Met[lookKey]; met {
		return nil
	}
	return look{known: slices.Clone(r.World.Skills), path: r.World.Realm.Path, name: r.World.Realm.Name}
}

type look struct {
	known      []world.Skill
	path, name string // path and name of the linked repository
}

func (look) Key() string { return lookKey }

// Read returns a Looked. It puts errors of reading into fields of the Looked and returns none, so that the decision
// continues.
func (n look) Read(ctx context.Context, from Sources) (any, error) {
	var l Looked
	l.Skills, l.SkillsErr = from.LoadSkills(n.known)
	if n.path == "" {
		return l, nil
	}
	var paths []string
	top := map[string]bool{}
	for path := range from.Paths() {
		paths = append(paths, path)
		if !strings.Contains(path, "/") {
			top[path] = true
		}
	}
	wanted := slices.DeleteFunc(slices.Clone(hints.Files), func(name string) bool { return !top[name] })
	var texts map[string]string
	if len(wanted) > 0 {
		texts, l.HintsErr = from.Peek(ctx, n.path, wanted, maxHintFile)
	}
	l.Hints = hints.Of(n.name, paths, texts)
	return l, nil
}
