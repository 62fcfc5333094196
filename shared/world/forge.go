package world

// Forge is the public state of a forge: its state and its question. What it has gathered is
// stored beside the transcript.
type Forge struct {
	State string `json:"state"` // one of server/forge's
	// Question waits for the person; nil while Working, and at the end.
	Question *ForgeQuestion `json:"question"`
	// Working is what is under way: "model" or "save", "" for nothing.
	Working string `json:"working,omitempty"`
	// Skill is the skill's name so far; Known summarizes what was gathered, by topic, for the
	// person to check.
	Skill string       `json:"skill,omitempty"`
	Known []ForgeKnown `json:"known"`
}

// ForgeSaving is the State of a forge that writes its skill.
const ForgeSaving = "saving"

// ForgeKnown summarizes one topic: at most 8 lines of 200 bytes.
type ForgeKnown struct {
	Topic string   `json:"topic"`
	Lines []string `json:"lines"`
}

// ForgeQuestion is answered by words, by options (chat.send's choices), or by both.
type ForgeQuestion struct {
	Topic   string        `json:"topic"`
	Text    string        `json:"text"`
	Options []ForgeOption `json:"options"`
	Many    bool          `json:"many,omitempty"`  // several options may be chosen
	Words   bool          `json:"words,omitempty"` // an answer in words is possible too
}

// ForgeOption is a button.
type ForgeOption struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// ForgeMove is one change of a forge's state, for the audit (S1-19).
type ForgeMove struct {
	From string `json:"from"`
	To   string `json:"to"`
	Why  string `json:"why"`
}

// Skill is a skill of the realm; its text is in skills/<name>/SKILL.md. Agents are the members
// whose prompts include it.
type Skill struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	ConversationID string   `json:"conversationId,omitempty"` // the forge that made it, "" for one that was found
	At             Time     `json:"at"`
	Agents         []string `json:"agents"` // member ids, at most MaxSkillAgents
	// Missing: the folder is not there, so no prompt includes the skill. Its agents and its
	// forge are kept until the folder comes back.
	Missing bool `json:"missing,omitempty"`
}

// Bounds of skills in a world.
const (
	MaxSkills      = 200
	MaxSkillAgents = 64
)

// Skill returns a skill of the realm by its name, also a missing one; nil for none.
func (w *World) Skill(name string) *Skill {
	for i := range w.Skills {
		if w.Skills[i].Name == name {
			return &w.Skills[i]
		}
	}
	return nil
}

// SkillsThere returns the number of skills that are not missing.
func (w *World) SkillsThere() (n int) {
	for _, s := range w.Skills {
		if !s.Missing {
			n++
		}
	}
	return n
}

// RoomForSkill reports whether a skill of that name can be written: it replaces one that is there,
// or there are fewer than MaxSkills.
func (w *World) RoomForSkill(name string) bool {
	known := w.Skill(name)
	return known != nil && !known.Missing || w.SkillsThere() < MaxSkills
}
