package forge

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/hints"
	"agentdungeon/server/skill"
)

// snapshots returns the contexts of a whole forge, one for each state, as a server leaves them that dies in
// that state.
func snapshots(t *testing.T, e Env) []Context {
	t.Helper()
	seen := map[State]Context{Idle: NewContext("c1")}
	c := NewContext("c1")
	step := func(in Input) {
		r, err := take(c, in, e, func(c Context) { seen[c.State] = load(t, c) })
		if err != nil || r.Ignored != "" {
			t.Fatalf("%s, %+v: %v %s", c.State, in, err, r.Ignored)
		}
		c = load(t, r.Context)
		if _, ok := seen[c.State]; !ok || c.Plan.Asking != nil || c.Plan.Work != nil {
			seen[c.State] = c
		}
	}
	answer := func(text string) { step(Input{Answer: &Answer{N: c.Plan.Requests, Text: text}}) }
	step(Input{Text: "hello"})
	step(Input{Text: "Collect releases from a changelog"})
	step(Input{Buttons: []string{"new"}})
	if e.Model {
		answer(`{"workflow_steps":["Collect"],"triggers":["x y z"],"examples":["a"],"allowed_tools":["Read"],"references_topics":["a"],"scripts_needed":["b"]}`)
	} else {
		for _, text := range []string{"Collect; sort", "a tag is set", "in: a", "Drafts", "Read", "none", "none"} {
			step(Input{Text: text})
		}
	}
	step(Input{Text: "yes"})
	if e.Model {
		answer("# Body\n[x](references/x.md)")
		answer("# Body")
	}
	step(Input{Saved: &Saved{Err: "full"}})
	step(Input{Text: "1"})
	step(Input{Saved: &Saved{}})
	var out []Context
	for _, s := range states() {
		if got, ok := seen[s]; ok {
			out = append(out, got)
		}
	}
	return out
}

// S1-02: the next message continues from the saved context in whatever state the server died, and the forge
// completes with nothing lost.
func TestEveryStateGoesOn_S1_02(t *testing.T) {
	for _, e := range []Env{env(), modelEnv()} {
		seen := map[State]bool{}
		for _, at := range snapshots(t, e) {
			seen[at.State] = true
			for _, first := range []string{"go on", "It should also say who wrote it."} {
				k := begin(t, e)
				k.c = at
				if q := openQuestion(at); (q == nil) != (at.State == Idle || at.State == Completed) {
					t.Errorf("%s waits for %+v", at.State, q)
				}
				k.say(first)
				if at.State == Saving && !nudges(first) {
					k.said("is not in it")
				}
				if at.State == Completed {
					if k.last.Ignored == "" {
						t.Error("a completed forge goes on")
					}
					continue
				}
				for n := 0; k.c.State != Completed; n++ {
					if n > 40 {
						t.Fatalf("from %s after %q there is no end; %s asks %+v", at.State, first, k.c.State, k.last.Question())
					}
					finish(k)
				}
				if purpose := at.SkillPurpose; purpose != "" && !strings.HasPrefix(k.c.SkillPurpose, purpose) {
					t.Errorf("from %s: the purpose became %q", at.State, k.c.SkillPurpose)
				}
				if len(at.WorkflowSteps) > 0 && !reflect.DeepEqual(k.c.WorkflowSteps[:len(at.WorkflowSteps)], at.WorkflowSteps) {
					t.Errorf("from %s: the steps became %v", at.State, k.c.WorkflowSteps)
				}
				if all := strings.Join(append(slices.Concat(k.c.WorkflowSteps, k.c.Triggers, k.c.Examples, k.c.ScriptsNeeded), k.c.SkillPurpose), "\n"); !e.Model && at.State != Saving && !nudges(first) && !strings.Contains(all, first) && !strings.Contains(all, "who wrote it") {
					t.Errorf("from %s: the words came nowhere: %+v", at.State, k.c)
				}
				if h := k.c.MessageHistory; !slices.Equal(h[:len(at.MessageHistory)], at.MessageHistory) || h[len(at.MessageHistory)].Content != first {
					t.Errorf("from %s: the history is another", at.State)
				}
			}
		}
		for s := range Moves {
			if !seen[s] && (e.Model || s != FixingErrors) {
				t.Errorf("no talk comes through %s", s)
			}
		}
	}
}

// S1-02: a forge that was interrupted in the state validating continues to saving, the example that the rule gives.
func TestRestartInValidating_S1_02(t *testing.T) {
	i := slices.IndexFunc(snapshots(t, env()), func(c Context) bool { return c.State == Validating })
	k := begin(t, env())
	k.c = snapshots(t, env())[i]
	k.say("go on").is(Saving)
	if m := k.moves[0]; State(m.From) != Validating || k.save() == nil || k.save().Files[skill.File] != k.c.GeneratedContent {
		t.Errorf("%v %+v", k.moves, k.save())
	}
}

