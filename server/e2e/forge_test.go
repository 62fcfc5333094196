package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/skill"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const wish = "A skill that translates invoices into Latin and files them by year."

// forgeAnswers has the answer to each question of a forge, by topic; "#" is before the name of a button.
var forgeAnswers = map[string]string{
	"purpose": wish, "steps": "Read the invoice\nTranslate it\nFile it by year", "triggers": "#trigger1", "examples": "An invoice in German, and its Latin text.",
	"tools": "#look", "confirm": "#make", "go_on": "#go_on", "again": "#again", "save_error": "#again",
}

// stands returns the state of a forge after all events that any client was shown.
func (l *Ledger) stands(id string) (at world.Forge) {
	for _, ev := range l.Events() {
		if b, ok := ev.Body.(*world.ForgeStepped); ok && b.ConversationID == id {
			at = b.Forge
		}
	}
	return at
}

// reply returns the command with a person's answer to the question of a forge.
func reply(id string, at world.Forge) *wire.ChatSend {
	words := forgeAnswers[at.Question.Topic]
	if choice, ok := strings.CutPrefix(words, "#"); ok {
		return &wire.ChatSend{ConversationID: id, Choices: []string{choice}}
	}
	if words == "" {
		words = "none"
	}
	return &wire.ChatSend{ConversationID: id, Content: words}
}

// skillOf reads a skill from the folder of the only realm, and returns its text and its problems.
func skillOf(t *testing.T, home *Home, name string) (text string, problems []skill.Problem) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(home.Worlds, "*", "skills", name))
	if err != nil || len(found) != 1 {
		t.Fatalf("skills of that name: %v, %v", found, err)
	}
	files := map[string]string{}
	for _, pattern := range []string{"*", "*/*"} {
		paths, err := filepath.Glob(filepath.Join(found[0], pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			info, err := os.Stat(p)
			if err != nil {
				t.Fatal(err)
			}
			if info.IsDir() {
				continue
			}
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(found[0], p)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.ToSlash(rel)] = string(data)
		}
	}
	text = files[skill.File]
	delete(files, skill.File)
	return text, skill.Check(text, files)
}

// begin makes a realm without a folder and begins a forge in it.
func begin(t *testing.T, tab *Tab) (id string) {
	t.Helper()
	bareRealm(tab)
	tab.Do("pause", &wire.PlayerCommand{Text: "/pause"})
	tab.Do("forge", &wire.ConversationStart{Kind: world.KindForge, Title: "my forge"})
	tab.Until("the first question", func() bool {
		c, _ := tab.ledger.conversation("my forge")
		id = c.ConversationID
		return id != "" && tab.ledger.stands(id).Question != nil
	})
	return id
}

