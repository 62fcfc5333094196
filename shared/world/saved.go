package world

import (
	"cmp"
	"encoding/json"
	"errors"
)

// The types in this file are data that the store and the actor exchange. They are here so that neither package imports
// the other.

// Line is one opening of a realm for writing. An epoch and a seq together identify one event for ever. FromSeq is
// the first seq that this opening can write.
type Line struct {
	Epoch    string `json:"epoch"`
	FromSeq  int64  `json:"fromSeq"`
	OpenedAt Time   `json:"openedAt"`
	// Auto is set if the start of the server, and not a person, opened the realm to continue a
	// running process.
	Auto bool `json:"auto"`
}

// Frame is an encoded durable event. Clients have received the same bytes.
type Frame struct {
	Seq   int64
	Type  string // type of the event
	Bytes []byte
}

// ErrBroken reports that the journal no longer contains the events that the realm has committed. After this error
// nothing can be written to the journal.
var ErrBroken = errors.New("the journal does not contain the events that were committed")

// ErrMoved wraps ErrBroken. It reports that the files of an open realm were deleted or replaced,
// so that a commit would be lost when the server stops.
var ErrMoved error = moved{}

type moved struct{}

func (moved) Error() string { return "files were deleted or replaced while they were open" }
func (moved) Unwrap() error { return ErrBroken }

// ErrDamaged reports damage of the open journal that stops an erasure. Opening the realm again
// repairs the journal and finishes the erasure.
var ErrDamaged = errors.New("the journal is damaged")

// ErrNoConversation is the error for a conversation that the realm does not have.
var ErrNoConversation = errors.New("there is no such conversation")

// CommandRow is the stored answer to a command, for a client that sends the command again (P6.2).
// A realm keeps it for 24 hours, at most MaxCommandRows.
type CommandRow struct {
	SpectatorID string // "" for a person who has not registered
	RequestID   string
	Hash        string // hash of the command's type and fields
	Reply       []byte // the frame of the answer, command:reply or chat.started
	At          Time
}

// About returns the conversation and the seq that the reply names. conversationID is "" unless the command was a
// chat.send; seq is the seq of the command's first event, 0 for none. ok is false if the reply is damaged on disk.
func (c CommandRow) About() (conversationID string, seq int64, ok bool) {
	var reply struct {
		ConversationID string `json:"conversationId"`
		Seq            int64  `json:"seq"`
	}
	ok = json.Unmarshal(c.Reply, &reply) == nil
	return reply.ConversationID, reply.Seq, ok
}

// MaxCommandRows is the maximum number of CommandRows in a realm. The oldest are deleted.
const MaxCommandRows = 10_000

// Batch is the content of one journal transaction: events with consecutive seqs, their rows, and
// the answers to their commands. It is immutable, so that a retry commits the same bytes.
type Batch struct {
	Records  []Record
	Commands []CommandRow
}

// Checkpoint is the world at Seq, in the form of state.json.
type Checkpoint struct {
	Epoch   string
	Seq     int64
	SavedAt Time
	World   json.RawMessage
}

// Vault is the content of the file with a member's insights.
type Vault struct {
	AgentID  string    `json:"agentId"`
	Insights []Insight `json:"insights"` // at most MaxInsights; the oldest are dropped
	SavedAt  Time      `json:"savedAt"`
	// Epoch and Seq identify the event up to which Insights are complete. Files of older versions
	// have "" and 0.
	Epoch string `json:"epoch,omitempty"`
	Seq   int64  `json:"seq,omitempty"`
	// Behind is set if insights in the journal were not in the file when the realm was opened. They were added to
	// Insights, but are not in the file yet.
	Behind bool `json:"-"`
}

// VaultMark records that the files of all vaults (the insights of members) are complete up to the event Seq. Vaults
// has, by member, the seq in each file.
type VaultMark struct {
	Epoch  string           `json:"epoch"`
	Seq    int64            `json:"seq"`
	Vaults map[string]int64 `json:"vaults"`
}

// Memory is the state of an open realm that its journal may lack. If the realm's files are deleted while it is
// open, the rescue (a copy elsewhere) contains it.
type Memory struct {
	Checkpoint Checkpoint // the last checkpoint; its World is nil if there is none
	Vaults     []Vault
	Skills     []SkillText
}

