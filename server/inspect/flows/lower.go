package flows

import (
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// The same functions lower JavaScript, TypeScript and Python, because the syntax trees of these languages differ in
// little more than the names of the nodes.

func (l *lowering) block(n syntax.Node) []Stmt {
	var out, late []Stmt
	for _, c := range named(n) {
		if strings.HasSuffix(c.Kind(), "function_declaration") { // its name is known before the statement is reached
			out = append(out, l.stmt(c)...)
		} else {
			late = append(late, l.stmt(c)...)
		}
	}
	return append(out, late...)
}

// inner translates the block inside a clause of a statement, such as the body of an else.
func (l *lowering) inner(n syntax.Node) (out []Stmt) {
	for _, c := range named(n) {
		if k := c.Kind(); strings.HasSuffix(k, "block") || strings.HasSuffix(k, "_statement") {
			out = append(out, l.stmt(c)...)
		}
	}
	return out
}

func (l *lowering) stmt(n syntax.Node) []Stmt {
	defer l.up()
	if !n.OK() || l.tooDeep() {
		return nil
	}
	line := n.Line()
	switch n.Kind() {
	case "block", "statement_block":
		return l.block(n)
	case "expression_statement":
		var out []Stmt
		for _, c := range named(n) {
			out = append(out, l.effect(c)...)
		}
		return out
	case "lexical_declaration", "variable_declaration":
		var out []Stmt
		for _, c := range named(n) {
			if v := c.Child("value"); v.OK() {
				out = append(out, Stmt{Kind: Assign, Line: c.Line(), To: []*Expr{l.expr(c.Child("name"))},
					From: l.expr(v), Type: l.typeName(c.Child("type").Text())})
			}
		}
		return out
	case "return_statement":
		return []Stmt{{Kind: Return, Line: line, From: l.expr(first(n))}}
	case "raise_statement", "throw_statement", "continue_statement":
		return []Stmt{{Kind: Leave, Line: line, From: l.expr(first(n))}}
	case "if_statement":
		return []Stmt{l.branch(n, kids(n, "alternative"))}
	case "while_statement":
		return []Stmt{{Kind: If, Line: line, Cond: l.expr(n.Child("condition")), Then: l.stmt(n.Child("body"))}}
	case "do_statement":
		return []Stmt{{Kind: If, Line: line, Then: append(l.stmt(n.Child("body")),
			Stmt{Kind: Do, Line: line, From: l.expr(n.Child("condition"))})}}
	case "for_statement", "for_in_statement":
		return l.loop(n)
	case "try_statement":
		var out []Stmt
		for _, c := range named(n) {
			switch k := c.Kind(); {
			case k == "catch_clause" || strings.HasPrefix(k, "except"):
				out = append(out, Stmt{Kind: If, Line: c.Line(), Then: l.inner(c)})
			case strings.HasSuffix(k, "_clause"):
				out = append(out, l.inner(c)...)
			default:
				out = append(out, l.stmt(c)...)
			}
		}
		return out
	case "with_statement":
		return append(l.with(n), l.stmt(n.Child("body"))...)
	case "match_statement", "switch_statement":
		return l.choose(n)
	case "labeled_statement", "else_clause":
		return l.inner(n)
	case "function_definition", "function_declaration", "generator_function_declaration", "decorated_definition",
		"class_definition", "class_declaration":
		def, decorators := definition(n)
		if name := def.Child("name").Text(); !strings.HasPrefix(def.Kind(), "class") {
			f := l.fn(def, name, decorators, "")
			f.Body()
			return []Stmt{{Kind: Assign, Line: line, To: []*Expr{nameOf(name, n)},
				From: &Expr{Kind: Closure, Line: line, Func: f}}}
		} else if p := l.file.Package; p.Bases[name] == nil {
			l.class(def, name)
		}
	case "assert_statement":
		return []Stmt{{Kind: If, Line: line, Cond: &Expr{Kind: Not, Line: line, X: l.expr(first(n))},
			Then: []Stmt{{Kind: Leave, Line: line}}}}
	}
	return nil
}

func (l *lowering) loop(n syntax.Node) []Stmt {
	line := n.Line()
	if !n.Child("left").OK() {
		return append(l.stmt(n.Child("initializer")), Stmt{Kind: If, Line: line, Then: l.stmt(n.Child("body"))})
	}
	in := Stmt{Kind: Assign, Line: line, To: []*Expr{l.expr(n.Child("left"))},
		From: &Expr{Kind: Spread, Line: line, X: l.expr(n.Child("right"))}}
	return []Stmt{{Kind: If, Line: line, Then: append([]Stmt{in}, l.stmt(n.Child("body"))...)}}
}

func (l *lowering) branch(n syntax.Node, rest []syntax.Node) Stmt {
	st := Stmt{Kind: If, Line: n.Line(), Cond: l.expr(n.Child("condition")), Then: l.stmt(n.Child("consequence"))}
	if len(rest) > 0 && rest[0].Kind() == "elif_clause" {
		st.Else = []Stmt{l.branch(rest[0], rest[1:])}
	} else if len(rest) > 0 {
		st.Else = l.inner(rest[0])
	}
	return st
}

func (l *lowering) with(n syntax.Node) []Stmt {
	var out []Stmt
	for c := range n.All() {
		if c.Start() >= n.Child("body").Start() {
			break
		}
		if c.Kind() != "with_item" {
			continue
		}
		v := c.Child("value")
		if v.Kind() == "as_pattern" {
			out = append(out, Stmt{Kind: Assign, Line: c.Line(), To: []*Expr{l.expr(first(v.Child("alias")))},
				From: l.expr(first(v))})
		} else {
			out = append(out, Stmt{Kind: Do, Line: c.Line(), From: l.expr(v)})
		}
	}
	return out
}

func (l *lowering) choose(n syntax.Node) []Stmt {
	subject := l.expr(child(n, "subject", "value"))
	var arms []arm
	for _, c := range named(n.Child("body")) {
		a := arm{line: c.Line(), rest: c.Kind() == "switch_default"}
		if v := c.Child("value"); v.OK() {
			a.labels = []*Expr{l.expr(v)}
		}
		for _, p := range named(c) {
			switch {
			case p.Kind() == "case_pattern" && first(p).Kind() == "string":
				a.labels = append(a.labels, l.expr(first(p)))
			case p.Kind() == "case_pattern":
				a.rest = true
			case p.Field() == "body" || p.Field() == "consequence":
				a.body = append(a.body, l.stmt(p)...)
			}
		}
		if k := len(arms) - 1; k >= 0 && len(arms[k].body) == 0 && !arms[k].rest { // the case before falls through
			a.labels, arms = append(arms[k].labels, a.labels...), arms[:k]
		}
		arms = append(arms, a)
	}
	return switched(subject, arms)
}

// effect translates an expression that is a statement, such as an assignment or a call.
func (l *lowering) effect(n syntax.Node) []Stmt {
	switch n.Kind() {
	case "assignment", "assignment_expression":
		return l.assign(n)
	case "augmented_assignment", "augmented_assignment_expression":
		return []Stmt{{Kind: Add, Line: n.Line(), To: []*Expr{l.expr(n.Child("left"))},
			From: l.expr(n.Child("right"))}}
	}
	return []Stmt{{Kind: Do, Line: n.Line(), From: l.expr(n)}}
}

// exported matches the target of an assignment by which a Node.js module exports: all exports at once, or one name.
var exported = inspect.Pattern(`^(?:(?:module\.)?exports(?:\.(\w+))?|(\w+)\.prototype\.(\w+))$`)

func (l *lowering) assign(n syntax.Node) []Stmt {
	left, right, line := n.Child("left"), n.Child("right"), n.Line()
	if !right.OK() {
		return nil
	}
	to := []*Expr{l.expr(left)}
	if k := to[0]; k.Kind == List && strings.HasSuffix(left.Kind(), "list") {
		to = k.Args
	}
	if m := exported.FindStringSubmatch(short(left)); m != nil {
		name := m[1] + m[3]
		switch {
		case function(right) && name != "":
			f := l.fn(right, name, nil, m[2])
			if class := m[2]; class != "" { // a method of a class in the style before ES2015
				name = class + "." + name
				if p := l.file.Package; p.Funcs[class] != nil && p.Bases[class] == nil {
					l.constructor(class, p.Funcs[class])
				}
			}
			l.function(name, f)
			return nil
		case right.Kind() == "object" && name == "":
			return l.exports(right)
		case name == "":
			name = "default"
		}
		to = []*Expr{nameOf(name, n)}
	}
	return []Stmt{{Kind: Assign, Line: line, To: to, From: l.expr(right), Type: l.typeName(n.Child("type").Text())}}
}

// exports lowers the object whose fields a Node.js module exports.
func (l *lowering) exports(object syntax.Node) (out []Stmt) {
	for _, c := range named(object) {
		name, value := c.Child("key").Text(), c.Child("value")
		switch {
		case c.Kind() == "method_definition":
			l.function(c.Child("name").Text(), l.fn(c, c.Child("name").Text(), nil, ""))
		case c.Kind() == "spread_element":
			if x := l.expr(first(c)); x.Kind == Name && strings.HasPrefix(x.Text, "\x00./") {
				l.file.Stars = append(l.file.Stars, x.Text[1:])
			}
		case function(value):
			l.function(name, l.fn(value, name, nil, ""))
		case value.OK() && value.Text() != name:
			out = append(out, Stmt{Kind: Assign, Line: c.Line(), To: []*Expr{nameOf(name, c)}, From: l.expr(value)})
		}
	}
	return out
}

func (l *lowering) exprs(list []syntax.Node) []*Expr {
	out := make([]*Expr, len(list))
	for i, n := range list {
		out[i] = l.expr(n)
	}
	return out
}

func (l *lowering) expr(n syntax.Node) *Expr {
	defer l.up()
	out := &Expr{}
	if !n.OK() || l.tooDeep() {
		return out
	}
	out.Line = n.Line()
	switch n.Kind() {
	case "identifier", "this", "property_identifier", "shorthand_property_identifier",
		"shorthand_property_identifier_pattern":
		out.Kind, out.Text = Name, n.Text()
	case "number", "integer", "true", "false":
		out.Text = n.Text()
	case "undefined", "null", "float", "none":
	case "string", "template_string":
		return l.text(out, n)
	case "concatenated_string":
		out.Kind, out.Args = Join, l.exprs(named(n))
	case "regex":
		return pattern(out, n.Child("pattern").Text(), n.Child("flags").Text())
	case "attribute", "member_expression":
		part := child(n, "attribute", "property")
		out.Kind, out.Text, out.X, out.Line = Field, part.Text(), l.expr(n.Child("object")), part.Line()
	case "subscript", "subscript_expression":
		at := child(n, "subscript", "index")
		if at.Kind() == "slice" {
			return l.expr(n.Child("value"))
		}
		out.Kind, out.X, out.Args = Index, l.expr(child(n, "value", "object")), []*Expr{l.expr(at)}
	case "call", "call_expression", "new_expression":
		return l.call(out, n)
	case "binary_operator", "boolean_operator", "binary_expression":
		return l.binary(out, n.Child("operator").Kind(), l.expr(n.Child("left")), l.expr(n.Child("right")))
	case "comparison_operator":
		return l.compare(out, n)
	case "not_operator":
		out.Kind, out.X = Not, l.expr(n.Child("argument"))
	case "unary_expression":
		if x := l.expr(n.Child("argument")); n.Child("operator").Kind() == "!" {
			out.Kind, out.X = Not, x
		} else if out.Args = []*Expr{x}; x.Text == "1" {
			out.Text = "-1" // indexOf returns -1 if the text is not found
		}
	case "parenthesized_expression", "await", "await_expression", "as_pattern_target", "as_expression",
		"non_null_expression", "satisfies_expression":
		return l.expr(first(n))
	case "object_assignment_pattern", "assignment_pattern":
		return l.expr(n.Child("left"))
	case "assignment", "assignment_expression", "named_expression":
		out.Kind, out.X = Let, l.expr(child(n, "left", "name"))
		out.Args = []*Expr{l.expr(child(n, "right", "value"))}
	case "arrow_function", "function_expression", "generator_function", "lambda":
		out.Kind, out.Func = Closure, l.fn(n, "", nil, "")
		out.Func.Body()
	case "array", "array_pattern", "tuple", "list", "set", "expression_list", "pattern_list", "tuple_pattern",
		"list_pattern":
		out.Kind, out.Args = List, l.exprs(named(n))
	case "object", "object_pattern", "dictionary":
		l.dict(out, n)
	case "spread_element", "rest_pattern", "list_splat", "dictionary_splat", "list_splat_pattern":
		out.Kind, out.X = Spread, l.expr(first(n))
	case "ternary_expression":
		out.Kind, out.X = Choice, l.expr(n.Child("condition"))
		out.Args = []*Expr{l.expr(n.Child("consequence")), l.expr(n.Child("alternative"))}
	case "conditional_expression":
		if list := l.exprs(named(n)); len(list) == 3 {
			out.Kind, out.X, out.Args = Choice, list[1], []*Expr{list[0], list[2]}
		}
	case "list_comprehension", "generator_expression", "set_comprehension", "dictionary_comprehension":
		return l.comprehension(out, n)
	default:
		out.Args = l.exprs(named(n))
	}
	return out
}

func (l *lowering) dict(out *Expr, n syntax.Node) {
	out.Kind = Dict
	for _, c := range named(n) {
		key, x := "", (*Expr)(nil)
		switch c.Kind() {
		case "pair", "pair_pattern":
			if k := l.expr(c.Child("key")); k.Kind == Const || k.Kind == Name && !l.python() {
				key = k.Text
			}
			x = l.expr(c.Child("value"))
		case "method_definition":
			f := l.fn(c, "", nil, "")
			f.Body()
			key, x = c.Child("name").Text(), &Expr{Kind: Closure, Line: c.Line(), Func: f}
		case "rest_pattern":
			x = l.expr(first(c))
		default: // {name}, which is short for {name: name}, or the fields of another object
			if x = l.expr(c); x.Kind == Name {
				key = x.Text
			}
		}
		out.Keys, out.Args = append(out.Keys, key), append(out.Args, x)
	}
}

func (l *lowering) comprehension(out *Expr, n syntax.Node) *Expr {
	body := n.Child("body")
	if body.Kind() == "pair" {
		body = body.Child("value")
	}
	list := []Stmt{{Kind: Return, Line: out.Line, From: l.expr(body)}}
	clauses := named(n)
	for i := len(clauses) - 1; i >= 0; i-- {
		switch c := clauses[i]; c.Kind() {
		case "if_clause":
			list = []Stmt{{Kind: If, Line: c.Line(), Cond: l.expr(first(c)), Then: list}}
		case "for_in_clause":
			list = append([]Stmt{{Kind: Assign, Line: c.Line(), To: []*Expr{l.expr(c.Child("left"))},
				From: &Expr{Kind: Spread, Line: c.Line(), X: l.expr(c.Child("right"))}}}, list...)
		}
	}
	f := &Func{File: l.file, Line: out.Line, ready: true, body: list}
	out.Kind, out.X = Call, &Expr{Kind: Closure, Line: out.Line, Func: f}
	return out
}

var escapes = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\'`, "'", `\"`, `"`, `\\`, `\`)

// text translates a string literal, with the values that are inserted into it.
func (l *lowering) text(out *Expr, n syntax.Node) *Expr {
	out.Kind = Join
	add := func(text string, line int) {
		if k := len(out.Args); k > 0 && out.Args[k-1].Kind == Const {
			out.Args[k-1].Text += text
		} else {
			out.Args = append(out.Args, &Expr{Kind: Const, Line: line, Text: text})
		}
	}
	for _, c := range named(n) {
		switch c.Kind() {
		case "string_content":
			add(strings.NewReplacer("{{", "{", "}}", "}").Replace(escapes.Replace(c.Text())), c.Line())
		case "string_fragment", "escape_sequence":
			add(escapes.Replace(c.Text()), c.Line())
		case "interpolation", "template_substitution":
			x, spec := l.expr(first(c)), ""
			for _, part := range named(c) {
				if part.Kind() == "format_specifier" {
					spec = part.Text()
				}
			}
			out.Args = append(out.Args, spelled(x, spec))
		}
	}
	switch {
	case len(out.Args) == 0:
		out.Kind = Const
	case len(out.Args) == 1 && out.Args[0].Kind == Const:
		return out.Args[0]
	}
	return out
}

var operators = map[string]Kind{
	"+": Join, "%": Join, "/": Join, "&&": And, "and": And, "||": Or, "??": Or, "or": Or, "in": In, "notin": In,
	"==": Equal, "===": Equal, "is": Equal, "!=": Equal, "!==": Equal, "isnot": Equal,
}

func (l *lowering) binary(out *Expr, op string, left, right *Expr) *Expr {
	left, right = begins(left, op, right)
	if found := op + right.Text; right.Kind == Opaque && (found == ">-1" || found == ">=0" || found == "<0") {
		out.Kind, out.Args = Equal, []*Expr{left, {Line: out.Line, Text: "-1"}}
		if found != "<0" {
			out.Text = "!="
		}
		return out
	}
	out.Kind, out.Args = operators[op], []*Expr{left, right}
	switch {
	case !l.python() && (op == "%" || op == "/"): // arithmetic; in Python, % also formats and / joins paths
		out.Kind = Opaque
	case op == "%" && left.Kind == Const:
		args := []*Expr{right}
		if right.Kind == List || right.Kind == Dict {
			args = right.Args
		}
		out.Args = verbs(left.Text, args, left.Line)
	case op == "+" && left.Kind == List && right.Kind == List:
		out.Kind, out.Args = List, append(left.Args, right.Args...)
	case op == "!=" || op == "!==" || op == "isnot":
		out.Text = "!="
	case op == "notin":
		return &Expr{Kind: Not, Line: out.Line, X: out}
	}
	return out
}

func (l *lowering) compare(out *Expr, n syntax.Node) *Expr {
	var sides []*Expr
	op := ""
	for c := range n.Children() {
		switch {
		case c.Field() == "operators":
			op += c.Text()
		case c.Named():
			sides = append(sides, l.expr(c))
		}
	}
	if len(sides) == 2 {
		return l.binary(out, strings.Join(strings.Fields(op), ""), sides[0], sides[1])
	}
	out.Args = sides
	return out
}

func (l *lowering) call(out *Expr, n syntax.Node) *Expr {
	fun, list := child(n, "function", "constructor"), n.Child("arguments")
	args := named(list)
	switch list.Kind() {
	case "template_string": // a tag function receives the values separately from the texts
		out.Args = l.text(&Expr{}, list).Args
		return out
	case "generator_expression":
		args = []syntax.Node{list}
	}
	name := short(fun)
	switch {
	case (name == "require" || name == "import") && len(args) == 1 && args[0].Kind() == "string":
		module := l.module(first(args[0]).Text())
		l.file.Imports["\x00"+module] = module
		out.Kind, out.Text = Name, "\x00"+module
		return out
	case (name == "promisify" || strings.HasSuffix(name, ".promisify")) && len(args) == 1:
		return l.expr(args[0])
	}
	out.Kind, out.X = Call, l.expr(fun)
	out.Line = max(out.Line, out.X.Line)
	for _, a := range args {
		key := ""
		if a.Kind() == "keyword_argument" {
			key, a = a.Child("name").Text(), a.Child("value")
		}
		out.Args, out.Keys = append(out.Args, l.expr(a)), append(out.Keys, key)
	}
	if x := out.X; x.Kind == Field && x.Text == "format" && x.X.Kind == Const {
		out.Kind, out.Args = Join, braces(x.X, out.Args, out.Keys)
	}
	return out
}

// fn lowers a function. name is the function's name, class the class of a method; both are "" for none.
func (l *lowering) fn(n syntax.Node, name string, decorators []syntax.Node, class string) *Func {
	var before []Stmt
	f := &Func{File: l.file, Line: n.Line()}
	f.lower = func() []Stmt {
		body := n.Child("body")
		if k := body.Kind(); k == "block" || k == "statement_block" {
			return append(before, l.block(body)...)
		}
		return append(before, Stmt{Kind: Return, Line: body.Line(), From: l.expr(body)})
	}
	route, static := "", false
	for _, d := range decorators {
		text := d.Text()
		static = static || strings.Contains(text, "staticmethod")
		if routing.MatchString(text) {
			route = text
		}
	}
	if class != "" && !l.python() {
		f.Params = []Param{{Name: "this"}}
	}
	list := named(n.Child("parameters"))
	if one := n.Child("parameter"); one.OK() {
		list = []syntax.Node{one}
	}
	for i, c := range list {
		p, pattern := l.param(c, route)
		switch {
		case p.Name == "this":
			continue
		case pattern.OK():
			p.Name = "\x00" + itoa(i)
			before = append(before, Stmt{Kind: Assign, Line: c.Line(), To: []*Expr{l.expr(pattern)},
				From: nameOf(p.Name, c)})
		case word(c, "accessibility_modifier") && class != "": // a parameter that also declares a field
			l.file.Package.Types[class+"."+p.Name] = p.Type
			before = append(before, Stmt{Kind: Assign, Line: c.Line(), From: nameOf(p.Name, c),
				To: []*Expr{{Kind: Field, Text: p.Name, X: &Expr{Kind: Name, Text: "this"}}}})
		}
		f.Params = append(f.Params, p)
	}
	if class != "" && !static && len(f.Params) > 0 {
		f.Self = f.Params[0].Name
		f.Params[0].Type = l.file.Package.Name + "." + class
	}
	if t := n.Child("return_type"); t.OK() {
		f.Results = []string{l.typeName(t.Text())}
	}
	l.requests(f, name)
	return f
}

// class adds the methods of a class, the types of its fields, and a function that creates an instance.
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
