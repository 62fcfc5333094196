package flows

import (
	"strings"

	"agentdungeon/server/syntax"
)

// pyLowering lowers a file of Python.
type pyLowering struct{ *treeLowering }

func lowerPython(base *treeLowering, root syntax.Node) {
	l := &pyLowering{base}
	for n := range root.All() { // imports in functions count for the file
		switch n.Kind() {
		case "import_statement":
			l.pyImport(n)
		case "import_from_statement":
			l.pyFrom(n)
		}
	}
	for _, n := range named(root) {
		if bases := n.Child("superclasses").Text(); n.Kind() == "class_definition" && strings.Contains(bases,
			"Enum") {
			l.file.Package.Types[n.Child("name").Text()] = "int" // one of the program's own values
		}
	}
	for _, n := range named(root) {
		l.pyTop(n)
	}
}

func (l *pyLowering) pyTop(n syntax.Node) {
	def, decorators := n, []syntax.Node(nil)
	if n.Kind() == "decorated_definition" {
		def = n.Child("definition")
		for _, c := range named(n) {
			if c.Kind() == "decorator" {
				decorators = append(decorators, c)
			}
		}
	}
	switch def.Kind() {
	case "function_definition":
		l.function(def.Child("name").Text(), l.pyFunc(def, decorators, false))
	case "class_definition":
		l.pyClass(def)
	default:
		l.begin(l.pyStmt(n))
	}
}

func (l *pyLowering) pyClass(n syntax.Node) {
	name := n.Child("name").Text()
	l.function(name, &Func{File: l.file, Line: n.Line(), Results: []string{l.file.Package.Name + "." + name}})
	for _, c := range named(n.Child("body")) {
		def, decorators := c, []syntax.Node(nil)
		if c.Kind() == "decorated_definition" {
			def = c.Child("definition")
			decorators = named(c)[:1]
		}
		if def.Kind() == "function_definition" {
			l.class = name
			l.function(name+"."+def.Child("name").Text(), l.pyFunc(def, decorators, true))
			l.class = ""
		}
	}
}

// pyFunc lowers a function. What its decorators and the libraries of the file say about its parameters is their type.
func (l *pyLowering) pyFunc(n syntax.Node, decorators []syntax.Node, method bool) *Func {
	f := &Func{File: l.file, Line: n.Line(), lower: func() []Stmt { return l.pyBlock(n.Child("body")) }}
	route, static := "", false
	for _, d := range decorators {
		text := d.Text()
		static = static || strings.Contains(text, "staticmethod")
		if strings.Contains(text, ".route(") || strings.Contains(text, ".get(") || strings.Contains(text, ".post(") ||
			strings.Contains(text, ".put(") ||
			strings.Contains(text, ".delete(") || strings.Contains(text, ".patch(") || strings.Contains(text,
			".websocket(") {
			route = text
		}
	}
	for _, c := range named(n.Child("parameters")) {
		f.Params = append(f.Params, l.pyParam(c, route))
	}
	if method && !static && len(f.Params) > 0 {
		f.Self = f.Params[0].Name
		f.Params[0].Type = l.file.Package.Name + "." + l.class
	}
	if t := n.Child("return_type"); t.OK() {
		f.Results = []string{l.pyType(t)}
	}
	return f
}

func (l *pyLowering) pyBlock(n syntax.Node) []Stmt {
	var out []Stmt
	for _, c := range named(n) {
		out = append(out, l.pyStmt(c)...)
	}
	return out
}

