package forge

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/hints"
	"agentdungeon/server/skill"
	"agentdungeon/shared/world"
)

func env() Env {
	return Env{
		Layers: []Layer{{"realm", "This realm"}},
		Skills: []Existing{{"changelog-notes", "Write release notes out of the changelog."}, {"pdf-forms", "Fill PDF forms."}},
		Hints: hints.Hints{
			Repo: "shop", Languages: []string{"Go"}, Commands: []hints.Command{{Does: "test", Run: "make test", From: "Makefile"}, {Does: "release", Run: "make release", From: "Makefile"}},
			Docs: []string{"README.md", "docs/release.md"}, Scripts: []string{"scripts/notes.sh"}, CI: []string{".github/workflows/ci.yml"},
		},
	}
}

func modelEnv() Env {
	e := env()
	e.Model = true
	return e
}

// talk gives a forge one input after another. Between two inputs it saves and loads the context, as a server does.
type talk struct {
	*testing.T
	env Env
	c   Context
	// last is the result of the last input, moves are those of all inputs.
	last  Result
	moves []world.ForgeMove
}

func begin(t *testing.T, e Env) *talk {
	t.Helper()
	return &talk{T: t, env: e, c: NewContext("c1")}
}

func (k *talk) in(in Input) *talk {
	k.Helper()
	before := load(k.T, k.c)
	r, err := Step(k.c, in, k.env)
	if err != nil {
		k.Fatalf("%s, %+v: %v", k.c.State, in, err)
	}
	if again, err := Step(k.c, in, k.env); err != nil || !reflect.DeepEqual(again, r) {
		k.Fatalf("%s, %+v: another result the second time: %v", k.c.State, in, err)
	}
	if !reflect.DeepEqual(k.c, before) {
		k.Fatalf("%s, %+v: the context that was handed in has changed", before.State, in)
	}
	k.last, k.c = r, load(k.T, r.Context)
	k.moves = append(k.moves, r.Moves...)
	return k
}

func (k *talk) say(text string) *talk     { k.Helper(); return k.in(Input{Text: text}) }
func (k *talk) press(ids ...string) *talk { k.Helper(); return k.in(Input{Buttons: ids}) }
func (k *talk) answer(text string) *talk {
	k.Helper()
	return k.in(Input{Answer: &Answer{N: k.c.Plan.Requests, Text: text}})
}
func (k *talk) fail(err string) *talk {
	k.Helper()
	return k.in(Input{Answer: &Answer{N: k.c.Plan.Requests, Err: err}})
}
func (k *talk) saved(err string) *talk { k.Helper(); return k.in(Input{Saved: &Saved{err}}) }

// request returns the request to a model that the forge waits for, nil for none.
func (k *talk) request() *Request {
	if k.c.Plan.Work == nil {
		return nil
	}
	r := requestOf(k.c, k.env)
	return &r
}

// save returns the skill that the forge waits to be saved, nil for none.
func (k *talk) save() *world.SkillFiles {
	if k.c.State != Saving {
		return nil
	}
	files := saveOf(k.c)
	return &files
}

func (k *talk) asked(topic string) *talk {
	k.Helper()
	if q := k.last.Question(); q == nil || q.Topic != topic {
		k.Fatalf("%s asks %+v, not %s; said %q", k.c.State, q, topic, k.last.Say)
	}
	return k
}

func (k *talk) is(s State) *talk {
	k.Helper()
	if k.c.State != s {
		k.Fatalf("state %s, want %s; said %q", k.c.State, s, k.last.Say)
	}
	return k
}

func (k *talk) said(want string) *talk {
	k.Helper()
	if !strings.Contains(k.last.Say, want) {
		k.Fatalf("said %q, want %q", k.last.Say, want)
	}
	return k
}

const wish = "Make a skill that translates invoices into Latin and files them"

// details answers every question of gathering without a model, until the confirmation.
func (k *talk) details() *talk {
	k.Helper()
	return k.say(wish).asked(topicSteps).say("1. Run `make test`\n2. Translate by our style").asked(topicTriggers).say("an invoice in another language arrives").asked(topicExamples).
		say("in: rechnung\nout: ratio").asked(topicLimits).say("Letters\nNever change a sum").asked(topicTools).press("look", "run1").asked(topicReferences).in(Input{Buttons: []string{"doc2"}, Text: "style of invoices"}).
		asked(topicScripts).press("script1").asked(topicReference + "style of invoices").say("Short words.").asked(topicConfirm).is(ConfirmingSpec)
}

