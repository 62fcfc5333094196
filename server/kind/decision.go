package kind

import (
	"iter"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Person is who sends a command or sits at a viewer. SpectatorID is "" before they
// registered.
type Person struct {
	SpectatorID string
	Name        string
	Color       string
	Role        string // wire.RoleHost or wire.RoleSpectator
}

// Called is what a person is called in words about them.
func (p Person) Called() string {
	if p.Name == "" {
		return "Somebody"
	}
	return p.Name
}

// Member makes a person a member of a team.
func (p Person) Member(order int) world.Member {
	return world.Member{
		ID: p.SpectatorID, Name: p.Name, DisplayName: p.Name, Type: world.KindHuman, Role: "person", Color: p.Color,
		Order: order,
	}
}

// RegisterFirst is what somebody is told who has not said who they are.
var RegisterFirst = wire.Errorf(wire.NotAllowed, "say who you are first (spectator:register)")

// Start is a conversation.start of a person who has registered.
type Start struct {
	From Person
	*wire.ConversationStart
}

// Words are what a person says or chooses, as chat.send has it. Message is the row that
// they become: the kind may still set its words, member and stage. Request is the run's id.
type Words struct {
	From     Person
	Request  string
	Message  *world.Message
	MemberID string
	Choices  []string
	SeenSeq  int64
}

// Command is a command of a person.
type Command struct {
	From      Person
	RequestID string
	wire.Command
	Server bool // it comes from who started the server
}

// Verb is what a person does with a conversation.
type Verb int

const (
	// Resume goes on: what waits, or what was cut off.
	Resume Verb = iota
	// Pause waits for a person.
	Pause
	// Abort ends it before its time, Close when it is done.
	Abort
	Close
	// Stop ends the run of Control.Run.
	Stop
)

// Control is a person's word about a conversation.
type Control struct {
	Verb      Verb
	From      Person
	RequestID string
	Run       *world.Run // to be stopped
	Played    bool       // a driver plays it
	Tool      string     // see Cut
}

// Ended is a run that ended well.
type Ended struct{ Run world.Run }

// Cut is a run that did not end well: how, and with a tool under way that does more than
// look: nobody knows what came of that, so the plan waits for a person. "" for none.
type Cut struct {
	Run    world.Run
	Status string // one of world.Run...
	Stage  string // of its rows, where the kind is staged
	Tool   string
}

// Opening is what an opening says to a kind.
type Opening struct {
	// Tired: the server was started again and again without a turn that ended well, so
	// that what went on waits for a person.
	Tired bool
}

// Decision is what a command leads to: events, committed as a whole, and a word to the
// sender. The zero value changes nothing.
type Decision struct {
	Bodies []world.Body
	Text   string
	// Needs is what has to be read first: the command is decided again then. Events beside it
	// are told at once, and it is read once they are committed; until then the same command
	// sent again waits too.
	Needs Need
	Warn  string // a line for the server's log, "" for none; with a refusal too
}

// Step is one list of events, committed as a whole, and a line for the server's log, ""
// for none.
type Step struct {
	Bodies []world.Body
	Warn   string
	Info   string // another line, which is no warning
	Talk   string // that the lines are about, "" for none
	// Needs is read once all that was decided is committed, and given to the kind's Finder.
	Needs Need
}

// Steps are lists of events in their order. The engine folds each before it asks for the
// next, so that what is decided later sees what was decided before.
type Steps = iter.Seq[Step]

// Ending is a place in a list of events where a run is stopped: the engine puts the
// events there that close what is open in the run, and chat.cancelled. A run that has
// ended gives none.
type Ending struct {
	world.Body     // nil: what makes it one in a list
	ConversationID string
	RequestID      string
	Reason         string // one of world.Cancel...
}

// EventType is never seen by anybody: the engine replaces an Ending.
func (*Ending) EventType() string { return "" }

// TakenIn are the events of words that ask for no answer.
func TakenIn(request string, msg *world.Message) []world.Body {
	return []world.Body{
		&world.ChatStarted{ConversationID: msg.ConversationID, RequestID: request, MemberID: msg.MemberID,
			Status: world.RunDone, Message: msg},
		&world.ChatDone{ConversationID: msg.ConversationID, RequestID: request, MemberID: msg.MemberID},
	}
}

// Stopping ends all runs of a conversation.
func Stopping(t *Talk, reason string) []world.Body {
	var out []world.Body
	for _, run := range t.Active() {
		out = append(out, &Ending{ConversationID: t.Head.ConversationID, RequestID: run.RequestID, Reason: reason})
	}
	return out
}

// Effects are what an event asks of the engine.
type Effects struct {
	// Sheds has the kind let go of what is not needed any more: see Shedder.
	Sheds bool
	// SavePoint is a conversation of which session:saved is told once this is durable, ""
	// for none.
	SavePoint string
	// Asks is a run under way of whose driver something is asked now: Turn says what. The answer is
	// heard and not shown: see Asker.
	Asks *world.ChatStarted
	// Writes is a skill to be written: see Asker.
	Writes *Writing
}

// HasEnded is the refusal of words to a conversation that has ended.
func HasEnded(t *conversation.State) *wire.Error {
	if t.Head.Ended() {
		return wire.Errorf(wire.Conflict, "this conversation has ended; start another one to go on")
	}
	return nil
}

// Done is the end of a run that went well, with the turn that it fills, nil for none.
func Done(run world.Run, turn *world.TurnDone) *world.ChatDone {
	return &world.ChatDone{ConversationID: run.ConversationID, RequestID: run.RequestID, MemberID: run.MemberID,
		Turn: turn}
}

// NothingWaits refuses a pause where nothing goes on by itself.
var NothingWaits = wire.Errorf(wire.Conflict, "nothing goes on here that could wait")
