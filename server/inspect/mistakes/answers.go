package mistakes

import (
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

const goesOnWhy = "The request was refused, and the handler does not return: what follows runs all the same, "

// goesOn reports failures that are answered without a return before the handler goes on.
func goesOn(f *inspect.GoFile, list []ast.Stmt, tell func(inspect.Finding)) {
	for i, s := range list {
		cond, ok := s.(*ast.IfStmt)
		if !ok || cond.Else != nil || len(cond.Body.List) == 0 || i == len(list)-1 {
			continue
		}
		b, ok := cond.Cond.(*ast.BinaryExpr)
		if !ok || b.Op != token.NEQ || !named(b.Y, "nil") {
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
		if _, leaves := next.(*ast.ReturnStmt); leaves || !mentionsLater(list[i+1:], w.Name) || f.Accepted(f.Line(last)) {
			continue
		}
		tell(inspect.Finding{
			Severity: inspect.High, Path: f.File.Path, Line: f.Line(last), Evidence: f.Quote(f.Line(last)) + "\n" +
				f.Quote(f.Line(next)),
			Title:  "A handler answers with an error and goes on",
			Why:    goesOnWhy + "with a result that is not valid, and writes a second answer behind the first.",
			Advice: "Return after http.Error.",
		})
	}
}

func mentionsLater(list []ast.Stmt, name string) bool {
	for _, s := range list {
		if inspect.Mentions(s, name) {
			return true
		}
	}
	return false
}

var sends = inspect.Pattern(`^(?:res|response)(?:\.(?:status|type|set|header)\([^()]*\))*\.` +
	`(?:send|json|end|redirect|sendStatus|render|sendFile)$`)

// sent returns the call with which a statement answers a request, or the zero Node.
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

// answersTwice reports an answer in a branch of a block that the block follows with another answer.
func answersTwice(t *inspect.Tree, block syntax.Node, tell func(inspect.Finding)) {
	parts := block.Parts()
	for i, s := range parts {
		if s.Kind() != "if_statement" || s.Child("alternative").OK() {
			continue
		}
		body := s.Child("consequence")
		inner := []syntax.Node{body}
		if body.Kind() == "statement_block" {
			inner = body.Parts()
		}
		if len(inner) == 0 {
			continue
		}
		first := sent(inner[len(inner)-1])
		if !first.OK() || t.Accepted(first.Line()) {
			continue
		}
		for _, next := range parts[i+1:] {
			if k := next.Kind(); k == "return_statement" && !sends.MatchString(next.First().Callee()) || k == "throw_statement" {
				break
			}
			second := sent(next)
			if next.Kind() == "return_statement" {
				second = next.First()
			}
			if !second.OK() {
				continue
			}
			name, _, _ := strings.Cut(first.Callee(), ".")
			if other, _, _ := strings.Cut(second.Callee(), "."); other != name {
				break
			}
			tell(inspect.Finding{
				Severity: inspect.High, Path: t.File.Path, Line: first.Line(),
				Evidence: t.Quote(first.Line()) + "\n" + t.Quote(second.Line()),
				Title:    "A handler answers and goes on to a second answer",
				Why: goesOnWhy + "and the second answer throws (ERR_HTTP_HEADERS_SENT), which ends the process if nobody " +
					"catches it.",
				Advice: "Return with the first answer.",
			})
			break
		}
	}
}