func (l *pyLowering) pyStmt(n syntax.Node) []Stmt {
	defer l.up()
	if l.tooDeep() || !n.OK() {
		return nil
	}
	line := n.Line()
	switch n.Kind() {
	case "expression_statement":
		var out []Stmt
		for _, c := range named(n) {
			out = append(out, l.pyEffect(c)...)
		}
		return out
	case "return_statement":
		return []Stmt{{Kind: Return, Line: line, From: l.pyExpr(first(n))}}
	case "raise_statement", "continue_statement":
		return []Stmt{{Kind: Leave, Line: line, From: l.pyExpr(first(n))}}
	case "if_statement":
		return l.pyIf(n)
	case "for_statement":
		in := []Stmt{{Kind: Assign, Line: line, To: []*Expr{l.pyExpr(n.Child("left"))}, From: &Expr{Kind: Spread,
			Line: line, X: l.pyExpr(n.Child("right"))}}}
		return []Stmt{{Kind: If, Line: line, Then: append(in, l.pyBlock(n.Child("body"))...)}}
	case "while_statement":
		return []Stmt{{Kind: If, Line: line, Cond: l.pyExpr(n.Child("condition")), Then: l.pyBlock(n.Child("body"))}}
	case "try_statement":
		out := l.pyBlock(n.Child("body"))
		for _, c := range named(n) {
			switch c.Kind() {
			case "except_clause", "except_group_clause":
				for _, b := range named(c) {
					if b.Kind() == "block" {
						out = append(out, Stmt{Kind: If, Line: c.Line(), Then: l.pyBlock(b)})
					}
				}
			case "else_clause", "finally_clause":
				for _, b := range named(c) {
					if b.Kind() == "block" {
						out = append(out, l.pyBlock(b)...)
					}
				}
			}
		}
		return out
	case "with_statement":
		return append(l.pyWith(n), l.pyBlock(n.Child("body"))...)
	case "match_statement":
		return l.pyMatch(n)
	case "function_definition", "decorated_definition":
		def, decorators := n, []syntax.Node(nil)
		if n.Kind() == "decorated_definition" {
			def = n.Child("definition")
			decorators = named(n)[:1]
		}
		if def.Kind() == "function_definition" {
			f := l.pyFunc(def, decorators, false)
			f.Body()
			return []Stmt{{Kind: Assign, Line: line, To: []*Expr{{Kind: Name, Text: def.Child("name").Text(),
				Line: line}}, From: &Expr{Kind: Closure, Line: line, Func: f}}}
		}
	case "assert_statement":
		return []Stmt{{Kind: If, Line: line, Cond: &Expr{Kind: Not, Line: line, X: l.pyExpr(first(n))},
			Then: []Stmt{{Kind: Leave, Line: line}}}}
	case "block":
		return l.pyBlock(n)
	}
	return nil
}

func (l *pyLowering) pyEffect(c syntax.Node) []Stmt {
	line := c.Line()
	switch c.Kind() {
	case "assignment":
		right := c.Child("right")
		if !right.OK() {
			return nil
		}
		if right.Kind() == "assignment" { // a = b = c
			inner := l.pyEffect(right)
			return append(inner, Stmt{Kind: Assign, Line: line, To: l.pyTargets(c.Child("left")),
				From: l.pyExpr(right.Child("left"))})
		}
		return []Stmt{{Kind: Assign, Line: line, To: l.pyTargets(c.Child("left")), From: l.pyExpr(right),
			Type: l.pyType(c.Child("type"))}}
	case "augmented_assignment":
		return []Stmt{{Kind: Add, Line: line, To: []*Expr{l.pyExpr(c.Child("left"))},
			From: l.pyExpr(c.Child("right"))}}
	}
	x := l.pyExpr(c)
	if x.Kind == Call {
		if f := c.Child("function").Text(); f == "sys.exit" || f == "exit" || f == "abort" || f == "flask.abort" {
			return []Stmt{{Kind: Leave, Line: line, From: x}}
		}
	}
	return []Stmt{{Kind: Do, Line: line, From: x}}
}

func (l *pyLowering) pyTargets(n syntax.Node) []*Expr {
	switch n.Kind() {
	case "pattern_list", "tuple_pattern", "list_pattern", "expression_list":
		return l.pyExprs(named(n))
	}
	return []*Expr{l.pyExpr(n)}
}

func (l *pyLowering) pyIf(n syntax.Node) []Stmt {
	st := Stmt{Kind: If, Line: n.Line(), Cond: l.pyExpr(n.Child("condition")),
		Then: l.pyBlock(n.Child("consequence"))}
	var rest []Stmt
	list := kids(n, "alternative")
	for i := len(list) - 1; i >= 0; i-- {
		c := list[i]
		if c.Kind() == "else_clause" {
			rest = l.pyBlock(c.Child("body"))
			continue
		}
		rest = []Stmt{{Kind: If, Line: c.Line(), Cond: l.pyExpr(c.Child("condition")),
			Then: l.pyBlock(c.Child("consequence")), Else: rest}}
	}
	st.Else = rest
	return []Stmt{st}
}

func (l *pyLowering) pyWith(n syntax.Node) []Stmt {
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
			out = append(out, Stmt{Kind: Assign, Line: c.Line(), To: []*Expr{l.pyExpr(first(v.Child("alias")))},
				From: l.pyExpr(first(v))})
		} else {
			out = append(out, Stmt{Kind: Do, Line: c.Line(), From: l.pyExpr(v)})
		}
	}
	return out
}

func (l *pyLowering) pyMatch(n syntax.Node) []Stmt {
	subject := n.Child("subject")
	var out, chain []Stmt
	for c := range n.All() {
		if c.Kind() != "case_clause" || c.Parent().Parent() != n && c.Parent() != n {
			continue
		}
		st := Stmt{Kind: If, Line: c.Line(), Then: l.pyBlock(c.Child("consequence"))}
		for _, p := range named(c) {
			if p.Kind() == "case_pattern" && first(p).Kind() == "string" {
				st.Cond = &Expr{Kind: Equal, Line: c.Line(), Args: []*Expr{l.pyExpr(subject), l.pyExpr(first(p))}}
			}
		}
		chain = append(chain, st)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if chain[i].Cond == nil && out == nil {
			out = chain[i].Then
			continue
		}
		chain[i].Else = out
		out = []Stmt{chain[i]}
	}
	return out
}

