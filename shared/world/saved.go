package world

import (
	"encoding/json"
	"errors"
)

// Plain data that the store and the actor exchange, so that neither imports the other.

// Line is one opening of a realm for writing. (Epoch, seq) names one event for
// ever; FromSeq is the first seq that this opening may write.
type Line struct {
	Epoch    string `json:"epoch"`
	FromSeq  int64  `json:"fromSeq"`
	OpenedAt Time   `json:"openedAt"`
	// Auto: the start of the server, not a person, resumed a running process.
	Auto bool `json:"auto"`
}

// Frame is an encoded durable event, as it was shown.
type Frame struct {
	Seq   int64
	Type  string // of the event
	Bytes []byte
}

// ErrBroken: the journal holds something else than was committed. It must only be read from then
// on.
var ErrBroken = errors.New("the journal does not hold what was committed")

// ErrMoved is an ErrBroken: the files of an open realm were deleted or replaced, so a commit
// would go into a file that is gone after the stop.
var ErrMoved error = moved{}

type moved struct{}

func (moved) Error() string { return "files were deleted or replaced while they were open" }
func (moved) Unwrap() error { return ErrBroken }

// ErrDamaged: an erasure met damage in the open journal that it cannot pass over. Opening the
// realm again repairs the journal and finishes the erasure.
var ErrDamaged = errors.New("the journal is damaged")

// ErrNoConversation: the realm has no conversation of that id.
var ErrNoConversation = errors.New("there is no such conversation")

// CommandRow is the stored answer to a command, so that the command can be sent again (P6.2). It
// is kept for 24 hours, at most MaxCommandRows in a realm.
type CommandRow struct {
	SpectatorID string // "" for a person who has not registered
	RequestID   string
	Hash        string // of the command's type and fields
	Reply       []byte // the frame that answered it, command:reply or chat.started
	At          Time
}

// About returns what a reply is about: the conversation of an answer to chat.send, "" for other
// commands, and the seq of the command's first event, 0 for none. ok is false if the reply cannot
// be decoded because it is damaged on disk.
func (c CommandRow) About() (conversationID string, seq int64, ok bool) {
	var reply struct {
		ConversationID string `json:"conversationId"`
		Seq            int64  `json:"seq"`
	}
	ok = json.Unmarshal(c.Reply, &reply) == nil
	return reply.ConversationID, reply.Seq, ok
}

// MaxCommandRows is how many CommandRows a realm keeps; the oldest are deleted.
const MaxCommandRows = 10_000

// Batch is the content of one journal transaction: events with consecutive numbers, their rows,
// and the answers to their commands. It does not change once numbered, so a retry commits the
// same bytes.
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

// Vault holds a member's insights, in a file beside the world.
type Vault struct {
	AgentID  string    `json:"agentId"`
	Insights []Insight `json:"insights"` // at most MaxInsights, the oldest go first
	SavedAt  Time      `json:"savedAt"`
	// Epoch and Seq name the event up to which Insights are complete; "" and 0 in files of older
	// versions.
	Epoch string `json:"epoch,omitempty"`
	Seq   int64  `json:"seq,omitempty"`
	// Behind: an opening added insights from the journal that the file lacks.
	Behind bool `json:"-"`
}

// VaultMark is the seq up to which the vault files are complete. Vaults has, for each member
// with a file, the seq of that file.
type VaultMark struct {
	Epoch  string           `json:"epoch"`
	Seq    int64            `json:"seq"`
	Vaults map[string]int64 `json:"vaults"`
}

// Memory is what an open realm holds in memory and its journal may not contain yet. A rescue writes it
// beside the journal.
type Memory struct {
	Checkpoint Checkpoint // World is nil where there is none
	Vaults     []Vault
	Skills     []SkillText
}

// Insight is one thing learned.
type Insight struct {
	Area   string    `json:"area"`
	Text   string    `json:"text"`
	At     Time      `json:"at"`
	Review *Reviewed `json:"review,omitempty"`
}

// Reviewed is the checkpoint of a review: what the next one compares the folder with. It stands
// in what a hero learned of a whole review.
type Reviewed struct {
	Commit  string   `json:"commit"`            // the head of the history, in hex
	Rules   string   `json:"rules"`             // names the set of checks that looked
	Changes []string `json:"changes,omitempty"` // files that differed from the commit, by path
}

// MaxInsights is how many a vault keeps.
const MaxInsights = 500

// SkillText is the content of a folder skills/<name>.
type SkillText struct {
	Name        string // of the folder
	Description string
	Body        string // of SKILL.md and the files that it names, at most MaxSkillTold bytes
	// Bad explains why the folder is not a valid skill, "" for a valid one.
	Bad string
}

// MaxSkillTold is how many bytes of a skill's instructions an agent is told.
const MaxSkillTold = 8 << 10

// SkillFiles are the files to write into the skill folder Name, by path, SKILL.md among them.
// Replace allows replacing another skill of that name.
type SkillFiles struct {
	Name    string
	Files   map[string]string
	Replace bool
}

// Errors of skills.
var (
	ErrSkillTaken = errors.New("another skill of that name exists already")
	ErrNoSkill    = errors.New("there is no such skill")
)

