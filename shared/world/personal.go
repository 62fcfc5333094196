package world

import "slices"

// Personal declares what is personal in a type of event: fields by JSON path, "[]" for each
// entry of a list. The redactor changes these fields and no others; a test holds that for every
// registered type. A type without personal fields gives the reason in None.
type Personal struct {
	Talk   []string // removed with their conversation
	Person []string // removed with the person who said or did it, or is named in it
	None   string   // why no field is personal
	redact func(r *Redactor, b Body, ev *Event)
}

// rule joins the declaration of a type with its redaction.
func rule[T Body](talk, person []string, redact func(r *Redactor, b T, ev *Event)) Personal {
	return Personal{Talk: talk, Person: person, redact: func(r *Redactor, b Body, ev *Event) {
		if t, ok := b.(T); ok {
			redact(r, t, ev)
		}
	}}
}

func none(why string) Personal { return Personal{None: why} }

var (
	members = []string{"team.members[].name", "team.members[].displayName"}
	row     = []string{"message.name", "message.content", "message.tool.input"}
	words   = []string{"finding.title", "finding.text", "finding.evidence", "finding.why", "finding.advice",
		"finding.withdrawn"}
)

var (
	inConversation = []string{
		"conversation.title", "conversation.taskPrompt", "conversation.reason",
		"conversation.team.members[].name", "conversation.team.members[].displayName",
	}
	inForge = []string{
		"forge.question.topic", "forge.question.text", "forge.question.options[].label", "forge.skill",
		"forge.known[].topic", "forge.known[].lines[]", "moves[].why",
	}
)

// Event redacts the next event in place and reports whether that changed it.
func (r *Redactor) Event(ev *Event) bool {
	r.changed = false
	if p := FactsOf(ev.Body.EventType()).Personal; p.redact != nil {
		p.redact(r, ev.Body, ev)
	}
	return r.changed
}

// Row redacts a row of a transcript.
func (r *Redactor) Row(m *Message) bool {
	r.changed = false
	theirs := r.person != "" && (m.SpectatorID == r.person || m.SpectatorID == "" && m.Role == RoleUser &&
		(m.MemberID == r.person || slices.Contains(r.names, m.Name))) // rows of older versions have no person
	switch {
	case theirs:
		r.put(&m.Name, ErasedName)
		r.put(&m.Content, "")
	case r.talks[m.ConversationID]:
		if m.Role == RoleUser {
			r.put(&m.Name, ErasedName)
		}
		r.put(&m.Content, "")
	case m.Role == RoleSystem && m.RequestID != "" && r.asked[m.ConversationID+"/"+m.RequestID]:
		r.put(&m.Content, "")
	case m.Role == RoleSystem:
		r.put(&m.Content, r.unnamed(m.Content))
	default:
		r.put(&m.Content, r.unquoted(m.Content))
	}
	if m.Tool != nil {
		tool := *m.Tool
		r.spoken(m.ConversationID, &tool.Input)
		m.Tool = &tool
	}
	return r.changed
}

// Head redacts the head of a conversation.
func (r *Redactor) Head(c *Conversation) bool {
	r.changed = false
	r.head(c, r.begun[c.ConversationID])
	if r.titled[c.ConversationID] {
		r.put(&c.Title, ErasedName)
	}
	return r.changed
}

func (r *Redactor) head(c *Conversation, theirs bool) {
	whole := r.talks[c.ConversationID]
	if whole || theirs {
		r.put(&c.Title, ErasedName)
		r.clear(&c.TaskPrompt)
	}
	r.put(&c.Title, r.unnamed(c.Title))
	r.put(&c.TaskPrompt, r.unquoted(c.TaskPrompt))
	r.said(c.ConversationID, &c.Reason)
	r.team(&c.Team, whole)
}

func (r *Redactor) team(t *Team, whole bool) {
	for i := range t.Members {
		if m := t.Members[i]; m.ID == r.person && r.person != "" || whole && m.Type == KindHuman || m.Type == KindHuman &&
			slices.Contains(r.names, m.DisplayName) {
			t.Members = slices.Clone(t.Members) // it may be shared
			r.put(&t.Members[i].Name, ErasedName)
			r.put(&t.Members[i].DisplayName, ErasedName)
		}
	}
}

func (r *Redactor) casting(c *Casting, whole bool) {
	if c.SpectatorID == r.person && r.person != "" || whole && c.Kind == KindHuman {
		r.put(&c.Name, ErasedName)
	}
}

func (r *Redactor) forge(conversationID string, f *Forge) {
	r.said(conversationID, &f.Skill)
	for i := range f.Known {
		r.said(conversationID, &f.Known[i].Topic)
		for n := range f.Known[i].Lines {
			r.said(conversationID, &f.Known[i].Lines[n])
		}
	}
	if q := f.Question; q != nil {
		r.said(conversationID, &q.Topic)
		r.said(conversationID, &q.Text)
		for i := range q.Options {
			r.said(conversationID, &q.Options[i].Label)
		}
	}
}

// said redacts a text of the server in a conversation, spoken a text of an agent or a tool, told a text
// about the current process.
func (r *Redactor) said(conversationID string, text *string) {
	if r.talks[conversationID] || r.reasons[*text] {
		r.clear(text)
	}
	r.put(text, r.unnamed(*text))
}

func (r *Redactor) spoken(conversationID string, text *string) {
	if r.talks[conversationID] {
		r.clear(text)
	}
	r.put(text, r.unquoted(*text))
}

func (r *Redactor) told(text *string) { r.said(r.process, text) }

func (r *Redactor) clear(text *string) { r.put(text, "") }

func (r *Redactor) put(field *string, value string) {
	if *field != value {
		*field, r.changed = value, true
	}
}
