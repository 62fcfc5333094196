package forge

import (
	"strings"
	"testing"
)

// The name and the use of a skill are whole phrases, however much the person said.
func TestTask_S1_B6(t *testing.T) {
	for purpose, want := range map[string][2]string{
		"Run the tests.": {"Run the tests", "run-tests"},
		"Write release notes from the commits since the last tag and put them into CHANGELOG.md":               {"Write release notes from the commits since the last tag", "write-release-notes"},
		"Compares every page of the documentation with the code that it describes, and corrects what is wrong": {"Compare every page of the documentation with the code that it describes", "compare-page-documentation-code"},
		"Reviews":                              {"Reviews", "reviews"},
		"How to add a fuzz test to this repo":  {"Add a fuzz test to this repo", "add-fuzz-test-repo"},
		"How do I release a version?":          {"Release a version", "release-version"},
		"I want to sort the list of languages": {"Sort the list of languages", "sort-list-languages"},
		"How to":                               {"How to", ""},
		"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiii": {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhh",
			"aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd"},
	} {
		if got := task(purpose); got != want[0] {
			t.Errorf("task of %q: %q, want %q", purpose, got, want[0])
		}
		if got := madeName(purpose); got != want[1] {
			t.Errorf("name of %q: %q, want %q", purpose, got, want[1])
		}
	}
}

// The description of a skill says in a sentence when to use it, both for triggers that are situations and for
// triggers that are spoken words.
func TestDescriptionsAreSentences_S1_B6(t *testing.T) {
	for _, c := range []struct {
		triggers []string
		want     string
	}{
		{[]string{"A tag is set"}, "Use when a tag is set."},
		{[]string{"when somebody asks for notes", "PDF"}, "Use when somebody asks for notes or somebody mentions \"PDF\"."},
		{[]string{"cut a release", "Can you write the notes?"}, "Use when somebody says \"cut a release\" or \"Can you write the notes\"."},
		{[]string{"“ship it”", "\"notes\""}, "Use when somebody mentions \"ship it\" or \"notes\"."},
		{[]string{"before every release"}, "Use before every release."},
		{[]string{"after a merge", "a tag is set"}, "Use when a tag is set or after a merge."},
		{[]string{"eine Rechnung kommt an"}, "Use when somebody says \"eine Rechnung kommt an\"."},
		{nil, "Notes."},
	} {
		if got := describe(&Context{SkillPurpose: "notes", Triggers: c.triggers}); !strings.HasSuffix(got, c.want) {
			t.Errorf("%v: %q", c.triggers, got)
		}
	}
}

// A wish in German becomes a purpose, which English sentences quote unchanged.
func TestGermanPurposes(t *testing.T) {
	for text, want := range map[string]string{
		"Ich möchte einen Skill, der Rechnungen prüft und Fehler meldet": "Rechnungen prüft und Fehler meldet", "Erstelle mir bitte einen neuen Skill für Versionshinweise aus Git": "Versionshinweise aus Git",
		"Mach einen Skill": "", "Skill: count sheep": "count sheep",
	} {
		if got := intent(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	begin(t, env()).say("Ich möchte einen Skill, der Rechnungen prüft und Fehler meldet").say("Lesen").asked(topicTriggers).said("somebody asks for this: Rechnungen prüft und Fehler meldet")
	for text, want := range map[string]bool{"Write release notes for the crème brûlée": false, "перевести счёт": true, "Rechnungen prüfen und melden": true, "résumer les notes": true, "fix bugs": false, "": false} {
		if foreign(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
