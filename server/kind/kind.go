package kind

import (
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Talk is a conversation in memory. A kind does not modify it.
type Talk = conversation.State

// Kind decides for all conversations of one kind in a realm. A realm has its own value and uses it until it is
// closed; the fields of the value hold only state that may be lost. The engine calls all methods from its own
// goroutine. If a method panics, nothing changes.
type Kind interface {
	// Traits returns the fixed properties of the kind.
	Traits() Traits
	// Begin decides conversation.start. The person who sent the command sees its error.
	Begin(r *Realm, in Start) (Decision, *wire.Error)
	// Said decides what follows from a person's words in a conversation. The conversation may have ended.
	Said(r *Realm, t *Talk, in Words) (Decision, *wire.Error)
	// Next returns the next steps of the plan in all conversations of the kind. The engine calls it until it
	// returns none. The plan stores nothing between two calls, so after a restart it continues with the next call.
	Next(r *Realm) Steps
	// Turn returns the driver and the request for a run that begins. The driver is nil if a person must answer, or if the
	// run needs no answer.
	Turn(r *Realm, t *Talk, b *world.ChatStarted) (driver.Driver, driver.Turn)
	// Done returns the events of a run that ended well: chat.done and what follows from it.
	Done(r *Realm, t *Talk, e Ended) []world.Body
	// Cut returns the events that follow from a run that did not end well. The engine itself
	// emits the end of the run.
	Cut(r *Realm, t *Talk, c Cut) []world.Body
	// Control decides what a person does with a conversation; see Verb.
	Control(r *Realm, t *Talk, c Control) (Decision, *wire.Error)
	// View returns the data of a conversation, besides its rows, that clients see, and its Standing.
	View(r *Realm, t *Talk) View
	// Restore returns the steps of the kind at the opening of the realm. The engine calls it before the first Next.
	Restore(r *Realm, o Opening) Steps
}

// Planless has the methods of Kind for a kind without a plan: nothing happens by itself, and nothing follows
// from the end of a run.
type Planless struct{}

// Next returns no steps, because nothing happens by itself.
func (Planless) Next(*Realm) Steps { return None }

// Restore returns no steps: a kind without a plan has nothing to continue when the realm is opened.
func (Planless) Restore(*Realm, Opening) Steps { return None }

// Done returns the event chat.done for the run, and no further events.
func (Planless) Done(_ *Realm, _ *Talk, e Ended) []world.Body { return []world.Body{Done(e.Run, nil)} }

// Cut returns no events, because nothing follows from a run that did not end well.
func (Planless) Cut(*Realm, *Talk, Cut) []world.Body { return nil }

// Registration is a kind with its name on the wire and in the journal.
type Registration struct {
	Name string
	New  func(name string) Kind
}

// Traits are the fixed properties of a kind.
type Traits struct {
	conversation.Rules
	// Answers is set if the kind answers a person's words at once. At most MaxAnswers conversations of such kinds are
	// answered at a time.
	Answers bool
	// Private is set if only hosts see the conversations (P17.5).
	Private bool
	// Gathers is set if the members of an active conversation come together on the map. The kind itself keeps the
	// number of such conversations within Settings.MaxConcurrentConversations; the engine does not count them.
	Gathers bool
}

// Standing says whether a conversation is shown to clients and kept in memory.
type Standing int

const (
	// Unlisted conversations are not needed in memory.
	Unlisted Standing = iota
	// Recent conversations are shown to clients and kept in memory while they are among the wire.ViewChats
	// conversations of their kind that have the newest words.
	Recent
	// Open conversations are shown to clients and kept in memory.
	Open
	// Current conversations are shown to clients and kept in memory, and retention does not touch them.
	Current
)

// View is what clients see of a conversation besides its rows, and its Standing, which says whether they see it at all.
type View struct {
	Plan     world.Plan
	Team     world.Team // the team with the present holders of its roles
	Standing Standing
}

// Optional capabilities of a kind.

// Commander handles commands that concern the kind as a whole and not one conversation.
type Commander interface {
	// Command decides a command. It returns false if another kind or the engine handles the command.
	Command(r *Realm, in Command) (Decision, bool, *wire.Error)
	// Slash decides a line that begins with a slash. It returns false if the line is for another kind or for the
	// engine.
	Slash(r *Realm, in Command, word, rest string) (Decision, bool, *wire.Error)
}

// Host is a kind that can handle a person's words that name no conversation.
type Host interface {
	// Field returns the conversation to which a person's words belong if they name no conversation, or "". The
	// parameter to is the member whom the words address, "" for nobody. The result its is set if that member
	// belongs to the conversation.
	Field(r *Realm, from Person, to string) (conversationID string, its bool)
	// Earlier returns the findings of the processes that ran before the current process.
	Earlier(r *Realm) []world.Finding
	// Missing returns the members that no person and no driver plays any more. The event realm:restored lists them.
	Missing(r *Realm) []world.Member
	// Handed handles a document that a member hands over. Sealed handles the signal by which a member ends the stage.
	Handed(r *Realm, member string, document driver.NamedText) ([]world.Body, *wire.Error)
	Sealed(r *Realm, member, summary string) ([]world.Body, *wire.Error)
}

// Answerer is a kind with conversations between a person and one member, in which the member answers questions.
type Answerer interface {
	Question(r *Realm, in Command, who, text string) (Decision, *wire.Error)
}

// Watcher is a kind that gets every event after the engine has applied it. It decides nothing.
type Watcher interface {
	Saw(r *Realm, ev world.Event) Effects
}

// Shedder is a kind whose conversations can be removed from memory in parts. Sheds returns what only earlier stages
// needed: of the conversation t (nil for none), the engine removes the turns for which keep returns false; of the
// conversations with the ids in drop, it removes everything.
type Shedder interface {
	Sheds(r *Realm) (t *Talk, keep func(world.Turn) bool, drop []string)
}

// Waker is a kind whose Next the engine must call at the time Due, even if nothing happens. The zero time means never.
type Waker interface{ Due() time.Time }

// Reader is a kind that answers some commands by reading from the disk, without events.
type Reader interface {
	// Reads returns the read (Need) whose result, a wire.Frame, answers a command. It returns nil for a command
	// that is not the kind's.
	Reads(r *Realm, in Command) Need
}

// Runner is a kind with conversations that can be under way while no turn is played. Kinds that gather their members
// (Traits.Gathers) need not implement it.
type Runner interface {
	// Running reports whether a conversation is under way now. Then the realm stays open.
	Running(r *Realm) bool
}

// Importer imports conversations from files of the realm's folder, each time that the realm is opened.
type Importer interface {
	Finder
	// Imports returns the steps that begin the import of the files.
	Imports(r *Realm) Steps
	// Importing reports whether files are still being imported.
	Importing() bool
	// Broken returns an error that says why a conversation's file could not be imported, and nil for every other
	// conversation. It is safe for concurrent use once the import has ended.
	Broken(conversationID string) *wire.Error
}

// Finder is a kind that receives the result of Step.Needs, or the error of reading it, and then continues.
type Finder interface {
	Found(r *Realm, need Need, got any, err error) Steps
}

// Leaver is a kind with conversations that end when a member is dismissed.
type Leaver interface {
	// Left returns the events that follow from the dismissal. The ends of the member's own runs are not among them.
	Left(r *Realm, member string) []world.Body
}

// Editor is a kind that edits the text of rows before they are stored.
type Editor interface {
	// Row returns the text to store for the row m of an agent's run. The engine calls Row once for each row, before it
	// closes the row.
	Row(m world.Message) string
	// Kept returns the text to store for the words of a person.
	Kept(text string) string
	// Redact removes erased words from the copies of rows that the kind keeps. said returns a text without the
	// erased words.
	Redact(said func(string) string)
}

// Holder is a kind that keeps some of its members on the map when a realm is opened. All other members are then
// taken off it.
type Holder interface {
	// Holds returns the ids of the members that are not taken off the map.
	Holds(r *Realm) map[string]bool
}

// Cooler is a kind that decides what a member does after its cooldown.
type Cooler interface {
	// Cooled returns the events that follow from the end of a member's cooldown, or nil if the member only becomes
	// idle.
	Cooled(r *Realm, member string) []world.Body
}

// Counter is a kind with counters in the world that must agree with the transcript (S0-11).
type Counter interface {
	// Counts returns the numbers of turns in the current stage, by stage id and by "stageId:roleId". talk is the
	// current conversation as the journal has it.
	Counts(w *world.World, talk world.SavedConversation) (stages, members map[string]int)
}

// Tasker is a kind with conversations in which a person's words can set the task.
type Tasker interface {
	// Task returns the task that words set, "" for none.
	Task(words string) string
}

// Forgetter is a kind with state that must end when a conversation or a person is erased.
type Forgetter interface {
	// Forget returns the events that follow from the erasure of the conversation t, or of a person if t is
	// nil.
	Forget(r *Realm, person string, t *Talk) []world.Body
	// Erasable returns an error that says why a conversation must not be erased now, or nil if it may be erased.
	Erasable(r *Realm, conversationID string) *wire.Error
}

// Observer is a kind for sessions of programs that run outside of the server. It receives what a reader has read of
// such a session.
type Observer interface {
	// Observed returns the events that record the parameter seen. The result at is the position up to which the
	// realm has read the session. If it differs from seen.Before, the events do not contain seen.Entries.
	Observed(r *Realm, seen shadow.Seen) (d Decision, at shadow.Position)
}

// Doorkeeper is a kind for questions that agents outside of the server ask and people answer. Such a question is
// called a door.
type Doorkeeper interface {
	// Hooked returns the events that follow from h, a report of an agent's hook. The result door is the id of the
	// door that the report opens, "" for none.
	Hooked(r *Realm, h shadow.Hook) (d Decision, door string)
}

// Messenger is a kind that passes messages of people to agents outside of the server.
type Messenger interface {
	// Hand returns the messages of people for the hook that has sent h and waits for them, and the events that mark
	// these messages as handed to it.
	Hand(r *Realm, h shadow.Hook) (Decision, shadow.Handed)
}

// Quitter is a kind that keeps state about a conversation which must end before an erasure ends the conversation.
type Quitter interface {
	// Quits returns the events that end what the kind keeps about the conversation t.
	Quits(r *Realm, t *Talk) []world.Body
}
