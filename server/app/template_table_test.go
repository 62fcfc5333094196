package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/shared/wire"
)

// A row of this table has a value of a field of a template file and its visible effect for a person or an
// agent.

// trial is a template. Each row changes one of its fields; words in capitals stand for fields.
const trial = `{"id":"trial","name":"NAME","description":"DESCRIPTION",
	"roles":[{"id":"a","name":"ROLENAME","color":"#COLOUR","persona":"PERSONA"},{"id":"b","name":"Bert","color":"#bbbbbb"}],
	"stages":[{"id":"s","name":"STAGENAME","goal":"GOAL","roles":[ROLES],"structure":"STRUCTURE","completion":"COMPLETION",TURNS "artifacts":[{"name":"ARTIFACT"PRODUCER}]MOVEMENT}]}`

var trialDefaults = map[string]string{
	"ROLENAME": "Anna", "STAGENAME": "First", "NAME": "Trial", "DESCRIPTION": "d", "COLOUR": "aaaaaa", "PERSONA": "p", "GOAL": "g", "ROLES": `"a","b"`,
	"STRUCTURE": "sequential", "COMPLETION": "turn_count", "TURNS": `"turns":1,`, "ARTIFACT": "x", "PRODUCER": "", "MOVEMENT": "",
}

// talkative says a word every 40 ms. In its second turn it ends a stage that waits for a signal.
const talkative = `{"version":1,"defaults":{"chunkMs":40,"chunkWords":1},"turns":[
	{"match":{"completion":"explicit_signal","turn":2},"steps":[{"say":"I end"},{"seal":"done"}]}],"otherwise":[{"say":"{{role}} speaks"}]}`

func TestEveryFieldOfATemplateCounts(t *testing.T) {
	for _, c := range []struct {
		field string
		see   func(*table) string
		want  map[string]string
	}{
		{"ROLES", order, map[string]string{`"a","b"`: "+a -a +b -b completed", `"b","a"`: "+b -b +a -a completed", `"b"`: "+b -b completed"}},
		{"STRUCTURE", order, map[string]string{"sequential": "+a -a +b -b completed", "parallel": "+a +b -a -b completed", "single": "+a -a completed"}},
		{"TURNS", order, map[string]string{`"turns":1,`: "+a -a +b -b completed", `"turns":2,`: "+a -a +b -b +a -a +b -b completed", `"turns":3,`: "+a -a +b -b +a -a +b -b +a -a +b -b completed"}},
		{"COMPLETION", order, map[string]string{"turn_count": "+a -a +b -b completed", "explicit_signal": "+a -a +b -b +a -a completed"}},
		{"ARTIFACT", left, map[string]string{"x": "x of Anna and Bert", "idea_list": "idea_list of Anna and Bert", "plan": "plan of Anna and Bert"}},
		{"PRODUCER", left, map[string]string{"": "x of Anna and Bert", `,"producer":"a"`: "x of Anna", `,"producer":"b"`: "x of Bert"}},
		{"MOVEMENT", stands, map[string]string{"": "a stands at the keep", `,"movement":"outward"`: "a stands at its fort", `,"movement":"inward"`: "a stands at the keep"}},
		{"COLOUR", colour, map[string]string{"aaaaaa": "#aaaaaa on the map and in the form", "112233": "#112233 on the map and in the form", "ffeedd": "#ffeedd on the map and in the form"}},
		{"DESCRIPTION", offered, map[string]string{"d": "Trial: d", "Two words.": "Trial: Two words.", "": "Trial: "}},
		{"NAME", offered, map[string]string{"Trial": "Trial: d", "Second": "Second: d", "Third": "Third: d"}},
	} {
		for value, want := range c.want {
			t.Run(c.field+"="+value, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := beginTrial(t, c.field, value, nil)
					defer p.end()
					if got := c.see(p); got != want {
						t.Errorf("with %s: %s; it should be: %s", value, got, want)
					}
				})
			})
		}
	}
	for _, field := range []string{"NAME", "ROLENAME", "PERSONA", "STAGENAME", "GOAL"} {
		for _, value := range []string{"Kestrel words", "Plover words"} {
			t.Run(field+" is told: "+value, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := modeltest.New(modeltest.Says("Yes."))
					p := beginTrial(t, field, value, s)
					defer p.end()
					time.Sleep(time.Minute)
					settle()
					if got := fmt.Sprint(s.Requests()[0].Messages); !strings.Contains(got, value) {
						t.Errorf("an agent is not told %q: %s", value, got)
					}
				})
			})
		}
	}
}

