package realm

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/hints"
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
	// waiting are the commands that wait for what is being read, in their order; nil where
	// nothing is. At most maxParked.
	waiting []Input
	// saves are the skills that are being written, by the run of their forge: each closes
	// once the world knows what came of it. At most one a forge.
	saves map[runKey]chan struct{}
}

// looked is what a look at the disk gave.
type looked struct {
	skills []world.SkillText
	err    error // of the skills
	hints  hints.Hints
}

// maxHintFile is how many bytes of a file of the repository are read for hints.
const maxHintFile = 64 << 10

// wantsSight says that a command needs to know what lies on the disk.
func (a *actor) wantsSight(c wire.Command) bool {
	switch c := c.(type) {
	case *wire.ConversationStart:
		return c.Kind == world.KindForge
	case *wire.SkillGive:
		return true
	case *wire.ChatSend, *wire.ConversationResume:
		talk := a.talks[target(c)]
		return talk != nil && talk.Head.Kind == world.KindForge
	}
	return false
}

// gathers says that a command waits for a look at the disk; it comes again then.
func (a *actor) gathers(in Input) bool {
	if in.gathered || !a.wantsSight(in.Command) {
		return false
	}
	if a.sight.waiting == nil && a.reads >= maxReads || len(a.sight.waiting) >= maxParked {
		a.refuse(in, tooManyReads)
		return true
	}
	in.gathered = true
	under := a.sight.waiting != nil
	if a.sight.waiting = append(a.sight.waiting, in); under {
		return true
	}
	known := slices.Clone(a.world.Skills)
	survey, path, name := a.r.rooms.Survey(), a.world.Realm.Path, a.world.Realm.Name
	a.fetch(in, func(ctx context.Context) func() {
		l := looked{}
		l.skills, l.err = a.files.LoadSkills(known)
		if path != "" {
			l.hints = a.hintsOf(ctx, survey, path, name)
		}
		return func() {
			list := a.sight.waiting
			a.sight.waiting = nil
			a.saw(l)
			for _, in := range list {
				a.mendForge(a.talks[target(in.Command)]) // whoever fetched it may not have looked
				a.command(in)
			}
		}
	})
	return true
}

// hintsOf is what the repository shows: its paths as the map has them, and the few files
// that name commands. It runs off the actor's goroutine; a survey never changes.
func (a *actor) hintsOf(ctx context.Context, survey *dungeon.Survey, path, name string) hints.Hints {
	var paths []string
	there := map[string]bool{}
	if survey != nil && survey.Tree != nil {
		for e := range survey.Tree.All {
			if !e.Folder {
				paths = append(paths, e.Path)
				there[e.Path] = !strings.Contains(e.Path, "/")
			}
		}
	}
	var wanted []string
	for _, f := range hints.Files {
		if there[f] {
			wanted = append(wanted, f)
		}
	}
	var texts map[string]string
	if a.linked != nil && len(wanted) > 0 {
		var err error
		if texts, err = a.linked.Peek(ctx, path, wanted, maxHintFile); err != nil && ctx.Err() == nil {
			a.log.Warn().Err(err).Msg("the repository's commands cannot be read; forges offer none")
		}
	}
	return hints.Of(name, hints.LanguagesOf(paths), paths, texts)
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
