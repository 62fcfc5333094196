package reuse_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/mod/module"

	"agentdungeon/server/agent/local"
	"agentdungeon/server/agent/reuse"
	"agentdungeon/server/folder"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
)

// bench is a repository with git, reviewed by one check that counts its runs and reports the line of a.go that has
// "wrong" in it.
type bench struct {
	t    *testing.T
	dir  string
	kept string
	runs int
	// needs is a module for which the check asks.
	needs   module.Version
	library shelf
	program string
	fails   error
	during  func() // called while the check runs
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), kept: filepath.Join(t.TempDir(), "kept"), library: shelf{"std go1"}, program: "p"}
	b.write("a.go", "package a\n\nvar wrong = 1\n")
	b.git("init", "-q")
	b.git("add", ".")
	b.git("commit", "-q", "-m", "Begin")
	return b
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) git(args ...string) {
	b.t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=G", "-c", "user.email=g@example.org"}, args...)...)
	c.Dir = b.dir
	if out, err := c.CombinedOutput(); err != nil {
		b.t.Fatalf("git %s: %v: %s", args, err, out)
	}
}

func (b *bench) check() inspect.Check {
	return inspect.Check{ID: "x/wrong", Hero: "x", Run: func(_ context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
		b.runs++
		if b.during != nil {
			b.during()
		}
		if b.needs.Path != "" {
			r.Library.Module(b.needs)
		}
		text, _ := r.Text("a.go")
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "wrong") {
				tell(inspect.Finding{Severity: inspect.High, Title: "It is wrong", Path: "a.go", Line: i + 1, Evidence: line, Why: "w", Advice: "a"})
			}
		}
		return b.fails
	}}
}

// review reviews the repository and returns the report as JSON, and whether it was kept from before.
func (b *bench) review(since string) (text string, again bool) {
	b.t.Helper()
	ctx := b.t.Context()
	r, closer, err := folder.Inspect(ctx, b.dir, folder.Options{}, time.Now())
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() {
		if err := closer.Close(); err != nil {
			b.t.Error(err)
		}
	}()
	if b.library != nil {
		r.Library = b.library
	}
	if since != "" {
		if err := folder.Base(ctx, r, since); err != nil {
			b.t.Fatal(err)
		}
	}
	before := b.runs
	out, at, err := reuse.Open(b.kept, b.program).Review(ctx, r, []inspect.Check{b.check()}, "1", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	if again = b.runs == before; again == at.IsZero() {
		b.t.Errorf("%d runs, and the review is one of %s", b.runs-before, at)
	}
	return b.reports(out), again
}

func (b *bench) reports(out *local.Outcome) string {
	b.t.Helper()
	out.Source.Now = time.Unix(0, 0)
	all := []string{report.Text(out.Source), fmt.Sprint(out.From(inspect.High), out.Whole, out.Coverage)}
	for _, format := range []string{report.FormatJSON, report.FormatMarkdown, report.FormatSARIF} {
		f, err := report.Make(out.Source, report.Want{Format: format})
		if err != nil {
			b.t.Fatal(err)
		}
		all = append(all, string(f.Data))
	}
	return strings.Join(all, "\n")
}

// shelf is a Library: the state of the standard library, and then the modules that it has.
type shelf []string

func (s shelf) Standard() fs.FS { return nil }
func (s shelf) State() string   { return s[0] }
func (s shelf) Module(v module.Version) fs.FS {
	for _, m := range s[1:] {
		if m == v.String() {
			return fstest.MapFS{}
		}
	}
	return nil
}

// A second review of the same state returns the kept result, which equals a new one. If anything changes on which the
// result depends, the repository is reviewed anew.
func TestOnlyTheSameIsUsedAgain(t *testing.T) {
	for name, change := range map[string]func(*bench){
		"a text":              func(b *bench) { b.write("a.go", "package a\n\nvar other = 1\n") },
		"a text's place":      func(b *bench) { b.write("a.go", "package a\n\n\nvar wrong=1\n") },
		"a new file":          func(b *bench) { b.write("b.go", "package a\n") },
		"an ignored file":     func(b *bench) { b.write(".gitignore", "a.go\n"); b.git("rm", "-q", "--cached", "a.go") },
		"a commit":            func(b *bench) { b.git("commit", "-q", "--allow-empty", "-m", "More") },
		"a tag":               func(b *bench) { b.git("tag", "v1.0.0") },
		"the program":         func(b *bench) { b.program = "q" },
		"the Go library":      func(b *bench) { b.library = shelf{"std go2"} },
		"no Go library":       func(b *bench) { b.library = nil },
		"a downloaded module": func(b *bench) { b.library = append(b.library, "m@v1.0.0") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if name == "a downloaded module" {
				b.needs = module.Version{Path: "m", Version: "v1.0.0"}
			}
			first, again := b.review("")
			if again || !strings.Contains(first, "It is wrong") {
				t.Fatalf("the first review was kept: %s", first)
			}
			if second, again := b.review(""); !again || second != first {
				t.Fatalf("the second review, from before: %t\n%s\n, the first:\n%s", again, second, first)
			}
			change(b)
			if _, again := b.review(""); again {
				t.Error("a review of another state is the kept one")
			}
		})
	}
}