// The whole conversation without a model: each question is about this skill and proposes what the
// repository has, and the skill contains the person's answers.
func TestWholeTalkWithoutModel(t *testing.T) {
	k := begin(t, env()).details().said("make test").said("`Bash(make test:*)`").said("style of invoices").press("make").is(Saving)
	save := k.save()
	if save == nil || save.Name != "translate-invoices-latin" || k.c.StorageLayer != "realm" || save.Replace {
		t.Fatalf("%+v", save)
	}
	made, err := skill.Parse(save.Files[skill.File])
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"Read", "Grep", "Glob", "Bash(make test:*)"}; !slices.Equal(made.AllowedTools, want) {
		t.Errorf("tools %v", made.AllowedTools)
	}
	if want := "Translates invoices into Latin and files them. Use when an invoice in another language arrives."; made.Description != want {
		t.Errorf("description %q", made.Description)
	}
	if save.Files["references/style-of-invoices.md"] != "# Style of invoices\n\nShort words.\n" || !strings.Contains(save.Files["scripts/make-test.sh"], "\nmake test\n") {
		t.Errorf("%v", save.Files)
	}
	k.saved("").is(Completed).said("is saved")
	var states []State
	for _, m := range k.moves {
		states = append(states, State(m.To))
	}
	want := []State{IntentDetection, GatheringPurpose, CheckingExisting, GatheringDetails, ConfirmingSpec, Generating, Validating, SelectingStorage, Saving, Completed}
	if !slices.Equal(states, want) {
		t.Errorf("states %v", states)
	}
	if k.say("more").last.Ignored == "" {
		t.Error("a completed forge takes words")
	}
}

func TestQuestionsAreAboutWhatIsKnown(t *testing.T) {
	begin(t, env()).in(Input{Begin: true}).is(GatheringPurpose).asked(topicPurpose).said("`shop`")
	k := begin(t, env()).say("hello").is(GatheringPurpose).asked(topicPurpose).said("`shop`")
	if o := k.last.Question().Options; len(o) != 5 || !strings.Contains(o[2].Value, "Go code") || !strings.Contains(o[3].Value, "ci.yml") || !strings.Contains(o[0].Value, "`make test`") {
		t.Fatalf("%+v", o)
	}
	k.press("purpose1").is(GatheringDetails).said("Run the tests").said("`make release`, from `Makefile`")
	if k := begin(t, env()).say("hello").say("I want a skill that counts the words of a book"); k.c.SkillPurpose != "counts the words of a book" {
		t.Errorf("%q", k.c.SkillPurpose)
	}
	begin(t, env()).say("a skill for pdf").said("“pdf” is not yet a task").say("Rotate scanned pages the right way up").asked(topicSteps).said("pdf: Rotate scanned pages")
	bare := env()
	bare.Hints, bare.Skills = hints.Hints{}, nil
	begin(t, bare).say("new skill").say(wish).say("none").asked(topicTriggers).press("trigger1").asked(topicExamples).say("no").asked(topicLimits).say("none").asked(topicTools).say("Read files only").
		said("Left out").said("`files`").asked(topicConfirm) // nothing calls for references or scripts
}

// S1-B6: a name cannot be derived from text without Latin letters, so the forge asks for it.
func TestNameIsAskedWhereNoneCanBeMade_S1_B6(t *testing.T) {
	e := env()
	e.Hints = hints.Hints{}
	k := begin(t, e).say("перевести счёт на латынь").say("none").press("trigger1").say("none").press("none").asked(topicTools).press("none").asked(topicName)
	k.say("!!!").asked(topicName).said("no Latin letters").say("Invoice Übersetzer!").asked(topicConfirm).said("`invoice-ubersetzer`")
	k.say("name: " + strings.Repeat("very long ", 20)).asked(topicConfirm)
	if skill.NameProblem(k.c.SkillName) != nil || len(k.c.SkillName) > skill.MaxName {
		t.Errorf("%q", k.c.SkillName)
	}
	k.say("description: " + strings.Repeat("x", 2000)).said("2000 characters; shorten it to 1024").asked(topicConfirm)
	if skill.DescriptionProblem(k.c.SkillDescription) != nil {
		t.Errorf("%q", k.c.SkillDescription)
	}
}

