package mistakes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// findConditions reports conditions that are always true or false, and values that nothing uses, in one tree.
func findConditions(t *inspect.Tree, tell func(inspect.Finding)) {
	for n := range t.Root().All() {
		at, in, title, advice := n, n, "", ""
		switch n.Kind() {
		case "if_statement":
			at, title, advice = repeated(n)
		case "switch_body":
			at, title, advice = repeatedCase(n)
		default:
			if title, advice = slip(n); title == "" && t.File.Lang != "Python" {
				title, advice = scriptSlip(n)
				if n.Kind() == "unary_expression" {
					in = n.Around("if_statement", "while_statement", "do_statement", "ternary_expression")
				}
			}
		}
		line := at.Line()
		if title == "" || t.Accepted(line) || guarded(in, "") || n.Unreachable() || n.Around("ERROR").OK() {
			continue
		}
		f := inspect.Finding{
			Severity: inspect.Medium, Path: t.File.Path, Line: line, Evidence: t.Quote(line), Title: inspect.Clip(title, 100),
			Why: "The line does not do what it says, on every run that reaches it.", Advice: advice,
			Cause: inspect.Cause{Key: "condition " + title + " " + t.File.Path, Text: "conditions of " + t.File.Base()},
		}
		if n.Kind() == "comparison_operator" {
			f.Why = "Equal values may be different objects: then the condition gives the wrong result. Python 3.8 and " +
				"later only warn when they compile the line."
		}
		f.Suspect(doubtOf(n))
		tell(f)
	}
}

// doubtOf returns the reason why the slip at a node may be harmless, or "".
func doubtOf(n syntax.Node) string {
	if n.Kind() == "raise_statement" && n.Around("class_definition").OK() {
		return "only a subclass that does not define the method runs the line, and fails in either case"
	}
	if n.Kind() == "comparison_operator" && slices.ContainsFunc(n.Parts(), oneObject) {
		return "CPython has one object for all such values, so the comparison gives the right result there"
	}
	if strings.HasSuffix(n.Callee(), ".indexOf") {
		around := n.Around("if_statement", "ternary_expression")
		inner := branch(around)
		if around.Kind() == "ternary_expression" || len(inner) > 0 && leavesFunction(inner[len(inner)-1]) {
			return "it may be meant as a test that one text does not begin with the other"
		}
	}
	if left := bare(n.Child("left")); n.Child("operator").Text() == "||" && truthySum(left) {
		last := left.Child("right")
		if p := last.Child("property"); p.OK() && last.Child("object").Text() == n.Child("right").Text() {
			return fmt.Sprintf("the text already contains the field %s of the value after ||, unless the field is "+
				"empty", p.Text())
		}
	}
	return ""
}

// slip returns the problem of a node and advice for a person, or "".
func slip(n syntax.Node) (title, advice string) {
	switch n.Kind() {
	case "comparison_operator":
		if n.Has("is") || n.Has("is not") {
			return identity(n)
		}
	case "binary_expression":
		return scriptComparison(n)
	case "boolean_operator":
		if alwaysTrue(n, "or") {
			return "The condition is always true: a text after or is no comparison",
				"Compare the value with each text, or use in."
		}
	case "raise_statement":
		if x := n.First(); x.Text() == "NotImplemented" || x.Callee() == "NotImplemented" {
			return "NotImplemented is raised, which is no exception: Python raises a TypeError instead",
				"Raise NotImplementedError."
		}
	case "except_clause":
		if n.First().Kind() == "boolean_operator" && n.First().Has("or") {
			return "The handler catches the first exception only: or chooses one of them",
				"Write them as a tuple: except (A, B)."
		}
	case "assert_statement":
		if x := n.First(); x.Kind() == "tuple" && len(x.Parts()) > 1 {
			return "assert of a tuple is always true", "Remove the outer brackets."
		}
	case "expression_statement":
		return unusedText(n.First())
	}
	return "", ""
}

func identity(n syntax.Node) (title, advice string) {
	for _, x := range n.Parts() {
		if k := x.Kind(); k == "string" || k == "integer" || k == "list" || k == "dictionary" {
			return fmt.Sprintf("is compares the identity of %s, not its value", inspect.Clip(x.Text(), 30)),
				"Compare with == or !=."
		}
	}
	return "", ""
}

// oneObject reports whether CPython has one object for all values that are equal to a literal: whole numbers up to 256,
// and texts of at most one character of Latin-1.
func oneObject(n syntax.Node) bool {
	if n.Kind() == "integer" {
		i, err := strconv.Atoi(n.Text())
		return err == nil && i <= 256
	}
	text, fixed := n.Value()
	return n.Kind() == "string" && fixed && utf8.RuneCountInString(text) <= 1 && text <= "\u00ff"
}

