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
	out.Realm.Path, out.Doors, out.Touches = "", nil, withoutWorktrees(w.Touches)
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

// AgentDoor is a question of a coding agent that a person answers: whether a tool may run. It is open until Outcome is
// set.
type AgentDoor struct {
	DoorID         string `json:"doorId"`
	AgentID        string `json:"agentId"`
	ConversationID string `json:"conversationId"`
	Tool           string `json:"tool"`
	Summary        string `json:"summary"`          // the call in a few words, such as "touch x" or "main.go"
	Detail         string `json:"detail,omitempty"` // the whole input of the call, as far as MaxToolInput
	// Choices are the answers that a person can give: values of Choice. Without any the question is answered in the
	// agent's own terminal.
	Choices []string `json:"choices"`
	Since   Time     `json:"since"`
	Outcome string   `json:"outcome,omitempty"` // one of DoorAllowed and so on; "" while the door is open
	By      string   `json:"by,omitempty"`      // SpectatorID of the person who answered, "" for nobody here
}

// Open reports whether nobody has answered yet.
func (d *AgentDoor) Open() bool { return d.Outcome == "" }

// Choices of a door.
const (
	ChoiceAllow  = "allow"
	ChoiceAlways = "always" // allow it, and what the agent itself suggests to allow from now on
	ChoiceDeny   = "deny"
)

// Outcomes of a door.
const (
	DoorAllowed  = "allowed"
	DoorAlways   = "always"
	DoorDenied   = "denied"
	DoorTerminal = "terminal" // decided in the agent's own terminal, or the agent has moved on
	DoorEnded    = "ended"    // the session is over
)

// Bounds of the doors of a world. With MaxDoors open ones no other opens, and the agent's own terminal asks. Of closed
// doors the world keeps the newest MaxClosedDoors.
const (
	MaxDoors       = 64
	MaxClosedDoors = 16
)

// Door returns a door, or nil.
func (w *World) Door(id string) *AgentDoor {
	return find(w.Doors, func(d *AgentDoor) bool { return d.DoorID == id })
}

// DoorOpened adds a door, or replaces the one with the same id.
type DoorOpened struct {
	AgentDoor
}

// DoorClosed closes a door. A later one corrects an earlier one: the agent's own record can show that its terminal was
// faster.
type DoorClosed struct {
	DoorID         string `json:"doorId"`
	ConversationID string `json:"conversationId"`
	Outcome        string `json:"outcome"`
	By             string `json:"by,omitempty"`
}

func (*DoorOpened) EventType() string { return "door:opened" }
func (*DoorClosed) EventType() string { return "door:closed" }

var (
	_ = register(facts[DoorOpened]{
		private: true,
		personal: rule([]string{"summary", "detail"}, nil, func(r *Redactor, b *DoorOpened, _ *Event) {
			if r.conversations[b.ConversationID] {
				r.clear(&b.Summary)
				r.clear(&b.Detail)
			}
		}),
	})
	_ = register(facts[DoorClosed]{
		private: true,
		audit: func(b *DoorClosed) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, Note: "door " + b.Outcome}
		},
		personal: none("ids and an outcome"),
	})
)

func (b *DoorOpened) apply(w *World, _ *Event) {
	if d := w.Door(b.DoorID); d != nil {
		*d = b.AgentDoor
		return
	}
	w.Doors = append(w.Doors, b.AgentDoor)
}

func (b *DoorClosed) apply(w *World, _ *Event) {
	d := w.Door(b.DoorID)
	if d == nil {
		return
	}
	d.Outcome, d.By = b.Outcome, b.By
	closed := 0
	for i := range w.Doors {
		if !w.Doors[i].Open() {
			closed++
		}
	}
	w.Doors = slices.DeleteFunc(w.Doors, func(d AgentDoor) bool {
		if d.Open() || closed <= MaxClosedDoors {
			return false
		}
		closed--
		return true
	})
}

// eraseDoors removes the doors of conversations that were erased.
func (w *World) eraseDoors(conversations []string) {
	w.Doors = slices.DeleteFunc(w.Doors, func(d AgentDoor) bool {
		return slices.Contains(conversations, d.ConversationID)
	})
}
