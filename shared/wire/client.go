package wire

import "encoding/json"

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

func (*Hello) CommandType() string           { return "hello" }
func (*Register) CommandType() string        { return "spectator:register" }
func (*ListRealms) CommandType() string      { return "player:list-realms" }
func (*LinkRepo) CommandType() string        { return "player:link-repo" }
func (*ResumeRealm) CommandType() string     { return "player:resume-realm" }
func (*RemoveRealm) CommandType() string     { return "player:remove-realm" }
func (*StartProcess) CommandType() string    { return "player:start-process" }
func (*TakeRole) CommandType() string        { return "process:take-role" }
func (*PlayerCommand) CommandType() string   { return "player:command" }
func (*UpdateSettings) CommandType() string  { return "player:update-settings" }
func (*DismissAgent) CommandType() string    { return "player:dismiss-agent" }
func (*SpectatorSay) CommandType() string    { return "spectator:command" }
func (*ChatSend) CommandType() string        { return "chat.send" }
func (*MapRoom) CommandType() string         { return "map:room" }
func (*GetAgentDetails) CommandType() string { return "player:get-agent-details" }
func (*NavigateEnter) CommandType() string   { return "player:navigate-enter" }
func (*NavigateBack) CommandType() string    { return "player:navigate-back" }

// Commands gives an empty value of every client frame: the source of the schema.
func Commands() []Command {
	return []Command{
		&Hello{}, &Register{}, &ListRealms{}, &LinkRepo{}, &ResumeRealm{}, &RemoveRealm{},
		&StartProcess{}, &TakeRole{}, &PlayerCommand{}, &UpdateSettings{}, &DismissAgent{},
		&SpectatorSay{}, &ChatSend{}, &GetAgentDetails{}, &MapRoom{}, &NavigateEnter{}, &NavigateBack{},
	}
}
