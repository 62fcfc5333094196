package world

import (
	"iter"
	"path"
	"slices"
	"strings"
)

// AgentState says what a coding agent that a person runs is doing, and how the server knows it.
type AgentState struct {
	State string `json:"state"`          // one of StateWorking and so on
	Wait  string `json:"wait,omitempty"` // what an agent that is StateWaiting waits for: one of WaitPermission and so on
	// Reason is a short text such as "Bash: touch x", "" for none. Spectators do not get it.
	Reason string `json:"reason,omitempty"`
	Source string `json:"source"` // how the state is known: one of SourceStatus and so on
	Since  Time   `json:"since"`
	// Path is the file or folder of the newest tool call that ended without an error, relative to the linked folder; ""
	// for none. Edits is set if the call edited it. Journals of older versions also have the files of other calls.
	Path  string `json:"path,omitempty"`
	Edits bool   `json:"edits,omitempty"`
	// TestsFailed is the time of the agent's newest test run whose outcome is known, if it has failed; absent if it has
	// passed, or if there was none.
	TestsFailed Time `json:"testsFailed,omitempty"`
}

// AtFile reports whether the call that runs now names the file of the state: the state then says what the agent does,
// and not only what it did last. A command with other words does not count.
func (s *AgentState) AtFile() bool {
	_, of, _ := strings.Cut(s.Reason, ": ")
	return s.State == StateWorking && s.Path != "" && !strings.Contains(of, " ") && path.Base(of) == path.Base(s.Path)
}

// Values of AgentState.State.
const (
	StateWorking = "working"
	StateWaiting = "waiting" // waits for a person
	StateShell   = "shell"   // idle, but a command of the agent runs in the background
	StateIdle    = "idle"
	StateEnded   = "ended"
	StateLost    = "lost" // the process has died, or cannot be seen any more
)

// Values of AgentState.Wait.
const (
	WaitPermission = "permission"
	WaitQuestion   = "question"
	WaitPlan       = "plan"
	WaitTurn       = "turn" // the next prompt of the person
)

// Values of AgentState.Source.
const (
	SourceStatus     = "status"     // the program's status file
	SourceLock       = "lock"       // a lock that the program holds
	SourceTranscript = "transcript" // the last records of the session's transcript
	SourceHook       = "hook"       // a hook of the program
	SourceGuess      = "guess"      // a guess of the server
)

// Session is a session of a coding agent that a person runs, as far as the realm has read it.
type Session struct {
	Program        string `json:"program"`
	SessionID      string `json:"sessionId"` // the program's id
	AgentID        string `json:"agentId"`
	ConversationID string `json:"conversationId"`
	Parent         string `json:"parent,omitempty"` // AgentID of the session that started this one as a sub-agent
	// Position is where the reader continues in the session's files: see shadow.Position. It has no text of the
	// session.
	Position string `json:"position"`
	// Counted has the newest requests to a model whose tokens the ledger has counted, at most MaxCounted, the
	// newest last. Stated is what the program itself has recorded as the price of the session and its sub-agents,
	// in millionths of a dollar; 0 if it has recorded none since its newest request. Spectators get neither.
	Counted []UsageCounted `json:"counted,omitempty"`
	Stated  int64          `json:"stated,omitempty"`
	// Hears is set when a hook of the session first calls the server, until the session ends. While it is set,
	// messages of people can reach the agent (P17.14).
	Hears bool `json:"hears,omitempty"`
	// Words has the messages of people to the agent, the oldest first: see MaxWords. It is empty in an event
	// session:read and for spectators. The list is replaced and never modified.
	Words []AgentWord `json:"words,omitempty"`
}

// MaxSessions is the maximum number of sessions in a world. If there are more, the world drops the session from
// which nothing was read for the longest time. If that session continues, the realm shows it as a new conversation
// without its earlier entries.
const MaxSessions = 200

// Session returns a session of a program, or nil.
func (w *World) Session(program, sessionID string) *Session {
	return find(w.Sessions, func(s *Session) bool { return s.Program == program && s.SessionID == sessionID })
}

