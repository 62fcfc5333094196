package brief

import (
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// MaxPrompt is how many bytes a prompt has at most. What does not fit gives way in
// this order:
//
//  1. quests
//  2. insights, the oldest first
//  3. findings, the least severe first and of these the oldest
//  4. older words of the conversation
//  5. artifacts: the long ones are cut to equal parts, and where not even the headings
//     fit, the oldest go; those of the stage that a chat is about hold out longest
//  6. the instructions of skills, the long ones cut to equal parts: they always keep a
//     fifth of what Head and Tail leave, and never have more than maxSkillBodies
//  7. the newest words, which always keep a third of the rest
//
// Head, Tail and the names and descriptions of skills never give way. Wherever something is
// missing the prompt says so.
const MaxPrompt = 64 << 10

// Bounds of parts of a prompt. Sizes are in bytes, after quoting.
const (
	maxRow        = 8 << 10 // of a row of the transcript
	maxToolInput  = 400     // of the input of a tool
	maxToolOutput = 2_000   // of the output of a tool
	maxFinding    = 600     // of a finding's text
	maxLine       = 300     // of a title
	maxInsight    = 400     // of an insight
	maxFindings   = 30      // findings
	maxQuests     = 20      // quests
	maxInsights   = 10      // insights
)

// Sheet is a prompt in parts, in reading order: who the member is, what there is to know, what was said,
// what to do now. The caller passes texts unquoted; the sheet quotes them.
type Sheet struct {
	// Head has role, task and situation; Tail describes a good answer. Both are texts of the plan, in which
	// words of others are already quoted.
	Head, Tail string

	// Skills are the member's skills, placed after Head.
	Skills []Skill
	// About is the stage that the chat discusses, nil for none: its artifacts come before all
	// others and are not repeated.
	About *Stage
	// ArtifactsTitle is the heading of Artifacts, newest last.
	ArtifactsTitle string
	Artifacts      []world.Artifact
	Findings       []world.Finding // in any order; withdrawn ones are omitted
	Quests         []world.Quest   // finished ones are only counted
	Insights       []world.Insight // the member's own, oldest first
	SaidTitle      string          // heading of Said
	SaidGone       string          // a sentence for older words that are missing
	Said           []world.Message // oldest first; open and empty rows and the server's are omitted

	// Who names a row's speaker, NameOf a member or role and StageName a stage, by id. If nil,
	// the row's name and the ids are used.
	Who       func(m world.Message) string
	NameOf    func(id string) string
	StageName func(id string) string
}

// Text returns the prompt: at most MaxPrompt bytes of UTF-8.
func (s *Sheet) Text() string {
	tail, _ := Cut(s.Tail, MaxPrompt/2) // both are far smaller, unless a template from elsewhere exceeds its limits
	skills := s.skills(max(MaxPrompt-len(s.Head)-len(tail), 0) / 5)
	head, _ := Cut(s.Head, MaxPrompt-len(tail)-len(skills))
	room := MaxPrompt - len(head) - len(skills) - len(tail)

	said, findings, quests, insights := s.said(min(maxRow, room/4)), s.findings(), s.quests(), s.insights()
	said.take(room / 3)
	room -= said.size()
	about := s.artifacts(s.aboutTitle(), s.ofStage(), room, false)
	room -= len(about)
	artifacts := s.artifacts(s.ArtifactsTitle, s.others(), room, true)
	room -= len(artifacts)
	room += said.size()
	for _, l := range []*list{said, findings, insights, quests} {
		l.take(room)
		room -= l.size()
	}
	return head + skills + about + artifacts + findings.text() + quests.text() + insights.text() + said.text() + tail
}

// list is a section whose items are dropped one by one.
type list struct {
	title string
	// items, the most important first: it is dropped last. If turned, they are printed in
	// reverse order, as a transcript is.
	items  []string
	turned bool
	// gone is printed if items are missing, including those that never were in items.
	gone string
	more bool

	kept int // items[:kept] are printed
	note bool
}

// take keeps the items that fit into room.
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
	if l.turned {
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

// ofStage returns the artifacts of the stage that the chat discusses.
func (s *Sheet) ofStage() []world.Artifact {
	if s.About == nil {
		return nil
	}
	return s.About.Artifacts
}

func (s *Sheet) aboutTitle() string {
	if s.About == nil {
		return ""
	}
	return "What stage " + Name(s.About.Name) + " left"
}

// others returns all artifacts but those of that stage.
func (s *Sheet) others() []world.Artifact {
	told := map[string]bool{}
	for _, a := range s.ofStage() {
		told[a.ID] = a.ID != ""
	}
	var out []world.Artifact
	for _, a := range s.Artifacts {
		if !told[a.ID] {
			out = append(out, a)
		}
	}
	return out
}

// artifacts writes a section of artifacts into room; stages makes each name its stage.
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
	// Each text takes at least its quotedSize, so none gets more than the largest share of these sizes; no
	// more of a long text is read.
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
