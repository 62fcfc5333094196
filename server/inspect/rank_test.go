package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// ages is a History that has the times at which files last changed.
type ages struct {
	History
	last map[string]time.Time
}

func (a ages) Past(p string) (Past, bool) { return Past{Last: a.last[p]}, !a.last[p].IsZero() }

// told runs a check that reports the given findings, in a repository with the given Go files.
func told(t *testing.T, h History, files []string, findings ...Finding) *Result {
	t.Helper()
	fsys, entries := fstest.MapFS{}, []Entry{}
	for _, p := range files {
		fsys[p] = &fstest.MapFile{Data: []byte("package p\n")}
		entries = append(entries, Entry{p, 10})
	}
	return Run(t.Context(), New("r", fsys, entries, h, time.Time{}), &Check{
		ID: "sentinel/told", Hero: "sentinel", Run: func(_ context.Context, _ *Repo, report func(Finding)) error {
			for _, f := range findings {
				report(f)
			}
			return nil
		},
	})
}

// If a check has too many findings, the ones that cost most are kept, and not the first ones in alphabetical order
// of their paths.
func TestWhatCostsMostComesFirst(t *testing.T) {
	files := []string{"tools/gen.go", "a/testdata/x.go", "b/examples/x.go", "vendor/x/x.go", "y.go", "z_test.go", "z.go", "zz.go"}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h := ages{last: map[string]time.Time{"y.go": now.AddDate(-3, 0, 0), "zz.go": now}}
	in := []Finding{}
	for _, p := range files {
		in = append(in, Finding{Severity: High, Path: p, Evidence: p})
	}
	in = append(in, Finding{Severity: Critical, Path: "z.go", Evidence: "critical", Confidence: Doubtful},
		Finding{Severity: High, Path: "z.go", Evidence: "likely", Confidence: Likely})
	// A check that is not sure says so for all its findings.
	for confidence, want := range map[string]string{"": Sure, Likely: Likely} {
		c := Check{Confidence: confidence, Run: func(_ context.Context, _ *Repo, report func(Finding)) error {
			report(Finding{Severity: Low, Evidence: "x"})
			return nil
		}}
		if got := Run(t.Context(), New("r", fstest.MapFS{}, nil, nil, now), &c).Findings[0].Confidence; got != want {
			t.Errorf("a check with confidence %q has findings with %q", confidence, got)
		}
	}
	for i := range 20 { // twenty of low severity, before all others by their paths
		in = append(in, Finding{Severity: Low, Path: "a.go", Line: i, Evidence: fmt.Sprint(i)})
	}
	res := told(t, h, files, in...)
	var got []string
	for _, f := range res.Findings[:10] {
		got = append(got, f.Severity+" "+f.Confidence+" "+f.Evidence)
	}
	want := "high high zz.go, high high y.go, high high z.go, high high tools/gen.go, " +
		"high high z_test.go, high high a/testdata/x.go, high high vendor/x/x.go, high medium likely, low high 0, low high 1" // and the critical one, which is only suspected, after all others
	if strings.Join(got, ", ") != want {
		t.Errorf("first is\n%s\nwant\n%s", strings.Join(got, ", "), want)
	}
	if len(res.Findings) != MaxPerCheck || res.Left != len(in)-MaxPerCheck {
		t.Errorf("%d findings, %d left out", len(res.Findings), res.Left)
	}
}

