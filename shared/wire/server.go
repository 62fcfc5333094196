package wire

import (
	"encoding/json"

	"agentdungeon/shared/frame"
	"agentdungeon/shared/world"
)

// Frame is a message from server to client that is not a durable event.
type Frame interface {
	// FrameType returns the name of the type on the wire.
	FrameType() string
}

// Roles of a connection.
const (
	RoleHost      = "host"
	RoleSpectator = "spectator"
)

// Values of ServerInfo.GamePhase: the socket watches no realm, a folder is being linked, or it watches a realm.
const (
	PhaseOnboarding = "onboarding"
	PhaseAnalyzing  = "analyzing"
	PhasePlaying    = "playing"
)

// ServerInfo is the first frame of every connection. The server sends it again before it attaches
// the socket to another realm.
type ServerInfo struct {
	Protocol  int      `json:"protocol"`
	Version   string   `json:"version"`
	GamePhase string   `json:"gamePhase"`
	RealmID   *string  `json:"realmId"`
	Epoch     *string  `json:"epoch"`
	Seq       int64    `json:"seq"`
	Addresses []string `json:"addresses"`
	Port      int      `json:"port"`
	Role      string   `json:"role"`
	// Guest is that of SpectatorWelcome, so that the page does not first ask somebody for a name who may not answer.
	Guest bool `json:"guest,omitempty"`
	// Offer is the folder that the page suggests to link: the server's working directory. It is empty for
	// spectators.
	Offer string `json:"offer,omitempty"`
	// Templates are the templates for player:start-process: first those of which drivers play all roles, then those
	// of which drivers play some roles, then the others.
	Templates []TemplateInfo `json:"templates"`
	// Driver says what kind of driver plays the roles that no person holds: DriverNone and so on.
	Driver string `json:"driver"`
}

// TemplateInfo describes a process template.
type TemplateInfo struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Roles       []string `json:"roles"`
	Stages      []string `json:"stages"`
	// Driver says what kind of driver plays the roles with CastInfo.Played while no person holds them: DriverNone
	// and so on.
	Driver string     `json:"driver"`
	Cast   []CastInfo `json:"cast"` // the template's roles, in order
}

// CastInfo is a role of a template.
type CastInfo struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Color string `json:"color"`
	// Played is set if the server has a driver for the role, so that people can talk to it.
	Played bool `json:"played,omitempty"`
}

// Values of Driver.
const (
	DriverNone   = "none"   // no driver: people play all roles
	DriverScout  = "scout"  // the checks of a code review
	DriverModel  = "model"  // -model-url
	DriverScript = "script" // -script FILE
)

// Values of Welcome.Continuity: replay means that the events after the position of the client follow, snapshot that
// a snapshot follows, and none that the socket is attached to no realm.
const (
	ContinuityReplay   = "replay"
	ContinuitySnapshot = "snapshot"
	ContinuityNone     = "none"
)

// Values of Welcome.Reason with ContinuitySnapshot.
const (
	SnapshotFirst        = "first"
	SnapshotUnknownEpoch = "unknown_epoch"
	SnapshotFuture       = "future"
	SnapshotDiverged     = "diverged"
	SnapshotTrimmed      = "trimmed"
	SnapshotErased       = "erased"
	SnapshotTooFar       = "too_far"
	SnapshotSwitched     = "switched" // a host has changed what spectators may see
	SnapshotDamaged      = "damaged"  // events that the replay needs cannot be read
)

// Welcome answers hello. All further frames are about the realm that Welcome names.
type Welcome struct {
	RealmID       *string `json:"realmId"`
	Continuity    string  `json:"continuity"`
	Reason        string  `json:"reason,omitempty"`
	Epoch         *string `json:"epoch"`
	From          int64   `json:"from"`
	To            int64   `json:"to"`
	MapGeneration int64   `json:"mapGeneration"`
}

