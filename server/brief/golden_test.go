package brief

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

var update = flag.Bool("update", false, "write the golden prompts")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".md")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from the golden prompt (go test -update writes it):\n%s", name, got)
	}
}

func agent(id, name string, order int) world.Member {
	return world.Member{ID: id, Name: name, DisplayName: name, Type: world.KindAgent, Role: id, Order: order}
}

func row(memberID, name, content string) world.Message {
	return world.Message{MessageID: "m-" + content, Role: world.RoleAssistant, MemberID: memberID, Name: name, Content: content, Status: world.MessageDone}
}

var (
	sage = world.Role{ID: "sage", Name: "Sage", Persona: "You explain what a thing is for before you say how it works."}
	ada  = world.Member{ID: "spec-1", Name: "Ada", DisplayName: "Ada", Type: world.KindHuman, Order: 3}
)

// council returns the turn n of the Sage in a council of two agents and a person.
func council(n, turns int, said ...world.Message) Turn {
	return Turn{
		Kind: world.KindCouncil, Role: sage, Self: "sage", Turn: n, Turns: turns, Said: said,
		Team: []world.Member{ada, agent("sage", "Sage", 1), agent("warden", "Warden", 2)},
		Task: "Decide whether the cache may go.\n\nThink of those who start the server on a slow disk.",
	}
}

// realm adds to a turn the problem, artifacts, findings, quests and insights of a realm.
func realm(t Turn) Turn {
	t.Problem, t.Repo = "How do we start faster?", "agent-dungeon"
	t.Artifacts = []world.Artifact{
		{ID: "a1", Name: "idea_list", StageID: "ideation", AgentID: "warden", Text: "1. No cache.\n2. A smaller cache."},
		{ID: "a2", Name: "critique", StageID: "critique", Text: "The cache is cold at every start.", Cut: true},
	}
	t.Findings = []world.Finding{
		{ID: "f1", AgentID: "warden", Severity: "low", Title: "Cache has no bound", Text: "It grows for ever.", Path: "cache/lru.go", Line: 12, At: 1},
		{ID: "f2", AgentID: "warden", Severity: "high", Title: "Cache is written at every start", Text: "40 MB each time.", Path: "cache/disk.go", At: 2},
		{ID: "f3", AgentID: "warden", Severity: "critical", Title: "Withdrawn", Withdrawn: "it does not hold", At: 3},
	}
	t.Quests = []world.Quest{
		{ID: "q1", Title: "Measure a cold start", Status: world.QuestOpen, Priority: "high"},
		{ID: "q2", Title: "Bound the cache", Status: world.QuestProgress, Priority: "low", Owner: "Ada", Path: "cache/lru.go"},
		{ID: "q3", Title: "Finished", Status: world.QuestDone},
	}
	t.Insights = []world.Insight{{Area: "cache", Text: "Most reads hit the newest hundred entries."}}
	return t
}

var talk = []world.Message{
	row("sage", "Sage", "The cache is there for the second start, not the first."),
	row("warden", "Warden", "Then measure both.\n\n## Your answer\n\n> The second start took 200 ms."),
	{MessageID: "m3", Role: world.RoleUser, SpectatorID: "spec-1", Name: "Ada", Content: "Our disks are slow.", Status: world.MessageDone},
	{MessageID: "m4", Role: world.RoleUser, SpectatorID: "spec-9", Name: "Grace", Content: "Ours are not.", Status: world.MessageDone},
	{MessageID: "m5", Role: world.RoleSystem, Name: "system", Content: "Paused.", Status: world.MessageDone},
}

// chat is with the Sage.
func chat() Turn {
	return Turn{Kind: world.KindChat, Role: sage, Self: "sage", Team: []world.Member{agent("sage", "Sage", 1)}}
}

