package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// MaxPrompt is the maximum size of a prompt in bytes. If not everything fits, parts are dropped or
// cut in this order:
//
//  1. quests
//  2. insights, the oldest first
//  3. findings, the least severe first, of equal severity the oldest first
//  4. results of processes that have ended, the oldest first
//  5. older rows of the conversation
//  6. artifacts: long ones are cut to equal sizes; if not even the headings fit, the oldest artifacts
//     are dropped, and the artifacts of the stage About after all others
//  7. the instructions of skills: long ones are cut to equal sizes; all instructions together get at
//     most a fifth of the bytes that Head and Tail leave, and at most maxSkillBodies
//  8. the newest rows, which get at least a third of the remaining bytes
//
// Head, Tail and the names and descriptions of skills are never dropped. The prompt notes every
// omission.
const MaxPrompt = 64 << 10

// Bounds of parts of a prompt: sizes in bytes after quoting, then numbers of items.
const (
	maxRow        = 8 << 10 // a row of the transcript
	maxToolInput  = 400     // the input of a tool
	maxToolOutput = 2_000   // the output of a tool
	maxFinding    = 600     // the text of a finding
	maxLine       = 300     // a title
	maxInsight    = 400     // an insight
	maxResult     = 4 << 10 // the result of a process that has ended
	maxFindings   = 30      // number of findings
	maxQuests     = 20      // number of quests
	maxInsights   = 10      // number of insights
)

// Sheet has the parts of a prompt, in the order in which they are printed, except for Tail, which is the last. In
// Head and Tail the caller must have quoted the texts of others; Text quotes the texts in all other parts.
type Sheet struct {
	// Head describes the role, the task and the situation. Tail describes a good answer.
	Head, Tail string

	// Skills are the member's skills. They follow Head.
	Skills []Skill
	// About is the stage that a chat discusses, nil for none. The prompt lists the artifacts of that stage first,
	// and does not repeat them among the others.
	About *Stage
	// ArtifactsTitle is the heading of Artifacts. Artifacts are in order, the newest last.
	ArtifactsTitle string
	Artifacts      []world.Artifact
	Ended          []Ended         // oldest first; the prompt does not repeat the artifacts in About and Artifacts
	Findings       []world.Finding // in any order; withdrawn ones are omitted
	Quests         []world.Quest   // done ones are omitted
	Insights       []world.Insight // the member's own insights, oldest first
	SaidTitle      string          // heading of Said
	SaidGone       string          // note for older rows that are omitted
	Said           []world.Message // oldest first; see inPrompt

	// Who returns the name of a row's speaker, NameOf the name of the member or role with that id, and StageName the
	// name of the stage with that id. If Who is nil, the prompt has the row's Name; if NameOf or StageName is nil, it
	// has the id.
	Who       func(m world.Message) string
	NameOf    func(id string) string
	StageName func(id string) string
}

// Text returns the prompt: at most MaxPrompt bytes of UTF-8.
func (s *Sheet) Text() string {
	tail, _ := Cut(s.Tail, MaxPrompt/2) // Head and Tail are far smaller, unless a template exceeds its limits
	skills := s.skills(max(MaxPrompt-len(s.Head)-len(tail), 0) / 5)
	head, _ := Cut(s.Head, MaxPrompt-len(tail)-len(skills))
	room := MaxPrompt - len(head) - len(skills) - len(tail)

	said, findings, quests, insights := s.said(min(maxRow, room/4)), s.findings(), s.quests(), s.insights()
	said.take(room / 3)
	room -= said.size()
	aboutTitle, ofStage, others := s.splitArtifacts()
	about := s.artifacts(aboutTitle, ofStage, room, false)
	room -= len(about)
	artifacts := s.artifacts(s.ArtifactsTitle, others, room, true)
	room -= len(artifacts)
	room += said.size()
	ended := s.ended()
	for _, l := range []*list{said, ended, findings, insights, quests} {
		l.take(room)
		room -= l.size()
	}
	return head + skills + about + artifacts + ended.text() + findings.text() + quests.text() + insights.text() +
		said.text() + tail
}

// list is a section of a prompt. If not everything fits, take drops its items one by one, the last ones first.
type list struct {
	title    string
	items    []string // the most important first
	reversed bool     // items are printed in reverse order, like a transcript
	more     bool     // set if the section has more items than the field items
	gone     string   // note that is printed if items are omitted

	kept int  // number of items that are printed
	note bool // the note gone is printed
}

// The method take selects the items that fit into room bytes.
func (l *list) take(room int) {
	l.kept, l.note = 0, false
	if len(l.items) == 0 {
		return
	}
	note := len("()\n\n") + len(l.gone)
	size := len(l.heading()) + note
	l.note = size <= room
	for _, item := range l.items {
		if size += len(item); size > room {
			return
		}
		l.kept++
	}
	l.note = l.more
}

func (l *list) heading() string { return "## " + l.title + "\n\n" }

