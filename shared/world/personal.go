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
	words   = []string{"finding.title", "finding.text", "finding.evidence", "finding.why", "finding.advice", "finding.withdrawn"}
)

// PersonalFields is the table, by event type.
var PersonalFields = map[string]Personal{
	"realm:created":    none("the realm's name and path are the operator's; a bare realm's name is in the receipt's unreached"),
	"realm:restored":   none("members that are missing are agents"),
	"settings:updated": none("settings are of the realm"),
	"spectator:command": rule(nil, []string{"name", "color", "text"}, func(r *Redactor, b *SpectatorCommand, _ *Event) {
		if b.SpectatorID == r.person && r.person != "" {
			r.put(&b.Name, ErasedName)
			r.put(&b.Color, "#808080")
			r.put(&b.Text, "")
		}
	}),
	"agent:joined": rule(nil, []string{"agent.name", "agent.displayName"}, func(r *Redactor, b *AgentJoined, _ *Event) {
		if b.Agent.SpectatorID == r.person && r.person != "" {
			before := b.Agent.DisplayName
			b.Agent.erase()
			r.changed = r.changed || before != ErasedName
		}
	}),
	"agent:left":     none("its reason is one of ours"),
	"agent:activity": none("what a member did, in a word"),
	"agent:goes":     none("where a member's figure went"),
	"artifact:saved": rule([]string{"artifact.text"}, []string{"artifact.text"}, func(r *Redactor, b *ArtifactSaved, _ *Event) {
		if text, ok := r.artifacts[b.Artifact.ID]; ok {
			r.put(&b.Artifact.Text, text)
		}
	}),
	"findings:posted": rule(words, words, func(r *Redactor, b *FindingPosted, _ *Event) {
		if r.findings[b.Finding.ID] {
			before := b.Finding
			b.Finding.erase()
			r.changed = r.changed || before != b.Finding
		}
	}),
	"findings:withdrawn": rule([]string{"reason"}, []string{"reason"}, func(r *Redactor, b *FindingWithdrawn, _ *Event) {
		if r.findings[b.FindingID] {
			r.put(&b.Reason, ErasedName)
		}
	}),
	"quest:update": rule([]string{"quest.title", "quest.note"}, []string{"quest.title", "quest.note", "quest.owner"}, func(r *Redactor, b *QuestUpdate, _ *Event) {
		if r.quests[b.Quest.ID] {
			before := b.Quest
			b.Quest.erase()
			r.changed = r.changed || before != b.Quest
		}
		if b.Quest.SpectatorID == r.person && r.person != "" {
			r.put(&b.Quest.Owner, ErasedName)
		}
	}),
	"knowledge:updated": rule([]string{"area", "text"}, []string{"area", "text"}, func(r *Redactor, b *KnowledgeUpdated, ev *Event) {
		if r.Insight(b.AgentID, Insight{Area: b.Area, Text: b.Text, At: ev.At}) {
			r.put(&b.Area, ErasedName)
			r.put(&b.Text, "")
		}
	}),
	"focus:changed": rule(nil, []string{"agentId"}, func(r *Redactor, b *FocusChanged, _ *Event) {
		if b.SpectatorID == r.person && r.person != "" {
			r.put(&b.AgentID, "")
		}
	}),
	"navigation:changed": rule(nil, []string{"path", "stack[]"}, func(r *Redactor, b *NavigationChanged, _ *Event) {
		if b.SpectatorID == r.person && r.person != "" {
			r.put(&b.Path, "")
			r.changed = r.changed || len(b.Stack) > 0
			b.Stack = []string{}
		}
	}),
	"fort:update": rule(nil, []string{"fort.name"}, func(r *Redactor, b *FortUpdate, _ *Event) {
		if slices.Contains(r.names, b.Fort.Name) {
			r.put(&b.Fort.Name, ErasedName)
		}
	}),

	"conversation.started": rule(inConversation, inConversation, func(r *Redactor, b *ConversationStarted, _ *Event) {
		r.head(&b.Conversation, b.SpectatorID == r.person && r.person != "")
	}),
	"conversation.status": rule([]string{"reason"}, []string{"reason"}, func(r *Redactor, b *ConversationStatus, _ *Event) {
		r.said(b.ConversationID, &b.Reason)
	}),
	"conversation.renamed": rule([]string{"title"}, []string{"title"}, func(r *Redactor, b *ConversationRenamed, _ *Event) {
		if r.talks[b.ConversationID] || b.SpectatorID == r.person && r.person != "" {
			r.put(&b.Title, ErasedName)
		}
		r.put(&b.Title, r.unnamed(b.Title))
	}),
	"conversation.team": rule(members, members, func(r *Redactor, b *ConversationTeam, _ *Event) {
		r.team(&b.Team, r.talks[b.ConversationID])
	}),
	"chat.started": rule(row, row, func(r *Redactor, b *ChatStarted, _ *Event) {
		if b.Message != nil {
			r.Row(b.Message)
		}
	}),
	"assistant.segment.started": none("the row is empty and an agent's"),
	"assistant.segment.closed":  rule(row, row, func(r *Redactor, b *SegmentClosed, _ *Event) { r.Row(&b.Message) }),
	"message.added":             rule(row, row, func(r *Redactor, b *MessageAdded, _ *Event) { r.Row(&b.Message) }),
	"tool.start": rule([]string{"input"}, []string{"input"}, func(r *Redactor, b *ToolStart, _ *Event) {
		r.spoken(b.ConversationID, &b.Input)
	}),
	"tool.output": rule([]string{"text"}, []string{"text"}, func(r *Redactor, b *ToolOutput, _ *Event) {
		r.spoken(b.ConversationID, &b.Text)
	}),
	"tool.end": rule([]string{"output"}, []string{"output"}, func(r *Redactor, b *ToolEnd, _ *Event) {
		r.spoken(b.ConversationID, &b.Output)
	}),
	"chat.done":      none("counts and ids"),
	"chat.cancelled": none("its reason is one of ours"),
	"chat.error": rule([]string{"message"}, []string{"message"}, func(r *Redactor, b *ChatError, _ *Event) {
		r.said(b.ConversationID, &b.Message)
	}),

	"process:started": rule([]string{"problem", "cast[].name"}, []string{"problem", "cast[].name"}, func(r *Redactor, b *ProcessStarted, _ *Event) {
		r.process = b.ConversationID
		if r.talks[b.ConversationID] || r.begun[b.ConversationID] || r.unquoted(b.Problem) != b.Problem {
			r.put(&b.Problem, ErasedName)
		}
		for i := range b.Cast {
			r.casting(&b.Cast[i], r.talks[b.ConversationID])
		}
	}),
	"process:cast": rule([]string{"casting.name"}, []string{"casting.name"}, func(r *Redactor, b *ProcessCast, _ *Event) {
		r.casting(&b.Casting, r.talks[r.process])
	}),
	"process:stage_advanced":  none("ids"),
	"process:stage_restarted": none("ids and counts"),
	"process:pausing":         none("it says nothing"),
	"process:paused":          rule([]string{"reason"}, []string{"reason"}, func(r *Redactor, b *ProcessPaused, _ *Event) { r.told(&b.Reason) }),
	"process:resumed":         none("the name of a gate"),
	"process:sealed":          rule([]string{"summary"}, []string{"summary"}, func(r *Redactor, b *ProcessSealed, _ *Event) { r.told(&b.Summary) }),
	"process:waiting": rule([]string{"waiting.message"}, []string{"waiting.message"}, func(r *Redactor, b *ProcessWaiting, _ *Event) {
		if b.Waiting != nil {
			r.told(&b.Waiting.Message)
		}
	}),
	"process:completed": none("ids and the names of artifacts, which the template gives"),
	"process:skipped":   none("ids and counts"),
	"process:error":     rule([]string{"message"}, []string{"message"}, func(r *Redactor, b *ProcessError, _ *Event) { r.told(&b.Message) }),

	"party:update": rule([]string{"party.teamTask"}, []string{"party.teamTask", "party.seats[].memberId", "party.seats[].spectatorId"}, func(r *Redactor, b *PartyUpdated, _ *Event) {
		r.said(b.Party.ConversationID, &b.Party.TeamTask)
		if r.tasks[b.Party.TeamTask] {
			r.put(&b.Party.TeamTask, ErasedName)
		}
		if n := len(b.Party.Seats); r.person != "" {
			b.Party.Seats = slices.DeleteFunc(b.Party.Seats, func(s PartySeat) bool { return s.SpectatorID == r.person })
			r.changed = r.changed || len(b.Party.Seats) != n
		}
	}),
	"team:ready": rule(members, members, func(r *Redactor, b *TeamReady, _ *Event) {
		r.team(&b.Team, r.talks[b.ConversationID])
	}),
	"session:restored": none("ids and counts"),
	"session:warning": rule([]string{"message", "missingMembers[].name"}, []string{"message", "missingMembers[].name"}, func(r *Redactor, b *SessionWarning, _ *Event) {
		r.said(b.ConversationID, &b.Message)
		for i := range b.MissingMembers {
			if m := &b.MissingMembers[i]; r.talks[b.ConversationID] || m.ID == r.person {
				r.put(&m.Name, ErasedName)
			} else {
				r.put(&m.Name, r.unnamed(m.Name))
			}
		}
	}),
	"forge:stepped": rule(inForge, inForge, func(r *Redactor, b *ForgeStepped, _ *Event) {
		r.forge(b.ConversationID, &b.Forge)
		for i := range b.Moves {
			r.said(b.ConversationID, &b.Moves[i].Why)
		}
	}),
	"skill:updated":  none("a skill is a work of its own, which outlives the talk that made it; the receipt names it"),
	"skill:removed":  none("a skill's name"),
	"history:erased": none("ids, and what was left of texts"),
}

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
	if p := PersonalFields[ev.Body.EventType()]; p.redact != nil {
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
		if m := t.Members[i]; m.ID == r.person && r.person != "" || whole && m.Type == KindHuman || m.Type == KindHuman && slices.Contains(r.names, m.DisplayName) {
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

// said is a text of the server's in a conversation, spoken one of an agent's or a tool's,
// told one of the process at hand.
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
