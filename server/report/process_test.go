package report

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// collect adds artifacts to a world as the events of its process do.
func collect(w *world.World, all ...world.Artifact) {
	for _, a := range all {
		world.Apply(w, world.Event{Seq: w.Tick + 1, V: 1, Body: &world.ArtifactSaved{Artifact: a}})
	}
}

// brainstorm returns a world whose process is a brainstorm of two stages. A code review was made before.
func brainstorm(t *testing.T) *world.World {
	w := reviewed(t)
	w.Findings[0].ProcessID = "review"
	collect(w, world.Artifact{ID: "a-2", Name: CoverageArtifact, StageID: "read", Coverage: seen, ProcessID: "review"},
		world.Artifact{ID: "a-1", Name: "final_report", StageID: "show", Text: "The old report.", ProcessID: "review"})
	w.ProcessState = world.ProcessState{
		Status: world.StatusCompleted, ConversationID: "storm", ProblemStatement: "What do we build?",
		CollectedArtifacts: map[string][]string{},
		Template: &world.Template{Name: "Standard brainstorm", Roles: []world.Role{
			{ID: "ideator", Name: "Ideator"}, {ID: "critic", Name: "Critic"}, {ID: "guide", Name: "Facilitator"}, {ID: "guest", Name: "Guest"},
		},
			Stages: []world.Stage{{ID: "diverge", Name: "Divergence"}, {ID: "converge", Name: "Synthesis"}, {ID: "end", Name: "Decision"}}},
	}
	w.ProcessState.Cast = []world.Casting{
		{RoleID: "ideator", Kind: world.KindHuman, Name: "Mo *bold*", SpectatorID: "p1"}, {RoleID: "critic", Kind: world.KindAgent},
		{RoleID: "guide", Kind: world.KindHuman, Name: "Ling", SpectatorID: "p2"}, {RoleID: "guest", Kind: world.KindOpen},
	}
	collect(w, world.Artifact{ID: "a-3", Name: "idea_list", StageID: "diverge", AgentID: "ideator", Text: "# Ideas\n\n1. a mill\n\n```\n# no heading\n```", ProcessID: "storm"},
		world.Artifact{ID: "a-4", Name: "critique", StageID: "converge", Text: "## Ideator\n\nToo dear.", ProcessID: "storm", Cut: true},
		world.Artifact{ID: "a-5", Name: "proposal", StageID: "end", Text: "Build the mill.", ProcessID: "storm"})
	return w
}

// The report of a process other than a review has its result and what each stage made, in Markdown and in JSON (P1.1).
func TestTheReportOfABrainstormHasItsResult(t *testing.T) {
	s := source(brainstorm(t), world.NewLand())
	text := Markdown(s, "")
	at := 0
	for _, part := range []string{"Standard brainstorm, completed: What do we build?\n", "Build the mill.\n\n## What the stages made\n\n",
		"### Divergence: idea list\n\nBy Ideator (Mo \\*bold\\*).\n\n#### Ideas\n\n1. a mill\n\n```\n# no heading\n```\n",
		"### Synthesis: critique\n\n#### Ideator\n\nToo dear.\n\n(This is only the beginning.", "## Coverage\n",
		"## Who took part\n\n- Ideator: Mo \\*bold\\*\n- Critic: an agent\n- Facilitator: Ling\n- Guest: nobody\n", "## Numbers\n"} {
		next := strings.Index(text[at:], part)
		if next < 0 {
			t.Fatalf("the report has no %q in its place:\n%s", part, text)
		}
		at += next
	}
	if strings.Contains(text, "The old report.") {
		t.Errorf("the report has the result of an earlier process:\n%s", text)
	}
	var out struct {
		Result    string
		Artifacts []struct{ Stage, Name, By, Text string }
	}
	if data, err := JSON(s); err != nil || strings.Contains(string(data), "Build the mill.") {
		t.Errorf("the JSON of the realm, which is for findings, is %s, %v", data, err)
	}
	s.Process = &world.Conversation{ConversationID: "storm"}
	data, err := JSON(s)
	if err != nil || json.Unmarshal(data, &out) != nil || out.Result != "Build the mill." || len(out.Artifacts) != 2 ||
		out.Artifacts[0].Stage != "Divergence" || out.Artifacts[0].By != "Ideator" || out.Artifacts[1].Text != "## Ideator\n\nToo dear." {
		t.Errorf("%+v, %v", out, err)
	}
}

