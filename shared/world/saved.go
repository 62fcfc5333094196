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

// CommandRow remembers what a command was answered, so that resending it is safe
// (design 3.9). Kept 24 hours, at most MaxCommandRows a realm.
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
}

// Insight is one thing learned.
type Insight struct {
	Area string `json:"area"`
	Text string `json:"text"`
	At   Time   `json:"at"`
}

// MaxInsights is how many a vault keeps.
const MaxInsights = 500

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
}

// Saved is a realm as its folder gives it back, already folded and on a new line.
type Saved struct {
	// Realm is what the registry calls this folder; its id and tenant count, also
	// where World has others because the folder was copied or moved.
	Realm         Realm
	World         *World
	Head          int64 // seq of the journal's last event; World.Tick equals it
	LastAt        Time  // of the last event: at never goes back
	Epoch         string
	Lines         []Line // oldest first, the new one last
	Conversations []SavedConversation
	Commands      []CommandRow
	Vaults        []Vault
	// Restored is nil at a realm's first opening; else what the actor writes as
	// the first event of the new line, after it has counted the runs it ends.
	Restored *RealmRestored
}
