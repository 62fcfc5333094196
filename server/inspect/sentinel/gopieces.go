package sentinel

import (
	"context"
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

// goFile is a Go file with its imports and constants.
type goFile struct{ *lex.GoFile }

// goFiles yields the project's Go files that are part of the product.
func goFiles(ctx context.Context, r *inspect.Repo, g *inspect.Golang) func(yield func(*goFile) bool) {
	return func(yield func(*goFile) bool) {
		for f := range lex.GoFiles(ctx, r, g) {
			if !f.File.Test && !yield(&goFile{f}) {
				return
			}
		}
	}
}

// piecesOf returns the values that an expression joins with a string by + or fmt.Sprintf, except fixed values. It
// returns nil for an expression that joins nothing, such as a variable.
func (f *goFile) piecesOf(e ast.Expr) []string {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return nil
		}
		var out []string
		text := false
		for _, part := range flat(e) {
			if lit, ok := part.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text = true
			} else if !f.fixed(part) {
				out = append(out, f.Source(part))
			}
		}
		if text {
			return out
		}
	case *ast.CallExpr:
		if pkg, name := f.Call(e); pkg != "fmt" || name != "Sprintf" || len(e.Args) < 2 {
			return nil
		}
		format, ok := lex.Literal(e.Args[0])
		if !ok {
			return nil
		}
		var out []string
		for i, verb := range verbs(format) {
			if i+1 < len(e.Args) && (verb == 's' || verb == 'v') && !f.fixed(e.Args[i+1]) {
				out = append(out, f.Source(e.Args[i+1]))
			}
		}
		return out
	}
	return nil
}

func flat(e ast.Expr) []ast.Expr {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && b.Op == token.ADD {
		return append(flat(b.X), flat(b.Y)...)
	}
	return []ast.Expr{ast.Unparen(e)}
}

// fixed reports whether callers cannot choose a value: it is a constant, a number or escaped.
func (f *goFile) fixed(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return f.Consts[e.Name]
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		return ok && f.Imports[id.Name] != ""
	case *ast.CallExpr:
		if pkg, _ := f.Call(e); pkg == "strconv" || pkg == "runtime" {
			return true
		}
		return tamed.MatchString(f.Source(e.Fun))
	}
	return false
}

// verbs returns the verbs of a format, one for each argument. It returns nil for a format with * or
// explicit argument numbers.
func verbs(format string) []byte {
	var out []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0; i++ {
		}
		switch {
		case i == len(format) || format[i] == '*' || format[i] == '[':
			return nil
		case format[i] != '%':
			out = append(out, format[i])
		}
	}
	return out
}

// words splits a name into words: "hashPassword" into hash and password.
func words(name string) []string {
	var out []string
	from := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '_' || upper(name[i]) && !upper(name[i-1]) || upper(name[i]) && i+1 < len(name) && !upper(name[i+1]) && name[i+1] != '_' {
			if w := strings.Trim(name[from:i], "_"); w != "" {
				out = append(out, strings.ToLower(w))
			}
			from = i
		}
	}
	return out
}

func upper(b byte) bool { return b >= 'A' && b <= 'Z' }
