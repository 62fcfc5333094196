package flows

import (
	"path"
	"slices"
	"strings"

	"agentdungeon/server/syntax"
)

// jsLowering lowers a file of JavaScript or TypeScript.
type jsLowering struct{ *treeLowering }

func lowerScript(base *treeLowering, root syntax.Node) {
	l := &jsLowering{base}
	for _, n := range named(root) {
		if n.Kind() == "import_statement" {
			l.jsImport(n)
		}
	}
	for _, n := range named(root) {
		l.jsTop(n)
	}
}

// module returns the dotted name of what a file imports by a path.
func (l *jsLowering) module(from string) string {
	if strings.HasPrefix(from, ".") {
		from = strings.TrimSuffix(from, ".js")
		return l.relative(from)
	}
	return strings.TrimPrefix(from, "node:")
}

func (l *jsLowering) jsImport(n syntax.Node) {
	module := l.module(unquoted(n.Child("source").Text()))
	own := strings.HasPrefix(module, "./")
	for c := range n.All() {
		switch c.Kind() {
		case "identifier":
			switch c.Parent().Kind() {
			case "import_clause": // a library's default is mostly the library
				l.file.Imports[c.Text()] = module
				if own {
					l.file.Imports[c.Text()] = module + ".default"
				}
			case "namespace_import":
				l.file.Imports[c.Text()] = module
			}
		case "import_specifier":
			name, alias := c.Child("name").Text(), c.Child("alias").Text()
			if alias == "" {
				alias = name
			}
			l.file.Imports[alias] = module + "." + name
		}
	}
}

func (l *jsLowering) jsTop(n syntax.Node) {
	switch n.Kind() {
	case "export_statement":
		if d := n.Child("declaration"); d.OK() {
			l.jsTop(d)
			if word(n, "default") {
				if name := d.Child("name").Text(); name != "" {
					l.begin([]Stmt{{Kind: Assign, Line: n.Line(), To: []*Expr{nameOf("default", n)},
						From: nameOf(name, n)}})
				}
			}
		} else if v := n.Child("value"); v.OK() {
			l.begin([]Stmt{{Kind: Assign, Line: n.Line(), To: []*Expr{nameOf("default", n)}, From: l.jsExpr(v)}})
		}
	case "function_declaration", "generator_function_declaration":
		l.function(n.Child("name").Text(), l.jsFunc(n, n.Child("name").Text()))
	case "class_declaration":
		l.jsClass(n, n.Child("name").Text())
	case "import_statement":
	default:
		l.begin(l.jsStmt(n))
	}
}

func nameOf(text string, n syntax.Node) *Expr { return &Expr{Kind: Name, Text: text, Line: n.Line()} }

func (l *jsLowering) jsClass(n syntax.Node, name string) {
	self := l.file.Package.Name + "." + name
	l.function(name, &Func{File: l.file, Line: n.Line(), Results: []string{self}})
	for _, c := range named(n.Child("body")) {
		def, key := c, c.Child("name")
		if c.Kind() != "method_definition" {
			def, key = c.Child("value"), c.Child("property")
			if !key.OK() {
				key = c.Child("name")
			}
			if k := def.Kind(); k != "arrow_function" && k != "function_expression" {
				continue
			}
		}
		f := l.jsFunc(def, key.Text())
		f.Self, f.Params = "this", append([]Param{{Name: "this", Type: self}}, f.Params...)
		l.function(name+"."+key.Text(), f)
	}
}

func (l *jsLowering) jsFunc(n syntax.Node, name string) *Func {
	f := &Func{File: l.file, Line: n.Line(), lower: func() []Stmt {
		body := n.Child("body")
		if body.Kind() != "statement_block" {
			return []Stmt{{Kind: Return, Line: body.Line(), From: l.jsExpr(body)}}
		}
		return l.jsBlock(body)
	}}
	if p := n.Child("parameter"); p.OK() {
		f.Params = []Param{{Name: p.Text()}}
	}
	var patterns []Stmt
	for i, c := range named(n.Child("parameters")) {
		p := Param{}
		pattern := c
		switch c.Kind() {
		case "required_parameter", "optional_parameter":
			pattern = c.Child("pattern")
			p.Type = l.jsType(first(c.Child("type")))
		case "assignment_pattern":
			pattern = c.Child("left")
		}
		switch pattern.Kind() {
		case "identifier":
			p.Name = pattern.Text()
		case "this":
			continue
		default:
			p.Name = "\x00" + itoa(i)
			patterns = append(patterns, Stmt{Kind: Assign, Line: c.Line(), To: []*Expr{l.jsExpr(pattern)},
				From: nameOf(p.Name, c)})
		}
		f.Params = append(f.Params, p)
	}
	l.requests(f, name)
	if len(patterns) > 0 {
		rest := f.lower
		f.lower = func() []Stmt { return append(patterns, rest()...) }
	}
	return f
}

