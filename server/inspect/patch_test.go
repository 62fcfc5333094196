package inspect

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// mended runs a check that finds one thing with a mend, and returns the patch.
func mended(t *testing.T, p, text string, line int, m Mend) string {
	t.Helper()
	r := New("r", fstest.MapFS{p: {Data: []byte(text)}}, []Entry{{p, int64(len(text))}}, nil, time.Time{})
	return Run(t.Context(), r, &Check{Run: func(_ context.Context, _ *Repo, tell func(Finding)) error {
		tell(Finding{Severity: Low, Path: p, Line: line, Evidence: "e", Mend: m})
		return nil
	}}).Findings[0].Patch
}

// Git applies a patch, also at the beginning and the end of a file, and the patch says which line it changes.
func TestPatchesApply(t *testing.T) {
	for lines := 1; lines <= 9; lines++ {
		for at := 1; at <= lines; at++ {
			var was, want strings.Builder
			for n := 1; n <= lines; n++ {
				fmt.Fprintf(&was, "line %d\n", n)
				if n == at {
					want.WriteString("new\n")
				} else {
					fmt.Fprintf(&want, "line %d\n", n)
				}
			}
			patch := mended(t, "a b/ü.md", was.String(), at, Mend{fmt.Sprintf("line %d", at), "new"})
			if n, text, ok := Mended(patch); n != at || text != "new" || !ok {
				t.Errorf("line %d of %d: the patch changes line %d to %q, %v", at, lines, n, text, ok)
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "a b", "ü.md")
			if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(was.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			apply := exec.Command("git", "apply", "-")
			apply.Dir, apply.Stdin = dir, strings.NewReader(patch)
			if out, err := apply.CombinedOutput(); err != nil {
				t.Fatalf("line %d of %d: %v %s\n%s", at, lines, err, out, patch)
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != want.String() {
				t.Errorf("line %d of %d: %q, %v", at, lines, got, err)
			}
		}
	}
}

// There is no patch if the change is not certain, if the patch would be too large, or if the changed file could not
// be parsed.
func TestNoPatch(t *testing.T) {
	for name, c := range map[string]struct {
		path, text string
		line       int
		mend       Mend
	}{
		"no mend":                {"a.md", "x\n", 1, Mend{}},
		"not there":              {"a.md", "x\n", 1, Mend{"y", "z"}},
		"twice there":            {"a.md", "x x\n", 1, Mend{"x", "z"}},
		"whole file":             {"a.md", "x\n", 0, Mend{"x", "z"}},
		"no newline":             {"a.md", "x", 1, Mend{"x", "z"}},
		"too large":              {"a.md", "x" + strings.Repeat("y", maxPatch) + "\n", 1, Mend{"x", "z"}},
		"broken Go":              {"a.go", "package a\n", 1, Mend{"package", "func"}},
		"broken Python":          {"a.py", "a = 1\n", 1, Mend{"1", ")"}},
		"broken TypeScript":      {"a.ts", "let a = 1\n", 1, Mend{"1", "}"}},
		"a path that git quotes": {"a\"b.md", "x\n", 1, Mend{"x", "z"}},
	} {
		if got := mended(t, c.path, c.text, c.line, c.mend); got != "" {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if _, _, ok := Mended("no patch"); ok {
		t.Error("a text that is no patch changes a line")
	}
}

// A line that Excuse returns excuses its finding, whatever the finding's path and title, and excuses no finding
// with another title.
func TestExcuseExcuses(t *testing.T) {
	for _, f := range []Finding{
		{Check: "healer/x", Path: "a/b.go", Title: "The error of f is dropped"},
		{Check: "healer/x", Path: "a b/[slug]/c:d -- e*.tsx", Title: "One -- two"},
		{Check: "healer/x", Path: "bad\xff\n.py", Title: "Words: with a colon\nand a line"},
		{Check: "healer/x", Path: "", Title: "No licence"},
	} {
		line := f.Excuse()
		r := New("r", fstest.MapFS{ExcusesFile: {Data: []byte(line + "\n")}}, []Entry{{ExcusesFile, 1}}, nil, time.Time{})
		if why, ok := r.Excuses().For(&f); !ok || why != "REASON" {
			t.Errorf("%q does not excuse %+v", line, f)
		}
		title := f.Title
		f.Title += ", in 12 places"
		if again := f.Excuse(); title != "One -- two" && !strings.Contains(title, "\n") && again != line {
			t.Errorf("the number of places changes the excuse to %q", again)
		}
		f.Title = "Another thing"
		if _, ok := r.Excuses().For(&f); ok {
			t.Errorf("%q excuses %+v", line, f)
		}
	}
}

// A long path of a value keeps its beginning and its end, and a note says what is left out.
func TestLongWaysAreShortened(t *testing.T) {
	var way []Step
	for n := range 30 {
		way = append(way, Step{Path: "a.go", Line: n + 1, Quote: strings.Repeat("ä", 200)})
	}
	got := shorten(way)
	if len(got) != MaxSteps || got[0].Line != 1 || got[MaxSteps-1].Line != 30 || len(got[0].Quote) > maxStepText {
		t.Errorf("%d steps: %+v", len(got), got)
	}
	if note := got[MaxSteps/2-1].Note; note != "18 steps after this one are left out" {
		t.Errorf("%q", note)
	}
	if way[5].Note != "" || len(shorten(way[:3])) != 3 {
		t.Error("the way of the check was changed")
	}
}
