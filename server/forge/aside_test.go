package forge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A question about the question is answered and the question asked again; neither becomes part of the
// skill. A question about the skill itself is an answer.
func TestQuestionsAreNoAnswers(t *testing.T) {
	k := begin(t, env()).in(Input{Begin: true}).say("How does this work?").is(GatheringPurpose).asked(topicPurpose).said("one task")
	if k.c.SkillPurpose != "" || len(k.last.Question().Options) == 0 {
		t.Fatalf("%+v", k.c)
	}
	k.say("Can you translate invoices into Latin?").asked(topicSteps)
	for _, turn := range []struct{ topic, about, answer string }{
		{topicSteps, "will follow", "Read it"}, {topicTriggers, "when it fits", "Can you translate this?"}, {topicExamples, "good result", "What does it cost? Quanti constat?"},
		{topicLimits, "leave it alone", "Letters"}, {topicTools, "without asking", "Read"}, {topicReferences, "when it needs them", "none"}, {topicScripts, "beside the skill", "none"},
	} {
		before := k.asked(turn.topic).last.Question()
		for _, q := range []string{"What do you mean?", "why?", "Help", "was meinst du?"} {
			if k.say(q).asked(turn.topic).said(turn.about); k.last.Question().Text != before.Text || len(k.last.Question().Options) != len(before.Options) {
				t.Fatalf("%s: after %q it asks %+v", turn.topic, q, k.last.Question())
			}
		}
		k.say(turn.answer)
	}
	k.asked(topicConfirm).say("What happens then?").asked(topicConfirm).said("Nothing is written before")
	if c := k.c; !slices.Equal(c.WorkflowSteps, []string{"Read it"}) || !slices.Equal(c.Triggers, []string{"Can you translate this?"}) || len(c.Examples) != 1 || !slices.Equal(c.AllowedTools, []string{"Read"}) {
		t.Errorf("%+v", c)
	}
	if k.say("Can you add a step that checks it?").asked(topicWhere).press(topicSteps); len(k.c.WorkflowSteps) != 2 {
		t.Errorf("a wish is taken for a question: %v", k.c.WorkflowSteps)
	}
}

// "back" asks the last answered question again; repeated, it leads back to the question about the purpose. The new
// answer replaces the old one, and the question that was left is asked again. P15.4.
func TestBack(t *testing.T) {
	k := begin(t, env()).say(wish).say("Translate").say("a letter comes").asked(topicExamples)
	k.say("go back").asked(topicEdit + topicTriggers).said("a letter comes").say("zurück").asked(topicEdit + topicSteps).said("1. Translate").say("back").is(GatheringPurpose).said("translates invoices")
	if len(k.c.WorkflowSteps) != 1 || k.c.SkillPurpose == "" {
		t.Errorf("going back loses something: %+v", k.c)
	}
	k.say("back").is(GatheringPurpose).said("first question").say("Translate letters into Greek").asked(topicExamples)
	if k.c.SkillPurpose != "Translate letters into Greek" || !slices.Equal(k.c.Triggers, []string{"a letter comes"}) {
		t.Errorf("%+v", k.c)
	}
	k.say("back").asked(topicEdit + topicTriggers).say("a parcel comes").asked(topicExamples).say("back").asked(topicEdit + topicTriggers).said("a parcel comes").say("ok").asked(topicExamples)
	if !slices.Equal(k.c.Triggers, []string{"a parcel comes"}) {
		t.Errorf("%v", k.c.Triggers)
	}

	k = begin(t, env()).details().say("undo").asked(topicEdit + topicReference + "style of invoices").say("Long words.").asked(topicConfirm)
	if k.c.Plan.Notes["style of invoices"] != "Long words." {
		t.Errorf("%v", k.c.Plan.Notes)
	}
	k.press("change").asked(topicChange).say("back").asked(topicConfirm).press("change").press(topicSteps).say("cancel").asked(topicConfirm)
	k.say("hm").asked(topicWhere).say("never mind").said("“hm” is left out").asked(topicConfirm)
	k.say("yes").saved("full").is(Error).say("back").is(GatheringDetails).asked(topicChange)
	begin(t, env()).say("Collect releases from a changelog").is(CheckingExisting).say("back").is(GatheringPurpose).press("keep").is(CheckingExisting)
}

