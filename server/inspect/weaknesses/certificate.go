package weaknesses

import (
	"bytes"
	"context"
	"go/ast"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func certificates() inspect.Check {
	return inspect.Check{
		ID: "sentinel/certificate", Hero: "sentinel", CWE: []int{295}, Local: true,
		Looks: "connections that accept every certificate (Go, JavaScript, Python)",
		Rule: "High if the code around it handles a password, a token or a cookie, else medium. Left out: code that " +
			"runs only if an option or a condition requests it, tests. A candidate below a comment about the check.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f := range r.Go(ctx).Own(ctx, r) {
				if !f.File.Test && bytes.Contains(f.Text, []byte("InsecureSkipVerify")) {
					goCertificates(f, tell)
				}
			}
			skips := func(f *inspect.File, data []byte) bool { return !f.Test && inspect.HasAny(data, anyCertificate...) }
			for t := range r.Trees(ctx, skips, slices.Concat(inspect.Scripts, []string{"Python"})...) {
				treeCertificates(t, tell)
			}
			return ctx.Err()
		},
	}
}

// switched has changes that replace code which disables the check of certificates by code that enables it.
var switched = []inspect.Mend{
	{Old: "InsecureSkipVerify: true", New: "InsecureSkipVerify: false"},
	{Old: "InsecureSkipVerify = true", New: "InsecureSkipVerify = false"},
	{Old: "rejectUnauthorized: false", New: "rejectUnauthorized: true"},
	{Old: "verify=False", New: "verify=True"}, {Old: "verify = False", New: "verify = True"},
}

// deliberate matches a comment about the check of certificates, in the line that disables the check.
var deliberate = inspect.Pattern(`(?i)(?://|/\*|#).*(?:certif|verif|valid|self.?signed|trust)`)

// secret matches code that handles what only the right server may get.
var secret = inspect.Pattern(`(?i)passw|passphrase|token|secret|credential|api_?key|login|cookie|\bauth(?:\b|_|ori)`)

// certificateFinding returns the finding about a line. around is the code of the function around it.
func certificateFinding(f *inspect.File, line int, evidence, around string) inspect.Finding {
	out := inspect.Finding{
		Severity: inspect.High, Path: f.Path, Line: line,
		Title:    "TLS certificates are not verified: the connection accepts every certificate",
		Evidence: evidence,
		Why: "An attacker between client and server can answer in the server's place, and read and change " +
			"all data.",
		Advice: "Leave the check on; for a server with its own certificate, trust that certificate.",
		Cause:  inspect.Cause{Key: "certificates " + f.Path, Text: "connections of " + f.Base() + " without a check"},
	}
	if !secret.MatchString(around) {
		out.Severity = inspect.Medium
		out.Why += " No password or token is in sight around the line, so the answers are what is at risk."
		out.Advice += " If the program exists to look at any server, as a scanner does, accept the finding for that reason."
	}
	if inspect.Shown(f) || inspect.Helps(f) {
		out.Suspect("its name says that it is an example or helps tests")
	}
	if deliberate.MatchString(evidence) {
		out.Suspect("a comment in the line says that this is on purpose")
	}
	for _, m := range switched {
		if strings.Contains(evidence, m.Old) {
			out.Mend = m
		}
	}
	return out
}

var ofTLS = inspect.Pattern(`(?i)(tls|ssl|transport)`)

// willed matches names that show that somebody wants to disable the check.
var willed = inspect.Pattern(`(?i:insecure|unsecure|unsafe|skip|ignore|verif|validat|tls|ssl|cert|self_?signed)|` +
	`(?i:trust)|(?i:\b|_)(?i:debug|dev|test|local|allow)|[a-z](?:Debug|Dev|Test|Local|Allow)`)

// looks matches functions that handle the certificate themselves: they check it, compare it with a fingerprint or
// show it.
var looks = inspect.Pattern(`VerifyPeerCertificate|VerifyConnection|PeerCertificates|[Ff]ingerprint`)

func goCertificates(f *inspect.GoFile, tell func(inspect.Finding)) {
	var above []ast.Node
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		at := skipsAlways(f, n)
		if at != nil && !onPurpose(f, above) {
			if line := f.Line(at); !f.Accepted(line) {
				around := f.Source(above[0])
				for _, outer := range above {
					if fn, ok := outer.(*ast.FuncDecl); ok {
						around = f.Source(fn)
					}
				}
				found := certificateFinding(f.File, line, f.Quote(line), around)
				found.Suspect("the code may check the server's key itself, or only show the certificate")
				tell(found)
			}
		}
		above = append(above, n)
		return true
	})
}