// S1-B5: the forge looks for existing skills before its first question. Two shared keywords count as
// similar, one does not.
func TestExistingSkillsFirst_S1_B5(t *testing.T) {
	k := begin(t, env()).say("Make a skill that collects releases from a changelog").is(CheckingExisting).asked(topicExisting).said("`changelog-notes`").said("Use it, or create a new one?")
	if strings.Contains(k.last.Say, "pdf-forms") {
		t.Error("one that shares nothing is offered")
	}
	used := *k
	if used.press("use1").is(Completed); used.c.SkillName != "changelog-notes" || used.c.GeneratedContent != "" {
		t.Errorf("%+v", used.last)
	}
	for _, words := range []string{"use it", "changelog-notes", "1", "Use changelog-notes"} {
		other := *k
		if other.say(words).is(Completed); other.c.SkillName != "changelog-notes" {
			t.Errorf("%q: %+v", words, other.last)
		}
	}
	k.press("new").is(GatheringDetails).asked(topicSteps)
	begin(t, env()).say("Read a changelog aloud").is(GatheringDetails) // one keyword
	if got := similar("tagging a PDF", []Existing{{"x", "Tagged PDFs"}, {"y", "PDFs"}}); len(got) != 1 || got[0].Name != "x" || len(got[0].Shared) != 2 {
		t.Errorf("%v", got)
	}
}

func TestTakenNames(t *testing.T) {
	e := env()
	e.Skills = append(e.Skills, Existing{"translate-invoices-latin", "Another."})
	k := begin(t, e)
	k.c.Plan.Anew = true
	k.details()
	if k.c.SkillName != "translate-invoices-latin-2" { // a name that nobody chose gives way
		t.Fatal(k.c.SkillName)
	}
	k.say("name: pdf forms").asked(topicTaken).said("`pdf-forms` already")
	other := *k
	other.press("rename").asked(topicConfirm).said("`pdf-forms-2`")
	if k.press("replace").asked(topicConfirm).said("Replaces").say("yes"); k.save() == nil || !k.save().Replace || k.save().Name != "pdf-forms" {
		t.Fatalf("%+v", k.save())
	}
}

// Only a button or exact words confirm; similar words do not.
func TestConfirmation(t *testing.T) {
	for _, yes := range []string{"yes", "Yes.", "make it", "  OK ", "1"} {
		if k := begin(t, env()).details().say(yes); k.save() == nil {
			t.Errorf("%q is no yes: %q", yes, k.last.Say)
		}
	}
	for _, no := range []string{"yes but with more steps", "ok then not", "maybe", "I would say yes"} {
		k := begin(t, env()).details().say(no)
		if k.save() != nil {
			t.Errorf("%q is a yes", no)
		}
		k.asked(topicWhere).press(topicSteps).asked(topicConfirm)
		if n := len(k.c.WorkflowSteps); n != 3 {
			t.Errorf("%q: %v", no, k.c.WorkflowSteps)
		}
	}
	k := begin(t, env()).details().press("change").asked(topicChange).press(topicTriggers).said("an invoice in another language arrives").say("a letter comes").asked(topicConfirm).said("a letter comes")
	k.say("steps: one; two; three").asked(topicConfirm).said("3. three").press("over").is(GatheringPurpose).asked(topicPurpose)
	if k.c.SkillPurpose != "" || len(k.c.MessageHistory) < 20 || k.c.SessionID != "c1" {
		t.Errorf("%+v", k.c)
	}
	if k.press("make").last.Ignored == "" {
		t.Error("a button of an earlier question is taken")
	}
}

func TestStorageIsAskedWhereThereIsAChoice(t *testing.T) {
	e := env()
	e.Layers = append(e.Layers, Layer{"repo", "The repository"})
	k := begin(t, e).details().say("yes").is(SelectingStorage).asked(topicStorage).press("layer-repo").is(Saving)
	if k.c.StorageLayer != "repo" {
		t.Errorf("%+v", k.save())
	}
}

