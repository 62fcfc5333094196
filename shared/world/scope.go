package world

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scope is what an erasure covers, read from the tables before anything is removed. It holds
// personal words, so the store keeps it only until the erasure is done; an erasure that was cut
// short is finished with the same scope.
type Scope struct {
	Talks  []string `json:"talks"`            // conversations that are erased whole
	Person string   `json:"person,omitempty"` // a spectatorId
	Names  []string `json:"names,omitempty"`  // names that the person had
	Words  []string `json:"words,omitempty"`  // what the person said, to find quotations of it; see MaxQuotes
	Said   []string `json:"said,omitempty"`   // what people said in Talks, to find findings and quests that quote it
	Begun  []string `json:"begun,omitempty"`  // conversations that the person began
	Titled []string `json:"titled,omitempty"` // conversations that have a title that the person gave
	// Asked are the runs that the person's words began, "conversationId/requestId": notes of the
	// server about them may quote words that are in no row of the person. Tasks are the team
	// tasks that they set.
	Asked []string `json:"asked,omitempty"`
	Tasks []string `json:"tasks,omitempty"`
	// Reasons are the server's sentences about what the person paused, stopped or ended.
	Reasons []string `json:"reasons,omitempty"`
	// Process is the conversation of the process that ran before the first event in the journal,
	// "" for none.
	Process string `json:"process,omitempty"`
	// Processes are the times of the processes among Talks, Runs those of all runs of Talks, by
	// member. Whatever a member made in such a span was made there.
	Processes []Span            `json:"processes,omitempty"`
	Runs      map[string][]Span `json:"runs,omitempty"` // by member
	// Saving has the skill names of those forges of Talks that were writing a skill when they
	// were stopped.
	Saving map[string]string `json:"saving,omitempty"`
	// Bare: the realm has no linked folder, so findings and quests can only be about what was
	// said.
	Bare bool `json:"bare,omitempty"`
}

// Told returns the history:erased of an erasure as far as its scope and what was made so far
// determine it. The store uses it if the original event cannot be read.
func (s Scope) Told(made *World) *HistoryErased {
	out := &HistoryErased{SpectatorID: s.Person, Conversations: append([]string{}, s.Talks...)}
	NewRedactor(s, nil).Outcome(made, out)
	return out
}

// Span is a period, both ends included; To is 0 if it has not ended.
type Span struct {
	From Time `json:"from"`
	To   Time `json:"to"`
}

// Bounds of quotations, in bytes: texts shorter than MinQuote are not searched for, and at most
// MaxQuotes of a person's words are.
const (
	MinQuote  = 16
	MaxQuotes = 16 << 20
)

// Redactor removes what a Scope covers from events, rows and worlds. It is used once and takes
// events in their order. What it changes in an event, history:erased changes in the world, so
// redacted events and original events with history:erased fold to the same world.
type Redactor struct {
	person    string
	talks     map[string]bool
	begun     map[string]bool
	titled    map[string]bool
	asked     map[string]bool
	tasks     map[string]bool
	reasons   map[string]bool
	names     []string // the longest first
	quotes    quotes
	spokenIn  quotes          // of people in conversations that are erased whole
	lines     map[string]bool // whole lines of the person, of any length, that have a letter or a digit
	process   string          // of the current process, as of the last event
	processes []Span
	runs      map[string][]Span // sorted, disjoint
	bare      bool

	artifacts        map[string]string
	findings, quests map[string]bool

	changed bool
}

