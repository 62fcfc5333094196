package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/retention"
	"agentdungeon/server/shadow"
	"agentdungeon/server/source"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Each row of this table states for values of a setting what a person or an agent can see of their effect. The test
// fails for a setting that has the same result for two values.

// table is a server with one realm and the model or script that plays its agents.
type table struct {
	t     *testing.T
	app   *App
	realm *realm.Realm
	model *modeltest.Server // nil where a script plays
	view  *watch.Viewer
	shown []event
}

// settingCase is a row. see returns the effect of the value; want has the expected effects, also that of the
// default. script plays the agents; "" is a model that says "said-1", "said-2", ...
type settingCase struct {
	name   string
	script string
	see    func(*table) string
	want   map[string]string // the expected effects, by the value as JSON
}

const (
	// chatter says ten words, 40 ms apart, and ends stages that need a signal.
	chatter = `{"version":1,"defaults":{"chunkMs":40,"chunkWords":1},"turns":[
		{"match":{"completion":"explicit_signal"},"steps":[{"say":"done"},{"seal":"done"}]}],
		"otherwise":[{"say":"one two three four five six seven eight nine ten"}]}`
	panel = "deep_brainstorm"
)

var settingsTable = []settingCase{
	{"maxAgents", stalled, crowd, map[string]string{
		"12": "6 on the map, a process of 2 at once runs", "3": "3 on the map, a process of 2 at once runs", "1": "1 on the map, no process of 2 at once",
	}},
	{"pace", chatter, haste, map[string]string{`"watchable"`: "an answer of ten words takes 360ms", `"instant"`: "an answer of ten words takes 0s"}},
	{"autonomyMode", chatter, approvals, map[string]string{
		`"autonomous"`: "a process of 3 stages and 7 turns asks 0 times", `"supervised"`: "a process of 3 stages and 7 turns asks 3 times", `"manual"`: "a process of 3 stages and 7 turns asks 7 times",
	}},
	{"turnTimeoutSeconds", stalled, patience, map[string]string{
		"120": "after 2m0s: No answer within 120 seconds.", "5": "after 5s: No answer within 5 seconds.", "600": "after 10m0s: No answer within 600 seconds.",
	}},
	{"taskMaxTurns", chatter, rounds, map[string]string{"6": "a council takes 6 turns, a task 1", "3": "a council takes 3 turns, a task 1", "17": "a council takes 17 turns, a task 1"}},
	{"maxConcurrentConversations", stalled, together, map[string]string{"3": "3 go on, 2 wait", "1": "1 goes on, 4 wait", "4": "4 go on, 1 waits"}},
	{"contextWindowMessages", "", memory, map[string]string{
		"50": "a chat tells 50 rows, a council 50", "4": "a chat tells 4 rows, a council 4", "11": "a chat tells 11 rows, a council 11",
	}},
	{"agentChats", chatter, society, map[string]string{`"on"`: "a council begins, a task begins", `"off"`: "no council begins, a task begins"}},
	{"shadows", chatter, shadows, map[string]string{`"on"`: "a session is a hero", `"off"`: "a session is no hero"}},
	{"shadowsFor", chatter, sharing, map[string]string{
		`"hosts"`: "a spectator gets no prompt", `"everybody"`: "a spectator gets the prompt",
	}},
	{"filesFor", chatter, reading, map[string]string{`"hosts"`: "a spectator gets not_allowed", `"everybody"`: "a spectator gets not_found"}},
}

// A setting has its effect if settings.json sets it, also under its older name, and if player:update-settings changes
// it in a realm that began with the default.
func TestEverySettingCounts(t *testing.T) { // S0-10, S0-B12, S1-18, S3-18
	rules := map[string]world.SettingRule{}
	for _, r := range world.SettingRules {
		rules[r.Name] = r
	}
	defaults, err := json.Marshal(world.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]json.RawMessage{}
	if err := json.Unmarshal(defaults, &byName); err != nil {
		t.Fatal(err)
	}
	for _, c := range settingsTable {
		rule, known := rules[c.name]
		if !known {
			t.Errorf("there is no setting %s", c.name)
			continue
		}
		delete(rules, c.name)
		others := 2
		if n := len(rule.Values); n > 0 {
			others = min(others, n-1)
		}
		byDefault := string(byName[c.name])
		if byDefault == "" { // absent settings have their first value
			byDefault = strconv.Quote(rule.Values[0])
		}
		if _, has := c.want[byDefault]; !has || len(c.want) < 1+others {
			t.Errorf("%s: the row lacks the default %s or %d other values", c.name, byDefault, others)
		}
		if seen := slices.Compact(slices.Sorted(maps.Values(c.want))); len(seen) < len(c.want) {
			t.Errorf("%s: two values shall look the same", c.name)
		}
		for value, want := range c.want {
			for _, way := range slices.Compact([]string{c.name, rule.Old, "player:update-settings"}) {
				t.Run(c.name+"="+value+" by "+way, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						given := ""
						if way != "player:update-settings" {
							given = fmt.Sprintf(`{%q: %s}`, way, value)
						}
						p := c.begin(t, given)
						defer p.end()
						if given == "" {
							submit(t, p.realm, &wire.UpdateSettings{Settings: map[string]json.RawMessage{c.name: json.RawMessage(value)}})
						}
						if got := c.see(p); got != want {
							t.Errorf("with %s %s: %s; it should be: %s", c.name, value, got, want)
						}
					})
				})
			}
		}
	}
	for name := range rules {
		t.Errorf("the table has no row for %s", name)
	}
}