// Insight is a sentence that a member has learned.
type Insight struct {
	Area   string    `json:"area"`
	Text   string    `json:"text"`
	At     Time      `json:"at"`
	Review *Reviewed `json:"review,omitempty"`
}

// Reviewed is the state of the linked folder at the end of a code review. The next review compares
// the folder with it. It is part of the insight with the result of the review.
type Reviewed struct {
	Commit  string   `json:"commit"`            // HEAD, in hex
	Rules   string   `json:"rules"`             // identifies the set of checks
	Changes []string `json:"changes,omitempty"` // paths of files that differed from the commit
	// Sums identify the contents that the review has read of the files of Changes, in their order: "" if it could not
	// read one. Reviews of earlier versions have none.
	Sums []string `json:"sums,omitempty"`
}

// MaxInsights is the maximum number of insights of one member.
const MaxInsights = 500

// SkillText is the content of a folder skills/<name>.
type SkillText struct {
	Name        string // name of the skill's folder
	Description string
	Body        string // text of SKILL.md and of the files to which it refers, at most MaxSkillPrompt bytes
	// Bad explains why the folder is not a valid skill, "" for a valid one.
	Bad string
}

// MaxSkillPrompt is the maximum size of a skill's instructions in prompts, in bytes.
const MaxSkillPrompt = 8 << 10

// SkillFiles are the files of a skill, by path, to write into the skill folder Name. Replace
// permits replacing another skill of that name.
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

// SavedConversation is the part of a conversation that the actor loads from the tables.
type SavedConversation struct {
	Conversation Conversation
	// Messages are the newest rows, oldest first. Older rows that are still open come before
	// them, because they must be closed.
	Messages []Message
	HasMore  bool
	// Runs are the unfinished runs, and all runs with a Turn in the current stage and attempt,
	// by StartSeq.
	Runs []Run
	// StageRows are the closed assistant and user rows of members in the current stage and
	// attempt, oldest first. The plan makes the stage's artifacts from them.
	StageRows []Message
	// LastTurnAt is when a turn last ended successfully, 0 if never.
	LastTurnAt Time
	// LastRun is the newest run. It is nil if there is no run, and always nil in a process.
	LastRun *Run
	// LastSeq is the seq of the newest row.
	LastSeq int64
	// Requests are the newest MaxRequests requestIds of the conversation's runs, oldest first.
	Requests []string
	// Said are the closed rows that prompts can include, oldest first, without system rows: at most MaxSaid rows
	// with a total of at most MaxSaidBytes bytes. It is nil in a process, and also if Messages has all of these
	// rows.
	Said []Message
	// Forge is the public state of a forge and ForgeContext its collected answers; nil for other
	// kinds.
	Forge        *Forge
	ForgeContext []byte
}

// MaxRequests is the maximum number of requestIds of a conversation that are loaded.
const MaxRequests = 10_000

// Bounds of the rows that a conversation keeps in memory for prompts (State.Said of server/conversation). MaxSaidBytes
// does not apply to the conversation of a process.
const (
	MaxSaid      = 1000 // number of rows; equals the maximum of the setting contextWindowMessages
	MaxSaidBytes = 512 << 10
)

// ConversationInfo is an entry of the list of conversations.
type ConversationInfo struct {
	Conversation
	Messages int `json:"messages"` // number of rows of the transcript
}

// SessionInfo is an entry of the list of a team's sessions. Spoken is the number of closed rows of
// people and agents in the session. First is the first of these rows.
type SessionInfo struct {
	Conversation
	Spoken int
	First  Message
}

// ConversationQuery requests a page of the list of conversations, the last updated first.
type ConversationQuery struct {
	Kind   string // "" for all
	Status string // "" for all
	Before Time   // only conversations updated before this time; 0 for the first page
	// BeforeID is the id of the last conversation of the previous page, which was updated at Before; "" for the first
	// page. It separates conversations that were updated at the same time.
	BeforeID string
	Limit    int // 1 to 200
}

