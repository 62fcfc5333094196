package suites

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
)

// bareMatchers has matchers of expect that check nothing if they are not called.
var bareMatchers = []string{
	"toBeTruthy", "toBeFalsy", "toBeNull", "toBeUndefined", "toBeDefined", "toBeNaN", "toHaveBeenCalled",
	"toHaveBeenCalledOnce", "toThrow", "toBeInTheDocument", "toMatchSnapshot",
}

var ownExpect = inspect.Pattern(`\b(?:function|const|let|var|class)\s+expect\b|\bas\s+expect\b|\bexpect\s*[:=]`)

func (f *testFile) fails(line int, title, why, advice string) inspect.Finding {
	return inspect.Finding{
		Severity: inspect.Medium, Title: title, Path: f.File.Path, Line: line, Evidence: f.Quote(line), Why: why,
		Advice: advice,
	}
}

func (f *testFile) scriptCannotFail() (out []inspect.Finding) {
	// A file that defines its own expect may check something in it.
	if ownExpect.Match(f.code) || slices.ContainsFunc(imports.Of(f.Tree), func(im imports.Import) bool {
		return strings.HasPrefix(im.Module, ".") && slices.Contains(im.Names, "expect")
	}) {
		return nil
	}
	for n := range f.Root().All() {
		x := n.First()
		if x.Kind() == "await_expression" {
			x = x.First()
		}
		if n.Kind() != "expression_statement" {
			continue
		}
		of, name := x.Child("object"), x.Child("property").Text()
		if of.Child("property").Text() == "not" {
			of = of.Child("object")
		}
		switch {
		case x.Callee() == "expect" && len(x.Args()) == 1:
			out = append(out, f.fails(n.Line(), "expect is called without a matcher",
				"expect on its own compares nothing, so this line passes whatever the value is.",
				"Say what the value should be, with toBe or another matcher."))
		case of.Callee() == "expect" && slices.Contains(bareMatchers, name):
			out = append(out, f.fails(n.Line(), fmt.Sprintf("The matcher %s is named and not called", name),
				"Without its brackets the matcher is only looked up, so this line passes whatever the value is.",
				fmt.Sprintf("Write %s().", name)))
		}
	}
	return out
}

// literal matches values that are probably not meant as the message of assertTrue.
var literal = inspect.Pattern(`^(?:-?[0-9]+(?:\.[0-9]+)?|True|False|None|\[[^\]]*\])$`)

func (f *testFile) pythonCannotFail() (out []inspect.Finding) {
	for n := range f.Root().All() {
		switch callee := n.Callee(); {
		case n.Kind() == "assert_statement" && n.First().Kind() == "tuple" && len(n.First().Parts()) > 1:
			out = append(out, f.fails(n.Line(), "assert of a tuple is always true",
				"With brackets around value and message, Python asserts a tuple of two, and a tuple that is not empty is true.",
				"Remove the outer brackets."))
		case callee == "self.assertTrue", callee == "self.assertFalse":
			name, args := strings.TrimPrefix(callee, "self."), n.Args()
			if len(args) != 2 || !literal.MatchString(args[1].Text()) || "assert"+args[1].Text() == name {
				continue
			}
			out = append(out, f.fails(n.Line(), name+" takes its second value for the message",
				fmt.Sprintf("The value %s is the text that is shown on failure. It is compared with nothing.", args[1].Text()),
				"Use assertEqual for the two values."))
		}
	}
	return out
}
