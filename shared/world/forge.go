package world

// Forge is what a forge shows of itself: where it stands and what it asks. What it has
// gathered is kept beside the transcript, not here.
type Forge struct {
	State string `json:"state"` // one of server/forge's
	// Question waits for the person; nil while somebody is at work, and at the end.
	Question *ForgeQuestion `json:"question"`
	// Working says what is under way: "model" or "save", "" for nothing.
	Working string `json:"working,omitempty"`
	// Skill is the name that the skill has so far, Known what has been gathered of it, by
	// topic, for a person to look over.
	Skill string       `json:"skill,omitempty"`
	Known []ForgeKnown `json:"known"`
}

// ForgeKnown is what has been gathered on a topic: at most 8 lines of 200 bytes are
// shown, the rest is in what the forge keeps.
type ForgeKnown struct {
	Topic string   `json:"topic"`
	Lines []string `json:"lines"`
}

// ForgeQuestion waits for the person, who answers by words, by options (chat.send's
// choices), or by both.
type ForgeQuestion struct {
	Topic   string        `json:"topic"`
	Text    string        `json:"text"`
	Options []ForgeOption `json:"options"`
	Many    bool          `json:"many,omitempty"`  // several options may be chosen
	Words   bool          `json:"words,omitempty"` // it can also be answered in one's own words
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

// Skill is a skill of the realm as the world knows it; its text lies in
// skills/<name>/SKILL.md. Agents are those it was given to: they are told it.
type Skill struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	ConversationID string   `json:"conversationId,omitempty"` // the forge that made it, "" for one that was found
	At             Time     `json:"at"`
	Agents         []string `json:"agents"` // member ids, at most MaxSkillAgents
	// Missing: its folder is not there, so nobody is told it. What the folder does not say,
	// who has it and which forge made it, is kept until it comes back.
	Missing bool `json:"missing,omitempty"`
}

// Bounds of skills in a world.
const (
	MaxSkills      = 200
	MaxSkillAgents = 64
)
