package flows

import (
	"cmp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// layout has the data that is shared by all files of a language while they are lowered to the engine's form.
type layout struct {
	repo  *inspect.Repo
	files map[string]*inspect.File // maps the names of packages to files
	deep  int                      // number of places that are nested too deeply
}

// lowering translates one file into the engine's form (Expr, Stmt, Func).
type lowering struct {
	*layout
	file  *File
	depth int
}

func (l *lowering) tooDeep() bool {
	l.depth++
	if l.depth > maxSyntax {
		l.deep++
		return true
	}
	return false
}

func (l *lowering) up() { l.depth-- }

func (l *lowering) python() bool { return l.file.Lang == "Python" }

// uses reports whether the file imports a library.
func (l *lowering) uses(libraries ...string) bool {
	for _, dotted := range l.file.Imports {
		for _, lib := range libraries {
			if rest, ok := strings.CutPrefix(dotted, lib); ok && (rest == "" || rest[0] == '.' || rest[0] == '/') {
				return true
			}
		}
	}
	return false
}

// function adds a function or a method to the package.
func (l *lowering) function(name string, f *Func) {
	p := l.file.Package
	f.Name = p.Name + "." + name
	if p.Funcs[name] == nil {
		p.Funcs[name] = f
	}
	p.Order = append(p.Order, f)
}

// begin adds statements that stand outside of functions.
func (l *lowering) begin(list []Stmt) {
	for _, s := range list {
		l.file.Package.Init = append(l.file.Package.Init, Init{l.file, s})
	}
}

// named returns the named children of a node, without comments.
func named(n syntax.Node) []syntax.Node {
	var out []syntax.Node
	for c := range n.Children() {
		if c.Named() && c.Kind() != "comment" {
			out = append(out, c)
		}
	}
	return out
}

// kids returns the children of a node in the given field.
func kids(n syntax.Node, field string) []syntax.Node {
	var out []syntax.Node
	for c := range n.Children() {
		if c.Field() == field {
			out = append(out, c)
		}
	}
	return out
}

// word reports whether a node has a child of the given kind, such as a keyword.
func word(n syntax.Node, kind string) bool {
	for c := range n.Children() {
		if c.Kind() == kind {
			return true
		}
	}
	return false
}

func first(n syntax.Node) syntax.Node {
	if list := named(n); len(list) > 0 {
		return list[0]
	}
	return syntax.Node{}
}

// constructor makes a function that returns a new object of a class. f is the method that fills the object.
func (l *lowering) constructor(class string, f *Func) {
	p := l.file.Package
	make, self, fill := p.Funcs[class], p.Name+"."+class, f.Body()
	p.Bases[class] = slices.Concat([]string{}, p.Bases[class])
	make.Params = f.Params
	if f.Self != "" {
		make.Params = f.Params[1:]
	}
	this := &Expr{Kind: Name, Text: cmp.Or(f.Self, "this")}
	make.body = slices.Concat([]Stmt{{Kind: Assign, To: []*Expr{this}, From: &Expr{Kind: Dict, Text: self}}}, fill,
		[]Stmt{{Kind: Return, From: this}})
}

// definition returns the function or class that a decorated definition contains, with its decorators. For any other
// node it returns the node itself.
func definition(n syntax.Node) (def syntax.Node, decorators []syntax.Node) {
	if n.Kind() != "decorated_definition" {
		return n, nil
	}
	for _, c := range named(n) {
		if c.Kind() == "decorator" {
			decorators = append(decorators, c)
		}
	}
	return n.Child("definition"), decorators
}

// function reports whether a node is an anonymous function.
func function(n syntax.Node) bool {
	switch n.Kind() {
	case "arrow_function", "function_expression", "generator_function":
		return true
	}
	return false
}

// child returns the first child that is in one of the given fields.
func child(n syntax.Node, fields ...string) (c syntax.Node) {
	for _, f := range fields {
		if c = n.Child(f); c.OK() {
			break
		}
	}
	return c
}

// short returns the text of a node if it is as short as a name, else "".
func short(n syntax.Node) string {
	if !n.OK() || n.End()-n.Start() > 100 {
		return ""
	}
	return n.Text()
}

func nameOf(text string, n syntax.Node) *Expr { return &Expr{Kind: Name, Text: text, Line: n.Line()} }

// unquoted returns the text of a string literal without its quotes.
func unquoted(n syntax.Node) string { return strings.Trim(n.Text(), "'\"`") }

// begins lowers a comparison such as a.indexOf(b) === 0 to the operands of a.startsWith(b) === true. It returns all
// other operands unchanged.
func begins(left *Expr, op string, right *Expr) (*Expr, *Expr) {
	if operators[op] != Equal || right.Kind != Opaque || right.Text != "0" || left.Kind != Call || len(left.Args) != 1 ||
		left.X.Kind != Field {
		return left, right
	}
	to := map[string]string{"indexOf": "startsWith", "find": "startswith"}[left.X.Text]
	if to == "" {
		return left, right
	}
	test, name := *left, *left.X
	name.Text, test.X = to, &name
	return &test, &Expr{Line: right.Line, Text: "true"}
}