func (l *pyLowering) pyExprs(list []syntax.Node) []*Expr {
	out := make([]*Expr, len(list))
	for i, n := range list {
		out[i] = l.pyExpr(n)
	}
	return out
}

func (l *pyLowering) pyExpr(n syntax.Node) *Expr {
	defer l.up()
	out := &Expr{}
	if !n.OK() || l.tooDeep() {
		return out
	}
	out.Line = n.Line()
	switch n.Kind() {
	case "identifier":
		out.Kind, out.Text = Name, n.Text()
	case "true":
		out.Text = "true"
	case "string":
		return l.pyString(out, n)
	case "concatenated_string":
		out.Kind, out.Args = Join, l.pyExprs(named(n))
	case "attribute":
		out.Kind, out.Text, out.X = Field, n.Child("attribute").Text(), l.pyExpr(n.Child("object"))
		out.Line = n.Child("attribute").Line()
	case "subscript":
		at := n.Child("subscript")
		if at.Kind() == "slice" {
			return l.pyExpr(n.Child("value"))
		}
		out.Kind, out.X, out.Args = Index, l.pyExpr(n.Child("value")), []*Expr{l.pyExpr(at)}
	case "call":
		return l.pyCall(out, n)
	case "binary_operator":
		l.pyBinary(out, n)
	case "boolean_operator":
		out.Kind, out.Args = Or, []*Expr{l.pyExpr(n.Child("left")), l.pyExpr(n.Child("right"))}
		if n.Child("operator").Kind() == "and" {
			out.Kind = And
		}
	case "not_operator":
		out.Kind, out.X = Not, l.pyExpr(n.Child("argument"))
	case "comparison_operator":
		l.pyCompare(out, n)
	case "parenthesized_expression", "await", "as_pattern_target":
		return l.pyExpr(first(n))
	case "tuple", "list", "set", "expression_list", "pattern_list", "tuple_pattern", "list_pattern":
		out.Kind, out.Args = List, l.pyExprs(named(n))
	case "list_splat", "dictionary_splat":
		out.Kind, out.X = Spread, l.pyExpr(first(n))
	case "dictionary":
		out.Kind = Dict
		for _, c := range named(n) {
			if c.Kind() == "pair" {
				k := l.pyExpr(c.Child("key"))
				out.Keys, out.Args = append(out.Keys, k.Text), append(out.Args, l.pyExpr(c.Child("value")))
			} else {
				out.Keys, out.Args = append(out.Keys, ""), append(out.Args, l.pyExpr(c))
			}
		}
	case "lambda":
		f := &Func{File: l.file, Line: out.Line, ready: true}
		for _, c := range named(n.Child("parameters")) {
			f.Params = append(f.Params, l.pyParam(c, ""))
		}
		f.body = []Stmt{{Kind: Return, Line: out.Line, From: l.pyExpr(n.Child("body"))}}
		out.Kind, out.Func = Closure, f
	case "conditional_expression":
		if list := named(n); len(list) == 3 {
			return l.choice(out, l.pyExpr(list[1]), l.pyExpr(list[0]), l.pyExpr(list[2]))
		}
	case "list_comprehension", "generator_expression", "set_comprehension", "dictionary_comprehension":
		return l.pyComprehension(out, n)
	case "named_expression":
		return l.pyExpr(n.Child("value"))
	default:
		for _, c := range named(n) {
			out.Args = append(out.Args, l.pyExpr(c))
		}
	}
	return out
}

func (l *pyLowering) pyComprehension(out *Expr, n syntax.Node) *Expr {
	body := n.Child("body")
	value := l.pyExpr(body)
	if body.Kind() == "pair" {
		value = l.pyExpr(body.Child("value"))
	}
	list := []Stmt{{Kind: Return, Line: out.Line, From: value}}
	clauses := named(n)
	for i := len(clauses) - 1; i >= 0; i-- {
		switch c := clauses[i]; c.Kind() {
		case "if_clause":
			list = []Stmt{{Kind: If, Line: c.Line(), Cond: l.pyExpr(first(c)), Then: list}}
		case "for_in_clause":
			list = append([]Stmt{{Kind: Assign, Line: c.Line(), To: l.pyTargets(c.Child("left")),
				From: &Expr{Kind: Spread, Line: c.Line(), X: l.pyExpr(c.Child("right"))}}}, list...)
		}
	}
	f := &Func{File: l.file, Line: out.Line, ready: true, body: list}
	out.Kind, out.X = Call, &Expr{Kind: Closure, Line: out.Line, Func: f}
	return out
}

