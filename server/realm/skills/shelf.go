package skills

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/rs/zerolog"

	"agentdungeon/server/kind"
	"agentdungeon/server/skill"
	"agentdungeon/shared/world"
)

// Shelf is the skills folder as it was last read.
type Shelf struct {
	// Texts are what members are told, by the skill's name: at most world.MaxSkills. The map stays
	// the same one.
	Texts map[string]world.SkillText

	log     zerolog.Logger
	useless map[string]string // folders that cannot be used, and why, as the log was told
}

// NewShelf begins with what an opening has found.
func NewShelf(found []world.SkillText, log zerolog.Logger) *Shelf {
	s := &Shelf{Texts: map[string]world.SkillText{}, log: log}
	s.keep(found)
	return s
}

func (s *Shelf) keep(list []world.SkillText) {
	clear(s.Texts)
	for _, text := range list {
		if text.Bad == "" {
			s.Texts[text.Name] = text
		}
	}
}

// Saw returns the events by which the world knows the skills that lie there now: those that people
// put into the folder, changed or took away. One that cannot be read at the moment stays as it is
// known. One that is gone and was given to somebody, or was made in a forge, is known as missing:
// a folder that is not there for a moment, or for a year, takes nothing from anybody. A nil list
// says nothing.
func (s *Shelf) Saw(w *world.World, at world.Time, list []world.SkillText) []world.Body {
	if list == nil {
		return nil
	}
	s.keep(list)
	lies := map[string]bool{}
	for _, text := range list {
		lies[text.Name] = true
	}
	var gone, news []world.Body
	var missing []world.Skill
	useless := map[string]string{}
	known := 0
	for _, now := range w.Skills {
		switch {
		case lies[now.Name]:
			known++
		case now.Missing:
			missing = append(missing, now)
		case len(now.Agents) > 0 || now.ConversationID != "":
			now.Missing, now.At = true, at
			missing = append(missing, now)
		default:
			gone = append(gone, &world.SkillRemoved{Name: now.Name})
		}
	}
	for _, text := range list {
		now := w.Skill(text.Name)
		switch {
		case text.Bad != "":
			useless[text.Name] = text.Bad
		case now == nil && known >= world.MaxSkills:
			useless[text.Name] = "the realm has as many skills as it can hold"
		case now == nil:
			known++
			found := world.Skill{Name: text.Name, Description: text.Description, At: at, Agents: []string{}}
			news = append(news, &world.SkillUpdated{Skill: found})
		case now.Missing || now.Description != text.Description:
			next := *now
			next.Description, next.At, next.Missing = text.Description, at, false
			news = append(news, &world.SkillUpdated{Skill: next})
		}
	}
	s.tellUseless(useless)
	return slices.Concat(gone, missed(w, missing, world.MaxSkills-known), news)
}

// maxUseless is how many folders that cannot be used are named in the log at one look.
const maxUseless = 20

// tellUseless has the log name the folders that cannot be used, each once as long as the reason
// is the same: the folder is read again and again.
func (s *Shelf) tellUseless(useless map[string]string) {
	told := 0
	for _, name := range slices.Sorted(maps.Keys(useless)) {
		if s.useless[name] == useless[name] {
			continue
		}
		if told++; told <= maxUseless {
			s.log.Warn().Str("skill", name).Str("because", useless[name]).Msg("a skill folder cannot be used")
		}
	}
	if told > maxUseless {
		s.log.Warn().Int("folders", told-maxUseless).Msg("further skill folders cannot be used; they are not named here")
	}
	s.useless = useless
}

// missed are the events by which the world knows the skills that are missing from now on. Of more
// than there is room for, those that have been missing for longest are forgotten.
func missed(w *world.World, missing []world.Skill, room int) (out []world.Body) {
	slices.SortStableFunc(missing, func(a, b world.Skill) int { return cmp.Compare(b.At, a.At) })
	for i, s := range missing {
		switch now := w.Skill(s.Name); {
		case i >= room:
			out = append(out, &world.SkillRemoved{Name: s.Name})
		case !now.Missing:
			out = append(out, &world.SkillUpdated{Skill: s})
		}
	}
	return out
}

// Looked takes in what a look at the folder found, and returns the events of it: see Saw. What
// could not be read the log says.
func (s *Shelf) Looked(w *world.World, at world.Time, l kind.Looked) []world.Body {
	if l.HintsErr != nil {
		s.log.Warn().Err(l.HintsErr).Msg("the repository's commands cannot be read; none are offered")
	}
	if l.SkillsErr != nil {
		s.log.Warn().Err(l.SkillsErr).Msg("the skills cannot be read; those that are known stay known")
		return nil
	}
	return s.Saw(w, at, l.Skills)
}

// Wrote returns the events of a skill that a conversation has written into the folder, none of one
// that was not written. One that it replaces keeps those it was given to.
func (s *Shelf) Wrote(w *world.World, at world.Time, m Written) []world.Body {
	conversationID, files := m.Run.ConversationID, m.Files
	if m.Err != nil {
		if !errors.Is(m.Err, world.ErrSkillTaken) { // its kind says so
			s.log.Error().Err(m.Err).Str("conversation", conversationID).Msg("a skill was not saved")
		}
		return nil
	}
	parsed, err := skill.Parse(files.Files[skill.File])
	if err != nil { // it was checked before it was written
		s.log.Error().Err(err).Str("skill", files.Name).Msg("a skill that was written cannot be read")
		return nil
	}
	s.Texts[files.Name] = world.SkillText{
		Name: files.Name, Description: parsed.Description,
		Body: skill.ForPrompt(parsed.Body, files.Files, world.MaxSkillPrompt),
	}
	now := world.Skill{
		Name: files.Name, Description: parsed.Description, ConversationID: conversationID, At: at, Agents: []string{},
	}
	var out []world.Body
	if known := w.Skill(files.Name); known != nil {
		now.Agents = known.Agents
	} else {
		missing := slices.DeleteFunc(slices.Clone(w.Skills), func(s world.Skill) bool { return !s.Missing })
		out = missed(w, missing, world.MaxSkills-1-w.PresentSkills())
	}
	return append(out, &world.SkillUpdated{Skill: now})
}
