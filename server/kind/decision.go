package kind

import (
	"iter"

	"agentdungeon/server/conversation"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Person is somebody who sends commands or watches. SpectatorID is "" until the person has registered.
type Person struct {
	SpectatorID string
	Name        string
	Color       string
	Role        string // wire.RoleHost or wire.RoleSpectator
}

// Listed returns the entry for p in the frame spectator:list, as for a person who has no file open.
func (p Person) Listed() wire.Spectator {
	return wire.Spectator{SpectatorID: p.SpectatorID, Name: p.Name, Color: p.Color, Role: p.Role}
}

// Called returns the name that sentences for people use for p.
func (p Person) Called() string {
	if p.Name == "" {
		return "Somebody"
	}
	return p.Name
}

// Member returns a person as a member of a team.
func (p Person) Member(order int) world.Member {
	return world.Member{
		ID: p.SpectatorID, Name: p.Name, DisplayName: p.Name, Type: world.KindHuman, Role: "person", Color: p.Color,
		Order: order,
	}
}

// RegisterFirst is the error for a command that needs a registered person.
var RegisterFirst = wire.Errorf(wire.NotAllowed, "register first (spectator:register)")

// Start is a command conversation.start of a registered person.
type Start struct {
	From Person
	*wire.ConversationStart
}

// Words is a message of a person to a conversation (chat.send). Message is its row in the transcript; the kind can
// change the text, member and stage of the row. Request is the id of the run. Choices are the ids of the options
// that the person chose.
type Words struct {
	From     Person
	Request  string
	Message  *world.Message
	MemberID string
	Choices  []string
	SeenSeq  int64
}

// Command is a person's command.
type Command struct {
	From      Person
	RequestID string
	wire.Command
	Server bool // set if the sender is the person who started the server
}

// Verb is an action on a conversation.
type Verb int

const (
	// Resume continues a conversation that waits or was interrupted.
	Resume Verb = iota
	// Pause makes a conversation wait until a person resumes it.
	Pause
	// Abort ends a conversation early. Close ends a conversation that is done.
	Abort
	Close
	// Stop ends one run, which Control.Run names, and not the conversation.
	Stop
)

// Control is a person's action on a conversation.
type Control struct {
	Verb      Verb
	From      Person
	RequestID string
	Run       *world.Run // the run that Stop ends
	Played    bool       // set if a driver plays Run, not a person
	Tool      string     // the name of an open tool call whose outcome would be unknown; see Cut
}

// Ended is a run that ended well. Passed is set if its driver has said that the member has nothing to say.
type Ended struct {
	Run    world.Run
	Passed bool
}

// Cut is a run that did not end well, with its status. Tool names the tool call that was cut off with the run, if the
// tool does more than read, otherwise it is "". The outcome of such a call is unknown, so the plan waits for a person.
type Cut struct {
	Run    world.Run
	Status string // one of world.Run...
	Stage  string // the stage of the rows, if the kind has stages
	Tool   string
}

// Opening describes how the realm is opened.
type Opening struct {
	// Tired is set if the server was started repeatedly and no turn ended well in between. In that case the
	// conversations that were running do not continue before a person resumes them.
	Tired bool
}

// Decision is the result of a command: events, which are committed as a whole, and an answer to
// the sender. The zero value changes nothing.
type Decision struct {
	Bodies []world.Body
	Text   string
	// Needs is data that must be read before the command can be decided, nil for none. The engine first commits
	// the events in Bodies, then reads the data and decides the command again. If the sender repeats the command in
	// the meantime, the repeated command waits for the same answer.
	Needs Need
	Warn  string // a line for the server's log, "" for none; a refused command can have one too
}

// Step is a list of events, which are committed as a whole, with lines for the server's log. A line that is "" is not
// logged.
type Step struct {
	Bodies []world.Body
	Warn   string
	Info   string // a line for the log that is no warning
	Talk   string // the conversation that the lines are about, or ""
	By     string // the person whose earlier command the step carries out, for the audit; "" for the server
	// Needs is data that the engine reads once all events decided so far are committed. The engine passes the data to
	// the kind's Finder.
	Needs Need
}

// Steps yields lists of events in order. The engine applies each list to the world before it takes the next one, so
// that later decisions see the effect of earlier ones.
type Steps = iter.Seq[Step]

// Ending is a placeholder in a list of events for the end of a run. The engine replaces it by the events that close
// the run's open rows and by chat.cancelled. It removes the placeholder if the run has already ended.
type Ending struct {
	world.Body     // always nil; embedded so that Ending is a Body
	ConversationID string
	RequestID      string
	Reason         string // one of world.Cancel...
}

// EventType returns "". No client sees an Ending, because the engine replaces it before.
func (*Ending) EventType() string { return "" }

// TakenIn returns the events that record a person's words as a run that begins and ends at once, because nobody
// answers the words now.
func TakenIn(request string, msg *world.Message) []world.Body {
	return []world.Body{
		&world.ChatStarted{ConversationID: msg.ConversationID, RequestID: request, MemberID: msg.MemberID,
			Status: world.RunDone, Message: msg},
		&world.ChatDone{ConversationID: msg.ConversationID, RequestID: request, MemberID: msg.MemberID},
	}
}

// Stopping returns an Ending for each run under way in a conversation.
func Stopping(t *Talk, reason string) []world.Body {
	var out []world.Body
	for _, run := range t.Active() {
		out = append(out, &Ending{ConversationID: t.Head.ConversationID, RequestID: run.RequestID, Reason: reason})
	}
	return out
}

// Effects lists what the engine does after an event.
type Effects struct {
	// Sheds is set if the engine must remove from memory what the kind does not need any more; see Shedder.
	Sheds bool
	// SavePoint is the id of the conversation for which the engine sends session:saved once the event is durable, ""
	// for none.
	SavePoint string
	// Asks is the chat.started of a run under way. The engine calls Turn for this run and gives the request to the
	// driver. The kind receives the driver's answer, and nobody else sees it: see Asker.
	Asks *world.ChatStarted
	// Writes is a skill that the engine writes into the realm's folder, nil for none. The kind receives the outcome
	// in Asker.Written.
	Writes *Writing
}

// HasEnded returns the error conflict if the conversation has ended, otherwise nil.
func HasEnded(t *conversation.State) *wire.Error {
	if t.Head.Ended() {
		return wire.Errorf(wire.Conflict, "this conversation has ended; start another one")
	}
	return nil
}

// Reopening returns the event that makes the conversation active if retention has marked it as abandoned (S1-16). It
// returns no event if the conversation has not ended, and an error if the conversation has ended in another way.
func Reopening(t *conversation.State) ([]world.Body, *wire.Error) {
	if t.Head.Status != world.ConversationAbandoned {
		return nil, HasEnded(t)
	}
	return []world.Body{
		&world.ConversationStatus{ConversationID: t.Head.ConversationID, Status: world.ConversationActive},
	}, nil
}

// Done returns chat.done for a run. turn is the turn that the run played, nil for none.
func Done(run world.Run, turn *world.TurnDone) *world.ChatDone {
	return &world.ChatDone{ConversationID: run.ConversationID, RequestID: run.RequestID, MemberID: run.MemberID,
		Turn: turn}
}

// NothingWaits is the error for a request to pause a conversation in which nothing happens by itself.
var NothingWaits = wire.Errorf(wire.Conflict, "nothing runs in this conversation that could be paused")
