package xref

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// Callers returns the lines that call a function or pass it on as a value.
func Callers(ctx context.Context, r *inspect.Repo, fn *Function) (*Answer, error) {
	a := ask(ctx, r)
	if fn.Lang == "Go" {
		a.goCallers(fn)
		return a.answer()
	}
	for f := range a.with(fn.Name) {
		if (f.Lang == "Python") != (fn.Lang == "Python") {
			continue
		}
		t := a.tree(f)
		if t == nil {
			continue
		}
		a.files[f.Path] = a.importsIn(f, t)
		s := a.bound(f, fn)
		for n := range t.Root().All() {
			s.see(n)
		}
	}
	return a.answer()
}

// scope maps the names in a file to the function that is searched for.
type scope struct {
	*asking
	file    *inspect.File
	text    []byte
	fn      *Function
	direct  map[string]bool // names of the function, or of its class
	modules map[string]bool // names of modules that have the function
	home    bool            // the file declares it
}

// bound returns the names by which the file f can refer to the function fn: its own name in the file that declares it,
// and the names that the imports of other files give it.
func (a *asking) bound(f *inspect.File, fn *Function) *scope {
	text, _ := a.repo.Text(f.Path)
	s := &scope{asking: a, file: f, text: text, fn: fn, direct: map[string]bool{}, modules: map[string]bool{},
		home: f.Path == fn.Path}
	outer := fn.Name // what a module exports
	if fn.Of != "" {
		outer = fn.Of
	}
	if s.home {
		s.direct[outer] = true
	}
	for _, im := range a.files[f.Path] {
		if im.to == "" {
			continue
		}
		for local, name := range im.names {
			switch {
			case name == whole && a.exports(im.to, outer, fn, 0):
				s.modules[local] = true
				s.direct[local] = s.direct[local] || fn.standard // module.exports = name
			case name == "default" && im.to == fn.Path && fn.standard, name == outer && a.exports(im.to, name, fn, 0):
				s.direct[local] = true
			}
		}
		if im.all && a.exports(im.to, outer, fn, 0) {
			s.direct[outer] = true
		}
	}
	return s
}

// maxChain is the maximum number of modules through which a re-exported name is followed.
const maxChain = 4

// exports reports whether a module exports the function under a name. The module may declare the function or import
// it.
func (a *asking) exports(file, name string, fn *Function, depth int) bool {
	if file == fn.Path {
		return true
	}
	f := a.repo.File(file)
	if f == nil || depth == maxChain {
		return false
	}
	for _, im := range a.imports(f) {
		inner, named := im.names[name]
		if im.to == "" || !named && !im.all || inner == whole {
			continue
		}
		if !named {
			inner = name
		}
		if inner == "default" && (im.to != fn.Path || !fn.standard) {
			continue
		}
		if a.exports(im.to, inner, fn, depth+1) {
			return true
		}
	}
	return false
}

// see adds the place of a node if the node refers to the searched function.
func (s *scope) see(n syntax.Node) {
	var callee syntax.Node
	switch n.Kind() {
	case "call_expression", "call":
		callee = n.Child("function")
	case "new_expression":
		callee = n.Child("constructor")
	case "jsx_opening_element", "jsx_self_closing_element":
		callee = n.Child("name")
	case "identifier":
		s.name(n)
		return
	case "shorthand_property_identifier": // {name}
		if s.fn.Of == "" && s.direct[n.Text()] {
			s.found(n, "names", inspect.Sure, "")
		}
		return
	default:
		return
	}
	switch callee.Kind() {
	case "identifier":
		if s.fn.Of == "" && s.direct[callee.Text()] {
			s.found(callee, "calls", inspect.Sure, "")
		}
	case "member_expression":
		s.member(callee, callee.Child("object"), callee.Child("property"))
	case "attribute":
		s.member(callee, callee.Child("object"), callee.Child("attribute"))
	}
}

// member adds the place of a call object.name() if it may call the searched function.
func (s *scope) member(callee, object, name syntax.Node) {
	if name.Text() != s.fn.Name {
		return
	}
	of := object.Text()
	if args := object.Args(); object.Callee() == "require" && len(args) == 1 {
		spec, _ := args[0].Value()
		if to := script(s.repo, s.file.Dir(), spec); to != "" && s.exports(to, s.fn.Name, s.fn, 0) {
			s.found(name, "calls", inspect.Sure, "")
		}
		return
	}
	class := s.fn.Of
	switch {
	case class == "" && s.modules[of]:
		s.found(name, "calls", inspect.Sure, "")
	case class == "":
	case s.direct[of], strings.HasSuffix(of, "."+class) && s.modules[strings.TrimSuffix(of, "."+class)]:
		s.found(name, "calls", inspect.Sure, "")
	case (of == "this" || of == "self" || of == "cls") && s.home && classOf(callee) == class:
		s.found(name, "calls", inspect.Sure, "")
	case len(s.direct)+len(s.modules) > 0:
		s.found(name, "calls", inspect.Likely, "the file knows "+class+"; the type of "+clip(of)+" is unknown")
	default:
		s.found(name, "calls", inspect.Doubtful, "only the name of the method is the same")
	}
}

// name adds the place of a name that is not called if the name means the searched function: the code may pass the
// function on as a value.
func (s *scope) name(n syntax.Node) {
	if s.fn.Of != "" || !s.direct[n.Text()] || slices.Contains([]string{"function", "constructor", "name"}, n.Field()) {
		return
	}
	switch n.Parent().Kind() {
	case "arguments", "argument_list", "pair", "keyword_argument", "array", "list", "assignment_expression", "assignment",
		"variable_declarator", "return_statement", "decorator", "jsx_expression":
		s.found(n, "names", inspect.Sure, "")
	}
}

func (s *scope) found(n syntax.Node, how, confidence, why string) {
	s.add(s.file, s.text, n.Line(), Ref{In: around(n), How: how, Confidence: confidence, Why: why})
}

// classOf returns the class whose code a node is in, "" for none.
func classOf(n syntax.Node) string {
	for ; n.OK(); n = n.Parent() {
		switch n.Kind() {
		case "class_declaration", "abstract_class_declaration", "class_definition", "class":
			return n.Child("name").Text()
		}
	}
	return ""
}

// around returns the name of the function, the method or the test that a node is in, "" for none.
func around(n syntax.Node) string {
	for n = n.Parent(); n.OK(); n = n.Parent() {
		name := ""
		switch n.Kind() {
		case "function_declaration", "generator_function_declaration", "function_definition":
			name = n.Child("name").Text()
		case "method_definition":
			name = n.Child("name").Text()
		case "variable_declarator":
			if value := n.Child("value").Kind(); value == "arrow_function" || value == "function_expression" {
				name = n.Child("name").Text()
			}
		case "call_expression":
			if tests := n.Callee(); (tests == "it" || tests == "test") && len(n.Args()) > 0 {
				name, _ = n.Args()[0].Value()
			}
		}
		if name == "" {
			continue
		}
		if class := classAround(n.Parent()); class != "" {
			name = class + "." + name
		}
		return clip(name)
	}
	return ""
}

func clip(s string) string { return inspect.Clip(strings.Join(strings.Fields(s), " "), 80) }