// begin starts a server with a settings.json, "" for none, and links a folder.
func (c *settingCase) begin(t *testing.T, settings string) *table {
	t.Helper()
	worlds := filepath.Join(t.TempDir(), "worlds")
	if err := os.MkdirAll(worlds, 0o700); err != nil {
		t.Fatal(err)
	}
	if settings != "" {
		if err := os.WriteFile(filepath.Join(worlds, "settings.json"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c.script != "" {
		return onTable(t, worlds, castFile(t, c.script))
	}
	n := 0
	model := modeltest.New(func(r *modeltest.Reply) { n++; r.Say(fmt.Sprintf("said-%d.", n)); r.End("stop"); r.Done() })
	p := onTable(t, worlds, modeled(t, model))
	p.model = model
	return p
}

// onTable starts a server on a worlds folder and links a folder there.
func onTable(t *testing.T, worlds string, cast func(*Config)) *table {
	t.Helper()
	p := &table{t: t, app: start(t, worlds, cast)}
	p.realm = link(t, p.app, repo(t))
	view, err := p.realm.Attach(t.Context(), watch.Position{})
	if err != nil {
		t.Fatal(err)
	}
	p.view = view
	return p
}

func (p *table) end() {
	p.view.Close()
	stop(p.t, p.app)
}

// talks begins a conversation and returns its id, "" if it was refused.
func (p *table) talks(c *wire.ConversationStart) string {
	p.t.Helper()
	before := p.list()
	c.TemplateID = panel
	submit(p.t, p.realm, c)
	for _, info := range p.list() {
		if !slices.ContainsFunc(before, func(b world.ConversationInfo) bool { return b.ConversationID == info.ConversationID }) {
			return info.ConversationID
		}
	}
	return ""
}

func (p *table) list() []world.ConversationInfo {
	p.t.Helper()
	settle()
	list, _, err := p.realm.Transcripts().Conversations(p.t.Context(), world.ConversationQuery{Limit: 100})
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

// settle waits until all goroutines are blocked, so that everything is committed that does not wait for the clock.
func settle() { synctest.Wait() }

// event is a frame about a run.
type event struct {
	Type           string     `json:"type"`
	At             world.Time `json:"at"`
	ConversationID string     `json:"conversationId"`
	MemberID       string     `json:"memberId"`
	Message        any        `json:"message"` // an error's words, or a row
}

// events returns a conversation's frames of some types.
func (p *table) events(id string, types ...string) (out []event) {
	p.t.Helper()
	settle()
	for {
		frames, err := p.view.Take(p.t.Context(), 1<<20)
		if err != nil {
			p.t.Fatal(err)
		}
		if len(frames) == 0 {
			break
		}
		for _, f := range frames {
			var e event
			if err := json.Unmarshal(f, &e); err != nil {
				p.t.Fatalf("%v: %s", err, f)
			}
			p.shown = append(p.shown, e)
		}
	}
	for _, e := range p.shown {
		if e.ConversationID == id && slices.Contains(types, e.Type) {
			out = append(out, e)
		}
	}
	return out
}

// took returns the duration of the only run of a conversation, and its end.
func (p *table) took(id string) (time.Duration, any) {
	p.t.Helper()
	ev := p.events(id, "chat.started", "chat.done", "chat.error", "chat.cancelled")
	if len(ev) != 2 {
		p.t.Fatalf("the run of %s: %+v", id, ev)
	}
	return ev[1].At.Go().Sub(ev[0].At.Go()), ev[1].Message
}

func council(task string, members ...string) *wire.ConversationStart {
	return &wire.ConversationStart{Kind: world.KindCouncil, MemberIDs: members, TaskPrompt: task}
}

func crowd(p *table) string {
	p.talks(council("x", "cartographer", "questioner", "connector", "skeptic", "narrator"))
	heroes := len(state(p.t, p.realm).Agents)
	// In the first stage of this template two roles speak at the same time.
	submit(p.t, p.realm, &wire.StartProcess{Problem: "p", TemplateID: "rapid_fire"})
	status := "no process of 2 at once"
	if state(p.t, p.realm).ProcessState.Status == world.StatusRunning {
		status = "a process of 2 at once runs"
	}
	return fmt.Sprintf("%d on the map, %s", heroes, status)
}

func haste(p *table) string {
	id := p.talks(&wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"skeptic"}})
	submit(p.t, p.realm, &wire.ChatSend{ConversationID: id, Content: "Well?"})
	time.Sleep(time.Minute)
	took, _ := p.took(id)
	return fmt.Sprintf("an answer of ten words takes %s", took)
}

func approvals(p *table) string {
	submit(p.t, p.realm, &wire.StartProcess{Problem: "p", TemplateID: "standard_brainstorm"})
	for asked := range 30 {
		time.Sleep(5 * time.Minute)
		settle()
		s := state(p.t, p.realm).ProcessState
		if s.Status == world.StatusCompleted {
			turns := 0
			for _, n := range s.AgentTurnCounts {
				turns += n
			}
			return fmt.Sprintf("a process of %d stages and %d turns asks %d times", len(s.Template.Stages), turns, asked)
		}
		if s.Waiting == nil || s.Waiting.Code != world.WaitApproval {
			return fmt.Sprintf("it waits for %+v", s.Waiting)
		}
		submit(p.t, p.realm, &wire.PlayerCommand{Text: "/resume"})
	}
	return "it never ends"
}

func patience(p *table) string {
	id := p.talks(&wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"skeptic"}})
	submit(p.t, p.realm, &wire.ChatSend{ConversationID: id, Content: "Well?"})
	time.Sleep(time.Hour)
	took, says := p.took(id)
	return fmt.Sprintf("after %s: %s", took, says)
}

