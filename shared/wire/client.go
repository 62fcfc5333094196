package wire

import (
	"encoding/json"

	"agentdungeon/shared/world"
)

// Command is a decoded client frame.
type Command interface {
	// CommandType is its name on the wire.
	CommandType() string
	// check holds the limits of its fields.
	check() *Error
}

// Hello attaches a socket to a realm.
type Hello struct {
	Protocol int     `json:"protocol"`
	RealmID  *string `json:"realmId,omitempty"`
	Epoch    *string `json:"epoch,omitempty"`
	LastSeq  *int64  `json:"lastSeq,omitempty"`
}

// Register says who sits at this socket.
type Register struct {
	Name  string `json:"name"`
	Color string `json:"color"`
	Seat  string `json:"seat,omitempty"`
	Tab   string `json:"tab,omitempty"`
}

// ListRealms asks for realm:list.
type ListRealms struct{}

// LinkRepo makes a realm of a folder, or opens the one it has.
type LinkRepo struct {
	Path string `json:"path"`
}

// ResumeRealm opens a realm and moves the sender there.
type ResumeRealm struct {
	RealmID string `json:"realmId"`
}

// RemoveRealm deletes a realm's folder; the linked folder is not touched.
type RemoveRealm struct {
	RealmID string `json:"realmId"`
}

// StartProcess begins a staged process in the sender's realm. With Path it links
// that folder first; with Bare, and where the sender has no realm, it makes a bare
// realm of the problem.
type StartProcess struct {
	Problem    string `json:"problem"`
	TemplateID string `json:"templateId,omitempty"`
	Path       string `json:"path,omitempty"`
	Bare       bool   `json:"bare,omitempty"`
}

// TakeRole makes the sender the holder of a role.
type TakeRole struct {
	RoleID string `json:"roleId"`
}

// PlayerCommand is words or a slash command.
type PlayerCommand struct {
	Text    string `json:"text"`
	AgentID string `json:"agentId,omitempty"`
}

// UpdateSettings changes some settings; the raw object is checked by name.
type UpdateSettings struct {
	Settings map[string]json.RawMessage `json:"settings"`
}

// DismissAgent frees a role or ends a driver.
type DismissAgent struct {
	AgentID string `json:"agentId"`
}

// GetAgentDetails asks what is known of a member; a role that nobody plays now counts.
type GetAgentDetails struct {
	AgentID string `json:"agentId"`
}

// SpectatorSay is spectator:command: a word to everybody.
type SpectatorSay struct {
	Text string `json:"text"`
}

// ChatSend sends a person's words into a conversation, once per requestId.
// MemberID says which of several asked roles answers, for a person who holds
// more than one; without it the one that was asked first.
type ChatSend struct {
	ConversationID string `json:"conversationId"`
	Content        string `json:"content"`
	MemberID       string `json:"memberId,omitempty"`
	// SeenSeq is the newest row of a person that the sender has seen: where somebody
	// said something after it, the words are taken all the same and the sender is told
	// (conversation.overtaken). 0 asks for nothing.
	SeenSeq int64 `json:"seenSeq,omitempty"`
	// Choices are ids of options of the question that waits (World's Forge), at most
	// MaxChoices; with them Content may be empty.
	Choices []string `json:"choices,omitempty"`
}

// ChatCancel stops the run of a request; its words so far stay, marked. Its requestId
// on the wire is the run's, so it is no id of its own; asking twice changes nothing.
type ChatCancel struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
}

// ConversationStart begins a council, a chat, a forge, or a new session of the team
// TeamID, which is a party. A forge and a party name no members. A council of one agent is a task for
// it. MemberIDs are roles of the template at hand, or of TemplateID; the sender's own
// spectatorId makes the sender a member of a council. StageID makes a chat talk over
// that stage of the current process. Starting again with the same requestId starts
// nothing.
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

// TeamList asks for team:listed.
type TeamList struct{}

// TeamSet begins a session of a team, or goes on with an earlier one: whatever party the
// realm had comes to rest first.
type TeamSet struct {
	TeamID          string `json:"teamId"`
	ResumeSessionID string `json:"resumeSessionId,omitempty"`
}

// TeamTakeMember has the sender speak as a person of the team, as the only or first free
// one without a name.
type TeamTakeMember struct {
	MemberID string `json:"memberId,omitempty"`
}

// SkillOpen asks for skill:opened.
type SkillOpen struct {
	Name string `json:"name"`
}