// SavedConversation is a transcript's head, newest rows and the facts that its
// plan is made of.
type SavedConversation struct {
	Conversation Conversation
	// Messages are the newest rows, oldest first, after every older row that is still open and
	// must be closed.
	Messages []Message
	HasMore  bool
	// Runs are the runs that were still running, and every run with a Turn in the current stage
	// and attempt, by StartSeq.
	Runs []Run
	// StageRows are the closed assistant and user rows of role members in the current stage and
	// attempt, oldest first. The stage's artifacts are made of them.
	StageRows []Message
	// LastTurnAt is when a turn last ended successfully, 0 if never.
	LastTurnAt Time
	// LastRun is the newest run of a chat or council, nil where there is none.
	LastRun *Run
	// LastSeq is the newest row's place.
	LastSeq int64
	// Requests are the requestIds of the conversation's runs, oldest first, at most the newest
	// MaxRequests.
	Requests []string
	// Said are the closed rows of a council, chat or forge, without system rows, oldest first,
	// for prompts: at most MaxSaid of them and MaxSaidBytes. nil if Messages has all of them.
	Said []Message
	// Forge is the public state of a forge and ForgeContext what it has gathered; nil for other
	// kinds.
	Forge        *Forge
	ForgeContext []byte
}

// MaxRequests is how many requestIds of a conversation are loaded.
const MaxRequests = 10_000

// Bounds of the rows of a council or chat that are kept in memory for prompts: the maximum of
// contextWindowMessages, and a number of bytes.
const (
	MaxSaid      = 1000
	MaxSaidBytes = 512 << 10
)

// ConversationInfo is a row of the list of conversations.
type ConversationInfo struct {
	Conversation
	Messages int `json:"messages"` // rows of its transcript
}

// SessionInfo is an entry of a list of a party's sessions: Spoken counts its closed rows of
// people and agents, First is the first such row.
type SessionInfo struct {
	Conversation
	Spoken int
	First  Message
}

// ConversationQuery asks for a page of that list, the last updated first.
type ConversationQuery struct {
	Kind   string // "" for all
	Status string // "" for all
	Before Time   // only those updated before this time; 0 for the newest of all
	// BeforeID is the last conversation of the page before, updated at Before. It orders
	// conversations with the same time. "" for none.
	BeforeID string
	Limit    int // 1 to 200
}

// SearchQuery asks for rows that hold all of its words; the last word may be the beginning of
// one.
type SearchQuery struct {
	Words          string // as a person typed them
	ConversationID string // "" for all
	Limit          int    // 1 to 100
}

// SearchHit is a row that was found. Parts are its text around the words, in order.
type SearchHit struct {
	Seq            int64        `json:"seq"` // of the row: conversation.open with before = Seq+1 shows it
	MessageID      string       `json:"messageId"`
	ConversationID string       `json:"conversationId"`
	Kind           string       `json:"kind"`
	Title          string       `json:"title"`
	Role           string       `json:"role"`
	Name           string       `json:"name"`
	At             Time         `json:"at"`
	Parts          []SearchPart `json:"parts"`
}

// SearchPart is a piece of a found text; Hit reports that it matches one of the words.
type SearchPart struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"`
}

// Saved is a realm as the store read it, already folded and on a new line.
type Saved struct {
	// Realm is the registry's entry for this folder. Its id and tenant count if World has others
	// because the folder was copied or moved.
	Realm Realm
	World *World
	Land  *Land // as it was last known; not to be changed
	// Encoded is World and Land as EncodeState returns them, nil if they have not been encoded yet.
	Encoded       []byte
	Head          int64 // seq of the journal's last event; World.Tick equals it
	LastAt        Time  // of the last event; see After
	BaseSeq       int64 // of the newest base in the journal
	BaseAt        Time  // when that base was saved, 0 for the one of a realm's beginning
	Epoch         string
	Lines         []Line // oldest first, the new one last
	Conversations []SavedConversation
	Commands      []CommandRow
	Vaults        []Vault
	VaultsAt      int64       // the vault files hold every insight up to this seq
	Skills        []SkillText // of the skills folder; nil where it could not be read
	// Restored is nil at a realm's first opening. Otherwise the actor completes it with the
	// number of runs that it ends and writes it as the first event of the new line.
	Restored *RealmRestored
	// Erasures were requested and not begun. The actor does them before it shows anything.
	Erasures []Erasure
	// ErasedAt is the seq of the last history:erased; a position before it gets a snapshot.
	ErasedAt int64
}

// AuditRow records who changed what (S1-19), never what was said. Who is a spectatorId, the name
// of a command, or "server".
type AuditRow struct {
	N              int64  `json:"n"` // increases
	At             Time   `json:"at"`
	Seq            int64  `json:"seq,omitempty"` // of the event, 0 for none
	Action         string `json:"action"`        // an event's type, or "retention"
	ConversationID string `json:"conversationId,omitempty"`
	Who            string `json:"who"`
	Before         string `json:"before,omitempty"`
	After          string `json:"after,omitempty"`
	Note           string `json:"note,omitempty"`
}