// What people said and no artifact has is in the report, with the stage and the speaker, in Markdown and in JSON: the
// artifact of a stage has only the words of the roles that produce it (P1.1).
func TestTheReportHasWhatPeopleSaidBesides(t *testing.T) {
	s := source(brainstorm(t), world.NewLand())
	row := func(role, member, name, stage, text string) world.Message {
		return world.Message{Role: role, MemberID: member, Name: name, StageID: stage, Content: text, Status: world.MessageDone}
	}
	s.Said = []world.Message{
		row(world.RoleUser, "ideator", "Mo", "diverge", "# Ideas\n\n1. a mill\n"), // the artifact has it
		row(world.RoleUser, "ideator", "Mo", "diverge", "- A mill."),              // and this, too
		row(world.RoleUser, "guide", "Ling", "diverge", "# Stop\n\nThink of the *river*."),
		row(world.RoleAssistant, "critic", "Critic", "diverge", "What an agent says is in the conversation."),
		row(world.RoleUser, "p9", "Ada", "converge", "And the miller?"),
		{Role: world.RoleUser, Content: "not yet said", Status: world.MessageOpen},
	}
	text := Markdown(s, "")
	want := "## What people said besides\n\n### Divergence\n\nFacilitator (Ling):\n\n#### Stop\n\nThink of the *river*.\n\n" +
		"### Synthesis\n\nAda:\n\nAnd the miller?\n\n## Who took part\n"
	if !strings.Contains(text, want) {
		t.Errorf("the report has no\n%s\nbut is\n%s", want, text)
	}
	s.Process = &world.Conversation{ConversationID: "storm"}
	var out struct {
		Said []struct{ Stage, By, Text string }
	}
	data, err := JSON(s)
	if err != nil || json.Unmarshal(data, &out) != nil || len(out.Said) != 2 || out.Said[0].By != "Facilitator (Ling)" ||
		out.Said[0].Stage != "Divergence" || out.Said[1].Text != "And the miller?" {
		t.Errorf("%+v, %v", out, err)
	}
	s.Said = s.Said[:1]
	if text := Markdown(s, ""); strings.Contains(text, "said besides") {
		t.Errorf("the report says again what the artifact has:\n%s", text)
	}
}

// What was said between the turns is in the report with the stage in which it was said and the roles of who said it: the
// rows of the transcript, and in a report about the process also what spectators said meanwhile, in their order (P1.1).
func TestTheReportSaysInWhichStagePeopleSpoke(t *testing.T) {
	w := brainstorm(t)
	for i := range w.Artifacts {
		w.Artifacts[i].At = world.Time(map[string]int{"a-3": 100, "a-4": 200, "a-5": 300}[w.Artifacts[i].ID])
	}
	s := source(w, world.NewLand())
	row := func(at int, who, name, text string) world.Message {
		return world.Message{Role: world.RoleUser, MemberID: who, SpectatorID: who, Name: name, Content: text, Status: world.MessageDone, At: world.Time(at)}
	}
	s.Said = []world.Message{row(10, "p2", "Ling", "Welcome."), row(150, "p2", "Ling", "Now the doubts."), row(250, "p9", "Ada", "Decide.")}
	if text := Markdown(s, ""); !strings.Contains(text, "### Divergence\n\nLing (Facilitator, to all):\n\nWelcome.\n\n### Synthesis\n\n"+
		"Ling (Facilitator, to all):\n\nNow the doubts.\n\n### Decision\n\nAda:\n\nDecide.\n") {
		t.Errorf("the report does not say when people spoke:\n%s", text)
	}
	s.Process = &world.Conversation{ConversationID: "storm", CreatedAt: 5, EndedAt: 300}
	s.Remarks = []world.Remark{{At: 1, By: "Eve", Text: "Too soon."}, {At: 120, By: "Tom", Text: "And the river?"}, {At: 301, By: "Eve", Text: "Too late."}}
	text := Markdown(s, "")
	if !strings.Contains(text, "### Synthesis\n\nTom:\n\nAnd the river?\n\nLing (Facilitator, to all):\n\nNow the doubts.\n") ||
		strings.Contains(text, "Too soon") || strings.Contains(text, "Too late") || strings.Contains(text, "Said to everybody") || strings.Contains(text, "Outside") {
		t.Errorf("the report of the process does not say when the spectator spoke:\n%s", text)
	}
	var out struct {
		Said    []struct{ Stage, By, Text string }
		Remarks []any
	}
	data, err := JSON(s)
	if err != nil || json.Unmarshal(data, &out) != nil || len(out.Said) != 4 || len(out.Remarks) != 0 || out.Said[1].Stage != "Synthesis" ||
		out.Said[1].By != "Tom" || out.Said[0].By != "Ling (Facilitator, to all)" || out.Said[3].Stage != "Decision" {
		t.Errorf("%s, %v", data, err)
	}
	// The stages of an earlier process are those of its artifacts.
	w.ProcessState = world.ProcessState{Status: world.StatusRunning}
	s.Process.Status, s.Process.Title = world.ConversationCompleted, "Standard brainstorm"
	f, err := Make(s, Want{Format: FormatMarkdown, Conversation: "storm"})
	if err != nil || !strings.Contains(string(f.Data), "### diverge\n\nLing:\n\nWelcome.\n\n### converge\n\nTom:") {
		t.Errorf("%v\n%s", err, f.Data)
	}
}

