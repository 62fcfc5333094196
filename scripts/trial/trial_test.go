package main

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"agentdungeon/shared/world"
)

func list(t *testing.T, name string) []parcel {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestADrawIsDecidedByTheHash asserts that one hash draws the same twelve packages, four of each language, whatever the
// order of the list, that another hash draws others, and that none is drawn twice.
func TestADrawIsDecidedByTheHash(t *testing.T) {
	all := list(t, "repositories.txt")
	first, err := draw("a", all, nil)
	if err != nil {
		t.Fatal(err)
	}
	back := slices.Clone(all)
	slices.Reverse(back)
	if again, err := draw("a", back, nil); err != nil || !slices.Equal(first, again) {
		t.Errorf("%v, then %v: %v", first, again, err)
	}
	if other, err := draw("b", all, nil); err != nil || slices.Equal(first, other) {
		t.Errorf("two hashes draw %v: %v", other, err)
	}
	count := map[string]int{}
	for _, p := range first {
		count[p.language]++
	}
	if len(count) != 3 || count["Go"] != 4 || count["JavaScript"] != 4 || count["Python"] != 4 {
		t.Errorf("%v are drawn", count)
	}
	old := slices.Clone(first)
	old[0].version = "another"
	second, err := draw("a", all, old)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range second {
		if slices.Contains(first, p) {
			t.Errorf("%s is drawn twice", p)
		}
	}
	if _, err := draw("a", first, old[:1]); err == nil {
		t.Error("eleven packages are enough")
	}
}

// TestTheListsCanBeDrawnFrom asserts that repositories.txt has each package once and every package that was drawn,
// and that a line with more than four words is an error.
func TestTheListsCanBeDrawnFrom(t *testing.T) {
	seen := map[string]bool{}
	all := list(t, "repositories.txt")
	for _, p := range all {
		if seen[p.folder()] {
			t.Errorf("%s stands there twice, or its folder is that of another", p)
		}
		seen[p.folder()] = true
	}
	for _, p := range list(t, "drawn.txt") {
		if !slices.Contains(all, p) {
			t.Errorf("%s was drawn and is not in the list", p)
		}
	}
	if out, err := parse("Go apt a 1 # old\n"); err == nil {
		t.Errorf("%v is read", out)
	}
}

// TestASampleKeepsTheOrder asserts that sample draws the requested number of findings and keeps their order. If there
// are fewer findings, it draws all of them.
func TestASampleKeepsTheOrder(t *testing.T) {
	var all []world.Finding
	for i := range 50 {
		all = append(all, world.Finding{ID: fmt.Sprint(i), Line: i})
	}
	some := sample("a", all, 30)
	if len(some) != 30 || !slices.IsSortedFunc(some, func(a, b world.Finding) int { return a.Line - b.Line }) {
		t.Errorf("%d findings are drawn: %v", len(some), some)
	}
	if reflect.DeepEqual(some, all[:30]) {
		t.Error("the first ones are drawn")
	}
	if few := sample("a", all[:3], 30); !reflect.DeepEqual(few, all[:3]) {
		t.Errorf("of three %v are drawn", few)
	}
}
