package wire

import (
	"encoding/json"

	"agentdungeon/shared/world"
)

// Command is a decoded client frame.
type Command interface {
	// CommandType returns the name of the type on the wire.
	CommandType() string
	// check returns an error for a field that is missing, invalid or over its limit.
	check() *Error
}

// Hello attaches a socket to a realm. Epoch and LastSeq name the last event that the client has got. MapGeneration is
// the number of the map that the client shows. The server numbers the maps of an epoch from 0 (P10.6).
type Hello struct {
	Protocol      int     `json:"protocol"`
	RealmID       *string `json:"realmId,omitempty"`
	Epoch         *string `json:"epoch,omitempty"`
	LastSeq       *int64  `json:"lastSeq,omitempty"`
	MapGeneration *int64  `json:"mapGeneration,omitempty"`
}

// Register identifies the person at the socket.
type Register struct {
	Name  string `json:"name"`
	Color string `json:"color"`
	Seat  string `json:"seat,omitempty"`
	Tab   string `json:"tab,omitempty"`
}

// ListRealms requests realm:list.
type ListRealms struct{}

// LinkRepo creates a realm for a folder, or opens the folder's realm.
type LinkRepo struct {
	Path string `json:"path"`
}

// ResumeRealm opens a realm and switches the sender to it.
type ResumeRealm struct {
	RealmID string `json:"realmId"`
}

// RemoveRealm deletes a realm's folder. It does not touch the linked folder.
type RemoveRealm struct {
	RealmID string `json:"realmId"`
}

// StartProcess starts a staged process in the sender's realm. If Path is set, the server links that folder first.
// If Bare is set, or if the sender has no realm, the server creates a realm without a linked folder, whose subject
// is Problem.
type StartProcess struct {
	Problem    string `json:"problem"`
	TemplateID string `json:"templateId,omitempty"`
	Path       string `json:"path,omitempty"`
	Bare       bool   `json:"bare,omitempty"`
}

// TakeRole makes the sender the holder of a role of the process.
type TakeRole struct {
	RoleID string `json:"roleId"`
}

// PlayerCommand is a slash command, or a message to AgentID or to everybody.
type PlayerCommand struct {
	Text    string `json:"text"`
	AgentID string `json:"agentId,omitempty"`
}

// UpdateSettings changes some settings; see world.SettingRules.
type UpdateSettings struct {
	Settings map[string]json.RawMessage `json:"settings"`
}

// DismissAgent removes a person from a role, or removes a member that a driver plays from the map.
type DismissAgent struct {
	AgentID string `json:"agentId"`
}

// GetAgentDetails requests the frame agent:details about a member, or about a role that nobody plays now.
type GetAgentDetails struct {
	AgentID string `json:"agentId"`
}

// SpectatorSay is the command spectator:command: a person's message to everybody.
type SpectatorSay struct {
	Text string `json:"text"`
}

// ChatSend sends a message of a person into a conversation, once per requestId. If the person has several roles
// whose turn it is, MemberID names the role that answers; the default is the role that was asked first.
type ChatSend struct {
	ConversationID string `json:"conversationId"`
	Content        string `json:"content"`
	MemberID       string `json:"memberId,omitempty"`
	// SeenSeq is the seq of the newest row of a person in the sender's copy of the transcript, 0 if the server is not
	// to check it. If the transcript has a newer row of a person, the server refuses a message with Choices. It accepts
	// any other message and also sends conversation.overtaken to the sender.
	SeenSeq int64 `json:"seenSeq,omitempty"`
	// Choices are option ids of the forge's question (world.ForgeQuestion), at most MaxChoices. If
	// the message has Choices, Content may be empty.
	Choices []string `json:"choices,omitempty"`
}

// ChatCancel stops the run with this requestId. Its text so far stays and is marked as cancelled.
// Cancelling an ended run changes nothing.
type ChatCancel struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
}

// ConversationStart starts a council, a chat, a forge, or a party: a new session of the team TeamID. MemberIDs are
// roles of the template TemplateID or, if TemplateID is empty, of the current template. If MemberIDs contains the
// sender's spectatorId, the sender becomes a member of the council. A council of one agent carries out a task
// alone. A forge and a party ignore MemberIDs. A chat with StageID is about that stage of the current process. If
// the requestId is repeated, nothing starts.
type ConversationStart struct {
	Kind       string   `json:"kind"`
	MemberIDs  []string `json:"memberIds"`
	TaskPrompt string   `json:"taskPrompt,omitempty"`
	MaxTurns   int      `json:"maxTurns,omitempty"`
	Title      string   `json:"title,omitempty"`
	TemplateID string   `json:"templateId,omitempty"`
	StageID    string   `json:"stageId,omitempty"`
	TeamID     string   `json:"teamId,omitempty"`
}

