package world

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scope lists what an erasure covers. The store reads it from the tables before anything is
// removed. It holds personal words, so the store deletes it when the erasure is done. After a
// crash the erasure continues with the same scope.
type Scope struct {
	Conversations []string `json:"talks"`            // conversations that are erased whole
	Person        string   `json:"person,omitempty"` // a spectatorId, "" if no person is erased
	Names         []string `json:"names,omitempty"`  // all names of the person
	Words         []string `json:"words,omitempty"`  // messages of the person, to find quotations; see MaxQuotes
	// ConversationWords are the messages of people in Conversations. The erasure also erases findings and quests that
	// quote one of these messages.
	ConversationWords []string `json:"said,omitempty"`
	Begun             []string `json:"begun,omitempty"`  // conversations that the person began
	Titled            []string `json:"titled,omitempty"` // conversations whose title the person wrote
	// AskedRuns are the runs that a message of the person began, as "conversationId/requestId".
	// A system row about such a run may quote words that no row of the person has.
	AskedRuns []string `json:"asked,omitempty"`
	Tasks     []string `json:"tasks,omitempty"` // team tasks that the person set
	// Reasons are the server's sentences about what the person paused, stopped or ended.
	Reasons []string `json:"reasons,omitempty"`
	// Process is the id of the conversation of the process that ran before the first event in the journal, "" for none.
	Process string `json:"process,omitempty"`
	// Processes has a period for each of Conversations that is a process: the erasure removes everything that any member
	// made in it. Runs has, by member, the periods of the member's runs in Conversations: the erasure removes what this
	// member made in them.
	Processes []Span            `json:"processes,omitempty"`
	Runs      map[string][]Span `json:"runs,omitempty"`
	// Saving has the forges among Conversations that were stopped while they wrote a skill, each with the skill's
	// name.
	Saving map[string]string `json:"saving,omitempty"`
	// Bare is set if the realm has no linked folder. Findings and quests can then only be about what people said,
	// so the erasure removes them too.
	Bare bool `json:"bare,omitempty"`
}

// HistoryErased computes the event history:erased again if the stored event cannot be read. made is the world that
// results from the events that can be read.
func (s Scope) HistoryErased(made *World) *HistoryErased {
	out := &HistoryErased{SpectatorID: s.Person, Conversations: append([]string{}, s.Conversations...)}
	NewRedactor(s, nil).Outcome(made, out)
	return out
}

// Span is a period that includes both ends. To is 0 if the period has not ended.
type Span struct {
	From Time `json:"from"`
	To   Time `json:"to"`
}

// Bounds of the search for quotations, in bytes. The redactor does not search for texts shorter than MinQuote, and
// searches for at most MaxQuotes of what one person said.
const (
	MinQuote  = 16
	MaxQuotes = 16 << 20
)

// Redactor removes what a Scope covers from events, rows and vaults. It serves one pass over the events, in order.
// The redacted events and history:erased give the same world as the original events and history:erased.
type Redactor struct {
	person        string
	conversations map[string]bool
	begun         map[string]bool
	titled        map[string]bool
	asked         map[string]bool
	tasks         map[string]bool
	reasons       map[string]bool
	names         []string // names of the person, the longest first
	quotes        quotes   // quotations of the person
	// conversationQuotes are words of all members in conversations that are erased whole.
	conversationQuotes quotes
	lines              map[string]bool // the person's lines that have a letter or a digit, of any length
	process            string          // conversation of the process that runs at the last event
	processes          []Span
	runs               map[string][]Span // erased runs by member, as periods that are sorted and do not overlap
	bare               bool

	artifacts        map[string]string
	findings, quests map[string]bool

	changed bool
}

// NewRedactor returns a Redactor for s. erased is the event history:erased, nil if it is not decided yet. The
// Redactor redacts the artifacts, findings and quests that this event lists.
func NewRedactor(s Scope, erased *HistoryErased) *Redactor {
	r := &Redactor{
		person: s.Person, conversations: set(s.Conversations), begun: set(s.Begun), titled: set(s.Titled),
		asked: set(s.AskedRuns), tasks: set(s.Tasks), reasons: set(s.Reasons), names: slices.Clone(s.Names),
		quotes: quotes{}, conversationQuotes: quotes{}, lines: map[string]bool{}, process: s.Process,
		processes: mergeSpans(s.Processes), runs: map[string][]Span{}, bare: s.Bare,
	}
	r.names = slices.DeleteFunc(r.names, func(n string) bool { return n == "" || n == ErasedName })
	slices.SortFunc(r.names, func(a, b string) int { return len(b) - len(a) })
	for member, spans := range s.Runs {
		r.runs[member] = mergeSpans(spans)
	}
	for _, words := range s.Words {
		r.quotes.add(words)
		for line := range strings.SplitSeq(words, "\n") {
			r.quotes.add(line)
			// Skip lines without a letter or a digit, such as a lone bracket.
			if line = strings.TrimSpace(line); strings.ContainsFunc(line, inWord) {
				r.lines[line] = true
			}
		}
	}
	for _, task := range s.Tasks {
		r.quotes.add(task)
	}
	for _, words := range s.ConversationWords {
		r.conversationQuotes.add(words)
	}
	r.quotes.sort()
	r.conversationQuotes.sort()
	if erased != nil {
		r.artifacts = map[string]string{}
		for _, t := range erased.Artifacts {
			r.artifacts[t.ID] = t.Text
		}
		r.findings, r.quests = set(erased.Findings), set(erased.Quests)
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

// mergeSpans sorts spans and joins those that overlap or touch.
func mergeSpans(spans []Span) []Span {
	out := []Span{}
	sorted := slices.Clone(spans)
	for i := range sorted {
		if sorted[i].To == 0 {
			sorted[i].To = 1 << 62
		}
	}
	slices.SortFunc(sorted, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	for _, s := range sorted {
		if n := len(out); n > 0 && s.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}

func inSpans(spans []Span, at Time) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].To >= at })
	return i < len(spans) && spans[i].From <= at
}

