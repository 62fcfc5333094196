package flows

import (
	"context"
	"strings"
)

func newMachine(ctx context.Context, lang *table, find Find) *machine {
	m := &machine{ctx: ctx, seen: map[string]int{}}
	m.names = &names{lang: lang, find: find, globals: m.evaluate}
	return m
}

// examine evaluates all functions of a package to find the flows in them.
func (m *machine) examine(p *Package) {
	if p.visited {
		return
	}
	p.visited = true
	m.globals(p)
	for _, f := range p.Order {
		if m.ctx.Err() != nil || m.all > maxAllWork {
			m.cut++
			continue
		}
		if !m.begins(f) {
			continue
		}
		m.work = 0
		m.invoke(f, nil, nil)
		if m.work > maxWork {
			m.cut++
		}
	}
}

// evaluate evaluates the statements outside of functions once, and returns the names that they define.
func (m *machine) evaluate(p *Package) *scope {
	if p.names != nil {
		return p.names
	}
	p.names = &scope{frame: &frame{}}
	p.routes()
	work := m.work
	passes := 2 // a second pass, because functions may use names that are declared after them
	if p.declared {
		passes = 1
	}
	for range passes {
		for _, in := range p.Init {
			m.work = 0
			p.names.frame = &frame{file: in.File}
			m.run([]Stmt{in.Stmt}, p.names)
		}
	}
	m.work = work
	return p.names
}

// run evaluates statements. It returns true if they always leave the function or the loop.
func (m *machine) run(list []Stmt, s *scope) bool {
	for i := range list {
		st := &list[i]
		if m.spent() {
			return false
		}
		switch st.Kind {
		case Do:
			m.left = false
			if m.eval(st.From, s); m.left {
				m.left = false
				return true
			}
		case Assign:
			m.assignAll(st, m.eval(st.From, s), s)
		case Add:
			old := m.eval(st.To[0], s)
			m.assign(st.To[0], join([]*value{old, m.eval(st.From, s)}, s.frame).at(s.frame, st.Line), s)
		case Return:
			v := m.eval(st.From, s)
			fr := s.frame
			if fr.returned {
				v = either(fr.results, v)
			}
			fr.results, fr.returned = v, true
			fr.after = s.guarding()
			if v != nil {
				fr.truth = v.yes
			}
			if fr.fn != nil && fr.fn.Name == "" {
				fr.keep(s)
			}
			return true
		case Leave:
			m.eval(st.From, s)
			return true
		case If:
			if m.branches(st, s) {
				return true
			}
		}
	}
	return false
}

func (m *machine) branches(st *Stmt, s *scope) bool {
	var yes, no []guard
	if v := m.eval(st.Cond, s); v != nil {
		yes, no = v.yes, v.no
	}
	a, b := s.branch(yes), s.branch(no)
	leftA := m.run(st.Then, a) && st.Cond != nil
	leftB := m.run(st.Else, b) && len(st.Else) > 0
	s.join(a, leftA, b, leftB)
	if leftA {
		s.assume(b.guards)
	}
	if leftB && !leftA {
		s.assume(a.guards)
	}
	return leftA && leftB
}

func (m *machine) assignAll(st *Stmt, v *value, s *scope) {
	v = v.at(s.frame, st.Line)
	if st.Type != "" && (v == nil || v.sym == "") {
		v = v.copied()
		v.sym = st.Type
	}
	if len(st.To) == 1 {
		m.assign(st.To[0], v, s)
		return
	}
	for i, to := range st.To {
		part := v
		switch {
		case v == nil:
		case i < len(v.elems):
			part = v.elems[i]
		case i > 0:
			part = &value{taints: v.taints, yes: v.yes, no: v.no}
		}
		m.assign(to, part, s)
	}
}

func (m *machine) assign(to *Expr, v *value, s *scope) {
	switch to.Kind {
	case Name:
		s.set(to.Text, v.flag(s))
	case Field:
		m.eval(to, s)
		m.assign(to.X, m.eval(to.X, s).with(to.Text, v), s)
	case Index:
		base := m.eval(to.X, s)
		if key := m.eval(to.Args[0], s); key != nil && key.fixed {
			m.assign(to.X, base.with(key.text, v), s)
		} else if taints := v.flat(); len(taints) > 0 {
			m.assign(to.X, base.tainted(taints), s)
		}
	case List, Spread:
		if to.X != nil {
			m.assign(to.X, v, s)
		}
		for i, part := range to.Args {
			if v != nil && i < len(v.elems) {
				m.assign(part, v.elems[i], s)
			} else {
				m.assign(part, &value{taints: v.flat()}, s)
			}
		}
	case Dict: // a pattern: the variables Args get the fields Keys
		for i, part := range to.Args {
			m.assign(part, m.field(v, to.Keys[i], to.Line, s), s)
		}
	default:
	}
}

