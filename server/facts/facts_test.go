package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"agentdungeon/server/inspect"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// house implements Realms with realms in memory.
type house struct {
	list   wire.RealmList
	realms map[string]*asked
	known  *inspect.Known
	err    error // of Known
	looked string
	repo   *inspect.Repo // of View
	checks []inspect.Check
}

func (h *house) List(context.Context) (wire.RealmList, error) { return h.list, nil }

func (h *house) Open(_ context.Context, id string) (Realm, error) { return h.realms[id], nil }

func (h *house) Known(_ context.Context, folder, name string) (*inspect.Known, error) {
	h.looked = folder + " " + name
	return h.known, h.err
}

// View implements Scouts with the house's repository.
func (h *house) View(_ context.Context, folder string, use func(*inspect.Repo, []inspect.Check) error) error {
	h.looked = folder
	if h.repo == nil {
		return errors.New("secret path")
	}
	return use(h.repo, h.checks)
}

type tables = realm.Transcripts

// asked is a realm in memory that implements Realm.
type asked struct {
	tables
	w      *world.World
	vaults []world.Vault
	hits   []world.SearchHit
	talks  []world.ConversationInfo
	rows   []world.Message
	err    error // of World
	hold   chan struct{}
}

func (a *asked) World(ctx context.Context) (*world.World, error) {
	if a.hold != nil {
		select {
		case <-a.hold:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return a.w, a.err
}
func (a *asked) Vaults(context.Context) ([]world.Vault, error) { return a.vaults, nil }
func (a *asked) Transcripts() realm.Transcripts                { return a }
func (a *asked) Search(context.Context, world.SearchQuery) ([]world.SearchHit, error) {
	return a.hits, nil
}

func (a *asked) Conversations(_ context.Context, q world.ConversationQuery) ([]world.ConversationInfo, bool, error) {
	n := min(q.Limit, len(a.talks))
	return a.talks[:n], n < len(a.talks), nil
}

func (a *asked) Conversation(_ context.Context, id string) (world.SavedConversation, error) {
	for _, t := range a.talks {
		if t.ConversationID == id {
			return world.SavedConversation{Conversation: t.Conversation}, nil
		}
	}
	return world.SavedConversation{}, world.ErrNoConversation
}

func (a *asked) Rows(_ context.Context, _, _ string, before int64, limit int) ([]world.Message, bool, error) {
	rows := a.rows
	if before > 0 {
		rows = rows[:before-1]
	}
	from := max(0, len(rows)-limit)
	return rows[from:], from > 0, nil
}

// newHouse returns a house with one realm.
func newHouse() (*house, *asked) {
	a := &asked{w: world.New(world.Realm{ID: "r1", Path: "/repo"})}
	return &house{
		list:   wire.RealmList{Realms: []wire.RealmInfo{{ID: "r1", Name: "repo", Path: "/repo"}}, LastActiveRealmID: "r1"},
		realms: map[string]*asked{"r1": a},
	}, a
}

func (h *house) facts() *Facts {
	return New(Config{Realms: h, Scouts: h, Version: "1", Log: zerolog.Nop(), Place: func(folder, path string) (string, bool) {
		rel, ok := strings.CutPrefix(path, folder+"-worktree/")
		return rel, ok
	}})
}

// connect returns a client of the Facts.
func connect(t *testing.T, f *Facts) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	server, err := f.Server().Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(client.Close(), server.Close()); err != nil {
			t.Error(err)
		}
	})
	return client
}

// use calls a tool and returns its answer, or the sentence of its error.
func use[Out any](t *testing.T, f *Facts, tool string, args map[string]any) (out Out, failed string) {
	t.Helper()
	answer, err := connect(t, f).CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	said := answer.Content[0].(*mcp.TextContent).Text
	if answer.IsError {
		return out, said
	}
	text, err := json.Marshal(answer.StructuredContent)
	if err != nil || json.Unmarshal(text, &out) != nil || !strings.HasPrefix(said, "{") {
		t.Fatalf("%s: %v %s", tool, err, said)
	}
	if len(said) > maxAnswer {
		t.Errorf("%s answers %d bytes", tool, len(said))
	}
	return out, ""
}