// requests gives the parameters of a handler of requests their types.
func (l *jsLowering) requests(f *Func, name string) {
	at := func(i int, names ...string) bool {
		return i < len(f.Params) && slices.Contains(names, f.Params[i].Name)
	}
	give := func(i int, t string) {
		if i < len(f.Params) && (f.Params[i].Type == "" || !strings.Contains(f.Params[i].Type, "/")) {
			f.Params[i].Type = t
		}
	}
	stem := strings.TrimSuffix(path.Base(l.file.Path), path.Ext(l.file.Path))
	route := stem == "route" && slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, name)
	switch {
	case route:
		give(0, "next.Request")
		give(1, "next.Context")
	case at(0, "req", "request", "_req") && at(1, "res", "response", "reply", "_res"):
		give(0, "express.Request")
		give(1, "express.Response")
	case at(1, "req", "request") && at(2, "res", "response"): // of errors
		give(1, "express.Request")
	case at(0, "ctx", "context") && l.uses("koa", "@koa/router", "koa-router"):
		give(0, "koa.Context")
	case (stem == "page" || stem == "layout") && name != "" && name[0] >= 'A' && name[0] <= 'Z':
		give(0, "next.Props")
	}
}

func (l *jsLowering) jsType(n syntax.Node) string {
	text := n.Text()
	if text == "" || strings.ContainsAny(text, "<|&{[( ") {
		text, _, _ = strings.Cut(text, "<")
		if strings.ContainsAny(text, "|&{[( ") {
			return ""
		}
	}
	head, rest, dotted := strings.Cut(text, ".")
	to := l.file.Imports[head]
	switch {
	case to != "" && dotted:
		return to + "." + rest
	case to != "":
		return to
	case l.file.Package.Funcs[text] != nil:
		return l.file.Package.Name + "." + text
	case text == "FormData":
		return "next.FormData"
	}
	return ""
}

func (l *jsLowering) jsBlock(n syntax.Node) []Stmt {
	var out, late []Stmt
	for _, c := range named(n) {
		if c.Kind() == "function_declaration" {
			out = append(out, l.jsStmt(c)...)
		} else {
			late = append(late, l.jsStmt(c)...)
		}
	}
	return append(out, late...)
}

func (l *jsLowering) jsStmt(n syntax.Node) []Stmt {
	defer l.up()
	if !n.OK() || l.tooDeep() {
		return nil
	}
	line := n.Line()
	switch n.Kind() {
	case "expression_statement":
		return l.jsEffect(first(n))
	case "lexical_declaration", "variable_declaration":
		var out []Stmt
		for _, c := range named(n) {
			if v := c.Child("value"); c.Kind() == "variable_declarator" && v.OK() {
				out = append(out, Stmt{Kind: Assign, Line: c.Line(), To: []*Expr{l.jsExpr(c.Child("name"))},
					From: l.jsExpr(v), Type: l.jsType(first(c.Child("type")))})
			}
		}
		return out
	case "return_statement":
		return []Stmt{{Kind: Return, Line: line, From: l.jsExpr(first(n))}}
	case "throw_statement", "continue_statement":
		return []Stmt{{Kind: Leave, Line: line, From: l.jsExpr(first(n))}}
	case "if_statement":
		st := Stmt{Kind: If, Line: line, Cond: l.jsExpr(n.Child("condition")), Then: l.jsStmt(n.Child("consequence"))}
		st.Else = l.jsStmt(first(n.Child("alternative")))
		return []Stmt{st}
	case "for_statement":
		out := l.jsStmt(n.Child("initializer"))
		return append(out, Stmt{Kind: If, Line: line, Then: l.jsStmt(n.Child("body"))})
	case "for_in_statement":
		in := []Stmt{{Kind: Assign, Line: line, To: []*Expr{l.jsExpr(n.Child("left"))}, From: &Expr{Kind: Spread,
			Line: line, X: l.jsExpr(n.Child("right"))}}}
		return []Stmt{{Kind: If, Line: line, Then: append(in, l.jsStmt(n.Child("body"))...)}}
	case "while_statement", "do_statement":
		return []Stmt{{Kind: If, Line: line, Then: append([]Stmt{{Kind: Do, Line: line,
			From: l.jsExpr(n.Child("condition"))}}, l.jsStmt(n.Child("body"))...)}}
	case "try_statement":
		out := l.jsStmt(n.Child("body"))
		if h := n.Child("handler"); h.OK() {
			out = append(out, Stmt{Kind: If, Line: h.Line(), Then: l.jsStmt(h.Child("body"))})
		}
		return append(out, l.jsStmt(n.Child("finalizer").Child("body"))...)
	case "switch_statement":
		return l.jsSwitch(n)
	case "statement_block":
		return l.jsBlock(n)
	case "labeled_statement":
		return l.jsStmt(n.Child("body"))
	case "else_clause":
		return l.jsStmt(first(n))
	case "function_declaration", "generator_function_declaration":
		f := l.jsFunc(n, n.Child("name").Text())
		f.Body()
		return []Stmt{{Kind: Assign, Line: line, To: []*Expr{nameOf(n.Child("name").Text(), n)},
			From: &Expr{Kind: Closure, Line: line, Func: f}}}
	}
	return nil
}

