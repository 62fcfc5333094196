package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/server/shell"
	"agentdungeon/shared/world"
)

// Limits of the summary of a session. It has the newest prompts and commands.
const (
	maxPrompts  = 200
	maxCommands = 200
	maxPrompt   = 4000 // bytes of one prompt
	maxLine     = 400  // bytes of one command
)

// session is the summary of a session of a coding agent and of its sub-agents.
type session struct {
	Title     string      `json:"title"`
	Agent     string      `json:"agent"`
	Status    string      `json:"status"`
	Began     *time.Time  `json:"began,omitempty"`
	Last      *time.Time  `json:"last,omitempty"` // time of the last entry
	Worked    int64       `json:"workedSeconds"`  // from each prompt to the last entry before the next one
	Models    []string    `json:"models,omitempty"`
	SubAgents []string    `json:"subAgents,omitempty"`
	Cost      *cost       `json:"cost,omitempty"`
	Files     []edited    `json:"files"`
	Tests     []ran       `json:"tests"`
	Commands  []ran       `json:"commands"` // without tests, and without those that only read
	Earlier   int         `json:"earlierCommands,omitempty"`
	Reads     int         `json:"readingCommands"`
	Prompts   []prompted  `json:"prompts"`
	Asked     int         `json:"earlierPrompts,omitempty"`
	Words     string      `json:"lastWords,omitempty"`
	work      workingTime // of the agent itself
}

// cost is what the requests of a session have used.
type cost struct {
	Dollars  float64 `json:"dollars"`
	Tokens   int64   `json:"tokens"`
	Unpriced int64   `json:"unpricedTokens,omitempty"` // tokens that are not in Dollars
}

// edited is a file that the session has edited.
type edited struct {
	Path     string `json:"path"`
	Worktree string `json:"worktree,omitempty"`
	Edits    int    `json:"edits"` // number of tool calls
}

// ran is a command.
type ran struct {
	At      time.Time `json:"at"`
	By      string    `json:"by,omitempty"` // the sub-agent
	Command string    `json:"command"`
	Outcome string    `json:"outcome"`
}

type prompted struct {
	At   time.Time `json:"at"`
	By   string    `json:"by,omitempty"` // the person who sent it from the page
	Text string    `json:"text"`
}

// workingTime adds up the times from prompts to the last entries before the next ones.
type workingTime struct{ asked, last, sum world.Time }

func (t *workingTime) add(m *world.Message) {
	if m.Role == world.RoleUser {
		t.sum += t.last - t.asked
		t.asked = m.At
	}
	t.last = max(t.last, m.At)
}

// SubAgents returns the ids of the conversations of a session's sub-agents, at any depth, as far as the world knows
// them.
func SubAgents(w *world.World, head *world.Conversation) (ids []string) {
	if len(head.Team.Members) == 0 {
		return nil
	}
	agents := []string{head.Team.Members[0].ID}
	for i := 0; i < len(agents); i++ {
		for _, s := range w.Sessions {
			if s.Parent == agents[i] && !slices.Contains(agents, s.AgentID) {
				agents, ids = append(agents, s.AgentID), append(ids, s.ConversationID)
			}
		}
	}
	return ids
}

// summary returns the summary of the session s.Session.
func (s *Source) summary() *session {
	head := s.Session
	out := &session{Title: head.Title, Status: head.Status, Files: []edited{}, Tests: []ran{}, Commands: []ran{},
		Prompts: []prompted{}}
	agents := map[string]bool{}
	for _, m := range head.Team.Members {
		out.Agent, agents[m.ID] = cmp.Or(out.Agent, m.DisplayName), true
	}
	for i := range s.Rows {
		m := &s.Rows[i]
		if m.Role == world.RoleTool {
			agents[m.MemberID] = true
		}
		out.row(m, head.ConversationID)
	}
	out.Worked = int64((out.work.sum + out.work.last - out.work.asked) / 1000)
	slices.SortStableFunc(out.Tests, func(a, b ran) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(out.Commands, func(a, b ran) int { return a.At.Compare(b.At) })
	out.Earlier = max(0, len(out.Commands)-maxCommands)
	out.Commands = out.Commands[out.Earlier:]
	out.Asked = max(0, len(out.Prompts)-maxPrompts)
	out.Prompts = out.Prompts[out.Asked:]
	slices.SortStableFunc(out.Files, func(a, b edited) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Worktree, b.Worktree))
	})
	if s.Whole {
		out.spent(s.World, agents)
	}
	return out
}