// Each tool declares that it only reads, and describes what it does and what each input means (P17.13).
func TestToolsOnlyRead_P17_13(t *testing.T) {
	h, _ := newHouse()
	list, err := connect(t, h.facts()).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if text, err := json.Marshal(tool); err != nil || strings.Contains(string(text), `"null"`) {
			t.Errorf("%s: values of two types: %s, %v", tool.Name, text, err)
		}
		a := tool.Annotations
		if !a.ReadOnlyHint || !a.IdempotentHint || *a.DestructiveHint || *a.OpenWorldHint || len(tool.Description) < 40 {
			t.Errorf("%s: %+v %q", tool.Name, a, tool.Description)
		}
		inputs, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any) // realms has none
		for name, property := range inputs {
			if len(fmt.Sprint(property.(map[string]any)["description"])) < 10 {
				t.Errorf("%s: %s has no description", tool.Name, name)
			}
		}
	}
	slices.Sort(names)
	if want := "about_file api_diff callers findings flows_to history importers quests realms talk talks tests_of unread vault who_is_here"; strings.Join(names, " ") != want {
		t.Errorf("tools %q", names)
	}
}

// who_is_here lists coding agents first, with file, state and how the state is known, and lists the files at which they
// are in each other's way.
func TestWhoIsHere(t *testing.T) {
	h, a := newHouse()
	a.w.Agents = []world.Agent{
		{ID: "oracle", DisplayName: "Oracle", Kind: world.KindAgent, Role: "oracle", Status: "idle", Folder: "src"},
		{ID: "claude:1", DisplayName: "Claude", Kind: world.KindAgent, State: &world.AgentState{
			State: world.StateWaiting, Wait: world.WaitPermission, Reason: "Bash: make", Source: "hook", Path: "a%5Cb.go", Edits: true, Since: 1000,
		}},
	}
	a.w.Sessions = []world.Session{{Program: "claude", SessionID: "s", AgentID: "claude:1", ConversationID: "private-c"}}
	a.w.Collisions = []world.Collision{{Path: "a.go", AgentIDs: []string{"claude:1", "codex:1"}, Why: "edits"}}
	out, _ := use[hereOut](t, h.facts(), "who_is_here", nil)
	want := Hero{ID: "claude:1", Name: "Claude", Kind: coding, Program: "claude", Session: "s", State: "waiting",
		Wait: "permission", Reason: "Bash: make", Source: "hook", Since: world.Time(1000).String(), File: `a\b.go`, Edited: true, Talk: "private-c"}
	if len(out.Heroes) != 2 || out.Heroes[0] != want || out.Heroes[1].File != "src" || out.Realm != "r1" || out.Folder != "/repo" {
		t.Errorf("%+v", out)
	}
	if len(out.Collisions) != 1 || out.Collisions[0].File != "a.go" {
		t.Errorf("collisions %+v", out.Collisions)
	}
}

// An agent edits a file only while a call at that file runs. After that it has edited the file last, also while it works
// at something else.
func TestWhoEditsNow(t *testing.T) {
	h, a := newHouse()
	for _, c := range []struct {
		state, reason string
		edits         bool
		now           bool
	}{
		{world.StateWorking, "Edit: a.go", true, true},
		{world.StateWorking, "Edit: /repo/src/a.go", true, true},
		{world.StateWorking, "Bash: go test ./src/a.go", true, false},
		{world.StateWorking, "Edit: b.go", true, false},
		{world.StateWorking, "", true, false},
		{world.StateWaiting, "Edit: a.go", true, false},
		{world.StateWorking, "Read: a.go", false, false},
	} {
		a.w.Agents = []world.Agent{{ID: "claude:1", State: &world.AgentState{
			State: c.state, Reason: c.reason, Path: "src/a.go", Edits: c.edits,
		}}}
		out, _ := use[hereOut](t, h.facts(), "who_is_here", nil)
		if got := out.Heroes[0]; got.Edits != c.now || got.Edited != c.edits || got.File != "src/a.go" {
			t.Errorf("%s, %q: %+v", c.state, c.reason, got)
		}
	}
}