// A forge of the real binary without a model is killed with SIGKILL at each question, once after the question was shown
// and once immediately after the answer was sent. Each exchange is there once, everything that was gathered is kept,
// and at the end a valid SKILL.md is there (S1-01, S1-02, S1-03, S1-09, S1-B12).
func TestAForgeOutlivesKills_S1_03(t *testing.T) {
	t.Parallel()
	rng := seeded(t)(61)
	home := talkHome(t)
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	id := begin(t, tab)
	kill := func() {
		t.Helper()
		l.Kill()
		l = home.Start()
		if err := tab.Connect(l); err != nil {
			t.Fatal(err)
		}
		tab.Until("live again", func() bool { return tab.Live() })
		tab.Until("answered", func() bool { return len(tab.Pending) == 0 })
		ledger.AskAgain(tab, l)
	}
	met := map[string]int{}
	waits := func() bool {
		at := ledger.stands(id)
		return at.State == "completed" || at.Question != nil && at.Working == ""
	}
	for n := 0; ; n++ {
		if n == 30 {
			t.Fatalf("it does not come to an end: %+v", ledger.stands(id))
		}
		tab.Until("somebody is asked", waits)
		at := ledger.stands(id)
		met[at.State]++
		if at.State == "completed" {
			break
		}
		kill()
		tab.Until("somebody is asked again", waits)
		if now := ledger.stands(id); now.State != at.State || now.Question.Text != at.Question.Text || fmt.Sprint(now.Known) != fmt.Sprint(at.Known) {
			t.Fatalf("it stood %+v, and after a kill %+v", at, now)
		}
		until := 0
		tab.Look(func() {
			tab.Send(fmt.Sprint("say-", n), reply(id, at))
			until = tab.Frames + rng.IntN(8)
		})
		tab.Within(time.Second, func() bool { return tab.Frames >= until })
		kill() // while the realm handles the answer, or just after that
	}
	ledger.Check()
	for _, state := range []string{"gathering_purpose", "gathering_details", "confirming_spec", "completed"} {
		if met[state] == 0 {
			t.Errorf("it was never killed in %s: %v", state, met)
		}
	}
	said := map[string]int{}
	for _, line := range ledger.script(id) {
		if strings.HasPrefix(line, "user:") {
			said[line]++
		}
	}
	for line, n := range said {
		if n > 1 && !strings.Contains(line, "Go on") {
			t.Errorf("%q is there %d times", line, n)
		}
	}
	if text, problems := skillOf(t, home, "translate-invoices-latin"); len(problems) > 0 || !strings.Contains(text, "Translate it") {
		t.Errorf("%v in\n%s", problems, text)
	}
	if _, status := ledger.conversation("my forge"); status != world.ConversationCompleted {
		t.Errorf("the conversation is %s", status)
	}
	if _, w := tab.Position(); len(w.Skills) != 1 {
		t.Errorf("%+v", w.Skills)
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}

// A forge with a model is killed during a request, then a request fails, then one succeeds. Every request has the words
// that were said first, and the skill is valid (S1-05, S1-10).
func TestAForgeWithAModel_S1_10(t *testing.T) {
	t.Parallel()
	s := modeltest.New(modeltest.Says("Start ", "small."))
	home := modelHome(t, s)
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	id := begin(t, tab)
	tab.Until("the process at rest", func() bool { return tab.World.ProcessState.Status == world.StatusPaused })
	s.Then(
		modeltest.Says(`{"workflow_steps":["Translate"],"triggers":["an invoice arrives"],"examples":["a"],"allowed_tools":["Read"],"references_topics":["a"],"scripts_needed":["b"]}`),
		modeltest.Streams(func(r *modeltest.Reply) { r.Say("# Transl"); r.Stall() }), // until the kill
		modeltest.Refuses(400, "I will not, "+secret),
		modeltest.Says("# Translate\n\nIn medieval Latin. See [a](references/a.md).\n\n", "=== references/a.md ===\nAbout a.\n"),
	)
	tab.Do("wish", &wire.ChatSend{ConversationID: id, Content: wish})
	state := func(want string, waits bool) func() bool {
		return func() bool {
			at := ledger.stands(id)
			return at.State == want && (at.Question != nil) == waits
		}
	}
	tab.Until("the confirmation", state("confirming_spec", true))
	before := s.Asked()
	tab.Do("make", &wire.ChatSend{ConversationID: id, Choices: []string{"make"}})
	tab.Until("the model at work", state("generating", false))
	// The request may reach the model after the last frame, and Until checks only when a frame comes.
	eventually(t, "the model asked", func() bool { return s.Asked() > before })
	l.Kill()
	l = home.Start()
	if err := tab.Connect(l); err != nil {
		t.Fatal(err)
	}
	tab.Until("live again", func() bool { return tab.Live() })
	tab.Until("the question whether to go on", state("generating", true))
	tab.Do("on", &wire.ConversationResume{ConversationID: id})
	tab.Until("the failure", state("gathering_details", true))
	tab.Do("more", &wire.ChatSend{ConversationID: id, Content: "The Latin should be medieval."})
	tab.Until("the end", state("completed", false))
	ledger.Check()
	last := s.Requests()[len(s.Requests())-1]
	var body struct {
		Messages []struct{ Role, Content string }
		Tools    []any
	}
	if err := json.Unmarshal([]byte(last.Body), &body); err != nil {
		t.Fatal(err)
	}
	if len(body.Tools) != 0 || body.Messages[0].Role != "system" || !strings.Contains(last.Body, wish) || !strings.Contains(last.Body, "The Latin should be medieval.") {
		t.Errorf("the last request is %.3000s", last.Body)
	}
	if text, problems := skillOf(t, home, "translate-invoices-latin"); len(problems) > 0 || !strings.Contains(text, "In medieval Latin.") {
		t.Errorf("%v in\n%s", problems, text)
	}
	for _, line := range ledger.script(id) {
		if strings.Contains(line, secret) || strings.Contains(line, "workflow_steps") {
			t.Errorf("a row holds %q", line)
		}
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
	if log := l.Log(); strings.Contains(log, "invoices") || strings.Contains(log, "medieval") { // S1-B9
		t.Errorf("the log holds content:\n%s", log)
	}
}
