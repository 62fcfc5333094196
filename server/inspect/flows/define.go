package flows

import (
	"agentdungeon/server/syntax"
)

// top lowers what stands outside of functions.
func (l *lowering) top(n syntax.Node) {
	def, decorators := definition(n)
	name := def.Child("name").Text()
	switch def.Kind() {
	case "import_statement", "import_from_statement":
	case "function_definition", "function_declaration", "generator_function_declaration":
		l.function(name, l.fn(def, name, decorators, ""))
	case "class_definition", "class_declaration", "abstract_class_declaration":
		l.class(def, name)
	case "interface_declaration", "type_alias_declaration":
		l.file.Package.Bases[name] = []string{}
	case "lexical_declaration", "variable_declaration":
		for _, c := range named(n) { // "const f = () => ..." is a function
			if v, name := c.Child("value"), c.Child("name").Text(); function(v) {
				l.function(name, l.fn(v, name, nil, ""))
			}
		}
		l.begin(l.stmt(n))
	case "export_statement":
		l.export(n)
	default:
		l.begin(l.stmt(n))
	}
}

func (l *lowering) export(n syntax.Node) {
	d, v := n.Child("declaration"), n.Child("value")
	isDefault := word(n, "default")
	switch name := d.Child("name").Text(); {
	case d.OK():
		l.top(d)
		if isDefault && name != "" {
			l.begin([]Stmt{{Kind: Assign, Line: n.Line(), To: []*Expr{nameOf("default", n)}, From: nameOf(name, n)}})
		}
	case function(v):
		l.function("default", l.fn(v, "default", nil, ""))
	case v.OK():
		l.begin([]Stmt{{Kind: Assign, Line: n.Line(), To: []*Expr{nameOf("default", n)}, From: l.expr(v)}})
	case n.Child("source").OK(): // export ... from
		module := l.module(unquoted(n.Child("source")))
		for c := range n.All() {
			if c.Kind() == "export_specifier" {
				name := c.Child("name").Text()
				l.file.Imports[alias(c, name)] = module + "." + name
			}
		}
		l.file.Stars = append(l.file.Stars, module)
	}
}

// class adds the methods of a class, the types of its fields, and a function that makes an object of it.
func (l *lowering) class(n syntax.Node, name string) {
	p := l.file.Package
	self := p.Name + "." + name
	p.Bases[name] = []string{}
	heritage := named(n.Child("superclasses"))
	for _, c := range named(n) {
		if c.Kind() == "class_heritage" {
			heritage = append(heritage, c)
		}
	}
	for _, c := range heritage {
		for c.Kind() == "class_heritage" || c.Kind() == "extends_clause" {
			c = first(c)
		}
		if t := l.typeName(c.Text()); t != "" && c.Kind() != "keyword_argument" {
			p.Bases[name] = append(p.Bases[name], t)
		}
	}
	l.function(name, &Func{File: l.file, Line: n.Line(), Results: []string{self}})
	for _, c := range named(n.Child("body")) {
		def, decorators := definition(c)
		member, value := child(def, "name", "property").Text(), def.Child("value")
		switch {
		case def.Kind() == "function_definition" || def.Kind() == "method_definition":
			value = def
		case def.Kind() == "expression_statement":
			def = first(def)
			member = def.Child("left").Text()
			fallthrough
		default:
			if t := l.typeName(def.Child("type").Text()); t != "" {
				p.Types[name+"."+member] = t
			}
			if !function(value) {
				continue
			}
		}
		f := l.fn(value, member, decorators, name)
		l.function(name+"."+member, f)
		if f.Self != "" && (member == "__init__" || member == "constructor") {
			fieldTypes(l.file, name, f)
			l.constructor(name, f)
		}
	}
}