// The tool findings lists the findings that are not withdrawn, the most severe first, filtered by the input. An answer
// counts the findings that it leaves out (P17.13).
func TestFindings(t *testing.T) {
	h, a := newHouse()
	for i := range 50 {
		a.w.Findings = append(a.w.Findings, world.Finding{ID: fmt.Sprint("f", i), Severity: "low", Title: "small", Path: "src/a.go", Line: i})
	}
	a.w.Findings = append(a.w.Findings,
		world.Finding{ID: "old", Severity: "critical", Title: "gone", Path: "src/a.go", Withdrawn: "not so"},
		world.Finding{ID: "maybe", Severity: "critical", Confidence: "low", Title: "perhaps", Path: "lib/c.go"},
		world.Finding{ID: "big", Severity: "high", Title: "Big", Path: "srcs/b.go", Why: "why", Text: "again why"},
	)
	f := h.facts()
	for i, c := range []struct {
		args    map[string]any
		first   string
		n, left int
	}{
		{nil, "big", 20, 31},
		{map[string]any{"limit": 100}, "big", 51, 0},
		{map[string]any{"path": "src", "limit": 3}, "f49", 3, 47},
		{map[string]any{"path": "./src/a.go"}, "f49", 20, 30},
		{map[string]any{"severity": "medium"}, "big", 1, 0},
		{map[string]any{"words": "GONE"}, "", 0, 0},
		{map[string]any{"words": "GONE", "withdrawn": true}, "old", 1, 0},
		{map[string]any{"words": "perhaps"}, "", 0, 0},
		{map[string]any{"words": "perhaps", "suspected": true}, "maybe", 1, 0},
	} {
		out, failed := use[findingsOut](t, f, "findings", c.args)
		first := ""
		if len(out.Findings) > 0 {
			first = out.Findings[0].ID
		}
		if failed != "" || first != c.first || len(out.Findings) != c.n || out.LeftOut != c.left {
			t.Errorf("%d: %s %d %d %s", i, first, len(out.Findings), out.LeftOut, failed)
		}
	}
	for _, args := range []map[string]any{{"limit": 101}, {"severity": "bad"}, {"other": 1}} {
		if _, failed := use[findingsOut](t, f, "findings", args); failed == "" {
			t.Errorf("%v is answered", args)
		}
	}
}

// An answer is bounded even if there is very much to say, and says how much it has left out (P17.13).
func TestAnswersAreBounded_P17_13(t *testing.T) {
	h, a := newHouse()
	long := strings.Repeat("é", 2_000)
	for i := range 200 {
		a.w.Findings = append(a.w.Findings, world.Finding{Title: long, Why: long, Advice: long, Evidence: long, Path: "a"})
		a.w.Quests = append(a.w.Quests, world.Quest{Title: long, Note: long, Path: "a", Status: world.QuestOpen})
		a.w.Agents = append(a.w.Agents, world.Agent{ID: fmt.Sprint(i), DisplayName: long, State: &world.AgentState{Reason: long, Path: "a"}})
		a.talks = append(a.talks, world.ConversationInfo{Conversation: world.Conversation{ConversationID: fmt.Sprint("c", i), Title: long,
			Team: world.Team{Members: slices.Repeat([]world.Member{{Name: long}}, 50)}}})
		if i < 20 {
			a.rows = append(a.rows, world.Message{Seq: int64(i + 1), Content: long, Name: long, Status: world.MessageDone,
				Tool: &world.ToolUse{Name: "Bash", Input: long}})
		}
		a.hits = append(a.hits, world.SearchHit{ConversationID: fmt.Sprint("c", i), Title: long, Parts: []world.SearchPart{{Text: long}}})
		h.list.Realms = append(h.list.Realms, wire.RealmInfo{ID: fmt.Sprint("r", i), Name: long, Path: long})
	}
	a.vaults = []world.Vault{{AgentID: "a", Insights: slices.Repeat([]world.Insight{{Area: long, Text: long}}, 200)}}
	h.known = &inspect.Known{Path: "a", Says: long, Imports: slices.Repeat([]inspect.Spec{{Name: long}}, 200),
		Importers: slices.Repeat([]inspect.Place{{Path: "b"}}, 200)}
	f := h.facts()
	all := map[string]any{"limit": 100}
	here, _ := use[hereOut](t, f, "who_is_here", nil)
	findings, _ := use[findingsOut](t, f, "findings", all)
	quests, _ := use[questsOut](t, f, "quests", all)
	vault, _ := use[vaultOut](t, f, "vault", all)
	talks, _ := use[talksOut](t, f, "talks", all)
	said, _ := use[talksOut](t, f, "talks", map[string]any{"words": "x"})
	realms, _ := use[RealmList](t, f, "realms", nil)
	file, _ := use[fileOut](t, f, "about_file", map[string]any{"path": "a"})
	for name, n := range map[string][2]int{
		"who_is_here": {len(here.Heroes), here.LeftOut}, "findings": {len(findings.Findings), findings.LeftOut},
		"quests": {len(quests.Quests), quests.LeftOut}, "vault": {len(vault.Insights), vault.LeftOut},
		"talks": {len(talks.Talks), talks.LeftOut}, "realms": {len(realms.Realms), realms.LeftOut},
		"file": {len(file.Here), file.LeftOut["here"]},
	} {
		if total := n[0] + n[1]; n[0] == 0 || total != 200 && !(name == "talks" && total == 100) && !(name == "realms" && total == 201) {
			t.Errorf("%s: %v", name, n)
		}
	}
	if len(said.Talks) == 0 || !said.More || file.LeftOut["imports"] == 0 {
		t.Errorf("%d %v %v", len(said.Talks), said.More, file.LeftOut)
	}
	// Page by page, the tool talk returns each row of a conversation exactly once.
	rows, before := 0, int64(0)
	for {
		out, _ := use[talkOut](t, f, "talk", map[string]any{"id": "c1", "before": before, "limit": 100})
		for _, r := range slices.Backward(out.Rows) {
			if want := int64(20 - rows); r.Row != want || !strings.HasSuffix(r.Text, "[cut]") {
				t.Fatalf("row %d, want %d", r.Row, want)
			}
			rows++
		}
		if before = out.Older; before == 0 || len(out.Rows) == 0 {
			break
		}
	}
	if rows != 20 {
		t.Errorf("%d rows", rows)
	}
}

