package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// said returns the section with the rows of the conversation, each with at most limit bytes of text.
func (s *Sheet) said(limit int) *list {
	l := &list{title: s.SaidTitle, gone: s.SaidGone, reversed: true}
	size := 0
	for i := len(s.Said) - 1; i >= 0; i-- {
		m := &s.Said[i]
		if !inPrompt(m) {
			continue
		}
		if size > MaxPrompt { // older rows cannot fit
			l.more = true
			break
		}
		item := "**" + s.who(m) + "**"
		if m.Role == world.RoleTool {
			item += toolText(m, limit)
		} else {
			item += ending(m.Status) + "\n" + quoted(m.Content, limit)
		}
		l.items = append(l.items, item)
		size += len(item)
	}
	return l
}

// inPrompt reports whether prompts include a row. They omit open rows, system rows, and empty rows of people and
// agents.
func inPrompt(m *world.Message) bool {
	switch {
	case m.Status == world.MessageOpen:
		return false
	case m.Role == world.RoleTool:
		return m.Tool != nil
	}
	return (m.Role == world.RoleAssistant || m.Role == world.RoleUser) && strings.TrimSpace(m.Content) != ""
}

func (s *Sheet) who(m *world.Message) string {
	if s.Who != nil {
		return nameIn(s.Who(*m), 2*MaxName) // a name with a remark can be twice as long
	}
	return Name(m.Name)
}

// quoted quotes a text of others as an item of a list. If it cuts the text, it adds a remark that says so.
func quoted(text string, limit int) string {
	out, short := Quote(text, limit)
	if short {
		out += "\n\n(cut here; the rest is not shown)"
	}
	return out + "\n\n"
}

// ending returns a remark that says why the text of a row with that status is incomplete, or "" if the text is
// complete.
func ending(status string) string {
	switch status {
	case world.MessageCancelled:
		return " (stopped before the end)"
	case world.MessageInterrupted, world.MessageError:
		return " (cut off before the end)"
	}
	return ""
}

// toolText returns the text about a tool's row that follows the speaker's name. If the call was cut off, the text says
// whether the call has possibly acted, so that an agent whose turn is repeated checks before it repeats the call.
func toolText(m *world.Message, limit int) string {
	out := " used the tool " + Name(m.Tool.Name) + "\n" + quoted(m.Tool.Input, min(maxToolInput, limit/2))
	switch {
	case m.Status == world.MessageInterrupted && m.Tool.Reads:
		out += "It was cut off, and only looks: it may be used again.\n\n"
	case m.Status == world.MessageInterrupted:
		out += "It was cut off, and nobody knows whether it acted. Find out before it is used again.\n\n"
	case m.Status == world.MessageError:
		out += "It failed.\n\n"
	}
	if strings.TrimSpace(m.Content) != "" {
		out += "It gave:\n\n" + quoted(m.Content, min(maxToolOutput, limit/2))
	}
	return out
}

// findings returns the section with the findings, the most severe first, of equal severity the newest first.
func (s *Sheet) findings() *list {
	standing := make([]*world.Finding, 0, len(s.Findings))
	for i := range s.Findings {
		if s.Findings[i].Withdrawn == "" {
			standing = append(standing, &s.Findings[i])
		}
	}
	slices.Reverse(standing)
	slices.SortStableFunc(standing, func(a, b *world.Finding) int {
		return cmp.Or(cmp.Compare(severity(b.Severity), severity(a.Severity)), cmp.Compare(b.At, a.At))
	})
	l := &list{title: "Findings so far", more: len(standing) > maxFindings}
	l.gone = fmt.Sprintf("Of %d findings these weigh most; the others are not shown.", len(standing))
	for _, f := range standing[:min(len(standing), maxFindings)] {
		text, short := Cut(f.Text, maxFinding)
		if short {
			text += " (cut)"
		}
		line := "[" + oneLine(f.Severity, maxLine) + "] " + oneLine(f.Title, maxLine) + location(f.Path, f.Line)
		if f.State() == world.StateSuspected {
			line += " (only suspected)"
		}
		if f.AgentID != "" {
			line += ", by " + s.nameOf(f.AgentID)
		}
		l.items = append(l.items, quoted(line+": "+text, 4*maxFinding))
	}
	return l
}

// severity ranks a finding; an unknown word ranks lowest.
func severity(word string) int { return slices.Index(world.Severities, word) }

// quests returns the section with the quests that are not done, the newest first.
func (s *Sheet) quests() *list {
	l := &list{title: "Quests: the work that waits", gone: "There are more quests than are shown."}
	for i := len(s.Quests) - 1; i >= 0; i-- {
		q := &s.Quests[i]
		if q.Status == world.QuestDone {
			continue
		}
		if len(l.items) == maxQuests {
			l.more = true
			break
		}
		line := "[" + oneLine(q.Priority, maxLine) + "] " + oneLine(q.Title, maxLine) + location(q.Path, q.Line)
		if q.Owner != "" {
			line += ", taken by " + Name(q.Owner)
		} else {
			line += ", taken by nobody"
		}
		l.items = append(l.items, quoted(line, 4*maxLine))
	}
	return l
}

// insights lists the newest insights.
func (s *Sheet) insights() *list {
	l := &list{title: "What you learned before", gone: "You have learned more than is shown.", reversed: true}
	from := max(len(s.Insights)-maxInsights, 0)
	for _, in := range slices.Backward(s.Insights[from:]) {
		text, short := Cut(in.Text, maxInsight)
		if short {
			text += " (cut)"
		}
		l.items = append(l.items, quoted(oneLine(in.Area, maxLine)+": "+text, 4*maxInsight))
	}
	l.more = from > 0
	return l
}

// location returns a path and a line in parentheses, "" without a path.
func location(path string, line int) string {
	if path == "" {
		return ""
	}
	if path = oneLine(path, maxLine); line > 0 {
		path += fmt.Sprintf(":%d", line)
	}
	return " (" + path + ")"
}

// oneLine returns a text on one line, cut to limit bytes, for use within a quotation.
func oneLine(s string, limit int) string {
	s, short := Cut(s, limit)
	if s = strings.Join(strings.Fields(s), " "); short {
		s += "..."
	}
	return s
}

func (s *Sheet) nameOf(id string) string { return nameBy(s.NameOf, id) }
