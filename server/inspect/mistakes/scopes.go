package mistakes

import (
	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// scopes has, for each function, block and loop of a JavaScript file and for the whole file, the names that it
// defines. A function that is declared in a block counts as defined in the whole enclosing function.
type scopes map[syntax.Node]map[string]bool

var (
	functionScopes = []string{
		"arrow_function", "function_expression", "function_declaration", "generator_function",
		"generator_function_declaration", "method_definition", "class_static_block", "program",
	}
	blockScopes = append([]string{"statement_block", "for_statement", "for_in_statement", "switch_body"},
		functionScopes...)
)

func scopesOf(t *inspect.Tree) scopes {
	s := scopes{}
	for n := range t.Root().All() {
		switch n.Kind() {
		case "variable_declarator":
			if n.Parent().Kind() == "variable_declaration" {
				s.define(n.Around(functionScopes...), n.Child("name"))
			} else {
				s.define(n.Around(blockScopes...), n.Child("name"))
			}
		case "for_in_statement":
			switch {
			case n.Has("var"):
				s.define(n.Around(functionScopes...), n.Child("left"))
			case n.Has("let"), n.Has("const"):
				s.define(n, n.Child("left"))
			}
		case "function_declaration", "generator_function_declaration", "class_declaration":
			s.define(n.Around(functionScopes...), n.Child("name"))
		case "function_expression", "generator_function", "class":
			s.define(n, n.Child("name"))
		case "formal_parameters":
			s.define(n.Parent(), n)
		case "arrow_function", "catch_clause":
			s.define(n, n.Child("parameter"))
		case "import_clause", "import_specifier", "namespace_import":
			s.define(t.Root(), n)
		}
	}
	return s
}

func (s scopes) define(in, names syntax.Node) {
	if s[in] == nil {
		s[in] = map[string]bool{}
	}
	bindAll(names, s[in])
}

// has reports whether a name is defined at a node.
func (s scopes) has(n syntax.Node, name string) bool {
	for ; n.OK(); n = n.Parent() {
		if s[n][name] {
			return true
		}
	}
	return false
}

// lines returns the first line at which each defined name occurs.
func (s scopes) lines(t *inspect.Tree) map[string]int {
	out := map[string]int{}
	for n := range t.Root().All() {
		if k := n.Kind(); k == "identifier" || k == "shorthand_property_identifier_pattern" {
			if name := n.Text(); out[name] == 0 && s.has(n, name) {
				out[name] = n.Line()
			}
		}
	}
	return out
}

// assigned returns the names to which a file assigns without a definition that is valid there. Such an assignment
// creates a global variable.
func (s scopes) assigned(t *inspect.Tree) map[string]bool {
	out := map[string]bool{}
	for n := range t.Root().All() {
		var to syntax.Node
		switch n.Kind() {
		case "assignment_expression", "augmented_assignment_expression", "for_in_statement":
			to = n.Child("left")
		case "update_expression":
			to = n.Child("argument")
		}
		names := map[string]bool{}
		bindPattern(to, names)
		for name := range names {
			if !s.has(n, name) {
				out[name] = true
			}
		}
	}
	return out
}

// isModule reports whether a file is a module. A script of a page is not: it can use the names that the page's
// other scripts define.
func isModule(t *inspect.Tree, in scopes) bool {
	for n := range t.Root().All() {
		switch n.Kind() {
		case "import_statement", "export_statement":
			return true
		case "call_expression":
			if f := n.Child("function"); f.Kind() == "identifier" && f.Text() == "require" && !in.has(n, "require") {
				return true
			}
		case "member_expression":
			if of := n.Child("object").Text(); n.Text() == "module.exports" || of == "exports" && !in.has(n, of) {
				return true
			}
		}
	}
	return false
}