// madeInRun reports whether the member played a run of an erased conversation at the time at.
func (r *Redactor) madeInRun(member string, at Time) bool { return inSpans(r.runs[member], at) }

// quotes are texts to search for in other texts. The key of each text is its first MinQuote bytes.
type quotes map[string][]string

func (q quotes) add(words string) {
	if words = strings.TrimSpace(words); len(words) >= MinQuote {
		q[words[:MinQuote]] = append(q[words[:MinQuote]], words)
	}
}

// sort puts the longest text of each list first, so that a search finds the longest quotation.
func (q quotes) sort() {
	for key, list := range q {
		slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
		q[key] = slices.Compact(list)
	}
}

// WithoutQuotes removes literal quotations of the person from a text. Agents and tools can quote the person even
// after the erasure, because the person's words were in their prompts.
func (r *Redactor) WithoutQuotes(text string) string { return r.quotes.without(text) }

// WithoutWords removes the person's lines, names and quotations from a text that is composed of
// rows, such as an artifact.
func (r *Redactor) WithoutWords(text string) string { return r.withoutNames(r.withoutLines(text)) }

// Quotes reports whether the texts of a finding or quest quote erased words.
func (r *Redactor) Quotes(texts ...string) bool {
	text := strings.Join(texts, "\n")
	return r.quotes.without(text) != text || r.conversationQuotes.without(text) != text
}

// without returns text with ErasedName in place of each part that quotes one of the texts in q.
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

// withoutLines removes the person's lines from a text that is made of rows, such as an artifact.
func (r *Redactor) withoutLines(text string) string {
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

// withoutNames removes the person's names and quotations from a text that the server wrote.
func (r *Redactor) withoutNames(text string) string {
	for _, name := range r.names {
		text = replaceWord(text, name)
	}
	return r.WithoutQuotes(text)
}

// replaceWord replaces name by ErasedName wherever name is a whole word.
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

// inWord reports whether r is a letter or a digit. It returns false for utf8.RuneError, which stands for the edge
// of a text.
func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// Insight reports whether an insight is to be erased: the member gained it in an erased
// conversation, or it quotes the person.
func (r *Redactor) Insight(member string, in Insight) bool {
	return r.madeInRun(member, in.At) || r.WithoutQuotes(in.Text) != in.Text || r.WithoutQuotes(in.Area) != in.Area
}

// Vault removes from v the insights that the erasure covers and returns their number.
func (r *Redactor) Vault(v *Vault) int {
	kept := slices.DeleteFunc(slices.Clone(v.Insights), func(in Insight) bool { return r.Insight(v.AgentID, in) })
	n := len(v.Insights) - len(kept)
	v.Insights = kept
	return n
}

// maxErasedTexts bounds the artifact texts in one history:erased, in bytes. Artifacts beyond it
// lose their whole text.
const maxErasedTexts = 256 << 10

// Outcome sets the fields of the event history:erased that depend on the world: Artifacts, Findings, Quests, Forts and
// Cleared.
func (r *Redactor) Outcome(w *World, out *HistoryErased) {
	size := 0
	for _, a := range w.Artifacts {
		text := r.WithoutWords(a.Text)
		if inSpans(r.processes, a.At) {
			text = ErasedName
		}
		if text == a.Text {
			continue
		}
		if size += len(text); size > maxErasedTexts {
			text = ErasedName
		}
		out.Artifacts = append(out.Artifacts, ErasedText{ID: a.ID, Text: text})
	}
	gone := map[string]bool{}
	for _, f := range w.Findings {
		if r.bare && r.madeInRun(f.AgentID, f.At) ||
			r.Quotes(f.Words()...) {
			gone[f.ID] = true
			out.Findings = append(out.Findings, f.ID)
		}
	}
	for _, q := range w.Quests {
		if gone[q.FindingID] || r.bare && q.FindingID == "" && len(r.runs[q.AgentID]) > 0 || r.Quotes(q.Title, q.Note) {
			out.Quests = append(out.Quests, q.ID)
		}
	}
	for _, f := range w.Forts {
		if slices.Contains(r.names, f.Name) {
			out.Forts = append(out.Forts, f.AgentID)
		}
	}
	p := &w.ProcessState
	clear := func(what string, erased bool) {
		if erased {
			out.Cleared = append(out.Cleared, what)
		}
	}
	clear(ClearedProblem, r.begun[p.ConversationID] || r.WithoutQuotes(p.ProblemStatement) != p.ProblemStatement)
	clear(ClearedReason, r.reasons[p.Reason] || r.withoutNames(p.Reason) != p.Reason)
	clear(ClearedWaiting, p.Waiting != nil && r.withoutNames(p.Waiting.Message) != p.Waiting.Message)
	clear(ClearedSeal, p.Sealed != nil && r.withoutNames(p.Sealed.Summary) != p.Sealed.Summary)
	clear(ClearedTeamTask, r.tasks[w.Party.TeamTask] || r.withoutNames(w.Party.TeamTask) != w.Party.TeamTask)
}
