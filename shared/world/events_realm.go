package world

import "fmt"

// RealmCreated is the first event of a realm: where it comes from and the
// settings it begins with.
type RealmCreated struct {
	Realm    Realm    `json:"realm"`
	Settings Settings `json:"settings"`
}

// RealmRestored is the first event of every opening but the first: from what the realm was
// restored and what was lost. Realm is set if the folder was copied or moved and has another id
// than in its journal, Salvage if its database was damaged.
type RealmRestored struct {
	Source          string   `json:"source"`     // RestoredFrom...
	RestoredTo      int64    `json:"restoredTo"` // the seq that the fold reached
	InterruptedRuns int      `json:"interruptedRuns"`
	MissingMembers  []Member `json:"missingMembers"`
	TranscriptsLost bool     `json:"transcriptsLost,omitempty"`
	Since           Time     `json:"since,omitempty"` // when the restored state had been written
	SetAside        []string `json:"setAside,omitempty"`
	Realm           *Realm   `json:"realm,omitempty"`
	Salvage         *Salvage `json:"salvage,omitempty"`
	// Turn counts from the transcript; they replace the world's.
	StageTurnCounts map[string]int `json:"stageTurnCounts,omitempty"`
	AgentTurnCounts map[string]int `json:"agentTurnCounts,omitempty"`
	// Instances from the transcripts, for members for which the world has none or an older one:
	// its file is of an older version, or it was folded anew.
	Instances []Instance `json:"instances,omitempty"`
}

// Salvage counts what could be read of a damaged database; the world keeps the newest. The Known
// numbers are the rows and events of which there is a trace, so at least the difference is lost.
type Salvage struct {
	At            Time     `json:"at"`
	Messages      int64    `json:"messages"`
	MessagesKnown int64    `json:"messagesKnown"`
	Events        int64    `json:"events"`
	EventsKnown   int64    `json:"eventsKnown"`
	SetAside      []string `json:"setAside,omitempty"` // the damaged files, in the realm's folder
}

// String returns the figures: "155 of 167 messages, 638 of 665 events".
func (s Salvage) String() string {
	return fmt.Sprintf("%d of %d messages, %d of %d events", s.Messages, s.MessagesKnown, s.Events, s.EventsKnown)
}

// Sources of a restore.
const (
	RestoredFromCheckpoint = "checkpoint" // state.json and the journal's tail
	RestoredFromPrevious   = "previous"   // state.prev.json and the tail
	RestoredFromBase       = "base"       // a base in realm.db and the tail
	RestoredFromJournal    = "journal"    // the journal from its first event
	RestoredFromState      = "state"      // state.json alone: realm.db was lost
	RestoredFromNothing    = "nothing"    // both gone: a clean realm
)

// SettingsUpdated replaces all settings.
type SettingsUpdated struct {
	Settings Settings `json:"settings"`
}

// SpectatorCommand is what a person said to everybody.
type SpectatorCommand struct {
	SpectatorID string `json:"spectatorId"`
	Name        string `json:"name"`
	Color       string `json:"color"`
	Text        string `json:"text"`
}

// AgentJoined puts a member on the map, or replaces it.
type AgentJoined struct {
	Agent Agent `json:"agent"`
}

// AgentLeft removes a member from the map.
type AgentLeft struct {
	AgentID string `json:"agentId"`
	Reason  string `json:"reason"`
}

// AgentActivity sets what a member is doing, "" for nothing in particular.
type AgentActivity struct {
	AgentID        string `json:"agentId"`
	Activity       string `json:"activity"`
	Tool           string `json:"tool,omitempty"`
	ConversationID string `json:"conversationId,omitempty"`
}

// ArtifactSaved adds an artifact and names it in the process.
type ArtifactSaved struct {
	Artifact Artifact `json:"artifact"`
}

func (*RealmCreated) EventType() string     { return "realm:created" }
func (*RealmRestored) EventType() string    { return "realm:restored" }
func (*SettingsUpdated) EventType() string  { return "settings:updated" }
func (*SpectatorCommand) EventType() string { return "spectator:command" }
func (*AgentJoined) EventType() string      { return "agent:joined" }
func (*AgentLeft) EventType() string        { return "agent:left" }
func (*AgentActivity) EventType() string    { return "agent:activity" }
func (*ArtifactSaved) EventType() string    { return "artifact:saved" }

