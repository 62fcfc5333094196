package inspect

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// hole returns a finding of a weakness at a line of a file, as one path of a value through a helper.
func hole(path string, line int, evidence string, steps ...string) Finding {
	f := Finding{
		Check: "sentinel/x", CWE: []int{78}, Severity: Critical, Confidence: Sure, Path: path, Line: line,
		Title: "Command injection: the form reaches run", Evidence: evidence, Cause: Cause{Key: evidence},
	}
	for i, p := range steps {
		f.Steps = append(f.Steps, Step{Path: p, Line: i + 1})
	}
	return f
}

// stands returns the places of the findings that lines of ExcusesFile do not excuse.
func stands(t *testing.T, lines string, all ...Finding) (out []string, res *Result) {
	t.Helper()
	c := &Check{ID: "sentinel/x", Hero: "sentinel", CWE: []int{78}, Run: func(_ context.Context, _ *Repo, tell func(Finding)) error {
		for _, f := range all {
			tell(f)
		}
		return nil
	}}
	r := New("r", fstest.MapFS{ExcusesFile: {Data: []byte(lines)}}, []Entry{{ExcusesFile, 1}}, nil, time.Time{})
	res = Run(t.Context(), r, c)
	for _, f := range res.Findings {
		out = append(out, f.place())
	}
	slices.Sort(out)
	return out, res
}

// A line covers only what was accepted: the finding may move, but a finding with another line of code in the same file,
// with the same title, is not covered. If several findings of the file are merged, the line covers them all.
func TestAnAcceptanceCoversWhatWasAccepted(t *testing.T) {
	first, later := hole("app.py", 30, "run('optipng ' + name)"), hole("app.py", 50, "run('rm -r ' + folder)")
	line := first.Excuse() + "\n"
	moved := first
	moved.Line = 12
	if got, _ := stands(t, line, moved, later); !slices.Equal(got, []string{"app.py:50"}) {
		t.Errorf("%q leaves %q", line, got)
	}
	later.Cause = first.Cause
	other := hole("b.py", 1, "run(b)")
	other.Cause = first.Cause
	_, res := stands(t, "", first, later, other)
	line = res.Findings[0].Excuse() + "\n"
	if got, _ := stands(t, line, first, later, other); !slices.Equal(got, []string{"b.py:1"}) {
		t.Errorf("%q of %d findings leaves %q", line, len(res.Findings), got)
	}
}

// A line of an earlier version, which has the title and no marks, covers the finding of a weakness while no other in the
// file has the title, also where that version reported it: at the last step. Of several it covers none, and each says
// why. Lines that name a pattern or no title cover what they say.
func TestAcceptancesOfEarlierVersions(t *testing.T) {
	first, later := hole("app.py", 30, "run(a)"), hole("app.py", 50, "run(b)")
	through, also := hole("a.js", 3, "all(a)", "a.js", "db.js"), hole("b.js", 4, "all(b)", "b.js", "db.js")
	maybe := later
	maybe.Confidence = Doubtful
	title := ":" + first.Title + " -- ours\n"
	for name, c := range map[string]struct {
		lines string
		all   []Finding
		want  []string
	}{
		"one":                {"sentinel/x app.py" + title, []Finding{first}, nil},
		"one, and a doubt":   {"sentinel/x app.py" + title, []Finding{first, maybe}, nil},
		"two":                {"sentinel/x app.py" + title, []Finding{first, later}, []string{"app.py:30", "app.py:50"}},
		"the helper's file":  {"sentinel/x db.js" + title, []Finding{through}, nil},
		"two by the helper":  {"sentinel/x db.js" + title, []Finding{through, also}, []string{"a.js:3", "b.js:4"}},
		"a pattern":          {"sentinel/x *.py" + title, []Finding{first, later}, nil},
		"no words":           {"sentinel/x app.py -- ours\n", []Finding{first, later}, nil},
		"a line of the code": {"sentinel/x app.py:run(a) -- ours\n", []Finding{first, later}, []string{"app.py:50"}},
		"its line, too":      {"sentinel/x app.py" + title + later.Excuse() + "\n", []Finding{first, later}, nil},
	} {
		got, res := stands(t, c.lines, c.all...)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q stand, want %q", name, got, c.want)
		}
		for _, f := range res.Findings {
			if strings.HasPrefix(name, "two") != strings.Contains(f.Why, "each by its own line") {
				t.Errorf("%s: %s says %q", name, f.place(), f.Why)
			}
		}
	}
}
