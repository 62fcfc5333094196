package flows

import (
	"agentdungeon/server/syntax"
)

// top translates a statement that is outside of functions.
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
		l.imports(n)
		l.file.Stars = append(l.file.Stars, l.module(unquoted(n.Child("source"))))
	}
}
