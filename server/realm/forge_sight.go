package realm

import (
	"context"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"agentdungeon/server/hints"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What a forge has to know that lies on the disk: the skills that are there and what the
// linked repository shows. It is read before each command to a forge, off the actor's
// goroutine, because people change both at any time; the command waits for it.

// sight is what was last read.
type sight struct {
	hints hints.Hints
	// useless are folders among the skills that cannot be used, by name, and why: what the
	// log has been told. As many as a look gives.
	useless map[string]string
	// saves are the skills that are being written, by the run of their forge: each closes
	// once the world knows what came of it. At most one a forge.
	saves map[run.Key]chan struct{}
}

// looked is what a look at the disk gave.
type looked struct {
	skills []world.SkillText
	err    error // of the skills
	hints  hints.Hints
}

// maxHintFile is how many bytes of a file of the repository are read for hints.
const maxHintFile = 64 << 10

// look needs to know what lies on the disk for forges.
type look struct {
	known      []world.Skill
	path, name string // of the linked repository
	log        zerolog.Logger
}

// Key is one for all: commands share a look.
func (look) Key() string { return "skills" }

// Read gives a looked. A folder that cannot be read keeps no command from being decided.
func (n look) Read(ctx context.Context, from kind.Sources) (any, error) {
	var l looked
	l.skills, l.err = from.LoadSkills(n.known)
	if n.path != "" {
		l.hints = n.repo(ctx, from)
	}
	return l, nil
}

// repo is what the repository shows: its paths as the map has them, and the few files
// that name commands.
func (n look) repo(ctx context.Context, from kind.Sources) hints.Hints {
	var paths, wanted []string
	there := map[string]bool{}
	for path := range from.Paths() {
		paths = append(paths, path)
		there[path] = !strings.Contains(path, "/")
	}
	for _, f := range hints.Files {
		if there[f] {
			wanted = append(wanted, f)
		}
	}
	var texts map[string]string
	if len(wanted) > 0 {
		var err error
		if texts, err = from.Peek(ctx, n.path, wanted, maxHintFile); err != nil && ctx.Err() == nil {
			n.log.Warn().Err(err).Msg("the repository's commands cannot be read; forges offer none")
		}
	}
	return hints.Of(n.name, hints.LanguagesOf(paths), paths, texts)
}

// wantsSight is what a command needs to know of the disk, nil for nothing.
func (a *actor) wantsSight(in Input) kind.Need {
	wants := false
	switch c := in.Command.(type) {
	case *wire.ConversationStart:
		wants = c.Kind == world.KindForge
	case *wire.SkillGive:
		wants = true
	case *wire.ChatSend, *wire.ConversationResume:
		talk := a.talks[target(c)]
		wants = talk != nil && talk.Head.Kind == world.KindForge
	}
	if _, met := in.met[look{}.Key()]; !wants || met {
		return nil
	}
	w := a.world
	return look{known: slices.Clone(w.Skills), path: w.Realm.Path, name: w.Realm.Name, log: a.log}
}

// saw takes in what a look gave.
func (a *actor) saw(l looked) {
	a.sight.hints = l.hints
	if l.err != nil {
		a.log.Warn().Err(l.err).Msg("the skills cannot be read; those that are known stay known")
		return
	}
	a.sawSkills(l.skills)
}

func textsOf(list []world.SkillText) map[string]world.SkillText {
	out := map[string]world.SkillText{}
	for _, s := range list {
		if s.Bad == "" {
			out[s.Name] = s
		}
	}
	return out
}