func rounds(p *table) string {
	ids := []string{p.talks(council("x", "skeptic", "connector")), p.talks(council("y", "narrator"))}
	time.Sleep(time.Hour)
	var turns []int
	for _, id := range ids {
		turns = append(turns, len(p.events(id, "chat.done")))
	}
	return fmt.Sprintf("a council takes %d turns, a task %d", turns[0], turns[1])
}

func together(p *table) string {
	for range 5 {
		p.talks(council("x", "skeptic", "connector"))
	}
	count := map[string]int{}
	for _, info := range p.list() {
		count[info.Status]++
	}
	on, wait := count[world.ConversationActive], count[world.ConversationQueued]
	verbs := map[bool][2]string{true: {"goes on", "waits"}, false: {"go on", "wait"}}
	return fmt.Sprintf("%d %s, %d %s", on, verbs[on == 1][0], wait, verbs[wait == 1][1])
}

// spokenWords matches the words of the table's model and people.
var spokenWords = regexp.MustCompile(`(?:said|asked)-\d+`)

// rows returns how many rows of the transcript are in the newest request to the model. Each row contains a different
// word that spokenWords matches.
func (p *table) rows() int {
	reqs := p.model.Requests()
	seen := map[string]bool{}
	for _, m := range reqs[len(reqs)-1].Messages {
		for _, w := range spokenWords.FindAllString(m.Content, -1) {
			seen[w] = true
		}
	}
	return len(seen)
}

func memory(p *table) string {
	chat := p.talks(&wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"skeptic"}})
	for i := range 40 {
		submit(p.t, p.realm, &wire.ChatSend{ConversationID: chat, Content: "asked-" + strconv.Itoa(1000+i)})
		time.Sleep(time.Minute)
		settle()
	}
	inChat := p.rows()
	c := council("Go on.", "skeptic", "connector")
	c.MaxTurns = 60
	p.talks(c)
	time.Sleep(2 * time.Hour)
	settle()
	return fmt.Sprintf("a chat tells %d rows, a council %d", inChat, p.rows())
}

func society(p *table) string {
	begins := map[bool]string{true: "no %s begins", false: "a %s begins"}
	many, one := p.talks(council("x", "skeptic", "connector")), p.talks(council("x", "skeptic"))
	return fmt.Sprintf(begins[many == ""]+", "+begins[one == ""], "council", "task")
}

func shadows(p *table) string {
	_, err := p.realm.Observe(p.t.Context(), shadow.Seen{
		Session: shadow.Session{Program: "claude", ID: "a"}, Next: "1",
		State: shadow.State{Name: shadow.Working, Source: shadow.FromStatus, Since: time.Now()},
	})
	shown, e := p.realm.Shown(p.t.Context())
	if err != nil || e != nil {
		p.t.Fatal(err, e)
	}
	if len(shown.Heroes) != 1 {
		return "a session is no hero"
	}
	return "a session is a hero"
}