// The JSON of a process says what Markdown says: its format, who took part, and that it was ended early (P1.1).
func TestTheJSONOfAProcessSaysHowItEnded(t *testing.T) {
	s := source(brainstorm(t), world.NewLand())
	s.Process = &world.Conversation{ConversationID: "storm"}
	var out struct {
		Format, Status string
		TookPart       []struct {
			Role string
			By   []string
		}
	}
	data, err := JSON(s)
	if err != nil || json.Unmarshal(data, &out) != nil || out.Status != "completed" || out.Format != "Standard brainstorm" ||
		len(out.TookPart) != 4 || out.TookPart[2].Role != "Facilitator" || !slices.Equal(out.TookPart[2].By, []string{"Ling"}) {
		t.Errorf("%s, %v", data, err)
	}
	s.World.ProcessState.Early = true
	if data, err = JSON(s); err != nil || json.Unmarshal(data, &out) != nil || out.Status != "ended early" {
		t.Errorf("a process that was ended early is %q, %v", out.Status, err)
	}
}

// A report names the people who spoke as the roles: those who did, and not who holds the role now. People who were
// erased have no name (P1.1).
func TestTheReportNamesThePeopleInTheirRoles(t *testing.T) {
	s := source(brainstorm(t), world.NewLand())
	s.Process = &world.Conversation{ConversationID: "storm"}
	row := func(member, name, stage string) world.Message {
		return world.Message{Role: world.RoleUser, MemberID: member, Name: name, StageID: stage, Content: "a mill", Status: world.MessageDone}
	}
	s.Said = []world.Message{
		row("ideator", "Ada", "diverge"), row("ideator", "Ada", "diverge"), row("guide", "Ling", "converge"),
		row("critic", world.ErasedName, "converge"), row("guide", "Ben", "end"), row("p9", "Cleo", "end"),
	}
	s.Said[3].Content = "" // as an erasure leaves it
	text := Markdown(s, "")
	for _, part := range []string{
		"By Facilitator (Ben).\n\nBuild the mill.\n", "By Ideator (Ada).\n\n#### Ideas\n", "critique\n\nBy Facilitator (Ling).\n\n#### Ideator\n",
		"## Who took part\n\n- Ideator: Ada, Mo \\*bold\\*\n- Critic: an agent\n- Facilitator: Ling, Ben\n- Guest: nobody\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("the report has no %q:\n%s", part, text)
		}
	}
	if strings.Contains(text, world.ErasedName) {
		t.Errorf("the report names who was erased:\n%s", text)
	}
	var out struct{ Artifacts []struct{ People []string } }
	data, err := JSON(s)
	if err != nil || json.Unmarshal(data, &out) != nil || len(out.Artifacts) != 2 || !slices.Equal(out.Artifacts[0].People, []string{"Ada"}) {
		t.Errorf("%+v, %v", out, err)
	}
}

