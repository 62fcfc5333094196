package world

import "slices"

// ForgeStepped sets the state of a forge after a step. Context has the collected answers as one blob, which the
// journal writes into the table forges in the same transaction as the rows of the answers (S1-07).
type ForgeStepped struct {
	ConversationID string      `json:"conversationId"`
	Forge          Forge       `json:"forge"`
	Moves          []ForgeMove `json:"moves"`
	Context        []byte      `json:"-"`
	// Damaged is a context that could not be read and that Context replaces, nil for none. It is stored in
	// the database table "forges" with the key "conversationId/seq", where seq is that of the event (S1-B10).
	Damaged []byte `json:"-"`
}

// SkillUpdated adds a skill, or replaces the skill with the same name.
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
		conversation: func(b *ForgeStepped) string { return b.ConversationID },
		audits: func(b *ForgeStepped) (out []AuditNote) {
			for _, m := range b.Moves {
				out = append(out, AuditNote{ConversationID: b.ConversationID, Before: m.From, After: m.To})
			}
			return out
		},
		changes: func(b *ForgeStepped, _ *Event) []Change { return []Change{ForgeSet{b}} },
		personal: rule(forgeFields, forgeFields, func(r *Redactor, b *ForgeStepped, _ *Event) {
			r.forge(b.ConversationID, &b.Forge)
			for i := range b.Moves {
				r.serverText(b.ConversationID, &b.Moves[i].Why)
			}
		}),
	})
	_ = register(facts[SkillUpdated]{
		personal: none("a skill outlives the forge that made it; the receipt lists it"),
	})
	_ = register(facts[SkillRemoved]{
		personal: none("a skill's name"),
	})
)

// ExtraBytes returns the number of bytes of the event that are not in its frame.
func (b *ForgeStepped) ExtraBytes() int { return len(b.Context) + len(b.Damaged) }

func (b *ForgeStepped) apply(*World, *Event) {}

func (b *SkillUpdated) apply(w *World, _ *Event) {
	w.Skills = upsert(w.Skills, b.Skill, func(s *Skill) bool { return s.Name == b.Skill.Name })
}

func (b *SkillRemoved) apply(w *World, _ *Event) {
	w.Skills = slices.DeleteFunc(slices.Clone(w.Skills), func(s Skill) bool { return s.Name == b.Name })
}