func TestQuestsAndVault(t *testing.T) {
	h, a := newHouse()
	a.w.Quests = []world.Quest{
		{ID: "low", Status: world.QuestOpen, Priority: "low"}, {ID: "done", Status: world.QuestDone, Priority: "high"},
		{ID: "high", Status: world.QuestAssigned, Priority: "high", Owner: "Ada", Path: "a.go"},
	}
	a.vaults = []world.Vault{
		{AgentID: "sage", Insights: []world.Insight{{Area: "go", Text: "old", At: 1}, {Area: "go", Text: "new", At: 3}}},
		{AgentID: "bard", Insights: []world.Insight{{Area: "ts", Text: "mid", At: 2}}},
	}
	f := h.facts()
	quests := func(args map[string]any) (ids string) {
		out, failed := use[questsOut](t, f, "quests", args)
		for _, q := range out.Quests {
			ids += q.ID + " "
		}
		return ids + failed
	}
	insights := func(args map[string]any) (texts string) {
		out, failed := use[vaultOut](t, f, "vault", args)
		for _, i := range out.Insights {
			texts += i.Agent + ":" + i.Text + " "
		}
		return texts + failed
	}
	for got, want := range map[string]string{
		quests(nil): "high low ", quests(map[string]any{"status": "done"}): "done ", quests(map[string]any{"path": "a.go"}): "high ",
		insights(nil): "sage:new bard:mid sage:old ", insights(map[string]any{"agent": "bard"}): "bard:mid ",
		insights(map[string]any{"words": "GO", "limit": 1}): "sage:new ",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The tool talks lists and searches all conversations. Private ones are included, because only the owner can ask.
func TestTalks(t *testing.T) {
	h, a := newHouse()
	for _, id := range []string{"private-c", "c2", "c3"} {
		a.talks = append(a.talks, world.ConversationInfo{Messages: 7, Conversation: world.Conversation{ConversationID: id, Kind: world.KindCoding,
			Title: "Mend it", Team: world.Team{Members: []world.Member{{Name: "claude", DisplayName: "Claude"}}}}})
	}
	a.hits = []world.SearchHit{
		{ConversationID: "c3", Kind: world.KindChat, Name: "Ada", Parts: []world.SearchPart{{Text: "a "}, {Text: "word", Hit: true}}},
		{ConversationID: "c2", Kind: world.KindCoding, Role: "user", Parts: []world.SearchPart{{Text: "word"}}},
		{ConversationID: "c3", Kind: world.KindChat, Name: "Ada", Parts: []world.SearchPart{{Text: "word"}}},
	}
	a.rows = []world.Message{
		{Seq: 1, Role: "user", Name: "Ada", Content: "go", Status: world.MessageDone},
		{Seq: 2, Role: "tool", MemberID: "claude", Content: "half", Status: world.MessageOpen, Tool: &world.ToolUse{Name: "Bash", Input: "make", Cut: true}},
	}
	f := h.facts()
	out, _ := use[talksOut](t, f, "talks", map[string]any{"limit": 2})
	if len(out.Talks) != 2 || !out.More || out.Talks[0].ID != "private-c" || out.Talks[0].Rows != 7 || out.Talks[0].Members[0] != "Claude" {
		t.Errorf("%+v", out)
	}
	out, _ = use[talksOut](t, f, "talks", map[string]any{"words": "word"})
	if len(out.Talks) != 2 || out.Talks[0].ID != "c3" || fmt.Sprint(out.Talks[0].Excerpts) != "[Ada: a word Ada: word]" || out.More {
		t.Errorf("%+v", out)
	}
	out, _ = use[talksOut](t, f, "talks", map[string]any{"words": "word", "kind": "coding"})
	if len(out.Talks) != 1 || out.Talks[0].ID != "c2" {
		t.Errorf("%+v", out)
	}
	talk, _ := use[talkOut](t, f, "talk", map[string]any{"id": "private-c"})
	want := []Row{{Row: 1, Who: "Ada", Role: "user", Text: "go"}, {Row: 2, Who: "claude", Role: "tool", Status: "open", Text: "half [cut]", Tool: "Bash", Input: "make"}}
	if !slices.Equal(talk.Rows, want) || talk.Older != 0 || talk.Talk.Title != "Mend it" {
		t.Errorf("%+v", talk)
	}
	for _, id := range []string{"c9", "../x", ""} {
		if _, failed := use[talkOut](t, f, "talk", map[string]any{"id": id}); !strings.Contains(failed, "no conversation") {
			t.Errorf("%q: %s", id, failed)
		}
	}
}

// about_file answers what the scouts measure of a file and what the world has about it. A path in another worktree
// means the same file of the linked folder.
func TestAboutFile(t *testing.T) {
	h, a := newHouse()
	at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	h.known = &inspect.Known{
		Path: "src/a.go", Lang: "Go", Lines: 10, Imports: []inspect.Spec{{Name: "os", Line: 3}}, Importers: []inspect.Place{{Path: "b.go", Line: 4}},
		Tests: []inspect.Tests{{Path: "src/a_test.go", Count: 2}}, Past: &inspect.Past{Commits: 3, Authors: 2, First: at, Last: at}, Commits: 50,
		Newest: &inspect.Newest{Author: inspect.Author{Name: "Grace", At: at}, Line: 7}, Writers: []inspect.Writer{{Name: "Grace", Lines: 9}}, Open: 1,
		Unknown: []string{"x"},
	}
	a.w.Agents = []world.Agent{
		{ID: "codex:1", State: &world.AgentState{State: "working", Path: "src/a.go", Edits: true}}, {ID: "codex:2", State: &world.AgentState{Path: "b.go"}},
	}
	a.w.Findings = []world.Finding{{ID: "f", Path: "src/a.go"}, {ID: "g", Path: "src/a.go", Withdrawn: "x"}, {ID: "h", Path: "b.go"}}
	a.w.Quests = []world.Quest{{ID: "q", Path: "src/a.go", Status: world.QuestOpen}}
	a.w.Collisions = []world.Collision{{Path: "src/a.go", Why: "reads", AgentIDs: []string{"codex:1"}}}
	a.w.Touches = []world.FileTouch{{Path: "src/a.go", AgentID: "codex:1", Edits: 2}, {Path: "src/a.go", AgentID: "codex:2", Reads: 1}, {Path: "b.go"}}
	f := h.facts()
	out, failed := use[fileOut](t, f, "about_file", map[string]any{"path": "/repo-worktree/src/a.go"})
	if failed != "" || h.looked != "/repo src/a.go" {
		t.Fatalf("%s; looked for %s", failed, h.looked)
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"file":"src/a.go"`, `"here":[{"id":"codex:1"`, `"findings":[{"id":"f"`, `"quests":[{"id":"q"`, `"why":"reads"`,
		`"touches":[{"agent":"codex:2"`, `"imports":[{"name":"os","line":3}]`, `"importedBy":[{"file":"b.go","line":4}]`,
		`"tests":[{"file":"src/a_test.go","tests":2}]`, `"history":{"commits":3,"authors":2,"first":"2026-03-02"`, `"newestBy":"Grace"`,
		`"commitsRead":50`, `"owners":[{"name":"Grace","lines":9}]`, `"linesWithoutAuthor":1`, `"unknown":["x"]`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	h.err = fmt.Errorf("x: %w", inspect.ErrNoFile)
	if _, failed := use[fileOut](t, f, "about_file", map[string]any{"path": "nope"}); !strings.Contains(failed, `no file "nope"`) {
		t.Error(failed)
	}
	h.list.Realms[0].Path = ""
	if _, failed := use[fileOut](t, f, "about_file", map[string]any{"path": "nope"}); !strings.Contains(failed, "no folder is linked") {
		t.Error(failed)
	}
}

// A call is about the realm that its input names by id or name. Without a name it is about the realm that was active
// last, or about the only one. If a tool cannot answer, it says why in a sentence without the server's internal errors.
func TestWhichRealm(t *testing.T) {
	h, a := newHouse()
	f := h.facts()
	h.list.Realms = append(h.list.Realms, wire.RealmInfo{ID: "r2", Name: "two"}, wire.RealmInfo{ID: "r3", Name: "two"})
	h.realms["r2"] = &asked{w: world.New(world.Realm{ID: "r2"})}
	ask := func(args map[string]any) string {
		out, failed := use[hereOut](t, f, "who_is_here", args)
		return out.Realm + failed
	}
	for _, c := range [][2]string{{"", "r1"}, {"r2", "r2"}, {"repo", "r1"}, {"two", "several realms"}, {"none", `no realm "none"`}} {
		if got := ask(map[string]any{"realm": c[0]}); !strings.Contains(got, c[1]) {
			t.Errorf("%q: %s", c[0], got)
		}
	}
	h.list.LastActiveRealmID = ""
	if got := ask(nil); !strings.Contains(got, "no realm is open") {
		t.Error(got)
	}
	h.list.Realms = h.list.Realms[:1]
	if got := ask(nil); got != "r1" {
		t.Error(got)
	}
	for err, want := range map[error]string{
		errors.New("secret path"): "log says why", watch.ErrStopped: "just closed", erasure.ErrRedacting: "being erased",
		wire.Errorf(wire.NotReady, "in a moment"): "in a moment",
	} {
		a.err = err
		if got := ask(nil); !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%v: %s", err, got)
		}
	}
	h.list.Realms = nil
	if got := ask(nil); !strings.Contains(got, "no realm yet") {
		t.Error(got)
	}
}

// A call ends when its time is over, and when the server stops, which waits for it. At most maxCalls calls run at the
// same time.
func TestCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, a := newHouse()
		a.hold = make(chan struct{})
		f := h.facts()
		client := connect(t, f)
		said := make(chan string, 2*maxCalls)
		ask := func() {
			answer, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "who_is_here"})
			if err != nil {
				said <- err.Error()
				return
			}
			said <- answer.Content[0].(*mcp.TextContent).Text
		}
		for range 2 * maxCalls {
			go ask()
		}
		synctest.Wait()
		if n := len(f.calls); n != maxCalls {
			t.Errorf("%d calls run", n)
		}
		for range 2 * maxCalls {
			if text := <-said; text != errSlow.Error() {
				t.Error(text)
			}
		}
		go ask()
		synctest.Wait()
		f.Close()
		for range 2 {
			if text := <-said; text != errClosed.Error() {
				t.Error(text)
			}
			go ask()
		}
		<-said
	})
}
