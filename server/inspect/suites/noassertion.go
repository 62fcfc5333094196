package suites

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var noAssertion = inspect.Check{
	ID: "sage/no-assertion", Hero: "sage", Confidence: inspect.Doubtful,
	Looks: "tests in Go, JavaScript, TypeScript and Python that are empty, or that print what the code gives and check " +
		"nothing of it",
	Rule: "Medium. Silent where a comment, a helper, a fixture or the test's name may explain it; a test that only " +
		"calls code is not reported: it may check that nothing breaks.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		by := map[string]*idle{}
		var order []string
		note := func(p string, data []byte, line int, name string, kind kind) {
			if kind == busy {
				return
			}
			if by[p] == nil {
				by[p] = &idle{path: p, line: line, evidence: inspect.Line(data, line), kind: kind}
				order = append(order, p)
			}
			by[p].names = append(by[p].names, cmp.Or(name, "without a title"))
		}
		for _, t := range goTests(ctx, r) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			note(t.file.File.Path, t.file.Text, r.Go(ctx).At(t.decl.Pos()), t.decl.Name.Name, goIdle(&t))
		}
		for _, f := range readTests(ctx, r) {
			if f.idle != nil {
				report(f.idle.finding())
			}
		}
		for _, p := range order {
			report(by[p].finding())
		}
		return ctx.Err()
	},
}

// kind says what a test does that checks nothing.
type kind int

const (
	busy kind = iota // the test checks something, or may do so
	empty
	prints
)

// idle lists the tests of one file that check nothing.
type idle struct {
	path, evidence string
	line           int
	names          []string
	kind           kind // the kind of the first one
}

func (x *idle) finding() inspect.Finding {
	does := "is empty"
	if x.kind == prints {
		does = "prints its result and checks nothing"
	}
	title := fmt.Sprintf("The test %s %s", inspect.Clip(x.names[0], 50), does)
	evidence := x.evidence
	if n := len(x.names); n > 1 {
		title = fmt.Sprintf("%d tests of %s check nothing", n, inspect.Clip(path.Base(x.path), 60))
		evidence = fmt.Sprintf("%s (and %s)", x.evidence, inspect.Some(x.names[1:], 3))
	}
	return inspect.Finding{
		Severity: inspect.Medium, Title: title, Path: x.path, Line: x.line, Evidence: evidence,
		Why:    "It passes whatever the code returns, and every report counts the code as tested.",
		Advice: "Compare the result or the effect of the code with the expected one, or remove the test.",
		Same:   "idle " + x.names[0],
		Cause:  inspect.Cause{Key: "idle tests", Text: "tests that check nothing"},
	}
}

// checking matches names of functions that may check something.
var checking = inspect.Pattern(`(?i)expect|assert|should|throw|fail|reject|verif|check|require|must|ensure|validat|` +
	`compar|equal|same|match|snapshot|raises|approx|inspect|diff|error|panic|fatal|wait|golden|contain|verify|confirm|` +
	`test|spec`)

// meant matches names and comments of tests that intentionally check only that the code does not fail.
var meant = inspect.Pattern(`(?i)todo|throw|crash|panic|race|error|compil|types?\b|smoke|without|not|n't|accept|` +
	`allow|support|valid|handle|safe|work|leak|deadlock|hang|block|concurren|parallel|nil|null|none|empty|noop|no_op|` +
	`stress|fuzz|example|import|load|close|idempot|twice|build|render|mount|init|constr|exist`)

func goIdle(t *goTest) kind {
	if meant.MatchString(t.decl.Name.Name+" "+t.decl.Doc.Text()) || constrained(t.file) || commented(t) {
		return busy
	}
	if len(t.decl.Body.List) == 0 {
		return empty
	}
	printed, other := false, false
	ast.Inspect(t.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if x, isSel := n.Fun.(*ast.SelectorExpr); isSel {
				if id, isID := x.X.(*ast.Ident); isID {
					switch {
					case id.Name == t.t && harmless[x.Sel.Name]:
						printed = printed || strings.HasPrefix(x.Sel.Name, "Log") && t.shows(n.Args)
						for _, a := range n.Args {
							ast.Inspect(a, func(n ast.Node) bool {
								switch n := n.(type) {
								case *ast.Ident:
									other = other || n.Name == t.t
								case *ast.UnaryExpr:
									other = other || n.Op == token.ARROW
								}
								return true
							})
						}
						return false
					case (id.Name == "fmt" || id.Name == "log") && strings.HasPrefix(x.Sel.Name, "Print"):
						printed = printed || t.shows(n.Args)
						return true
					}
				}
			}
			name := called(n)
			other = other || name == "" || checking.MatchString(name) || name == "Run" || name == "Wait" || name == "Exit"
		case *ast.Ident:
			other = other || n.Name == t.t && t.t != ""
		case *ast.UnaryExpr: // a receive fails by hanging if no value comes
			other = other || n.Op == token.ARROW
		case *ast.SelectStmt, *ast.SendStmt, *ast.GoStmt, *ast.TypeAssertExpr, *ast.FuncLit, *ast.DeferStmt, *ast.IfStmt,
			*ast.SwitchStmt:
			other = true
		}
		return !other
	})
	if printed && !other {
		return prints
	}
	return busy
}

// shows reports whether one of the printed arguments is a call, or a variable that holds the result of a call.
func (t *goTest) shows(args []ast.Expr) bool {
	given := map[string]bool{}
	ast.Inspect(t.decl.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 {
			if _, is := a.Rhs[0].(*ast.CallExpr); is {
				for _, to := range a.Lhs {
					if id, ok := to.(*ast.Ident); ok {
						given[id.Name] = true
					}
				}
			}
		}
		return true
	})
	return slices.ContainsFunc(args, func(a ast.Expr) bool {
		found := false
		ast.Inspect(a, func(n ast.Node) bool {
			id, isName := n.(*ast.Ident)
			_, isCall := n.(*ast.CallExpr)
			found = found || isCall || isName && given[id.Name]
			return !found
		})
		return found
	})
}

// harmless lists the methods of *testing.T that cannot fail the test.
var harmless = map[string]bool{"Log": true, "Logf": true, "Parallel": true, "Helper": true, "Name": true,
	"TempDir": true, "Setenv": true, "Context": true}

// commented reports whether the body of a test has a comment, which may explain what the test is for.
func commented(t *goTest) bool {
	for _, group := range t.file.AST.Comments {
		if group.Pos() > t.decl.Body.Pos() && group.End() < t.decl.Body.End() {
			return true
		}
	}
	return false
}
