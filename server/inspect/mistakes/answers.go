package mistakes

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

const goesOnWhy = "The handler answers with an error and does not return, so the code below still runs, "

// goesOn reports handlers that answer a failure and then continue without a return.
func goesOn(f *inspect.GoFile, list []ast.Stmt, tell func(inspect.Finding)) {
	for i, s := range list {
		cond, ok := s.(*ast.IfStmt)
		if !ok || cond.Else != nil || len(cond.Body.List) == 0 || i == len(list)-1 {
			continue
		}
		b, ok := cond.Cond.(*ast.BinaryExpr)
		if !ok || b.Op != token.NEQ || !inspect.IsName(b.Y, "nil") {
			continue
		}
		last, ok := cond.Body.List[len(cond.Body.List)-1].(*ast.ExprStmt)
		if !ok {
			continue
		}
		c, ok := last.X.(*ast.CallExpr)
		if !ok || len(c.Args) == 0 {
			continue
		}
		w, isName := c.Args[0].(*ast.Ident)
		if pkg, name := f.Call(c); pkg != "net/http" || name != "Error" || !isName {
			continue
		}
		next := list[i+1]
		if _, leaves := next.(*ast.ReturnStmt); leaves || !answersLater(list[i+1:], w.Name, f.Source(b.X)) ||
			f.Accepted(f.Line(last)) {
			continue
		}
		in := "" // the name of the declared function that contains the statement
		if fn := f.Enclosing(last); fn != nil {
			in = fn.Name.Name
		}
		tell(inspect.Finding{
			Severity: inspect.High, Path: f.File.Path, Line: f.Line(last), Evidence: f.Quote(f.Line(last)) + "\n" +
				f.Quote(f.Line(next)),
			Title:  "A handler answers with an error and goes on",
			Cause:  inspect.Cause{Key: "goes on " + f.File.Path + " " + in, Text: "the handler " + in},
			Why:    goesOnWhy + "works on a result that is not valid, and writes a second answer after the first.",
			Advice: "Return after http.Error.",
		})
	}
}

// answersLater reports whether some later statement uses the response writer even if there was an error.
func answersLater(list []ast.Stmt, writer, err string) bool {
	return slices.ContainsFunc(list, func(s ast.Stmt) bool {
		if cond, ok := s.(*ast.IfStmt); ok && cond.Else == nil {
			b, ok := cond.Cond.(*ast.BinaryExpr)
			if ok && b.Op == token.EQL && inspect.IsName(b.X, err) && inspect.IsName(b.Y, "nil") {
				return false
			}
		}
		return inspect.Mentions(s, writer)
	})
}

var sends = inspect.Pattern(`^(?:res|response)(?:\.(?:status|type|set|header)\([^()]*\))*\.` +
	`(?:send|json|end|redirect|sendStatus|render|sendFile)$`)

// sent returns the call by which a statement answers a request, or the zero Node.
func sent(s syntax.Node) syntax.Node {
	if s.Kind() != "expression_statement" {
		return syntax.Node{}
	}
	c := s.First()
	if c.Kind() == "await_expression" {
		c = c.First()
	}
	if c.IsCall() && sends.MatchString(c.Callee()) {
		return c
	}
	return syntax.Node{}
}

func scriptAnswers(t *inspect.Tree, tell func(inspect.Finding)) {
	for n := range t.Root().All() {
		if n.Kind() == "statement_block" {
			answersTwice(t, n, tell)
		}
	}
}

// answersTwice reports an answer in a branch of a block after which the block answers again.
func answersTwice(t *inspect.Tree, block syntax.Node, tell func(inspect.Finding)) {
	parts := block.Parts()
	for i, s := range parts {
		inner := branch(s)
		if len(inner) == 0 {
			continue
		}
		first := sent(inner[len(inner)-1])
		if !first.OK() || t.Accepted(first.Line()) {
			continue
		}
		for _, next := range parts[i+1:] {
			if k := next.Kind(); k == "return_statement" && !sends.MatchString(next.First().Callee()) ||
				k == "throw_statement" || k == "if_statement" && ends(next, s) {
				break
			}
			second := sent(next)
			if next.Kind() == "return_statement" {
				second = next.First()
			}
			if !second.OK() {
				continue
			}
			if idle(second, s) {
				break
			}
			name, _, _ := strings.Cut(first.Callee(), ".")
			if other, _, _ := strings.Cut(second.Callee(), "."); other != name {
				break
			}
			tell(inspect.Finding{
				Severity: inspect.High, Path: t.File.Path, Line: first.Line(),
				Evidence: t.Quote(first.Line()) + "\n" + t.Quote(second.Line()),
				Title:    "A handler answers and goes on to a second answer",
				Why: goesOnWhy + "and its second answer throws (ERR_HTTP_HEADERS_SENT), which ends the process if no " +
					"code catches the error.",
				Advice: "Return with the first answer.",
			})
			break
		}
	}
}

// leavesFunction reports whether a statement of JavaScript ends the function around it.
func leavesFunction(s syntax.Node) bool {
	return s.Kind() == "return_statement" || s.Kind() == "throw_statement"
}

// ends reports whether an if statement may leave the function after the branch of another if statement has
// answered: its condition tests whether an answer was sent, or a value that the other condition tests too.
func ends(n, answered syntax.Node) bool {
	if !n.Has("return_statement") && !n.Has("throw_statement") {
		return false
	}
	cond := n.Child("condition")
	return strings.Contains(cond.Text(), "headersSent") || slices.ContainsFunc(namesIn(answered.Child("condition")),
		func(name string) bool { return slices.Contains(namesIn(cond), name) })
}

func namesIn(n syntax.Node) (out []string) {
	for c := range n.All() {
		if c.Kind() == "identifier" {
			out = append(out, c.Text())
		}
	}
	return out
}

// idle reports whether a second answer has no effect: it ends the response without data, or it sends the value of a
// callback (error, value), which is undefined if there was an error.
func idle(second, answered syntax.Node) bool {
	method := second.Callee()[strings.LastIndexByte(second.Callee(), '.')+1:]
	args := second.Args()
	if method == "end" && len(args) == 0 {
		return true
	}
	params := answered.Around("arrow_function", "function_expression", "function_declaration").Child("parameters").Parts()
	names := namesIn(answered.Child("condition"))
	if len(params) < 2 || len(args) != 1 || len(names) != 1 || names[0] != params[0].Text() ||
		strings.Contains(second.Callee(), "(") {
		return false
	}
	return (method == "send" || method == "json" || method == "end") &&
		slices.ContainsFunc(params[1:], func(p syntax.Node) bool { return p.Text() == args[0].Text() })
}
