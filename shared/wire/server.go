package wire

import (
	"encoding/json"

	"agentdungeon/shared/frame"
	"agentdungeon/shared/world"
)

// Frame is a message from server to client that is not a durable event.
type Frame interface {
	// FrameType is its name on the wire.
	FrameType() string
}

// Roles of a connection.
const (
	RoleHost      = "host"
	RoleSpectator = "spectator"
)

// Phases of the game.
const (
	PhaseOnboarding = "onboarding"
	PhaseAnalyzing  = "analyzing"
	PhasePlaying    = "playing"
)

// ServerInfo is the first frame of every connection, and of a switch.
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
	// Offer is a folder that the page may offer to link: where the server was
	// started. Empty for spectators.
	Offer string `json:"offer,omitempty"`
	// Templates that player:start-process takes: first those of which something on this
	// server plays every role, then those of which it plays some.
	Templates []TemplateInfo `json:"templates"`
	// Driver is what plays roles that no person holds: one of Driver...
	Driver string `json:"driver"`
}

// TemplateInfo names a process template.
type TemplateInfo struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Roles       []string   `json:"roles"`
	Stages      []string   `json:"stages"`
	Driver      string     `json:"driver"` // what plays those of its roles that are Played when nobody holds them: one of Driver...
	Cast        []CastInfo `json:"cast"`   // its roles, in their order
}

// CastInfo is a role of a template.
type CastInfo struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Color string `json:"color"`
	// Played says that something on this server plays it, so that it can be spoken to.
	Played bool `json:"played,omitempty"`
}

// Drivers of a template's roles.
const (
	DriverNone   = "none"   // people play all of them: nothing on this server plays one
	DriverScout  = "scout"  // the checks of a code review
	DriverModel  = "model"  // -model-url
	DriverScript = "script" // -script FILE
)

// Continuities of Welcome.
const (
	ContinuityReplay   = "replay"
	ContinuitySnapshot = "snapshot"
	ContinuityNone     = "none"
)

// Reasons of a snapshot.
const (
	SnapshotFirst        = "first"
	SnapshotUnknownEpoch = "unknown_epoch"
	SnapshotFuture       = "future"
	SnapshotDiverged     = "diverged"
	SnapshotTrimmed      = "trimmed"
	SnapshotErased       = "erased"
	SnapshotTooFar       = "too_far"
	SnapshotDamaged      = "damaged" // events that the replay needs cannot be read any more
)

// Welcome answers hello; frames belong to its realm from here on.
type Welcome struct {
	RealmID       *string `json:"realmId"`
	Continuity    string  `json:"continuity"`
	Reason        string  `json:"reason,omitempty"`
	Epoch         *string `json:"epoch"`
	From          int64   `json:"from"`
	To            int64   `json:"to"`
	MapGeneration int64   `json:"mapGeneration"`
}

// WorldState is a snapshot; raw parts were encoded once for everybody. Recent are
// the newest events that a reader of the transcript sees between its rows (what
// people said in passing, who took a role, a pause): at most RecentEvents and
// RecentBytes, none after Seq, oldest first. Rooms are the first pages of rooms
// where an agent stands, as map:change gives them: at most RoomsBytes.
type WorldState struct {
	Seq           int64             `json:"seq"`
	Epoch         string            `json:"epoch"`
	World         json.RawMessage   `json:"world"`
	Conversations json.RawMessage   `json:"conversations"`
	Recent        []json.RawMessage `json:"recent"`
	Rooms         []json.RawMessage `json:"rooms"`
	Spectators    []Spectator       `json:"spectators"`
}

// Overlay is the text so far of an open segment and the number of the next delta.
type Overlay struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	Text           string `json:"text"`
	Next           int    `json:"next"`
}

// Place is where an agent that is walking is now: a tile of its walk, in the room
// of Folder if Inside, else on the overworld.
type Place struct {
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Folder string `json:"realm,omitempty"`
	Inside bool   `json:"inside,omitempty"`
}

// Overlays end every attach: what is provisional at this moment.
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
}

// SpectatorWelcome answers spectator:register. Seat takes the same spectator
// back; it is a secret.
type SpectatorWelcome struct {
	RequestID   string `json:"requestId,omitempty"`
	SpectatorID string `json:"spectatorId"`
	Name        string `json:"name"`
	Color       string `json:"color"`
	Role        string `json:"role"`
	Seat        string `json:"seat"`
}

// SpectatorList says who is here, coalesced; at most MaxSpectators are named.
type SpectatorList struct {
	Count      int         `json:"count"`
	Spectators []Spectator `json:"spectators"`
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
	// Talks are councils under way or waiting for a place.
	Talks int `json:"talks,omitempty"`
}

// RealmList answers player:list-realms.
type RealmList struct {
	RequestID         string      `json:"requestId,omitempty"`
	Realms            []RealmInfo `json:"realms"`
	LastActiveRealmID string      `json:"lastActiveRealmId"`
}

