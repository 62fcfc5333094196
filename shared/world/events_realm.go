package world

import (
	"fmt"
	"maps"
	"slices"
)

// RealmCreated is the first event of a realm, with its first settings.
type RealmCreated struct {
	Realm    Realm    `json:"realm"`
	Settings Settings `json:"settings"`
}

// RealmRestored is the first event each time that the realm is opened, except the first time. It reports from what
// the world was restored and what was lost. Realm is set if the realm's folder was copied or moved, so that
// its id or tenant differs from that of the restored world. Salvage is set if the database was damaged.
type RealmRestored struct {
	Source          string   `json:"source"`     // RestoredFromCheckpoint and so on
	RestoredTo      int64    `json:"restoredTo"` // seq of the last event that could be folded
	InterruptedRuns int      `json:"interruptedRuns"`
	MissingMembers  []Member `json:"missingMembers"`
	TranscriptsLost bool     `json:"transcriptsLost,omitempty"`
	Since           Time     `json:"since,omitempty"` // when the restored state was written
	SetAside        []string `json:"setAside,omitempty"`
	Realm           *Realm   `json:"realm,omitempty"`
	Salvage         *Salvage `json:"salvage,omitempty"`
	// StageTurnCounts and AgentTurnCounts are counts from the transcript, which replace the counts
	// in the world.
	StageTurnCounts map[string]int `json:"stageTurnCounts,omitempty"`
	AgentTurnCounts map[string]int `json:"agentTurnCounts,omitempty"`
	// Instances are the members' newest instances (numbered drivers) in the transcripts. Only those that the world
	// lacks, or has with a smaller number, are listed.
	Instances []Instance `json:"instances,omitempty"`
}

// Salvage counts what could be read of a damaged database. MessagesKnown and EventsKnown also count rows and events
// that could not be read, but left a trace in the database. Others can be lost without a trace. The world keeps the
// newest Salvage.
type Salvage struct {
	At            Time     `json:"at"`
	Messages      int64    `json:"messages"`
	MessagesKnown int64    `json:"messagesKnown"`
	Events        int64    `json:"events"`
	EventsKnown   int64    `json:"eventsKnown"`
	SetAside      []string `json:"setAside,omitempty"` // the new names of the damaged files, in the realm's folder
}

// String returns the counts like "155 of 167 messages, 638 of 665 events".
func (s Salvage) String() string {
	return fmt.Sprintf("%d of %d messages, %d of %d events", s.Messages, s.MessagesKnown, s.Events, s.EventsKnown)
}

// Sources of a restore.
const (
	RestoredFromCheckpoint = "checkpoint" // state.json and all later events of the journal
	RestoredFromPrevious   = "previous"   // state.prev.json and all later events
	RestoredFromBase       = "base"       // a base in realm.db and all later events
	RestoredFromJournal    = "journal"    // all events of the journal
	RestoredFromState      = "state"      // state.json alone, because realm.db was lost
	RestoredFromNothing    = "nothing"    // nothing, because both were lost: an empty realm
)

// SettingsUpdated replaces all settings.
type SettingsUpdated struct {
	Settings Settings `json:"settings"`
}

// SpectatorCommand is a message of a person to everybody.
type SpectatorCommand struct {
	SpectatorID string `json:"spectatorId"`
	Name        string `json:"name"`
	Color       string `json:"color"`
	Text        string `json:"text"`
}

// AgentJoined puts a member on the map, or replaces the agent with the same id.
type AgentJoined struct {
	Agent Agent `json:"agent"`
}

// AgentLeft removes a member from the map.
type AgentLeft struct {
	AgentID string `json:"agentId"`
	Reason  string `json:"reason"`
}

// AgentActivity sets a member's activity: ActivityReading and so on, "" for none.
type AgentActivity struct {
	AgentID        string `json:"agentId"`
	Activity       string `json:"activity"`
	Tool           string `json:"tool,omitempty"`
	ConversationID string `json:"conversationId,omitempty"`
}

