package suites

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var noAssertion = inspect.Check{
	ID: "sage/no-assertion", Hero: "sage", Confidence: inspect.Likely,
	Looks: "tests in Go, JavaScript, TypeScript and Python that are empty, or that print what the code gives and check nothing of it",
	Rule:  "Medium. Silent where a comment, a helper, a fixture or the test's name may explain it; a test that only calls code is not reported: it may check that nothing breaks.",
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
		for s := range scriptTests(ctx, r) {
			for _, t := range s.tests {
				note(s.file.Path, s.data, t.line, t.title, s.idle(&t))
			}
		}
		for p := range pythonTests(ctx, r) {
			for _, t := range p.tests {
				note(p.file.Path, p.data, t.line, t.name, p.idle(&t))
			}
		}
		for _, p := range order {
			report(by[p].finding())
		}
		return ctx.Err()
	},
}

// kind tells what a test without checks does.
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
	}
}

// checking matches names of functions that may check something.
var checking = inspect.Pattern(`(?i)expect|assert|should|throw|fail|reject|verif|check|require|must|ensure|validat|compar|equal|same|match|snapshot|raises|approx|inspect|diff|error|panic|fatal|wait|golden|contain|verify|confirm|test|spec`)

// meant matches names and comments of tests that may check on purpose only that the code does not fail.
var meant = inspect.Pattern(`(?i)throw|crash|panic|race|error|compil|types?\b|smoke|without|not|n't|accept|allow|support|valid|handle|safe|work|leak|deadlock|hang|block|concurren|parallel|nil|null|none|empty|noop|no_op|stress|fuzz|example|import|load|close|idempot|twice|build|render|mount|init|constr|exist`)

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
						printed = printed || strings.HasPrefix(x.Sel.Name, "Log") && calls(n.Args)
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
						printed = printed || calls(n.Args)
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
		case *ast.SelectStmt, *ast.SendStmt, *ast.GoStmt, *ast.TypeAssertExpr, *ast.FuncLit, *ast.DeferStmt, *ast.IfStmt, *ast.SwitchStmt:
			other = true
		}
		return !other
	})
	if printed && !other {
		return prints
	}
	return busy
}

// calls reports whether one of the printed arguments may be a call: it is not a literal.
func calls(args []ast.Expr) bool {
	return slices.ContainsFunc(args, func(a ast.Expr) bool {
		_, lit := a.(*ast.BasicLit)
		return !lit
	})
}

// harmless lists the methods of *testing.T that cannot fail the test.
var harmless = map[string]bool{"Log": true, "Logf": true, "Parallel": true, "Helper": true, "Name": true, "TempDir": true, "Setenv": true, "Context": true}

// commented reports whether the body of a test has a comment, which may explain what the test is for.
func commented(t *goTest) bool {
	for _, group := range t.file.AST.Comments {
		if group.Pos() > t.decl.Body.Pos() && group.End() < t.decl.Body.End() {
			return true
		}
	}
	return false
}

var (
	scriptPrints = inspect.Pattern(`\bconsole\s*\.\s*(?:log|dir|info|table)\s*\(`)
	plainCall    = inspect.Pattern(`(^|[^\w$.])([A-Za-z_$][\w$]*)\s*\(`)
	oddScript    = inspect.Pattern(`(?i)expect|assert|should|throw|fail|reject|verif|check|ensure|must|validat|compar|equal|same|match|snapshot|wait|sinon|\bcy\b|\bpage\b|\bok\b|\bis\b|\bt\.|return\b|yield|golden|diff|contain|type|promise|await|done|test|spec|run\b|<`)
	ofTests      = inspect.Pattern(`(?i)test|helper|util|fixture|support|setup|spec`)
	words        = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "function": true, "return": true, "typeof": true, "await": true, "new": true}
)