// NewRedactor returns a Redactor. told is the decided history:erased, whose ids it follows; nil
// before that.
func NewRedactor(s Scope, told *HistoryErased) *Redactor {
	r := &Redactor{
		person: s.Person, talks: set(s.Talks), begun: set(s.Begun), titled: set(s.Titled), asked: set(s.Asked),
		tasks: set(s.Tasks), reasons: set(s.Reasons), names: slices.Clone(s.Names), quotes: quotes{}, spokenIn: quotes{},
		lines:   map[string]bool{},
		process: s.Process, processes: apart(s.Processes), runs: map[string][]Span{}, bare: s.Bare,
	}
	r.names = slices.DeleteFunc(r.names, func(n string) bool { return n == "" || n == ErasedName })
	slices.SortFunc(r.names, func(a, b string) int { return len(b) - len(a) })
	for member, spans := range s.Runs {
		r.runs[member] = apart(spans)
	}
	for _, words := range s.Words {
		r.quotes.add(words)
		for line := range strings.SplitSeq(words, "\n") {
			r.quotes.add(line)
			if line = strings.TrimSpace(line); strings.ContainsFunc(line, inWord) { // a bracket alone is nobody's words
				r.lines[line] = true
			}
		}
	}
	for _, task := range s.Tasks {
		r.quotes.add(task)
	}
	for _, words := range s.Said {
		r.spokenIn.add(words)
	}
	r.quotes.sort()
	r.spokenIn.sort()
	if told != nil {
		r.artifacts = map[string]string{}
		for _, t := range told.Artifacts {
			r.artifacts[t.ID] = t.Text
		}
		r.findings, r.quests = set(told.Findings), set(told.Quests)
	}
	return r
}

func set(ids []string) map[string]bool {
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out
}

// apart sorts spans and joins those that overlap or touch.
func apart(spans []Span) []Span {
	out := []Span{}
	sorted := slices.Clone(spans)
	for i := range sorted {
		if sorted[i].To == 0 {
			sorted[i].To = 1 << 62
		}
	}
	slices.SortFunc(sorted, func(a, b Span) int { return int(min(max(a.From-b.From, -1), 1)) })
	for _, s := range sorted {
		if n := len(out); n > 0 && s.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}

func within(spans []Span, at Time) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].To >= at })
	return i < len(spans) && spans[i].From <= at
}

// madeIn reports whether the member made something at that time in an erased run.
func (r *Redactor) madeIn(member string, at Time) bool { return within(r.runs[member], at) }

// quotes are texts to find in other texts, indexed by their first MinQuote bytes.
type quotes map[string][]string

func (q quotes) add(words string) {
	if words = strings.TrimSpace(words); len(words) >= MinQuote {
		q[words[:MinQuote]] = append(q[words[:MinQuote]], words)
	}
}

// sort puts the longest first.
func (q quotes) sort() {
	for key, list := range q {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
		q[key] = slices.Compact(list)
	}
}

// unquoted removes literal quotations of the person from a text.
func (r *Redactor) unquoted(text string) string { return r.quotes.without(text) }

// Said removes the person's words from what an agent or a tool says after the erasure, if it was
// told them before.
func (r *Redactor) Said(text string) string { return r.unquoted(text) }

// Written does the same for a text that is made of rows, such as an artifact.
func (r *Redactor) Written(text string) string { return r.unnamed(r.unlined(text)) }

// Quotes reports whether the texts of a finding or quest quote something that is erased.
func (r *Redactor) Quotes(texts ...string) bool { return r.quotesIn(strings.Join(texts, "\n")) }

// quotesIn reports whether one text of a finding or quest quotes something that is erased.
func (r *Redactor) quotesIn(text string) bool {
	return r.quotes.without(text) != text || r.spokenIn.without(text) != text
}

func (q quotes) without(text string) string {
	if len(q) == 0 || len(text) < MinQuote {
		return text
	}
	var out strings.Builder
	last := 0
	for i := 0; i+MinQuote <= len(text); {
		found := ""
		for _, words := range q[text[i:i+MinQuote]] {
			if strings.HasPrefix(text[i:], words) {
				found = words
				break
			}
		}
		if found == "" {
			i++
			continue
		}
		out.WriteString(text[last:i])
		out.WriteString(ErasedName)
		i += len(found)
		last = i
	}
	if last == 0 {
		return text
	}
	out.WriteString(text[last:])
	return out.String()
}

