package report

import (
	"fmt"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// Markdown returns the report for people. It escapes text that others wrote, so that a file name or a line
// of code cannot become markup or control a terminal. picture is the name of the picture file of the map. The
// report shows no picture if picture is "" or the realm has no country.
func Markdown(s Source, picture string) string {
	w, l := s.World, s.Land
	list := sortedOf(&s)
	found := list.stand
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", Escape(w.Realm.Name))
	if p := &w.ProcessState; p.Template != nil {
		fmt.Fprintf(&b, "%s, %s: %s\n\n", Escape(p.Template.Name), state(p), Escape(firstLine(p.ProblemStatement)))
	}
	if damage := w.Salvage; damage != nil {
		fmt.Fprintf(&b, "%s\n\n", Escape(salvaged(damage)))
	}
	if s.Change != nil {
		fmt.Fprintf(&b, "%s Coverage says what was read of them.\n\n", Escape(s.Change.summary()))
	}
	own := madeBy(w)
	text := own.final.Text
	c := coverageOf(w)
	if strings.Contains(text, coverageHead) {
		c = nil // the text has it
	}
	if own.coverage == nil { // the findings are of another process, so what this one made comes first
		b.WriteString(own.text(&w.ProcessState, s.Said))
	}
	if c != nil {
		b.WriteString(Coverage(c) + "\n")
	}
	if own.coverage != nil {
		b.WriteString(own.text(&w.ProcessState, s.Said))
	}
	b.WriteString(saidText(&w.ProcessState, besides(w, s.rows(), own.all), own.all))
	// After a process other than a review, "0 findings" would say that somebody has looked for some.
	reviewed := !s.overtaken && (w.ProcessState.ConversationID == "" || coverageOf(w) != nil || len(w.Findings) > 0)
	if own.coverage == nil {
		b.WriteString(peopleText(players(&w.ProcessState, s.Said)))
	}
	if reviewed {
		b.WriteString(s.numbers(list))
	} else {
		fmt.Fprintf(&b, "Written %s.%s\n\n", s.written(), s.movedOn())
	}
	if reviewed && picture != "" && Picture(w, l) != "" {
		fmt.Fprintf(&b, "## Map\n\n![The map: each house a folder, red where findings are](%s)\n\n",
			uri(strings.ReplaceAll(picture, "%", "%25")))
	}
	switch {
	case len(found) > 0:
		b.WriteString("## Findings\n\n")
	case text == "" && reviewed: // nothing else says it
		b.WriteString("## Findings\n\nNone is proved.\n\n")
	}
	for i := range found {
		fmt.Fprintf(&b, "### %d. %s\n\n%s", i+1, Escape(found[i].Title), s.finding(&found[i]))
	}
	if suspected := Suspected(list.suspected); suspected != "" && !strings.Contains(text, SuspectedHead) {
		b.WriteString(suspected + "\n")
	}
	if change := s.Change; change != nil {
		fmt.Fprintf(&b, "## Mended\n\n%s\n\n", Escape(change.counted(found)))
		for i := range change.Shown {
			fmt.Fprintf(&b, "- %s (%s)\n", Escape(change.Shown[i].Title), place(&change.Shown[i]))
		}
		b.WriteString("\n")
	}
	b.WriteString(gone("Accepted", list.accepted) + gone("Withdrawn", list.withdrawn))
	b.WriteString(quests(w.Quests))
	if s.Process == nil {
		b.WriteString(remarksText(s.Remarks))
	}
	if c != nil {
		b.WriteString(CoverageDetails(c))
	}
	return world.Visible(strings.TrimRight(b.String(), "\n") + "\n")
}

// gone returns a section of findings that do not count, with their reasons; "" if there are none.
func gone(head string, all []world.Finding) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## " + head + "\n\n")
	for i := range all {
		fmt.Fprintf(&b, "- %s (%s): %s\n", Escape(all[i].Title), place(&all[i]), Escape(all[i].Withdrawn))
	}
	return b.String() + "\n"
}

// numbers returns the section with the numbers of the repository and of what was found in it.
func (s *Source) numbers(list sorted) string {
	var b strings.Builder
	m := &s.Land.Map
	fmt.Fprintf(&b, "## Numbers\n\n| | |\n|---|---|\n| files | %s |\n| folders | %s |\n| bytes | %s |\n",
		inspect.Count(m.Files), inspect.Count(m.Folders), inspect.Count(int(m.Bytes)))
	b.WriteString(list.rows())
	done := count(s.World.Quests, func(q world.Quest) bool { return q.Status == world.QuestDone })
	fmt.Fprintf(&b, "| quests, done of all | %d of %d |\n| written | %s |\n\n", done, len(s.World.Quests), s.written())
	return b.String()
}

// written returns the time at which the report is written.
func (s *Source) written() string { return s.Now.UTC().Format("2006-01-02 15:04 MST") }

// quests returns the section of the quests, "" if there are none.
func quests(all []world.Quest) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Quests\n\n")
	for _, q := range all {
		mark := " "
		if q.Status == world.QuestDone {
			mark = "x"
		}
		fmt.Fprintf(&b, "- [%s] %s (%s priority", mark, Escape(q.Title), q.Priority)
		if q.Owner != "" {
			b.WriteString(", " + Escape(q.Owner))
		}
		if q.Note != "" {
			b.WriteString("; " + Escape(q.Note))
		}
		b.WriteString(")\n")
	}
	return b.String() + "\n"
}

// finding returns the text of a finding in a report, without its title.
func (s *Source) finding(f *world.Finding) string {
	var b strings.Builder
	b.WriteString(f.Severity)
	if f.Confidence != "" {
		b.WriteString(" (" + f.Confidence + " confidence)")
	}
	fmt.Fprintf(&b, ", %s", place(f))
	for _, n := range f.CWE {
		fmt.Fprintf(&b, ", [CWE-%d](https://cwe.mitre.org/data/definitions/%d.html)", n, n)
	}
	fmt.Fprintf(&b, ", by %s\n\n", Escape(f.AgentID))
	if mark := s.Change.mark(f.ID); mark != "" {
		fmt.Fprintf(&b, "Since %s: %s.\n\n", Escape(s.Change.base()), Escape(mark))
	}
	if f.Evidence == "" && f.Why == "" && f.Advice == "" {
		return b.String() + Escape(f.Text) + "\n\n"
	}
	b.WriteString(fence("text", f.Evidence))
	if len(f.Steps) > 0 {
		b.WriteString("From source to sink:\n\n" + fence("text", strings.Join(Way(f.Steps), "\n")))
	}
	fmt.Fprintf(&b, "Why: %s\n\nWhat to do: %s\n\n%s", Escape(f.Why), Escape(f.Advice), fence("diff", f.Patch))
	if f.Proof != "" {
		b.WriteString("Proof:\n\n" + fence("text", f.Proof))
	}
	if f.Accept != "" {
		fmt.Fprintf(&b, "To accept it, add to `%s` with a reason: %s\n\n", inspect.ExcusesFile, Code(f.Accept))
	}
	return b.String()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
