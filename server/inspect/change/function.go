package change

import (
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// function is a named function or method of a file. Functions that are declared inside belong to it.
type function struct {
	name string // "Find" or "Server.Find"
	span
	code string // its tokens or syntax nodes, without comments and layout
	// words has the identifiers in the function, each once.
	words []string
}

// base returns the function's name without the name of its type.
func (f *function) base() string { return f.name[strings.LastIndexByte(f.name, '.')+1:] }

// unit is a parsed file.
type unit struct {
	functions []function
	public    []string // names that other files can use, in the order of the text
	words     []string // identifiers outside of functions
}

// parse returns the functions and names of a file. ok is false if there is no parser for the language, or if the
// parser cannot read the text.
func parse(ctx context.Context, lang string, text []byte) (u *unit, ok bool) {
	if lang == "Go" {
		return parseGo(text)
	}
	l, ok := syntax.LanguageOf(lang)
	if !ok {
		return nil, false
	}
	tree, err := syntax.Parse(ctx, l, text)
	if err != nil {
		return nil, false
	}
	w := &walk{python: l == syntax.Python}
	w.node(tree.Root(), "")
	return &w.unit, true
}

func parseGo(text []byte) (*unit, bool) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	u := &unit{}
	put := func(n *ast.Ident) {
		if n.IsExported() {
			u.public = append(u.public, n.Name)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f := function{name: d.Name.Name, span: span{set.Position(d.Pos()).Line, set.Position(d.End()).Line}}
			if d.Recv == nil {
				put(d.Name)
			} else if len(d.Recv.List) > 0 {
				f.name = cmp.Or(inspect.Receiver(d), "?") + "." + f.name
			}
			f.code, f.words = tokens(text[set.Position(d.Pos()).Offset:set.Position(d.End()).Offset]), identifiers(d)
			u.functions = append(u.functions, f)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					put(s.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						put(n)
					}
				}
			}
			u.words = append(u.words, identifiers(d)...)
		}
	}
	return u, true
}

func identifiers(n ast.Node) (out []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out = append(out, id.Name)
		}
		return true
	})
	return once(out)
}

// once returns the words sorted, each once.
func once(words []string) []string { return slices.Compact(slices.Sorted(slices.Values(words))) }

// tokens returns the tokens of Go code, without comments and layout.
func tokens(code []byte) string {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", -1, len(code)), code, nil, 0)
	var b strings.Builder
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return b.String()
		case tok == token.SEMICOLON, text == "":
			text = tok.String()
		}
		b.WriteString(text + "\n")
	}
}

// walk collects the functions of a syntax tree of JavaScript, TypeScript or Python.
type walk struct {
	unit
	python bool
}

// functionKinds has the kinds of nodes that are functions.
var functionKinds = map[string]bool{
	"function_declaration": true, "generator_function_declaration": true, "method_definition": true,
	"function_definition": true, "arrow_function": true, "function_expression": true, "generator_function": true,
}

// node collects the declarations in a node. class has the names of the enclosing classes, with a dot at the end.
func (w *walk) node(n syntax.Node, class string) {
	kind, name := n.Kind(), n.Child("name").Text()
	switch {
	case kind == "variable_declarator", kind == "public_field_definition", kind == "field_definition":
		if name == "" {
			name = n.Child("property").Text()
		}
		w.export(n, name)
		if value := n.Child("value"); functionKinds[value.Kind()] {
			w.function(n, class+name)
			return
		}
	case functionKinds[kind] && name != "":
		w.export(n, name)
		w.function(n, class+name)
		return
	case kind == "class_declaration", kind == "class_definition", kind == "abstract_class_declaration":
		w.export(n, name)
		class += name + "."
	case kind == "interface_declaration", kind == "type_alias_declaration", kind == "enum_declaration":
		w.export(n, name)
	}
	leaf := true
	for c := range n.Children() {
		leaf = false
		w.node(c, class)
	}
	if leaf && n.Named() && strings.HasSuffix(kind, "identifier") {
		w.words = append(w.words, n.Text())
	}
}

// export records a name that other files can use: in Python a top-level name that does not begin with an
// underscore, in other languages a name in an export statement.
func (w *walk) export(n syntax.Node, name string) {
	p := n.Parent()
	if p.Kind() == "decorated_definition" || p.Kind() == "lexical_declaration" || p.Kind() == "variable_declaration" {
		p = p.Parent()
	}
	public := p.Kind() == "export_statement"
	if w.python {
		public = p.Kind() == "module" && !strings.HasPrefix(name, "_")
	}
	if public && name != "" {
		w.public = append(w.public, name)
	}
}

func (w *walk) function(n syntax.Node, name string) {
	f := function{name: name, span: span{n.Line(), n.LastLine()}}
	var b strings.Builder
	for c := range n.All() {
		kind := c.Kind()
		if kind == "comment" {
			continue
		}
		b.WriteString(kind + "\n")
		leaf := true
		for range c.Children() {
			leaf = false
			break
		}
		if !leaf {
			continue
		}
		b.WriteString(c.Text() + "\n")
		if c.Named() && strings.HasSuffix(kind, "identifier") {
			f.words = append(f.words, c.Text())
		}
	}
	f.code, f.words = b.String(), once(f.words)
	w.functions = append(w.functions, f)
}