func (l *jsLowering) jsEffect(n syntax.Node) []Stmt {
	line := n.Line()
	switch n.Kind() {
	case "assignment_expression":
		return l.jsAssign(n)
	case "augmented_assignment_expression":
		if n.Child("operator").Kind() == "+=" {
			return []Stmt{{Kind: Add, Line: line, To: []*Expr{l.jsExpr(n.Child("left"))},
				From: l.jsExpr(n.Child("right"))}}
		}
	case "call_expression":
		if f := n.Child("function").Text(); f == "process.exit" || f == "notFound" || f == "redirect" {
			return []Stmt{{Kind: Leave, Line: line, From: l.jsExpr(n)}}
		}
	}
	return []Stmt{{Kind: Do, Line: line, From: l.jsExpr(n)}}
}

func (l *jsLowering) jsAssign(n syntax.Node) []Stmt {
	left, right, line := n.Child("left"), n.Child("right"), n.Line()
	target := left.Text()
	if target == "module.exports" && right.Kind() == "object" {
		var out []Stmt
		for _, c := range named(right) {
			if c.Kind() == "pair" {
				out = append(out, Stmt{Kind: Assign, Line: c.Line(), To: []*Expr{nameOf(c.Child("key").Text(), c)},
					From: l.jsExpr(c.Child("value"))})
			}
			if c.Kind() == "method_definition" {
				l.function(c.Child("name").Text(), l.jsFunc(c, c.Child("name").Text()))
			}
		}
		return out
	}
	to := l.jsExpr(left)
	if target == "module.exports" {
		to = nameOf("default", n)
	} else if name, ok := strings.CutPrefix(strings.TrimPrefix(target, "module."), "exports."); ok &&
		!strings.Contains(name, ".") {
		to = nameOf(name, n)
	}
	return []Stmt{{Kind: Assign, Line: line, To: []*Expr{to}, From: l.jsExpr(right)}}
}

func (l *jsLowering) jsSwitch(n syntax.Node) []Stmt {
	var out, waiting []Stmt
	var labels *Expr
	var chain []Stmt
	for _, c := range named(n.Child("body")) {
		var body []Stmt
		for _, b := range kids(c, "body") {
			body = append(body, l.jsStmt(b)...)
		}
		if c.Kind() == "switch_default" {
			waiting = body
			continue
		}
		one := &Expr{Kind: Equal, Line: c.Line(), Args: []*Expr{l.jsExpr(n.Child("value")),
			l.jsExpr(c.Child("value"))}}
		if labels != nil {
			one = &Expr{Kind: Or, Line: c.Line(), Args: []*Expr{labels, one}}
		}
		if labels = one; len(body) > 0 {
			chain = append(chain, Stmt{Kind: If, Line: c.Line(), Cond: labels, Then: body})
			labels = nil
		}
	}
	out = waiting
	for i := len(chain) - 1; i >= 0; i-- {
		chain[i].Else = out
		out = []Stmt{chain[i]}
	}
	return out
}

func (l *jsLowering) jsExprs(list []syntax.Node) []*Expr {
	out := make([]*Expr, len(list))
	for i, n := range list {
		out[i] = l.jsExpr(n)
	}
	return out
}

