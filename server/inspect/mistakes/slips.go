package mistakes

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// This file finds slips in JavaScript: expressions that always have the same value, and arguments that are never
// read.

// scriptSlip returns the problem of a JavaScript expression and advice for a person, or "".
func scriptSlip(n syntax.Node) (title, advice string) {
	switch n.Kind() {
	case "binary_expression":
		return constantOperator(n)
	case "unary_expression":
		return typeAsked(n)
	case "assignment_expression":
		v, p := n.Child("right"), n.Parent()
		if value(v) && p.Kind() == "parenthesized_expression" && p.Field() == "condition" {
			return fmt.Sprintf("The condition assigns %s, so it does not depend on anything", inspect.Clip(v.Text(), 30)),
				"Compare with ===."
		}
	case "string":
		if in := n.Parent().Parent(); n.Parent().Kind() == "arguments" && template.MatchString(n.Text()) &&
			(errorTypes[in.Child("constructor").Text()] || logs.MatchString(in.Callee())) {
			return "The text says ${...} literally, because its quotes are not those of a template string",
				"Put the text between backticks."
		}
	case "await_expression":
		if c := n.First(); strings.HasSuffix(c.Callee(), ".forEach") && len(c.Args()) > 0 && c.Args()[0].Has("async") &&
			!cursors.MatchString(c.Callee()) {
			return "await does not wait for what forEach starts: forEach returns nothing",
				"Use for...of with await, or Promise.all with map."
		}
	case "call_expression":
		return unfitArguments(n)
	case "new_expression":
		return lostArguments(n)
	}
	return "", ""
}

var relations = []string{"<", ">", "<=", ">="}

// answersYes lists functions that return a boolean.
var answersYes = inspect.Words(`isNaN isFinite Number.isNaN Number.isFinite Number.isInteger Array.isArray
	Buffer.isBuffer`)

// constantOperator looks for an operator whose result does not depend on one of its sides.
func constantOperator(n syntax.Node) (title, advice string) {
	left, right, op := bare(n.Child("left")), bare(n.Child("right")), n.Child("operator").Text()
	related := slices.Contains(relations, op)
	equal := op == "===" || op == "!=="
	no := n.Child("left").Kind() == "unary_expression" && left.Child("operator").Text() == "!"
	switch {
	case related && left.Text() == right.Text() && left.Kind() != "number" && sameAgain(left):
		return fmt.Sprintf("%s is compared with itself", inspect.Clip(left.Text(), 50)),
			"Write the value that was meant on the other side."
	case related && left.Kind() == "number" && right.Kind() == "number":
		return fmt.Sprintf("%s compares two constants", inspect.Clip(n.Text(), 40)),
			"Put the expression in brackets whose value is to be compared: comparisons bind tighter than || and ?:."
	case related && (answersYes[left.Callee()] || no):
		return fmt.Sprintf("%s is true or false, and is compared as a number", inspect.Clip(left.Text(), 50)),
			"Compare the value itself."
	case equal && no && (right.Kind() == "string" || right.Kind() == "number"):
		return "The ! belongs to the left side alone, so the two are never the same", "Use !== without the !."
	case (op == "||" || op == "??") && (truthy(left) || op == "||" && truthySum(left)):
		return fmt.Sprintf("What is behind %s never counts, because the left side is never empty", op),
			"Put brackets around the part that may be empty, or delete the rest."
	case (op == "<" || op == ">=") && right.Text() == "0" && left.Child("property").Text() == "length":
		return "A length is never below 0, so the comparison does not depend on anything", "Compare with === 0 or > 0."
	}
	return "", ""
}

func bare(n syntax.Node) syntax.Node {
	for n.Kind() == "parenthesized_expression" {
		n = n.First()
	}
	return n
}

// truthy reports whether an expression is a literal that counts as true.
func truthy(n syntax.Node) bool {
	switch n.Kind() {
	case "string":
		text, fixed := n.Value()
		return !fixed || text != ""
	case "array", "object", "arrow_function", "function_expression", "regex":
		return true
	}
	return false
}

// truthySum reports whether an expression is a sum with a constant text that is not empty, so that the sum counts
// as true.
func truthySum(n syntax.Node) bool {
	if n.Kind() != "binary_expression" || !n.Has("+") {
		return false
	}
	for _, x := range []syntax.Node{n.Child("left"), n.Child("right")} {
		if text, ok := x.Value(); ok && text != "" || truthySum(x) {
			return true
		}
	}
	return false
}