// eval evaluates an expression. A nil expression has the value nil.
func (m *machine) eval(e *Expr, s *scope) *value {
	if e == nil || m.spent() {
		return nil
	}
	switch e.Kind {
	case Const:
		return &value{text: cut(e.Text), fixed: true, sym: strings.Join(e.Keys, "")}
	case Name:
		return m.name(e, s).filtered(s.guarding())
	case Field:
		return m.field(m.eval(e.X, s), e.Text, e.Line, s).filtered(s.guarding())
	case Index:
		return m.index(e, s).filtered(s.guarding())
	case Call:
		return m.call(e, s).filtered(s.guarding())
	case Join:
		return join(m.evalAll(e.Args, s), s.frame)
	case List:
		return m.list(e, s)
	case Dict:
		return m.dict(e, s)
	case Closure:
		m.invoke(e.Func, s, &site{scope: s})
		return &value{fn: e.Func, env: s}
	case Spread:
		v := m.eval(e.X, s)
		return &value{taints: taken(v.flat())}
	case Choice:
		c := m.eval(e.X, s).copied()
		return either(m.eval(e.Args[0], s.branch(c.yes)), m.eval(e.Args[1], s.branch(c.no)))
	case Let:
		v := m.eval(e.Args[0], s).at(s.frame, e.Line)
		m.assign(e.X, v, s)
		return v
	case Not, And, Or, Equal, In:
		return m.condition(e, s)
	case Opaque:
		m.evalAll(e.Args, s)
		if e.Text != "" {
			return &value{text: e.Text}
		}
	}
	return nil
}

func (m *machine) evalAll(list []*Expr, s *scope) []*value {
	out := make([]*value, len(list))
	for i, e := range list {
		out[i] = m.eval(e, s)
	}
	return out
}

// condition evaluates a condition. The result has the guards (which harm is ruled out) that apply if the condition is
// true, and those that apply if it is false. Only the result of "x or y" has taints too.
func (m *machine) condition(e *Expr, s *scope) *value {
	if e.Kind == Not {
		if v := m.eval(e.X, s); v != nil {
			return &value{yes: v.no, no: v.yes}
		}
		return nil
	}
	a := m.eval(e.Args[0], s).copied()
	switch e.Kind {
	case And:
		b := m.eval(e.Args[1], s.branch(a.yes)).copied()
		return &value{yes: append(a.yes[:len(a.yes):len(a.yes)], b.yes...), no: both(a.no, b.no)}
	case Or: // the result of "x or y" is one of the two values
		b := m.eval(e.Args[1], s.branch(a.no)).copied()
		v := either(a, b).copied()
		v.yes, v.no = both(a.yes, b.yes), append(a.no[:len(a.no):len(a.no)], b.no...)
		return v
	case Equal:
		return equality(e, a, m.eval(e.Args[1], s).copied())
	default: // In
		b := m.eval(e.Args[1], s).copied()
		if a.fixed && strings.Contains(a.text, "..") {
			return &value{no: b.guarded(files)}
		}
		if len(b.flat()) == 0 {
			return &value{yes: a.guarded(all)}
		}
		return nil
	}
}

func (m *machine) name(e *Expr, s *scope) *value {
	if v, ok := s.get(e.Text); ok {
		return v
	}
	file := s.frame.file
	if file == nil {
		return nil
	}
	p := file.Package
	if p.names == nil {
		m.globals(p)
	}
	if v, ok := p.names.vars[e.Text]; ok {
		return v
	}
	if f := p.Funcs[e.Text]; f != nil {
		return &value{fn: f, sym: f.Name}
	}
	if dotted := file.Imports[e.Text]; dotted != "" {
		return m.symbol(dotted, e.Line, s)
	}
	for _, star := range file.Stars {
		if v := m.known(star+"."+e.Text, e.Line, s, 0); v != nil {
			return v
		}
	}
	return m.symbol(e.Text, e.Line, s)
}

func (m *machine) index(e *Expr, s *scope) *value {
	v, at := m.eval(e.X, s), m.eval(e.Args[0], s)
	if v == nil {
		return &value{yes: at.guarded(all)}
	}
	var out *value
	switch {
	case at != nil && (at.fixed || at.text != "" && e.Args[0].Kind == Opaque): // a["b"], a[0]
		out = m.field(v, at.text, e.Line, s)
		if len(v.elems) > 0 {
			out = out.tainted((&value{elems: v.elems}).flat())
		}
	default:
		out = &value{taints: taken(v.flat())}
	}
	if len(v.flat()) == 0 {
		out = out.copied()
		out.yes = at.guarded(all)
	}
	return out
}

