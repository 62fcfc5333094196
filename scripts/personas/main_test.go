package main

import (
	"os"
	"path/filepath"
	"testing"

	"agentdungeon/server/inspect"
)

// TestPersonasAreFresh asserts that the committed personas say what the checks look for, and nothing else.
func TestPersonasAreFresh(t *testing.T) {
	t.Chdir("../..")
	out := filepath.Join(t.TempDir(), "code_review.json")
	if err := run(out); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile(template); err != nil || string(have) != string(want) {
		t.Errorf("%s is stale, run: go run ./scripts/personas (%v)", template, err)
	}
}

// TestLooksFor asserts that a list leaves out exceptions and says a common beginning once.
func TestLooksFor(t *testing.T) {
	checks := []inspect.Check{
		{ID: "a/sql-injection", Hero: "a", Looks: "values that reach a place, SQL (CWE-89)"}, {ID: "b/x", Hero: "b", Looks: "x"},
		{ID: "a/keys", Hero: "a", Looks: "keys, all of them; tests do not count"},
		{ID: "a/path-traversal", Hero: "a", Looks: "values that reach a place, a path (CWE-22)"},
	}
	want := "values that reach a place: SQL injection, path traversal; keys, all of them"
	if got := looksFor("a", checks); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
