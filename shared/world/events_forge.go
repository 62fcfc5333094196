package world

import "slices"

// ForgeStepped is a forge after a step. Context is what the forge has gathered, as one blob for
// the table forges; it is written in the transaction of the rows that led to it (S1-07).
type ForgeStepped struct {
	ConversationID string      `json:"conversationId"`
	Forge          Forge       `json:"forge"`
	Moves          []ForgeMove `json:"moves"`
	Context        []byte      `json:"-"`
	// Aside is a damaged context that this one replaces. The table keeps it under the
	// conversation's id, a slash and the event's seq (S1-B10); nil for none.
	Aside []byte `json:"-"`
}

// SkillUpdated adds a skill, or replaces the one with its name.
type SkillUpdated struct {
	Skill Skill `json:"skill"`
}

// SkillRemoved removes a skill from the realm.
type SkillRemoved struct {
	Name string `json:"name"`
}

func (*ForgeStepped) EventType() string { return "forge:stepped" }
func (*SkillUpdated) EventType() string { return "skill:updated" }
func (*SkillRemoved) EventType() string { return "skill:removed" }

var (
	_ = register(facts[ForgeStepped]{
		talk: func(b *ForgeStepped) string { return b.ConversationID },
		audits: func(b *ForgeStepped) (out []AuditNote) {
			for _, m := range b.Moves {
				out = append(out, AuditNote{ConversationID: b.ConversationID, Before: m.From, After: m.To})
			}
			return out
		},
		changes: func(b *ForgeStepped, _ *Event) []Change { return []Change{ForgeSet{b}} },
		personal: rule(inForge, inForge, func(r *Redactor, b *ForgeStepped, _ *Event) {
			r.forge(b.ConversationID, &b.Forge)
			for i := range b.Moves {
				r.said(b.ConversationID, &b.Moves[i].Why)
			}
		}),
	})
	_ = register(facts[SkillUpdated]{
		personal: none("a skill is a work of its own, which outlives the talk that made it; the receipt names it"),
	})
	_ = register(facts[SkillRemoved]{
		personal: none("a skill's name"),
	})
)

// Beside is how many bytes the event has beside its frame.
func (b *ForgeStepped) Beside() int { return len(b.Context) + len(b.Aside) }

func (b *ForgeStepped) apply(*World, *Event) {}

func (b *SkillUpdated) apply(w *World, _ *Event) {
	w.Skills = put(w.Skills, b.Skill, func(s *Skill) bool { return s.Name == b.Skill.Name })
}

func (b *SkillRemoved) apply(w *World, _ *Event) {
	w.Skills = slices.DeleteFunc(slices.Clone(w.Skills), func(s Skill) bool { return s.Name == b.Name })
}
