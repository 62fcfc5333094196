package world

import (
	"encoding/json"
	"errors"
)

// What a realm's folder gives back and takes: plain data between the store and
// the actor, so that neither needs to know the other.

// Line is one opening of a realm for writing. (Epoch, seq) names one event for
// ever; FromSeq is the first seq that this opening may write.
type Line struct {
	Epoch    string `json:"epoch"`
	FromSeq  int64  `json:"fromSeq"`
	OpenedAt Time   `json:"openedAt"`
	// Auto: a running process was resumed by the start of the server, not by a person.
	Auto bool `json:"auto"`
}

// Frame is an encoded durable event, as it was shown.
type Frame struct {
	Seq   int64
	Bytes []byte
}

// ErrBroken is a journal that holds something else than was committed: it must
// not be written any more, only read.
var ErrBroken = errors.New("the journal does not hold what was committed")

// ErrMoved is an ErrBroken: the files of an open realm were deleted or replaced, so that what
// is committed goes into a file that nobody finds after a stop.
var ErrMoved error = moved{}

type moved struct{}

func (moved) Error() string { return "files were deleted or replaced while they were open" }
func (moved) Unwrap() error { return ErrBroken }

// ErrDamaged is an open journal in which an erasure met damage that it cannot pass over.
// Opening the realm again mends the journal and ends the erasure.
var ErrDamaged = errors.New("the journal is damaged")

// ErrNoConversation: the realm has no conversation of that id.
var ErrNoConversation = errors.New("there is no such conversation")

// CommandRow remembers what a command was answered, so that resending it is safe
// (P6.2). Kept 24 hours, at most MaxCommandRows a realm.
type CommandRow struct {
	SpectatorID string // "" for a person who has not registered
	RequestID   string
	Hash        string // of the command's type and fields
	Reply       []byte // the frame that answered it, command:reply or chat.started
	At          Time
}

// MaxCommandRows is how many CommandRows a realm keeps; the oldest go first.
const MaxCommandRows = 10_000

// Batch is what one transaction of the journal holds: events with consecutive
// numbers, their transcript rows, and the answers to the commands that led to
// them. It never changes once numbered: a retry commits the same bytes.
type Batch struct {
	Records  []Record
	Commands []CommandRow
}

// Checkpoint is the world at Seq, as state.json keeps it.
type Checkpoint struct {
	Epoch   string
	Seq     int64
	SavedAt Time
	World   json.RawMessage
}

// Vault is what a member has learned, kept beside the world.
type Vault struct {
	AgentID  string    `json:"agentId"`
	Insights []Insight `json:"insights"` // at most MaxInsights, the oldest go first
	SavedAt  Time      `json:"savedAt"`
	// Epoch and Seq name the event that the vault stands at: Insights hold what the member
	// learned up to it. "" and 0 in files of older versions.
	Epoch string `json:"epoch,omitempty"`
	Seq   int64  `json:"seq,omitempty"`
	// Behind says that an opening has added insights from the journal which the file lacks.
	Behind bool `json:"-"`
}

// VaultMark says how far the vault files hold what the journal says of insights: all of
// them up to Seq. Vaults are the members that have a file, and the Seq that it stands at.
type VaultMark struct {
	Epoch  string           `json:"epoch"`
	Seq    int64            `json:"seq"`
	Vaults map[string]int64 `json:"vaults"`
}

// Memory is what an open realm has in memory and its journal may lack: what is rescued beside
// the journal where both lost their folder.
type Memory struct {
	Checkpoint Checkpoint // World is nil where there is none
	Vaults     []Vault
	Skills     []SkillText
}

// Insight is one thing learned.
type Insight struct {
	Area string `json:"area"`
	Text string `json:"text"`
	At   Time   `json:"at"`
}

// MaxInsights is how many a vault keeps.
const MaxInsights = 500

// SkillText is a skill as its folder skills/<name> holds it.
type SkillText struct {
	Name        string // of the folder
	Description string
	Body        string // of SKILL.md and the files that it names, at most MaxSkillTold bytes
	// Bad says why what lies there is no skill, "" where it is one.
	Bad string
}

// MaxSkillTold is how many bytes of a skill's instructions an agent is told.
const MaxSkillTold = 8 << 10

// SkillFiles are the files of a skill that is to be written into the folder Name, by
// path, SKILL.md among them. Another skill of that name is only replaced with Replace.
type SkillFiles struct {
	Name    string
	Files   map[string]string
	Replace bool
}

// Errors of skills: another one of the name lies there; there is none of the name.
var (
	ErrSkillTaken = errors.New("another skill of that name lies there already")
	ErrNoSkill    = errors.New("there is no such skill")
)

