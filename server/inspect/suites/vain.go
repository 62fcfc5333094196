package suites

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
	"agentdungeon/server/syntax"
)

// bareMatchers has matchers of expect that check nothing if they are not called.
var bareMatchers = []string{
	"toBeTruthy", "toBeFalsy", "toBeNull", "toBeUndefined", "toBeDefined", "toBeNaN", "toHaveBeenCalled",
	"toHaveBeenCalledOnce", "toThrow", "toBeInTheDocument", "toMatchSnapshot",
}

var (
	ownExpect = inspect.Pattern(`\b(?:function|const|let|var|class)\s+expect\b|\bas\s+expect\b|\bexpect\s*[:=]`)
	constant  = inspect.Pattern(`\bexpect\s*\(\s*(true|false)\s*\)\s*\.\s*(?:toBe|toEqual|toStrictEqual|` +
		`to\s*\.\s*equal|to\s*\.\s*eql)\s*\(\s*(true|false)\s*\)|\bexpect\s*\(\s*true\s*\)\s*\.\s*` +
		`(?:toBeTruthy\s*\(\s*\)|to\s*\.\s*be\s*\.\s*(?:true|ok)\b)|\bassert(?:\s*\.\s*(?:ok|isTrue))?\s*\(\s*true\s*[,)]`)
	planned  = inspect.Pattern(`\b(?:assertions|hasAssertions|plan)\s*\(|\bcatch\b`)
	anyCheck = inspect.Pattern(`\b(?:expect|assert)\b|should`)
)

func (f *testFile) fails(severity string, line int, title, why, advice string) inspect.Finding {
	return inspect.Finding{
		Severity: severity, Title: title, Path: f.File.Path, Line: line, Evidence: f.Quote(line), Why: why, Advice: advice,
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
			out = append(out, f.fails(inspect.Medium, n.Line(), "expect is called without a matcher",
				"expect on its own compares nothing, so this line passes whatever the value is.",
				"Say what the value should be, with toBe or another matcher."))
		case of.Callee() == "expect" && slices.Contains(bareMatchers, name):
			out = append(out, f.fails(inspect.Medium, n.Line(), fmt.Sprintf("The matcher %s is named and not called", name),
				"Without its brackets the matcher is only looked up, so this line passes whatever the value is.",
				fmt.Sprintf("Write %s().", name)))
		}
	}
	for i := range f.tests {
		t := &f.tests[i]
		if t.group || !t.body.OK() || t.body.End()-t.body.Start() > maxBody {
			continue
		}
		body := f.code[t.body.Start()+1 : t.body.End()]
		at := constant.FindSubmatchIndex(body)
		// In a nested block expect(true) may mean "this block was reached".
		if at == nil || planned.Match(body) || len(anyCheck.FindAllIndex(body, 2)) != 1 || bytes.Count(body[:at[0]],
			[]byte("{")) > bytes.Count(body[:at[0]], []byte("}")) ||
			at[2] >= 0 && string(body[at[2]:at[3]]) != string(body[at[4]:at[5]]) {
			continue
		}
		out = append(out, f.fails(inspect.Low, f.LineAt(t.body.Start()+1+at[0]),
			fmt.Sprintf("The only check of the test %s is of a constant", inspect.Clip(t.title, 40)),
			"true is true whatever the code does, so the test cannot fail.",
			"Check what the code returns, or remove the test."))
	}
	return out
}

var (
	// literal matches values that are probably not meant as the message of assertTrue.
	literal     = inspect.Pattern(`^(?:-?[0-9]+(?:\.[0-9]+)?|True|False|None|\[[^\]]*\])$`)
	pythonTrues = inspect.Pattern(`^(?:assert\s+(?:True|1)\s*(?:,|$)|self\s*\.\s*assertTrue\s*\(\s*True\s*[,)])`)
)

func (f *testFile) pythonCannotFail() (out []inspect.Finding) {
	for n := range f.Root().All() {
		switch callee := n.Callee(); {
		case n.Kind() == "assert_statement" && n.First().Kind() == "tuple" && len(n.First().Parts()) > 1:
			out = append(out, f.fails(inspect.Medium, n.Line(), "assert of a tuple is always true",
				"With brackets around value and message, Python asserts a tuple of two, and a tuple that is not empty is true.",
				"Remove the outer brackets."))
		case callee == "self.assertTrue", callee == "self.assertFalse":
			name, args := strings.TrimPrefix(callee, "self."), n.Args()
			if len(args) != 2 || !literal.MatchString(args[1].Text()) || "assert"+args[1].Text() == name {
				continue
			}
			out = append(out, f.fails(inspect.Medium, n.Line(), name+" takes its second value for the message",
				fmt.Sprintf("The value %s is the text that is shown on failure. It is compared with nothing.", args[1].Text()),
				"Use assertEqual for the two values."))
		}
	}
	for i := range f.tests {
		t := &f.tests[i]
		if t.group || t.nested() || t.body.End()-t.body.Start() > maxBody {
			continue
		}
		parts := t.body.Parts()
		at := slices.IndexFunc(parts, func(n syntax.Node) bool { return pythonTrues.MatchString(f.source(n)) })
		if at < 0 || oddPython.Match(f.code[t.body.Start():parts[at].Start()]) ||
			oddPython.Match(f.code[parts[at].End():t.body.End()]) {
			continue
		}
		out = append(out, f.fails(inspect.Low, parts[at].Line(),
			fmt.Sprintf("The only check of %s is of a constant", inspect.Clip(t.name, 60)),
			"True is true whatever the code does, so the test fails only if something raises.",
			"Check what the code returns, or remove the line."))
	}
	return out
}
