package world

import (
	"maps"
	"slices"
)

// Facts describe an event type, apart from how it changes the world: its conversation, the people that it names,
// its audit rows, and the runs and rows that it changes. Each type declares them when it is registered. The tables,
// the audit, the redactor and the transcripts in memory use them and know no event type. An event type that
// declares nothing belongs to no conversation, names nobody, is not audited and changes no table.
type Facts struct {
	make         func() Body
	conversation func(Body) string
	names        func(Body) []Naming
	audit        func(Body) []AuditNote
	changes      func(*Event) []Change
	hide, hush   func(Body)
	private      bool
	hosts        bool

	// Personal declares which fields are personal. Every type declares it.
	Personal Personal
	// Between is set if clients show events of this type between the rows of a transcript. Snapshots contain the newest
	// such events.
	Between bool
	// Bounds is set if the event begins a conversation, or begins or ends a run: its changes then include a Began,
	// RunBegan or RunEnded. A search for these decodes only events with Bounds.
	Bounds bool
}

// Naming is a person that an event names. Said has the words of the person in the event, "" for none.
type Naming struct {
	SpectatorID string
	Name        string
	Said        string
}

// AuditNote is a row of the audit for an event (S1-19). The audit adds the time, type and author of the event. The
// note has no words of people, and names people only by id.
type AuditNote struct {
	ConversationID string
	Before, After  string
	Note           string
	// Who is the spectatorId of the person whom the event names as its cause, "" for none. Without it the audit names
	// the person whose command led to the event.
	Who string
	// Changed is set if the note is about a change of status. The audit then sets Before to the conversation's status
	// before the event, and writes no row if After equals it.
	Changed bool
	// Settings is set for a change of settings. The audit writes a row for each changed setting.
	Settings *Settings
}

// facts has the properties that are declared for an event type T; register makes Facts of them.
type facts[T any] struct {
	conversation func(*T) string
	names        func(*T) []Naming
	audit        func(*T) AuditNote
	audits       func(*T) []AuditNote // used instead of audit by types with several audit rows
	changes      func(*T, *Event) []Change
	hide         func(*T) // removes the fields that spectators may never see
	hush         func(*T) // removes the fields that are private; see Sight
	private      bool     // the event is private
	hosts        bool     // spectators may never see the event
	personal     Personal
	between      bool
	bounds       bool
}

// registered has the Facts of all event types, by the name of the type.
var registered = map[string]*Facts{}

// register adds the facts of the event type T to registered. It returns a value only so that the declaration of a
// package variable can call it; the value has no meaning.
func register[T any, P interface {
	*T
	Body
}](f facts[T]) struct{} {
	out := &Facts{
		make: func() Body { return P(new(T)) }, Personal: f.personal, Between: f.between, Bounds: f.bounds,
		private: f.private, hosts: f.hosts,
	}
	of := func(b Body) *T { return (*T)(b.(P)) }
	if f.conversation != nil {
		out.conversation = func(b Body) string { return f.conversation(of(b)) }
	}
	if f.names != nil {
		out.names = func(b Body) []Naming { return f.names(of(b)) }
	}
	switch {
	case f.audit != nil:
		out.audit = func(b Body) []AuditNote { return []AuditNote{f.audit(of(b))} }
	case f.audits != nil:
		out.audit = func(b Body) []AuditNote { return f.audits(of(b)) }
	}
	if f.changes != nil {
		out.changes = func(ev *Event) []Change { return f.changes(of(ev.Body), ev) }
	}
	if f.hide != nil {
		out.hide = func(b Body) { f.hide(of(b)) }
	}
	if f.hush != nil {
		out.hush = func(b Body) { f.hush(of(b)) }
	}
	registered[P(new(T)).EventType()] = out
	return struct{}{}
}

// FactsOf returns the facts of an event type, or zero Facts for an unknown type.
func FactsOf(eventType string) Facts {
	if f := registered[eventType]; f != nil {
		return *f
	}
	return Facts{}
}

// Names reports whether events of the type may name people.
func (f Facts) Names() bool { return f.names != nil }

// ConversationOf returns the id of an event's conversation, or "".
func ConversationOf(b Body) string {
	if f := registered[b.EventType()]; f != nil && f.conversation != nil {
		return f.conversation(b)
	}
	return ""
}

// Named returns the people that an event names.
func Named(b Body) []Naming {
	if f := registered[b.EventType()]; f != nil && f.names != nil {
		return f.names(b)
	}
	return nil
}

// AuditNotes returns the audit rows for an event.
func AuditNotes(b Body) []AuditNote {
	if f := registered[b.EventType()]; f != nil && f.audit != nil {
		return f.audit(b)
	}
	return nil
}

// Bodies returns an empty body of every durable event, sorted by type. scripts/schema generates
// the schema from them.
func Bodies() []Body {
	var out []Body
	for _, t := range slices.Sorted(maps.Keys(registered)) {
		out = append(out, registered[t].make())
	}
	return out
}

// Change is one change that an event makes in its conversation: of the head, a run or a row. server/conversation
// applies changes in memory, and the journal applies them to tables; neither has to know the type of the event.
type Change interface{ change() }

// The kinds of Change. A change has the time of its event; new rows and runs have its seq.
type (
	// Began sets a conversation's head. It replaces a head that exists already: after a loss of the journal, the
	// conversation of a process begins again with the same id.
	Began struct{ Head Conversation }
	// StatusSet sets the conversation's status and its reason.
	StatusSet struct{ Status, Reason string }
	// TitleSet sets the conversation's title.
	TitleSet struct{ Title string }
	// TeamSet sets the conversation's members.
	TeamSet struct{ Team Team }
	// ForgeSet sets the state of a forge and the answers that it has collected.
	ForgeSet struct{ Step *ForgeStepped }

	// RunBegan adds a run. A status other than RunRunning means that the run has already ended, because the
	// person's words need no answer.
	RunBegan struct{ Run Run }
	// RunActive sets the time of a run's last activity.
	RunActive struct{ RequestID string }
	// RunEnded ends a run.
	RunEnded struct{ RequestID, Status, Code, Reason string }

	// RowAdded adds an open or closed row. Said is set if prompts include the row: it is closed and has words of a
	// person or an agent.
	RowAdded struct {
		Row  Message
		Said bool
	}
	// RowExtended adds text to an open row.
	RowExtended struct{ MessageID, Text string }
	// RowClosed replaces an open row by the closed one. If there is no open row, it adds the closed
	// one.
	RowClosed struct{ Row Message }
	// ToolClosed closes the row of a tool call.
	ToolClosed struct{ End *ToolEnd }
)

func (Began) change()       {}
func (StatusSet) change()   {}
func (TitleSet) change()    {}
func (TeamSet) change()     {}
func (ForgeSet) change()    {}
func (RunBegan) change()    {}
func (RunActive) change()   {}
func (RunEnded) change()    {}
func (RowAdded) change()    {}
func (RowExtended) change() {}
func (RowClosed) change()   {}
func (ToolClosed) change()  {}

// Changes returns the changes that an event makes in its conversation, in order.
func (e *Event) Changes() []Change {
	if f := registered[e.Body.EventType()]; f != nil && f.changes != nil {
		return f.changes(e)
	}
	return nil
}

// Touches reports whether an event changes its conversation's UpdatedAt. An imported row does
// not, because it is older than its event (S2-B4).
func Touches(ev Event) bool {
	b, row := ev.Body.(*MessageAdded)
	return !row || b.Message.At >= ev.At
}