// RealmProgress tells the sender of a link how far it is.
type RealmProgress struct {
	RequestID string `json:"requestId,omitempty"`
	Phase     string `json:"phase"` // "scanning", "opening"
	Done      int    `json:"done"`
	Total     int    `json:"total"` // 0: not known yet
}

// RealmRemoved tells everybody that a realm is gone.
type RealmRemoved struct {
	RequestID string `json:"requestId,omitempty"`
	RealmID   string `json:"realmId"`
}

// ProcessTurn tells who is asked, so that a page can say "your turn" at once.
// The view's plan says the same after an attach.
type ProcessTurn struct {
	ConversationID string     `json:"conversationId"`
	RequestID      string     `json:"requestId"`
	RoleID         string     `json:"roleId"`
	MemberID       string     `json:"memberId"`
	Until          world.Time `json:"until,omitempty"`
	Prompt         string     `json:"prompt"`
}

// AgentThought is what a driver thinks aloud; never kept.
type AgentThought struct {
	AgentID string `json:"agentId"`
	Text    string `json:"text"`
}

// ChatDelta is streamed text; N counts from 0 within the segment.
type ChatDelta struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MessageID      string `json:"messageId"`
	N              int    `json:"n"`
	Text           string `json:"text"`
}

// Object of a room. Kind: "file", "doc", "config", "test", "link".
type Object struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	Path string `json:"path"`
	X    int    `json:"x"`
	Y    int    `json:"y"`
	Size int64  `json:"size,omitempty"`
	// Changed is when the file was last seen to change, What how; both are absent
	// when it is committed and has not changed for some time.
	Changed world.Time `json:"changed,omitempty"`
	What    string     `json:"what,omitempty"` // ChangeCreated, ChangeChanged, ChangeRenamed
	// Committed says that HEAD holds the file as it is; absent where there is no git.
	Committed *bool `json:"committed,omitempty"`
	Past
}

// Past is what the repository's history says, as far as it was read: when the last
// commit changed the file, or something below the folder, and how many did change the
// file under the name that it has, merges left out; folders have no Commits.
type Past struct {
	Touched world.Time `json:"touched,omitempty"`
	Commits int        `json:"commits,omitempty"`
}

// Door of a room; Back leads to the parent.
type Door struct {
	ID    string `json:"id"`
	Path  string `json:"path"`
	Name  string `json:"name"`
	X     int    `json:"x"`
	Y     int    `json:"y"`
	Back  bool   `json:"back,omitempty"`
	Files int    `json:"files"` // below it, all levels
	// Changed is the latest change below, Uncommitted how many files below HEAD
	// does not hold as they are.
	Changed     world.Time `json:"changed,omitempty"`
	Uncommitted int        `json:"uncommitted,omitempty"`
	Past
}