// TeamList requests team:listed.
type TeamList struct{}

// TeamSet starts a session of a team, or continues an earlier one. It pauses the realm's current
// party first.
type TeamSet struct {
	TeamID          string `json:"teamId"`
	ResumeSessionID string `json:"resumeSessionId,omitempty"`
}

// TeamTakeMember makes the sender speak as the person MemberID of the team, or, if MemberID is empty, as the person
// as whom the server would take the sender's words (P14.9).
type TeamTakeMember struct {
	MemberID string `json:"memberId,omitempty"`
}

// SkillOpen requests skill:opened.
type SkillOpen struct {
	Name string `json:"name"`
}

// SkillGive gives a member a skill: its prompts then include the skill. If Taken is set, it takes the skill away
// again.
type SkillGive struct {
	Name    string `json:"name"`
	AgentID string `json:"agentId"`
	Taken   bool   `json:"taken,omitempty"`
}

// HistoryErase erases a conversation, or one person's words and identity, for good. The answer is
// sent when the bytes are removed from disk.
type HistoryErase struct {
	ConversationID string `json:"conversationId,omitempty"`
	SpectatorID    string `json:"spectatorId,omitempty"`
}

// DoorAnswer answers the question of a coding agent (P17.8). Only the person who runs the server may send it, with the
// token of the server's link. Choice is one of the door's choices. Answers are the answers to the questions of a door
// with the choice "answer": one for each question, in their order.
type DoorAnswer struct {
	DoorID  string   `json:"doorId"`
	Choice  string   `json:"choice"`
	Answers []string `json:"answers,omitempty"`
}

// AgentTell sends a message of a person to a coding agent that runs in its own program (P17.14). Only the person
// who runs the server may send it, with the token of the server's link.
type AgentTell struct {
	AgentID string `json:"agentId"`
	Text    string `json:"text"`
}

// AgentStop ends the turn of a coding agent that runs in its own program, after the tool call that runs now (P17.18).
// Only the person who runs the server may send it, with the token of the server's link.
type AgentStop struct {
	AgentID string `json:"agentId"`
}

// SessionList requests session:listed (P17.15).
type SessionList struct{}

// ConversationOpen requests a snapshot of a conversation with the newest Limit rows before the row
// Before or, if Before is absent, with the newest Limit rows of all. The default of Limit is
// ViewMessages. If Limit is 0, the snapshot has only overlays, for a client that missed deltas.
// StageID selects the rows of one stage.
type ConversationOpen struct {
	ConversationID string `json:"conversationId"`
	Before         RowRef `json:"before,omitzero"`
	Limit          *int   `json:"limit,omitempty"`
	StageID        string `json:"stageId,omitempty"`
}

// RowRef refers to a row of a transcript: by its seq (a number) or its messageId (a string).
type RowRef struct {
	Seq       int64
	MessageID string
}

// JSONSchemaAlias makes the schema declare a number. A string is also accepted, but our own clients never send one.
func (RowRef) JSONSchemaAlias() any { return int64(0) }

// MarshalJSON writes the number or the string.
func (r RowRef) MarshalJSON() ([]byte, error) {
	if r.MessageID != "" {
		return json.Marshal(r.MessageID)
	}
	return json.Marshal(r.Seq)
}

// UnmarshalJSON reads a number or a string.
func (r *RowRef) UnmarshalJSON(b []byte) error {
	*r = RowRef{}
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &r.MessageID)
	}
	return json.Unmarshal(b, &r.Seq)
}

// ConversationList requests conversation.listed: the Limit conversations that were updated last, 50 if Limit is 0. If
// Kind is set, it requests only conversations of that kind. Before and BeforeID are the time and id of the last entry
// of the previous page.
type ConversationList struct {
	Kind     string     `json:"kind,omitempty"`
	Before   world.Time `json:"before,omitempty"`
	BeforeID string     `json:"beforeId,omitempty"`
	Limit    int        `json:"limit,omitempty"`
}

// ConversationAbort ends a council, a chat, a forge or a session of a party early. Its status becomes abandoned.
type ConversationAbort struct {
	ConversationID string `json:"conversationId"`
}

// ConversationResume continues a conversation that was paused or interrupted. In a chat it repeats the answer to the
// last message; in a forge it is the same as the words "go on".
type ConversationResume struct {
	ConversationID string `json:"conversationId"`
}

// ConversationPause makes a process, a council or a party wait after the turns under way.
type ConversationPause struct {
	ConversationID string `json:"conversationId"`
}

