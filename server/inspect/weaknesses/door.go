package weaknesses

import (
	"context"
	"slices"
	"strings"
	"sync"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

func doors() inspect.Check {
	return inspect.Check{
		ID: "sentinel/open-door", Hero: "sentinel", CWE: []int{489, 942},
		Looks: "services that are open by default: a debugger on all addresses, foreign pages that may use a visitor's " +
			"login (JavaScript, Python)",
		Rule: "High. Foreign pages are a candidate if no code reads cookies, or if the program tests the origin " +
			"itself. Left out: tests.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			logins := sync.OnceValue(func() string { return doubtLogins(ctx, r) })
			opens := func(f *inspect.File, data []byte) bool {
				return !f.Test && inspect.HasAny(data, "debug=True", "debug = True", "credentials")
			}
			for t := range r.Trees(ctx, opens, slices.Concat(inspect.Scripts, []string{"Python"})...) {
				findDoors(t, logins, tell)
			}
			return ctx.Err()
		},
	}
}

var (
	jsCORS  = inspect.Pattern(`\b(?:cors|fastifyCors|enableCors)$`)
	cookies = inspect.Pattern(`(?i)cookie|session|passport|login_required`)
	origins = inspect.Pattern(`(?i)headers\.origin\b|(?:headers\[|\.(?:get|header)\()\s*['"]origin['"]`)
)

// doubtLogins returns a reason why another site's page may be unable to abuse a visitor's login, or "".
func doubtLogins(ctx context.Context, r *inspect.Repo) string {
	login := false
	for f, data := range r.All(ctx, slices.Concat(inspect.Scripts, []string{"Python"})...) {
		if f.Test || inspect.Shown(f) {
			continue
		}
		if origins.Match(data) {
			return "the program tests the origin of requests: " + f.Path
		}
		login = login || cookies.Match(data)
	}
	if !login {
		return "no code reads cookies or sessions, so a visitor may have no login"
	}
	return ""
}

func findDoors(t *inspect.Tree, logins func() string, tell func(inspect.Finding)) {
	for n := range t.Root().All() {
		if !n.IsCall() {
			continue
		}
		if at := openOrigins(n); at.OK() && !t.Accepted(at.Line()) {
			found := inspect.Finding{
				Severity: inspect.High, Path: t.File.Path, Line: at.Line(), Evidence: t.Quote(at.Line()),
				Title: "CORS lets pages of every origin ask with a visitor's login",
				Why: "Any page that a visitor opens can read answers meant for the visitor alone: the origin is sent back as " +
					"allowed, together with credentials.",
				Advice: "List the origins that may ask, or leave the credentials out.",
			}
			found.Suspect(logins())
			tell(found)
		}
		if debugs(n) && !t.Accepted(n.Line()) {
			tell(inspect.Finding{
				Severity: inspect.High, Path: t.File.Path, Line: n.Line(), Evidence: t.Quote(n.Line()),
				Title:  "A debugger answers on all addresses",
				Why:    "Everybody who can connect to the port gets Werkzeug's console, which runs Python.",
				Advice: "Turn debug on by an environment variable, or listen on 127.0.0.1.",
			})
		}
	}
}

// keyword returns the text of a keyword argument without white space.
func keyword(call syntax.Node, name string) string {
	return strings.Join(strings.Fields(call.Keyword(name).Text()), "")
}

// debugs reports whether a call starts a server of Python on all addresses and with a debugger.
func debugs(n syntax.Node) bool {
	callee := n.Callee()
	if !strings.HasSuffix(callee, ".run") && !strings.HasSuffix(callee, ".run_app") || keyword(n, "debug") != "True" {
		return false
	}
	return strings.Trim(keyword(n, "host"), `"'`) == "0.0.0.0" || slices.ContainsFunc(n.Args(), func(a syntax.Node) bool {
		text, _ := a.Value()
		return text == "0.0.0.0"
	})
}

// openOrigins returns the setting by which a call allows every origin to use credentials, or the zero Node.
func openOrigins(n syntax.Node) syntax.Node {
	callee := n.Callee()
	if strings.HasSuffix(callee, ".add_middleware") || callee == "CORS" {
		login := keyword(n, "allow_credentials") == "True" || keyword(n, "supports_credentials") == "True"
		for _, name := range []string{"allow_origins", "origins", "allow_origin_regex"} {
			if v := strings.Trim(keyword(n, name), `["']`); login && (v == "*" || v == ".*") {
				return n.Keyword(name)
			}
		}
	}
	if jsCORS.MatchString(callee) {
		for _, a := range n.Args() {
			if open := a.Entry("origin"); open.Text() == "true" && a.Entry("credentials").Text() == "true" {
				return open
			}
		}
	}
	return syntax.Node{}
}
