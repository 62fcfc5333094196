package kind

import (
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Talk is one conversation in memory. A kind reads it and never changes it.
type Talk = conversation.State

// Kind decides for all conversations of one kind of a realm. One value serves one realm
// for one life of the server; what it keeps in fields is provisional. Every method is
// called from the engine's goroutine, and a panic in one changes nothing.
type Kind interface {
	// Traits are what never changes about the kind.
	Traits() Traits
	// Begin decides conversation.start. Its errors are what the person is told.
	Begin(r *Realm, in Start) (Decision, *wire.Error)
	// Said takes a person's words into a conversation, which may have ended.
	Said(r *Realm, t *Talk, in Words) (Decision, *wire.Error)
	// Next is what the plan wants now, over all conversations of the kind. The engine asks
	// again until nothing comes: a plan keeps no memory, so this is also the recovery.
	Next(r *Realm) Steps
	// Turn says who plays a run that begins and what they are told; a nil driver where a
	// person is asked, or where nothing is to be played.
	Turn(r *Realm, t *Talk, b *world.ChatStarted) (driver.Driver, driver.Turn)
	// Done are the events of a run that ended well: chat.done, then what follows from it.
	Done(r *Realm, t *Talk, e Ended) []world.Body
	// Cut are the events that follow from a run that did not end well. How it ends is told
	// by the engine.
	Cut(r *Realm, t *Talk, c Cut) []world.Body
	// Control decides what a person does with a conversation: see Verb.
	Control(r *Realm, t *Talk, c Control) (Decision, *wire.Error)
	// View is what others see of a conversation beside its rows, and whether it is at hand.
	View(r *Realm, t *Talk) View
	// Restore is the kind's part of an opening, before Next is asked for the first time.
	Restore(r *Realm, o Opening) Steps
}

// Registration is a kind under a name: the one of wire and of the journal.
type Registration struct {
	Name string
	New  func(name string) Kind
}

// Traits of a kind.
type Traits struct {
	conversation.Rules
	// Answers: a turn answers words at once, and at most MaxAnswers conversations of all
	// such kinds are answered at a time.
	Answers bool
	// Gathers: while a conversation is active its members are together on the map, and
	// at most Settings.MaxConcurrentConversations of them are active.
	Gathers bool
}

// Standing is how near a conversation is.
type Standing int

const (
	// Aside: nobody needs it in memory.
	Aside Standing = iota
	// Recent: it is shown and kept while it is one of the wire.ViewChats of its kind that
	// last spoke.
	Recent
	// Open: it is shown and kept.
	Open
	// AtHand: it is shown and kept, and retention leaves it alone.
	AtHand
)

// View is what others see of a conversation.
type View struct {
	Plan     world.Plan
	Team     world.Team // with who holds its roles now
	Standing Standing
}

// The capabilities: what only some kinds have.

// Commander takes commands that are about a kind and not about one conversation.
type Commander interface {
	// Command decides one; false: it is none of the kind's.
	Command(r *Realm, in Command) (Decision, bool, *wire.Error)
	// Slash decides a line that begins with a slash; false: it is none of the kind's.
	Slash(r *Realm, in Command, word, rest string) (Decision, bool, *wire.Error)
}

// Host has a conversation that takes words which name none.
type Host interface {
	// Field says which conversation takes words of a person to a member, "" for none, and
	// whether the member is meant as one of it; to is "" for nobody.
	Field(r *Realm, from Person, to string) (conversationID string, its bool)
	// Earlier are the findings of processes before the one at hand.
	Earlier(r *Realm) []world.Finding
	// Missing are the members that nothing plays any more, for an opening to tell.
	Missing(r *Realm) []world.Member
	// Handed takes a document that a member hands over, Sealed its word that it is done.
	Handed(r *Realm, member, name, text string) ([]world.Body, *wire.Error)
	Sealed(r *Realm, member, summary string) ([]world.Body, *wire.Error)
}

// Answerer answers a question to one member in a conversation of the two.
type Answerer interface {
	Question(r *Realm, in Command, who, text string) (Decision, *wire.Error)
}

// Watcher hears every event after it is folded. It decides nothing.
type Watcher interface {
	Saw(r *Realm, ev world.Event) Effects
}

// Shedder lets go of what earlier stages needed: of t only turns are kept that keep names
// (nil t: of none), and drop leave memory.
type Shedder interface {
	Sheds(r *Realm) (t *Talk, keep func(world.Turn) bool, drop []string)
}

// Waker wants to be asked at a time, though nothing happens; zero for never.
type Waker interface{ Due() time.Time }

// Reader answers commands that only read.
type Reader interface {
	// Reads returns what answers a command, nil for none of the kind's; it gives a wire.Frame.
	Reads(r *Realm, in Command) Need
}

// Runner says whether something of the kind goes on by itself, so that the realm stays open.
type Runner interface{ Running(r *Realm) bool }

// Importer takes in conversations from files of the realm's folder, in every opening.
type Importer interface {
	Finder
	// Imports begins that.
	Imports(r *Realm) Steps
	// Importing says whether files are still being imported.
	Importing() bool
	// Broken says why a conversation is not here whose file could not be imported, nil for
	// every other. It may be asked from any goroutine once nothing is imported any more.
	Broken(conversationID string) *wire.Error
}

// Finder goes on with what a Step needed: got, or why it could not be read.
type Finder interface {
	Found(r *Realm, need Need, got any, err error) Steps
}

// Leaver says what ends where a member is dismissed, beside its own runs.
type Leaver interface {
	Left(r *Realm, member string) []world.Body
}

// Editor changes what rows keep of a text.
type Editor interface {
	// Row returns the text that a row of an agent's run keeps. It is called once for each row,
	// before the row is closed.
	Row(m world.Message) string
	// Kept returns what a row keeps of a person's words.
	Kept(text string) string
	// Redact removes what is erased from what the kind has kept of rows.
	Redact(said func(string) string)
}

// Holder says which members an opening leaves on the map, by id.
type Holder interface {
	Holds(r *Realm) map[string]bool
}

// Cooler says what becomes of a member that has cooled down; nil: it rests.
type Cooler interface {
	Cooled(r *Realm, member string) []world.Body
}

// Counter has counts in the world for which the transcript is the authority (S0-11).
type Counter interface {
	// Counts returns the turns of the stage at hand, by stage id and by "stageId:memberId". talk is
	// the conversation that the world is at, as the journal has it.
	Counts(w *world.World, talk world.SavedConversation) (stages, members map[string]int)
}

// Tasker has conversations in which a person's words may set the task.
type Tasker interface {
	// Task returns the task that words set, "" for none.
	Task(words string) string
}

// Forgetter says what ends with an erasure: of a person for a nil talk, else of a
// conversation as it is told.
type Forgetter interface {
	Forget(r *Realm, person string, t *Talk) []world.Body
}

// Quitter says what ends before an erasure ends a conversation.
type Quitter interface {
	Quits(r *Realm, t *Talk) []world.Body
}
