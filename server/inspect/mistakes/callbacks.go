package mistakes

import (
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// callbackNames matches the names that callbacks have.
var callbackNames = inspect.Pattern(`^(?:cb|callback|done|next|fn)$`)

// taker returns the nearest function around a node that has a parameter with this name, or the zero Node.
func taker(n syntax.Node, name string) syntax.Node {
	for fn := n.Around(functions...); fn.OK(); fn = fn.Around(functions...) {
		if fn.Child("parameter").Text() == name || slices.ContainsFunc(fn.Child("parameters").Parts(),
			func(p syntax.Node) bool { return p.Text() == name }) {
			return fn
		}
	}
	return syntax.Node{}
}

// asksError returns the error that a condition tests: err for "err" and for "err !== null". It returns "" for other
// conditions.
func asksError(cond syntax.Node) string {
	cond = cond.Bare()
	if cond.Kind() == "binary_expression" && (cond.Has("!=") || cond.Has("!==") || cond.Has("instanceof")) {
		cond = cond.Child("left")
	}
	if cond.Kind() == "identifier" && errNames.MatchString(cond.Text()) {
		return cond.Text()
	}
	return ""
}

// maxAfter is the maximum number of statements after an if statement that are searched for a second call.
const maxAfter = 50

func scriptCallbacks(t *inspect.Tree, tell func(inspect.Finding)) {
	for n := range t.Root().All() {
		if n.Kind() == "statement_block" {
			callsTwice(t, n, tell)
		}
	}
}

// callsTwice reports calls of a callback with an error in a branch that does not return, if the code after the
// branch calls the callback again.
func callsTwice(t *inspect.Tree, block syntax.Node, tell func(inspect.Finding)) {
	parts := block.Parts()
	for i, s := range parts {
		inner := branch(s)
		if len(inner) == 0 || asksError(s.Child("condition")) == "" || inner[len(inner)-1].Kind() != "expression_statement" {
			continue
		}
		first := inner[len(inner)-1].First()
		name := first.Callee()
		owner := taker(first, name)
		if !callbackNames.MatchString(name) || !owner.OK() || len(first.Args()) == 0 || t.Accepted(first.Line()) ||
			strings.Contains(owner.Text(), "once(") {
			continue
		}
		for _, next := range parts[i+1 : min(len(parts), i+1+maxAfter)] {
			second := calledIn(next, name, owner)
			if name == "next" && !second.OK() {
				second = sent(next)
			}
			if second.OK() {
				tell(inspect.Finding{
					Severity: inspect.High, Path: t.File.Path, Line: first.Line(),
					Evidence: t.Quote(first.Line()) + "\n" + t.Quote(second.Line()),
					Title:    "A callback gets an error, and the code goes on and calls it again",
					Why: "The code does not return after the first call. So the code below works on a result that is " +
						"not valid, and the callback runs twice: once with the error and once as if there was no error.",
					Advice: "Return with the first call.",
					Cause:  inspect.Cause{Key: "called twice " + t.File.Path, Text: "the callbacks of " + t.File.Base()},
					Mend:   returned(t, s, first),
				})
			}
			if second.OK() || leavesFunction(next) || next.Kind() == "if_statement" && ends(next, s) {
				break
			}
		}
	}
}

// returned returns the change that puts "return" before a call. It returns no change if the line has other code
// than the call.
func returned(t *inspect.Tree, s, call syntax.Node) inspect.Mend {
	line := t.Quote(call.Line())
	if s.Child("consequence").Kind() != "statement_block" || !strings.HasPrefix(line, call.Callee()+"(") ||
		strings.Count(line, call.Callee()+"(") != 1 {
		return inspect.Mend{}
	}
	return inspect.Mend{Old: call.Callee() + "(", New: "return " + call.Callee() + "("}
}

// calledIn returns the place at which a statement calls a callback or passes it to another function. name is the
// parameter of the function owner that has the callback. It returns the zero Node for statements that do not always
// run.
func calledIn(s syntax.Node, name string, owner syntax.Node) syntax.Node {
	switch s.Kind() {
	case "expression_statement", "return_statement", "lexical_declaration", "variable_declaration":
	default:
		return syntax.Node{}
	}
	for c := range s.All() {
		if c.Kind() != "identifier" || c.Text() != name || taker(c, name).Start() != owner.Start() {
			continue
		}
		if p := c.Parent(); p.IsCall() && c.Field() == "function" || p.Kind() == "arguments" {
			return c
		}
	}
	return syntax.Node{}
}