// beginTrial starts the trial with one field changed. s plays it, nil for a script.
func beginTrial(t *testing.T, field, value string, s *modeltest.Server) *table {
	t.Helper()
	text := trial
	fields := []string{"ROLENAME", "STAGENAME", "NAME"} // longer ones first
	for f := range trialDefaults {
		if !slices.Contains(fields, f) {
			fields = append(fields, f)
		}
	}
	for _, f := range fields {
		v := trialDefaults[f]
		if f == field {
			v = value
		}
		if field == "COMPLETION" && value == "explicit_signal" && f == "TURNS" {
			v = ""
		}
		text = strings.ReplaceAll(text, f, v)
	}
	worlds := filepath.Join(t.TempDir(), "worlds")
	if err := os.MkdirAll(filepath.Join(worlds, "templates"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(worlds, "templates", "trial.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cast := castFile(t, talkative)
	if s != nil {
		cast = modeled(t, s)
	}
	p := onTable(t, worlds, cast)
	submit(t, p.realm, &wire.StartProcess{Problem: "p", TemplateID: "trial"})
	if st := state(t, p.realm).ProcessState; st.Template == nil || st.Template.ID != "trial" {
		t.Fatalf("the trial has not begun: %s", text)
	}
	return p
}

// order returns the members that begin (+) and end (-) a turn, in order, and the end of the process. Members
// whose turns end together are sorted by name.
func order(p *table) string {
	time.Sleep(10 * time.Minute)
	s := state(p.t, p.realm).ProcessState
	var out []string
	for _, e := range p.events(s.ConversationID, "chat.started", "chat.done", "chat.error") {
		out = append(out, map[string]string{"chat.started": "+", "chat.done": "-", "chat.error": "!"}[e.Type]+e.MemberID)
		if n := len(out); n > 1 && out[n-1][0] == '-' && out[n-2][0] == '-' && out[n-1] < out[n-2] {
			out[n-1], out[n-2] = out[n-2], out[n-1]
		}
	}
	return strings.Join(append(out, s.Status), " ")
}

func left(p *table) string {
	time.Sleep(10 * time.Minute)
	var out []string
	for _, a := range state(p.t, p.realm).Artifacts {
		var by []string
		for _, who := range []string{"Anna", "Bert"} {
			if strings.Contains(a.Text, who+" speaks") {
				by = append(by, who)
			}
		}
		out = append(out, a.Name+" of "+strings.Join(by, " and "))
	}
	return strings.Join(out, ", ")
}

func stands(p *table) string {
	time.Sleep(10 * time.Minute)
	w := state(p.t, p.realm)
	at := w.Agent("a")
	for _, f := range w.Forts {
		if f.AgentID == "a" && max(at.X-f.X, f.X-at.X) <= 3 && max(at.Y-f.Y, f.Y-at.Y) <= 3 {
			return "a stands at its fort"
		}
	}
	keep := p.realm.Land().Country.Sites[0]
	if at.X >= keep.X-6 && at.X <= keep.X+keep.Width+6 && at.Y >= keep.Y-6 && at.Y <= keep.Y+keep.Height+6 {
		return "a stands at the keep"
	}
	return fmt.Sprintf("a stands at %d, %d", at.X, at.Y)
}

func info(p *table) wire.TemplateInfo {
	p.t.Helper()
	for _, i := range (&templates{store: p.app.store, log: p.app.log}).infos() {
		if i.ID == "trial" {
			return i
		}
	}
	p.t.Fatal("the trial is not offered")
	return wire.TemplateInfo{}
}

func colour(p *table) string {
	settle()
	w := state(p.t, p.realm)
	if agent, form := w.Agent("a").Color, info(p).Cast[0].Color; agent != form {
		return fmt.Sprintf("%s on the map, %s in the form", agent, form)
	}
	return w.Agent("a").Color + " on the map and in the form"
}

func offered(p *table) string {
	i := info(p)
	data, err := json.Marshal(state(p.t, p.realm).ProcessState.Template)
	if err != nil || !strings.Contains(string(data), i.Name) {
		p.t.Fatalf("the process runs another template: %s, %v", data, err)
	}
	return i.Name + ": " + i.Description
}