// row adds a row of the session with the conversation id, or of one of its sub-agents.
func (out *session) row(m *world.Message, id string) {
	at, own := m.At.Go().UTC(), m.ConversationID == id
	if own {
		out.work.add(m)
		if out.Began == nil {
			out.Began = &at
		}
		out.Last = &at
	}
	by := ""
	if !own && m.Role != world.RoleUser && m.Role != world.RoleSystem && m.Name != "" {
		if by = m.Name; !slices.Contains(out.SubAgents, by) {
			out.SubAgents = append(out.SubAgents, by)
		}
	}
	switch {
	case m.Role == world.RoleTool && m.Tool != nil:
		out.call(m, at, by)
	case own && m.Role == world.RoleUser:
		name := ""
		if m.SpectatorID != "" {
			name = m.Name
		}
		text, _ := world.Cut(m.Content, maxPrompt)
		out.Prompts = append(out.Prompts, prompted{at, name, text})
	case own && m.Role == world.RoleAssistant && m.Content != "":
		out.Words = m.Content
	}
}

// outcomes has the words for the statuses of a call.
var outcomes = map[string]string{world.MessageOpen: "runs", world.MessageDone: "done", world.MessageError: "failed",
	world.MessageInterrupted: "outcome unknown"}

// call adds a tool call.
func (out *session) call(m *world.Message, at time.Time, by string) {
	for _, f := range m.Tool.Files {
		if !f.Edits || m.Status != world.MessageDone {
			continue
		}
		i := slices.IndexFunc(out.Files, func(e edited) bool { return e.Path == f.Path && e.Worktree == f.Worktree })
		if i < 0 {
			i, out.Files = len(out.Files), append(out.Files, edited{f.Path, f.Worktree, 0})
		}
		out.Files[i].Edits++
	}
	line, cut := world.Cut(shell.Line(m.Tool.Input), maxLine)
	if cut {
		line += " …"
	}
	run := ran{at, by, line, cmp.Or(outcomes[m.Status], m.Status)}
	if m.Tool.Refused {
		run.Outcome = "refused"
	}
	switch {
	case line == "":
	case m.Tool.Tests != "":
		run.Outcome = m.Tool.Tests
		out.Tests = append(out.Tests, run)
	case m.Tool.Reads:
		out.Reads++
	default:
		out.Commands = append(out.Commands, run)
	}
}

// spent adds what the ledger has of agents.
func (out *session) spent(w *world.World, agents map[string]bool) {
	for i := range w.Usage {
		u := &w.Usage[i]
		if !agents[u.AgentID] && !agents[u.Parent] {
			continue
		}
		if out.Cost == nil {
			out.Cost = &cost{}
		}
		out.Cost.Dollars += float64(u.Micros) / 1e6
		out.Cost.Tokens += u.Sum()
		out.Cost.Unpriced += u.Unpriced
		if u.Model != "" && !slices.Contains(out.Models, u.Model) {
			out.Models = append(out.Models, u.Model)
		}
	}
}

// sessionJSON returns the summary as JSON.
func (s *Source) sessionJSON() ([]byte, error) {
	return json.MarshalIndent(struct {
		Program   string    `json:"program"`
		Version   string    `json:"version"`
		WrittenAt time.Time `json:"writtenAt"`
		Realm     string    `json:"realm"`
		*session
	}{"agentdungeon", s.Version, s.Now.UTC(), s.World.Realm.Name, s.summary()}, "", "  ")
}

