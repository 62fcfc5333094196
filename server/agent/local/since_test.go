package local_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/agent/local"
	"agentdungeon/server/folder"
	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/api"
	"agentdungeon/server/inspect/change"
	"agentdungeon/server/inspect/flows"
)

// repository is a git repository that a test makes.
type repository struct {
	*testing.T
	dir string
}

// with makes a repository and commits the files.
func with(t *testing.T, files map[string]string) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there to make a repository with")
	}
	r := &repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	r.write(files)
	r.commit()
	return r
}

func (r *repository) git(args ...string) {
	r.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=Grace", "-c", "user.email=grace@example.org"}, args...)...)
	c.Dir = r.dir
	if out, err := c.CombinedOutput(); err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (r *repository) commit() {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-qm", "next", "--allow-empty")
}

// write writes files, and deletes those whose text is "".
func (r *repository) write(files map[string]string) {
	r.Helper()
	for name, text := range files {
		file := filepath.Join(r.dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if text == "" {
			err = os.Remove(file)
		} else if err == nil {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			r.Fatal(err)
		}
	}
}

// review reviews what has changed since a revision.
func (r *repository) review(rev string, checks ...inspect.Check) *local.Outcome {
	r.Helper()
	repo, closer, err := folder.Inspect(r.Context(), r.dir, folder.Options{}, time.Unix(0, 0))
	if err != nil {
		r.Fatal(err)
	}
	if err := folder.Base(r.Context(), repo, rev); err != nil {
		r.Fatal(err)
	}
	var done []int
	out, err := local.Review(r.Context(), repo, checks, "1", func(n int) { done = append(done, n) })
	if err != nil {
		r.Fatal(err)
	}
	if n := local.Runs(repo, checks); len(done) != n || done[n-1] != n {
		r.Errorf("progress %v of %d", done, n)
	}
	if err := closer.Close(); err != nil {
		r.Fatal(err)
	}
	return out
}

// said returns the findings as "path: state, place", and the mended ones as "path: mended".
func said(out *local.Outcome) (all []string) {
	c := out.Source.Change
	for _, f := range out.Source.World.Findings {
		all = append(all, f.Path+": "+c.Marks[f.ID].State+", "+c.Marks[f.ID].Place)
	}
	for _, f := range c.Shown {
		all = append(all, f.Path+": mended")
	}
	return all
}

const (
	// asks is a Go file with a query that is joined from a request.
	asks = `package shop

import (
	"database/sql"
	"net/http"
)

// Find answers with one row.
func Find(db *sql.DB, r *http.Request) *sql.Row {
	return db.QueryRow("SELECT name FROM users WHERE name = '" + r.FormValue("name") + "'")
}
`
	none = "package shop\n"
	// caller calls a helper: one that makes a number of the value, or one that lets it pass.
	caller = `package shop

import (
	"database/sql"
	"net/http"
)

// Ask answers with one row.
func Ask(db *sql.DB, r *http.Request) *sql.Row {
	v := text(r.FormValue("name"))
	return db.QueryRow("SELECT name FROM users WHERE name = '" + v + "'")
}
`
	numbers = "package shop\n\nimport \"strconv\"\n\nfunc text(v string) string {\n\tn, err := strconv.Atoi(v)\n" +
		"\tif err != nil {\n\t\treturn \"\"\n\t}\n\treturn strconv.Itoa(n)\n}\n"
	passes = "package shop\n\nfunc text(v string) string {\n\treturn v\n}\n"
)

// helpers has one helper that runs a statement and one that builds it; passing returns a handler that calls one of them.
const helpers = "package shop\n\nimport \"database/sql\"\n\nvar db *sql.DB\n\nfunc ask(s string) { db.Query(s) }\n\n" +
	"func find(x string) { ask(\"SELECT a FROM b WHERE c = '\" + x + \"'\") }\n"

func passing(name, helper string) string {
	text := "package shop\n\nimport \"net/http\"\n\nfunc " + name + "(w http.ResponseWriter, r *http.Request) {\n" +
		"\tx := \"SELECT a FROM b WHERE c = '\" + r.FormValue(\"x\") + \"'\"\n\task(x)\n}\n"
	if helper == "find" {
		text = strings.Replace(strings.Replace(text, "\"SELECT a FROM b WHERE c = '\" + ", "", 1), " + \"'\"\n\task", "\n\tfind", 1)
	}
	return text
}

// files is a short way to write a map of files.
func files(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

// A review of a change compares with the base: findings that the base does not have count, older findings in changed
// code are shown, and other older findings are not. The result is the same whether the change is uncommitted, staged or
// committed.
func TestReviewOfAChange(t *testing.T) {
	second := strings.Replace(asks[strings.Index(asks, "\n// Find"):], "Find", "Seek", 2)
	for _, tc := range []struct {
		name     string
		was, now map[string]string
		counted  int
		want     []string
	}{
		{"new", files("a.go", none), files("a.go", asks), 1, []string{"a.go: new, in the new function Find"}},
		{"new file", files("b.go", none), files("a.go", asks), 1, []string{"a.go: new, in the new file a.go"}},
		{"elsewhere", files("a.go", asks, "b.go", none), files("b.go", none+"\nvar b = 1\n"), 0, nil},
		{"moved", files("a.go", asks), files("a.go", strings.Replace(asks, "// Find", "var a = 1\n\n// Find", 1)), 0, nil},
		{"older in a changed function", files("a.go", asks), files("a.go", strings.Replace(asks, "\treturn", "\tprintln()\n\treturn", 1)),
			0, []string{"a.go: unchanged, in the changed function Find"}},
		{"comment", files("a.go", asks), files("a.go", strings.Replace(asks, "\treturn", "\t// word\n\treturn", 1)), 0, nil},
		{"its own line", files("a.go", asks), files("a.go", strings.Replace(asks, "SELECT name", "SELECT id", 1)), 0,
			[]string{"a.go: updated, in the changed function Find"}},
		{"mended", files("a.go", asks), files("a.go", none), 0, []string{"a.go: mended"}},
		{"deleted", files("a.go", asks, "b.go", none), files("a.go", ""), 0, []string{"a.go: mended"}},
		{"renamed", files("a.go", asks), files("a.go", "", "b.go", asks), 0, nil},
		{"renamed and changed", files("a.go", asks), files("a.go", "", "b.go", strings.Replace(asks, "\treturn", "\tprintln()\n\treturn", 1)),
			0, []string{"b.go: unchanged, in the changed function Find"}},
		{"copied within the file", files("a.go", asks), files("a.go", asks+second), 1, []string{"a.go: new, in the new function Seek"}},
		{"copied above", files("a.go", asks), files("a.go", strings.Replace(asks, "\n// Find", second+"\n// Find", 1)), 1,
			[]string{"a.go: new, in the new function Seek"}},
		{"moved to another function", files("a.go", asks), files("a.go", strings.ReplaceAll(asks, "Find", "Seek")), 0,
			[]string{"a.go: unchanged, in the new function Seek"}},
		{"another by the same helper", files("a.go", passing("A", "ask"), "b.go", helpers), files("c.go", passing("C", "ask")), 1,
			[]string{"c.go: new, in the new file c.go"}},
		{"another by a helper that builds", files("a.go", passing("A", "find"), "b.go", helpers), files("c.go", passing("C", "find")), 1,
			[]string{"b.go: new, in code that depends on the change: it uses changed code at c.go:6, c.go:7"}},
		{"one mended, another with its line", files("a.go", passing("A", "ask")+"\nfunc B() {}\n", "b.go", helpers),
			files("a.go", strings.Replace(passing("B", "ask"), "SELECT", "DELETE FROM x; SELECT", 1)+"\nfunc A() {}\n"), 1,
			[]string{"a.go: new, in the changed function B", "a.go: mended"}},
		{"its helper changed", files("a.go", caller, "b.go", numbers), files("b.go", passes), 1,
			[]string{"a.go: new, in code that depends on the change: it uses changed code at b.go:3"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := with(t, files("go.mod", "module example.org/shop\n\ngo 1.22\n"))
			r.write(tc.was)
			r.commit()
			r.write(tc.now)
			for _, in := range []string{"working tree", "index", "commit", "branch"} {
				rev := "HEAD"
				switch in {
				case "index":
					r.git("add", "-A")
				case "commit":
					r.commit()
					rev = "HEAD~1"
				case "branch": // which has gone on
					r.git("checkout", "-q", "-b", "other", "HEAD~1")
					r.write(files("c.go", strings.Replace(asks, "Find", "Other", 2)))
					r.commit()
					r.git("checkout", "-q", "main")
					rev = "other"
				}
				out := r.review(rev, flows.Checks("sentinel")...)
				if got := said(out); !slices.Equal(got, tc.want) || out.From(inspect.High) != tc.counted {
					t.Errorf("%s: %q, %d counted; want %q, %d", in, got, out.From(inspect.High), tc.want, tc.counted)
				}
			}
		})
	}
}

// bad returns a check that reports the lines with the word "bad".
func bad(local bool) inspect.Check {
	return inspect.Check{ID: "x/bad", Hero: "x", Local: local, Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
		for f, text := range r.All(ctx, "Text") {
			for n, line := range inspect.Lines(text) {
				if strings.Contains(line, "bad") {
					tell(inspect.Finding{Severity: inspect.High, Title: "Bad", Path: f.Path, Line: n, Evidence: line, Why: "w", Advice: "a"})
				}
			}
		}
		return ctx.Err()
	}}
}

// Many older findings do not hide a new one, whether or not the check looks at each file alone. If the change removes
// the line that accepted a finding, the finding is new; if the change accepts a finding, the finding does not count as
// mended.
func TestOlderFindingsHideNoNewOne(t *testing.T) {
	many := ""
	for i := range 3 * inspect.MaxPerCheck {
		many += fmt.Sprintf("bad %d\n", i)
	}
	accepts := "x/bad c.txt -- as it should be\n"
	for _, local := range []bool{true, false} {
		r := with(t, files("a.txt", many, "b.txt", "good\n", "c.txt", "bad c\n", inspect.ExcusesFile, accepts))
		r.write(files("b.txt", "good\nbad b\n", "a.txt", "first\n"+many))
		if got := said(r.review("HEAD", bad(local))); !slices.Equal(got, []string{"b.txt: new, in a changed line"}) {
			t.Errorf("local %v: %q", local, got)
		}
		r.commit()
		r.write(files(inspect.ExcusesFile, "# none\n"))
		if got := said(r.review("HEAD", bad(local))); !slices.Equal(got, []string{"c.txt: new, in code that depends on the change"}) {
			t.Errorf("local %v: %q", local, got)
		}
		r.commit()
		r.write(files(inspect.ExcusesFile, accepts))
		if got := said(r.review("HEAD", bad(local))); len(got) != 0 {
			t.Errorf("local %v: %q", local, got)
		}
	}
}

// The coverage of a review of a change is about the changed files alone, and names what could not be read.
func TestCoverageOfAChange(t *testing.T) {
	r := with(t, files("a.go", none, "b.php", "<?php\n", "c.py", "x = 1\n"))
	r.write(files("a.go", none+"var x = 1\n", "d.php", "<?php eval($_GET['x']);\n", "e.py", strings.Repeat("# e\n", 300_000)))
	out := r.review("HEAD", flows.Checks("sentinel")...)
	got := map[string][3]int{}
	for _, l := range out.Coverage.Languages {
		got[l.Lang] = [3]int{l.Parsed.Files, l.Matched.Files, l.Unread.Files}
	}
	want := map[string][3]int{"Go": {1, 0, 0}, "PHP": {0, 1, 0}, "Python": {0, 0, 1}}
	if !maps.Equal(got, want) || !slices.Equal(out.Coverage.Unknown(), []string{"Python", "PHP"}) && !slices.Equal(out.Coverage.Unknown(), []string{"PHP", "Python"}) {
		t.Errorf("%v, unknown %q", got, out.Coverage.Unknown())
	}
	if !slices.ContainsFunc(out.Coverage.Limits, func(l string) bool { return strings.Contains(l, "e.py") }) {
		t.Errorf("limits %q", out.Coverage.Limits)
	}
}

const library = `package lib

func Keep() {}

func Gone() {}

func Takes(a int) {}

func unexported() {}
`

// A review of a change compares the exported names with its base, not with the last tag. A change to a name that no
// version has yet breaks nobody, and a break that the base already has is not reported again.
func TestAPIBreaksOfAChange(t *testing.T) {
	module := "module example.org/lib\n\ngo 1.22\n"
	without := strings.Replace(strings.Replace(library, "func Gone() {}\n", "", 1), "a int", "a string", 1)
	for _, tc := range []struct {
		name     string
		tag      string // on the first commit
		was, now map[string]string
		want     []string // severity, path, words of the evidence
	}{
		{"of a version", "v1.0.0", nil, files("lib.go", without),
			[]string{"high lib.go func Gone is gone", "high lib.go func Takes was func(int) ()"}},
		{"below v1", "v0.1.0", nil, files("lib.go", without), []string{"low lib.go func Gone is gone", "low lib.go func Takes was"}},
		{"without a version", "", nil, files("lib.go", without), []string{"low lib.go func Gone is gone", "low lib.go func Takes was"}},
		{"broken before", "v1.0.0", files("lib.go", without), files("lib.go", without+"\nfunc More() {}\n"), nil},
		{"never released", "v1.0.0", files("more.go", "package lib\n\nfunc More() {}\n"), files("more.go", "package lib\n"), nil},
		{"added", "v1.0.0", nil, files("lib.go", library+"\nfunc More() {}\n"), nil},
		{"moved to another file", "v1.0.0", nil, files("lib.go", "", "other.go", library), nil},
		{"file deleted", "v1.0.0", nil, files("lib.go", "", "other.go", "package lib\n\nfunc Keep() {}\n\nfunc Gone() {}\n"), []string{"high other.go func Takes is gone"}},
		{"package deleted", "v1.0.0", nil, files("sub/sub.go", ""), []string{"high go.mod sub/sub.go with the package sub"}},
		{"package moved", "v1.0.0", nil, files("sub/sub.go", "", "internal/sub/sub.go", "package sub\n\nfunc Sub() {}\n"),
			[]string{"high go.mod sub/sub.go with the package sub"}},
		{"testdata deleted", "v1.0.0", files("testdata/a/a.go", "package a\n"), files("testdata/a/a.go", ""), nil},
		{"unexported", "v1.0.0", nil, files("lib.go", strings.Replace(library, "unexported", "renamed", 1)), nil},
	} {
		r := with(t, files("go.mod", module, "lib.go", library, "sub/sub.go", "package sub\n\nfunc Sub() {}\n"))
		if tc.tag != "" {
			r.git("tag", tc.tag)
		}
		r.write(tc.was)
		r.commit()
		r.write(tc.now)
		var checks []inspect.Check
		for _, c := range api.Checks() {
			if c.ID == "warden/go-api-break" {
				checks = append(checks, c)
			}
		}
		out := r.review("HEAD", checks...)
		var all []string
		for _, f := range out.Source.World.Findings {
			all = append(all, f.Severity+" "+f.Path+" "+f.Evidence)
			if m := out.Source.Change.Marks[f.ID]; m.State != inspect.StateNew {
				t.Errorf("%s: %+v", tc.name, m)
			}
		}
		text := strings.Join(all, "\n")
		for _, want := range tc.want {
			severity, rest, _ := strings.Cut(want, " ")
			path, words, _ := strings.Cut(rest, " ")
			if !strings.Contains(text, severity+" "+path) || !strings.Contains(text, words) {
				t.Errorf("%s: %q lacks %q", tc.name, text, want)
			}
		}
		if len(tc.want) == 0 && text != "" || out.Source.Change.Mended > 0 {
			t.Errorf("%s: %q, %d mended", tc.name, text, out.Source.Change.Mended)
		}
	}
}

// The checks that need a base find nothing in a review of everything, and a change has the same result each time.
func TestChecksOfAChange(t *testing.T) {
	r := with(t, files("go.mod", "module example.org/shop\n", "a.go", none, "a_test.go", none, "b/b.go", "package b\n",
		"main.go", "package shop\n\nimport \"os\"\n\nvar home = os.Getenv(\"SHOP_HOME\")\n", "README.md", "Set SHOP_HOME.\n"))
	r.write(files("main.go", "package shop\n", "b/b.go", "package b\n\nfunc New() {\n\ta := 1\n\ta++\n\tprintln(a)\n}\n"))
	want := []string{"README.md: new, about the change itself", "b/b.go: new, in the new function New"}
	for range 3 {
		if got := said(r.review("HEAD", change.Checks()...)); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	}
	repo, closer, err := folder.Inspect(t.Context(), r.dir, folder.Options{}, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	out, err := local.Review(t.Context(), repo, change.Checks(), "1", nil)
	if err != nil || len(out.Source.World.Findings) != 0 || out.Source.Change != nil {
		t.Errorf("%v, %+v", err, out)
	}
	if err := closer.Close(); err != nil {
		t.Error(err)
	}
}