// Findings with one cause become one finding that lists all places. It is the largest of the worst findings, and
// has that finding's id.
func TestOneFindingACause(t *testing.T) {
	one := Cause{Key: "k", Text: "one thing"}
	large := Finding{Severity: Medium, Path: "c.go", Line: 3, Evidence: "large", Size: 90, Cause: one}
	in := []Finding{
		{Severity: Low, Path: "a.go", Line: 1, Evidence: "low", Size: 500, Cause: one}, {Severity: Medium, Path: "b.go", Evidence: "small", Size: 9, Cause: one},
		large, {Severity: Medium, Path: "c.go", Line: 3, Evidence: "twice on a line", Cause: one},
		{Severity: Medium, Path: "b.go", Line: 2, Evidence: "other", Cause: Cause{Key: "l", Text: "another"}}, {Severity: Medium, Path: "d.go", Evidence: "none"},
	}
	files := []string{"a.go", "b.go", "c.go", "d.go"}
	res := told(t, nil, files, in...)
	large.Check = "sentinel/told"
	if len(res.Findings) != 3 || res.Findings[1].Evidence != "large\nAlso at a.go:1, b.go" || res.Findings[1].ID() != large.ID() {
		t.Errorf("%+v", res.Findings)
	}
	if got := res.Findings[1].Title; !strings.HasSuffix(got, ", in 3 places") {
		t.Errorf("the title is %q", got)
	}
	for i := range 2 { // one id on two lines
		in = append(in, Finding{Severity: Low, Path: "d.go", Line: 9 + i, Evidence: "again", Cause: one})
	}
	if got := told(t, nil, files, in...).Findings[1].Evidence; got != "large\nAlso at a.go:1, b.go, d.go:9, d.go:10" {
		t.Errorf("the places of one id are %q", got)
	}
	in = in[:len(in)-2]
	for i := range 40 {
		in = append(in, Finding{Severity: Info, Path: "a.go", Line: 10 + i, Evidence: strings.Repeat("x", 500) + fmt.Sprint(i), Cause: one})
	}
	if f := told(t, nil, files, in...).Findings[1]; len(f.Evidence) > 600 || !strings.HasSuffix(f.Evidence, " and 34 more") {
		t.Errorf("%d bytes: %s", len(f.Evidence), f.Evidence)
	}
}

// If the paths of places are long, fewer places are listed, and the number of the others is shown.
func TestLongPlaces(t *testing.T) {
	var in []Finding
	dir := strings.Repeat("folder/", 15)
	var files []string
	for i := range 7 {
		files = append(files, fmt.Sprintf("%s%d.go", dir, i))
		in = append(in, Finding{Severity: Low, Path: files[i], Line: 1, Evidence: "a", Cause: Cause{Key: "k"}})
	}
	if got := told(t, nil, files, in...).Findings[0].Evidence; len(got) > 600 || !strings.HasSuffix(got, "2.go:1, "+
		dir+"3.go:1 and 3 more") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// Of the findings with one cause, and of those of two heroes on one line, the worst one represents the others.
func TestFold(t *testing.T) {
	cause := Cause{Key: "k"}
	got := Fold([]Finding{
		{Hero: "bard", Title: "worst of the cause", Path: "c", Line: 1, Cause: cause},
		{Hero: "sage", Title: "worst of the line", Path: "a", Line: 1},
		{Hero: "sage", Title: "of the same hero", Path: "a", Line: 1},
		{Hero: "sage", Title: "cause", Path: "b", Line: 1, Cause: cause},
		{Hero: "bard", Title: "on the line of one that is folded", Path: "b", Line: 1},
		{Hero: "bard", Title: "line", Path: "a", Line: 1},
		{Hero: "bard", Title: "only suspected", Path: "a", Line: 1, Confidence: Doubtful},
		{Hero: "bard", Title: "another cause on the line", Path: "a", Line: 1, Cause: Cause{Key: "l"}},
		{Hero: "bard", Title: "whole file", Path: "a"}, {Hero: "sage", Title: "whole file too", Path: "a"},
		{Hero: "bard", Title: "the other cause elsewhere", Path: "d", Line: 1, Cause: Cause{Key: "l"}},
		{Hero: "bard", Title: "a cause of its own on the line", Path: "a", Line: 1, Cause: Cause{Key: "m"}},
	})
	if want := []int{-1, -1, -1, 0, -1, 1, -1, -1, -1, -1, 7, 1}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