// SavedConversation is a transcript's head, newest rows and the facts that its
// plan is made of.
type SavedConversation struct {
	Conversation Conversation
	// Messages are the newest, oldest first, after every older one that is still open:
	// rows of a dead life, to be closed.
	Messages []Message
	HasMore  bool
	// Runs are those that were still running, and every run with a Turn in the
	// world's current stage and attempt, by StartSeq.
	Runs []Run
	// StageRows are the closed assistant and user rows of the current stage and
	// attempt by role members, oldest first: what its artifacts are made of.
	StageRows []Message
	// LastTurnAt is when a turn last ended well, 0 if never.
	LastTurnAt Time
	// LastRun is the newest run of a chat or council, nil where there is none.
	LastRun *Run
	// LastSeq is the newest row's place.
	LastSeq int64
	// Requests are the requestIds of its runs, oldest first: the newest MaxRequests.
	Requests []string
	// Said are the closed rows of a council, chat or forge but the system's, oldest first, for
	// what its agents are told: at most MaxSaid of them and MaxSaidBytes. nil where
	// Messages has all of them.
	Said []Message
	// Forge is where a forge stands and ForgeContext what it has gathered, nil for
	// conversations of other kinds.
	Forge        *Forge
	ForgeContext []byte
}

// MaxRequests is how many requestIds of a conversation are loaded.
const MaxRequests = 10_000

// Bounds of the rows of a council or chat that are at hand for its agents: as many as
// contextWindowMessages may ask for, and about so many bytes.
const (
	MaxSaid      = 1000
	MaxSaidBytes = 512 << 10
)

// ConversationInfo is a row of the list of conversations.
type ConversationInfo struct {
	Conversation
	Messages int `json:"messages"` // rows of its transcript
}

// SessionInfo is a session of a party as a list knows it: Spoken counts its closed rows of
// people and agents, First is the first of them.
type SessionInfo struct {
	Conversation
	Spoken int
	First  Message
}

// ConversationQuery asks for a page of that list, who last spoke first.
type ConversationQuery struct {
	Kind   string // "" for all
	Status string // "" for all
	Before Time   // only those updated earlier; 0 for the newest of all
	// BeforeID is the last conversation that was listed, updated at Before: of those that
	// were updated in the same millisecond what follows it. "" for none of them.
	BeforeID string
	Limit    int // 1 to 200
}

// SearchQuery asks for rows that hold all of its words, the last of them as a
// beginning.
type SearchQuery struct {
	Words          string // as a person typed them
	ConversationID string // "" for all
	Limit          int    // 1 to 100
}

// SearchHit is a row that was found. Parts are its text around the words, in order.
type SearchHit struct {
	Seq            int64        `json:"seq"` // of the row: conversation.open with before seq+1 shows it
	MessageID      string       `json:"messageId"`
	ConversationID string       `json:"conversationId"`
	Kind           string       `json:"kind"`
	Title          string       `json:"title"`
	Role           string       `json:"role"`
	Name           string       `json:"name"`
	At             Time         `json:"at"`
	Parts          []SearchPart `json:"parts"`
}

// SearchPart is a piece of a found text; Hit says that it is one of the words.
type SearchPart struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"`
}

// Saved is a realm as its folder gives it back, already folded and on a new line.
type Saved struct {
	// Realm is what the registry calls this folder; its id and tenant count, also
	// where World has others because the folder was copied or moved.
	Realm Realm
	World *World
	// Encoded is World as JSON, which takes a while; nil where nobody has encoded it.
	Encoded       []byte
	Head          int64 // seq of the journal's last event; World.Tick equals it
	LastAt        Time  // of the last event; see After
	BaseSeq       int64 // of the newest world that the journal keeps
	BaseAt        Time  // when it was saved, 0 for that of a realm's beginning
	Epoch         string
	Lines         []Line // oldest first, the new one last
	Conversations []SavedConversation
	Commands      []CommandRow
	Vaults        []Vault
	VaultsAt      int64       // the vault files hold every insight up to this seq
	Skills        []SkillText // of the skills folder; nil where it could not be read
	// Restored is nil at a realm's first opening; else what the actor writes as
	// the first event of the new line, after it has counted the runs it ends.
	Restored *RealmRestored
	// Erasures are those that somebody asked for and of which nothing has happened yet: the
	// actor does them before it shows anything.
	Erasures []Erasure
	// ErasedAt is the seq of the last history:erased: positions before it get a snapshot.
	ErasedAt int64
}

// AuditRow says who changed what (S1-19): never what was said. Who is a spectatorId, the
// name of a command, or "server".
type AuditRow struct {
	N              int64  `json:"n"` // grows
	At             Time   `json:"at"`
	Seq            int64  `json:"seq,omitempty"` // of the event, 0 for none
	Action         string `json:"action"`        // an event's type, or "retention"
	ConversationID string `json:"conversationId,omitempty"`
	Who            string `json:"who"`
	Before         string `json:"before,omitempty"`
	After          string `json:"after,omitempty"`
	Note           string `json:"note,omitempty"`
}