// ArtifactSaved adds or replaces an artifact, also in ProcessState.CollectedArtifacts.
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
		hide:     func(b *RealmCreated) { b.Realm.Path = "" },
		personal: none("the realm's name and path are the operator's; the receipt names a realm without one"),
	})
	_ = register(facts[RealmRestored]{
		hide: func(b *RealmRestored) {
			if b.Realm != nil {
				b.Realm.Path = ""
			}
		},
		audit: func(b *RealmRestored) AuditNote {
			note := fmt.Sprintf("to %d, %d runs interrupted", b.RestoredTo, b.InterruptedRuns)
			return AuditNote{After: b.Source, Note: note}
		},
		personal: none("the missing members are agents"),
	})
	_ = register(facts[SettingsUpdated]{
		audit:    func(b *SettingsUpdated) AuditNote { return AuditNote{Settings: &b.Settings} },
		between:  true,
		personal: none("settings belong to the realm, not to a person"),
	})
	_ = register(facts[SpectatorCommand]{
		names:   func(b *SpectatorCommand) []Naming { return []Naming{{b.SpectatorID, b.Name, b.Text}} },
		between: true,
		personal: rule(nil, []string{"name", "color", "text"}, func(r *Redactor, b *SpectatorCommand, _ *Event) {
			if b.SpectatorID == r.person && r.person != "" {
				r.replace(&b.Name, ErasedName)
				r.replace(&b.Color, "#808080")
				r.replace(&b.Text, "")
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
		personal: none("the reason is a fixed text of the server"),
	})
	_ = register(facts[AgentActivity]{
		personal: none("the name of an activity"),
	})
	_ = register(facts[ArtifactSaved]{
		personal: rule([]string{"artifact.text"}, []string{"artifact.text"}, func(r *Redactor, b *ArtifactSaved, _ *Event) {
			if text, ok := r.artifacts[b.Artifact.ID]; ok {
				r.replace(&b.Artifact.Text, text)
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
	maps.Copy(w.ProcessState.StageTurnCounts, b.StageTurnCounts)
	maps.Copy(w.ProcessState.AgentTurnCounts, b.AgentTurnCounts)
	for _, i := range b.Instances {
		w.setInstance(i.MemberID, i.Instance)
	}
}

func (b *SettingsUpdated) apply(w *World, _ *Event) { w.Settings = b.Settings }

func (b *SpectatorCommand) apply(*World, *Event) {}

func (b *AgentJoined) apply(w *World, _ *Event) {
	w.Agents = upsert(w.Agents, b.Agent, func(a *Agent) bool { return a.ID == b.Agent.ID })
}

func (b *AgentLeft) apply(w *World, _ *Event) {
	w.Agents = slices.DeleteFunc(w.Agents, func(a Agent) bool { return a.ID == b.AgentID })
	w.NavigationState.leave(b.AgentID)
}

func (b *AgentActivity) apply(w *World, _ *Event) {
	if a := w.Agent(b.AgentID); a != nil {
		a.Activity = b.Activity
	}
}

func (b *ArtifactSaved) apply(w *World, _ *Event) {
	keys := []objectKey{authorKey(b.Artifact.AgentID)}
	w.Artifacts = upsert(w.Artifacts, b.Artifact, func(a *Artifact) bool {
		if a.ID == b.Artifact.ID {
			keys = append(keys, authorKey(a.AgentID))
		}
		return a.ID == b.Artifact.ID
	})
	w.updateObjects(keys...)
	ids := w.ProcessState.CollectedArtifacts[b.Artifact.Name]
	w.ProcessState.CollectedArtifacts[b.Artifact.Name] = upsert(ids, b.Artifact.ID,
		func(id *string) bool { return *id == b.Artifact.ID })
}

// AgentWord is a message of a person to a coding agent whose program runs outside of the server, or a person's request
// that the agent stop.
type AgentWord struct {
	WordID         string `json:"wordId"`
	AgentID        string `json:"agentId"`
	ConversationID string `json:"conversationId"`
	Text           string `json:"text"`
	SpectatorID    string `json:"spectatorId"`    // the person
	Name           string `json:"name,omitempty"` // name of the person; words of older servers have none
	Since          Time   `json:"since"`
	State          string `json:"state,omitempty"` // one of WordHanded and so on, "" while the word is queued
	// Stop is set if the person asks that the turn end, and says nothing: Text is empty then.
	Stop bool `json:"stop,omitempty"`
}

// States of a word (a message to an agent). The server never guesses a state: WordDelivered means that the agent's
// own record contains the word.
const (
	WordQueued    = "queued"    // the word waits for a hook of the agent
	WordHanded    = "handed"    // a hook of the agent has taken the word, but the agent's record does not show it yet
	WordDelivered = "delivered" // the agent's record shows the word
	// The session, or the turn that the word asks to end, was over before a hook has taken the word.
	WordUndelivered = "undelivered"
	// A hook has taken the message, but the session has ended and the agent's record does not contain it.
	WordUnknown = "unknown"
)

// Waits reports whether the message can still reach the agent.
func (b *AgentWord) Waits() bool { return b.State == "" || b.State == WordHanded }

// Limits of people's messages to agents (AgentWord). At most MaxAgentWords messages wait for one agent, and at most
// MaxWords in a world; the realm refuses more. Of the messages that no longer wait, the world keeps the newest
// MaxOldWords.
const (
	MaxAgentWords = 8
	MaxWords      = 32
	MaxOldWords   = 16
)

// WordTold records a person's message to a coding agent. The message waits until a hook of the agent takes it.
type WordTold struct {
	AgentWord
}

// WordMoved sets the state of a person's message to a coding agent. A later event for the same message corrects an
// earlier one.
type WordMoved struct {
	WordID         string `json:"wordId"`
	ConversationID string `json:"conversationId"`
	State          string `json:"state"`
}

func (*WordTold) EventType() string  { return "word:queued" }
func (*WordMoved) EventType() string { return "word:state" }

var (
	_ = register(facts[WordTold]{
		hosts: true,
		names: func(b *WordTold) []Naming {
			return []Naming{{SpectatorID: b.SpectatorID, Name: b.Name, Said: b.Text}}
		},
		audit: func(b *WordTold) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, Note: "word " + WordQueued}
		},
		personal: rule([]string{"text", "name"}, []string{"text", "name"}, func(r *Redactor, b *WordTold, _ *Event) {
			if r.conversations[b.ConversationID] || b.SpectatorID == r.person && r.person != "" {
				r.clear(&b.Text)
				r.clear(&b.Name)
			}
		}),
	})
	_ = register(facts[WordMoved]{
		hosts: true,
		audit: func(b *WordMoved) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, Note: "word " + b.State}
		},
		personal: none("ids and a state"),
	})
)

func (b *WordTold) apply(w *World, _ *Event) {
	s := find(w.Sessions, func(s *Session) bool { return s.ConversationID == b.ConversationID })
	if s != nil {
		s.Words = append(slices.Clone(s.Words), b.AgentWord)
	}
}

func (b *WordMoved) apply(w *World, _ *Event) {
	setWords(w.Sessions, func(s *Session) []AgentWord {
		words := slices.Clone(s.Words)
		for i := range words {
			if word := &words[i]; word.WordID == b.WordID {
				if word.State = b.State; b.State == WordQueued {
					word.State = ""
				}
			}
		}
		return words
	})
	var oldest *AgentWord
	old := 0
	for word := range Words(w.Sessions) {
		if word.Waits() {
			continue
		}
		if old++; oldest == nil || word.Since < oldest.Since {
			oldest = word
		}
	}
	if old > MaxOldWords {
		dropWords(w.Sessions, func(b *AgentWord) bool { return b.WordID == oldest.WordID })
	}
}
