package sage

import (
	"context"
	"fmt"
	"go/ast"
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

var skipped = inspect.Check{
	ID: hero + "/skipped-test", Hero: hero,
	Looks: "tests that are always skipped: t.Skip as the first statement in Go, it.skip and its variants in JavaScript, skip marks without a reason in Python",
	Rule:  "Low if no reason is given, info if one is.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		by := map[string]*skippedTests{}
		var order []string
		note := func(p string, data []byte, line int, name string, reason bool) {
			if by[p] == nil {
				by[p] = &skippedTests{path: p, line: line, evidence: inspect.Line(data, line), reasons: true}
				order = append(order, p)
			}
			x := by[p]
			if !reason && x.reasons {
				x.line, x.evidence, x.reasons = line, inspect.Line(data, line), false
			}
			x.names = append(x.names, name)
		}
		for _, t := range goTests(ctx, r) {
			if line, reason, ok := goSkips(r.Go(ctx), &t); ok {
				note(t.file.File.Path, t.file.Text, line, t.decl.Name.Name, reason)
			}
		}
		for s := range scriptTests(ctx, r, "skip", "xit", "xtest", "xdescribe", "xcontext") {
			for _, t := range s.tests {
				if t.skips() && t.from >= 0 {
					note(s.file.Path, s.data, t.line, t.title, s.said(&t))
				}
			}
		}
		for p := range pythonTests(ctx, r, "skip") {
			for _, t := range p.tests {
				for i, d := range t.decorators {
					if bareSkip.MatchString(d) && !p.said(t.first) && !p.said(t.first+i) {
						note(p.file.Path, p.data, t.first+i, t.name, false)
						break
					}
				}
			}
		}
		for _, p := range order {
			report(by[p].finding())
		}
		return ctx.Err()
	},
}

// skippedTests lists the tests of one file that are always skipped.
type skippedTests struct {
	path, evidence string
	line           int
	names          []string
	reasons        bool // whether every test gives a reason
}

func (x *skippedTests) finding() inspect.Finding {
	severity, advice := inspect.Low, "Repair it, or write down why it is skipped and until when, or remove it."
	if x.reasons {
		severity, advice = inspect.Info, "See whether the reason still holds; if it does, nothing is to be done."
	}
	title := fmt.Sprintf("The test %s is always skipped", inspect.Clip(x.names[0], 60))
	evidence := x.evidence
	if n := len(x.names); n > 1 {
		title = fmt.Sprintf("%d tests or groups of %s are always skipped", n, inspect.Clip(path.Base(x.path), 50))
		evidence += ": " + few(x.names)
	}
	return inspect.Finding{
		Severity: severity, Title: title, Path: x.path, Line: x.line, Evidence: evidence,
		Why:    "It is read and maintained like a test, and nothing notices when the code that it tests breaks.",
		Advice: advice,
		Same:   "passed " + x.names[0],
	}
}

// goSkips reports whether a test skips itself before it does anything.
func goSkips(g *inspect.Golang, t *goTest) (line int, reason, ok bool) {
	if constrained(t.file) || t.t == "" || t.t == "_" {
		return 0, false, false
	}
	for _, s := range t.decl.Body.List {
		e, isExpr := s.(*ast.ExprStmt)
		if !isExpr {
			return 0, false, false
		}
		c, isCall := e.X.(*ast.CallExpr)
		if !isCall {
			return 0, false, false
		}
		sel, isSel := c.Fun.(*ast.SelectorExpr)
		if !isSel {
			return 0, false, false
		}
		if x, isID := sel.X.(*ast.Ident); !isID || x.Name != t.t {
			return 0, false, false
		}
		switch sel.Sel.Name {
		case "Parallel", "Helper", "Log", "Logf":
		case "Skip", "Skipf", "SkipNow":
			line = g.At(s.Pos())
			return line, len(c.Args) > 0 && !emptyText(c.Args[0]) || t.decl.Doc != nil || commentAt(g, t.file, line), true
		default:
			return 0, false, false
		}
	}
	return 0, false, false
}

func emptyText(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && len(strings.Trim(lit.Value, "\"` .")) < 4
}

func commentAt(g *inspect.Golang, f *inspect.GoFile, line int) bool {
	for _, group := range f.AST.Comments {
		if from, to := g.At(group.Pos()), g.At(group.End()); from <= line && to >= line-1 {
			return true
		}
	}
	return false
}

// said reports whether the code gives the reason for a skip, in a comment on the test's line or the line above it, or
// in the test's title.
func (s *scriptFile) said(t *scriptTest) bool {
	above, line := around(s.plain, t.line)
	return strings.HasPrefix(above, "//") || strings.HasSuffix(above, "*/") || strings.Contains(line, "//") || strings.Contains(line, "/*") || whySkipped.MatchString(t.title)
}

var (
	whySkipped = inspect.Pattern(`(?i)todo|fixme|flak|#[0-9]+|until|because|not supported|broken`)
	bareSkip   = inspect.Pattern(`^(?:pytest\s*\.\s*)?(?:mark\s*\.\s*)skip\s*(?:\(\s*\))?\s*$|^(?:unittest\s*\.\s*)?skip\s*\(\s*["']\s{0,3}["']\s*\)\s*$`)
)

func (p *pythonFile) said(line int) bool {
	above, at := around(p.plain, line)
	return strings.HasPrefix(above, "#") || strings.Contains(at, "#")
}
