package world

// Forge is the part of a forge's state that clients see. The collected answers are not in it: a table stores them.
type Forge struct {
	State string `json:"state"` // a state of the package server/forge
	// Question is the question to the person. It is nil while Working is set and when the forge has ended.
	Question *ForgeQuestion `json:"question"`
	// Working is "model" while a driver answers, "save" while the skill is written, else "".
	Working string `json:"working,omitempty"`
	// Skill is the present name of the skill. Known summarizes the collected answers by topic, for the person to
	// check.
	Skill string       `json:"skill,omitempty"`
	Known []ForgeKnown `json:"known"`
}

// ForgeSaving is the State of a forge that writes its skill.
const ForgeSaving = "saving"

// Saves returns the name of the skill that the forge is writing, "" for none.
func (f *Forge) Saves() string {
	if f.State != ForgeSaving {
		return ""
	}
	return f.Skill
}

// ForgeKnown summarizes what the forge knows on one topic, in at most 8 lines of 200 bytes.
type ForgeKnown struct {
	Topic string   `json:"topic"`
	Lines []string `json:"lines"`
}

// ForgeQuestion is a question to the person, who answers in words, by options (the choices of
// chat.send), or by both.
type ForgeQuestion struct {
	Topic   string        `json:"topic"`
	Text    string        `json:"text"`
	Options []ForgeOption `json:"options"`
	Many    bool          `json:"many,omitempty"`  // several options can be chosen
	Words   bool          `json:"words,omitempty"` // the person can also answer in words
}

// ForgeOption is an option of a question; the page draws it as a button.
type ForgeOption struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// ForgeMove is one move of a forge from a state to another, for the audit (S1-19).
type ForgeMove struct {
	From string `json:"from"`
	To   string `json:"to"`
	Why  string `json:"why"`
}

// Skill is a skill of the realm. Its text is in skills/<name>/SKILL.md. Agents lists the members
// whose prompts include it.
type Skill struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	ConversationID string   `json:"conversationId,omitempty"` // the forge that made the skill, "" for none
	At             Time     `json:"at"`
	Agents         []string `json:"agents"` // member ids, at most MaxSkillAgents
	// Missing is set while the skill's folder does not exist. No prompt includes the skill then. The
	// world keeps its agents and its forge in case the folder is restored.
	Missing bool `json:"missing,omitempty"`
}

// Bounds of skills in a world.
const (
	MaxSkills      = 200
	MaxSkillAgents = 64
)

// Skill returns the skill with that name, which may be missing, or nil.
func (w *World) Skill(name string) *Skill {
	return find(w.Skills, func(s *Skill) bool { return s.Name == name })
}

// PresentSkills returns the number of skills that are not missing.
func (w *World) PresentSkills() (n int) {
	for _, s := range w.Skills {
		if !s.Missing {
			n++
		}
	}
	return n
}

// RoomForSkill reports whether writing a skill of that name keeps the realm within MaxSkills.
func (w *World) RoomForSkill(name string) bool {
	known := w.Skill(name)
	return known != nil && !known.Missing || w.PresentSkills() < MaxSkills
}