// SearchQuery requests rows that contain all of its words. The last word matches as a prefix.
type SearchQuery struct {
	Words          string // the search words that a person typed
	ConversationID string // "" for all
	Limit          int    // 1 to 100
	Public         bool   // leave out private conversations; see IsPrivate
}

// SearchHit is a row that matches a search. Parts are the parts of its text near the search words.
type SearchHit struct {
	Seq            int64        `json:"seq"` // conversation.open with before = Seq+1 returns the row
	MessageID      string       `json:"messageId"`
	ConversationID string       `json:"conversationId"`
	Kind           string       `json:"kind"`
	Title          string       `json:"title"`
	Role           string       `json:"role"`
	Name           string       `json:"name"`
	At             Time         `json:"at"`
	Parts          []SearchPart `json:"parts"`
}

// SearchPart is a part of a row's text. Hit is set if it matches one of the words.
type SearchPart struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"`
}

// Saved is a realm that the store has recovered and opened under a new epoch.
type Saved struct {
	// Realm is the registry's entry for the realm's folder. If that folder was copied or moved, or the realm was linked
	// to another folder, World has another id, tenant or path; see Known.
	Realm         Realm
	World         *World
	Land          *Land // the land that was last known, with a map of generation 0
	Head          int64 // seq of the journal's last event, equal to World.Tick
	LastAt        Time  // time of the last event; see After
	BaseSeq       int64 // seq of the newest base in the journal
	BaseAt        Time  // when that base was saved, 0 if no base was saved since the realm began
	Epoch         string
	Lines         []Line // the openings of the realm, the oldest first; the last is the new one
	Conversations []SavedConversation
	Commands      []CommandRow
	Vaults        []Vault
	VaultsAt      int64       // seq up to which the vault files are complete
	Skills        []SkillText // skills of the skills folder, nil if it could not be read
	// State is the encoding of World and Land by EncodeState, nil if it was not made.
	State []byte
	// Newest are the frames of the journal's last events, at most NewestEvents, the oldest first. They are nil if they
	// were not read; the actor then reads them.
	Newest []Frame
	// Restored is nil when a realm is opened for the first time. Otherwise the actor adds the number of interrupted
	// runs and writes it as the first event of the new epoch.
	Restored *RealmRestored
	// Erasures are the erasures that were requested but whose event history:erased is not committed yet. The actor
	// completes them before it sends anything to clients.
	Erasures []Erasure
	// ErasedAt is the seq of the last history:erased. A client with an older position gets a
	// snapshot.
	ErasedAt int64
}

// Known returns the realm as an opening takes it: Realm has precedence over World, but a registry that was made anew
// may lack the linked folder.
func (s *Saved) Known() Realm {
	known := s.Realm
	known.Path = cmp.Or(known.Path, s.World.Realm.Path)
	return known
}

// NewestEvents is the number of events that a realm has in memory after it was opened, for clients that come back.
const NewestEvents = 2_000

// KnownPerson is a person whom a realm names: the id, and all names that the person had. LastAt is the time of the last
// event that names the person, null if only rows do.
type KnownPerson struct {
	SpectatorID string   `json:"spectatorId"`
	Names       []string `json:"names"`
	LastAt      Time     `json:"lastAt"`
}

// Remark is what a person said to everybody in a realm, outside of all conversations. By is the name of the person.
type Remark struct {
	At   Time   `json:"at"`
	By   string `json:"by"`
	Text string `json:"text"`
}

// MaxRemarks is the number of the newest remarks of a realm that Remarks returns and a report has.
const MaxRemarks = 1_000

// AuditRow records a change and its author (S1-19), without words of people. Who is a spectatorId, "server", or what
// requested an erasure: "agentdungeon erase", "api" or "retention".
type AuditRow struct {
	N              int64  `json:"n"` // number of the row; later rows have higher numbers
	At             Time   `json:"at"`
	Seq            int64  `json:"seq,omitempty"` // seq of the event, 0 for none
	Action         string `json:"action"`        // an event's type, or "retention"
	ConversationID string `json:"conversationId,omitempty"`
	Who            string `json:"who"`
	Before         string `json:"before,omitempty"`
	After          string `json:"after,omitempty"`
	Note           string `json:"note,omitempty"`
}
