package weaknesses

import (
	"bytes"
	"context"
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func certificates() inspect.Check {
	return inspect.Check{
		ID: "sentinel/certificate", Hero: "sentinel", CWE: []int{295}, Local: true,
		Looks: "connections that accept every certificate (Go, JavaScript, Python)",
		Rule:  "High; code that an option or a condition switches on, tests are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			g := r.Go(ctx)
			for f := range goFiles(ctx, r, g) {
				if bytes.Contains(f.Text, []byte("InsecureSkipVerify")) {
					goCertificates(f, tell)
				}
			}
			for f, data := range r.All(ctx, append([]string{"Python"}, scripts...)...) {
				if !f.Test && !lex.Dense(data) && lex.HasAny(data, anyCertificate...) {
					scriptCertificates(f, data, tell)
				}
			}
			return ctx.Err()
		},
	}
}

func certificateFinding(f *inspect.File, line int, evidence string) inspect.Finding {
	return inspect.Finding{
		Severity: inspect.High, Path: f.Path, Line: line,
		Title:    "A connection accepts every certificate",
		Evidence: evidence,
		Why:      "Whoever stands between the two ends can answer in the server's place, read everything and change it.",
		Advice:   "Leave the check on; for a server with a certificate of its own, trust that certificate.",
	}
}

var ofTLS = inspect.Pattern(`(?i)(tls|ssl|transport)`)

var willed = inspect.Pattern(`(?i)(insecure|skip|verif|tls|ssl|debug|dev|test|local|trust|untrusted|allow)`)

func goCertificates(f *goFile, tell func(inspect.Finding)) {
	var above []ast.Node
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		at := f.skipsAlways(n)
		if at != nil && !f.onPurpose(above) {
			if line := f.Line(at); !f.Accepted(line) {
				tell(certificateFinding(f.File, line, f.Quote(line)))
			}
		}
		above = append(above, n)
		return true
	})
}

// skipsAlways returns the node that disables the check of certificates, or nil. It returns nil if the code replaces
// that check by one of its own.
func (f *goFile) skipsAlways(n ast.Node) ast.Node {
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
			if sel, ok := l.(*ast.SelectorExpr); ok && sel.Sel.Name == "InsecureSkipVerify" && i < len(n.Rhs) && isTrue(n.Rhs[i]) && ofTLS.MatchString(f.Source(sel.X)) {
				return n
			}
		}
	}
	return nil
}

// onPurpose reports whether code disables the check on purpose: the name of a condition, case, variable or function
// around the code says that the check is disabled, or the function checks the certificate itself.
func (f *goFile) onPurpose(above []ast.Node) bool {
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
			if willed.MatchString(n.Name.Name) || strings.Contains(f.Source(n), "VerifyPeerCertificate") || strings.Contains(f.Source(n), "VerifyConnection") {
				return true
			}
		}
	}
	return false
}

var (
	anyCertificate = []string{"verify=False", "verify = False", "_create_unverified_context", "rejectUnauthorized", "NODE_TLS_REJECT_UNAUTHORIZED"}
	pyVerify       = inspect.Pattern(`\b(?:requests|httpx|session|self\.session|client|self\.client|self\._session|s)\.(?:get|post|put|patch|delete|head|options|request|Client|AsyncClient)\s*\(`)
	pyUnverified   = inspect.Pattern(`\b_create_default_https_context\s*=\s*(?:ssl\.)?_create_unverified_context|\bssl\._create_unverified_context\s*\(`)
	pySession      = inspect.Pattern(`\bsession\.verify\s*=\s*False\b`)
	jsReject       = inspect.Pattern(`\brejectUnauthorized\s*:\s*false\b`)
	jsEnv          = inspect.Pattern(`\bprocess\.env(?:\.|\[["'])NODE_TLS_REJECT_UNAUTHORIZED(?:["']\])?\s*=\s*["']?0`)
	verifyFalse    = inspect.Pattern(`^verify\s*=\s*False$`)
)

func scriptCertificates(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	s := lex.Scan(f.Lang, data)
	hit := func(off int) {
		line := s.Line(off)
		from, _ := s.Bounds(max(1, line-6))
		from = max(from, off-2000)
		// Skip code after a condition whose name says that the check is disabled on purpose.
		if conditional.Match(s.Code[from:off]) && willed.Match(s.Code[from:off]) || s.Accepted(line) {
			return
		}
		tell(certificateFinding(f, line, s.Quote(line)))
	}
	if f.Lang == "Python" {
		for _, args := range s.Calls(pyVerify) {
			for _, a := range args {
				if verifyFalse.Match(s.Code[a.From:a.To]) {
					hit(a.From)
				}
			}
		}
		for _, re := range []*inspect.Regexp{pyUnverified, pySession} {
			for _, m := range re.FindAllIndex(s.Code, lex.MaxCalls) {
				hit(m[0])
			}
		}
		return
	}
	for _, m := range jsReject.FindAllIndex(s.Code, lex.MaxCalls) {
		hit(m[0])
	}
	for _, m := range jsEnv.FindAllIndex(data, lex.MaxCalls) {
		if at, in := s.At(m[0]); !in || at.Kind != lex.Comment && m[0] != at.From {
			hit(m[0])
		}
	}
}

var conditional = inspect.Pattern(`\b(?:if|elif|else|case|when)\b|\?|&&`)