// WorldState is a snapshot of a realm. The server encodes World and Conversations once and sends the same bytes to
// all clients. Recent has the newest of the events, up to Seq, that clients show between the rows of a transcript
// (world.Facts), oldest first, at most RecentEvents and RecentBytes. Rooms has a map:change with the first page of
// each room with agents, at most RoomsBytes.
type WorldState struct {
	Seq           int64             `json:"seq"`
	Epoch         string            `json:"epoch"`
	World         json.RawMessage   `json:"world"`
	Conversations json.RawMessage   `json:"conversations"`
	Recent        []json.RawMessage `json:"recent"`
	Rooms         []json.RawMessage `json:"rooms"`
	Spectators    []Spectator       `json:"spectators"`
}

// Overlay is the text so far of an open segment. Next is the number of its next delta.
type Overlay struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	Text           string `json:"text"`
	Next           int    `json:"next"`
}

// Place is the current position of a walking agent. X and Y are a tile of the agent's walk: in the room of Folder if
// Inside is set, otherwise on the overworld.
type Place struct {
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Folder string `json:"realm,omitempty"`
	Inside bool   `json:"inside,omitempty"`
}

// Overlays is the last frame after an attach. It has the state that no event stores: open segments by message id
// and walking agents by member id.
type Overlays struct {
	Segments map[string]Overlay `json:"segments"`
	Agents   map[string]Place   `json:"agents"`
}

// Spectator is a person at a browser.
type Spectator struct {
	SpectatorID string `json:"spectatorId"`
	Name        string `json:"name"`
	Color       string `json:"color"`
	Role        string `json:"role"`
	// Path and Line are the file that the person has open and the line that they look at (P19.5); "" and 0 for
	// none.
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
}

// SpectatorWelcome answers spectator:register. Seat is the secret that identifies the spectator in
// a later spectator:register.
type SpectatorWelcome struct {
	RequestID   string `json:"requestId,omitempty"`
	SpectatorID string `json:"spectatorId"`
	Name        string `json:"name"`
	Color       string `json:"color"`
	Role        string `json:"role"`
	Seat        string `json:"seat"`
	// Guest is set for a host who has not sent the token of the server's link. Such a host may not answer doors
	// (P17.8).
	Guest bool `json:"guest,omitempty"`
}

// SpectatorList lists the connected spectators, at most MaxSpectators; Count is the number of all. Unnamed is the
// number of connections that watch and have not registered. The server sends one SpectatorList for several changes
// that follow each other quickly.
type SpectatorList struct {
	Count      int         `json:"count"`
	Unnamed    int         `json:"unnamed,omitempty"`
	Spectators []Spectator `json:"spectators"`
	// Left has the people who left while they held a role of the process, since the realm was opened, the latest last, at
	// most MaxLeft. They keep the role, and others wait for them.
	Left []Left `json:"left,omitempty"`
}

// Left says when a person closed their last connection to the realm.
type Left struct {
	SpectatorID string     `json:"spectatorId"`
	At          world.Time `json:"at"`
}

// RealmInfo is a row of realm:list.
type RealmInfo struct {
	ID           string     `json:"id"`
	Name         string     `json:"name"`
	Path         string     `json:"path"`
	LastExplored world.Time `json:"lastExplored"`
	Stage        string     `json:"stage,omitempty"`
	Status       string     `json:"status"`
	Files        int        `json:"files"`
	Findings     int        `json:"findings"`
	Bytes        int64      `json:"bytes"`
	ChangesSince int        `json:"changesSince,omitempty"`
	// Councils is the number of councils that run or are queued.
	Councils int `json:"talks,omitempty"`
	// Early is set if a person ended the realm's process before its last stage had ended.
	Early bool `json:"early,omitempty"`
}

// RealmList answers player:list-realms.
type RealmList struct {
	RequestID         string      `json:"requestId,omitempty"`
	Realms            []RealmInfo `json:"realms"`
	LastActiveRealmID string      `json:"lastActiveRealmId"`
}

