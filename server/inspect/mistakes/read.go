package mistakes

import (
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// maxText is the maximum size in bytes of a file that is examined. People do not write larger files.
const maxText = 400 << 10

// broken reports whether a file has syntax errors.
func broken(t *inspect.Tree) bool {
	for range t.Broken() {
		return true
	}
	return t.Cut
}

func bindAll(n syntax.Node, bound map[string]bool) {
	for c := range n.All() {
		switch c.Kind() {
		case "identifier", "shorthand_property_identifier_pattern":
			bound[c.Text()] = true
		}
	}
}

// bindPattern records the names that a pattern binds, but not the names that it reads, such as the object of a
// field.
func bindPattern(n syntax.Node, bound map[string]bool) {
	switch n.Kind() {
	case "identifier":
		bound[n.Text()] = true
	case "attribute", "subscript", "member_expression", "subscript_expression", "":
	default:
		bindAll(n, bound)
	}
}

// guarded reports whether a condition or an exception handler around a node may handle an undefined name.
func guarded(n syntax.Node, name string) bool {
	for p := n.Parent(); p.OK(); p = p.Parent() {
		switch p.Kind() {
		case "try_statement":
			if slices.ContainsFunc(p.Parts(), func(c syntax.Node) bool {
				return c.Kind() == "except_clause" || c.Kind() == "catch_clause"
			}) && n.Within(p.Child("body")) {
				return true
			}
		case "function_definition":
			switch p.Child("name").Text() {
			case "__cmp__", "__unicode__", "__nonzero__", "__long__", "__coerce__": // only Python 2 calls them
				return true
			}
		case "if_statement", "conditional_expression", "ternary_expression":
			if cond := p.Child("condition").Text(); strings.Contains(cond, "version") || strings.Contains(cond, "typeof") ||
				strings.Contains(cond, "TYPE_CHECKING") {
				return true
			}
		}
	}
	return false
}

// asksOnly matches JavaScript functions that only test their argument and have no effect.
var asksOnly = inspect.Pattern(`^(?:Buffer|Array|Number|_|lodash)\.is[A-Z]\w*$`)

// sameAgain reports whether a condition has the same value if it is evaluated twice: it calls nothing and changes
// nothing.
func sameAgain(n syntax.Node) bool {
	for c := range n.All() {
		switch c.Kind() {
		case "call_expression":
			if !asksOnly.MatchString(c.Callee()) {
				return false
			}
		case "call", "assignment_expression", "update_expression", "named_expression", "await",
			"await_expression", "yield_expression", "new_expression", "augmented_assignment_expression":
			return false
		}
	}
	return true
}

// branch returns the statements of the branch of an if statement without an else, nil for other nodes.
func branch(s syntax.Node) []syntax.Node {
	body := s.Child("consequence")
	switch {
	case s.Kind() != "if_statement" || s.Child("alternative").OK():
		return nil
	case body.Kind() == "statement_block":
		return body.Parts()
	}
	return []syntax.Node{body}
}