// SkillGive has a member be told a skill from its next turn on, or with Taken not any
// more.
type SkillGive struct {
	Name    string `json:"name"`
	AgentID string `json:"agentId"`
	Taken   bool   `json:"taken,omitempty"`
}

// HistoryErase erases a conversation, or one person's words and identity, for good. It
// is answered once the bytes are gone.
type HistoryErase struct {
	ConversationID string `json:"conversationId,omitempty"`
	SpectatorID    string `json:"spectatorId,omitempty"`
}

// ConversationOpen asks for a snapshot of a conversation: the newest Limit rows before
// the row at Before (a row's seq), or the newest of all. Limit 0 gives no rows but the
// overlays, which mends a hole; absent, it is ViewMessages. Stage gives rows of that
// stage alone.
type ConversationOpen struct {
	ConversationID string `json:"conversationId"`
	Before         RowRef `json:"before,omitzero"`
	Limit          *int   `json:"limit,omitempty"`
	StageID        string `json:"stageId,omitempty"`
}

// RowRef names a row of a transcript: by its seq (a number), or by its messageId (a
// string).
type RowRef struct {
	Seq       int64
	MessageID string
}

// JSONSchemaAlias has the schema say what our own clients send.
func (RowRef) JSONSchemaAlias() any { return int64(0) }

// MarshalJSON writes the number or the string.
func (r RowRef) MarshalJSON() ([]byte, error) {
	if r.MessageID != "" {
		return json.Marshal(r.MessageID)
	}
	return json.Marshal(r.Seq)
}

// UnmarshalJSON takes both.
func (r *RowRef) UnmarshalJSON(b []byte) error {
	*r = RowRef{}
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &r.MessageID)
	}
	return json.Unmarshal(b, &r.Seq)
}

// ConversationList asks for conversation.listed: the newest Limit (50 unless given) of
// a kind, or of all, that were updated before Before, or at that time and stand behind
// BeforeID in the list.
type ConversationList struct {
	Kind     string     `json:"kind,omitempty"`
	Before   world.Time `json:"before,omitempty"`
	BeforeID string     `json:"beforeId,omitempty"`
	Limit    int        `json:"limit,omitempty"`
}

// ConversationAbort ends a council or a chat before its time.
type ConversationAbort struct {
	ConversationID string `json:"conversationId"`
}

// ConversationResume goes on with what was paused, interrupted or cut off; in a chat it
// answers the last words again.
type ConversationResume struct {
	ConversationID string `json:"conversationId"`
}

// ConversationPause has a council wait after the turn under way.
type ConversationPause struct {
	ConversationID string `json:"conversationId"`
}

// ConversationRename gives another title.
type ConversationRename struct {
	ConversationID string `json:"conversationId"`
	Title          string `json:"title"`
}

// ConversationClose ends a chat: it stays readable.
type ConversationClose struct {
	ConversationID string `json:"conversationId"`
}

// MapRoom asks for a page of a room, to look into it from where one is.
type MapRoom struct {
	Path string `json:"path"`
	Page int    `json:"page,omitempty"`
}

// NavigateEnter takes the sender into a room: a neighbour or, as a jump, any
// other. Where it was before is on its way back.
type NavigateEnter struct {
	Path string `json:"path"`
	Page int    `json:"page,omitempty"`
}

// NavigateBack takes the sender to the room before.
type NavigateBack struct{}

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
func (*MapRoom) CommandType() string            { return "map:room" }
func (*GetAgentDetails) CommandType() string    { return "player:get-agent-details" }
func (*NavigateEnter) CommandType() string      { return "player:navigate-enter" }
func (*NavigateBack) CommandType() string       { return "player:navigate-back" }

// Commands gives an empty value of every client frame: the source of the schema.
func Commands() []Command {
	return []Command{
		&Hello{}, &Register{}, &ListRealms{}, &LinkRepo{}, &ResumeRealm{}, &RemoveRealm{},
		&StartProcess{}, &TakeRole{}, &PlayerCommand{}, &UpdateSettings{}, &DismissAgent{},
		&SpectatorSay{}, &ChatSend{}, &ChatCancel{}, &ConversationStart{}, &ConversationOpen{}, &ConversationList{},
		&ConversationAbort{}, &ConversationResume{}, &ConversationPause{}, &ConversationRename{}, &ConversationClose{},
		&TeamList{}, &TeamSet{}, &TeamTakeMember{}, &SkillOpen{}, &SkillGive{}, &HistoryErase{}, &GetAgentDetails{},
		&MapRoom{}, &NavigateEnter{}, &NavigateBack{},
	}
}
