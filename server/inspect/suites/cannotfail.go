package suites

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

var cannotFail = inspect.Check{
	ID: "sage/cannot-fail", Hero: "sage",
	Looks: "assertions that hold whatever the code does: expect(x) without a matcher, a matcher that is not called, assert of a tuple, a constant compared with itself",
	Rule:  "Medium if the line was meant to check something and does not, low if it is a constant.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		type key struct{ path, title string }
		found := map[key]*inspect.Finding{}
		more := map[key][]string{}
		each := map[string]int{} // number of findings, by path
		var order []key
		tell := func(severity, p string, data []byte, line int, title, why, advice string) {
			k := key{p, title}
			if found[k] != nil { // the same title in one file is one finding
				more[k] = append(more[k], fmt.Sprint(line))
				return
			}
			if each[p]++; each[p] > inspect.MaxPerCheck {
				return
			}
			order = append(order, k)
			found[k] = &inspect.Finding{
				Severity: severity, Title: title, Path: p, Line: line, Evidence: inspect.Line(data, line), Why: why, Advice: advice, Same: title,
			}
		}
		for s := range scriptTests(ctx, r, "expect", "assert") {
			s.cannotFail(tell)
		}
		for p := range pythonTests(ctx, r, "assert") {
			p.cannotFail(tell)
		}
		for _, t := range goTests(ctx, r) {
			goCannotFail(r.Go(ctx), &t, tell)
		}
		for _, k := range order {
			f := found[k]
			if n := len(more[k]); n > 0 {
				f.Title = inspect.Clip(fmt.Sprintf("%s, in %d places", f.Title, n+1), 100)
				f.Evidence += " (and on line " + inspect.Some(more[k], 3) + ")"
			}
			report(*f)
		}
		return ctx.Err()
	},
}

type teller func(severity, path string, data []byte, line int, title, why, advice string)

var (
	expectCall  = inspect.Pattern(`\bexpect\s*\(`)
	ownExpect   = inspect.Pattern(`\b(?:function|const|let|var|class)\s+expect\b|\bas\s+expect\b|\bexpect\s*[:=]`)
	fromOwn     = inspect.Pattern(`\bexpect\b[^;'"]{0,500}\bfrom\s*['"]`)
	bareMatcher = inspect.Pattern(`^\s*(?:\.\s*not\s*)?\.\s*(toBeTruthy|toBeFalsy|toBeNull|toBeUndefined|toBeDefined|toBeNaN|toHaveBeenCalled|toHaveBeenCalledOnce|toThrow|toBeInTheDocument|toMatchSnapshot)\s*(?:[;}]|\n\s*(?:[;}]|expect|const|await|it\b|\n))`)
	constant    = inspect.Pattern(`\bexpect\s*\(\s*(true|false)\s*\)\s*\.\s*(?:toBe|toEqual|toStrictEqual|to\s*\.\s*equal|to\s*\.\s*eql)\s*\(\s*(true|false)\s*\)|\bexpect\s*\(\s*true\s*\)\s*\.\s*(?:toBeTruthy\s*\(\s*\)|to\s*\.\s*be\s*\.\s*(?:true|ok)\b)|\bassert(?:\s*\.\s*(?:ok|isTrue))?\s*\(\s*true\s*[,)]`)
	planned     = inspect.Pattern(`\b(?:assertions|hasAssertions|plan)\s*\(`)
	anyCheck    = inspect.Pattern(`\b(?:expect|assert)\b|should`)
)