// S1-B2: an error leads to gathering_details, an error of saving to the state error, where the person can try again
// or start over. Nothing of the specification is lost.
func TestErrors_S1_B2(t *testing.T) {
	for _, at := range snapshots(t, env()) {
		if at.State == Completed {
			continue
		}
		k := begin(t, env())
		k.c = at
		k.in(Input{Failed: "the disk hums"})
		want := GatheringDetails
		if at.State == Saving {
			want = Error
		}
		k.is(want).said("the disk hums")
		if k.last.Question() == nil {
			t.Errorf("%s: nothing is asked", at.State)
		}
		if got := k.c; got.SkillPurpose != at.SkillPurpose || !slices.Equal(got.WorkflowSteps, at.WorkflowSteps) || !slices.Equal(got.Examples, at.Examples) || got.GeneratedContent != at.GeneratedContent ||
			len(got.MessageHistory) != len(at.MessageHistory)+1 {
			t.Errorf("%s: something is lost", at.State)
		}
	}
	k := begin(t, env()).details().say("yes").saved("no space left").is(Error).said("no space left").said("1 try again").said("2 start over")
	over := *k
	over.say("2").is(GatheringPurpose)
	if k.say("1").is(Saving); k.save() == nil {
		t.Fatal("it is not tried again")
	}
	k.saved("").is(Completed)
}

// S1-10: an error of the model leads back with all messages kept. The person says more, and the next
// request has every message.
func TestModelErrorKeepsEverything_S1_10(t *testing.T) {
	k := begin(t, modelEnv()).say(wish).answer(`{"workflow_steps":["Translate"],"triggers":["an invoice arrives"],"examples":["a"],"allowed_tools":["Read"]}`)
	k.say("none").say("none").asked(topicConfirm).press("make").is(Generating)
	before := len(k.c.MessageHistory)
	k.fail("connection refused").is(GatheringDetails).said("connection refused").said("Nothing of what you said is lost").asked(topicAgain)
	if len(k.c.MessageHistory) != before+1 || len(k.c.WorkflowSteps) != 1 {
		t.Fatalf("%v", k.c)
	}
	k.say("The Latin should be medieval.").is(Generating)
	r := k.request()
	if r == nil || len(r.History) != before+2 || r.History[0].Content != wish || r.History[before+1].Content != "The Latin should be medieval." {
		t.Fatalf("%+v", r)
	}
	k.answer("# Translate\n\nIn medieval Latin.").is(Saving).saved("").is(Completed)
}

// S1-05: a request has all messages or, if a window is set (S1-18), only the newest lines.
func TestRequestsHoldTheHistory_S1_05(t *testing.T) {
	k := begin(t, modelEnv())
	for i := range 300 {
		k.c.MessageHistory = append(k.c.MessageHistory, Line{world.RoleUser, fmt.Sprint("line ", i)})
	}
	k.say(wish)
	if r := k.request(); r == nil || len(r.History) != 301 || r.History[0].Content != "line 0" {
		t.Fatalf("%+v", r)
	}
	k = begin(t, modelEnv())
	k.env.Window = 50
	for i := range 300 {
		k.c.MessageHistory = append(k.c.MessageHistory, Line{world.RoleUser, fmt.Sprint("line ", i)})
	}
	if k.say(wish); len(k.request().History) != 50 || len(k.c.MessageHistory) != 301 {
		t.Fatalf("%d of %d", len(k.request().History), len(k.c.MessageHistory))
	}
}

// A prompt has a limit, whatever was gathered.
func TestPromptsAreBounded(t *testing.T) {
	k := begin(t, modelEnv())
	c := &k.c
	c.State, c.SkillPurpose = FixingErrors, "x"
	for i := range 30 {
		c.Examples, c.WorkflowSteps = append(c.Examples, strings.Repeat("\"", 4000)), append(c.WorkflowSteps, strings.Repeat("\t<", 300))
		c.GeneratedResources[fmt.Sprintf("references/%d.md", i)] = strings.Repeat("\n", 30_000) + "x"
		c.ValidationErrors = append(c.ValidationErrors, strings.Repeat("e", 300))
	}
	c.Plan.Notes = map[string]string{"a": strings.Repeat("日本", 20_000)}
	c.GeneratedContent = strings.Repeat("\"", 1<<20)
	if k.say("go on"); k.request() == nil || len(k.request().Prompt) > maxPrompt || !strings.Contains(k.request().Prompt, "Write it again, whole") {
		t.Fatalf("%d bytes", len(k.request().Prompt))
	}
}

