package failures

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

func emptyHandlers() inspect.Check {
	return inspect.Check{
		ID: "healer/empty-handler", Hero: "healer", Local: true,
		Looks: "handlers of errors that do nothing and do not say why (Go, JavaScript, Python)",
		Rule: "Medium; clean-up, tries of one statement, one exception by name, tests are left out; a candidate " +
			"in examples and scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f := range code(ctx, r, r.Go(ctx)) {
				goHandlers(f, tell)
			}
			empty := func(p *inspect.Regexp) func(*inspect.File, []byte) bool {
				return func(f *inspect.File, data []byte) bool { return !f.Test && p.Match(data) }
			}
			for t := range r.Trees(ctx, empty(jsEmpty), inspect.Scripts...) {
				scriptHandlers(t, tell)
			}
			for t := range r.Trees(ctx, empty(pyEmpty), "Python") {
				pythonHandlers(t, tell)
			}
			return ctx.Err()
		},
	}
}

// swallowed collects the empty handlers of one file, so that one finding reports them all.
type swallowed struct {
	lines []int
	first string
}

func (s *swallowed) add(line int, quote func(int) string) {
	if s.lines = append(s.lines, line); s.first == "" {
		s.first = quote(line)
	}
}

func (s *swallowed) tell(f *inspect.File, title, why, doubt string, tell func(inspect.Finding)) {
	if len(s.lines) == 0 {
		return
	}
	if n := len(s.lines); n > 1 {
		title = fmt.Sprintf("%s, %d times", title, n)
		var all []string
		for _, l := range s.lines[:min(n, 10)] {
			all = append(all, fmt.Sprint(l))
		}
		s.first += "\nlines " + strings.Join(all, ", ")
		if n > 10 {
			s.first += ", …"
		}
	}
	out := inspect.Finding{
		Severity: inspect.Medium, Path: f.Path, Line: s.lines[0], Title: title, Evidence: s.first, Why: why,
		Advice: "Handle the error, pass it on, or write into the handler why it may be ignored.",
		Same:   "handlers",
	}
	out.Suspect(doubt)
	tell(out)
}

const handlerWhy = "Any failure in there, even a typing error, leaves no trace: " +
	"the program goes on as if nothing had failed."

// handlerDoubt makes these findings candidates: of eight such findings in public packages, none was worth a change.
const handlerDoubt = "what fails there may not matter"

func goHandlers(f *inspect.GoFile, tell func(inspect.Finding)) {
	var s swallowed
	ast.Inspect(f.AST, func(n ast.Node) bool {
		i, ok := n.(*ast.IfStmt)
		if !ok || len(i.Body.List) != 0 || i.Else != nil {
			return true
		}
		b, ok := i.Cond.(*ast.BinaryExpr)
		if ok && b.Op == token.NEQ && inspect.IsName(b.Y, "nil") && errName.MatchString(f.Source(b.X)) && !explained(f, i) {
			s.add(f.Line(i), f.Quote)
		}
		return true
	})
	s.tell(f.File, "An error is checked and nothing is done",
		"The condition has no effect: whoever reads it thinks that the error is handled.", "", tell)
}

var (
	// jsEmpty and pyEmpty match texts that may contain an empty handler.
	jsEmpty = inspect.Pattern(`\bcatch\s*(?:\([^)]*\)\s*)?\{\s*\}|\bcatch\s*\([^{}]*\{\s*\}\s*\)`)
	pyEmpty = inspect.Pattern(`(?m)^[ \t]*except\b[^\n]*:\s*pass\b`)
	// tidy matches calls whose failure does no harm: clean-up and queries.
	tidy = inspect.Pattern(`(?i)(close|unlink|rmdir|\brm\b|rmSync|remove|delete|destroy|dispose|kill|cancel|abort|stop|` +
		`\bend\(|cleanup|clear|release|detach|disconnect|localStorage|sessionStorage|storage|\bfocus|blur|select|scroll|` +
		`require|import\(|supports|typeof|navigator\.|matchMedia|new URL|\.play\(|\.pause\(|vibrate|fullscreen|` +
		`pointerCapture|mkdir|exists|stat\w*\(|access|\.log|console|debug|ping|exit|window|document|global|process\.|` +
		`defineProperty|JSON\.parse|decodeURI|resolve|return|preload|dlopen)`)
	pyTidy = inspect.Pattern(`(?i)(close|unlink|remove|rmtree|rmdir|kill|terminate|shutdown|cleanup|stop|disconnect|` +
		`release|delete|\bdel |cancel|import |\.flush|log|print|quit|exit|atexit|return|__version__|locale)`)
	anything = inspect.Pattern(`^\(?(?:Base)?Exception\)?$`)
)

