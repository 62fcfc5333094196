package kind

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/hints"
	"agentdungeon/shared/world"
)

// A look at the skills folder and the linked repository. People change both at any time, so who
// has to know them looks before each decision.

// Looked is what a look gave. The engine has the realm know it (World.Skills, Realm.Texts,
// Realm.Hints) before the decision is made again.
type Looked struct {
	Skills    []world.SkillText
	SkillsErr error // those that are known stay known
	Hints     hints.Hints
	HintsErr  error // the commands that files of the repository name are not among the hints
}

// lookKey is one for all: decisions share a look.
const lookKey = "skills"

// maxHintFile is how many bytes of a file of the repository are read for hints.
const maxHintFile = 64 << 10

// Look is the need of a decision that has to know what lies in the skills folder now and what the
// linked repository shows; nil once it was looked at for that decision.
func (r *Realm) Look() Need {
	if _, met := r.Met[lookKey]; met {
		return nil
	}
	return look{known: slices.Clone(r.World.Skills), path: r.World.Realm.Path, name: r.World.Realm.Name}
}

type look struct {
	known      []world.Skill
	path, name string // of the linked repository
}

func (look) Key() string { return lookKey }

// Read gives a Looked. A folder that cannot be read keeps nobody from deciding.
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