// The prompts of each kind and situation equal the golden files. A person who reads one should know what to do.
func TestGolden(t *testing.T) {
	golden(t, "council-first", Prompt(council(1, 6)))
	golden(t, "council-middle", Prompt(realm(council(5, 9, talk...))))
	golden(t, "council-last", Prompt(council(6, 6, talk...)))
	restored := council(4, 6, append(talk[:4:4], world.Message{
		MessageID: "m6", Role: world.RoleTool, MemberID: "sage", Name: "Sage", Status: world.MessageInterrupted,
		Tool: &world.ToolUse{Name: "write_file", Input: `{"path":"notes.md"}`},
	}, world.Message{MessageID: "m7", Role: world.RoleAssistant, MemberID: "sage", Name: "Sage", Content: "I would keep", Status: world.MessageInterrupted})...)
	restored.Restored, restored.Retry = true, world.RunInterrupted
	golden(t, "council-restored", Prompt(restored))
	retry := council(2, 6, talk[1])
	retry.Retry = world.ChatLimit
	golden(t, "council-retry", Prompt(retry))

	alone := council(1, 3)
	alone.Team = alone.Team[1:2]
	golden(t, "task-first", Prompt(alone))
	alone.Turn, alone.Said = 3, talk[:1]
	golden(t, "task-last", Prompt(alone))

	party := realm(Turn{
		Kind: world.KindParty, Role: sage, Self: "sage", Team: []world.Member{ada, agent("sage", "Sage", 1), agent("warden", "Warden", 2)},
		Task: "Decide whether the cache may go.", Said: talk[:3], Guide: "In this team you can ask: spec-1 (Ada, person), warden (Warden, agent).",
	})
	golden(t, "party", Prompt(party))
	party.Said, party.Task, party.Restored, party.Retry = nil, "", true, world.RunTimeout
	golden(t, "party-restored", Prompt(party))

	golden(t, "chat", Prompt(realm(chat())))
	golden(t, "chat-empty-realm", Prompt(chat()))
	skilled := realm(chat())
	skilled.Skills = []Skill{
		{Name: "release-notes", Description: "Writes release notes. Use when a release is near.", Body: "# Steps\n\n1. Read the log.\n2. Write the notes.\n\n## Your answer\n\nNothing."},
		{Name: "quiet", Description: "Says nothing. Use when nobody asks."},
	}
	golden(t, "chat-skills", Prompt(skilled))
	about := realm(chat())
	about.Team = append(about.Team, ada)
	about.About = &Stage{Name: "Critique", Goal: "Find out which ideas survive.", Artifacts: about.Artifacts[1:]}
	about.Restored, about.Retry = true, world.RunCancelled
	golden(t, "chat-about-stage", Prompt(about))
}

// S0-B10: every prompt of a council says how many turns remain. The last one asks for a summary; the others ask the
// agent not to repeat what was said.
func TestRemainingTurns_S0_B10(t *testing.T) {
	const turns = 7
	for _, single := range []bool{false, true} {
		for n := 1; n <= turns; n++ {
			c := council(n, turns, talk...)
			if single {
				c.Team = c.Team[1:2]
			}
			got := tailOf(Prompt(c))
			count := fmt.Sprintf("%d turns remain", turns-n)
			if n == turns-1 {
				count = "1 turn remains"
			}
			if last := n == turns; strings.Contains(got, "Summarise") != last || strings.Contains(got, count) == last {
				t.Errorf("turn %d of %d (single %v):\n%s", n, turns, single, got)
			}
			if later := n > 1 && n < turns; later && !strings.Contains(got, "not restate") {
				t.Errorf("turn %d of %d may restate what was said:\n%s", n, turns, got)
			}
			if !strings.Contains(got, fmt.Sprintf("turn %d of %d", n, turns)) {
				t.Errorf("turn %d of %d is not counted:\n%s", n, turns, got)
			}
		}
	}
}

// If a council has only one turn, its prompt asks for the result and not for a summary, because nothing was said
// before.
func TestTheOnlyTurn(t *testing.T) {
	for _, c := range []Turn{council(1, 1), {Kind: world.KindCouncil, Role: sage, Self: "sage", Task: "Do it.", Turn: 1, Turns: 1}} {
		if got := tailOf(Prompt(c)); !strings.Contains(got, "your answer is the result") || strings.Contains(got, "Summarise") || strings.Contains(got, "remain") {
			t.Errorf("%s", got)
		}
	}
}

// tailOf returns the part of a prompt after all quoted material. The quoted text in talk that looks like a heading does
// not count as one.
func tailOf(prompt string) string {
	_, tail, _ := strings.Cut(prompt, "\n## Your answer (")
	return tail
}

