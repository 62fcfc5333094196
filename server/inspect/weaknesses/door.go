package weaknesses

import (
	"bytes"
	"context"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

func doors() inspect.Check {
	return inspect.Check{
		ID: "sentinel/open-door", Hero: "sentinel", CWE: []int{489, 942, 732},
		Looks: "services that are open by default: a debugger on all addresses, foreign pages that may use a visitor's " +
			"login, files that everybody may write",
		Rule: "High for a debugger on all addresses and for foreign pages with logins, medium for files that everybody " +
			"may write, which are candidates; foreign pages are a candidate where no code reads cookies, or where the program " +
			"looks at the origin itself; tests are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			logins := sync.OnceValue(func() string { return doubtLogins(ctx, r) })
			door := func(f inspect.Finding) {
				switch f.Title {
				case corsTitle:
					f.Suspect(logins())
				case chmodTitle:
					f.Suspect("the folder around it may keep others out")
				}
				tell(f)
			}
			for f := range productGo(ctx, r) {
				goDoors(f, door)
			}
			for f, data := range r.All(ctx, "Shell", "Dockerfile") {
				if !f.Test && bytes.Contains(data, []byte("chmod")) {
					shellDoors(f, data, door)
				}
			}
			opens := func(f *inspect.File, data []byte) bool {
				return !f.Test && inspect.HasAny(data, "debug=True", "debug = True", "credentials", "chmod")
			}
			for t := range r.Trees(ctx, opens, "Python") {
				pythonDoors(t, door)
			}
			for t := range r.Trees(ctx, opens, inspect.Scripts...) {
				scriptDoors(t, door)
			}
			return ctx.Err()
		},
	}
}

var (
	jsCORS      = inspect.Pattern(`\b(?:cors|fastifyCors|enableCors)$`)
	shellChmod  = inspect.Pattern(`(?:^|[\s;&|])chmod\s+(?:-[a-zA-Z]+\s+)*(?:0?777|a\+rwx|ugo\+rwx)\s`)
	cookies     = inspect.Pattern(`(?i)cookie|session|passport|login_required`)
	origins     = inspect.Pattern(`(?i)headers\.origin\b|(?:headers\[|\.(?:get|header)\()\s*['"]origin['"]`)
	worldWrites = inspect.Pattern(`^0o?[0-7]*[0-7][0-7][2367]$`)
)

// doubtLogins returns a reason why a foreign page may have no login of a visitor to abuse, or "".
func doubtLogins(ctx context.Context, r *inspect.Repo) string {
	login := false
	for f, data := range r.All(ctx, slices.Concat(inspect.Scripts, []string{"Python"})...) {
		if f.Test || inspect.Shown(f) {
			continue
		}
		if origins.Match(data) {
			return "the program looks at the origin of requests: " + f.Path
		}
		login = login || cookies.Match(data)
	}
	if !login {
		return "no code reads cookies or sessions, so a visitor may have no login"
	}
	return ""
}

func doorFinding(f *inspect.File, line int, evidence, sev, title, why, advice string) inspect.Finding {
	return inspect.Finding{Severity: sev, Path: f.Path, Line: line, Title: title, Evidence: evidence, Why: why,
		Advice: advice}
}

const (
	chmodTitle = "World-writable permissions: everybody on the machine may write here"
	chmodWhy   = "Any other program or user of the machine can change the file before it is used, and no umask removes " +
		"that right again."
	chmodAdvice = "Give the right to write to the owner or a group only."
	corsTitle   = "CORS lets pages of every origin ask with a visitor's login"
	corsWhy     = "Any page that a visitor opens can read answers meant for the visitor alone: the origin is sent back " +
		"as allowed, together with credentials."
	corsAdvice = "List the origins that may ask, or leave the credentials out."
)

func goDoors(f *inspect.GoFile, tell func(inspect.Finding)) {
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

// quiet matches the parts of a shell line that are not commands: quoted texts and comments.
var quiet = inspect.Pattern(`"[^"]*"|'[^']*'|(?:^|\s)#.*`)

func shellDoors(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	for n, line := range inspect.Lines(data) {
		if strings.Contains(line, "chmod") && shellChmod.MatchString(quiet.ReplaceAllString(line, " ")) {
			tell(doorFinding(f, n, inspect.Line(data, n), inspect.Medium, chmodTitle, chmodWhy, chmodAdvice))
		}
	}
}

func pythonDoors(t *inspect.Tree, tell func(inspect.Finding)) {
	hit := func(at syntax.Node, sev, title, why, advice string) {
		if line := at.Line(); !t.Accepted(line) {
			tell(doorFinding(t.File, line, t.Quote(line), sev, title, why, advice))
		}
	}
	for n := range t.Root().All() {
		if !n.IsCall() {
			continue
		}
		callee, args := n.Callee(), n.Args()
		keyword := func(name string) string { return strings.Join(strings.Fields(n.Keyword(name).Text()), "") }
		switch {
		case strings.HasSuffix(callee, ".run"), strings.HasSuffix(callee, ".run_app"):
			all := slices.ContainsFunc(args, func(a syntax.Node) bool {
				text, _ := a.Value()
				return text == "0.0.0.0"
			}) || strings.Trim(keyword("host"), `"'`) == "0.0.0.0"
			if all && keyword("debug") == "True" {
				hit(n, inspect.High, "A debugger answers on all addresses",
					"Whoever reaches the port gets Werkzeug's console, which runs Python.",
					"Turn debug on by an environment variable, or listen on 127.0.0.1.")
			}
		case strings.HasSuffix(callee, ".add_middleware"), callee == "CORS":
			login := keyword("allow_credentials") == "True" || keyword("supports_credentials") == "True"
			for _, name := range []string{"allow_origins", "origins", "allow_origin_regex"} {
				if v := strings.Trim(keyword(name), `["']`); login && (v == "*" || v == ".*") {
					hit(n.Keyword(name), inspect.High, corsTitle, corsWhy, corsAdvice)
				}
			}
		case callee == "os.chmod" && len(args) == 2 && worldWrites.MatchString(args[1].Text()):
			hit(args[0], inspect.Medium, chmodTitle, chmodWhy, chmodAdvice)
		}
	}
}

func scriptDoors(t *inspect.Tree, tell func(inspect.Finding)) {
	for n := range t.Root().All() {
		if !n.IsCall() || !jsCORS.MatchString(n.Callee()) {
			continue
		}
		for _, a := range n.Args() {
			open, login := pair(a, "origin", "true"), pair(a, "credentials", "true")
			if line := open.Line(); open.OK() && login.OK() && !t.Accepted(line) {
				tell(doorFinding(t.File, line, t.Quote(line), inspect.High, corsTitle, corsWhy, corsAdvice))
			}
		}
	}
}

// pair returns the entry of an object with the given key and value, or the zero Node.
func pair(object syntax.Node, key, value string) syntax.Node {
	for n := range object.Children() {
		if n.Kind() == "pair" && n.Child("key").Text() == key && n.Child("value").Text() == value {
			return n
		}
	}
	return syntax.Node{}
}
