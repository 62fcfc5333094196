package mistakes

import (
	"fmt"
	"slices"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// maxBefore is the maximum number of statements before a test that are searched for a read.
const maxBefore = 30

// ofTexts lists members that texts and numbers have too, so that "if (!a)" may ask for an empty text after a.length.
var ofTexts = inspect.Words(`length at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf
	localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search slice split startsWith substr
	substring toLowerCase toLocaleLowerCase toUpperCase toLocaleUpperCase toString toFixed toPrecision trim trimEnd
	trimStart trimLeft trimRight valueOf then`)

var allFunctions = append([]string{"function_definition", "lambda"}, functions...)

// lateTest looks for an if statement that leaves because a value is null, after the code has read a member of the
// value, which throws if it is null.
func lateTest(n syntax.Node) *slip {
	name, empty := leavesFor(n)
	if name == "" {
		return nil
	}
	fn := n.Around(allFunctions...)
	list := n.Parent().Parts()
	at := slices.Index(list, n)
	if !fn.OK() || at < 0 || !ownOnly(fn, name) {
		return nil
	}
	var read syntax.Node
	for i := at - 1; i >= max(0, at-maxBefore); i-- {
		if tested, _ := leavesFor(list[i]); tested == name {
			return nil // the test is there twice, and the first one is early enough
		}
		if changes(list[i], name) {
			break
		}
		if in := readIn(list[i], name, empty); in.OK() {
			read = in
		}
	}
	if !read.OK() {
		return nil
	}
	return &slip{
		title: fmt.Sprintf("The test of %s comes too late: line %d has read it already", name, read.Line()),
		why: "If the value is ever null, the line above throws before this test. If it never is, the test is of no " +
			"use.",
		advice: "Move the test before the first read, or delete it.",
	}
}

// leavesFor returns the variable if an if statement leaves the block because a variable is null, undefined or None,
// else "". empty is the result of asksNothing.
func leavesFor(n syntax.Node) (name string, empty bool) {
	last := n.Child("consequence")
	if inner := last.Parts(); len(inner) > 0 && !leavesBlock(last) {
		last = inner[len(inner)-1]
	}
	if n.Kind() != "if_statement" || !leavesBlock(last) {
		return "", false
	}
	return asksNothing(n.Child("condition"))
}

// asksNothing returns the variable that a condition tests for null, undefined or None, or "". empty is true if the
// condition holds for an empty text too.
func asksNothing(cond syntax.Node) (name string, empty bool) {
	cond = cond.Bare()
	for (cond.Kind() == "binary_expression" && cond.Has("||")) || cond.Kind() == "boolean_operator" && cond.Has("or") {
		cond = cond.Child("left").Bare()
	}
	left := syntax.Node{}
	switch parts := cond.Parts(); {
	case cond.Kind() == "unary_expression" && cond.Has("!"):
		left, empty = cond.Child("argument"), true
	case cond.Kind() == "comparison_operator" && len(parts) == 2 && cond.Has("is") && parts[1].Kind() == "none":
		left = parts[0]
	case cond.Kind() == "binary_expression" && (cond.Has("==") || cond.Has("===")) &&
		slices.Contains([]string{"null", "undefined"}, cond.Child("right").Text()):
		left = cond.Child("left")
	}
	if left.Kind() != "identifier" {
		return "", false
	}
	return left.Text(), empty
}

// leavesBlock reports whether a statement ends the block around it.
func leavesBlock(s syntax.Node) bool {
	return slices.Contains([]string{"return_statement", "throw_statement", "raise_statement", "continue_statement",
		"break_statement"}, s.Kind())
}

// ownOnly reports whether a function defines a name, as a parameter or a variable, and no function in it assigns it.
func ownOnly(fn syntax.Node, name string) (own bool) {
	for c := range fn.Child("body").All() {
		if to := assigned(c); to.OK() && binds(to, name) {
			if c.Around(allFunctions...) != fn {
				return false
			}
			own = own || c.Kind() == "variable_declarator" || fn.Kind() == "function_definition"
		}
		if k := c.Kind(); k == "global_statement" || k == "nonlocal_statement" {
			return false
		}
	}
	return own || binds(fn.Child("parameters"), name) || binds(fn.Child("parameter"), name)
}

// assigned returns what a node gives a value to, or the zero Node.
func assigned(n syntax.Node) syntax.Node {
	switch n.Kind() {
	case "variable_declarator":
		return n.Child("name")
	case "assignment_expression", "augmented_assignment_expression", "assignment", "augmented_assignment",
		"for_in_statement", "for_statement", "for_in_clause":
		return n.Child("left")
	case "update_expression":
		return n.Child("argument")
	case "named_expression":
		return n.Child("name")
	case "as_pattern_target", "delete_statement":
		return n
	}
	return syntax.Node{}
}

// binds reports whether a pattern gives a value to a name.
func binds(n syntax.Node, name string) bool {
	if !n.OK() || n.Kind() == "member_expression" || n.Kind() == "attribute" || n.Kind() == "subscript" ||
		n.Kind() == "subscript_expression" {
		return false
	}
	for c := range n.All() {
		if (c.Kind() == "identifier" || c.Kind() == "shorthand_property_identifier_pattern") && c.Text() == name {
			return true
		}
	}
	return false
}

// changes reports whether code in a statement gives a new value to a variable.
func changes(s syntax.Node, name string) bool {
	for c := range s.All() {
		if to := assigned(c); to.OK() && binds(to, name) {
			return true
		}
	}
	return false
}

// readIn returns the place in a statement that reads a member of a variable whenever the statement runs. If objects is
// true, a member that texts have too does not count.
func readIn(s syntax.Node, name string, objects bool) syntax.Node {
	for c := range s.All() {
		if c.Kind() != "identifier" || c.Text() != name || c.Field() != "object" && c.Field() != "value" {
			continue
		}
		p := c.Parent()
		switch p.Kind() {
		case "member_expression":
			if p.Has("optional_chain") || objects && ofTexts[p.Child("property").Text()] {
				continue
			}
		case "attribute":
		case "subscript_expression", "subscript":
			if p.Has("optional_chain") || objects {
				continue
			}
		default:
			continue
		}
		if always(p, s) {
			return c
		}
	}
	return syntax.Node{}
}

// always reports whether a node in a statement runs whenever the statement runs, and its error leaves the statement.
func always(n, s syntax.Node) bool {
	for ; n != s; n = n.Parent() {
		p, field := n.Parent(), n.Field()
		switch p.Kind() {
		case "if_statement", "while_statement", "ternary_expression":
			if field != "condition" {
				return false
			}
		case "binary_expression":
			if field != "left" && (p.Has("&&") || p.Has("||") || p.Has("??")) {
				return false
			}
		case "boolean_operator", "for_in_statement", "for_statement":
			if field != "left" && field != "right" || p.Kind() == "boolean_operator" && field == "right" {
				return false
			}
		case "member_expression", "call_expression", "expression_statement", "assignment_expression", "arguments",
			"variable_declarator", "lexical_declaration", "variable_declaration", "parenthesized_expression",
			"unary_expression", "object", "pair", "array", "template_string", "template_substitution", "new_expression",
			"await_expression", "subscript_expression", "augmented_assignment_expression", "spread_element",
			"attribute", "call", "assignment", "augmented_assignment", "argument_list", "keyword_argument", "subscript",
			"binary_operator", "comparison_operator", "not_operator", "unary_operator", "list", "tuple", "dictionary",
			"await", "string", "interpolation", "expression_list", "return_statement", "list_splat":
		default:
			return false
		}
	}
	return true
}