// tested reports whether an expression is a condition, or a part of one.
func tested(n syntax.Node) bool {
	for p := n.Parent(); p.OK(); n, p = p, p.Parent() {
		switch p.Kind() {
		case "parenthesized_expression":
		case "if_statement", "while_statement", "do_statement", "ternary_expression":
			return n.Field() == "condition"
		case "binary_expression":
			if op := p.Child("operator").Text(); op != "&&" && op != "||" {
				return false
			}
		case "unary_expression":
			return p.Child("operator").Text() == "!"
		default:
			return false
		}
	}
	return false
}

func typeAsked(n syntax.Node) (title, advice string) {
	if n.Child("operator").Text() != "typeof" || !tested(n) {
		return "", ""
	}
	return fmt.Sprintf("%s is a name, which is always true", inspect.Clip(n.Text(), 50)),
		"Compare it with the name of a type, or test the value itself."
}

// unfitArguments looks for calls that have no effect because of their arguments, or whose result is used wrongly.
func unfitArguments(n syntax.Node) (title, advice string) {
	callee, args := n.Callee(), n.Args()
	method := callee[strings.LastIndexByte(callee, '.')+1:]
	switch {
	case (callee == "clearTimeout" || callee == "clearInterval") && len(args) == 0:
		return callee + " without the timer stops nothing", "Keep what setTimeout or setInterval returns, and pass it."
	case method == "indexOf" && method != callee && len(args) == 1 && tested(n) && n.Parent().Kind() != "unary_expression":
		return "indexOf gives -1, which counts as true, for what is not there", "Use includes, or compare with -1."
	case callee == "Promise.all" && len(args) == 1 && strings.HasSuffix(args[0].Callee(), ".map") && givesNothing(args[0]):
		return "Promise.all waits for nothing, because the function in map returns nothing", "Return the promise."
	case delays[callee] && len(args) > 1 && ended.MatchString(args[0].Callee()):
		return fmt.Sprintf("%s is called at once, and %s gets only its result", args[0].Callee(), callee),
			"Pass a function that makes the call."
	case (method == "filter" || method == "some" || method == "every" || method == "reduce") && method != callee &&
		n.Parent().Kind() != "expression_statement" && givesNothing(n):
		return fmt.Sprintf("The function in %s returns nothing, so the result does not depend on the list", method),
			"Return a value."
	}
	return "", ""
}

// givesNothing reports whether the first argument of a call is a function that never returns a value.
func givesNothing(call syntax.Node) bool {
	args := call.Args()
	if len(args) == 0 || !literal(args[0]) || args[0].Has("async") {
		return false
	}
	if body := args[0].Child("body"); body.Kind() != "statement_block" || len(body.Parts()) == 0 {
		return false
	}
	if params := args[0].Child("parameters").Parts(); len(params) > 0 && errNames.MatchString(params[0].Text()) {
		return false // a callback (error, result) of another method with this name
	}
	for c := range args[0].Child("body").All() {
		if k := c.Kind(); k == "throw_statement" || k == "return_statement" && c.First().OK() &&
			c.Around(functions...).Start() == args[0].Start() {
			return false
		}
	}
	return true
}

// delays lists functions that call their first argument later. ended matches calls that return nothing.
var (
	delays = inspect.Words("setTimeout setInterval setImmediate")
	ended  = inspect.Pattern(`^(?:console\.\w+|process\.exit)$`)
)

var (
	errNames   = inspect.Pattern(`^(?:e|er|err|error|ex|exception)$`)
	errorTypes = inspect.Words("Error TypeError RangeError SyntaxError ReferenceError EvalError URIError")
	template   = inspect.Pattern(`[^\\\\]\$\{[a-z]\w*(?:\.\w+)*\}`)
	logs       = inspect.Pattern(`^(?:console|(?:\w+\.)?log(?:ger)?)\.(?:log|info|warn|error|debug)$`)
	cursors    = inspect.Pattern(`(?i)cursor|stream|find|aggregate|query|rows|collection`)
	inserts    = inspect.Pattern(`%[sdifjoO]`)
)

// lostArguments looks for the creation of an error with arguments that the error ignores.
func lostArguments(n syntax.Node) (title, advice string) {
	args := n.Child("arguments").Parts()
	if !errorTypes[n.Child("constructor").Text()] || len(args) < 2 {
		return "", ""
	}
	if k := args[1].Kind(); k == "object" || k == "spread_element" {
		return "", ""
	}
	text, _ := args[0].Value()
	if inserts.MatchString(text) || len(args) > 2 {
		return "An error loses what is behind its text: it takes one text and inserts nothing",
			"Put the values into the text, with a template string."
	}
	return "", ""
}