// unlined removes the person's lines from a text that is made of rows, such as an artifact.
func (r *Redactor) unlined(text string) string {
	if len(r.lines) == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if r.lines[strings.TrimSpace(line)] {
			lines[i] = ErasedName
		}
	}
	return strings.Join(lines, "\n")
}

// unnamed removes the person's names and words from a text that the server wrote.
func (r *Redactor) unnamed(text string) string {
	for _, name := range r.names {
		text = replaceWord(text, name)
	}
	return r.unquoted(text)
}

// replaceWord replaces a name where it is a whole word.
func replaceWord(text, name string) string {
	var out strings.Builder
	last := 0
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		i += from
		from = i + len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[from:])
		if !inWord(before) && !inWord(after) {
			out.WriteString(text[last:i])
			out.WriteString(ErasedName)
			last = from
		}
	}
	if last == 0 {
		return text
	}
	return out.String() + text[last:]
}

// inWord: utf8.RuneError marks an edge of the text.
func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// Insight reports whether an insight is erased: it was gained in an erased conversation, or
// quotes the person.
func (r *Redactor) Insight(member string, in Insight) bool {
	return r.madeIn(member, in.At) || r.unquoted(in.Text) != in.Text || r.unquoted(in.Area) != in.Area
}

// Vault removes erased insights from a vault and returns how many there were.
func (r *Redactor) Vault(v *Vault) int {
	kept := slices.DeleteFunc(slices.Clone(v.Insights), func(in Insight) bool { return r.Insight(v.AgentID, in) })
	n := len(v.Insights) - len(kept)
	v.Insights = kept
	return n
}

// maxLeft bounds the artifact texts that one history:erased carries, in bytes; an artifact
// beyond it loses its whole text.
const maxLeft = 256 << 10

// Outcome sets the fields of history:erased that follow from the world.
func (r *Redactor) Outcome(w *World, out *HistoryErased) {
	left := 0
	for _, a := range w.Artifacts {
		text := r.unnamed(r.unlined(a.Text))
		if within(r.processes, a.At) {
			text = ErasedName
		}
		if text == a.Text {
			continue
		}
		if left += len(text); left > maxLeft {
			text = ErasedName
		}
		out.Artifacts = append(out.Artifacts, ErasedText{ID: a.ID, Text: text})
	}
	gone := map[string]bool{}
	for _, f := range w.Findings {
		all := strings.Join([]string{f.Title, f.Text, f.Evidence, f.Why, f.Advice, f.Withdrawn}, "\n")
		if r.bare && r.madeIn(f.AgentID, f.At) || r.quotesIn(all) {
			gone[f.ID] = true
			out.Findings = append(out.Findings, f.ID)
		}
	}
	for _, q := range w.Quests {
		all := q.Title + "\n" + q.Note
		if gone[q.FindingID] || r.bare && q.FindingID == "" && len(r.runs[q.AgentID]) > 0 || r.quotesIn(all) {
			out.Quests = append(out.Quests, q.ID)
		}
	}
	for _, f := range w.Forts {
		if slices.Contains(r.names, f.Name) {
			out.Forts = append(out.Forts, f.AgentID)
		}
	}
	p := &w.ProcessState
	clear := func(what string, is bool) {
		if is {
			out.Cleared = append(out.Cleared, what)
		}
	}
	clear(ClearedProblem, r.begun[p.ConversationID] || r.unquoted(p.ProblemStatement) != p.ProblemStatement)
	clear(ClearedReason, r.unnamed(p.Reason) != p.Reason)
	clear(ClearedWaiting, p.Waiting != nil && r.unnamed(p.Waiting.Message) != p.Waiting.Message)
	clear(ClearedSeal, p.Sealed != nil && r.unnamed(p.Sealed.Summary) != p.Sealed.Summary)
	clear(ClearedTeamTask, r.tasks[w.Party.TeamTask] || r.unnamed(w.Party.TeamTask) != w.Party.TeamTask)
}