// SessionOf returns the session of an agent, or nil. If there are several, it returns the one that was read last.
func SessionOf(sessions []Session, agentID string) *Session {
	for i := range slices.Backward(sessions) {
		if sessions[i].AgentID == agentID {
			return &sessions[i]
		}
	}
	return nil
}

// setSession adds a session or replaces it, and moves it to the end of the list. If it replaces a session, the
// messages of people to its agent stay.
func (w *World) setSession(s Session) {
	s.Words = nil
	w.Sessions = append(slices.DeleteFunc(w.Sessions, func(other Session) bool {
		if other.Program != s.Program || other.SessionID != s.SessionID {
			return false
		}
		if other.ConversationID == s.ConversationID {
			s.Words = other.Words
		}
		return true
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

// SessionRead records the position up to which a session was read. It is committed together with the events for the
// entries before the position, so that no entry is read twice or left out.
type SessionRead struct {
	Session Session `json:"session"`
}

func (*AgentStated) EventType() string { return "agent:state" }
func (*SessionRead) EventType() string { return "session:read" }

var (
	_ = register(facts[AgentStated]{
		hush: func(b *AgentStated) { b.Reason = "" },
		personal: rule([]string{"reason"}, nil, func(r *Redactor, b *AgentStated, _ *Event) {
			if r.conversations[b.ConversationID] {
				r.clear(&b.Reason)
			}
		}),
	})
	_ = register(facts[SessionRead]{
		hide:     func(b *SessionRead) { b.Session = b.Session.ForSpectators() },
		personal: none("ids, offsets and numbers"),
	})
)

// privateID is the prefix of the ids of private conversations. Because the id itself shows that a conversation is
// private, a replay can withhold its events without reading more than their frames.
const privateID = "private-"

// IsPrivate reports whether only hosts see a conversation (P17.5).
func IsPrivate(conversationID string) bool { return strings.HasPrefix(conversationID, privateID) }

// PrivateID returns the id of a private conversation, made from the id of an ordinary one.
func PrivateID(conversationID string) string { return privateID + conversationID }

// Sight is a degree of access: which parts of a realm a client may see.
type Sight int

// Values of Sight. These parts of a realm are private: conversations with the prefix privateID, the doors
// (questions) of their agents, the reasons of the agents' states (P17.5), and the names of worktrees (P17.10).
const (
	SightWhole  Sight = iota // hosts see everything
	SightShared              // spectators to whom a host shows private parts (P17.16)
	SightPublic              // all other spectators
)

// InSight returns the parts of the world that a client with the access sight may see (P2.4, P17.5). The result shares
// these parts with w.
func (w *World) InSight(sight Sight) *World {
	if sight == SightWhole {
		return w
	}
	out := *w
	out.Realm.Path, out.Usage = "", nil
	if sight == SightPublic {
		out.Doors, out.Touches = nil, withoutWorktrees(w.Touches)
		out.Agents = slices.Clone(w.Agents)
		for i := range out.Agents {
			out.Agents[i] = out.Agents[i].ForSpectators()
		}
	}
	out.Sessions = slices.Clone(w.Sessions)
	for i := range out.Sessions {
		out.Sessions[i] = out.Sessions[i].ForSpectators()
	}
	return &out
}

// ForSpectators returns the session without the fields that spectators may not see.
func (s Session) ForSpectators() Session {
	s.Counted, s.Stated, s.Words = nil, 0, nil
	return s
}

// ForSpectators returns the agent without the fields that are private.
func (a Agent) ForSpectators() Agent {
	if a.State != nil && a.State.Reason != "" {
		state := *a.State
		state.Reason, a.State = "", &state
	}
	return a
}

// EventWithheld replaces, for a spectator, an event that only hosts may see. It has the seq and the time of that event.
// It is never stored in a journal.
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

// eraseSessions removes the reasons of the states of agents whose conversations were erased, because they quote the
// session.
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

// AgentDoor is a question of a coding agent that a person answers: whether a tool may run, or with ChoiceAnswer the
// questions in Detail. It is open until Outcome is set.
type AgentDoor struct {
	DoorID         string `json:"doorId"`
	AgentID        string `json:"agentId"`
	ConversationID string `json:"conversationId"`
	Tool           string `json:"tool"`
	Summary        string `json:"summary"`          // the tool call in a few words, such as "touch x" or "main.go"
	Detail         string `json:"detail,omitempty"` // the input of the tool call, at most MaxToolInput bytes
	// Choices are the answers that a person can give here. If there are none, the question can only be answered in the
	// agent's own terminal.
	Choices []string `json:"choices"`
	// Always says in words what the choice ChoiceAlways allows from now on, "" for nothing or unknown.
	Always string `json:"always,omitempty"`
	Since  Time   `json:"since"`
	// Until is the time from which only the agent's own terminal can answer; 0 if there are no choices or if it is
	// unknown.
	Until   Time   `json:"until,omitempty"`
	Outcome string `json:"outcome,omitempty"` // one of DoorAllowed and so on; "" while the door is open
	By      string `json:"by,omitempty"`      // spectatorId of the person who answered here, "" if nobody did
	Name    string `json:"name,omitempty"`    // name of that person; doors of older servers have none
}

// Open reports whether nobody has answered yet.
func (d *AgentDoor) Open() bool { return d.Outcome == "" }

// Choices of a door.
const (
	ChoiceAllow  = "allow"
	ChoiceAlways = "always" // allow the call, and from now on all calls that the agent suggests to allow
	ChoiceDeny   = "deny"
	ChoiceAnswer = "answer" // answer the questions of the call
)

// Outcomes of a door.
const (
	DoorAllowed  = "allowed"
	DoorAlways   = "always"
	DoorDenied   = "denied"
	DoorAnswered = "answered"
	DoorTerminal = "terminal" // the person has answered in the agent's own terminal, or the agent no longer waits
	DoorEnded    = "ended"    // the session has ended, or the server no longer reads it
)

// Bounds of the doors of a world. While MaxDoors doors are open, no other door opens, and the agent asks in its own
// terminal. The world keeps only the newest MaxClosedDoors closed doors.
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

// DoorClosed closes a door. A later event for the same door corrects an earlier one, because the agent's own record can
// show that the question was answered in the terminal before.
type DoorClosed struct {
	DoorID         string `json:"doorId"`
	ConversationID string `json:"conversationId"`
	Outcome        string `json:"outcome"`
	By             string `json:"by,omitempty"`
	Name           string `json:"name,omitempty"` // name of the person By
	// Answers are what that person answered to the questions of the door, in their order. The world does not keep
	// them: the agent's own record has them.
	Answers []string `json:"answers,omitempty"`
}

func (*DoorOpened) EventType() string { return "door:opened" }
func (*DoorClosed) EventType() string { return "door:closed" }

var (
	_ = register(facts[DoorOpened]{
		private: true,
		personal: rule([]string{"summary", "detail", "always"}, nil, func(r *Redactor, b *DoorOpened, _ *Event) {
			if r.conversations[b.ConversationID] {
				r.clear(&b.Summary)
				r.clear(&b.Detail)
				r.clear(&b.Always)
			}
		}),
	})
	_ = register(facts[DoorClosed]{
		private: true,
		names:   func(b *DoorClosed) []Naming { return []Naming{{SpectatorID: b.By, Name: b.Name}} },
		audit: func(b *DoorClosed) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, Note: "door " + b.Outcome}
		},
		personal: rule([]string{"answers[]"}, []string{"answers[]", "name"}, func(r *Redactor, b *DoorClosed, _ *Event) {
			its := b.By == r.person && r.person != ""
			if its {
				r.clear(&b.Name)
			}
			for i := range b.Answers {
				if its || r.conversations[b.ConversationID] {
					r.clear(&b.Answers[i])
				}
			}
		}),
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
	d.Outcome, d.By, d.Name = b.Outcome, b.By, b.Name
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

// Tokens has numbers of tokens, one for each kind of token that has a price of its own.
type Tokens struct {
	Input      int64 `json:"input"` // input that was not read from a cache
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"` // input that was written to a cache for 5 minutes
	CacheLong  int64 `json:"cacheLong"`  // input that was written to a cache for an hour
}

// Sum returns the number of all tokens.
func (t Tokens) Sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite + t.CacheLong }

// Plus returns the sums of the numbers of t and o.
func (t Tokens) Plus(o Tokens) Tokens {
	return Tokens{t.Input + o.Input, t.Output + o.Output, t.CacheRead + o.CacheRead, t.CacheWrite + o.CacheWrite,
		t.CacheLong + o.CacheLong}
}

// Minus returns the differences of the numbers of t and o.
func (t Tokens) Minus(o Tokens) Tokens {
	return t.Plus(Tokens{-o.Input, -o.Output, -o.CacheRead, -o.CacheWrite, -o.CacheLong})
}

// AgentUsage is a row of the ledger: the tokens that one agent has used of one model on one day, and their price.
// The numbers are sums over all requests.
type AgentUsage struct {
	AgentID        string `json:"agentId"`        // "" in a row of earlier days, see MaxUsage
	ConversationID string `json:"conversationId"` // conversation of the agent's session when the row was written
	// Name of the agent, at most MaxTitle bytes; "" after that conversation was erased.
	Name   string `json:"name,omitempty"`
	Parent string `json:"parent,omitempty"` // the agent that started this one as a sub-agent
	Model  string `json:"model"`            // name that the program gives the model, at most MaxTitle bytes
	Day    string `json:"day"`              // UTC day, such as "2026-11-24"; "" in a row of earlier days
	Tokens
	// Micros is the price, in millionths of a dollar, of all tokens except Unpriced, for which no price is known.
	Micros   int64 `json:"micros,omitempty"`
	Unpriced int64 `json:"unpriced,omitempty"`
	// Context is the number of tokens in the agent's context after its newest request, Window the size of its context; 0
	// if they are unknown.
	Context int64 `json:"context,omitempty"`
	Window  int64 `json:"window,omitempty"`
}

// UsageCounted is one request to a model that the ledger has counted. Programs record a request more than once, at
// first without all of its tokens, so a later record of it replaces the earlier one.
type UsageCounted struct {
	Key   string `json:"key"` // checksum of shadow.Usage.Key
	Day   string `json:"day"`
	Model string `json:"model"`
	Tokens
	Micros   int64 `json:"micros,omitempty"`
	Unpriced int64 `json:"unpriced,omitempty"`
}

// Limits of the ledger. A program that makes one request at a time writes all records of a request before those of
// the next, so one counted request would be enough; MaxCounted also allows for sub-agents within the file of their
// parent, as older versions wrote them. If a world has MaxUsage rows, the oldest row of an agent that is not on the
// map is added to a row for earlier days, which has a model but no agent and no day. There are at most MaxEarlier
// such rows; further models share one row without a model.
const (
	MaxCounted = 4
	MaxUsage   = 2_000
	MaxEarlier = 50
)

// UsageOf returns the row of the ledger for an agent, a model and a day, or nil.
func (w *World) UsageOf(agentID, model, day string) *AgentUsage {
	return find(w.Usage, func(u *AgentUsage) bool { return u.AgentID == agentID && u.Model == model && u.Day == day })
}

// UsageChanged sets a row of the ledger. Its numbers are the new totals and not differences.
type UsageChanged struct {
	AgentUsage
}

// EventType returns the name of the type on the wire.
func (*UsageChanged) EventType() string { return "usage:changed" }

var _ = register(facts[UsageChanged]{
	hosts: true,
	personal: rule([]string{"name"}, nil, func(r *Redactor, b *UsageChanged, _ *Event) {
		if r.conversations[b.ConversationID] {
			r.clear(&b.Name)
		}
	}),
})

// apply sets the row and moves it to the end of the list.
func (b *UsageChanged) apply(w *World, _ *Event) {
	u := b.AgentUsage
	w.Usage = slices.DeleteFunc(w.Usage, func(o AgentUsage) bool {
		return o.AgentID == u.AgentID && o.Model == u.Model && o.Day == u.Day
	})
	for len(w.Usage) >= MaxUsage {
		w.foldUsage()
	}
	w.Usage = append(w.Usage, u)
}

// foldUsage adds one row of the ledger to a row for earlier days and removes it: see MaxUsage. If there is no row
// for earlier days yet, it creates one, and the number of rows stays the same.
func (w *World) foldUsage() {
	oldest, earlier := -1, 0
	for i := range w.Usage {
		switch u := &w.Usage[i]; {
		case u.AgentID == "":
			earlier++
		case w.Agent(u.AgentID) == nil && (oldest < 0 || u.Day < w.Usage[oldest].Day):
			oldest = i
		}
	}
	// If every row belongs to an agent on the map, take the row that changed longest ago. This is rare: few agents are
	// on the map (MaxAgentsEver, MaxCoders), so it takes many days and models.
	if oldest < 0 {
		oldest = slices.IndexFunc(w.Usage, func(u AgentUsage) bool { return u.AgentID != "" })
	}
	u := w.Usage[oldest]
	w.Usage = slices.Delete(w.Usage, oldest, oldest+1)
	sum := w.UsageOf("", u.Model, "")
	if sum == nil && earlier >= MaxEarlier {
		u.Model = ""
		sum = w.UsageOf("", "", "")
	}
	if sum == nil {
		w.Usage = slices.Insert(w.Usage, 0, AgentUsage{Model: u.Model})
		sum = &w.Usage[0]
	}
	sum.Tokens, sum.Micros, sum.Unpriced = sum.Plus(u.Tokens), sum.Micros+u.Micros, sum.Unpriced+u.Unpriced
}

// eraseUsage removes the names of agents whose conversations were erased; the numbers stay.
func (w *World) eraseUsage(conversations []string) {
	for i := range w.Usage {
		if u := &w.Usage[i]; slices.Contains(conversations, u.ConversationID) {
			u.Name = ""
		}
	}
}

// Words yields the messages of people to the agents of sessions, those to one agent the oldest first. Callers must not
// modify them.
func Words(sessions []Session) iter.Seq[*AgentWord] {
	return func(yield func(*AgentWord) bool) {
		for i := range sessions {
			for j := range sessions[i].Words {
				if !yield(&sessions[i].Words[j]) {
					return
				}
			}
		}
	}
}

// WordOf returns the message with the given WordID that a person has sent to a coding agent, or nil if no session has
// it. Callers must not modify it.
func WordOf(sessions []Session, id string) *AgentWord {
	for b := range Words(sessions) {
		if b.WordID == id {
			return b
		}
	}
	return nil
}

// setWords replaces the words (messages to the agent) of each session that has any by the result of keep.
func setWords(sessions []Session, keep func(s *Session) []AgentWord) {
	for i := range sessions {
		if s := &sessions[i]; len(s.Words) > 0 {
			if s.Words = keep(s); len(s.Words) == 0 {
				s.Words = nil
			}
		}
	}
}

// dropWords removes the messages to agents for which drop returns true.
func dropWords(sessions []Session, drop func(*AgentWord) bool) {
	setWords(sessions, func(s *Session) (kept []AgentWord) {
		for i := range s.Words {
			if !drop(&s.Words[i]) {
				kept = append(kept, s.Words[i])
			}
		}
		return kept
	})
}

// eraseWords removes the messages to agents that belong to erased conversations or come from an erased person.
func eraseWords(sessions []Session, conversations []string, person string) {
	dropWords(sessions, func(b *AgentWord) bool {
		return slices.Contains(conversations, b.ConversationID) || b.SpectatorID == person && person != ""
	})
}