// sessionText returns the summary as Markdown.
func (s *Source) sessionText() string {
	out := s.summary()
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", Escape(cmp.Or(out.Title, out.Agent)))
	out.facts(&b)
	b.WriteString("## Files edited\n\n")
	if len(out.Files) == 0 {
		b.WriteString("None in this folder that is known.\n")
	}
	for _, f := range out.Files {
		fmt.Fprintf(&b, "- %s: %s", Code(f.Path), some(f.Edits, "edit"))
		if f.Worktree != "" {
			fmt.Fprintf(&b, ", in worktree %s", Escape(f.Worktree))
		}
		b.WriteString("\n")
	}
	if len(out.Tests) > 0 {
		b.WriteString("\n## Tests\n\n")
		commands(&b, out.Tests)
	}
	if len(out.Commands)+out.Reads > 0 {
		b.WriteString("\n## Commands\n\n")
		if out.Earlier > 0 {
			fmt.Fprintf(&b, "Before these there were %s.\n\n", some(out.Earlier, "command"))
		}
		commands(&b, out.Commands)
		if out.Reads > 0 {
			fmt.Fprintf(&b, "\n%s only read files.\n", some(out.Reads, "command"))
		}
	}
	b.WriteString("\n## Prompts\n\n")
	if out.Asked > 0 {
		fmt.Fprintf(&b, "Before these there were %s.\n\n", some(out.Asked, "prompt"))
	}
	for _, p := range out.Prompts {
		b.WriteString(moment(p.At))
		if p.By != "" {
			b.WriteString(", " + Escape(p.By))
		}
		b.WriteString(":\n\n" + quoted(p.Text))
	}
	if len(out.Prompts) == 0 {
		b.WriteString("None.\n\n")
	}
	if out.Words != "" {
		fmt.Fprintf(&b, "## What the agent said last\n\n%s\n", lowered(strings.TrimSpace(out.Words)))
	}
	return world.Visible(strings.TrimRight(b.String(), "\n") + "\n")
}

// statuses has the words for the statuses of a session.
var statuses = map[string]string{world.ConversationActive: "goes on", world.ConversationCompleted: "over",
	world.ConversationFailed:      "over; its last turn failed",
	world.ConversationInterrupted: "its program stopped without ending it"}

// quoted returns a prompt as a quotation or, if its lines are indented or it has code, as code.
func quoted(text string) string {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "\n ") || strings.Contains(text, "\n\t") || strings.Contains(text, "```") {
		return fence("text", text)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+Escape(line), " ")
	}
	return strings.Join(lines, "  \n") + "\n\n"
}

// facts writes the first list of the summary.
func (out *session) facts(b *strings.Builder) {
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "- %s: %s\n", name, text)
		}
	}
	row("agent", Escape(out.Agent))
	row("session", cmp.Or(statuses[out.Status], out.Status))
	if out.Began != nil {
		row("from", moment(*out.Began))
		row("to", moment(*out.Last))
		row("length", span(out.Last.Sub(*out.Began))+", at work "+span(time.Duration(out.Worked)*time.Second))
	}
	row("model", Escape(strings.Join(out.Models, ", ")))
	row("sub-agents", Escape(strings.Join(out.SubAgents, ", ")))
	if c := out.Cost; c != nil {
		text := fmt.Sprintf("$%.2f for %s", c.Dollars, some(int(c.Tokens), "token"))
		switch {
		case c.Unpriced == c.Tokens:
			text = "price unknown, " + some(int(c.Tokens), "token")
		case c.Unpriced > 0:
			text += fmt.Sprintf("; the price of %s of them is unknown", inspect.Count(int(c.Unpriced)))
		}
		row("cost", text)
	}
	if n := len(out.Tests); n > 0 {
		row("last test run", out.Tests[n-1].Outcome)
	}
	b.WriteString("\n")
}

func commands(b *strings.Builder, all []ran) {
	for _, c := range all {
		fmt.Fprintf(b, "- %s %s: %s", c.At.Format("15:04"), c.Outcome, Code(c.Command))
		if c.By != "" {
			b.WriteString(", by " + Escape(c.By))
		}
		b.WriteString("\n")
	}
}

func moment(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }

// span returns a time in hours and minutes.
func span(d time.Duration) string {
	switch m := int(d.Minutes()); {
	case m < 1:
		return "less than a minute"
	case m < 60:
		return fmt.Sprintf("%d min", m)
	default:
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
}