func (l *jsLowering) jsExpr(n syntax.Node) *Expr {
	defer l.up()
	out := &Expr{}
	if !n.OK() || l.tooDeep() {
		return out
	}
	out.Line = n.Line()
	switch n.Kind() {
	case "identifier", "this", "shorthand_property_identifier", "shorthand_property_identifier_pattern",
		"property_identifier":
		out.Kind, out.Text = Name, n.Text()
	case "undefined":
	case "true":
		out.Text = "true"
	case "string":
		out.Kind, out.Text = Const, unquoted(n.Text())
	case "template_string":
		l.jsTemplate(out, n)
	case "regex":
		out.Kind, out.Text = Const, n.Child("pattern").Text()
	case "member_expression":
		out.Kind, out.Text, out.X = Field, n.Child("property").Text(), l.jsExpr(n.Child("object"))
		out.Line = n.Child("property").Line()
	case "subscript_expression":
		out.Kind, out.X, out.Args = Index, l.jsExpr(n.Child("object")), []*Expr{l.jsExpr(n.Child("index"))}
	case "call_expression", "new_expression":
		return l.jsCall(out, n)
	case "binary_expression":
		l.jsBinary(out, n)
	case "unary_expression":
		if n.Child("operator").Kind() == "!" {
			out.Kind, out.X = Not, l.jsExpr(n.Child("argument"))
		} else {
			out.Args = []*Expr{l.jsExpr(n.Child("argument"))}
		}
	case "assignment_expression":
		return l.jsExpr(n.Child("right"))
	case "await_expression", "parenthesized_expression", "as_expression", "non_null_expression",
		"satisfies_expression", "type_assertion", "object_assignment_pattern", "assignment_pattern":
		if left := n.Child("left"); left.OK() {
			return l.jsExpr(left)
		}
		return l.jsExpr(first(n))
	case "sequence_expression":
		list := named(n)
		return l.jsExpr(list[len(list)-1])
	case "arrow_function", "function_expression", "function", "generator_function":
		f := l.jsFunc(n, "")
		f.Body()
		out.Kind, out.Func = Closure, f
	case "array", "array_pattern":
		out.Kind, out.Args = List, l.jsExprs(named(n))
	case "object", "object_pattern":
		l.jsObject(out, n)
	case "spread_element", "rest_pattern":
		out.Kind, out.X = Spread, l.jsExpr(first(n))
	case "ternary_expression":
		return l.choice(out, l.jsExpr(n.Child("condition")), l.jsExpr(n.Child("consequence")),
			l.jsExpr(n.Child("alternative")))
	case "number", "null", "false":
	default:
		for _, c := range named(n) {
			out.Args = append(out.Args, l.jsExpr(c))
		}
	}
	return out
}

func (l *jsLowering) jsTemplate(out *Expr, n syntax.Node) {
	out.Kind = Join
	at := n.Start() + 1
	text := func(to int) {
		if to > at {
			out.Args = append(out.Args, &Expr{Kind: Const, Line: n.Line(),
				Text: n.Text()[at-n.Start() : to-n.Start()]})
		}
	}
	for _, c := range named(n) {
		if c.Kind() == "template_substitution" {
			text(c.Start())
			out.Args = append(out.Args, l.jsExpr(first(c)))
			at = c.End()
		}
	}
	text(n.End() - 1)
}

func (l *jsLowering) jsObject(out *Expr, n syntax.Node) {
	out.Kind = Dict
	for _, c := range named(n) {
		key, x := "", (*Expr)(nil)
		switch c.Kind() {
		case "pair", "pair_pattern":
			key, x = unquoted(c.Child("key").Text()), l.jsExpr(c.Child("value"))
		case "shorthand_property_identifier", "shorthand_property_identifier_pattern":
			key, x = c.Text(), l.jsExpr(c)
		case "object_assignment_pattern":
			key, x = c.Child("left").Text(), l.jsExpr(c.Child("left"))
		case "method_definition":
			f := l.jsFunc(c, c.Child("name").Text())
			f.Body()
			key, x = c.Child("name").Text(), &Expr{Kind: Closure, Line: c.Line(), Func: f}
		case "rest_pattern":
			x = l.jsExpr(first(c))
		default:
			x = l.jsExpr(c)
		}
		out.Keys, out.Args = append(out.Keys, key), append(out.Args, x)
	}
}

func (l *jsLowering) jsBinary(out *Expr, n syntax.Node) {
	out.Args = []*Expr{l.jsExpr(n.Child("left")), l.jsExpr(n.Child("right"))}
	switch n.Child("operator").Kind() {
	case "+":
		out.Kind = Join
	case "&&":
		out.Kind = And
	case "||", "??":
		out.Kind = Or
	case "===", "==":
		out.Kind = Equal
	case "!==", "!=":
		out.Kind, out.Text = Equal, "!="
	case "in":
		out.Kind = In
	}
}

func (l *jsLowering) jsCall(out *Expr, n syntax.Node) *Expr {
	fun, list := n.Child("function"), n.Child("arguments")
	if n.Kind() == "new_expression" {
		fun = n.Child("constructor")
	}
	if list.Kind() == "template_string" { // a tag knows the values apart
		t := &Expr{}
		l.jsTemplate(t, list)
		out.Args = t.Args
		return out
	}
	args := named(list)
	switch name := fun.Text(); {
	case name == "require" && len(args) == 1 && args[0].Kind() == "string":
		module := l.module(unquoted(args[0].Text()))
		l.file.Imports["\x00"+module] = module
		out.Kind, out.Text = Name, "\x00"+module
		return out
	case (name == "promisify" || strings.HasSuffix(name, ".promisify")) && len(args) == 1:
		return l.jsExpr(args[0])
	}
	out.Kind, out.X, out.Args = Call, l.jsExpr(fun), l.jsExprs(args)
	out.Line = out.X.Line
	return out
}