// S0-B1: the first prompt of a council that was restored before anybody spoke is the initial prompt, which says that
// nobody has spoken yet; later prompts do not say it.
func TestTheInitialPrompt_S0_B1(t *testing.T) {
	first := council(1, 6)
	first.Restored = true
	got := Prompt(first)
	if !strings.Contains(got, "Nobody has spoken yet: you begin.") || strings.Contains(got, "do not begin again") {
		t.Errorf("not the initial prompt:\n%s", got)
	}
	if tailOf(got) != tailOf(Prompt(council(1, 6))) {
		t.Error("after a restart the first turn is asked for something else")
	}
	if got := Prompt(council(2, 6, talk[1])); strings.Contains(got, "Nobody has spoken") {
		t.Errorf("a later prompt is an initial one:\n%s", got)
	}
	heard := council(1, 6, talk[2])
	if got := Prompt(heard); strings.Contains(got, "Nobody has spoken") || !strings.Contains(got, "> Our disks are slow.") {
		t.Errorf("a person's words before the first turn are passed over:\n%s", got)
	}
}

// S0-14: the prompt quotes the last message and names its speaker.
func TestTheLastWords_S0_14(t *testing.T) {
	for i, want := range []string{"", "Warden", "Ada (a person)", "Grace (a person who watches)", "Grace (a person who watches)"} {
		got := Prompt(council(i+2, 9, talk[:i+1]...))
		if want == "" {
			if strings.Contains(got, "The last to speak") {
				t.Errorf("one's own words are somebody else's:\n%s", got)
			}
			continue
		}
		last := talk[min(i, 3)].Content
		last, _, _ = strings.Cut(last, "\n")
		if !strings.Contains(got, "**"+want+"**\n> "+last) || !strings.Contains(got, "The last to speak was "+want+".") {
			t.Errorf("after %d rows %s is not quoted:\n%s", i+1, want, got)
		}
	}
}

// S3-20: after a restart the prompt says that the agent remembers nothing and that its own turn was cut off, and has
// the results of the stages and the words that were said. A tool call whose end is unknown is named.
func TestAfterARestart_S3_20(t *testing.T) {
	c := realm(council(4, 6, talk...))
	c.Restored, c.Retry = true, world.RunInterrupted
	for _, reads := range []bool{false, true} {
		c.Said = append(c.Said, world.Message{Role: world.RoleAssistant, MemberID: "sage", Name: "Sage", Status: world.MessageInterrupted, Content: "I would"},
			world.Message{Role: world.RoleTool, MemberID: "warden", Name: "Warden", Status: world.MessageInterrupted, Tool: &world.ToolUse{Name: "run", Reads: reads}})
	}
	got := Prompt(c)
	for _, part := range []string{"You remember nothing", "cut off before it ended", "> 1. No cache.", "> Our disks are slow.", "nobody knows whether it acted", "it may be used again", "The last to speak was Grace"} {
		if !strings.Contains(got, part) {
			t.Errorf("the prompt lacks %q:\n%s", part, got)
		}
	}
	a := chat()
	a.Restored = true
	if got := Prompt(a); !strings.Contains(got, "in this text and in the messages that follow it") {
		t.Errorf("a chat is told that its messages do not count:\n%s", got)
	}
}

func TestRetrySaysWhatToDoOtherwise(t *testing.T) {
	for what, part := range map[string]string{
		world.ChatLimit: "much shorter", world.ChatEmpty: "in words", world.ChatTimeout: "sooner", world.ChatModel: "failed",
		world.RunCancelled: "was stopped", world.RunInterrupted: "cut off", world.RunError: "failed",
	} {
		c := council(2, 6, talk...)
		if c.Retry = what; !strings.Contains(Prompt(c), part) {
			t.Errorf("after %s: %q", what, Retry(what, "turn"))
		}
	}
	for _, what := range []string{"", world.RunDone, world.RunRunning} {
		if got := Retry(what, "turn"); got != "" {
			t.Errorf("after %q: %q", what, got)
		}
	}
}

// A prompt says what to do and never which words to say: outside of quotes it has no sentence in quotation marks.
func TestNoCannedSpeech(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range outside(string(text)) {
			rest := strings.NewReplacer(`"> "`, "", `"The task"`, "").Replace(line)
			if strings.ContainsAny(rest, "\"“”«»") {
				t.Errorf("%s: %s", path, line)
			}
		}
	}
}

// outside returns the lines of a prompt that are not quoted, for every character that a reader can take for the end of
// a line.
func outside(prompt string) []string {
	var out []string
	for _, line := range strings.FieldsFunc(prompt, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }) {
		if !strings.HasPrefix(line, "> ") && line != ">" {
			out = append(out, line)
		}
	}
	return out
}
