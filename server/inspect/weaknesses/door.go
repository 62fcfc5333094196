package weaknesses

import (
	"bytes"
	"context"
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func doors() inspect.Check {
	return inspect.Check{
		ID: "sentinel/open-door", Hero: "sentinel", CWE: []int{489, 942, 732}, Local: true,
		Looks: "services that are open by default: a debugger on all addresses, foreign pages that may use a visitor's login, files that everybody may write",
		Rule:  "High for a debugger on all addresses and for foreign pages with logins, medium for files that everybody may write; tests are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			g := r.Go(ctx)
			for f := range goFiles(ctx, r, g) {
				goDoors(f, tell)
			}
			for f, data := range r.All(ctx, append([]string{"Python", "Shell", "Dockerfile"}, scripts...)...) {
				if !f.Test && !lex.Dense(data) && lex.HasAny(data, "debug=True", "debug = True", "credentials", "chmod") {
					scriptDoors(f, data, tell)
				}
			}
			return ctx.Err()
		},
	}
}

var (
	pyRun       = inspect.Pattern(`\.run(?:_app)?\s*\(`)
	pyCORS      = inspect.Pattern(`\.add_middleware\s*\(|\bCORS\s*\(`)
	jsCORS      = inspect.Pattern(`\b(?:cors|fastifyCors|enableCors)\s*\(`)
	originAny   = inspect.Pattern(`\borigin\s*:\s*true\b`)
	withLogin   = inspect.Pattern(`\bcredentials\s*:\s*true\b`)
	shellChmod  = inspect.Pattern(`(?:^|[\s;&|])chmod\s+(?:-[a-zA-Z]+\s+)*(?:0?777|a\+rwx|ugo\+rwx)\s`)
	pyChmod     = inspect.Pattern(`\bos\.chmod\s*\(`)
	worldWrites = inspect.Pattern(`^0o?[0-7]*[0-7][0-7][2367]$`)
)

func doorFinding(f *inspect.File, line int, evidence, sev, title, why, advice string) inspect.Finding {
	return inspect.Finding{Severity: sev, Path: f.Path, Line: line, Title: title, Evidence: evidence, Why: why, Advice: advice}
}

const (
	chmodTitle  = "Everybody on the machine may write here"
	chmodWhy    = "Any other program or user of the machine can change the file before it is used, and no umask removes that right again."
	chmodAdvice = "Give the right to write to the owner or a group only."
	corsTitle   = "Pages of every origin may ask with a visitor's login"
	corsWhy     = "Any page that a visitor opens can read answers meant for the visitor alone: the origin is sent back as allowed, together with credentials."
	corsAdvice  = "List the origins that may ask, or leave the credentials out."
)

func goDoors(f *goFile, tell func(inspect.Finding)) {
	if !bytes.Contains(f.Text, []byte("Chmod(")) {
		return
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if fn, ok := n.(*ast.FuncDecl); ok && strings.Contains(f.Source(fn), ".Remove") {
			return false // the function adds rights in order to delete files
		}
		c, ok := n.(*ast.CallExpr)
		if !ok || len(c.Args) < 1 {
			return true
		}
		if pkg, name := f.Call(c); pkg != "os" || name != "Chmod" {
			return true
		}
		mode := ast.Unparen(c.Args[len(c.Args)-1])
		open := false
		switch m := mode.(type) {
		case *ast.BasicLit:
			v, err := strconv.ParseUint(m.Value, 0, 32)
			open = m.Kind == token.INT && err == nil && v&0o002 != 0 && v&0o1000 == 0
		case *ast.SelectorExpr:
			id, ok := m.X.(*ast.Ident)
			open = ok && f.Imports[id.Name] == "os" && m.Sel.Name == "ModePerm"
		}
		if line := f.Line(c); open && !f.Accepted(line) {
			tell(doorFinding(f.File, line, f.Quote(line), inspect.Medium, chmodTitle, chmodWhy, chmodAdvice))
		}
		return true
	})
}

func scriptDoors(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	s := lex.Scan(f.Lang, data)
	hit := func(off int, sev, title, why, advice string) {
		if line := s.Line(off); !s.Accepted(line) {
			tell(doorFinding(f, line, s.Quote(line), sev, title, why, advice))
		}
	}
	text := func(a lex.Span) string { return strings.Join(strings.Fields(string(data[a.From:a.To])), "") }
	has := func(args []lex.Span, wanted ...string) int {
		for _, a := range args {
			for _, w := range wanted {
				if text(a) == w {
					return a.From
				}
			}
		}
		return -1
	}
	switch f.Lang {
	case "Shell", "Dockerfile":
		for _, m := range shellChmod.FindAllIndex(s.Code, lex.MaxCalls) {
			if !bytes.Contains(s.Code[m[0]:m[1]], []byte("/tmp")) {
				hit(m[1]-1, inspect.Medium, chmodTitle, chmodWhy, chmodAdvice)
			}
		}
	case "Python":
		for _, args := range s.Calls(pyRun) {
			if at := has(args, "debug=True"); at >= 0 && has(args, `host="0.0.0.0"`, `host='0.0.0.0'`, `"0.0.0.0"`, `'0.0.0.0'`) >= 0 {
				hit(at, inspect.High, "A debugger answers on all addresses", "Whoever reaches the port gets Werkzeug's console, which runs Python.", "Turn debug on by an environment variable, or listen on 127.0.0.1.")
			}
		}
		for _, args := range s.Calls(pyCORS) {
			login := max(has(args, "allow_credentials=True"), has(args, "supports_credentials=True"))
			open := has(args, `allow_origins=["*"]`, `allow_origins=['*']`, `origins="*"`, `origins='*'`, `origins=["*"]`, `allow_origin_regex=".*"`)
			if login >= 0 && open >= 0 {
				hit(open, inspect.High, corsTitle, corsWhy, corsAdvice)
			}
		}
		for _, args := range s.Calls(pyChmod) {
			if len(args) == 2 && worldWrites.MatchString(text(args[1])) {
				hit(args[0].From, inspect.Medium, chmodTitle, chmodWhy, chmodAdvice)
			}
		}
	default:
		for _, args := range s.Calls(jsCORS) {
			for _, a := range args {
				code := s.Code[a.From:a.To]
				if m := originAny.FindIndex(code); m != nil && withLogin.Match(code) {
					hit(a.From+m[0], inspect.High, corsTitle, corsWhy, corsAdvice)
				}
			}
		}
	}
}