func sharing(p *table) string {
	if _, err := p.realm.Observe(p.t.Context(), shadow.Seen{
		Session: shadow.Session{Program: "claude", ID: "a"}, Next: "1",
		Entries: []shadow.Entry{{ID: "1", Kind: shadow.Prompt, Text: "hush prompt"}},
		State:   shadow.State{Name: shadow.Working, Source: shadow.FromStatus, Since: time.Now()},
	}); err != nil {
		p.t.Fatal(err)
	}
	view, err := p.realm.Attach(p.t.Context(), watch.Position{Public: true})
	if err != nil {
		p.t.Fatal(err)
	}
	defer view.Close()
	for {
		synctest.Wait()
		frames, err := view.Take(p.t.Context(), 1<<20)
		if err != nil {
			p.t.Fatal(err)
		}
		if len(frames) == 0 {
			return "a spectator gets no prompt"
		}
		if bytes.Contains(bytes.Join(frames, nil), []byte("hush prompt")) {
			return "a spectator gets the prompt"
		}
	}
}

// reading returns the answer to a spectator who opens a file that does not exist. P19.2.
func reading(p *table) string {
	_, err := p.app.fileText(p.t.Context(), world.DefaultTenant, p.realm.ID(), source.Want{Path: "nothing.go"})
	var e *wire.Error
	if !errors.As(err, &e) {
		p.t.Fatal(err)
	}
	return "a spectator gets " + string(e.Code)
}

// Who asks for retention while settings.json has a mistake gets the mistake, and nothing is deleted.
func TestRetentionNamesTheMistake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := (&settingCase{script: chatter}).begin(t, "")
		defer p.end()
		path := filepath.Join(p.app.cfg.Worlds, "settings.json")
		if err := os.WriteFile(path, []byte(`{"retention": {"chats": {"completedDays": 1}}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := p.app.retain(t.Context(), world.DefaultTenant, false, true)
		var said *wire.Error
		if !errors.As(err, &said) || !strings.HasPrefix(said.Message, "settings.json: ") || !strings.Contains(said.Message, `"chats"`) {
			t.Errorf("it says %v", err)
		}
	})
}

// A dry run of retention reports each conversation with the time at which its limit is reached.
func TestEveryLimitOfRetentionCounts(t *testing.T) {
	const day = 24 * time.Hour
	// Each realm has an active chat, a closed one, and a council that was ended early.
	for _, c := range []struct{ settings, ten, twenty string }{
		{`{"retention": {"forge": {"abandonAfterDays": 0}, "chat": {"abandonAfterDays": %s}}}`, "10", "20"},
		{`{"retention": {"forge": {"abandonAfterDays": 0}, "chat": {"completedDays": %s}}}`, "10", "20"},
		{`{"retention": {"forge": {"abandonAfterDays": 0}, "council": {"abandonedDays": %s}}}`, "10", "20"},
		{`{"abandonAfterDays": %s}`, "10", "20"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := (&settingCase{script: chatter}).begin(t, "")
			defer p.end()
			chat := &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"skeptic"}}
			p.talks(chat)
			submit(t, p.realm, &wire.ConversationClose{ConversationID: p.talks(chat)})
			submit(t, p.realm, &wire.ConversationAbort{ConversationID: p.talks(council("x", "skeptic", "connector"))})
			p.talks(&wire.ConversationStart{Kind: world.KindForge})
			next := func(limit string) string {
				path := filepath.Join(p.app.cfg.Worlds, "settings.json")
				if err := os.WriteFile(path, []byte(fmt.Sprintf(c.settings, limit)), 0o600); err != nil {
					t.Fatal(err)
				}
				report, err := p.app.retain(t.Context(), world.DefaultTenant, true, true)
				if err != nil || len(report.Realms) != 1 {
					t.Fatalf("%+v, %v", report, err)
				}
				if report.Realms[0].Next == 0 {
					return "never"
				}
				return strconv.Itoa(int(time.Until(report.Realms[0].Next.Go()).Round(day)/day)) + " days"
			}
			for limit, want := range map[string]string{"0": "never", c.ten: "10 days", c.twenty: "20 days"} {
				if got := next(limit); got != want {
					t.Errorf("%s with %s: something is due in %s, it should be %s", c.settings, limit, got, want)
				}
			}
		})
	}
	// The settings retentionCompletedDays and retentionAbandonedDays, which have no kind in their names, limit only
	// forges that have ended.
	for name, of := range map[string]func(retention.Limits) int{
		"retentionCompletedDays": func(l retention.Limits) int { return l.CompletedDays },
		"retentionAbandonedDays": func(l retention.Limits) int { return l.AbandonedDays },
	} {
		for _, days := range []int{10, 20} {
			policy, err := retention.Parse(map[string]json.RawMessage{name: json.RawMessage(strconv.Itoa(days))})
			if err != nil || of(policy[world.KindForge]) != days || of(policy[world.KindChat]) != 0 {
				t.Errorf("%s %d: %+v, %v", name, days, policy, err)
			}
		}
	}
}