func (s *scriptFile) idle(t *scriptTest) kind {
	if t.group || t.from < 0 || t.params || t.skips() || strings.Contains(t.mods, "todo") || strings.Contains(t.mods, "fail") || meant.MatchString(t.title) || strings.Contains(s.file.Path, "-d.") {
		return busy
	}
	if t.to-t.from > maxBody {
		return busy
	}
	raw := s.data[t.from:t.to]
	if strings.TrimSpace(string(raw)) == "" {
		return empty
	}
	body := string(s.masked[t.from:t.to])
	if !scriptPrints.MatchString(body) || strings.Contains(string(raw), "//") || strings.Contains(string(raw), "/*") || oddScript.MatchString(body) {
		return busy
	}
	for _, m := range plainCall.FindAllStringSubmatch(body, -1) {
		if !words[m[2]] && s.helper(m[2]) {
			return busy
		}
	}
	return prints
}

// helper reports whether the test file declares the function name or imports it from another test file. Such a function
// may check something.
func (s *scriptFile) helper(name string) bool {
	known, ok := s.helpers[name]
	if !ok {
		known = len(s.helpers) >= maxHelpers || s.seeksHelper(name)
		s.helpers[name] = known
	}
	return known
}

// maxHelpers is the maximum number of names in one file that the method helper searches for. For all further names the
// method returns true.
const maxHelpers = 100

func (s *scriptFile) seeksHelper(name string) bool {
	quoted := regexp.QuoteMeta(name)
	own, err := regexp.Compile(`\b(?:function\s*\*?\s*|const\s+|let\s+|var\s+)` + quoted + `\b`)
	if err != nil || own.Match(s.masked) {
		return true
	}
	from, err := regexp.Compile(`(?:import[^;'"]{0,900}\b` + quoted + `\b[^;'"]{0,900}|\b` + quoted + `\b[^;'"]{0,900}require\s*\(\s*)['"]`)
	if err != nil {
		return true
	}
	at := from.FindIndex(s.masked)
	if at == nil {
		return false
	}
	to := at[1]
	for to < len(s.masked) && s.masked[to] != s.masked[at[1]-1] {
		to++
	}
	return ofTests.Match(s.data[at[1]:to])
}

var (
	pythonPrints = inspect.Pattern(`^print\s*\(.*[\w]`)
	oddPython    = inspect.Pattern(`(?i)assert|raise|fail|expect|check|verif|should|must|ensure|equal|compar|validat|mock|patch|warn|approx|snapshot|benchmark|yield|match|skip|except|self\.\w+\(|self\.\w*test|await|return|test_|_test|run|lambda|with\b|golden|diff|contain|subprocess|timeout|thread|del\b|gc\.|\bin\b|compile|parse|exec|eval|import`)
)

func (p *pythonFile) idle(t *pythonTest) kind {
	if t.class || t.nested || meant.MatchString(t.name) || !strings.HasPrefix(t.name, "test_") || len(t.decorators) > 0 {
		return busy
	}
	if t.to-t.from > maxBody/10 {
		return busy
	}
	body := p.body(t)
	switch strings.TrimSpace(body) {
	case "pass", "...":
		// Skip an empty method of a subclass: it may disable the test of the same name in the base class.
		if t.owner != "" && !plainClass.MatchString(t.owner) || bytes.ContainsRune(p.raw(t), '#') {
			return busy
		}
		return empty
	}
	if len(body) > maxBody || !p.printsAtOnce(t) || oddPython.MatchString(body) || strings.Contains(body, "[") {
		return busy
	}
	for _, m := range plainCall.FindAllStringSubmatch(body, -1) {
		if p.defs[m[2]] || slices.Contains(t.params, m[2]) {
			return busy
		}
	}
	return prints
}

var plainClass = inspect.Pattern(`^class\s+\w+\s*(?:\(\s*(?:[\w.]*TestCase|object)?\s*\))?\s*:`)

// printsAtOnce reports whether a print with arguments is directly in the body of a test and not in a nested block.
func (p *pythonFile) printsAtOnce(t *pythonTest) bool {
	body := strings.Split(p.body(t), "\n")
	indent := bodyIndent(body)
	return slices.ContainsFunc(body, func(line string) bool {
		rest := strings.TrimLeft(line, " ")
		return len(line)-len(rest) == indent && pythonPrints.MatchString(rest)
	})
}