// A process that was ended before it made a result does not get the result of an earlier one, and the report does not
// call it completed. Without a review it counts no findings.
func TestAProcessThatWasEndedEarlyHasNoOtherResult(t *testing.T) {
	w := brainstorm(t)
	w.ProcessState.Early, w.ProcessState.CollectedArtifacts = true, map[string][]string{"idea_list": {"a-3"}}
	text := Markdown(source(w, world.NewLand()), "")
	if !strings.Contains(text, "Standard brainstorm, ended early: What") || !strings.Contains(text, "1. a mill") ||
		strings.Contains(text, "The old report.") || strings.Contains(text, "Build the mill.") {
		t.Errorf("the report is\n%s", text)
	}
	w.Findings, w.Artifacts = nil, w.Artifacts[2:]
	if text := Markdown(source(w, world.NewLand()), ""); strings.Contains(text, "| findings") || strings.Contains(text, "None is proved") ||
		strings.Contains(text, "| bytes") || !strings.Contains(text, "- Facilitator: Ling\n") || !strings.Contains(text, "\nWritten 2026-") {
		t.Errorf("without a review the report counts findings:\n%s", text)
	}
	w.Artifacts, w.ProcessState.CollectedArtifacts = nil, nil
	if text := Markdown(source(w, world.NewLand()), ""); strings.Contains(text, "| findings") || strings.Contains(text, "None is proved") {
		t.Errorf("of a process that has made nothing the report counts findings:\n%s", text)
	}
}

// Of a process that was ended early, the report also has what agents said in the stage that was not finished, and which
// no artifact has. Of the other stages, the artifacts say it (P1.1).
func TestTheReportHasTheTalkOfTheStageThatWasNotFinished(t *testing.T) {
	w := brainstorm(t)
	w.ProcessState.Early, w.ProcessState.CurrentStageIndex = true, 1
	w.ProcessState.CollectedArtifacts = map[string][]string{"idea_list": {"a-3"}}
	w.Artifacts = w.Artifacts[:3]
	s := source(w, world.NewLand())
	row := func(role, member, name, stage, text, status string) world.Message {
		return world.Message{Role: role, MemberID: member, Name: name, StageID: stage, Content: text, Status: status}
	}
	s.Said = []world.Message{
		row(world.RoleAssistant, "critic", "Critic", "diverge", "I hear you.", world.MessageDone),
		row(world.RoleAssistant, "critic", "Critic", "converge", "# Cost\n\nThe mill is dear.", world.MessageDone),
		row(world.RoleUser, "guide", "Ling", "converge", "How dear?", world.MessageDone),
		row(world.RoleAssistant, "critic", "Critic", "converge", "As dear as", world.MessageCancelled),
		row(world.RoleTool, "critic", "Critic", "converge", "a tool's output", world.MessageDone),
	}
	want := "## What was said besides\n\n### Synthesis\n\nCritic:\n\n#### Cost\n\nThe mill is dear.\n\nFacilitator (Ling):\n\nHow dear?\n\n" +
		"Critic:\n\nAs dear as\n\n(This was stopped before its end.)\n\n## Who took part\n"
	if text := Markdown(s, ""); !strings.Contains(text, want) || strings.Contains(text, "I hear you.") || strings.Contains(text, "tool's") {
		t.Errorf("the report has no\n%s\nbut is\n%s", want, text)
	}
	w.ProcessState.Early = false
	if text := Markdown(s, ""); strings.Contains(text, "The mill is dear.") {
		t.Errorf("the report of a process that goes on or was completed has what agents said:\n%s", text)
	}
	// As an earlier process, whose stages are not kept, and of which no artifact was made.
	w.ProcessState, w.Artifacts = world.ProcessState{Status: world.StatusRunning}, nil
	s.Said = s.Said[1:]
	s.Process = &world.Conversation{ConversationID: "storm", Kind: world.KindProcess, Title: "Standard brainstorm", Status: world.ConversationAbandoned}
	f, err := Make(s, Want{Format: FormatMarkdown, Conversation: "storm"})
	if err != nil || !strings.Contains(string(f.Data), "## What was said\n\n### converge\n\nCritic:\n\n#### Cost\n\nThe mill is dear.\n\nLing:\n") {
		t.Errorf("%v\n%s", err, f.Data)
	}
	if f, err = Make(s, Want{Format: FormatJSON, Conversation: "storm"}); err != nil || !strings.Contains(string(f.Data), `The mill is dear.`) {
		t.Errorf("%v\n%s", err, f.Data)
	}
	w.Findings[0].ProcessID = "storm" // a review: its findings say what was found
	if f, err = Make(s, Want{Format: FormatMarkdown, Conversation: "storm"}); err != nil || strings.Contains(string(f.Data), "The mill is dear.") {
		t.Errorf("%v\n%s", err, f.Data)
	}
}