// The kept result of a review of a change is used again only for the same base.
func TestBaseCounts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("a.go", "package a\n\nvar wrong = 1\nvar wrongToo = 2\n")
	b.git("commit", "-q", "-a", "-m", "More")
	b.git("branch", "same")
	whole, _ := b.review("")
	for _, since := range []string{"HEAD~1", "HEAD", "same"} {
		first, again := b.review(since)
		if again || first == whole {
			t.Errorf("since %s the review is that of another base", since)
		}
		if second, again := b.review(since); !again || second != first {
			t.Errorf("since %s, from before: %t\n%s\nfirst:\n%s", since, again, second, first)
		}
	}
}

// A result is not kept if the next review could have another one: if a check failed, if the folder has no commits, if
// the Go library is unknown, or if files changed during the review.
func TestOnlyTheSureIsKept(t *testing.T) {
	for name, prepare := range map[string]func(*bench){
		"a check that failed": func(b *bench) { b.fails = io.ErrUnexpectedEOF },
		"no commit": func(b *bench) {
			if err := os.RemoveAll(filepath.Join(b.dir, ".git")); err != nil {
				b.t.Fatal(err)
			}
		},
		"an unknown Go library": func(b *bench) { b.library = shelf{""} },
		"a file that changed meanwhile": func(b *bench) {
			b.during = func() { b.write("a.go", fmt.Sprintf("package a\n\nvar wrong = %d\n", b.runs+1)) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			prepare(b)
			for range 2 {
				if _, again := b.review(""); again {
					t.Error("the review was kept")
				}
			}
		})
	}
}

// If the file of a result is damaged or missing, the repository is reviewed again. At most 20 results are kept, and
// only the user can read them.
func TestFilesOfResults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, _ := b.review("")
	files, err := filepath.Glob(filepath.Join(b.kept, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	for _, text := range []string{"", "{", "{}", `{"world":{},"land":{}}`, "null", `{"world":{"artifacts":[{}]},"land":{}}`} {
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, again := b.review(""); again || text != first {
			t.Errorf("a file with %q was taken", text)
		}
		if _, again := b.review(""); !again {
			t.Error("the file was not replaced")
		}
	}
	for n := range 25 {
		b.program = fmt.Sprint(n)
		b.review("")
	}
	if files, err = filepath.Glob(filepath.Join(b.kept, "*")); err != nil || len(files) != 20 {
		t.Errorf("%d results are kept: %v", len(files), err)
	}
	for _, name := range append(files, b.kept) {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}