// RealmProgress tells the person who links a folder which part of the scan and of the opening of the realm is done.
type RealmProgress struct {
	RequestID string `json:"requestId,omitempty"`
	Phase     string `json:"phase"` // "scanning", "opening"
	Done      int    `json:"done"`
	Total     int    `json:"total"` // the value of Done at the end, 0 if it is not known yet
}

// RealmRemoved reports that a realm was removed.
type RealmRemoved struct {
	RequestID string `json:"requestId,omitempty"`
	RealmID   string `json:"realmId"`
}

// ProcessTurn tells a person at once that the plan asks them for a turn. A client that attaches later finds the
// same request in the plan of the conversation (world.Ask).
type ProcessTurn struct {
	ConversationID string     `json:"conversationId"`
	RequestID      string     `json:"requestId"`
	RoleID         string     `json:"roleId"`
	MemberID       string     `json:"memberId"`
	Until          world.Time `json:"until,omitempty"`
	Prompt         string     `json:"prompt"`
}

// AgentThought is a thought of an agent, which its driver has reported. It is not stored.
type AgentThought struct {
	AgentID string `json:"agentId"`
	Text    string `json:"text"`
}

// ProcessProgress says how many of all files the agents of a process have read. It is not stored.
type ProcessProgress struct {
	ConversationID string `json:"conversationId"`
	Read           int    `json:"read"`
	Total          int    `json:"total"`
}

// ChatDelta is the next piece of an open segment's text. N counts the pieces of the segment from 0.
type ChatDelta struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MessageID      string `json:"messageId"`
	N              int    `json:"n"`
	Text           string `json:"text"`
}

// Object is an item in a room that stands for a file or a link. Kind is "file", "doc", "config", "test" or "link".
type Object struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	Path string `json:"path"`
	// Language is the file's language according to the extension of its name; "" if there is none or a rare one.
	Language string `json:"language,omitempty"`
	X        int    `json:"x"`
	Y        int    `json:"y"`
	Size     int64  `json:"size,omitempty"`
	// Changed is the time of the last change that the server has seen, and What is the kind of that change. Both are
	// absent if the file is committed and has not changed recently.
	Changed world.Time `json:"changed,omitempty"`
	What    string     `json:"what,omitempty"` // ChangeCreated, ChangeChanged or ChangeRenamed
	// Committed is true if the file equals HEAD and false if it differs. The field is absent if the
	// folder is no git repository.
	Committed *bool `json:"committed,omitempty"`
	Past
}

// Past is the git history of a file or folder, as far as the server has read it. Touched is the
// time of the last commit that changed the file, or a file below the folder. Commits counts the
// commits that changed the file under its present name, without merges; it is 0 for a folder.
type Past struct {
	Touched world.Time `json:"touched,omitempty"`
	Commits int        `json:"commits,omitempty"`
}

// SessionsListed answers session:list: the sessions of coding agents that the server follows for the realm or that the
// realm shows, at most MaxListed, and numbers about each program since the server's start (P17.15).
type SessionsListed struct {
	RequestID string          `json:"requestId,omitempty"`
	Sessions  []CodingSession `json:"sessions"`
	Programs  []CodingProgram `json:"programs"`
}

// CodingSession is one session of a coding agent.
type CodingSession struct {
	Program        string     `json:"program"`
	SessionID      string     `json:"sessionId"`
	AgentID        string     `json:"agentId"`
	ConversationID string     `json:"conversationId,omitempty"`
	Parent         string     `json:"parent,omitempty"` // AgentID of the session that started this one as a sub-agent
	Title          string     `json:"title,omitempty"`
	Dir            string     `json:"dir,omitempty"` // working directory of the agent
	State          string     `json:"state,omitempty"`
	Wait           string     `json:"wait,omitempty"`
	Source         string     `json:"source,omitempty"`
	Since          world.Time `json:"since,omitempty"` // time since which the agent is in this state
	Alive          bool       `json:"alive"`           // a process of the program holds the session
	Hears          bool       `json:"hears"`           // words reach the session, because one of its hooks has reported
	// Terminal is the command that shows the terminal of the session, "" if the session runs in no terminal that can be
	// shown.
	Terminal string `json:"terminal,omitempty"`
}