// alwaysTrue reports whether a condition is a comparison or a text that is not empty.
func alwaysTrue(n syntax.Node, or string) bool {
	right := n.Child("right")
	text, fixed := right.Value()
	if !n.Has(or) || right.Kind() != "string" || !fixed || text == "" {
		return false
	}
	left := n.Child("left")
	if k := left.Kind(); k != "comparison_operator" && (k != "binary_expression" || !left.Has("===") && !left.Has("==")) {
		return false
	}
	p := n.Parent()
	for p.Kind() == "parenthesized_expression" {
		p = p.Parent()
	}
	return slices.Contains([]string{"if_statement", "elif_clause", "while_statement"}, p.Kind())
}

var typeNames = inspect.Words("undefined object boolean number bigint string symbol function unknown")

func scriptComparison(n syntax.Node) (title, advice string) {
	left, right := n.Child("left"), n.Child("right")
	compares := n.Has("===") || n.Has("==") || n.Has("!==") || n.Has("!=")
	text, fixed := right.Value()
	switch {
	case compares && left.Kind() == "unary_expression" && left.Child("operator").Text() == "typeof" &&
		right.Kind() == "string" && fixed && !typeNames[text]:
		return fmt.Sprintf("typeof never gives %q", text),
			"Compare with a name that typeof gives, or test the value in another way."
	case compares && (left.Text() == "NaN" || right.Text() == "NaN"):
		return "A comparison with NaN is never equal", "Use Number.isNaN."
	case (n.Has("===") || n.Has("!==")) && slices.Contains([]string{"array", "object"}, right.Kind()):
		return "A new list or object is equal to nothing", "Compare its length or its elements."
	case (n.Has("instanceof") || n.Has("in")) && left.Kind() == "unary_expression" && left.Child("operator").Text() == "!":
		return "The ! belongs to the left side alone, so the condition is always false",
			"Put the whole comparison in brackets after the !."
	case alwaysTrue(n, "||"):
		return "The condition is always true: a text after || is no comparison", "Compare the value with each text."
	}
	return "", ""
}

// repeated looks in a chain of ifs for a condition that an earlier if of the chain has already tested.
func repeated(n syntax.Node) (at syntax.Node, title, advice string) {
	if n.Parent().Kind() == "else_clause" {
		return n, "", "" // the first if of the chain reports the condition
	}
	seen := map[string]bool{}
	ask := func(x syntax.Node) bool {
		text := strings.Join(strings.Fields(x.Child("condition").Text()), " ")
		if seen[text] && sameAgain(x.Child("condition")) {
			return true
		}
		seen[text] = true
		return false
	}
	again := "The condition stands in a branch above it already, so this branch never runs"
	advice = "Write the condition that was meant, or delete the branch that never runs."
	for x := n; x.OK(); {
		if ask(x) {
			return x, again, advice
		}
		next := syntax.Node{}
		for _, c := range x.Parts() {
			if c.Kind() == "elif_clause" && ask(c) {
				return c, again, advice
			}
			if c.Kind() == "else_clause" && c.First().Kind() == "if_statement" {
				next = c.First()
			}
		}
		x = next
	}
	return n, "", ""
}

func repeatedCase(n syntax.Node) (at syntax.Node, title, advice string) {
	seen := map[string]bool{}
	for _, c := range n.Parts() {
		text := c.Child("value").Text()
		if c.Kind() != "switch_case" || text == "" || !sameAgain(c.Child("value")) {
			continue
		}
		if seen[text] {
			return c, fmt.Sprintf("The case %s stands above it already, so this one never runs", inspect.Clip(text, 30)),
				"Write the value that was meant, or delete the case."
		}
		seen[text] = true
	}
	return n, "", ""
}

// pure lists methods of strings that return a new string. Hardly any other type has methods with these names.
var pure = inspect.Words("strip lstrip rstrip toLowerCase toUpperCase trimEnd trimStart")

// unusedText looks for a statement that creates a text or compares two values without using the result.
func unusedText(x syntax.Node) (title, advice string) {
	if !x.IsCall() {
		if k := x.Kind(); k == "binary_expression" && (x.Has("===") || x.Has("==")) && sameAgain(x) ||
			k == "comparison_operator" && x.Has("==") && sameAgain(x) {
			return "A comparison stands where an assignment or a check was meant", "Write = instead of ==, or use " +
				"the result."
		}
		return "", ""
	}
	callee := x.Callee()
	i := strings.LastIndexByte(callee, '.')
	if i < 0 {
		return "", ""
	}
	args := x.Args()
	of, method := callee[:i], callee[i+1:]
	if pure[method] && len(args) < 2 && !x.Child("arguments").Has("keyword_argument") ||
		method == "replace" && len(args) == 2 && replacesText(x, args) {
		return fmt.Sprintf("What %s returns is thrown away, and the text stays as it was",
				inspect.Clip(of+"."+method, 50)),
			"Assign the result."
	}
	return "", ""
}

// replacesText reports whether a call of replace is the method of strings. It requires constant arguments: a
// function as an argument may have effects, and other types have methods with this name.
func replacesText(call syntax.Node, args []syntax.Node) bool {
	if call.Kind() == "call" { // Python
		return args[0].Kind() == "string" && args[1].Kind() != "keyword_argument" && call.Callee() != "os.replace"
	}
	return (args[0].Kind() == "string" || args[0].Kind() == "regex") && args[1].Kind() == "string"
}
