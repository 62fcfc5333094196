package review

import (
	"context"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/inspect"
)

// oneAuthor is a history in which one person wrote every line.
type oneAuthor struct{ past }

func (o *oneAuthor) Blame(context.Context, string, int) (inspect.Author, error) {
	return inspect.Author{Name: "Ann", At: time.Date(2026, 3, 7, 0, 0, 0, 0, time.UTC)}, nil
}

// A hero without findings adds facts about the weightiest finding of others, or passes.
func TestHeroesWithoutFindingsHelpTheOthers(t *testing.T) {
	s := &shelf{history: &oneAuthor{}, files: map[string]string{
		"go.mod":        "module m\n\ngo 1.26\n",
		"a/a.go":        "package a\n\n// bad thing\nfunc A() {}\n",
		"a/a_test.go":   "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { A() }\n",
		"cmd/b/main.go": "package main\n\nimport \"m/a\"\n\nfunc main() { a.A() }\n",
		"c/c.go":        "package c // bad\n",
	}}
	b := newBoard(t, s)
	for n := range 3 {
		b.play("sentinel", deepAnalysis, n+1)
	}
	for _, tc := range []struct {
		hero string
		says []string
	}{
		{"sentinel", []string{"My 2 findings overlap with no other finding, neither in place nor in cause."}},
		{"architect", []string{"On the finding of the Sentinel: 1 file imports the package of a/a.go: cmd/b/main.go."}},
		{"archaeologist", []string{"a/a.go:3 was last changed by Ann on 7 March 2026.", "c/c.go:1 was last changed by Ann"}},
		{"sage", []string{"a/a.go is tested in a/a_test.go.", "I find no test of c/c.go."}},
		{"alchemist", nil},
	} {
		b.read = nil
		b.play(tc.hero, crossReference, 1)
		for _, words := range tc.says {
			if !strings.Contains(b.said, words) {
				t.Errorf("%s does not say %q: %s", tc.hero, words, b.said)
			}
		}
		if b.passed != (tc.says == nil) || b.said != "" && tc.says == nil {
			t.Errorf("%s passes: %t, and says %q", tc.hero, b.passed, b.said)
		}
		if helps := tc.hero != "sentinel" && tc.says != nil; helps != (len(b.read) > 0) {
			t.Errorf("%s walks to %v", tc.hero, b.read)
		}
	}
}

// What is said of the tests and importers of a file is no more than what the code shows: a Go import names a package.
func TestWhatAFileIsSaidToBeTestedIn(t *testing.T) {
	b := newBoard(t, &shelf{files: map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a/a.go": "package a\n\nfunc A() {}\n", "a/b.go": "package a\n\nfunc B() {}\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { A() }\n",
		"d/d_test.go": "package d\n\nimport (\n\t\"m/a\"\n\t\"testing\"\n)\n\nfunc TestD(t *testing.T) { a.A() }\n",
		"web/u.ts":    "export const u = 1\n", "web/app.ts": "import { u } from './u'\n", "web/x.test.ts": "import { u } from './u'\nit('u', () => {})\n",
	}})
	r := b.scouts.acquire("known/x", "/repo")
	<-r.ready
	v := &view{ctx: t.Context(), scouts: b.scouts, review: r}
	for path, want := range map[string]string{
		"a/a.go":   "a/a.go is tested in a/a_test.go.",
		"a/b.go":   "I find no test of a/b.go itself. Tests that import the package of a/b.go: d/d_test.go.",
		"web/u.ts": "web/u.ts is tested in web/x.test.ts.",
	} {
		if text, ok, err := v.testsOf(r.repo.File(path)); text != want || !ok || err != nil {
			t.Errorf("%s: %q, %t, %v; want %q", path, text, ok, err, want)
		}
	}
	if text, _, err := v.dependents(r.repo.File("web/u.ts")); text != "1 file imports web/u.ts: web/app.ts." || err != nil {
		t.Error(text, err)
	}
	b.scouts.release(r)
	b.scouts.drop("known/x")
}

// Where no finding stands, one hero says so and the others pass.
func TestHeroesWithNothingToCompare(t *testing.T) {
	b := newBoard(t, &shelf{files: map[string]string{"a.go": "package a\n"}})
	b.play("architect", crossReference, 1)
	if !strings.Contains(b.said, "nothing to compare") || b.passed {
		t.Errorf("the first hero says %q and passes: %t", b.said, b.passed)
	}
	b.play("sage", crossReference, 1)
	if b.said != "" || !b.passed {
		t.Errorf("another hero says %q and passes: %t", b.said, b.passed)
	}
}

// A hero without checks says one measurement in its first turn of the analysis, and passes the others, as a hero does
// whose checks have all run.
func TestHeroesWithoutChecks(t *testing.T) {
	b := newBoard(t, &shelf{files: talkFiles, history: told{&past{head: "abcdef1"}}})
	for hero, want := range map[string]string{
		"architect":    "Nothing is imported by more files than src: 1 file.",
		"cartographer": "The largest source files are ",
		"sage":         "", // nothing to measure
	} {
		for n := 1; n <= turnsOfAnalysis; n++ {
			b.play(hero, deepAnalysis, n)
			if silent := n > 1 || want == ""; b.passed != silent || silent && b.said != "" || !silent && !strings.HasPrefix(b.said, want) {
				t.Errorf("%s says in turn %d: %q, passes: %v", hero, n, b.said, b.passed)
			}
		}
	}
	b.play("sentinel", deepAnalysis, turnsOfAnalysis) // its only check runs in the first turn
	if !b.passed || b.said != "" {
		t.Errorf("a turn without a check says %q", b.said)
	}
}