func (m *machine) list(e *Expr, s *scope) *value {
	v := &value{sym: e.Text}
	for _, a := range e.Args {
		part := m.eval(a, s)
		if len(v.elems) < maxParts && a.Kind != Spread {
			v.elems = append(v.elems, part)
		} else {
			v.taints = joined(v.taints, part.flat())
		}
	}
	return v
}

func (m *machine) dict(e *Expr, s *scope) *value {
	v := &value{sym: e.Text, fields: map[string]*value{}}
	for i, a := range e.Args {
		part := m.eval(a, s)
		switch {
		case a.Kind == Spread || e.Keys[i] == "" || len(v.fields) >= maxParts:
			v.taints = joined(v.taints, part.flat())
		default:
			v.fields[e.Keys[i]] = part
		}
	}
	return v
}

func (m *machine) call(e *Expr, s *scope) *value {
	c := &site{expr: e, scope: s}
	if e.X.Kind == Field {
		c.base, c.method = m.eval(e.X.X, s), e.X.Text
		c.callee = m.field(c.base, c.method, e.Line, s)
	} else {
		c.callee, c.method = m.eval(e.X, s), e.X.Text
	}
	if c.callee != nil {
		c.name = c.callee.sym
		if c.callee.fn == nil && m.find(c.name) != nil { // the call of a module that exports one function
			c.callee = m.symbol(c.name+".default", e.Line, s)
		}
	}
	c.args = m.evalAll(e.Args, s)
	for _, hit := range m.lang.hits(c) {
		m.report(hit, c)
	}
	each := m.callbacks(c)
	var out *value
	switch {
	case c.callee != nil && c.callee.fn != nil:
		if f := c.callee.fn; f.Name != "" && !m.matters(c) {
			return m.plain(f, s)
		}
		out = m.invoke(c.callee.fn, c.callee.env, c)
	case m.lang.each[c.method] && c.base != nil && len(c.args) > 0:
		return m.mapped(c, each)
	default:
		out = m.library(c)
	}
	if guarding.MatchString(c.method) && !m.lang.names[c.name] {
		return c.doubt(out)
	}
	return out
}

// plain returns the result of a function whose arguments are not tainted. It is computed once and cached in f.
func (m *machine) plain(f *Func, s *scope) *value {
	if !f.known && s.frame.depth < maxDepth {
		f.known = true
		f.plain = m.invoke(f, nil, &site{scope: s})
	}
	return f.plain
}

// library returns the result of a call of a library function.
func (m *machine) library(c *site) *value {
	s, e, t := c.scope, c.expr, m.lang
	m.left = m.left || t.leaves[c.name]
	if w, ok := t.writes[c.name]; ok {
		from := m.written(w, c)
		if w.to < len(e.Args) {
			m.write(e.Args[w.to], c.args[w.to].tainted(from).at(s.frame, e.Line), s)
		}
		return nil
	}
	if src := t.sources[c.name]; src != nil && src.call {
		k := ""
		if len(c.args) > 0 && c.args[len(c.args)-1] != nil {
			k = c.args[len(c.args)-1].text
		}
		return m.fresh(src, c.name, k, e.Line, s)
	}
	if t.fills[c.method] {
		m.fill(c)
	}
	out := &value{}
	if c.name != "" {
		out = m.symbol(c.name+"()", e.Line, s).copied()
	}
	if src := t.sources["*."+c.method]; src != nil {
		out.taints = m.fresh(src, storedName, "", e.Line, s).taints
	}
	out.yes, out.no = t.guards(c)
	rule, known := t.passes[c.name]
	if !known && (c.base != nil && len(c.base.flat()) > 0 || c.name == "") {
		rule, known = t.passes["*."+c.method]
	}
	if known && !m.number(c.keyword("type").symbol()) { // get(name, type=int)
		rule.apply(c, out)
		if k := m.lang.matched(c); k != 0 {
			out.taints = changed(out.taints, func(t *taint) { t.clean |= k })
		}
	}
	if t.parses[c.name] && len(c.args) > 0 {
		s.assume(c.args[0].guarded(all))
	}
	return out
}

// write assigns to a variable the value that a function writes through a pointer.
func (m *machine) write(to *Expr, v *value, s *scope) {
	m.assign(to, v, s)
	if fr := s.frame; to.Kind == Name && fr.fn != nil && fr.fn.has(to.Text) {
		if fr.wrote == nil {
			fr.wrote = map[string]*value{}
		}
		fr.wrote[to.Text] = v
	}
}

// fill adds the taints (the sources from which a value comes) of the arguments to the value of the receiver, for calls
// such as list.append.
func (m *machine) fill(c *site) {
	var taints []*taint
	for _, a := range c.args {
		taints = joined(taints, a.flat())
	}
	if len(taints) > 0 && c.expr.X.Kind == Field {
		to := c.expr.X.X
		if to.Kind == Name || to.Kind == Field {
			m.assign(to, c.base.tainted(taken(taints)).at(c.scope.frame, c.expr.Line), c.scope)
		}
	}
}