// A topic on which the person has nothing to say is not asked again in other words, and a model does not
// overrule the person's answers.
func TestAnswersStand_S1_B4(t *testing.T) {
	k := begin(t, env()).say(wish).say("Translate").press("trigger1").asked(topicExamples).say("none").asked(topicLimits).press("none").asked(topicTools).press("none").asked(topicReferences).press("none").asked(topicScripts).press("none")
	k.asked(topicConfirm).say("steps: Run `make test`; Post it").asked(topicConfirm)

	k = begin(t, modelEnv()).say(wish).answer("{}").asked(topicSteps).say("My own step")
	k.answer(`{"name":"chosen","description":"By the model.","workflow_steps":["Another"],"triggers":["t t t"],"examples":["e"],"allowed_tools":["Read"],"references_topics":["a"],"scripts_needed":["b"]}`)
	if k.asked(topicConfirm); !slices.Equal(k.c.WorkflowSteps, []string{"My own step"}) || k.c.SkillName != "chosen" || k.c.SkillDescription != "By the model." {
		t.Errorf("%+v", k.c)
	}
	if k.say("description: By me."); k.c.SkillDescription != "By me." {
		t.Errorf("%+v", k.c)
	}
}

// S1-B3: the forge validates a skill at most three times before it asks the person. It asks sooner if a correction
// leaves as many problems as before or changes nothing.
func TestValidationTries_S1_B3(t *testing.T) {
	ready := func() *talk {
		return begin(t, modelEnv()).say(wish).answer(`{"workflow_steps":["Translate"],"triggers":["x y z"],"examples":["a"],"allowed_tools":["Read"],"references_topics":["a"],"scripts_needed":["b"]}`).
			asked(topicConfirm).press("make").is(Generating)
	}
	links := func(n int) string {
		out := "# Body\n"
		for i := range n {
			out += fmt.Sprintf("[x](references/%d.md)\n", i)
		}
		return out
	}
	k := ready().answer(links(2)).is(FixingErrors)
	if r := k.request(); r == nil || r.Kind != workFix || !strings.Contains(r.Prompt, "references/1.md, which is not among the files") {
		t.Fatalf("%+v", r)
	}
	k.answer(links(2) + "other").is(GatheringDetails).asked(topicAgain).said("After 2 tries").said("references/0.md") // as many as before: asks at try 2
	ready().answer(links(3)).answer(links(3)).is(GatheringDetails).said("After 2 tries")                              // it changed nothing
	k = ready().answer(links(4)).answer(links(3)).is(FixingErrors).answer(links(2)).is(GatheringDetails).said("After 3 tries").asked(topicAgain)
	if k.c.ValidationAttempts != 3 || len(k.c.ValidationErrors) != 2 {
		t.Errorf("%+v", k.c)
	}
	again := *k
	again.press("again").is(Generating).answer("# Body\n\nSee [x](references/x.md).\n\n=== references/x.md ===\nText.\n").is(Saving)
	if got := again.save().Files["references/x.md"]; got != "Text.\n" {
		t.Errorf("%q", got)
	}
	if k.press("plain").is(Saving); !strings.Contains(k.save().Files[skill.File], "1. Translate") {
		t.Error("the plain skill lacks its step")
	}
	ready().answer(links(2)).answer(links(0)).is(Saving).saved("").is(Completed) // mended
}

// A model writes the body; name, description and tools stay as confirmed.
func TestModelCannotWidenWhatWasConfirmed(t *testing.T) {
	k := begin(t, modelEnv()).say(wish).answer(`{"workflow_steps":["T"],"triggers":["x y z"],"examples":["a"],"allowed_tools":["Read"],"references_topics":["a"],"scripts_needed":["b"]}`).press("make")
	k.answer("```markdown\n---\nname: evil\ndescription: other\nallowed-tools: Bash\n---\n# Body\n```").is(Saving)
	made, err := skill.Parse(k.save().Files[skill.File])
	if err != nil || made.Name != k.c.SkillName || made.Description != k.c.SkillDescription || !slices.Equal(made.AllowedTools, []string{"Read"}) || made.Body != "# Body" {
		t.Fatalf("%v: %+v", err, made)
	}
	for _, front := range []string{"---\nname: [evil\ndescription: \"x\nallowed-tools: Bash\n---\n", "---\nname: a\nname: b\n---\n\n", "\n---\ndescription: &a x\nname: *a\n---\n"} { // no YAML, or none of ours
		k = begin(t, modelEnv()).say(wish).answer(`{"workflow_steps":["T"],"triggers":["x y z"],"examples":["a"],"allowed_tools":["Read"],"references_topics":["a"],"scripts_needed":["b"]}`).press("make").
			answer(front + "# Body").is(Saving)
		if made, err := skill.Parse(k.save().Files[skill.File]); err != nil || made.Body != "# Body" || !slices.Equal(made.AllowedTools, []string{"Read"}) {
			t.Errorf("%q: %v: %+v", front, err, made)
		}
	}
	k = begin(t, modelEnv()).say(wish).answer(`{"workflow_steps":["T"],"triggers":["x y z"],"examples":["a"],"allowed_tools":["Read"],"references_topics":["a"],"scripts_needed":["b"],"not_for":["Letters"]}`).press("make")
	if !slices.Equal(k.c.Plan.Limits, []string{"Letters"}) || !strings.Contains(k.request().Prompt, `"Letters"`) {
		t.Errorf("%v", k.c.Plan.Limits)
	}
	k.answer("# Body\n\n[x](scripts/x.sh) [y](references/../../x)\n\n=== scripts/x.sh ===\necho\n=== ../../.bashrc ===\nevil\n").is(FixingErrors)
	if !slices.ContainsFunc(k.c.ValidationErrors, func(e string) bool { return strings.HasPrefix(e, "resource_path: ") }) {
		t.Errorf("%v", k.c.ValidationErrors)
	}
	k.answer("# Body\n\n" + "TO" + "DO: write this").is(FixingErrors).answer("# Body").is(Saving)
}

