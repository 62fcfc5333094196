package world

import "slices"

// Personal declares the personal fields of an event type, each as a JSON path with "[]" for every entry of a list. The
// redactor changes only these fields; a test checks this rule for every registered type.
type Personal struct {
	Conversation []string // fields that are erased with their conversation
	Person       []string // fields that are erased with the person who said or did something, or whom the field names
	None         string   // why the type has no personal field; "" if it has one
	redact       func(r *Redactor, b Body, ev *Event)
}

// rule declares the personal fields of an event type (see Personal) and the function redact, which changes them.
func rule[T Body](conversation, person []string, redact func(r *Redactor, b T, ev *Event)) Personal {
	return Personal{Conversation: conversation, Person: person, redact: func(r *Redactor, b Body, ev *Event) {
		redact(r, b.(T), ev)
	}}
}

// none declares that an event type has no personal fields. why is the reason.
func none(why string) Personal { return Personal{None: why} }

// Fields of structs that are personal and that several events contain.
var (
	memberFields  = []string{"team.members[].name", "team.members[].displayName"}
	rowFields     = []string{"message.name", "message.content", "message.tool.input"}
	findingFields = []string{"finding.title", "finding.text", "finding.evidence", "finding.why", "finding.advice",
		"finding.withdrawn", "finding.proof", "finding.steps[].path", "finding.steps[].quote", "finding.steps[].note",
		"finding.patch", "finding.accept"}
	conversationFields = []string{
		"conversation.title", "conversation.taskPrompt", "conversation.reason",
		"conversation.team.members[].name", "conversation.team.members[].displayName",
	}
	forgeFields = []string{
		"forge.question.topic", "forge.question.text", "forge.question.options[].label", "forge.skill",
		"forge.known[].topic", "forge.known[].lines[]", "moves[].why",
	}
)

// Event redacts an event in place and reports whether that changed the event. It must be called for all events in
// order.
func (r *Redactor) Event(ev *Event) bool {
	r.changed = false
	if p := FactsOf(ev.Body.EventType()).Personal; p.redact != nil {
		p.redact(r, ev.Body, ev)
	}
	return r.changed
}

// Row redacts a row of a transcript and reports whether that changed the row.
func (r *Redactor) Row(m *Message) bool {
	r.changed = false
	byPerson := r.person != "" && (m.SpectatorID == r.person || m.SpectatorID == "" && m.Role == RoleUser &&
		// A row of an older version has no spectatorId, so compare the member or the name.
		(m.MemberID == r.person || slices.Contains(r.names, m.Name)))
	switch {
	case byPerson:
		r.replace(&m.Name, ErasedName)
		r.replace(&m.Content, "")
	case r.conversations[m.ConversationID]:
		if m.Role == RoleUser {
			r.replace(&m.Name, ErasedName)
		}
		r.replace(&m.Content, "")
	case m.Role == RoleSystem && m.RequestID != "" && r.asked[m.ConversationID+"/"+m.RequestID]:
		r.replace(&m.Content, "")
	case m.Role == RoleSystem:
		r.replace(&m.Content, r.withoutNames(m.Content))
	default:
		r.replace(&m.Content, r.WithoutQuotes(m.Content))
	}
	if m.Tool != nil {
		tool := *m.Tool
		r.agentText(m.ConversationID, &tool.Input)
		m.Tool = &tool
	}
	return r.changed
}

// Head redacts the head of a conversation (title, task, reason and team, without messages) and reports whether that has
// changed c.
func (r *Redactor) Head(c *Conversation) bool {
	r.changed = false
	r.head(c, r.begun[c.ConversationID])
	if r.titled[c.ConversationID] {
		r.replace(&c.Title, ErasedName)
	}
	return r.changed
}

// head redacts the head of a conversation. byPerson is set if the erased person began the conversation.
func (r *Redactor) head(c *Conversation, byPerson bool) {
	whole := r.conversations[c.ConversationID]
	if whole || byPerson {
		r.replace(&c.Title, ErasedName)
		r.clear(&c.TaskPrompt)
	}
	r.replace(&c.Title, r.withoutNames(c.Title))
	r.replace(&c.TaskPrompt, r.WithoutQuotes(c.TaskPrompt))
	r.serverText(c.ConversationID, &c.Reason)
	r.team(&c.Team, whole)
}

// team redacts the names of people in a team: the names of all people if whole is set, otherwise those of the erased
// person.
func (r *Redactor) team(t *Team, whole bool) {
	for i := range t.Members {
		if m := t.Members[i]; m.ID == r.person && r.person != "" || whole && m.Type == KindHuman || m.Type == KindHuman &&
			slices.Contains(r.names, m.DisplayName) {
			t.Members = slices.Clone(t.Members) // copied before the change, because other structs may share the list
			r.replace(&t.Members[i].Name, ErasedName)
			r.replace(&t.Members[i].DisplayName, ErasedName)
		}
	}
}

func (r *Redactor) casting(c *Casting, whole bool) {
	if c.SpectatorID == r.person && r.person != "" || whole && c.Kind == KindHuman {
		r.replace(&c.Name, ErasedName)
	}
}

func (r *Redactor) forge(conversationID string, f *Forge) {
	r.serverText(conversationID, &f.Skill)
	for i := range f.Known {
		r.serverText(conversationID, &f.Known[i].Topic)
		for n := range f.Known[i].Lines {
			r.serverText(conversationID, &f.Known[i].Lines[n])
		}
	}
	if q := f.Question; q != nil {
		r.serverText(conversationID, &q.Topic)
		r.serverText(conversationID, &q.Text)
		for i := range q.Options {
			r.serverText(conversationID, &q.Options[i].Label)
		}
	}
}

// serverText redacts a text that the server has written in a conversation.
func (r *Redactor) serverText(conversationID string, text *string) {
	if r.conversations[conversationID] || r.reasons[*text] {
		r.clear(text)
	}
	r.replace(text, r.withoutNames(*text))
}

// agentText redacts a text of an agent or a tool.
func (r *Redactor) agentText(conversationID string, text *string) {
	if r.conversations[conversationID] {
		r.clear(text)
	}
	r.replace(text, r.WithoutQuotes(*text))
}

// processText redacts a text that the server wrote about the running process.
func (r *Redactor) processText(text *string) { r.serverText(r.process, text) }

func (r *Redactor) clear(text *string) { r.replace(text, "") }

// replace sets a field to value. If the value is new, it also sets r.changed.
func (r *Redactor) replace(field *string, value string) {
	if *field != value {
		*field, r.changed = value, true
	}
}
