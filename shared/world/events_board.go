package world

import "slices"

// FindingPosted adds a finding, or replaces the finding with the same id, even a withdrawn one.
type FindingPosted struct {
	Finding Finding `json:"finding"`
}

// FindingWithdrawn withdraws a finding because it is wrong, or because another finding, Into, reports the same problem.
// The finding stays in the world with the reason.
type FindingWithdrawn struct {
	FindingID string `json:"findingId"`
	AgentID   string `json:"agentId,omitempty"` // the member that withdrew it
	Reason    string `json:"reason"`
	Into      string `json:"into,omitempty"`
}

// QuestUpdate adds a quest, or replaces the quest with the same id.
type QuestUpdate struct {
	Quest Quest `json:"quest"`
}

// KnowledgeUpdated adds an insight to the vault of a member, which is the list of what the member has learned.
type KnowledgeUpdated struct {
	AgentID string    `json:"agentId"`
	Area    string    `json:"area"`
	Text    string    `json:"text"`
	Review  *Reviewed `json:"review,omitempty"`
}

// insightFields are the personal fields of KnowledgeUpdated.
var insightFields = []string{"area", "text", "review.commit", "review.rules", "review.changes[]", "review.sums[]"}

// Insight returns the insight in the form in which the member's vault stores it.
func (b *KnowledgeUpdated) Insight(at Time) Insight {
	return Insight{Area: b.Area, Text: b.Text, At: at, Review: b.Review}
}

// FocusChanged sets the member to whom a person's words go, "" for everybody. Forgets is another person whose focus
// is removed so that there are at most MaxFocus, "" for none.
type FocusChanged struct {
	SpectatorID string `json:"spectatorId"`
	AgentID     string `json:"agentId"`
	Forgets     string `json:"forgets,omitempty"`
}

func (*FindingPosted) EventType() string    { return "findings:posted" }
func (*FindingWithdrawn) EventType() string { return "findings:withdrawn" }
func (*QuestUpdate) EventType() string      { return "quest:update" }
func (*KnowledgeUpdated) EventType() string { return "knowledge:updated" }
func (*FocusChanged) EventType() string     { return "focus:changed" }

var (
	_ = register(facts[FindingPosted]{
		personal: rule(findingFields, findingFields, func(r *Redactor, b *FindingPosted, _ *Event) {
			if r.findings[b.Finding.ID] {
				r.changed = b.Finding.erase() || r.changed
			}
		}),
	})
	_ = register(facts[FindingWithdrawn]{
		personal: rule([]string{"reason"}, []string{"reason"}, func(r *Redactor, b *FindingWithdrawn, _ *Event) {
			if r.findings[b.FindingID] {
				r.replace(&b.Reason, ErasedName)
			}
		}),
	})
	_ = register(facts[QuestUpdate]{
		names: func(b *QuestUpdate) []Naming {
			return []Naming{{SpectatorID: b.Quest.SpectatorID, Name: b.Quest.Owner}}
		},
		personal: rule([]string{"quest.title", "quest.note"}, []string{"quest.title", "quest.note", "quest.owner"},
			func(r *Redactor, b *QuestUpdate, _ *Event) {
				if r.quests[b.Quest.ID] {
					before := b.Quest
					b.Quest.erase()
					r.changed = r.changed || before != b.Quest
				}
				if b.Quest.SpectatorID == r.person && r.person != "" {
					r.replace(&b.Quest.Owner, ErasedName)
				}
			}),
	})
	_ = register(facts[KnowledgeUpdated]{
		personal: rule(insightFields, insightFields, func(r *Redactor, b *KnowledgeUpdated, ev *Event) {
			if !r.Insight(b.AgentID, b.Insight(ev.At)) {
				return
			}
			r.replace(&b.Area, ErasedName)
			r.replace(&b.Text, "")
			if b.Review != nil {
				b.Review, r.changed = nil, true
			}
		}),
	})
	_ = register(facts[FocusChanged]{
		personal: rule(nil, []string{"agentId"}, func(r *Redactor, b *FocusChanged, _ *Event) {
			if b.SpectatorID == r.person && r.person != "" {
				r.replace(&b.AgentID, "")
			}
		}),
	})
)

func (b *FindingPosted) apply(w *World, _ *Event) {
	f := b.Finding
	if old := find(w.Findings, func(o *Finding) bool { return o.ID == f.ID }); old != nil {
		was := placeKey(old.Path)
		*old = f
		w.updateObjects(placeKey(f.Path), was)
		return
	}
	w.post(f)
}

// post appends a finding whose id no other finding has.
func (w *World) post(f Finding) {
	w.Findings = append(w.Findings, f)
	if f.Stands() {
		w.addFinding(placeKey(f.Path))
	}
}

func (b *FindingWithdrawn) apply(w *World, _ *Event) {
	for i := range w.Findings {
		if f := &w.Findings[i]; f.ID == b.FindingID {
			f.Withdrawn, f.Into = b.Reason, b.Into
			w.updateObjects(placeKey(f.Path))
		}
	}
}

// Standing returns the number of findings that count: those that are neither withdrawn nor only suspected.
func (w *World) Standing() int {
	n := 0
	for i := range w.Findings {
		if w.Findings[i].Stands() {
			n++
		}
	}
	return n
}

func (b *QuestUpdate) apply(w *World, _ *Event) {
	keys := []objectKey{placeKey(b.Quest.Path)}
	w.Quests = upsert(w.Quests, b.Quest, func(q *Quest) bool {
		if q.ID == b.Quest.ID {
			keys = append(keys, placeKey(q.Path))
		}
		return q.ID == b.Quest.ID
	})
	w.updateObjects(keys...)
}

// apply changes nothing: insights are in vault files, not in the world.
func (b *KnowledgeUpdated) apply(*World, *Event) {}

func (b *FocusChanged) apply(w *World, _ *Event) {
	w.Focus = slices.DeleteFunc(w.Focus, func(f Focus) bool {
		return f.SpectatorID == b.SpectatorID || f.SpectatorID == b.Forgets
	})
	if b.AgentID != "" {
		w.Focus = append(w.Focus, Focus{SpectatorID: b.SpectatorID, AgentID: b.AgentID})
	}
}
