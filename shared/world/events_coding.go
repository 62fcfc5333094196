package world

import (
	"slices"
	"strings"
)

// AgentState is what a coding agent that a person runs does, and how that is known.
type AgentState struct {
	State string `json:"state"`          // one of StateWorking and so on
	Wait  string `json:"wait,omitempty"` // what an agent that is StateWaiting waits for: one of WaitPermission and so on
	// Reason is a short text such as "Bash: touch x", "" for none. Spectators do not get it.
	Reason string `json:"reason,omitempty"`
	Source string `json:"source"` // how the state is known: one of SourceStatus and so on
	Since  Time   `json:"since"`
	// Path is the file or folder that the agent reads or edits, relative to the linked folder; "" for none. Edits is set
	// if the agent edits it.
	Path  string `json:"path,omitempty"`
	Edits bool   `json:"edits,omitempty"`
}

// Values of AgentState.State.
const (
	StateWorking = "working"
	StateWaiting = "waiting" // for a person
	StateShell   = "shell"   // idle, while a command runs in the background
	StateIdle    = "idle"
	StateEnded   = "ended"
	StateLost    = "lost" // the process has died, or cannot be seen any more
)

// Values of AgentState.Wait.
const (
	WaitPermission = "permission"
	WaitQuestion   = "question"
	WaitPlan       = "plan"
	WaitTurn       = "turn" // the next prompt
)

// Values of AgentState.Source.
const (
	SourceStatus     = "status"     // the program's status file
	SourceLock       = "lock"       // a lock that the program holds
	SourceTranscript = "transcript" // the last records
	SourceHook       = "hook"       // the program itself
	SourceGuess      = "guess"      // likely, and not known
)

// Session is a session of a coding agent that a person runs, as far as the realm has read it.
type Session struct {
	Program        string `json:"program"`
	SessionID      string `json:"sessionId"` // the program's id
	AgentID        string `json:"agentId"`
	ConversationID string `json:"conversationId"`
	Parent         string `json:"parent,omitempty"` // AgentID of the session that started this one as a sub-agent
	// Position is where reading goes on: see shadow.Position. It has no text of the session.
	Position string `json:"position"`
}

// MaxSessions is the maximum number of sessions in a world. Beyond it the world drops the session that was read longest
// ago; if that session goes on, the realm shows it as a new conversation, from the place where reading then begins.
const MaxSessions = 200

// Session returns a session of a program, or nil.
func (w *World) Session(program, sessionID string) *Session {
	return find(w.Sessions, func(s *Session) bool { return s.Program == program && s.SessionID == sessionID })
}

// setSession adds or replaces a session and puts it last.
func (w *World) setSession(s Session) {
	w.Sessions = append(slices.DeleteFunc(w.Sessions, func(other Session) bool {
		return other.Program == s.Program && other.SessionID == s.SessionID
	}), s)
	if over := len(w.Sessions) - MaxSessions; over > 0 {
		w.Sessions = slices.Clone(w.Sessions[over:])
	}
}

// AgentStated sets the state of a coding agent that a person runs. ConversationID is the conversation of its session.
type AgentStated struct {
	AgentID        string `json:"agentId"`
	ConversationID string `json:"conversationId"`
	AgentState
}

// SessionRead records up to where a session was read. It is committed with the events of what was read, so that nothing
// is read twice or left out.
type SessionRead struct {
	Session Session `json:"session"`
}

func (*AgentStated) EventType() string { return "agent:state" }
func (*SessionRead) EventType() string { return "session:read" }

var (
	_ = register(facts[AgentStated]{
		hide: func(b *AgentStated) { b.Reason = "" },
		personal: rule([]string{"reason"}, nil, func(r *Redactor, b *AgentStated, _ *Event) {
			if r.conversations[b.ConversationID] {
				r.clear(&b.Reason)
			}
		}),
	})
	_ = register(facts[SessionRead]{personal: none("ids and offsets")})
)

// privateID is the beginning of the ids of private conversations. The id itself says that a conversation is private, so
// that an event of it is withheld in a replay, too, when nothing else is known of it.
const privateID = "private-"

// IsPrivate reports whether only hosts see a conversation (P17.5).
func IsPrivate(conversationID string) bool { return strings.HasPrefix(conversationID, privateID) }

// PrivateID returns the id of a private conversation for the id of a conversation.
func PrivateID(conversationID string) string { return privateID + conversationID }

// ForSpectators returns the world as spectators get it (P2.4, P17.5). It shares what it does not hide with w.
func (w *World) ForSpectators() *World {
	out := *w
	out.Realm.Path, out.Doors = "", nil
	out.Agents = slices.Clone(w.Agents)
	for i := range out.Agents {
		out.Agents[i] = out.Agents[i].ForSpectators()
	}
	return &out
}

// ForSpectators returns the agent as spectators get it.
func (a Agent) ForSpectators() Agent {
	if a.State != nil && a.State.Reason != "" {
		state := *a.State
		state.Reason, a.State = "", &state
	}
	return a
}

// EventWithheld is what a spectator gets in the place of an event that only hosts see: it has the seq and the time of
// that event. No journal has it.
type EventWithheld struct{}

// EventType returns the name of the type on the wire.
func (*EventWithheld) EventType() string { return "event:withheld" }

func (*EventWithheld) apply(*World, *Event) {}

var _ = register(facts[EventWithheld]{personal: none("nothing")})

func (b *AgentStated) apply(w *World, _ *Event) {
	a := w.Agent(b.AgentID)
	if a == nil {
		return
	}
	state := b.AgentState
	a.State = &state
	if a.Status = AgentIdle; b.State == StateWorking {
		a.Status = AgentRunning
	}
}

func (b *SessionRead) apply(w *World, _ *Event) { w.setSession(b.Session) }

// eraseSessions removes the reasons of the states of agents whose conversations were erased.
func (w *World) eraseSessions(conversations []string) {
	for _, s := range w.Sessions {
		a := w.Agent(s.AgentID)
		if a == nil || a.State == nil || !slices.Contains(conversations, s.ConversationID) {
			continue
		}
		state := *a.State
		state.Reason = ""
		a.State = &state
	}
}