func (s *scriptFile) cannotFail(tell teller) {
	if ownExpect.Match(s.masked) {
		return
	}
	if m := fromOwn.FindIndex(s.masked); m != nil && m[1] < len(s.data) && s.data[m[1]] == '.' {
		return
	}
	pairs := lex.Pairs(s.masked)
	line, counted := 1, 0
	for _, at := range expectCall.FindAllIndex(s.masked, -1) {
		end := int(pairs[at[1]-1])
		if end < 0 || !statementBegins(s.masked, at[0]) {
			continue
		}
		after := s.masked[end+1 : min(len(s.masked), end+200)]
		line += bytes.Count(s.masked[counted:at[0]], []byte("\n"))
		counted = at[0]
		trimmed := bytes.TrimLeft(after, " \t")
		args := s.masked[at[1]:end]
		switch m := bareMatcher.FindSubmatch(after); {
		case m != nil:
			tell(inspect.Medium, s.file.Path, s.data, line, fmt.Sprintf("The matcher %s is named and not called", m[1]),
				"Without its brackets the matcher is only looked up, so this line passes whatever the value is.",
				fmt.Sprintf("Write %s().", m[1]))
		case (bytes.HasPrefix(trimmed, []byte(";")) || endsHere(trimmed)) && !bytes.Contains(args, []byte(",")) && len(bytes.TrimSpace(args)) > 0:
			tell(inspect.Medium, s.file.Path, s.data, line, "expect is called without a matcher",
				"expect on its own compares nothing, so this line passes whatever the value is.",
				"Say what the value should be, with toBe or another matcher.")
		}
	}
	for _, t := range s.tests {
		if t.group || t.from < 0 || t.to-t.from > maxBody {
			continue
		}
		body := s.masked[t.from:t.to]
		at := constant.FindSubmatchIndex(body)
		if at == nil || planned.Match(body) || len(anyCheck.FindAllIndex(body, 2)) != 1 {
			continue
		}
		if at[2] >= 0 && string(body[at[2]:at[3]]) != string(body[at[4]:at[5]]) || bytes.Contains(body, []byte("catch")) || deep(body[:at[0]]) {
			continue
		}
		tell(inspect.Low, s.file.Path, s.data, s.lines.Line(t.from+at[0]), fmt.Sprintf("The only check of the test %s is of a constant", inspect.Clip(t.title, 40)),
			"true is true whatever the code does, so the test cannot fail.",
			"Check what the code returns, or remove the test.")
	}
}

// deep reports whether a call is in a nested block, judging by an open brace in the code before the call. In a nested
// block expect(true) may mean "this block was reached".
func deep(before []byte) bool {
	return bytes.Count(before, []byte("{")) > bytes.Count(before, []byte("}"))
}

// endsHere reports whether a statement ends with its line: nothing follows on the line, and the next line does not
// continue the statement, for example with a dot.
func endsHere(after []byte) bool {
	if len(after) == 0 || after[0] != '\n' && after[0] != '\r' && after[0] != '}' {
		return false
	}
	next := bytes.TrimSpace(after)
	return len(next) > 0 && next[0] != '.' && next[0] != '?' && next[0] != '[' && next[0] != ')' && next[0] != ','
}

// statementBegins reports whether a statement begins at an offset. An expect in the middle of a statement is assigned
// or passed on, and other code may check its result.
func statementBegins(masked []byte, at int) bool {
	before := bytes.TrimRight(masked[max(0, at-200):at], " \t\r\n")
	before = bytes.TrimRight(bytes.TrimSuffix(before, []byte("await")), " \t\r\n")
	return len(before) == 0 || bytes.IndexByte([]byte(";{}"), before[len(before)-1]) >= 0
}

var (
	pythonAssert = inspect.Pattern(`^\s*assert\s*\(`)
	assertTrue   = inspect.Pattern(`\bself\s*\.\s*(?:assertTrue|assertFalse)\s*\(`)
	literal      = inspect.Pattern(`^(?:-?[0-9]+(?:\.[0-9]+)?|True|False|None|\[[^\]]*\])$`)
	pythonTrue   = inspect.Pattern(`^\s*(?:assert\s+(?:True|1)\s*(?:,|$)|self\s*\.\s*assertTrue\s*\(\s*True\s*[,)])`)
)

func (p *pythonFile) cannotFail(tell teller) {
	pairs := lex.Pairs(p.masked)
	start := 0
	for n, line := range inspect.Lines(p.masked) {
		if m := pythonAssert.FindString(line); m != "" {
			open := start + len(m) - 1
			end := int(pairs[open])
			if end > 0 && lineRestEmpty(p.masked, end+1) && tuple(p.masked[open+1:end]) {
				tell(inspect.Medium, p.file.Path, p.data, n, "assert of a tuple is always true",
					"With brackets around value and message, Python asserts a tuple of two, and a tuple that is not empty is true.",
					"Remove the outer brackets.")
			}
		}
		if at := assertTrue.FindStringIndex(line); at != nil {
			open := start + at[1] - 1
			if end := int(pairs[open]); end > 0 {
				name := strings.Trim(line[at[0]:at[1]], " (")
				name = name[strings.LastIndexByte(name, '.')+1:]
				if args := split(p.masked[open+1 : end]); len(args) == 2 && literal.MatchString(strings.TrimSpace(args[1])) && strings.TrimSpace(args[1]) != strings.TrimSpace(strings.TrimPrefix(name, "assert")) {
					tell(inspect.Medium, p.file.Path, p.data, n, name+" takes its second value for the message",
						fmt.Sprintf("The value %s is the text that is shown on failure. It is compared with nothing.", strings.TrimSpace(args[1])),
						"Use assertEqual for the two values.")
				}
			}
		}
		start += lineLength(p.masked[start:])
	}
	for _, t := range p.tests {
		if t.class || t.nested || t.to-t.from > maxBody/10 {
			continue
		}
		body := strings.Split(p.body(&t), "\n")
		hits, others, at, indent := 0, 0, 0, 0
		for i, line := range body {
			if pythonTrue.MatchString(line) {
				hits, at, indent = hits+1, i, len(line)-len(strings.TrimLeft(line, " "))
			}
		}
		if hits != 1 {
			continue
		}
		for i, line := range body {
			if i != at && oddPython.MatchString(line) {
				others++
			}
		}
		if others > 0 || indent != bodyIndent(body) {
			continue
		}
		tell(inspect.Low, p.file.Path, p.data, t.from+at+1, fmt.Sprintf("The only check of %s is of a constant", inspect.Clip(t.name, 60)),
			"True is true whatever the code does, so the test fails only if something raises.",
			"Check what the code returns, or remove the line.")
	}
}