// S1-B4: the forge asks a model at most twice to infer what is missing, and then asks the person. It ignores an
// answer that comes late.
func TestInferences_S1_B4(t *testing.T) {
	k := begin(t, modelEnv()).say(wish)
	if r := k.request(); r == nil || r.Kind != workInfer || !strings.Contains(r.Prompt, "invoices into Latin") {
		t.Fatalf("%+v", r)
	}
	if k.in(Input{Answer: &Answer{N: 7, Text: "{}"}}).last.Ignored == "" {
		t.Error("an answer that nobody waits for is taken")
	}
	k.answer(`Sure: {"question":"Whose Latin?"}`).asked(topicOpen).said("Whose Latin?").say("Cicero's")
	if r := k.request(); r == nil || r.Kind != workInfer || !strings.Contains(r.Prompt, "Whose Latin?") {
		t.Fatalf("%+v", r)
	}
	k.answer(`{"question":"Whose Latin?"}`).asked(topicSteps) // asked already, so another one
	if k.say("Translate it"); k.request() != nil || k.c.InferenceAttempts != maxInferences {
		t.Fatalf("a third inference: %+v", k.c)
	}
	k.asked(topicTriggers)
	begin(t, modelEnv()).say(wish).answer("no JSON here").asked(topicSteps)
	begin(t, modelEnv()).say(wish).fail("it is gone").is(GatheringDetails).said("it is gone").asked(topicSteps)
}

func TestAnswersThatAreNone(t *testing.T) {
	begin(t, env()).in(Input{Begin: true}).say("hello").said("“hello” does not say yet").say("make a skill").said("“make a skill” does not say yet").is(GatheringPurpose)
	k := begin(t, env()).details().press("change").press(topicTools).asked(topicEdit + topicTools).say("whatever you like").asked(topicEdit + topicTools).said("no name of a tool")
	if len(k.c.AllowedTools) != 4 {
		t.Errorf("an answer that is none took the tools away: %v", k.c.AllowedTools)
	}
	k.say("Read, and Bash(git log:*) please").asked(topicConfirm).said("Left out").said("`please`")
	if !slices.Equal(k.c.AllowedTools, []string{"Read", "Bash(git log:*)"}) {
		t.Errorf("%v", k.c.AllowedTools)
	}
	if k.say("tools: Bash").said("allows every command").press("change").press(topicTools).press("none"); len(k.c.AllowedTools) != 0 {
		t.Errorf("%v", k.c.AllowedTools)
	}
	k.c.State, k.c.Plan.Asking = GatheringDetails, &Question{Topic: "of another version", Text: "?"}
	k.say("Words that must not be lost").asked(topicWhere).said("Words that must not be lost")
	if k.in(Input{}).last.Ignored == "" || k.in(Input{Saved: &Saved{}}).last.Ignored == "" || k.in(Input{Begin: true}).last.Ignored == "" {
		t.Error("an input that means nothing is taken")
	}
	if _, err := Step(Context{SessionID: "s", State: "dreaming"}, Input{Text: "x"}, env()); err == nil {
		t.Error("a state that there is not goes on")
	}
	if _, err := Step(NewContext("s"), Input{Text: "x"}, Env{}); err == nil {
		t.Error("a skill has no place")
	}
}