// callbacks runs functions that are passed as arguments. If the callee registers them as handlers of requests, it
// runs them with the values of a request. It returns the result of the last function.
func (m *machine) callbacks(c *site) (out *value) {
	if at, ok := m.lang.routes[c.name]; ok && len(c.args) > at {
		m.routed(c, at)
	}
	params := m.lang.handlers[c.name]
	for i, a := range c.args {
		if a == nil || a.fn == nil || params == nil && c.expr.Args[i].Kind != Closure {
			continue
		}
		given := make([]*value, 0, len(params))
		for _, t := range params {
			given = append(given, m.symbol(t, c.expr.Line, c.scope))
		}
		if _, ok := m.lang.each[c.method]; ok && params == nil && c.base != nil {
			given = append(given, &value{taints: c.base.flat()})
		}
		if src := m.lang.sources["*."+c.method]; src != nil && a.fn.answers() {
			given = []*value{nil, m.fresh(src, storedName, "", c.expr.Line, c.scope)}
		}
		if len(given) > 0 {
			out = m.invoke(a.fn, a.env, &site{scope: c.scope, args: given})
		}
	}
	return out
}

// verbsOf has the names of the methods that handle requests in a view class.
var verbsOf = []string{"get", "post", "put", "patch", "delete", "list", "create", "retrieve", "update", "destroy"}

// routed evaluates the handler (in Django, the view) that a call registers for a pattern of paths. The parameters that
// get parts of the path are tainted. at is the position of the handler among the arguments.
func (m *machine) routed(c *site, at int) {
	view := c.args[at]
	if view == nil || c.args[0] == nil {
		return
	}
	list := []*Func{view.fn}
	if class, ok := strings.CutSuffix(view.sym, ".as_view()"); ok {
		if p, name := m.owner(class); p != nil {
			for _, v := range verbsOf {
				list = append(list, p.Funcs[name+"."+v])
			}
		}
	}
	for _, f := range list {
		if f == nil || len(f.Params) == 0 {
			continue
		}
		e := &Expr{Kind: Call, Line: c.expr.Line, X: &Expr{}}
		given := &site{expr: e, scope: c.scope, routed: true}
		for i, p := range f.Params {
			v := m.symbol("django.http.HttpRequest", e.Line, c.scope)
			if src := patternSource(c.args[0].text, p.Name); src != "" {
				v = m.symbol(src, e.Line, c.scope)
			} else if i > 1 || i == 1 && f.Self == "" || i == 0 && f.Self != "" {
				continue
			}
			given.args, e.Keys = append(given.args, v), append(e.Keys, p.Name)
		}
		m.invoke(f, nil, given)
	}
}

// invoke evaluates a function of the repository for a call, and returns its result. c is nil for a function that is
// examined on its own; c.expr is nil if no call is in the source text.
func (m *machine) invoke(f *Func, env *scope, c *site) *value {
	fr := &frame{fn: f, file: f.File}
	if c != nil {
		fr.up, fr.depth = c.scope.frame, c.scope.frame.depth
		fr.called = c.expr != nil && !c.routed
		if f.Name != "" {
			fr.depth++
		}
	}
	if fr.depth > maxDepth || m.spent() {
		return m.declared(f, nil)
	}
	for up := fr.up; up != nil; up = up.up {
		if up.fn == f {
			return m.declared(f, nil)
		}
	}
	if env == nil {
		env = m.globals(f.File.Package)
	} else if f.Name == "" {
		f.around = env.frame.fn
	}
	s := &scope{parent: env, frame: fr}
	m.bind(f, c, s)
	left := m.run(f.Body(), s)
	if f.Name == "" { // a closure may assign to variables of the enclosing function
		fr.keep(s)
		for n, v := range fr.wrote {
			if old, ok := env.get(n); ok && env.frame.fn != nil {
				env.set(n, either(old, v))
			}
		}
	}
	if !left {
		fr.after = s.guards
	}
	if c != nil && c.expr != nil {
		c.scope.assume(fr.after)
		for i, p := range f.Params[len(f.Params)-f.given():] {
			if v := fr.wrote[p.Name]; v != nil && i < len(c.expr.Args) {
				m.write(c.expr.Args[i], v, c.scope)
			}
		}
		if to := c.expr.X; f.Self != "" && to.Kind == Field && to.X.Kind == Name && c.base != nil && c.base.fn == nil {
			if self := s.vars[f.Self]; self != nil && len(self.fields) > 0 { // a method may change its receiver
				m.assign(to.X, self, c.scope)
			}
		}
	}
	out := m.declared(f, fr.results)
	if len(fr.truth) > 0 {
		out = out.copied()
		out.yes = fr.truth
	}
	return out
}
