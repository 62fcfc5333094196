package flows

import (
	"regexp/syntax"
	"strings"

	"agentdungeon/server/inspect"
)

// This file finds out which kinds of harm the parts of a route's path cannot do, because the route restricts the
// parts by patterns.

// inRoute matches a part of the path of a route that has a pattern: "/:id(\\d+)".
var inRoute = inspect.Pattern(`:(\w+)\(((?:[^()\\]|\\.|\([^()]*\))+)\)`)

// routeParts returns, for each part of a route's path that has a pattern, the kinds of harm that a text that matches
// the pattern cannot do. The key of a part such as "/:id(\\d+)" is its name. If the route is a regular expression, its
// groups are the parts: the key of a group is its number, counted from 0, and a group with a name has its name as a
// second key.
func routeParts(route *Expr) map[string]kinds {
	out := map[string]kinds{}
	if len(route.Keys) == 0 || !strings.HasPrefix(route.Keys[0], expression) {
		for _, m := range inRoute.FindAllStringSubmatch(route.Text, -1) {
			out[m[1]] = decoded(m[2])
		}
		return out
	}
	tree, err := syntax.Parse(route.Text, syntax.Perl)
	if err != nil || len(route.Text) > maxPattern {
		return nil
	}
	var groups func(*syntax.Regexp)
	groups = func(re *syntax.Regexp) {
		if re.Op == syntax.OpCapture {
			k := decoded(re.Sub[0].String())
			out[itoa(re.Cap-1)] = k
			if re.Name != "" {
				out[re.Name] = k
			}
		}
		for _, sub := range re.Sub {
			groups(sub)
		}
	}
	groups(tree)
	return out
}

// decoded returns the kinds of harm that a part of a path cannot do if it matches a pattern. The part is decoded
// after the match, so the pattern guarantees nothing if it accepts a %.
func decoded(pattern string) kinds {
	if admits(pattern, "%") {
		return 0
	}
	k, _ := matching(pattern, test{true, true})
	return k
}

// keep records the kinds of harm that the parts of the paths to the function cannot do. A part keeps only what all
// its paths guarantee.
func (f *Func) keep(parts map[string]kinds) {
	for name := range f.parts {
		f.parts[name] &= parts[name]
	}
	if !f.routed {
		f.parts, f.routed = parts, true
	}
}

// routes finds the functions of a package that are registered for paths with patterns: get("/:id(\\d+)", show).
func (p *Package) routes() {
	if len(p.Files) == 0 || p.Files[0].Lang != "JavaScript" {
		return
	}
	named := map[string][]*Func{}
	var calls []*Expr
	var list func([]Stmt)
	var walk func(*Expr)
	walk = func(e *Expr) {
		if e == nil {
			return
		}
		walk(e.X)
		for _, a := range e.Args {
			walk(a)
		}
		if e.Kind == Closure {
			list(e.Func.Body())
		}
		if e.Kind == Call && len(e.Args) > 1 && e.Args[0].Kind == Const && e.X.Kind == Field {
			calls = append(calls, e)
		}
	}
	list = func(stmts []Stmt) {
		for i := range stmts {
			st := &stmts[i]
			walk(st.From)
			walk(st.Cond)
			list(st.Then)
			list(st.Else)
			if len(st.To) == 1 && st.To[0].Kind == Name && st.From != nil && st.From.Kind == Closure {
				named[st.To[0].Text] = append(named[st.To[0].Text], st.From.Func)
			}
		}
	}
	for i := range p.Init {
		list([]Stmt{p.Init[i].Stmt})
	}
	for _, f := range p.Order {
		name := strings.TrimPrefix(f.Name, p.Name+".")
		named[name] = append(named[name], f)
		list(f.Body())
	}
	for _, e := range calls {
		for _, a := range e.Args[1:] {
			if a.Kind == Closure {
				a.Func.keep(routeParts(e.Args[0]))
			}
			for _, f := range named[a.Text] {
				if a.Kind == Name {
					f.keep(routeParts(e.Args[0]))
				}
			}
		}
	}
}
