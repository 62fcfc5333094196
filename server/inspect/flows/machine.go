package flows

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Limits of the engine.
const (
	// maxDepth is the maximum depth of nested function calls through which the engine follows a value.
	maxDepth = 4
	// maxWork is the maximum number of expressions and statements that are evaluated for one function and the
	// functions that it calls, maxAllWork the maximum number for a repository.
	maxWork, maxAllWork = 100_000, 30_000_000
	maxFlows            = 2_000
)

// flow is the path of a value from a source to a sink.
type flow struct {
	kind   *kindInfo
	source *source
	sink   string // the dotted name
	last   *step  // the sink
	mend   *step  // the step at which the flow is reported, because a change there mends it
	doubt  kinds  // the doubts (see kinds) because of which the value may be harmless
	// end is the extension with which the value ends on every way to the sink, "" if there is none.
	end string
}

// machine follows the values of a repository in one language.
type machine struct {
	*names
	ctx   context.Context
	flows []flow
	seen  map[string]int // indexes of flows, by key
	work  int            // steps of the function that is being examined
	all   int
	left  bool // the last call never returns
	// cut counts the functions whose evaluation was ended by a limit.
	cut int
}

func (m *machine) spent() bool {
	m.work++
	m.all++
	return m.work > maxWork || m.all > maxAllWork
}

// same returns the guards (which harm is ruled out) that apply to the value a if a equals b. If b has no taints, it is
// one of the program's own values, and then a can do no harm.
func same(of *Expr, a, b *value) []guard {
	if of.Kind == Opaque || len(b.flat()) > 0 {
		return nil
	}
	if b.fixed && b.text == "" { // a relative path that equals "" is the folder itself
		var out []guard
		for _, t := range a.flat() {
			if t.clean&narrow != 0 {
				out = append(out, guard{origin: t.origin, kinds: files})
			}
		}
		return out
	}
	return a.guarded(all)
}

// equality returns a value with the guards (which harm is ruled out) that apply if the comparison e is true and if it
// is false. It knows comparisons of a text with one of the program's own values, and of the result of a test with true,
// false or -1.
func equality(e *Expr, a, b *value) *value {
	yes, no := same(e.Args[1], a, b), []guard(nil)
	if len(yes) == 0 {
		yes = same(e.Args[0], b, a)
	}
	if denied := b.text == "false" || b.text == "-1"; len(yes) == 0 && (denied || b.text == "true") {
		if yes, no = a.yes, a.no; denied {
			yes, no = no, yes
		}
	}
	if e.Text == "!=" {
		yes, no = no, yes
	}
	return &value{yes: yes, no: no}
}

// site is a call with its evaluated operands.
type site struct {
	expr   *Expr
	scope  *scope
	callee *value
	name   string // the dotted name of the callee, "" if unknown
	method string // the last part of the name
	base   *value // the receiver
	args   []*value
	routed bool // the call is not in the source text: a request leads to it
}

// mapped returns the value of a call such as list.map(f): each is the result of f, nil if f is a library function.
func (m *machine) mapped(c *site, each *value) *value {
	f := c.args[0]
	switch {
	case f == nil:
		return nil
	case f.fn != nil:
		return &value{taints: each.flat()}
	}
	if rule, ok := m.lang.passes[f.sym]; ok {
		return &value{taints: changed(c.base.flat(), func(t *taint) { t.clean |= rule.clean })}
	}
	return nil
}

