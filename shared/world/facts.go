package world

import "sort"

// Facts declare what the server needs to know of an event type besides its fold. Each type
// declares them once, at its registration; the tables, the audit, the redactor and the
// transcripts in memory are derived from them. An event type without a declaration belongs to
// no conversation, names nobody, is not audited and changes no table.
type Facts struct {
	make    func() Body
	talk    func(Body) string
	names   func(Body) []Naming
	audit   func(Body) []AuditNote
	changes func(*Event) []Change

	// Personal declares which fields are personal. Every type declares it.
	Personal Personal
	// Between is set if readers see the event between the rows of a transcript. Snapshots hold
	// the newest such events.
	Between bool
}

// Naming is a person whom an event names, with the name and the words that it has of them. Said
// is "" if there are none.
type Naming struct {
	SpectatorID string
	Name        string
	Said        string
}

// AuditNote is an audit row for an event, besides its time, type and author (S1-19). It never
// holds words that people said, and names people only by id.
type AuditNote struct {
	ConversationID string
	Before, After  string
	Note           string
	// Changed means that Before is the last known value; no row is written if After equals it.
	Changed bool
	// Settings is not nil for a change of settings: each changed setting gets its own row.
	Settings *Settings
}

// facts is the declaration of one event type T.
type facts[T any] struct {
	talk     func(*T) string
	names    func(*T) []Naming
	audit    func(*T) AuditNote
	audits   func(*T) []AuditNote // instead of audit, for several rows
	changes  func(*T, *Event) []Change
	personal Personal
	between  bool
}

// registered holds the facts of each event type.
var registered = map[string]*Facts{}

func register[T any, P interface {
	*T
	Body
}](f facts[T]) struct{} {
	out := &Facts{make: func() Body { return P(new(T)) }, Personal: f.personal, Between: f.between}
	of := func(b Body) *T { return (*T)(b.(P)) }
	if f.talk != nil {
		out.talk = func(b Body) string { return f.talk(of(b)) }
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
	registered[P(new(T)).EventType()] = out
	return struct{}{}
}

// FactsOf returns the facts of an event type, or the zero Facts if it is not registered.
func FactsOf(eventType string) Facts {
	if f := registered[eventType]; f != nil {
		return *f
	}
	return Facts{}
}

// Names reports whether events of the type may name people.
func (f Facts) Names() bool { return f.names != nil }

// ConversationOf returns the id of the conversation that an event belongs to, or "".
func ConversationOf(b Body) string {
	if f := registered[b.EventType()]; f != nil && f.talk != nil {
		return f.talk(b)
	}
	return ""
}

// Named returns the people whom an event names.
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

// Bodies returns an empty body of every durable event, sorted by type. The schema is made of
// them.
func Bodies() []Body {
	types := make([]string, 0, len(registered))
	for t := range registered {
		types = append(types, t)
	}
	sort.Strings(types)
	out := make([]Body, len(types))
	for i, t := range types {
		out[i] = registered[t].make()
	}
	return out
}

// Change is a single change that an event makes to its conversation: to its head, its runs or
// its rows. server/conversation folds changes in memory, and the journal folds them into
// tables. Neither looks at the type of the event.
type Change interface{ change() }

// The kinds of Change. A change happens at the event's time. Rows and runs begin at its seq.
type (
	// Began sets a conversation's head, and replaces one that exists: after a lost journal, the
	// conversation of a process begins again under its old id.
	Began struct{ Head Conversation }
	// StatusSet sets the conversation's status and its reason.
	StatusSet struct{ Status, Reason string }
	// TitleSet sets its title.
	TitleSet struct{ Title string }
	// TeamSet sets its members.
	TeamSet struct{ Team Team }
	// ForgeSet sets the state of a forge and what it has gathered.
	ForgeSet struct{ Step *ForgeStepped }

	// RunBegan adds a run. A run with another status than RunRunning took words in and needs
	// no answer.
	RunBegan struct{ Run Run }
	// RunActive reports that a run has produced something.
	RunActive struct{ RequestID string }
	// RunEnded ends a run.
	RunEnded struct{ RequestID, Status, Code, Reason string }

	// RowAdded adds a row, open or closed. Said is set for a closed row with somebody's words;
	// prompts consist of such rows.
	RowAdded struct {
		Row  Message
		Said bool
	}
	// RowExtended adds text to an open row.
	RowExtended struct{ MessageID, Text string }
	// RowClosed replaces an open row by its final state, or adds it if it is missing.
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

// Changes returns the changes that an event makes to its conversation, in order.
func (e *Event) Changes() []Change {
	if f := registered[e.Body.EventType()]; f != nil && f.changes != nil {
		return f.changes(e)
	}
	return nil
}

// Touches reports whether an event changes its conversation's updatedAt. An imported row, which
// has its own time, does not (S2-B4).
func Touches(ev Event) bool {
	b, row := ev.Body.(*MessageAdded)
	return !row || b.Message.At >= ev.At
}
