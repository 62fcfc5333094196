package gotypes

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// withoutBodies returns a text without its comments and without the bodies of functions that start at the beginning
// of a line, as gofmt formats them. The text may have syntax errors.
func withoutBodies(text []byte) []byte {
	out := make([]byte, 0, len(text)/2)
	from := 0          // text[from:at] is to be copied to out, unless at is in a body
	depth := 0         // nesting depth of brackets
	body := -1         // depth at which the omitted body began, or -1
	signature := false // the signature of a function has begun, its body has not
	for at := 0; at < len(text); {
		n := 1
		switch c := text[at]; c {
		case '/':
			if n = commentAt(text[at:]); n > 1 {
				if body < 0 {
					out = append(append(out, text[from:at]...), lineEnd(text[at:at+n]))
				}
				from = at + n
			}
		case '"', '\'', '`':
			n = literalAt(text[at:])
		case '(', '[', '{':
			if c == '{' && signature && depth == 0 && !typeBegins(text[:at]) {
				out = append(out, text[from:at+1]...)
				body, signature = depth, false
			}
			depth++
		case ')', ']', '}':
			if depth = max(0, depth-1); c == '}' && depth == body {
				from, body = at, -1
			}
		case '\n':
			signature = depth == 0 && bytes.HasPrefix(text[at+1:], []byte("func")) || depth > 0 && signature
		}
		at += n
	}
	if body >= 0 {
		return out
	}
	return append(out, text[from:]...)
}

// commentAt returns the length of the comment at the beginning of a text, without the line end after it; 1 if there is
// none.
func commentAt(text []byte) int {
	end, skip := -1, 0
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		end = bytes.IndexByte(text, '\n')
	case bytes.HasPrefix(text, []byte("/*")):
		end, skip = bytes.Index(text[2:], []byte("*/")), 4
	default:
		return 1
	}
	if end < 0 {
		return len(text)
	}
	return end + skip
}

// lineEnd returns the character that replaces a comment: a line feed if the comment contains one, otherwise a
// space.
func lineEnd(comment []byte) byte {
	if bytes.IndexByte(comment, '\n') >= 0 {
		return '\n'
	}
	return ' '
}

// literalAt returns the length of the string or character literal at the beginning of a text.
func literalAt(text []byte) int {
	quote := text[0]
	for at := 1; at < len(text); at++ {
		switch c := text[at]; {
		case c == quote:
			return at + 1
		case c == '\\' && quote != '`':
			at++
		case c == '\n' && quote != '`': // not closed
			return at
		}
	}
	return len(text)
}

// typeBegins reports whether a "{" after the text begins the fields of a struct or the methods of an interface, not the
// body of a function.
func typeBegins(text []byte) bool {
	text = bytes.TrimRight(text, " \t")
	return bytes.HasSuffix(text, []byte("struct")) || bytes.HasSuffix(text, []byte("interface"))
}

// cut removes the parts of a package's files that an importer cannot see: elements of variables, functions that
// other packages cannot call, and imports that only these need. Most imports are only needed by bodies. named
// returns the name of an imported package if the path shows it, otherwise "".
func cut(files []*ast.File, named func(importPath string) string) {
	called := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if cutValues(d); !hidden(d) {
				ast.Inspect(d, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						called[id.Name] = true
					}
					return true
				})
			}
		}
	}
	for _, f := range files {
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			return hidden(d) && !called[d.(*ast.FuncDecl).Name.Name]
		})
		cutImports(f, named)
	}
}

// hidden reports whether a declaration is a function that other packages cannot name.
func hidden(d ast.Decl) bool {
	fn, ok := d.(*ast.FuncDecl)
	return ok && fn.Recv == nil && !fn.Name.IsExported()
}

// cutValues removes from variable declarations the values that do not affect the types.
func cutValues(d ast.Decl) {
	decl, ok := d.(*ast.GenDecl)
	if !ok || decl.Tok != token.VAR {
		return
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		if spec.Type != nil {
			spec.Values = nil
		}
		for _, v := range spec.Values {
			if u, ok := v.(*ast.UnaryExpr); ok && u.Op == token.AND {
				v = u.X
			}
			lit, ok := v.(*ast.CompositeLit)
			if !ok || lit.Type == nil {
				continue
			}
			if array, ok := lit.Type.(*ast.ArrayType); ok {
				if _, ok := array.Len.(*ast.Ellipsis); ok {
					continue // the number of elements determines the type
				}
			}
			lit.Elts = nil
		}
	}
}

// cutImports removes the imports that no name of a file needs.
func cutImports(f *ast.File, named func(string) string) {
	needed := map[string]bool{}
	for _, d := range f.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok {
					needed[id.Name] = true
				}
			}
			return true
		})
	}
	names := map[*ast.ImportSpec]string{}
	unknown := len(needed) // names that may belong to imports whose package names are unknown
	for _, spec := range f.Imports {
		if spec.Name != nil {
			names[spec] = spec.Name.Name
		} else if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			names[spec] = named(p)
		}
		if needed[names[spec]] {
			unknown--
		}
	}
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			return false
		}
		decl.Specs = slices.DeleteFunc(decl.Specs, func(s ast.Spec) bool {
			name := names[s.(*ast.ImportSpec)]
			return name != "." && !needed[name] && (name != "" || unknown == 0)
		})
		return len(decl.Specs) == 0 // go/types fails on a declaration of nothing
	})
}
