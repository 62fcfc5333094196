package suites

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

func (f *testFile) readPython() {
	for n := range f.Root().All() {
		class := n.Kind() == "class_definition"
		if !class && n.Kind() != "function_definition" {
			continue
		}
		name := n.Child("name").Text()
		if !strings.HasPrefix(strings.ToLower(name), "test") {
			continue
		}
		f.tests = append(f.tests, test{node: n, name: name, class: class})
	}
}

// decorators returns the decorators of a definition, without @.
func (t *test) decorators() (out []string) {
	for c := range t.outer().Children() {
		if c.Kind() == "decorator" {
			out = append(out, strings.TrimSpace(strings.TrimPrefix(c.Text(), "@")))
		}
	}
	return out
}

// outer returns the definition with its decorators.
func (t *test) outer() syntax.Node {
	if p := t.node.Parent(); p.Kind() == "decorated_definition" {
		return p
	}
	return t.node
}

// nested reports whether a function declares the test.
func (t *test) nested() bool { return t.node.Around("function_definition").OK() }

var plainMark = inspect.Pattern(`^(?:pytest\s*\.|unittest\s*\.|mock\s*\.|patch\b|skip|parametrize|override_settings|` +
	`xfail)`)

// maxHidden is the maximum number of hidden tests that are reported for one file.
const maxHidden = 20

// hidden returns a finding for each test that a later test of the same name in the same block replaces.
func (f *testFile) hidden() (out []inspect.Finding) {
	type key struct {
		block syntax.Node
		name  string
	}
	last := map[key]*test{}
	for i := range f.tests {
		t := &f.tests[i]
		if t.nested() || len(out) == maxHidden {
			continue
		}
		k := key{t.outer().Parent(), t.name}
		before := last[k]
		last[k] = t
		// Skip the test if the first definition may have been used: it has an unknown decorator, or code between the two
		// definitions names it.
		if before == nil ||
			slices.ContainsFunc(before.decorators(), func(d string) bool { return !plainMark.MatchString(d) }) ||
			bytes.Contains(f.code[before.node.End():t.outer().Start()], []byte(t.name)) {
			continue
		}
		kind := "test"
		if t.class {
			kind = "test class"
		}
		out = append(out, inspect.Finding{
			Severity: inspect.Medium, Title: inspect.Clip(fmt.Sprintf("The first %s %s never runs", kind, t.name), 100),
			Path: f.File.Path, Line: before.line(),
			Evidence: fmt.Sprintf("%s on line %d, and again %s on line %d",
				f.Quote(before.line()), before.line(), f.Quote(t.line()), t.line()),
			Why:    "In Python the second definition of a name replaces the first one, so only the second is run.",
			Advice: "Give one of the two another name, and see whether the first still passes.",
			Same:   fmt.Sprintf("%s %s", kind, t.name),
		})
	}
	return out
}