func bodyIndent(body []string) int {
	for _, line := range body {
		if t := strings.TrimLeft(line, " "); t != "" {
			return len(line) - len(t)
		}
	}
	return 0
}

func lineLength(b []byte) int {
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		return n + 1
	}
	return len(b)
}

func lineRestEmpty(text []byte, from int) bool {
	rest := text[from:]
	return len(bytes.TrimSpace(rest[:lineLength(rest)])) == 0
}

// split splits arguments at the commas outside brackets.
func split(args []byte) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range args {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, string(args[from:i]))
				from = i + 1
			}
		}
	}
	return append(out, string(args[from:]))
}

// tuple reports whether the text between two brackets is a tuple that is not empty.
func tuple(in []byte) bool {
	parts := split(in)
	return len(parts) > 1 && strings.TrimSpace(parts[0]) != "" && !strings.Contains(parts[0], " for ") && !strings.Contains(parts[0], "lambda")
}

func goCannotFail(g *inspect.Golang, t *goTest, tell teller) {
	names := map[string]bool{}
	for _, spec := range t.file.AST.Imports {
		p := strings.Trim(spec.Path.Value, "\"")
		if p == "github.com/stretchr/testify/assert" || p == "github.com/stretchr/testify/require" {
			name := p[strings.LastIndexByte(p, '/')+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			names[name] = true
		}
	}
	if len(names) == 0 || strings.HasPrefix(t.pkg.Import, "github.com/stretchr/testify") {
		return
	}
	checks := 0
	var first *ast.CallExpr
	var what string
	ast.Inspect(t.decl.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if checking.MatchString(called(c)) || called(c) == "Run" {
			checks++
		}
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || !names[x.Name] {
			return true
		}
		checks++
		switch {
		case len(c.Args) < 2:
		case (sel.Sel.Name == "True" && isName(c.Args[1], "true") || sel.Sel.Name == "False" && isName(c.Args[1], "false")) && top(t.decl.Body, c):
			first, what = c, "of a constant"
		case (sel.Sel.Name == "Equal" || sel.Sel.Name == "EqualValues" || sel.Sel.Name == "Same") && len(c.Args) > 2 && sameLiteral(c.Args[1], c.Args[2]):
			first, what = c, "compares a constant with itself"
		}
		return true
	})
	if first == nil || what == "of a constant" && checks > 1 {
		return
	}
	line := g.At(first.Pos())
	title := fmt.Sprintf("A check of %s %s", inspect.Clip(t.decl.Name.Name, 60), what)
	if what == "of a constant" {
		title = fmt.Sprintf("The only check of %s is of a constant", inspect.Clip(t.decl.Name.Name, 60))
	}
	tell(inspect.Low, t.file.File.Path, t.file.Text, line, title,
		"It holds whatever the code does, so it cannot fail.",
		"Check what the code returns, or remove the line.")
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func sameLiteral(a, b ast.Expr) bool {
	x, ok := a.(*ast.BasicLit)
	y, is := b.(*ast.BasicLit)
	return ok && is && x.Value == y.Value
}

// top reports whether a call is a statement directly in the body and not in a nested block.
func top(body *ast.BlockStmt, c *ast.CallExpr) bool {
	for _, s := range body.List {
		if e, ok := s.(*ast.ExprStmt); ok && e.X == c {
			return true
		}
	}
	return false
}