// Part is an area of a room where files of one kind stand.
type Part struct {
	Kind   string `json:"kind"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// Room is a page of a folder. What is not wall, object or outside is floor and can
// be walked on; the outermost tiles are wall, but for the doors, and so are Walls.
type Room struct {
	Path       string        `json:"path"`
	Generation int64         `json:"generation"`
	Width      int           `json:"width"`
	Height     int           `json:"height"`
	Objects    []Object      `json:"objects"`
	Doors      []Door        `json:"doors"`
	Parts      []Part        `json:"parts"`
	Walls      []world.Point `json:"walls"`
	// Gone are files and folders that were removed or moved away lately.
	Gone []FileChange `json:"gone"`
}

// MaxDetails is how many insights AgentDetails has; the newest stay.
const MaxDetails = 30

// AgentDetails answers player:get-agent-details. Agent is absent for a role that nobody
// plays now; findings are the ids of those that stand, quests of those that it found.
type AgentDetails struct {
	RequestID string          `json:"requestId,omitempty"`
	AgentID   string          `json:"agentId"`
	Agent     *world.Agent    `json:"agent,omitempty"`
	Role      string          `json:"role"`
	Persona   string          `json:"persona,omitempty"`
	Insights  []world.Insight `json:"insights"` // newest first
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
	// Back says that player:navigate-back leads somewhere; only where the sender walked.
	Back bool `json:"back,omitempty"`
}

// What happened to a file or a folder.
const (
	ChangeCreated = "created"
	ChangeChanged = "changed"
	ChangeRenamed = "renamed"
	ChangeRemoved = "removed"
)

// FileChange is something that happened to a file or a folder. From is where a
// renamed one was before.
type FileChange struct {
	Path   string     `json:"path"`
	What   string     `json:"what"`
	From   string     `json:"from,omitempty"`
	Folder bool       `json:"folder,omitempty"`
	At     world.Time `json:"at"`
}

// Moments of MapChanged: many changes with one cause.
const (
	MomentCommit = "commit" // HEAD moved on
	MomentSwitch = "switch" // another branch
	MomentAway   = "away"   // the linked folder is not there; the last map is shown
	MomentBack   = "back"   // it is there again
	MomentScan   = "scan"   // the whole folder was read again
)

// MapChanged tells what changed on disk, coalesced: never kept, and a page that
// missed one sees by the generation that its rooms are old. MapTree and Country
// are told where they changed.
type MapChanged struct {
	Generation int64 `json:"generation"`
	// Folders are those whose entries or committed marks changed; with more than
	// MaxMapFolders of them All is said instead.
	Folders []string `json:"folders"`
	All     bool     `json:"all,omitempty"`
	Moment  string   `json:"moment,omitempty"`
	Text    string   `json:"text,omitempty"` // of a moment: the branch, or the commit's first line
	// Changes are the newest, at most MaxFileChanges.
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
	// SaveBroken is a realm that can no longer be written, only read.
	SaveBroken = "broken"
)

// SaveStatus says how the disk is doing; it goes past the outbox. Board is what is wrong
// with the copy of the findings for other programs, in a sentence; empty where all is well.
type SaveStatus struct {
	State   string     `json:"state"`
	Seq     int64      `json:"seq"`
	Since   world.Time `json:"since,omitempty"`
	Message string     `json:"message,omitempty"`
	Board   string     `json:"board,omitempty"`
}

// CommandReply answers the sender of a command once what it led to is saved.
// Text is for the person; Seq is its first event, 0 where it led to none.
type CommandReply struct {
	RequestID string `json:"requestId,omitempty"`
	Command   string `json:"command"` // its type
	Text      string `json:"text,omitempty"`
	Seq       int64  `json:"seq,omitempty"`
}

// ChatRepeated is chat.started for the sender alone: the run of a request that
// was sent before, as it stands.
type ChatRepeated struct {
	ConversationID string         `json:"conversationId"`
	RequestID      string         `json:"requestId"`
	Status         string         `json:"status"`
	Message        *world.Message `json:"message,omitempty"`
	Repeated       bool           `json:"repeated"`
}

// Snapshot answers conversation.open: a conversation ready to draw, with what is
// provisional in it now. Before an older page HasMore says whether there are older rows
// still; LastSeq is the newest event that changed the conversation.
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

// Overtaken tells the sender of a chat.send that somebody said something which they
// had not seen: nothing is lost, both stand there in the order of their coming. Own
// says that it came from another window of the sender's.
type Overtaken struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId,omitempty"`
	Name           string `json:"name"` // who spoke
	Own            bool   `json:"own,omitempty"`
	LastSeq        int64  `json:"lastSeq"` // the newest row that the sender had not seen
}

// TeamListed answers team:list: the teams of this server, the default first.
type TeamListed struct {
	RequestID string     `json:"requestId,omitempty"`
	Teams     []TeamInfo `json:"teams"`
}

// TeamInfo is a team and the newest of its sessions in this realm, at most MaxSessions.
type TeamInfo struct {
	world.Team
	Sessions []SessionInfo `json:"sessions"`
}

// SessionInfo is a session that can be gone on with.
type SessionInfo struct {
	SessionID string     `json:"sessionId"`
	Title     string     `json:"title"`
	UpdatedAt world.Time `json:"updatedAt"`
	Messages  int        `json:"messages"`
	Summary   string     `json:"summary"`
}

// SessionSaved says that a party came to rest and all that was said in it is on disk
// (S2-16).
type SessionSaved struct {
	SessionID      string `json:"sessionId"`
	ConversationID string `json:"conversationId"`
}

// SkillOpened answers skill:open: the skill's files by their paths, SKILL.md among them.
type SkillOpened struct {
	RequestID string            `json:"requestId,omitempty"`
	Name      string            `json:"name"`
	Files     map[string]string `json:"files"`
}

// Erased answers history:erase once the bytes are gone.
type Erased struct {
	RequestID string        `json:"requestId,omitempty"`
	Receipt   world.Receipt `json:"receipt"`
}

// ErrorFrame answers a bad or refused frame.
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
func (*Erased) FrameType() string             { return "history:receipt" }

// Frames gives an empty value of every server frame: the source of the schema.
func Frames() []Frame {
	return []Frame{
		&ServerInfo{}, &Welcome{}, &WorldState{}, &Overlays{}, &SpectatorWelcome{}, &SpectatorList{},
		&RealmList{}, &RealmProgress{}, &RealmRemoved{}, &ProcessTurn{}, &AgentThought{}, &ChatDelta{},
		&AgentDetails{}, &MapChange{}, &MapChanged{}, &SaveStatus{}, &CommandReply{}, &ChatRepeated{}, &Snapshot{},
		&ConversationListed{}, &Overtaken{},
		&TeamListed{}, &SessionSaved{}, &SkillOpened{}, &Erased{}, &ErrorFrame{},
	}
}

// Encode writes a frame as one flat JSON object with its type first. Frames of
// this package always encode; an error is a mistake in their definition.
func Encode(f Frame) ([]byte, error) { return frame.Encode(f.FrameType(), f) }