// Words that arrive after a request was interrupted are in the next request. After an interrupted save, the
// same files are saved again.
func TestCutOffWork_S1_02(t *testing.T) {
	for _, at := range snapshots(t, modelEnv()) {
		k := begin(t, modelEnv())
		k.c = at
		switch at.State {
		case Generating, FixingErrors:
			old := at.Plan.Requests
			k.say("It should also say who wrote it.").is(at.State)
			if r := k.request(); r == nil || r.History[len(r.History)-1].Content != "It should also say who wrote it." || r.N <= old && at.Plan.Work != nil {
				t.Errorf("%s: %+v", at.State, r)
			}
			k.in(Input{Answer: &Answer{N: old, Text: "# Late"}})
			if at.Plan.Work != nil && k.last.Ignored == "" {
				t.Errorf("%s: the answer to the request that was cut off is taken", at.State)
			}
		case Saving:
			if k.say("go on").is(Saving); k.save() == nil || k.save().Files[skill.File] != at.GeneratedContent {
				t.Errorf("%+v", k.save())
			}
		}
	}
}

// finish gives the forge one input that brings it closer to its end.
func finish(k *talk) {
	switch {
	case k.save() != nil:
		k.saved("")
	case k.request() != nil && k.request().Kind == workInfer:
		k.answer(`{"workflow_steps":["Collect"],"triggers":["x y z"],"examples":["a"]}`)
	case k.request() != nil:
		k.answer("# Body")
	case k.last.Question() == nil:
		k.Fatalf("%s waits for nobody", k.c.State)
	default:
		switch k.last.Question().Topic {
		case topicPurpose:
			k.say("Collect releases from a changelog")
		case topicExisting:
			k.press("new")
		case topicConfirm:
			k.press("make")
		case topicAgain, topicSaveError:
			k.press("again")
		case topicWhere:
			k.press(topicSteps)
		case topicTriggers:
			k.press("trigger1")
		case topicName:
			k.say("a-name")
		default:
			k.say("none")
		}
	}
}

// S1-B1: the table Moves has exactly the moves that this test lists by hand.
func TestMoves_S1_B1(t *testing.T) {
	const table = `
		idle              > intent_detection gathering_details
		intent_detection  > gathering_purpose gathering_details
		gathering_purpose > checking_existing gathering_details
		checking_existing > gathering_purpose gathering_details completed
		gathering_details > gathering_purpose confirming_spec generating
		confirming_spec   > gathering_purpose gathering_details generating
		generating        > gathering_purpose gathering_details validating
		validating        > gathering_purpose gathering_details fixing_errors selecting_storage
		fixing_errors     > gathering_purpose gathering_details validating
		selecting_storage > gathering_purpose gathering_details saving
		saving            > completed error
		error             > gathering_purpose gathering_details saving
		completed         >`
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) != 13 || len(Moves) != 13 {
		t.Fatalf("%d rows, %d states", len(rows), len(Moves))
	}
	for _, row := range rows {
		from, to, _ := strings.Cut(row, ">")
		for _, s := range states() {
			if want := slices.Contains(strings.Fields(to), string(s)); May(State(strings.TrimSpace(from)), s) != want {
				t.Errorf("%s to %s: %v", from, s, !want)
			}
		}
	}
	if May("dreaming", Idle) || State("dreaming").Known() {
		t.Error("there is another state")
	}
	for _, s := range states() { // S1-B2
		if s != Completed && s != Saving && s != GatheringDetails && !May(s, GatheringDetails) {
			t.Errorf("an error in %s leads nowhere", s)
		}
	}
}