var (
	_ = register(facts[RealmCreated]{
		personal: none("the realm's name and path are the operator's; a bare realm's name is in the receipt's unreached"),
	})
	_ = register(facts[RealmRestored]{
		audit: func(b *RealmRestored) AuditNote {
			return AuditNote{After: b.Source, Note: fmt.Sprintf("to %d, %d runs interrupted", b.RestoredTo, b.InterruptedRuns)}
		},
		personal: none("members that are missing are agents"),
	})
	_ = register(facts[SettingsUpdated]{
		audit:    func(b *SettingsUpdated) AuditNote { return AuditNote{Settings: &b.Settings} },
		between:  true,
		personal: none("settings are of the realm"),
	})
	_ = register(facts[SpectatorCommand]{
		names:   func(b *SpectatorCommand) []Naming { return []Naming{{b.SpectatorID, b.Name, b.Text}} },
		between: true,
		personal: rule(nil, []string{"name", "color", "text"}, func(r *Redactor, b *SpectatorCommand, _ *Event) {
			if b.SpectatorID == r.person && r.person != "" {
				r.put(&b.Name, ErasedName)
				r.put(&b.Color, "#808080")
				r.put(&b.Text, "")
			}
		}),
	})
	_ = register(facts[AgentJoined]{
		names: func(b *AgentJoined) []Naming {
			return []Naming{{SpectatorID: b.Agent.SpectatorID, Name: b.Agent.DisplayName}}
		},
		personal: rule(nil, []string{"agent.name", "agent.displayName"}, func(r *Redactor, b *AgentJoined, _ *Event) {
			if b.Agent.SpectatorID == r.person && r.person != "" {
				before := b.Agent.DisplayName
				b.Agent.erase()
				r.changed = r.changed || before != ErasedName
			}
		}),
	})
	_ = register(facts[AgentLeft]{
		personal: none("its reason is one of ours"),
	})
	_ = register(facts[AgentActivity]{
		personal: none("what a member did, in a word"),
	})
	_ = register(facts[ArtifactSaved]{
		personal: rule([]string{"artifact.text"}, []string{"artifact.text"}, func(r *Redactor, b *ArtifactSaved, _ *Event) {
			if text, ok := r.artifacts[b.Artifact.ID]; ok {
				r.put(&b.Artifact.Text, text)
			}
		}),
	})
)

func (b *RealmCreated) apply(w *World, _ *Event) {
	w.Realm = b.Realm
	w.Settings = b.Settings
}

func (b *RealmRestored) apply(w *World, _ *Event) {
	if b.Realm != nil {
		w.Realm = *b.Realm
	}
	if b.Salvage != nil {
		w.Salvage = b.Salvage
	}
	for k, n := range b.StageTurnCounts {
		w.ProcessState.StageTurnCounts[k] = n
	}
	for k, n := range b.AgentTurnCounts {
		w.ProcessState.AgentTurnCounts[k] = n
	}
	for _, i := range b.Instances {
		w.played(i.MemberID, i.Instance)
	}
}

func (b *SettingsUpdated) apply(w *World, _ *Event) { w.Settings = b.Settings }

func (b *SpectatorCommand) apply(*World, *Event) {}

func (b *AgentJoined) apply(w *World, _ *Event) {
	w.Agents = put(w.Agents, b.Agent, func(a *Agent) bool { return a.ID == b.Agent.ID })
}

func (b *AgentLeft) apply(w *World, _ *Event) {
	w.Agents = drop(w.Agents, func(a Agent) bool { return a.ID == b.AgentID })
	w.NavigationState.leave(b.AgentID)
}

func (b *AgentActivity) apply(w *World, _ *Event) {
	if a := w.Agent(b.AgentID); a != nil {
		a.Activity = b.Activity
	}
}

func (b *ArtifactSaved) apply(w *World, _ *Event) {
	spots := []spot{makerSpot(b.Artifact.AgentID)}
	w.Artifacts = put(w.Artifacts, b.Artifact, func(a *Artifact) bool {
		if a.ID == b.Artifact.ID {
			spots = append(spots, makerSpot(a.AgentID))
		}
		return a.ID == b.Artifact.ID
	})
	w.settle(spots...)
	ids := w.ProcessState.CollectedArtifacts[b.Artifact.Name]
	w.ProcessState.CollectedArtifacts[b.Artifact.Name] = put(ids, b.Artifact.ID,
		func(id *string) bool { return *id == b.Artifact.ID })
}

// put replaces the entry for which same is true, or appends v. same gets a pointer, because an
// opening calls it millions of times.
func put[T any](s []T, v T, same func(*T) bool) []T {
	for i := range s {
		if same(&s[i]) {
			s[i] = v
			return s
		}
	}
	return append(s, v)
}

func drop[T any](s []T, gone func(T) bool) []T {
	out := s[:0]
	for _, v := range s {
		if !gone(v) {
			out = append(out, v)
		}
	}
	return out
}
