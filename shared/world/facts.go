package world

import "sort"

// Facts are what the server needs to know of an event type beside its fold. Each type
// declares them once, where it is registered; the tables, the audit, the redactor and the
// transcripts in memory are derived from them. A type that declares nothing belongs to no
// conversation, names nobody, is not audited and changes no table.
type Facts struct {
	make    func() Body
	talk    func(Body) string
	names   func(Body) []Naming
	audit   func(Body) []AuditNote
	changes func(*Event) []Change

	// Personal says what of it is personal; every type says it.
	Personal Personal
	// Between the rows of a transcript a reader sees events of this type: snapshots hold the
	// newest of them.
	Between bool
}

// Naming is a person whom an event names: what they are called there, and what they say, ""
// for nothing.
type Naming struct {
	SpectatorID string
	Name        string
	Said        string
}

// AuditNote is a row of the audit that an event leads to, beside its time, type and who led
// to it (S1-19): never what was said, names only as ids.
type AuditNote struct {
	ConversationID string
	Before, After  string
	Note           string
	// Changed: Before is what the tables or the audit last knew, and nothing is noted where
	// that is After.
	Changed bool
	// Settings, where it is not nil: each setting that changed is a row of its own.
	Settings *Settings
}

// facts of T as its registration writes them.
type facts[T any] struct {
	talk     func(*T) string
	names    func(*T) []Naming
	audit    func(*T) AuditNote
	audits   func(*T) []AuditNote // where there may be several
	changes  func(*T, *Event) []Change
	personal Personal
	between  bool
}

// registered are the facts by event type.
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

// FactsOf an event type; the zero Facts of one that is not registered.
func FactsOf(eventType string) Facts {
	if f := registered[eventType]; f != nil {
		return *f
	}
	return Facts{}
}

// Names says whether events of the type may name people.
func (f Facts) Names() bool { return f.names != nil }

// ConversationOf is the conversation that an event belongs to, "" for none.
func ConversationOf(b Body) string {
	if f := registered[b.EventType()]; f != nil && f.talk != nil {
		return f.talk(b)
	}
	return ""
}

// Named are the people whom an event names.
func Named(b Body) []Naming {
	if f := registered[b.EventType()]; f != nil && f.names != nil {
		return f.names(b)
	}
	return nil
}

// AuditNotes are the rows of the audit that an event leads to.
func AuditNotes(b Body) []AuditNote {
	if f := registered[b.EventType()]; f != nil && f.audit != nil {
		return f.audit(b)
	}
	return nil
}

// Bodies gives an empty body of every durable event, sorted by type: the source
// of the schema.
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

// Change is one thing that an event does to its conversation: to its head, its runs or its
// rows. server/conversation folds changes in memory, the journal folds them into tables; an
// event's own type matters to neither.
type Change interface{ change() }

// The changes. What an event changes happens at the event's time, rows and runs begin at its
// seq.
type (
	// Began is a conversation's head. One that is there is replaced: after its journal was
	// lost, the conversation of a process begins again under its old id.
	Began struct{ Head Conversation }
	// StatusSet is its status and why.
	StatusSet struct{ Status, Reason string }
	// TitleSet is its title.
	TitleSet struct{ Title string }
	// TeamSet is who takes part in it.
	TeamSet struct{ Team Team }
	// ForgeSet is where a forge stands, and what it has gathered.
	ForgeSet struct{ Step *ForgeStepped }

	// RunBegan is a run; one that is not RunRunning has taken words in and owes no answer.
	RunBegan struct{ Run Run }
	// RunActive says that a run has made something.
	RunActive struct{ RequestID string }
	// RunEnded ends it.
	RunEnded struct{ RequestID, Status, Code, Reason string }

	// RowAdded is a row, open or closed. Said: it is closed words of somebody, which prompts
	// are made of.
	RowAdded struct {
		Row  Message
		Said bool
	}
	// RowExtended adds text to an open row.
	RowExtended struct{ MessageID, Text string }
	// RowClosed is the whole of a row, which was open; where its beginning is not there, it is
	// added.
	RowClosed struct{ Row Message }
	// ToolClosed closes a tool's row.
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

// Changes are what an event does to its conversation, in their order.
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
