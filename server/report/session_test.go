package report

import (
	"encoding/json"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// worked returns the source of a report about a session with a sub-agent.
func worked() Source {
	w := world.New(world.Realm{ID: "r1", Name: "Home"})
	w.Sessions = []world.Session{{AgentID: "claude:a", ConversationID: "private-a"},
		{AgentID: "claude:b", ConversationID: "private-b", Parent: "claude:a"},
		{AgentID: "claude:c", ConversationID: "private-c", Parent: "claude:b"},
		{AgentID: "claude:x", ConversationID: "private-x"}}
	w.Usage = []world.AgentUsage{
		{AgentID: "claude:a", Model: "opus", Tokens: world.Tokens{Input: 1000}, Micros: 1_200_000},
		{AgentID: "claude:b", Parent: "claude:a", Model: "haiku", Tokens: world.Tokens{Input: 500}, Micros: 50_000, Unpriced: 20},
		{AgentID: "claude:x", Model: "other", Tokens: world.Tokens{Input: 7}, Micros: 9_000_000}}
	const minute = 60_000
	row := func(at world.Time, talk, role, content string, tool *world.ToolUse) world.Message {
		m := world.Message{ConversationID: talk, Role: role, Content: content, Status: world.MessageDone, At: at * minute, Tool: tool,
			MemberID: "claude:" + talk[len(talk)-1:], Name: "Claude Code"}
		if talk == "private-b" {
			m.Name = "Explore"
		}
		return m
	}
	call := func(at world.Time, talk, command, tests string, files ...world.ToolFile) world.Message {
		input, _ := json.Marshal(map[string]string{"command": command})
		return row(at, talk, world.RoleTool, "", &world.ToolUse{Name: "Bash", Input: string(input), Tests: tests, Files: files})
	}
	edit := func(at world.Time, talk, path string) world.Message {
		return row(at, talk, world.RoleTool, "", &world.ToolUse{Name: "Edit", Input: `{"file_path":"x"}`,
			Files: []world.ToolFile{{Path: path, Edits: true}}})
	}
	failed, prompt := edit(4, "private-a", "not.go"), row(61, "private-a", world.RoleUser, "And\n  `now`?", nil)
	failed.Status = world.MessageError
	prompt.Name, prompt.SpectatorID = "Ada", "p1"
	reads := call(5, "private-a", "cat a.go", "")
	reads.Tool.Reads = true
	head := &world.Conversation{ConversationID: "private-a", Kind: "coding", Title: "Mend the *parser*",
		Status: world.ConversationCompleted, Team: world.Team{Members: []world.Member{{ID: "claude:a", DisplayName: "Claude Code"}}}}
	s := source(w, world.NewLand())
	s.Session, s.Whole = head, true
	s.Rows = []world.Message{
		row(0, "private-a", world.RoleUser, "Mend it.\nPlease.", nil), edit(1, "private-a", "a.go"), edit(2, "private-a", "a.go"),
		call(3, "private-a", "go test ./...", world.TestsFailed), failed, reads, call(6, "private-a", "git commit -m x", ""),
		row(7, "private-a", world.RoleAssistant, "# Done\n\nIt is mended.", nil), prompt,
		call(62, "private-a", "go test ./...", world.TestsPassed),
		edit(3, "private-b", "a.go"), edit(4, "private-b", "b.go"), call(5, "private-b", "go vet", ""),
	}
	return s
}

// The summary of a session says what its agent and its sub-agents have done (P1.1).
func TestTheSummaryOfASession(t *testing.T) {
	s := worked()
	if got := strings.Join(SubAgents(s.World, s.Session), " "); got != "private-b private-c" {
		t.Errorf("the sub-agents are %q", got)
	}
	f, err := Make(s, Want{Format: FormatMarkdown})
	if err != nil {
		t.Fatal(err)
	}
	text, at := string(f.Data), 0
	for _, part := range []string{"# Mend the \\*parser\\*\n", "- agent: Claude Code\n- session: over\n- from: 1970-01-01 00:00 UTC\n",
		"- length: 1 h 2 min, at work 8 min\n", "- model: opus, haiku\n- sub-agents: Explore\n",
		"- cost: $1.25 for 1,500 tokens; the price of 20 of them is unknown\n- last test run: passed\n",
		"## Files edited\n\n- `a.go`: 3 edits\n- `b.go`: 1 edit\n\n",
		"## Tests\n\n- 00:03 failed: `go test ./...`\n- 01:02 passed: `go test ./...`\n\n",
		"## Commands\n\n- 00:05 done: `go vet`, by Explore\n- 00:06 done: `git commit -m x`\n\n1 command only read files.\n\n",
		"## Prompts\n\n1970-01-01 00:00 UTC:\n\n> Mend it.  \n> Please.\n\n1970-01-01 01:01 UTC, Ada:\n\n```text\nAnd\n  `now`?\n```\n\n",
		"## What the agent said last\n\n#### Done\n\nIt is mended.\n"} {
		next := strings.Index(text[at:], part)
		if next < 0 {
			t.Fatalf("the summary has no %q in its place:\n%s", part, text)
		}
		at += next
	}
	if strings.Contains(text, "not.go") || strings.Contains(text, "Findings") {
		t.Errorf("the summary has what the session has not done:\n%s", text)
	}
	s.Whole = false
	if f, _ := Make(s, Want{Format: FormatMarkdown}); strings.Contains(string(f.Data), "opus") || strings.Contains(string(f.Data), "$") {
		t.Errorf("a summary without the ledger has it:\n%s", f.Data)
	}
	for _, format := range []string{FormatSARIF, FormatSVG} {
		if _, err := Make(s, Want{Format: format}); err != ErrSessionFormat {
			t.Errorf("%s: %v", format, err)
		}
	}
	var out struct {
		Title string
		Files []edited
		Tests []ran
	}
	if f, err := Make(s, Want{Format: FormatJSON}); err != nil || json.Unmarshal(f.Data, &out) != nil ||
		out.Title != s.Session.Title || len(out.Files) != 2 || len(out.Tests) != 2 {
		t.Errorf("as JSON, %v: %+v", err, out)
	}
}

// The summary says how many prompts and commands it leaves out (P1.1).
func TestTheSummaryOfALongSession(t *testing.T) {
	s := worked()
	first := s.Rows[0]
	for range maxPrompts + 1 {
		s.Rows = append(s.Rows, first)
	}
	if text := s.sessionText(); !strings.Contains(text, "Before these there were 3 prompts.") {
		t.Errorf("the summary does not say what it leaves out:\n%.300s", text)
	}
	data, err := s.sessionJSON()
	if err != nil || !strings.Contains(string(data), `"earlierPrompts": 3`) {
		t.Errorf("%v: %.300s", err, data)
	}
}