func (l *pyLowering) pyString(out *Expr, n syntax.Node) *Expr {
	var parts []*Expr
	for _, c := range named(n) {
		switch c.Kind() {
		case "string_content":
			parts = append(parts, &Expr{Kind: Const, Line: c.Line(), Text: strings.NewReplacer("{{", "{", "}}", "}",
				`\n`, "\n", `\'`, "'", `\"`, `"`).Replace(c.Text())})
		case "interpolation":
			x := l.pyExpr(c.Child("expression"))
			if x.Kind == Opaque && len(x.Args) == 0 {
				x = l.pyExpr(first(c))
			}
			spec := strings.TrimSpace(c.Child("format_specifier").Text())
			if !c.Child("format_specifier").OK() {
				for _, d := range named(c) {
					if d.Kind() == "format_specifier" {
						spec = strings.TrimSpace(d.Text())
					}
				}
			}
			if strings.HasSuffix(spec, "d") || strings.HasSuffix(spec, "f") {
				x = &Expr{Line: x.Line, Args: []*Expr{x}}
			}
			parts = append(parts, x)
		}
	}
	if len(parts) == 1 && parts[0].Kind == Const {
		return parts[0]
	}
	if len(parts) == 0 {
		out.Kind = Const
		return out
	}
	out.Kind, out.Args = Join, parts
	return out
}

func (l *pyLowering) pyBinary(out *Expr, n syntax.Node) {
	left, right := l.pyExpr(n.Child("left")), l.pyExpr(n.Child("right"))
	out.Args = []*Expr{left, right}
	switch n.Child("operator").Kind() {
	case "+", "/":
		out.Kind = Join
		if left.Kind == List && right.Kind == List {
			out.Kind, out.Args = List, append(left.Args, right.Args...)
		}
	case "%":
		out.Kind = Join
		if left.Kind == Const {
			args := []*Expr{right}
			if right.Kind == List {
				args = right.Args
			}
			out.Args = percent(left, args)
		}
	}
}

func (l *pyLowering) pyCompare(out *Expr, n syntax.Node) {
	var sides []syntax.Node
	op := ""
	for c := range n.Children() {
		switch {
		case c.Field() == "operators":
			op += c.Text()
		case c.Named():
			sides = append(sides, c)
		}
	}
	out.Args = l.pyExprs(sides)
	if len(sides) != 2 {
		return
	}
	switch strings.Join(strings.Fields(op), "") {
	case "==", "is":
		out.Kind = Equal
	case "!=", "isnot":
		out.Kind, out.Text = Equal, "!="
	case "in":
		out.Kind = In
	case "notin":
		in := *out
		in.Kind = In
		out.Kind, out.X, out.Args = Not, &in, nil
	}
}

func (l *pyLowering) pyCall(out *Expr, n syntax.Node) *Expr {
	fun, list := n.Child("function"), n.Child("arguments")
	if fun.Kind() == "attribute" && fun.Child("attribute").Text() == "format" {
		if text := l.pyExpr(fun.Child("object")); text.Kind == Const {
			return l.pyFormat(out, text, named(list))
		}
	}
	out.Kind, out.X = Call, l.pyExpr(fun)
	out.Line = out.X.Line
	if list.Kind() == "generator_expression" {
		out.Args, out.Keys = []*Expr{l.pyExpr(list)}, []string{""}
		return out
	}
	for _, a := range named(list) {
		k := ""
		if a.Kind() == "keyword_argument" {
			k, a = a.Child("name").Text(), a.Child("value")
		}
		out.Args, out.Keys = append(out.Args, l.pyExpr(a)), append(out.Keys, k)
	}
	return out
}

// pyFormat lowers "...{}...".format(...).
func (l *pyLowering) pyFormat(out, format *Expr, args []syntax.Node) *Expr {
	out.Kind = Join
	next, text := 0, format.Text
	for {
		before, rest, ok := strings.Cut(text, "{")
		out.Args = append(out.Args, &Expr{Kind: Const, Line: format.Line, Text: before})
		if !ok {
			return out
		}
		hole, after, _ := strings.Cut(rest, "}")
		text = after
		name, spec, _ := strings.Cut(hole, ":")
		for i, a := range args {
			key := ""
			if a.Kind() == "keyword_argument" {
				key, a = a.Child("name").Text(), a.Child("value")
			}
			if name == "" && i == next || name != "" && (name == itoa(i) || name == key) {
				x := l.pyExpr(a)
				if strings.HasSuffix(spec, "d") || strings.HasSuffix(spec, "f") {
					x = &Expr{Line: x.Line, Args: []*Expr{x}}
				}
				out.Args = append(out.Args, x)
			}
		}
		if name == "" {
			next++
		}
	}
}