// spread replaces spread lists among the values by their elements.
func spread(parts []*value) []*value {
	var out []*value
	for _, p := range parts {
		if p != nil && len(p.elems) > 0 {
			out = append(out, p.elems...)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// written returns the taints that a call writes into one of its arguments.
func (m *machine) written(w write, c *site) []*taint {
	switch {
	case w.source != nil:
		return m.fresh(w.source, c.name, "", c.expr.Line, c.scope).taints
	case w.from < 0:
		return c.base.flat()
	}
	var out []*taint
	for i, a := range c.args {
		if i != w.to && i >= w.from {
			out = joined(out, taken(a.flat()))
		}
	}
	return out
}

func (f *Func) has(param string) bool {
	for _, p := range f.Params {
		if p.Name == param {
			return true
		}
	}
	return false
}

// keep records the last values of the variables of a closure, without its parameters, so that the function around
// the closure sees them after the call.
func (fr *frame) keep(s *scope) {
	if fr.wrote == nil {
		fr.wrote = map[string]*value{}
	}
	for ; s != nil && s.frame == fr; s = s.parent {
		for n, v := range s.vars {
			if !fr.fn.has(n) {
				fr.wrote[n] = either(fr.wrote[n], v)
			}
		}
	}
}

// declared returns v, the value that the function f returns. If the type of v is unknown, v gets the type that f
// declares for its result. If values of this type contain no text, v loses its taints, or they become unsure in a
// language that does not enforce types.
func (m *machine) declared(f *Func, v *value) *value {
	if len(f.Results) == 0 || f.Results[0] == "" || v != nil && v.sym != "" {
		return v
	}
	if m.number(f.Results[0]) && len(f.Results) == 1 {
		if m.lang.strict {
			return nil
		}
		return v.doubted()
	}
	if v != nil && len(v.elems) == len(f.Results) && len(f.Results) > 1 {
		return v
	}
	v = v.copied()
	v.sym = f.Results[0]
	return v
}

// extension matches the extension at the end of a path.
var extension = inspect.Pattern(`\.[A-Za-z][A-Za-z0-9]{0,7}$`)

// report adds to m.flows the flows of tainted values that reach a dangerous function in a call. Flows from one function
// by one line to one sink are one flow.
func (m *machine) report(hit hit, c *site) {
	for _, t := range hit.taints {
		last := t.last.then(c.scope.frame, c.expr.Line)
		mend, first := t.mend(last, c.scope.frame), last.first()
		doubt := t.clean & doubts
		if hit.kind.bit != files {
			doubt &^= narrow
		}
		id := strings.Join([]string{
			hit.kind.ID, t.source.name, last.place(), mend.place(), first.file.Path, first.function(),
		}, "\x00")
		known, ok := m.seen[id]
		end := extension.FindString(t.after)
		if ok && m.flows[known].end != end {
			m.flows[known].end, end = "", ""
		}
		if !ok && len(m.flows) < maxFlows {
			known = len(m.flows)
			m.seen[id] = known
			m.flows = append(m.flows, flow{})
		} else if !ok || m.flows[known].doubt == 0 || doubt != 0 {
			continue
		}
		m.flows[known] = flow{hit.kind, t.source, hit.sink, last, mend, doubt, end}
	}
}

// mend returns the step at which people mend a flow to the sink last, in the call fr: the last one in the function that
// puts the value into the dangerous text. If none of the functions that are still running does, it is the last one in
// the function that has the value from the source. A helper that only passes a text on cannot be mended.
func (t *taint) mend(last *step, fr *frame) *step {
	var calls []*frame
	for ; fr != nil; fr = fr.up {
		calls = append(calls, fr)
		if !fr.called {
			break
		}
	}
	slices.Reverse(calls)
	for made := t.made; made != nil; made = made.up { // a call that has returned gave the text to its caller
		here := func(fr *frame) bool { return made.file == fr.file && made.fn.outer() == fr.fn.outer() }
		if i := slices.IndexFunc(calls, here); i >= 0 {
			calls = calls[i:]
			break
		}
	}
	for _, fr := range calls {
		for s := last; s != nil; s = s.prev {
			if s.within(fr) {
				return s
			}
		}
	}
	return last
}

// guarding matches names of functions that may make a value harmless. A name proves nothing, so it only lowers the
// confidence of a flow.
var guarding = inspect.Pattern(`(?i)valid|sanit|safe|allow|escape|verif|check|permit|clean|quot|trust|authori`)

// doubt marks the result of a function, and the values that the function tests, as possibly harmless.
func (c *site) doubt(out *value) *value {
	out = out.doubted().copied()
	if len(out.yes)+len(out.no) == 0 {
		for _, a := range c.args {
			out.yes = append(out.yes, a.guarded(unsure)...)
		}
		out.no = out.yes
	}
	return out
}

// apply sets the taints of a call's result, by the rule of the called function.
func (r rule) apply(c *site, out *value) {
	var taints []*taint
	if r.receiver {
		taints = c.base.flat()
	}
	switch {
	case r.joins:
		parts := c.args
		if r.receiver {
			parts = append([]*value{c.base}, parts...)
		}
		whole := join(spread(parts), c.scope.frame)
		taints, out.text, out.fixed = whole.taints, whole.text, whole.fixed
	case !r.receiver || r.both:
		for _, a := range c.args {
			taints = joined(taints, a.flat())
		}
	}
	name := ""
	if r.keyed && len(c.args) > 0 && c.args[0] != nil && c.args[0].fixed {
		name = c.args[0].text
	}
	out.taints = changed(taints, func(t *taint) {
		if name != "" {
			t.origin = key(t.origin, name)
		}
		if !r.joins {
			t.after, t.whole = "", false
		}
		t.clean |= r.clean
		t.normal = t.normal || r.normal
		if r.normal && strings.HasPrefix(t.before, "/") && strings.Trim(t.before, "/") == "" {
			t.clean |= files
		}
	})
}

// matters reports whether an argument or the receiver of a call is tainted, may contain a source, or is a function.
func (m *machine) matters(c *site) bool {
	for _, v := range c.args {
		if v != nil && (v.fn != nil || m.lang.carriers[v.sym] || len(v.flat()) > 0) {
			return true
		}
	}
	return c.base != nil && (m.lang.carriers[c.base.sym] || len(c.base.flat()) > 0)
}

// failure matches the names of the first parameter of callbacks that get an error and a value.
var failure = inspect.Pattern(`^_?(?:e|err|error)$`)

// answers reports whether a function is a callback that gets an error and a value.
func (f *Func) answers() bool { return len(f.Params) == 2 && failure.MatchString(f.Params[0].Name) }

// begins reports whether a flow may begin in a function: its parameters or its body mention a source, or it calls a
// function of its package in which a flow may begin.
func (m *machine) begins(f *Func) bool {
	if f.asked {
		return f.source
	}
	f.asked = true
	for _, p := range f.Params {
		f.source = f.source || p.From != "" || m.lang.carriers[p.Type]
	}
	f.source = f.source || m.mentions(f.Body(), f.File.Package)
	return f.source
}

func (m *machine) mentions(list []Stmt, in *Package) bool {
	for i := range list {
		st := &list[i]
		if m.mentioned(st.From, in) || m.mentioned(st.Cond, in) || m.mentions(st.Then, in) || m.mentions(st.Else, in) {
			return true
		}
	}
	return false
}

func (m *machine) mentioned(e *Expr, in *Package) bool {
	switch {
	case e == nil:
		return false
	case (e.Kind == Name || e.Kind == Field) && m.lang.words[e.Text]:
		return true
	case e.Kind == Closure && m.begins(e.Func):
		return true
	case e.Kind == Name && in.Funcs[e.Text] != nil && m.begins(in.Funcs[e.Text]):
		return true
	}
	for _, a := range e.Args {
		if m.mentioned(a, in) {
			return true
		}
	}
	return m.mentioned(e.X, in)
}

// given returns the argument of a call that parameter i gets.
func (c *site) given(params []Param, i int) (v *value) {
	if c == nil {
		return nil
	}
	if i < len(c.args) {
		v = c.args[i]
	}
	if c.expr == nil {
		return v
	}
	for k := range c.args {
		if k >= len(c.expr.Keys) || c.expr.Keys[k] == "" {
			continue
		}
		if c.expr.Keys[k] == params[i].Name {
			v = c.args[k]
		} else if k == i {
			v = nil
		}
	}
	if i == len(params)-1 && len(c.args) > len(params) {
		v = v.tainted((&value{elems: c.args[i:]}).flat())
	}
	return v.at(c.scope.frame, c.expr.Line)
}

// bind sets the parameters of a function to the arguments of a call.
func (m *machine) bind(f *Func, c *site, s *scope) {
	params := f.Params
	if f.Self != "" && len(params) > 0 {
		self := &value{sym: params[0].Type}
		if c != nil && c.base != nil && c.base.fn == nil {
			self = c.base.copied()
			self.sym = params[0].Type
		}
		s.set(params[0].Name, self)
		params = params[1:]
	}
	for i, p := range params {
		v := c.given(params, i)
		switch number := m.number(p.Type); {
		case c == nil && p.From != "" && !number && !m.alias(p.Type):
			v = m.symbol(p.From, f.Line, s).copied()
			v.sym = p.Type
		case number && m.lang.strict:
			v = &value{sym: p.Type}
		case number:
			v = v.doubted()
		case p.Type != "" && (v == nil || v.sym == ""):
			t := m.instance(p.Type, f.Line, s, 0)
			if v.empty() {
				v = t
			} else {
				v = v.copied()
				v.sym = t.sym
			}
		}
		if src := m.lang.sources[v.symbol()+".params"]; src != nil && len(f.parts) > 0 {
			src := *src
			src.parts = f.parts
			v = v.with("params", m.fresh(&src, v.sym+".params", "", f.Line, s))
		}
		s.set(p.Name, v)
	}
}
