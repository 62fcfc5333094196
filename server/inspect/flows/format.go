package flows

import "strings"

// arm is a case of a switch: its labels, or its conditions if the switch has no subject. rest is set for the default.
type arm struct {
	line   int
	labels []*Expr
	body   []Stmt
	rest   bool
}

// switched lowers a switch to a chain of ifs.
func switched(subject *Expr, arms []arm) []Stmt {
	var out []Stmt
	for _, a := range arms {
		if a.rest {
			out = a.body
		}
	}
	for i := len(arms) - 1; i >= 0; i-- {
		a := arms[i]
		if a.rest {
			continue
		}
		st := Stmt{Kind: If, Line: a.line, Then: a.body, Else: out}
		for _, x := range a.labels {
			if subject != nil {
				x = &Expr{Kind: Equal, Line: a.line, Args: []*Expr{subject, x}}
			}
			if st.Cond != nil {
				x = &Expr{Kind: Or, Line: a.line, Args: []*Expr{st.Cond, x}}
			}
			st.Cond = x
		}
		out = []Stmt{st}
	}
	return out
}

// spelled returns the expression for what a format inserts for the value x by the specification spec. If spec ends with
// a verb for numbers and the like, which cannot insert the text of the value, the expression has no taints.
func spelled(x *Expr, spec string) *Expr {
	spec = strings.TrimSpace(spec)
	if last := spec[max(0, len(spec)-1):]; strings.ContainsAny(last, "bcdeEfFgGnoOpTtUxX%") {
		return &Expr{Line: x.Line, Args: []*Expr{x}}
	}
	return x
}

// verbs splits a format with verbs such as %s into its constant texts and the inserted arguments.
func verbs(format string, args []*Expr, line int) []*Expr {
	var out []*Expr
	text := func(s string) { out = append(out, &Expr{Kind: Const, Line: line, Text: s}) }
	for next := 0; ; {
		before, rest, ok := strings.Cut(format, "%")
		text(before)
		if !ok {
			return out
		}
		if strings.HasPrefix(rest, "(") { // %(name)s
			if _, after, ok := strings.Cut(rest, ")"); ok {
				rest = after
			}
		}
		if rest = strings.TrimLeft(rest, "+-# 0123456789.[]*"); rest == "" {
			return out
		}
		format = rest[1:]
		switch {
		case rest[0] == '%':
			text("%")
		case len(args) > 0:
			out = append(out, spelled(args[min(next, len(args)-1)], rest[:1]))
			next++
		}
	}
}

// braces splits a format with placeholders such as {} or {name} into its constant texts and the inserted arguments.
func braces(format *Expr, args []*Expr, keys []string) []*Expr {
	var out []*Expr
	text := format.Text
	for next := 0; ; {
		before, rest, ok := strings.Cut(text, "{")
		out = append(out, &Expr{Kind: Const, Line: format.Line, Text: before})
		if !ok {
			return out
		}
		hole, after, _ := strings.Cut(rest, "}")
		text = after
		name, spec, _ := strings.Cut(hole, ":")
		name, _, _ = strings.Cut(name, "!")
		if name == "" {
			name = itoa(next)
			next++
		}
		head := strings.FieldsFunc(name+" ", func(r rune) bool { return r == '.' || r == '[' || r == ' ' })
		for i, x := range args {
			if len(head) > 0 && (head[0] == itoa(i) && keys[i] == "" || head[0] == keys[i]) || x.Kind == Spread {
				out = append(out, spelled(x, spec))
			}
		}
	}
}
