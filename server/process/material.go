package process

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// block is a section of a prompt: a list whose oldest items give way first.
type block struct {
	title string
	gone  string // said where items are missing
	items []string
	from  int // items[from:] are told
	size  int // bytes of text()
}

// take keeps the newest items that fit into room.
func (b *block) take(room int) {
	b.from, b.size = len(b.items), 0
	size := len(b.heading()) + len(b.gone) + len("()\n\n")
	for i := len(b.items) - 1; i >= 0; i-- {
		size += len(b.items[i])
		if size > room {
			break
		}
		b.from = i
	}
	b.size = len(b.text())
}

func (b *block) heading() string { return "## " + b.title + "\n\n" }

func (b *block) text() string {
	if b.from >= len(b.items) {
		return ""
	}
	out := b.heading()
	if b.from > 0 && b.gone != "" {
		out += "(" + b.gone + ")\n\n"
	}
	return out + strings.Join(b.items[b.from:], "")
}

// promptRows are the words of the stage: in a parallel one the member's own and
// those of people without a role. A row keeps at most limit bytes.
func promptRows(p *world.ProcessState, st *world.Stage, turn world.Turn, f PromptFacts, limit int) []string {
	var out []string
	for _, m := range f.Rows {
		if m.Status == world.MessageOpen || strings.TrimSpace(m.Content) == "" ||
			m.Role != world.RoleAssistant && m.Role != world.RoleUser {
			continue
		}
		own := m.MemberID == turn.RoleID
		if !own && st.Structure == world.StructParallel && p.Role(m.MemberID) != nil {
			continue
		}
		name := m.Name
		switch {
		case own:
			name = "You"
		case p.Role(m.MemberID) == nil:
			name += " (a person who watches)"
		}
		words, short := cut(quote(m.Content), limit)
		if short {
			words += "\n> (cut)"
		}
		out = append(out, "**"+name+"**\n"+words+"\n\n")
	}
	return out
}

// material is an artifact as a prompt tells it.
type material struct {
	head, body string
}

// promptArtifacts are those of earlier stages, and what was handed over in this one
// where its members see each other.
func promptArtifacts(w *world.World, st *world.Stage, turn world.Turn) []material {
	p := &w.ProcessState
	var out []material
	for _, a := range ofProcess(w) {
		if a.StageID == st.ID && (a.At < p.StageStartedAt || st.Structure == world.StructParallel && a.AgentID != turn.RoleID) {
			continue
		}
		from := a.StageID
		for _, s := range p.Template.Stages {
			if s.ID == a.StageID {
				from = s.Name
			}
		}
		if a.AgentID != "" {
			from += ", by " + roleName(p, a.AgentID)
		}
		body := quote(a.Text)
		if a.Cut {
			body += "\n> (cut)"
		}
		out = append(out, material{head: "### " + a.Name + " (" + from + ")\n\n", body: body})
	}
	return out
}

// fitArtifacts writes the artifacts into room: short ones whole, long ones cut to
// equal parts. Where not even the headings fit, the oldest go.
func fitArtifacts(list []material, room int) string {
	const cutHere, end = "\n> (cut here; the rest is not shown)", "\n\n"
	heading := "## What earlier stages left\n\n"
	const gone = "(Older ones are left out.)\n\n"
	sizes, frame, total := make([]int, len(list)), len(heading)+len(gone), 0
	for i, m := range list {
		sizes[i] = len(m.body)
		frame += len(m.head) + len(cutHere) + len(end)
		total += len(m.body)
	}
	for len(list) > 0 && frame+total > room && frame > room/2 {
		frame -= len(list[0].head) + len(cutHere) + len(end)
		total -= sizes[0]
		list, sizes = list[1:], sizes[1:]
		heading = "## What earlier stages left\n\n" + gone
	}
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(heading)
	for i, part := range shares(sizes, room-frame) {
		body, short := cut(list[i].body, part)
		b.WriteString(list[i].head + body)
		if short {
			b.WriteString(cutHere)
		}
		b.WriteString(end)
	}
	return b.String()
}

// KnownFindings are the findings of this process, from since on, that a member is
// told: in a parallel stage not the others' of this stage (B26), and none that was
// withdrawn.
func KnownFindings(w *world.World, turn world.Turn, since world.Time) []world.Finding {
	st := w.ProcessState.Stage()
	var out []world.Finding
	for _, f := range w.Findings {
		others := st != nil && st.Structure == world.StructParallel && f.StageID == st.ID && f.AgentID != turn.RoleID
		if f.At >= since && !others && f.Withdrawn == "" {
			out = append(out, f)
		}
	}
	return out
}

// EarlierFindings are those from before since, of processes before this one.
func EarlierFindings(w *world.World, since world.Time) []world.Finding {
	var out []world.Finding
	for _, f := range w.Findings {
		if f.At < since {
			out = append(out, f)
		}
	}
	return out
}

// promptFindings are the newest of them.
func promptFindings(w *world.World, turn world.Turn, f PromptFacts) []string {
	p := &w.ProcessState
	var out []string
	known := KnownFindings(w, turn, f.Since)
	for i := len(known) - 1; i >= 0 && len(out) < maxPromptFindings; i-- {
		fd := known[i]
		place := ""
		if fd.Path != "" {
			place = " (" + fd.Path
			if fd.Line > 0 {
				place += fmt.Sprintf(":%d", fd.Line)
			}
			place += ")"
		}
		text, short := cut(fd.Text, maxPromptFinding)
		if short {
			text += " (cut)"
		}
		out = append(out, quote(fmt.Sprintf("[%s] %s%s, by %s: %s", fd.Severity, fd.Title, place, roleName(p, fd.AgentID), text))+"\n\n")
	}
	slices.Reverse(out)
	return out
}

func promptInsights(f PromptFacts) []string {
	list := f.Insights[max(len(f.Insights)-maxPromptInsights, 0):]
	out := make([]string, len(list))
	for i, in := range list {
		text, short := cut(in.Text, maxPromptInsight)
		if short {
			text += " (cut)"
		}
		out[i] = quote(in.Area+": "+text) + "\n\n"
	}
	return out
}
