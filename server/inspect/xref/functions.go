package xref

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// Function is the declaration of a function, a method or a class in the repository.
type Function struct {
	inspect.Place
	Quote string
	Name  string
	Of    string // the type or class of a method, "" for none
	Lang  string

	pos      token.Pos // position of the name, in Go
	standard bool      // the module's default export
}

// String returns the name as code outside of the type or class writes it: "Server.run".
func (f *Function) String() string {
	if f.Of == "" {
		return f.Name
	}
	return f.Of + "." + f.Name
}

// maxDeclared is the maximum number of functions with one name that Find returns.
const maxDeclared = 20

// ErrNoFunction means that no function or class of the repository has the name.
var ErrNoFunction = errors.New("no function or class of the repository has that name")

// Find returns the functions with a name, at most maxDeclared: "run", or "Server.run" for a method. at is the file or
// the folder in which they are, "" for anywhere. The error wraps ErrNoFunction, or is that of the context.
func Find(ctx context.Context, r *inspect.Repo, at, name string) ([]Function, error) {
	of := ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		of, name = strings.Trim(name[:i], "(*)"), name[i+1:]
	}
	if name == "" {
		return nil, ErrNoFunction
	}
	in := func(p string) bool { return at == "" || p == at || strings.HasPrefix(p, at+"/") }
	a := ask(ctx, r)
	var out []Function
	g := r.Go(ctx)
	for _, p := range g.Packages {
		for _, f := range p.Files {
			if in(f.File.Path) && bytes.Contains(f.Text, []byte(name)) {
				out = append(out, goFunctions(g, f, name)...)
			}
		}
	}
	for f := range a.with(name) {
		if !in(f.Path) {
			continue
		}
		if t := a.tree(f); t != nil {
			out = append(out, declaredIn(f, t, name)...)
		}
	}
	out = slices.DeleteFunc(out, func(f Function) bool {
		// The name before the dot may also be a Go package or a module.
		return of != "" && f.Of != of && (f.Of != "" || !strings.HasSuffix(strings.TrimSuffix(dirOrStem(&f), "/"), of))
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoFunction, name)
	}
	slices.SortFunc(out, func(x, y Function) int {
		if x.Path != y.Path {
			return strings.Compare(x.Path, y.Path)
		}
		return x.Line - y.Line
	})
	return out[:min(len(out), maxDeclared)], nil
}

// dirOrStem returns the possible qualifier of a function's name: the folder of a Go file, or the path of another
// file without its extension.
func dirOrStem(f *Function) string {
	if f.Lang == "Go" {
		return parent(f.Path)
	}
	dot := strings.LastIndexByte(f.Path, '.')
	return f.Path[:max(dot, 0)]
}

// goFunctions returns the functions and methods with a name in a Go file.
func goFunctions(g *inspect.Golang, f *inspect.GoFile, name string) (out []Function) {
	for _, d := range f.AST.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name {
			continue
		}
		line := g.At(fn.Name.Pos())
		out = append(out, Function{Place: inspect.Place{Path: f.File.Path, Line: line}, Quote: f.Quote(line), Name: name,
			Of: inspect.Receiver(fn), Lang: "Go", pos: fn.Name.Pos()})
	}
	return out
}

// declaredIn returns the functions, methods and classes with a name in a file.
func declaredIn(f *inspect.File, t *syntax.Tree, name string) (out []Function) {
	for n := range t.Root().All() {
		if n.Child("name").Text() != name {
			continue
		}
		switch n.Kind() {
		case "function_declaration", "generator_function_declaration", "method_definition", "class_declaration",
			"abstract_class_declaration", "function_definition", "class_definition":
		case "variable_declarator":
			switch n.Child("value").Kind() {
			case "arrow_function", "function_expression", "function", "class":
			default:
				continue
			}
		default:
			continue
		}
		fn := Function{Place: inspect.Place{Path: f.Path, Line: n.Child("name").Line()}, Name: name, Lang: f.Lang}
		fn.Quote = inspect.Line(t.Text, fn.Line)
		fn.Of = classAround(n.Parent())
		fn.standard = n.Parent().Kind() == "export_statement" && defaultOf(n.Parent()) || exportedAlone(t.Text, name)
		out = append(out, fn)
	}
	return out
}

// classAround returns the name of the class whose body a node is directly in, "" for none.
func classAround(n syntax.Node) string {
	for ; n.OK(); n = n.Parent() {
		switch n.Kind() {
		case "class_declaration", "abstract_class_declaration", "class_definition", "class":
			return n.Child("name").Text()
		case "function_declaration", "function_definition", "method_definition", "arrow_function", "function_expression":
			return ""
		}
	}
	return ""
}

func defaultOf(export syntax.Node) bool {
	return strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(export.Text(), "export")), "default")
}

// exportedAlone reports whether a module exports a name as its default, or nothing but this name.
func exportedAlone(text []byte, name string) bool {
	for _, before := range []string{"export default ", "module.exports = "} {
		at := bytes.Index(text, []byte(before+name))
		if at < 0 {
			continue
		}
		rest := text[at+len(before)+len(name):]
		if len(rest) == 0 || !isWord(rest[0]) && rest[0] != '(' && rest[0] != '.' {
			return true
		}
	}
	return false
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