// A later review posts what still stands as its own. The report about the earlier one does not say then that it had found
// nothing (P1.1).
func TestTheReportOfAReviewThatALaterOneOvertook(t *testing.T) {
	w := brainstorm(t)
	head := &world.Conversation{ConversationID: "review", Kind: world.KindProcess, Title: "Code review of mill", Status: world.ConversationCompleted}
	looked := 0
	for i := range w.Artifacts {
		if a := &w.Artifacts[i]; a.ProcessID == "review" {
			a.At, looked = 1000, looked+1
		}
	}
	if looked == 0 {
		t.Fatal("no review to overtake")
	}
	taken := w.Findings[0]
	taken.ProcessID, taken.At = "review-2", 2000
	mended := taken
	mended.ID, mended.ProcessID, mended.Withdrawn = "mended", "review", "It does not stand there any more."
	w.Findings = []world.Finding{taken, mended}
	s := source(w, world.NewLand())
	s.Process = head
	f, err := Make(s, Want{Format: FormatMarkdown, Conversation: "review"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(f.Data)
	if !strings.Contains(text, "The old report.") || !strings.Contains(text, "A later review has taken over the findings of this one.") {
		t.Errorf("the report lacks its own text, or does not say where its findings are:\n%s", text)
	}
	for _, wrong := range []string{"| findings", "None is proved", "## Withdrawn"} {
		if strings.Contains(text, wrong) {
			t.Errorf("the report has %q, as if the review had found no more:\n%s", wrong, text)
		}
	}
	if f, err = Make(s, Want{Format: FormatJSON, Conversation: "review"}); err != nil || !strings.Contains(string(f.Data), `"overtaken": true`) {
		t.Errorf("the JSON does not say that a later review has the findings: %v", err)
	}
	if _, err = Make(s, Want{Format: FormatSARIF, Conversation: "review"}); !errors.Is(err, ErrOvertaken) {
		t.Errorf("SARIF without the findings: %v", err)
	}
}

// The report about an earlier process has what that process made and nothing else (P1.1).
func TestTheReportOfAnEarlierProcess(t *testing.T) {
	w := brainstorm(t)
	s := source(w, world.NewLand())
	s.Process = &world.Conversation{ConversationID: "review", Kind: world.KindProcess, Title: "Code review of mill", Status: world.ConversationCompleted}
	f, err := Make(s, Want{Format: FormatMarkdown, Conversation: "review"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(f.Data)
	for _, part := range []string{"Code review of mill, completed", "The old report.", "## Coverage\n", "### 1. " + Escape(w.Findings[0].Title)} {
		if !strings.Contains(text, part) {
			t.Errorf("the report has no %q:\n%s", part, text)
		}
	}
	if strings.Contains(text, "### 2. ") || strings.Contains(text, "mill.") {
		t.Errorf("the report has something of another process:\n%s", text)
	}
	s.Process = &world.Conversation{ConversationID: "storm", Kind: world.KindProcess, Status: world.ConversationCompleted}
	if f, err = Make(s, Want{Format: FormatMarkdown, Conversation: "storm"}); err != nil || strings.Contains(string(f.Data), "Coverage") ||
		!strings.Contains(string(f.Data), "Standard brainstorm, completed") || !strings.Contains(string(f.Data), "Divergence: idea list") {
		t.Errorf("the present process alone: %v\n%s", err, f.Data)
	}
	w.ProcessState = world.ProcessState{Status: world.StatusRunning}
	s.Process = &world.Conversation{
		ConversationID: "storm", Kind: world.KindProcess, Title: "Standard brainstorm", Status: world.ConversationAbandoned, TaskPrompt: "What do we build?",
		Team: world.Team{Members: []world.Member{{ID: "ideator", DisplayName: "Ideator"}}},
	}
	f, err = Make(s, Want{Format: FormatMarkdown, Conversation: "storm"})
	if text := string(f.Data); err != nil || !strings.Contains(text, "Standard brainstorm, ended early: What do we build?") ||
		!strings.Contains(text, "Build the mill.") || !strings.Contains(text, "### diverge: idea list\n\nBy Ideator.") || strings.Contains(text, "old report") {
		t.Errorf("%v\n%s", err, text)
	}
}