func scriptHandlers(t *inspect.Tree, tell func(inspect.Finding)) {
	var s swallowed
	code := t.Code()
	for n := range t.Root().All() {
		switch {
		case n.Kind() == "catch_clause" && hollow(n.Child("body")):
			body := n.Parent().Child("body")
			if eventful(body) && !tidy.Match(code[body.Start():body.End()]) &&
				!t.Commented(n.Line()-1, n.LastLine()) && !t.Accepted(n.Line()) {
				s.add(n.Line(), t.Quote)
			}
		case n.Kind() == "call_expression" && n.Child("function").Child("property").Text() == "catch":
			args, at := n.Args(), n.Child("function").Child("property")
			from, _ := t.Bounds(max(1, at.Line()-1))
			chained := n.Child("function").Child("object").Child("function").Child("property").Text()
			if chained == "finally" {
				continue // finally returns a new promise, which the handler handles; the original promise still fails
			}
			if len(args) == 1 && strings.Contains(args[0].Kind(), "function") && hollow(args[0].Child("body")) &&
				!tidy.Match(code[from:at.Start()]) && !tidy.MatchString(t.Quote(n.Line())) &&
				!t.Commented(at.Line()-1, n.LastLine()) && !t.Accepted(at.Line()) {
				s.add(at.Line(), t.Quote)
			}
		}
	}
	s.tell(t.File, "A handler drops every error in silence", handlerWhy, handlerDoubt, tell)
}

// hollow reports whether a block has neither statements nor comments.
func hollow(block syntax.Node) bool {
	return block.Kind() == "statement_block" && len(strings.Trim(block.Text(), "{} \t\r\n")) == 0
}

// eventful reports whether a try block has at least three statements, at least one of them a call. A smaller block
// is often a query that may fail; a block without a call only computes a value and keeps the default if that fails.
func eventful(block syntax.Node) bool {
	statements, calls := 0, false
	for n := range block.All() {
		if k := n.Kind(); strings.HasSuffix(k, "_statement") || strings.HasSuffix(k, "_declaration") {
			statements++
			call := n.First()
			if call.Kind() == "await_expression" || call.Kind() == "await" {
				call = call.First()
			}
			calls = calls || k == "expression_statement" && call.IsCall()
		}
	}
	return statements >= 3 && calls
}

func pythonHandlers(t *inspect.Tree, tell func(inspect.Finding)) {
	var s swallowed
	code := t.Code()
	for n := range t.Root().All() {
		if n.Kind() != "except_clause" {
			continue
		}
		parts := n.Parts()
		if len(parts) == 0 || len(parts) > 2 {
			continue
		}
		if caught := parts[0]; len(parts) == 2 {
			if caught.Kind() == "as_pattern" {
				caught = caught.First()
			}
			if !anything.MatchString(caught.Text()) {
				continue
			}
		}
		body, does := n.Parent().Child("body"), parts[len(parts)-1].Parts()
		if len(does) == 1 && does[0].Kind() == "pass_statement" && eventful(body) &&
			!pyTidy.Match(code[body.Start():body.End()]) && !t.Commented(n.Line()-8, n.LastLine()+1) {
			s.add(n.Line(), t.Quote)
		}
	}
	s.tell(t.File, "A handler drops every exception in silence", handlerWhy, handlerDoubt, tell)
}
