// Package inspecttest runs checks over small repositories. Some of them have a planted problem that the check must
// report; others have similar text about which the check must report nothing. Only tests of the packages below
// server/inspect use it.
package inspecttest

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"agentdungeon/server/inspect"
)

// Now is the value of Repo.Now in every case.
var Now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// Case is one small repository.
type Case struct {
	Name  string
	Files map[string]string // path and text
	// Sizes maps the paths of further files to their sizes in bytes. Their content is zero bytes.
	Sizes   map[string]int64
	History *History // nil: no git
	// Want lists the expected findings in the order of inspect.Worse, each as "path:line severity", with
	// " candidate" for one of confidence Doubtful. Line 0 means the whole file, path "" the whole repository. Silent
	// cases expect no finding.
	Want []string
}

// Facts holds the cases of one check: those in Planted have findings, those in Silent have none.
type Facts struct {
	Planted, Silent []Case
}

// Repo returns a Repo with the files of the case.
func (c Case) Repo() *inspect.Repo {
	fsys := fstest.MapFS{}
	var entries []inspect.Entry
	for p, text := range c.Files {
		fsys[p] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
		entries = append(entries, inspect.Entry{Path: p, Size: int64(len(text))})
	}
	for p, n := range c.Sizes {
		fsys[p] = &fstest.MapFile{Data: make([]byte, min(n, 1<<10)), Mode: 0o644}
		entries = append(entries, inspect.Entry{Path: p, Size: n})
	}
	var h inspect.History
	if c.History != nil {
		h = c.History
	}
	return inspect.New("corpus", fs.FS(fsys), entries, h, Now)
}

// Corpus runs each check over its cases, at least three planted and three silent ones.
func Corpus(t *testing.T, checks []inspect.Check, facts map[string]Facts) {
	t.Helper()
	known := map[string]bool{}
	for i := range checks {
		c := &checks[i]
		known[c.ID] = true
		t.Run(c.ID, func(t *testing.T) {
			f, ok := facts[c.ID]
			if !ok || len(f.Planted) < 3 || len(f.Silent) < 3 {
				t.Fatalf("%d planted and %d silent cases, want at least three of each", len(f.Planted), len(f.Silent))
			}
			if c.Hero == "" || !strings.HasPrefix(c.ID, c.Hero+"/") || c.Looks == "" || c.Rule == "" ||
				strings.HasSuffix(c.Looks, ".") {
				t.Errorf("the check lacks an id, a hero, Looks or Rule: %+v", *c)
			}
			for _, x := range f.Planted {
				t.Run("planted/"+x.Name, func(t *testing.T) {
					if len(x.Want) == 0 {
						t.Fatal("a planted case wants no finding")
					}
					x.hold(t, c)
				})
			}
			for _, x := range f.Silent {
				t.Run("silent/"+x.Name, func(t *testing.T) {
					if len(x.Want) != 0 {
						t.Fatal("a silent case wants a finding")
					}
					x.hold(t, c)
				})
			}
		})
	}
	for id := range facts {
		if !known[id] {
			t.Errorf("Corpus has cases for %s, which is not a check", id)
		}
	}
}

func (c Case) hold(t *testing.T, check *inspect.Check) {
	t.Helper()
	res := inspect.Run(context.Background(), c.Repo(), check)
	if res.Err != nil {
		t.Errorf("the check failed: %v", res.Err)
	}
	var got []string
	for _, f := range res.Findings {
		place := fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Severity)
		if f.Confidence == inspect.Doubtful {
			place += " candidate"
		}
		got = append(got, place)
		if f.Title == "" || f.Evidence == "" || f.Why == "" || f.Advice == "" {
			t.Errorf("the finding is incomplete: %+v", f)
		}
		if strings.HasSuffix(f.Title, ".") {
			t.Errorf("a title ends with a full stop: %q", f.Title)
		}
	}
	if lacks, ok := check.Ground(context.Background(), c.Repo()); !ok && len(got) > 0 {
		t.Errorf("the check found %q, but its Ground says that it needs one of %q", got, lacks)
	}
	if !slices.Equal(got, c.Want) {
		t.Errorf("found %q, want %q", got, c.Want)
		for _, f := range res.Findings {
			t.Logf("%s:%d %s: %s | %s", f.Path, f.Line, f.Severity, f.Title, f.Evidence)
		}
	}
}

// History is a made-up inspect.History.
type History struct {
	Count  int
	Partly bool // not all commits were read
	Files  map[string]inspect.Past
	Lines  map[string]inspect.Author // by "path:line"
	// Tagged has the texts of the files at the tag TagName. If TagName is "", there is no tag.
	TagName string
	TagAt   time.Time
	Tagged  map[string]string
}

var _ inspect.History = (*History)(nil)

// Head returns a made-up commit. No file has changed since that commit.
func (h *History) Head() string { return "c0ffee" }

func (h *History) State(context.Context) (string, error) {
	return fmt.Sprint(h.Head(), h.Count, h.Partly, h.TagName), nil
}

func (h *History) Since(_ context.Context, commit string) ([]string, bool) {
	return nil, commit == h.Head()
}

func (h *History) Commits() (int, bool) { return h.Count, !h.Partly }

func (h *History) Past(p string) (inspect.Past, bool) {
	past, ok := h.Files[p]
	if past.Born.IsZero() {
		past.Born = past.First
	}
	return past, ok
}

func (h *History) Blame(_ context.Context, p string, line int) (inspect.Author, error) {
	a, ok := h.Lines[fmt.Sprintf("%s:%d", p, line)]
	if !ok {
		return a, fmt.Errorf("%s:%d has no author", p, line)
	}
	return a, nil
}

func (h *History) Tag(context.Context) (string, time.Time, func(string) ([]byte, bool), error) {
	return h.TagName, h.TagAt, func(p string) ([]byte, bool) {
		text, ok := h.Tagged[p]
		return []byte(text), ok
	}, nil
}

// Endure runs checks over a repository that is slow to check or deeply nested. It fails the test if a check returns
// an error, except for the checks whose ids are in allowed. It sets no time limit of its own: a check that takes far
// more than linear time exceeds the time limit of the test binary.
func Endure(t *testing.T, r *inspect.Repo, checks []inspect.Check, allowed ...string) {
	t.Helper()
	for _, c := range checks {
		err := c.Run(context.Background(), r, func(inspect.Finding) {})
		if err != nil && !slices.Contains(allowed, c.ID) {
			t.Errorf("%s: %v", c.ID, err)
		}
	}
}

// Patches runs the check with an id over files and returns the new text of the line that the patch of its first finding
// changes, "" if that has no patch.
func Patches(t *testing.T, checks []inspect.Check, id string, files map[string]string) string {
	t.Helper()
	i := slices.IndexFunc(checks, func(c inspect.Check) bool { return c.ID == id })
	res := inspect.Run(t.Context(), Case{Files: files}.Repo(), &checks[i])
	if len(res.Findings) == 0 {
		t.Fatalf("nothing is found in %v", files)
	}
	_, text, _ := inspect.Mended(res.Findings[0].Patch)
	return strings.TrimSpace(text)
}