// Door is a door of a room to a folder. Back is set for the door to the parent.
type Door struct {
	ID    string `json:"id"`
	Path  string `json:"path"`
	Name  string `json:"name"`
	X     int    `json:"x"`
	Y     int    `json:"y"`
	Back  bool   `json:"back,omitempty"`
	Files int    `json:"files"` // number of files below the folder, on all levels
	// Changed is the time of the latest change below the folder. Uncommitted is the number of files below the folder
	// that differ from HEAD.
	Changed     world.Time `json:"changed,omitempty"`
	Uncommitted int        `json:"uncommitted,omitempty"`
	Past
}

// Part is the area of a room with files of one kind, sorted by name. Language is the language of all of them, "" if
// they have several.
type Part struct {
	Kind     string `json:"kind"`
	Language string `json:"language,omitempty"`
	X        int    `json:"x"`
	Y        int    `json:"y"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
}

// Room is a page of a folder. The tiles of Walls and the outermost tiles except the doors are
// walls. All tiles without a wall or an object are walkable.
type Room struct {
	Path       string        `json:"path"`
	Generation int64         `json:"generation"`
	Width      int           `json:"width"`
	Height     int           `json:"height"`
	Objects    []Object      `json:"objects"`
	Doors      []Door        `json:"doors"`
	Parts      []Part        `json:"parts"`
	Walls      []world.Point `json:"walls"`
	// Gone lists the files and folders that were removed or moved away recently.
	Gone []FileChange `json:"gone"`
}

// MaxDetails is the maximum number of insights in AgentDetails.
const MaxDetails = 30

// AgentDetails answers player:get-agent-details. Agent is absent for a role that nobody plays now.
// Findings has the ids of the member's findings that are not withdrawn, Quests the ids of the
// quests that the member found.
type AgentDetails struct {
	RequestID string          `json:"requestId,omitempty"`
	AgentID   string          `json:"agentId"`
	Agent     *world.Agent    `json:"agent,omitempty"`
	Role      string          `json:"role"`
	Persona   string          `json:"persona,omitempty"`
	Insights  []world.Insight `json:"insights"` // newest first, at most MaxDetails
	Findings  []string        `json:"findings"`
	Quests    []string        `json:"quests"`
}

// MapChange answers map:room, player:navigate-enter and player:navigate-back.
type MapChange struct {
	RequestID string `json:"requestId,omitempty"`
	Path      string `json:"path"`
	Room      Room   `json:"room"`
	Page      int    `json:"page"`
	Pages     int    `json:"pages"`
	// Back is set if there is a room for player:navigate-back. It is absent in answers to
	// map:room.
	Back bool `json:"back,omitempty"`
}

// Values of FileChange.What.
const (
	ChangeCreated = "created"
	ChangeChanged = "changed"
	ChangeRenamed = "renamed"
	ChangeRemoved = "removed"
)

// FileChange is a change of a file or folder. From is the old path of a renamed file or folder.
type FileChange struct {
	Path   string     `json:"path"`
	What   string     `json:"what"`
	From   string     `json:"from,omitempty"`
	Folder bool       `json:"folder,omitempty"`
	At     world.Time `json:"at"`
}

// Values of MapChanged.Moment, the event in the repository that caused all changes of the frame.
const (
	MomentCommit = "commit" // HEAD is another commit
	MomentSwitch = "switch" // HEAD is another branch
	MomentAway   = "away"   // the linked folder is missing; the last map stays
	MomentBack   = "back"   // the linked folder exists again
	MomentScan   = "scan"   // the whole folder was scanned again
)

// MapChanged reports several changes on disk in one frame, which the server does not store. Each such frame has a
// higher Generation. A client that reconnects has missed one if its own generation is lower than
// Welcome.MapGeneration. MapTree and Country are present if they changed.
type MapChanged struct {
	Generation int64 `json:"generation"`
	// Folders lists the folders whose entries have changed, or whose entries now equal or differ from HEAD. If
	// there are more than MaxMapFolders, All is set instead.
	Folders []string `json:"folders"`
	All     bool     `json:"all,omitempty"`
	Moment  string   `json:"moment,omitempty"`
	Text    string   `json:"text,omitempty"` // for Moment: the branch, or the first line of the commit message
	// Changes has the newest changes, at most MaxFileChanges.
	Changes []FileChange   `json:"changes"`
	Map     world.Map      `json:"map"`
	MapTree *world.MapTree `json:"mapTree,omitempty"`
	Country *world.Country `json:"country,omitempty"`
}

// States of SaveStatus.
const (
	SaveSaved   = "saved"
	SaveSlow    = "slow"
	SaveFailing = "failing"
	// SaveBroken means that the realm can only be read.
	SaveBroken = "broken"
)

// SaveStatus reports whether events reach the disk. The server sends it at once, before the events that still wait
// to be committed. Board is a sentence about a failure to copy the findings for other programs, "" if that works.
type SaveStatus struct {
	State   string     `json:"state"`
	Seq     int64      `json:"seq"`
	Since   world.Time `json:"since,omitempty"`
	Message string     `json:"message,omitempty"`
	Board   string     `json:"board,omitempty"`
}

// CommandReply answers a command after its events are saved. Text is a sentence for the person.
// Seq is the seq of the command's first event, 0 for none.
type CommandReply struct {
	RequestID string `json:"requestId,omitempty"`
	Command   string `json:"command"` // the command's type
	Text      string `json:"text,omitempty"`
	Seq       int64  `json:"seq,omitempty"`
}

// ChatRepeated answers a chat.send with a requestId that the server has already processed. Its type is
// chat.started, but only the sender gets it. Status is the current status of the run.
type ChatRepeated struct {
	ConversationID string         `json:"conversationId"`
	RequestID      string         `json:"requestId"`
	Status         string         `json:"status"`
	Message        *world.Message `json:"message,omitempty"`
	Repeated       bool           `json:"repeated"`
}

// Snapshot answers conversation.open with the conversation and the overlays (texts so far) of its open segments.
// HasMore is set if there are older rows. LastSeq is the seq of the last event that changed the conversation.
type Snapshot struct {
	RequestID string `json:"requestId,omitempty"`
	world.View
	Overlays map[string]Overlay `json:"overlays"`
}

// ConversationListed answers conversation.list.
type ConversationListed struct {
	RequestID     string                   `json:"requestId,omitempty"`
	Conversations []world.ConversationInfo `json:"conversations"`
	HasMore       bool                     `json:"hasMore"`
}

// Overtaken reports to the sender of a chat.send that a person added a row which the sender had
// not seen (ChatSend.SeenSeq). The transcript has both rows in the order of arrival. Own is set if
// the row came from another window of the sender.
type Overtaken struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId,omitempty"`
	Name           string `json:"name"` // name of the person who added the row
	Own            bool   `json:"own,omitempty"`
	LastSeq        int64  `json:"lastSeq"` // seq of the newest row that the sender had not seen
}

