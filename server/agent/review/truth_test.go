package review

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/inspect"
	all "agentdungeon/server/inspect/heroes"
	"agentdungeon/server/inspect/inspecttest"
)

// reviewOf plays a whole review with the real checks. It returns the words of all turns and the report.
func reviewOf(t *testing.T, s *shelf) (said, report string) {
	t.Helper()
	b := newBoard(t, s)
	b.scouts = New(s, all.Checks(), "1")
	t.Cleanup(func() {
		if err := b.scouts.Close(); err != nil {
			t.Error(err)
		}
	})
	said = b.whole()
	return said, b.texts["final_report"]
}

// whole plays a whole review with all heroes and returns what they say and the report.
func (b *board) whole() string {
	var spoken strings.Builder
	for _, stage := range []struct {
		name  string
		turns int
	}{{reconnaissance, 2}, {deepAnalysis, 3}, {crossReference, 1}} {
		for n := range stage.turns {
			for _, c := range heroes {
				b.play(c, stage.name, n+1)
				spoken.WriteString(b.said + "\n")
			}
		}
	}
	for _, stage := range []string{oracleReview, synthesis, presentation} {
		b.play(oracle, stage, 1)
		spoken.WriteString(b.said + "\n")
	}
	return spoken.String()
}

// foreign is a repository in languages that no check parses, with a README that is no Markdown.
func foreign() *shelf {
	s := &shelf{files: map[string]string{"README.rst": "Tools\n=====\n", "LICENSE": "MIT", "old.f90": "program x\nend\n"}}
	h := &inspecttest.History{Count: 60, Files: map[string]inspect.Past{}}
	for i := range 25 {
		p := fmt.Sprintf("src/m%d.rs", i)
		s.files[p] = fmt.Sprintf("fn f%d() {}\n", i)
		h.Files[p] = inspect.Past{Commits: 1 + i, First: now.AddDate(-1, 0, 0), Last: now, Authors: 1}
	}
	var long strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&long, "fn big%d() { let x = %d; }\n", i, i)
	}
	s.files["src/huge.rs"] = long.String()
	h.Files["src/huge.rs"] = inspect.Past{Commits: 20, First: now.AddDate(0, -1, 0), Last: now, Authors: 2}
	h.Files["old.f90.orig"] = inspect.Past{Commits: 1, First: now, Last: now, Authors: 1} // a finding of low severity
	s.history = h
	return s
}

// A review says nothing that the repository disproves.
func TestReviewSaysWhatIsTrue(t *testing.T) {
	said, report := reviewOf(t, foreign())
	for _, never := range []string{
		".gitmodules", "not on the map", // files that do not exist
		"urgent", "at once", "This week", // a review cannot know these
		"ignored error", "Python import cycle", "breaking change of a Go API", "missing file in package.json", // there is no file in which to find it
		"Positive", "nothing to report", // praise
		"changes more than the others", "goes through this file", // other files have more commits
		"most of it",
		"No finding", "## Critical", "## High", "## Recommendations", "## Next", "suspected", // nothing stands, so these sections are empty
	} {
		if strings.Contains(report, never) {
			t.Errorf("the report says %q:\n%s", never, report)
		}
	}
	for _, want := range []string{
		"source in Rust and Fortran Free Form", "## Executive Summary\n\nThe scouts found nothing that they could prove.\n\ntools: ",
		"## Coverage in detail\n\n- Rust: 26 files, 1,225 lines read as text. No check knows Rust: what its code does is unknown, not clean.\n",
		"## Coverage\n\nRead: 26 Rust files, ",
		"What the code in Rust (1,225 lines) and Fortran Free Form (", "In names, sizes and any text that was read: secret, ",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%s", want, report)
		}
	}
	for _, never := range []string{"closed door", "no README", "Nothing was touched", "where errors can be lost", "goes through this file", "The weight lies",
		"a Go API", "exported Go names", "Go module path", "undeclared", "errors that are dropped", // checks that nothing here is for
	} {
		if strings.Contains(said, never) {
			t.Errorf("a scout says %q:\n%s", never, said)
		}
	}
	for _, want := range []string{
		"README.rst has 2 lines", "No source file was changed by more of them than src/m24.rs: 25 commits under this name, the oldest of",
		"no source here is in one of them", "I cannot read Rust and Fortran Free Form", "What we can see here. Rust: 26 files",
		"2 of my checks have nothing to look at here: they need go.mod.", "1 of my checks has nothing to look at here: it needs JavaScript, ", "Source file that changes most: `src/m24.rs`, in 25 of 60 commits.",
	} {
		if !strings.Contains(said, want) && !strings.Contains(report, want) {
			t.Errorf("nobody says %q:\n%s", want, said)
		}
	}
}

// A review mentions commits that were not read.
func TestCommitsAreThoseThatWereRead(t *testing.T) {
	s := foreign()
	h := s.history.(*inspecttest.History)
	h.Partly = true
	h.Lines = map[string]inspect.Author{"src/huge.rs:1": {Name: "Grace", At: now.Add(-time.Hour)}}
	said, report := reviewOf(t, s)
	if text := said + report; !strings.Contains(text, "and older ones that I did not read") {
		t.Errorf("it speaks as if all commits had been read:\n%s", text)
	}
}