// Whatever people, models and disks do, in any order and with a restart after each input: all moves are in
// the table, no question of gathering is asked twice (S1-B4), the forge always waits for somebody or
// something, and the saved skill is valid and as confirmed.
func TestAnyCourse_S1_B4(t *testing.T) {
	ended, talks := 0, 0
	for seed := range uint64(300) {
		talks++
		r := rand.New(rand.NewPCG(seed, 9))
		e := env()
		e.Model = r.IntN(2) == 0
		if r.IntN(3) == 0 {
			e.Hints = hints.Hints{Repo: text(r), Docs: []string{text(r), "docs/a.md"}, Scripts: []string{text(r)}, Commands: []hints.Command{{Does: "test", Run: text(r), From: text(r)}, {Does: "build", Run: "go build ./...", From: text(r)}}}
		}
		if r.IntN(3) == 0 {
			e.Layers = append(e.Layers, Layer{"repo", "The repository"})
		}
		k := begin(t, e)
		asked := map[string]bool{}
		for range 60 {
			if k.c.State == Completed {
				ended++
				break
			}
			fresh := len(k.c.AskedQuestions)
			in := anything(r, k)
			k.in(in)
			if k.last.Ignored != "" {
				continue
			}
			if len(k.c.AskedQuestions) < fresh || k.c.SkillPurpose == "" && len(k.c.AskedQuestions) <= 1 {
				asked = map[string]bool{} // started over
			}
			if slices.Contains(sideways, in.Text) {
				asked = map[string]bool{} // who asks what is meant, or goes back, is asked again
			}
			for _, m := range k.last.Moves {
				if !May(State(m.From), State(m.To)) {
					t.Fatalf("seed %d: %+v", seed, m)
				}
			}
			if q := k.last.Question(); q != nil && gathers(q.Topic) {
				if asked[q.Text] {
					t.Fatalf("seed %d: asked again: %s", seed, q.Text)
				}
				asked[q.Text] = true
			}
			if n := k.c.InferenceAttempts; n > maxInferences {
				t.Fatalf("seed %d: %d inferences", seed, n)
			}
			if n := k.c.ValidationAttempts; n > maxTries {
				t.Fatalf("seed %d: %d tries", seed, n)
			}
			waits := 0
			for _, w := range []bool{k.last.Question() != nil, k.request() != nil, k.save() != nil, k.c.State == Completed} {
				if w {
					waits++
				}
			}
			if waits != 1 {
				t.Fatalf("seed %d: %s waits for %d things", seed, k.c.State, waits)
			}
			if s := k.save(); s != nil {
				if k.c.GeneratedResources[skill.File] != "" {
					t.Fatalf("seed %d: %s is its own resource", seed, skill.File)
				}
				files := map[string]string{}
				for p, text := range s.Files {
					if p != skill.File {
						files[p] = text
					}
				}
				if bad := skill.Check(s.Files[skill.File], files); bad != nil {
					t.Fatalf("seed %d: %v", seed, bad)
				}
				made, err := skill.Parse(s.Files[skill.File])
				if err != nil || made.Name != s.Name || made.Name != k.c.SkillName || made.Description != k.c.SkillDescription || !slices.Equal(made.AllowedTools, k.c.AllowedTools) {
					t.Fatalf("seed %d: %v: %+v is not %+v", seed, err, made, k.c)
				}
			}
		}
	}
	if ended < talks/12 {
		t.Errorf("only %d of %d talks came to their end", ended, talks)
	}
	t.Logf("%d of %d talks came to their end", ended, talks)
}

// sideways are words that do not answer a question.
var sideways = []string{"back", "zurück", "What do you mean?", "cancel", "change the steps", "rename it to other", "change the purpose to Count all sheep", "change the description", "ja"}

// gathers reports whether a topic belongs to gathering, and not to a state or to a request of the person.
func gathers(topic string) bool {
	return slices.Contains(order, topic) || topic == topicOpen || strings.HasPrefix(topic, topicReference)
}

// anything returns a random input that is possible now.
func anything(r *rand.Rand, k *talk) Input {
	if r.IntN(25) == 0 {
		return Input{Failed: text(r)}
	}
	if k.request() != nil && r.IntN(6) > 0 {
		answers := []string{"", "{}", text(r), "# Body", "# Body\n\n[x](references/x.md)\n=== references/x.md ===\n" + text(r) + "\n", "# B\n[x](references/x.md)", `{"question":"Why?"}`,
			`{"name":"` + strings.Repeat("a-", 60) + `","workflow_steps":["a","b"],"triggers":["` + strings.Repeat("c ", 500) + `"],"examples":["d\n\ne"],"allowed_tools":["Read","rm -rf"]}`,
			fmt.Sprintf(`{"description":%q,"references_topics":["a"],"scripts_needed":["make all"]}`, text(r))}
		return Input{Answer: &Answer{N: k.c.Plan.Requests - r.IntN(8)/7, Text: answers[r.IntN(len(answers))]}}
	}
	if k.save() != nil && r.IntN(4) > 0 {
		return Input{Saved: &Saved{Err: []string{"", "", "full"}[r.IntN(3)]}}
	}
	if q := k.c.Plan.Asking; q != nil && len(q.Options) > 0 && r.IntN(2) == 0 {
		in := Input{Buttons: []string{q.Options[r.IntN(len(q.Options))].ID}}
		if q.Many && r.IntN(2) == 0 {
			in.Buttons = append(in.Buttons, q.Options[r.IntN(len(q.Options))].ID)
			in.Text = text(r)
		}
		return in
	}
	words := []string{"yes", "no", "go on", "1", "2", "steps: " + text(r), "name: " + text(r), "description: " + text(r), "Collect releases from a changelog", "Read, Bash(git:*)"}
	if r.IntN(8) == 0 {
		return Input{Text: sideways[r.IntN(len(sideways))]}
	}
	if n := r.IntN(len(words) + 8); n < len(words) {
		return Input{Text: words[n]}
	}
	return Input{Text: text(r)}
}
