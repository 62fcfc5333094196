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

// Shelf has the content of the skills folder as of the last reading.
type Shelf struct {
	// Texts has the usable skills by name, at most world.MaxSkills. The map is changed in place and never
	// replaced.
	Texts map[string]world.SkillText

	log     zerolog.Logger
	useless map[string]string // the reason why a folder cannot be used, as last logged, by the folder's name
}

// NewShelf returns the content of the skills folder that an opening has found.
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

// Saw compares the skills folder with the world, and returns the events for the skills that people have added,
// changed or removed. The parameter list is the content of the folder; Saw does nothing if it is nil. A skill that
// cannot be read at present stays in the world as it is. A skill that is gone is removed from the world. But a
// skill that an agent has, or that a forge made, is only marked as missing: the world still knows its agents and
// its forge when the skill comes back.
func (s *Shelf) Saw(w *world.World, at world.Time, list []world.SkillText) []world.Body {
	if list == nil {
		return nil
	}
	s.keep(list)
	there := map[string]bool{}
	for _, text := range list {
		there[text.Name] = true
	}
	var gone, news []world.Body
	var missing []world.Skill
	useless := map[string]string{}
	known := 0
	for _, now := range w.Skills {
		switch {
		case there[now.Name]:
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
			useless[text.Name] = "the realm already has the maximum number of skills"
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
	s.logUseless(useless)
	return slices.Concat(gone, markMissing(w, missing, world.MaxSkills-known), news)
}

// maxUseless limits how many unusable skill folders one reading logs by name.
const maxUseless = 20

// logUseless logs the skill folders that cannot be used. Because the skills folder is read often, it logs a
// folder again only if the reason has changed.
func (s *Shelf) logUseless(useless map[string]string) {
	logged := 0
	for _, name := range slices.Sorted(maps.Keys(useless)) {
		if s.useless[name] == useless[name] {
			continue
		}
		if logged++; logged <= maxUseless {
			s.log.Warn().Str("skill", name).Str("because", useless[name]).
				Msg("a folder in skills/ cannot be used as a skill")
		}
	}
	if logged > maxUseless {
		s.log.Warn().Int("folders", logged-maxUseless).Msg("further skill folders cannot be used; they are not named here")
	}
	s.useless = useless
}

// markMissing returns the events that mark skills as missing. If the list has more skills than the parameter room
// allows, the events remove from the world the skills that have been missing for the longest time.
func markMissing(w *world.World, missing []world.Skill, room int) (out []world.Body) {
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

// Looked handles a reading of the skills folder and of the linked repository (kind.Look). It returns the same
// events as Saw, and logs the errors of that reading.
func (s *Shelf) Looked(w *world.World, at world.Time, l kind.Looked) []world.Body {
	if l.HintsErr != nil {
		s.log.Warn().Err(l.HintsErr).Msg("the commands of the linked repository cannot be read; forges offer none")
	}
	if l.SkillsErr != nil {
		s.log.Warn().Err(l.SkillsErr).Msg("the skills folder cannot be read; the list of skills stays as it is")
		return nil
	}
	return s.Saw(w, at, l.Skills)
}

// Wrote returns the events for a skill that a run has written into the folder, or none if the writing failed. If the
// skill replaces one of the same name, the agents that had the old skill have the new one.
func (s *Shelf) Wrote(w *world.World, at world.Time, m Written) []world.Body {
	conversationID, files := m.Run.ConversationID, m.Files
	if m.Err != nil {
		if !errors.Is(m.Err, world.ErrSkillTaken) { // the kind of the conversation reports this error to the person
			s.log.Error().Err(m.Err).Str("conversation", conversationID).
				Msg("the files of a new skill could not be written")
		}
		return nil
	}
	parsed, err := skill.Parse(files.Files[skill.File])
	if err != nil { // never happens: the text was checked before it was written
		s.log.Error().Err(err).Str("skill", files.Name).Msg("a skill was written but cannot be parsed")
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
		out = markMissing(w, missing, world.MaxSkills-1-w.PresentSkills())
	}
	return append(out, &world.SkillUpdated{Skill: now})
}