// ConversationRename sets a conversation's title.
type ConversationRename struct {
	ConversationID string `json:"conversationId"`
	Title          string `json:"title"`
}

// ConversationClose ends a chat, a forge or a session of a party. Its status becomes completed, and it remains
// readable.
type ConversationClose struct {
	ConversationID string `json:"conversationId"`
}

// MapRoom requests a page of a room without entering it.
type MapRoom struct {
	Path string `json:"path"`
	Page int    `json:"page,omitempty"`
}

// NavigateEnter moves the sender into any room. A later NavigateBack returns to the previous room.
type NavigateEnter struct {
	Path string `json:"path"`
	Page int    `json:"page,omitempty"`
}

// NavigateBack moves the sender to the previous room.
type NavigateBack struct{}

// FileOpen reports which file, and which line of it, the sender looks at. Path is "" if they look at none.
type FileOpen struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

func (*Hello) CommandType() string              { return "hello" }
func (*Register) CommandType() string           { return "spectator:register" }
func (*ListRealms) CommandType() string         { return "player:list-realms" }
func (*LinkRepo) CommandType() string           { return "player:link-repo" }
func (*ResumeRealm) CommandType() string        { return "player:resume-realm" }
func (*RemoveRealm) CommandType() string        { return "player:remove-realm" }
func (*StartProcess) CommandType() string       { return "player:start-process" }
func (*TakeRole) CommandType() string           { return "process:take-role" }
func (*PlayerCommand) CommandType() string      { return "player:command" }
func (*UpdateSettings) CommandType() string     { return "player:update-settings" }
func (*DismissAgent) CommandType() string       { return "player:dismiss-agent" }
func (*SpectatorSay) CommandType() string       { return "spectator:command" }
func (*ChatSend) CommandType() string           { return "chat.send" }
func (*ChatCancel) CommandType() string         { return "chat.cancel" }
func (*ConversationStart) CommandType() string  { return "conversation.start" }
func (*ConversationOpen) CommandType() string   { return "conversation.open" }
func (*ConversationList) CommandType() string   { return "conversation.list" }
func (*ConversationAbort) CommandType() string  { return "conversation.abort" }
func (*ConversationResume) CommandType() string { return "conversation.resume" }
func (*ConversationPause) CommandType() string  { return "conversation.pause" }
func (*ConversationRename) CommandType() string { return "conversation.rename" }
func (*ConversationClose) CommandType() string  { return "conversation.close" }
func (*TeamList) CommandType() string           { return "team:list" }
func (*TeamSet) CommandType() string            { return "team:set" }
func (*TeamTakeMember) CommandType() string     { return "team:take-member" }
func (*SkillOpen) CommandType() string          { return "skill:open" }
func (*SkillGive) CommandType() string          { return "skill:give" }
func (*HistoryErase) CommandType() string       { return "history:erase" }
func (*DoorAnswer) CommandType() string         { return "door:answer" }
func (*AgentTell) CommandType() string          { return "agent:tell" }
func (*AgentStop) CommandType() string          { return "agent:stop" }
func (*SessionList) CommandType() string        { return "session:list" }
func (*MapRoom) CommandType() string            { return "map:room" }
func (*GetAgentDetails) CommandType() string    { return "player:get-agent-details" }
func (*NavigateEnter) CommandType() string      { return "player:navigate-enter" }
func (*NavigateBack) CommandType() string       { return "player:navigate-back" }
func (*FileOpen) CommandType() string           { return "file:open" }

// Commands returns an empty value of every client frame. scripts/schema generates the schema from
// them.
func Commands() []Command {
	return []Command{
		&Hello{}, &Register{}, &ListRealms{}, &LinkRepo{}, &ResumeRealm{}, &RemoveRealm{},
		&StartProcess{}, &TakeRole{}, &PlayerCommand{}, &UpdateSettings{}, &DismissAgent{},
		&SpectatorSay{}, &ChatSend{}, &ChatCancel{}, &ConversationStart{}, &ConversationOpen{}, &ConversationList{},
		&ConversationAbort{}, &ConversationResume{}, &ConversationPause{}, &ConversationRename{}, &ConversationClose{},
		&TeamList{}, &TeamSet{}, &TeamTakeMember{}, &SkillOpen{}, &SkillGive{}, &HistoryErase{}, &GetAgentDetails{},
		&MapRoom{}, &NavigateEnter{}, &NavigateBack{}, &DoorAnswer{}, &AgentTell{}, &AgentStop{}, &SessionList{},
		&FileOpen{},
	}
}
