package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// try runs the go command in an invented module. A mutant counts as killed only if the test fails by
// the assertion that the mutant names. try changes no file of the module.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"go.mod": "module mutated\n\ngo 1.26\n",
		"add.go": "package mutated\n\nfunc add(a, b int) int { return a + b }\n",
		"add_test.go": `package mutated

import "testing"

func TestAdd(t *testing.T) { // B5
	t.Log("B5: three")
	if got := add(1, 2); got != 3 {
		t.Fatalf("B5: one and two are\n%d", got)
	}
}

func TestSubtests(t *testing.T) {
	t.Run("with two", func(t *testing.T) {
		if add(1, 2) != 3 {
			t.Error("B5: not three")
		}
	})
	t.Run("with zero", func(t *testing.T) {
		if add(1, 0) != 1 {
			t.Error("B5: not one")
		}
	})
}

func TestWeak(t *testing.T) { // B5
	if add(0, 0) != 0 {
		t.Error("B5")
	}
}

func TestBroken(t *testing.T) { // B5
	t.Error("B5")
}
`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := newTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.close()
	tr.limit = 5 * time.Second
	base := mutant{name: "m", row: "B5", file: "add.go", pkg: ".", search: "a + b", replace: "a - b"}
	for name, tc := range map[string]struct{ test, says, replace, fault string }{
		"killed":            {"TestAdd", "one and two are\n-1", "a - b", ""},
		"by a subtest":      {"TestSubtests/with_two", "not three", "a - b", ""},
		"survives":          {"TestWeak", "B5", "a - b", "survives: TestWeak passes with the break"},
		"another subtest":   {"TestSubtests/with_zero", "B5", "a - b", "survives"},
		"other words":       {"TestAdd", "another promise", "a - b", "fails, but by no assertion that says"},
		"panics":            {"TestAdd", "B5", "func() int { panic(b) }()", "crash, not by an assertion: panic: 2"},
		"never ends":        {"TestAdd", "B5", "func() int { select {} }()", "crash, not by an assertion: panic: test timed out"},
		"does not compile":  {"TestAdd", "B5", "c", "the break does not compile"},
		"fails all the way": {"TestBroken", "B5", "a - b", "TestBroken does not pass on the tree as it is"},
		"no such test":      {"TestNone", "B5", "a - b", "TestNone does not pass on the tree as it is"},
	} {
		m := base
		m.test, m.says, m.replace = tc.test, tc.says, tc.replace
		v := tr.try(context.Background(), m)
		if v.killed != (tc.fault == "") || !strings.Contains(v.fault, tc.fault) {
			t.Errorf("%s: %q, want %q\n%s", name, v.fault, tc.fault, v.output)
		}
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s has become %q, %v", name, got, err)
		}
	}
}

// Three crashes that the module of TestTry does not have: a deadlock in a synctest bubble, a race,
// and a test binary that the go command had to kill.
func TestCrashesAreNoAssertions(t *testing.T) {
	for _, line := range []string{
		"panic: deadlock: main bubble goroutine has exited but blocked goroutines remain [recovered, repanicked]",
		"WARNING: DATA RACE", "*** Test killed with quit: ran too long (4m0s).",
	} {
		o, err := read(strings.NewReader(
			`{"Action":"output","Test":"TestA","Output":"    a_test.go:1: B5\n"}
{"Action":"output","Test":"TestA","Output":"`+line+`\n"}
{"Action":"fail","Test":"TestA"}`), "TestA")
		if err != nil {
			t.Fatal(err)
		}
		v := judge(mutant{test: "TestA", says: "B5"}, outcome{built: true, ran: true, passed: true}, o)
		if v.killed || !strings.Contains(v.fault, "not by an assertion") {
			t.Errorf("%s: %+v", line, v)
		}
	}
}

// A mutant of the page is killed by an error that expect throws, and by no other error.
func TestReadPage(t *testing.T) {
	m := mutant{test: "adds", says: "B5"}
	whole := outcome{built: true, ran: true, passed: true}
	report := func(status, message string) string {
		return `{"testResults":[{"message":"","assertionResults":[{"title":"subtracts","status":"skipped","failureMessages":[]},{"title":"adds","status":"` +
			status + `","failureMessages":["` + message + `"]}]}]}`
	}
	for name, tc := range map[string]struct{ report, fault string }{
		"killed":      {report("failed", `AssertionError: B5: expected 1 to be 3\n    at a.test.ts:1`), ""},
		"other words": {report("failed", `AssertionError: expected 1 to be 3`), "by no assertion that says"},
		"throws":      {report("failed", `TypeError: B5 is not a function\n    at a.ts`), "crash, not by an assertion: TypeError: B5 is not a function"},
		"too late":    {report("failed", `Error: Test timed out in 5ms.`), "crash, not by an assertion: Error: Test timed out"},
		"survives":    {strings.Replace(report("passed", ""), `[""]`, `[]`, 1), "survives"},
		"no test":     {strings.Replace(report("passed", ""), `"adds"`, `"divides"`, 1), "did not end"},
		"no module":   {`{"testResults":[{"message":"Failed to resolve import","assertionResults":[]}]}`, "does not compile"},
	} {
		o, err := readPage([]byte(tc.report), m.test, "")
		if err != nil {
			t.Fatal(name, err)
		}
		if v := judge(m, whole, o); v.killed != (tc.fault == "") || !strings.Contains(v.fault, tc.fault) {
			t.Errorf("%s: %q, want %q", name, v.fault, tc.fault)
		}
	}
	if _, err := readPage([]byte("Segmentation fault"), "adds", "no memory"); err == nil || !strings.Contains(err.Error(), "no memory") {
		t.Errorf("no report: %v", err)
	}
}