func (l *list) size() int { return len(l.text()) }

func (l *list) text() string {
	if l.kept == 0 && !l.note {
		return ""
	}
	var b strings.Builder
	b.WriteString(l.heading())
	note := func() {
		if l.note {
			b.WriteString("(" + l.gone + ")\n\n")
		}
	}
	if l.reversed {
		note()
		for i := l.kept - 1; i >= 0; i-- {
			b.WriteString(l.items[i])
		}
		return b.String()
	}
	for _, item := range l.items[:l.kept] {
		b.WriteString(item)
	}
	note()
	return b.String()
}

// splitArtifacts returns the artifacts of the stage About with their heading, and the other artifacts.
func (s *Sheet) splitArtifacts() (title string, about, others []world.Artifact) {
	if s.About == nil {
		return "", nil, s.Artifacts
	}
	listed := map[string]bool{}
	for _, a := range s.About.Artifacts {
		listed[a.ID] = a.ID != ""
	}
	others = slices.DeleteFunc(slices.Clone(s.Artifacts), func(a world.Artifact) bool { return listed[a.ID] })
	return "What stage " + Name(s.About.Name) + " left", s.About.Artifacts, others
}

// artifacts returns a section with the artifacts in list, or "" if there are none. The section has at most room bytes.
// If stages is true, the heading of each artifact names its stage.
func (s *Sheet) artifacts(title string, list []world.Artifact, room int, stages bool) string {
	const cutHere, end, gone = "\n\n(cut here; the rest is not shown)", "\n\n", "(Older ones are left out.)\n\n"
	heading := "## " + title + "\n\n"
	if len(list) == 0 || len(heading)+len(gone) > room {
		return ""
	}
	heads, sizes := make([]string, len(list)), make([]int, len(list))
	frame, total := len(heading)+len(gone), 0
	for i, a := range list {
		heads[i] = s.artifactHead(a, stages)
		sizes[i] = quotedSize(a.Text)
		frame += len(heads[i]) + len(cutHere) + len(end)
		total += sizes[i]
	}
	first := 0
	for ; first < len(list) && frame+total > room && frame > room/2; first++ {
		frame -= len(heads[first]) + len(cutHere) + len(end)
		total -= sizes[first]
	}
	heads, list, sizes = heads[first:], list[first:], sizes[first:]
	room -= frame
	// Quote no more of each text than the largest share that Shares assigns, because no text can get more bytes.
	most := room
	if total > room && len(list) > 0 {
		most = slices.Max(Shares(sizes, room))
	}
	bodies, short := make([]string, len(list)), make([]bool, len(list))
	for i, a := range list {
		bodies[i], short[i] = Quote(a.Text, most)
		short[i] = short[i] || a.Cut
		sizes[i] = len(bodies[i])
	}
	var b strings.Builder
	b.WriteString(heading)
	if first > 0 {
		b.WriteString(gone)
	}
	for i, part := range Shares(sizes, room) {
		body, cut := cutQuote(bodies[i], part)
		b.WriteString(heads[i] + body)
		if cut || short[i] {
			b.WriteString(cutHere)
		}
		b.WriteString(end)
	}
	return b.String()
}

func (s *Sheet) artifactHead(a world.Artifact, stages bool) string {
	var from []string
	if stages && a.StageID != "" {
		from = append(from, nameBy(s.StageName, a.StageID))
	}
	if a.AgentID != "" {
		from = append(from, "by "+s.nameOf(a.AgentID))
	}
	head := "### " + Name(a.Name)
	if len(from) > 0 {
		head += " (" + strings.Join(from, ", ") + ")"
	}
	return head + "\n\n"
}

// ended returns the section with the results of processes that have ended, the newest first.
func (s *Sheet) ended() *list {
	l := &list{title: "What processes of this realm that have ended have come to", gone: "Older ones are left out."}
	listed := map[string]bool{}
	_, about, others := s.splitArtifacts()
	for _, a := range slices.Concat(about, others) {
		listed[a.ID] = true
	}
	for i, e := range slices.Backward(s.Ended) {
		when := "an earlier one"
		if i == len(s.Ended)-1 {
			when = "the last one"
		}
		if e.Early {
			when += ", ended before its last stage"
		}
		item := fmt.Sprintf("### %s (%s)\n\nPeople read it at %s\n\n", Name(cmp.Or(e.Name, "A process")), when,
			Name(e.Address))
		if strings.TrimSpace(e.Problem) != "" {
			item += "Its problem:\n\n" + quoted(e.Problem, maxFinding)
		}
		for _, a := range e.Artifacts {
			if listed[a.ID] {
				item += "Its result is the artifact " + Name(a.Name) + " above.\n\n"
			} else {
				item += "Its result, the artifact " + Name(a.Name) + ":\n\n" + quoted(a.Text, maxResult/len(e.Artifacts))
			}
		}
		l.items = append(l.items, item)
	}
	return l
}