// skipsAlways returns the node that disables the check of certificates, or nil. It returns nil if the code replaces
// that check by one of its own.
func skipsAlways(f *inspect.GoFile, n ast.Node) ast.Node {
	isTrue := func(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == "true" }
	switch n := n.(type) {
	case *ast.CompositeLit:
		// Only the struct of crypto/tls counts. Other packages also have structs with a field InsecureSkipVerify: in
		// coder/websocket the field is about origins.
		sel, ok := n.Type.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		if id, ok := sel.X.(*ast.Ident); !ok || f.Imports[id.Name] != "crypto/tls" {
			return nil
		}
		var at ast.Node
		for _, e := range n.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			switch key, _ := kv.Key.(*ast.Ident); {
			case key == nil:
			case key.Name == "InsecureSkipVerify" && isTrue(kv.Value):
				at = kv
			case key.Name == "VerifyPeerCertificate" || key.Name == "VerifyConnection":
				return nil
			}
		}
		return at
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			if sel, ok := l.(*ast.SelectorExpr); ok && sel.Sel.Name == "InsecureSkipVerify" && i < len(n.Rhs) &&
				isTrue(n.Rhs[i]) && ofTLS.MatchString(f.Source(sel.X)) {
				return n
			}
		}
	}
	return nil
}

// onPurpose reports whether code disables the check on purpose: the name of a condition, case, variable or function
// around the code says that the check is disabled, or the function checks the certificate itself.
func onPurpose(f *inspect.GoFile, above []ast.Node) bool {
	for _, n := range above {
		switch n := n.(type) {
		case *ast.IfStmt:
			if willed.MatchString(f.Source(n.Cond)) {
				return true
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				if willed.MatchString(f.Source(e)) {
					return true
				}
			}
		case *ast.ValueSpec:
			if willed.MatchString(strings.ReplaceAll(strings.ToLower(n.Names[0].Name), "tls", "")) {
				return true
			}
		case *ast.FuncDecl:
			if willed.MatchString(n.Name.Name) || looks.MatchString(f.Source(n)) {
				return true
			}
		}
	}
	return false
}

var (
	anyCertificate = []string{"verify=False", "verify = False", "_create_unverified_context", "rejectUnauthorized",
		"NODE_TLS_REJECT_UNAUTHORIZED"}
	pyVerify = inspect.Pattern(`^(?:\w+\.)*(?:requests|httpx|s|\w*(?:session|client))` +
		`\.(?:get|post|put|patch|delete|head|options|request|Client|AsyncClient)$`)
	jsEnv = inspect.Pattern(`^process\.env(?:\.|\[["'])NODE_TLS_REJECT_UNAUTHORIZED(?:["']\])?$`)
)

// reasons matches a comment about certificates. Its author has disabled the check on purpose.
var reasons = inspect.Pattern(`(?i)^\s*(?:#|//|\*).*(?:verif|certif|self.?sign|mitm|insecure)`)

// refers matches a comment with a link, which probably leads to the reason.
var refers = inspect.Pattern(`^\s*(?:#|//|\*).*https?://`)

// reasoned reports whether reasons matches one of the six lines above a line, or refers the line directly above.
func reasoned(t *inspect.Tree, line int) bool {
	for n := max(1, line-6); n < line; n++ {
		if quote := t.Quote(n); reasons.MatchString(quote) || n == line-1 && refers.MatchString(quote) {
			return true
		}
	}
	return false
}

func treeCertificates(t *inspect.Tree, tell func(inspect.Finding)) {
	for n := range t.Root().All() {
		at := n
		switch n.Kind() {
		case "call":
			if at = n.Keyword("verify"); pyVerify.MatchString(n.Callee()) && at.Text() == "False" {
				break
			}
			at = n
			if n.Callee() != "ssl._create_unverified_context" {
				continue
			}
		case "assignment", "assignment_expression":
			left, right := n.Child("left").Text(), strings.Trim(n.Child("right").Text(), "\"'")
			if !strings.HasSuffix(left, "_create_default_https_context") && !(strings.HasSuffix(left, "session.verify") &&
				right == "False") && !(jsEnv.MatchString(left) && right == "0") {
				continue
			}
			if strings.HasSuffix(left, "_context") && !strings.HasSuffix(right, "_create_unverified_context") {
				continue
			}
		case "pair":
			if n.Child("key").Text() != "rejectUnauthorized" || n.Child("value").Text() != "false" {
				continue
			}
		default:
			continue
		}
		line := at.Line()
		wanted, asked := chosen(at)
		fn := at.Around("function_definition", "function_declaration", "method_definition")
		within, around := fn.Child("name").Text(), fn.Text()
		if !fn.OK() {
			around = string(t.Text)
		}
		if wanted || willed.MatchString(within) || t.Accepted(line) {
			continue
		}
		found := certificateFinding(t.File, line, t.Quote(line), around)
		if reasoned(t, line) {
			found.Suspect("a comment above the line is about the check")
		}
		if asked {
			found.Suspect("the code runs only if an option is set, which may be the option to accept every " +
				"certificate")
		}
		tell(found)
	}
}
