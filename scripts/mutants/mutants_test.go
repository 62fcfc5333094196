package main

import (
	"context"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// Every mutant fits the current tree: the text of its search occurs exactly once, the broken file is valid Go, and
// its test exists in the named package and cites the row (the id of the broken rule).
func TestMutantsFitTheTree(t *testing.T) {
	all, err := load("breaks")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 9 {
		t.Errorf("only %d mutants", len(all))
	}
	for _, m := range all {
		text, err := os.ReadFile(filepath.Join(root, m.file))
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		broken, err := m.apply(text)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if m.ofPage() { // tsc checks the types of a page's mutant when try runs it
		} else if _, err := parser.ParseFile(token.NewFileSet(), m.file, broken, 0); err != nil {
			t.Errorf("%s: the break is no Go: %v", m.name, err)
		}
		if err := cited(root, m); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

const form = `row: B5
why: nothing is added
file: a.go
test: . TestAdd/two
says: B5
--- search
a + b
--- replace
a - b
--- end
`

func TestParse(t *testing.T) {
	m, err := parse("less", form)
	if want := (mutant{"less", "B5", "nothing is added", "a.go", ".", "TestAdd/two", "B5", "a + b", "a - b"}); err != nil || m != want {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := parse("gone", strings.Replace(form, "a - b\n", "", 1)); err != nil || m.replace != "" {
		t.Errorf("nothing in the place of the search: %+v, %v", m, err)
	}
	page := strings.NewReplacer("a.go", "client/src/a.ts", ". TestAdd/two", "client/src/a.test.ts adds two and two").Replace(form)
	if m, err := parse("page", page); err != nil || !m.ofPage() || m.pkg != "client/src/a.test.ts" || m.test != "adds two and two" {
		t.Errorf("of the page: %+v, %v", m, err)
	}
	for what, text := range map[string]string{
		"a field is missing":     strings.Replace(form, "says: B5\n", "", 1),
		"another line has set":   "row: B6\n" + form,
		"not begin with a field": "rows: B6\n" + form,
		"changes nothing":        strings.Replace(form, "a - b", "a + b", 1),
		"must have --- search":   strings.Replace(form, "--- end\n", "", 1),
		"a test's name":          strings.Replace(form, ". TestAdd/two", "TestAdd", 1),
		"no Go file":             strings.Replace(form, "a.go", "a_test.go", 1),
		"a test's title":         strings.Replace(form, "a.go", "client/src/a.ts", 1),
		"no file of the page": strings.NewReplacer(
			"a.go", "client/src/a.test.ts", ". TestAdd/two", "client/src/a.test.ts adds two").Replace(form),
	} {
		want := strings.TrimPrefix(what, "a field ")
		if _, err := parse("x", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestApplyWantsOnePlace(t *testing.T) {
	m := mutant{file: "a.go", search: "x", replace: "y"}
	if got, err := m.apply([]byte("a x b")); err != nil || string(got) != "a y b" {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"a b", "x x"} {
		if _, err := m.apply([]byte(text)); err == nil {
			t.Errorf("%q is broken", text)
		}
	}
}

// A sample depends only on the commit and on the changed paths. Over many commits it chooses every
// mutant, and it always contains the mutants of changed files.
func TestSample(t *testing.T) {
	var all []mutant
	for _, name := range strings.Fields("a b c d e f g h i j") {
		all = append(all, mutant{name: name, file: name + ".go"})
	}
	names := func(hash string, changed ...string) (out []string) {
		for _, m := range sample(all, hash, changed) {
			out = append(out, m.name)
		}
		return out
	}
	reached := map[string]bool{}
	for i := range 30 {
		hash := strconv.Itoa(i)
		got := names(hash)
		if len(got) != sampled || !slices.Equal(got, names(hash)) {
			t.Errorf("commit %s: %v, then %v", hash, got, names(hash))
		}
		for _, n := range got {
			reached[n] = true
		}
	}
	if len(reached) != len(all) {
		t.Errorf("30 commits reach only %v", reached)
	}
	got := names("1", "c.go", "README.md", breaks+"/e.txt")
	if !slices.Contains(got, "c") || !slices.Contains(got, "e") || len(got) > sampled+2 || !slices.IsSorted(got) {
		t.Errorf("with changes: %v", got)
	}
	if got := sample(all[:2], "1", nil); len(got) != 2 {
		t.Errorf("of two: %v", got)
	}
}

// commit returns the paths that differ between the work tree and the commit before HEAD.
func TestCommit(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	put("a", "1")
	put("b", "1")
	git("add", ".")
	git("commit", "-qm", "one")
	if hash, changed, err := commit(context.Background(), dir); err != nil || len(hash) < 40 || len(changed) != 0 {
		t.Errorf("the first commit: %s, %v, %v", hash, changed, err)
	}
	put("a", "2")
	put("c", "1")
	git("add", ".")
	git("commit", "-qm", "two")
	put("b", "2")
	put("new", "1")
	if _, changed, err := commit(context.Background(), dir); err != nil || !slices.Equal(changed, []string{"a", "b", "c", "new"}) {
		t.Errorf("changed: %v, %v", changed, err)
	}
}