// TeamListed answers team:list: the teams of this server, the default first.
type TeamListed struct {
	RequestID string     `json:"requestId,omitempty"`
	Teams     []TeamInfo `json:"teams"`
}

// TeamInfo is a team and its newest sessions in this realm, at most MaxSessions.
type TeamInfo struct {
	world.Team
	Sessions []SessionInfo `json:"sessions"`
}

// SessionInfo is a session that can be continued.
type SessionInfo struct {
	SessionID string     `json:"sessionId"`
	Title     string     `json:"title"`
	UpdatedAt world.Time `json:"updatedAt"`
	Messages  int        `json:"messages"`
	Summary   string     `json:"summary"`
}

// SessionSaved reports that a party has stopped and all its rows are on disk (S2-16).
type SessionSaved struct {
	SessionID      string `json:"sessionId"`
	ConversationID string `json:"conversationId"`
}

// SkillOpened answers skill:open with the skill's files by path, including SKILL.md.
type SkillOpened struct {
	RequestID string            `json:"requestId,omitempty"`
	Name      string            `json:"name"`
	Files     map[string]string `json:"files"`
}

// Erased answers history:erase after the bytes are removed from disk.
type Erased struct {
	RequestID string        `json:"requestId,omitempty"`
	Receipt   world.Receipt `json:"receipt"`
}

