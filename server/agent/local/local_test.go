package local

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"agentdungeon/server/inspect"
)

// A finding of low confidence is in the review, but Outcome.From does not count it.
func TestCandidatesDoNotCount(t *testing.T) {
	check := inspect.Check{ID: "x/maybe", Hero: "x", Run: func(_ context.Context, _ *inspect.Repo, tell func(inspect.Finding)) error {
		tell(inspect.Finding{Severity: inspect.High, Title: "maybe", Path: "a.txt", Line: 1, Confidence: inspect.Doubtful, Why: "It harms.", Doubt: "it stands in a test"})
		return nil
	}}
	r := inspect.New("r", fstest.MapFS{"a.txt": {Data: []byte("x\n")}}, []inspect.Entry{{Path: "a.txt", Size: 2}}, nil, time.Now())
	out, err := Review(t.Context(), r, []inspect.Check{check}, "1", nil)
	if err != nil {
		t.Fatal(err)
	}
	list := out.Source.World.Findings
	if len(list) != 1 || out.From(inspect.Info) != 0 || list[0].Why != "It harms. It is only suspected, because it stands in a test." {
		t.Errorf("%d count: %+v", out.From(inspect.Info), list)
	}
}

// A review counts every check once, says what its limits left out, and ends with its context.
func TestReview(t *testing.T) {
	finds := func(n int) inspect.Check {
		return inspect.Check{ID: "x/many", Hero: "x", Run: func(_ context.Context, _ *inspect.Repo, tell func(inspect.Finding)) error {
			for i := range n {
				tell(inspect.Finding{Severity: inspect.High, Title: "t", Path: "a/b.txt", Line: i + 1, Evidence: strings.Repeat("e", i+1), Why: "w", Advice: "a"})
			}
			return nil
		}}
	}
	checks := []inspect.Check{finds(inspect.MaxPerCheck + 5), {ID: "x/none", Hero: "x", Run: finds(0).Run}, {ID: "x/also", Hero: "x", Run: finds(0).Run}}
	r := inspect.New("r", fstest.MapFS{"a/b.txt": {Data: []byte("x\n")}}, []inspect.Entry{{Path: "a/b.txt", Size: 2}}, nil, time.Now())
	var done []int
	out, err := Review(t.Context(), r, checks, "1", func(n int) { done = append(done, n) })
	if err != nil || !slices.Equal(done, []int{1, 2, 3}) {
		t.Fatalf("%v, done %v", err, done)
	}
	if out.From(inspect.High) != inspect.MaxPerCheck || out.From(inspect.Critical) != 0 || len(out.Coverage.Limits) != 1 {
		t.Errorf("%d findings, limits %q", out.From(inspect.High), out.Coverage.Limits)
	}
	if m := out.Source.Land.Map; m.Files != 1 || m.Folders != 1 {
		t.Errorf("%+v", m)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Review(ended, r, checks, "1", nil); err == nil {
		t.Error("a review that was ended has a result")
	}
}