// People can request a change in their own words. P15.4.
func TestChangesInWords(t *testing.T) {
	for words, want := range map[string]string{
		"change the name to latin invoices": "latin-invoices", "Rename it to “latin-invoices”.": "latin-invoices", "call it latin-invoices": "latin-invoices",
		"the name should be latin-invoices": "latin-invoices", "no, call it latin-invoices": "latin-invoices", "please change the name: latin-invoices": "latin-invoices",
	} {
		if k := begin(t, env()).details().say(words).asked(topicConfirm); k.c.SkillName != want || !k.c.Plan.Named {
			t.Errorf("%q: %q", words, k.c.SkillName)
		}
	}
	for words, topic := range map[string]string{"change the name": topicName, "I want to change the steps": topicSteps, "edit the description": topicDescribe, "rename it": topicName, "change limits": topicLimits} {
		begin(t, env()).details().say(words).asked(topicEdit + topic)
	}
	k := begin(t, env()).say(wish).say("Translate").say("none").say("none").say("none").asked(topicTools).say("change the steps to Read; Translate").asked(topicTools)
	if !slices.Equal(k.c.WorkflowSteps, []string{"Read", "Translate"}) {
		t.Errorf("%v", k.c.WorkflowSteps)
	}
	if k := begin(t, env()).details().say("change the purpose to Count the sheep of a herd").asked(topicConfirm); k.c.SkillName != "count-sheep-herd" || !strings.HasPrefix(k.c.SkillDescription, "Count the sheep") {
		t.Errorf("%q: %q", k.c.SkillName, k.c.SkillDescription)
	}
	if k := begin(t, env()).say(wish).say("Change the name to lower case"); !slices.Equal(k.c.WorkflowSteps, []string{"Change the name to lower case"}) {
		t.Errorf("a step is taken for a wish: %v", k.c.WorkflowSteps)
	}
}

// Exact words of yes and no also count in German. If a question needs a text, a yes leads to one more
// question and is never stored.
func TestYesAndNoInGerman(t *testing.T) {
	for _, yes := range []string{"ja", "Ja, bitte!", "passt", "make it so", "sure"} {
		if k := begin(t, env()).details().say(yes); k.save() == nil {
			t.Errorf("%q is no yes", yes)
		}
	}
	begin(t, env()).details().say("nein").asked(topicChange)
	k := begin(t, env()).say(wish).say("ja").asked(topicSteps).said("“ja” tells me nothing").say("ja").asked(topicTriggers).say("ja").asked(topicExamples).say("keine").asked(topicLimits).say("weiter").asked(topicLimits).
		say("nichts").asked(topicTools).say("nein").asked(topicReferences).say("keine").asked(topicScripts).say("nein").asked(topicConfirm)
	if c := k.c; len(c.WorkflowSteps)+len(c.Examples)+len(c.Plan.Limits)+len(c.AllowedTools)+len(c.ReferencesTopics)+len(c.ScriptsNeeded) != 0 || len(c.Triggers) != 1 || !strings.Contains(c.Triggers[0], "somebody asks") {
		t.Errorf("%+v", c)
	}
}

// What the person leaves out is not in the skill: neither a topic of which nothing is known, nor the words for nothing.
func TestReferencesLeftOut(t *testing.T) {
	at := func() *talk {
		return begin(t, env()).say(wish).say("none").say("none").say("none").say("none").say("none").asked(topicReferences)
	}
	k := at().say("style of invoices").asked(topicScripts).say("none").asked(topicReference + "style of invoices").press("none").asked(topicConfirm)
	if len(k.c.ReferencesTopics) != 0 || strings.Contains(k.last.Say, "style of invoices") {
		t.Errorf("%q, and said %q", k.c.ReferencesTopics, k.last.Say)
	}
	if k := at().say("Nothing else.").asked(topicScripts); len(k.c.ReferencesTopics) != 0 {
		t.Errorf("%q", k.c.ReferencesTopics)
	}
}

// An answer without a known tool leads to one more question. The buttons remain after words that say too
// little.
func TestQuestionsKeepTheirButtons(t *testing.T) {
	k := begin(t, env()).in(Input{Begin: true})
	offered := len(k.last.Question().Options)
	if k.say("hello"); len(k.last.Question().Options) != offered || offered == 0 {
		t.Errorf("%+v", k.last.Question())
	}
	k.press("purpose1").say("none").say("none").say("none").say("none").asked(topicTools).say("whatever it takes").asked(topicTools).said("no name of a tool").press("look").asked(topicReferences)
	if !slices.Equal(k.c.AllowedTools, []string{"Read", "Grep", "Glob"}) {
		t.Errorf("%v", k.c.AllowedTools)
	}
}

// The person is told that a pasted text of many kilobytes does not fit as a whole.
func TestLongPastesAreTold(t *testing.T) {
	paste := ""
	for i := range 400 {
		paste += fmt.Sprintf("line %d of a log that somebody has pasted here\n", i)
	}
	k := begin(t, env()).say("Count the errors of a log. " + paste).said("Of that I keep about 3 of 14 KB")
	k.asked(topicSteps).say(paste).said("Of that I keep").asked(topicTriggers).say("a log comes").asked(topicExamples).say(paste).said("belongs in a reference").asked(topicLimits)
	if len(k.c.WorkflowSteps) != maxSteps || len(k.c.Examples) != 1 || len(k.c.Examples[0]) > maxExample {
		t.Errorf("%d steps, %d examples", len(k.c.WorkflowSteps), len(k.c.Examples))
	}
	k = begin(t, env()).say(wish).say("1. Read it\n2. Translate it\n3. Translate it").say("none").say("an example that is not very long, with some words")
	if strings.Contains(k.last.Say, "Of that I keep") {
		t.Errorf("%q", k.last.Say)
	}
}