// ErrorFrame answers a frame that is malformed or refused.
type ErrorFrame struct {
	RequestID string `json:"requestId,omitempty"`
	Code      Code   `json:"code"`
	Message   string `json:"message"`
}

func (*ServerInfo) FrameType() string         { return "server:info" }
func (*Welcome) FrameType() string            { return "welcome" }
func (*WorldState) FrameType() string         { return "world:state" }
func (*Overlays) FrameType() string           { return "overlays" }
func (*SpectatorWelcome) FrameType() string   { return "spectator:welcome" }
func (*SpectatorList) FrameType() string      { return "spectator:list" }
func (*RealmList) FrameType() string          { return "realm:list" }
func (*RealmProgress) FrameType() string      { return "realm:progress" }
func (*RealmRemoved) FrameType() string       { return "realm:removed" }
func (*ProcessTurn) FrameType() string        { return "process:turn" }
func (*AgentThought) FrameType() string       { return "agent:thought" }
func (*ProcessProgress) FrameType() string    { return "process:progress" }
func (*ChatDelta) FrameType() string          { return "chat.delta" }
func (*AgentDetails) FrameType() string       { return "agent:details" }
func (*MapChange) FrameType() string          { return "map:change" }
func (*MapChanged) FrameType() string         { return "map:changed" }
func (*SaveStatus) FrameType() string         { return "save:status" }
func (*CommandReply) FrameType() string       { return "command:reply" }
func (*ChatRepeated) FrameType() string       { return "chat.started" }
func (*ErrorFrame) FrameType() string         { return "error" }
func (*Snapshot) FrameType() string           { return "snapshot" }
func (*ConversationListed) FrameType() string { return "conversation.listed" }
func (*Overtaken) FrameType() string          { return "conversation.overtaken" }
func (*TeamListed) FrameType() string         { return "team:listed" }
func (*SessionSaved) FrameType() string       { return "session:saved" }
func (*SkillOpened) FrameType() string        { return "skill:opened" }
func (*SessionsListed) FrameType() string     { return "session:listed" }
func (*Erased) FrameType() string             { return "history:receipt" }

// Frames returns an empty value of every server frame. scripts/schema generates the schema from
// them.
func Frames() []Frame {
	return []Frame{
		&ServerInfo{}, &Welcome{}, &WorldState{}, &Overlays{}, &SpectatorWelcome{}, &SpectatorList{},
		&RealmList{}, &RealmProgress{}, &RealmRemoved{}, &ProcessTurn{}, &AgentThought{}, &ProcessProgress{}, &ChatDelta{},
		&AgentDetails{}, &MapChange{}, &MapChanged{}, &SaveStatus{}, &CommandReply{}, &ChatRepeated{}, &Snapshot{},
		&ConversationListed{}, &Overtaken{},
		&TeamListed{}, &SessionSaved{}, &SkillOpened{}, &Erased{}, &SessionsListed{}, &ErrorFrame{},
	}
}

// Encode encodes a frame as one flat JSON object that begins with the frame's type. It fails only if the struct of the
// frame has a field that the package frame cannot encode.
func Encode(f Frame) ([]byte, error) { return frame.Encode(f.FrameType(), f) }
