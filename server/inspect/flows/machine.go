package flows

import (
	"context"
	"strings"
)

// Limits of the engine, in expressions and statements that it evaluates.
const (
	// maxDepth is how many calls of own functions deep a value is followed.
	maxDepth = 4
	// maxWork is the limit for one function with all that it calls, maxAllWork that for a repository.
	maxWork, maxAllWork = 100_000, 30_000_000
	maxFlows            = 2_000
)

// flow is a way from a source to a sink.
type flow struct {
	kind   *kindInfo
	source *source
	sink   string // the dotted name
	file   *File
	line   int
	in     string // the function of the sink, "" outside of functions
	last   *step
}

// machine follows the values of a repository.
type machine struct {
	ctx   context.Context
	find  Find
	lang  *table
	flows []flow
	seen  map[string]bool
	work  int // of the function that is examined on its own
	all   int
	// cut counts the functions that were not followed to the end.
	cut int
}

func (m *machine) spent() bool {
	m.work++
	m.all++
	return m.work > maxWork || m.all > maxAllWork
}

// same returns what the equality of a and b says about a: that it is one of the program's own values.
func same(of *Expr, a, b *value) []guard {
	if of.Kind == Opaque || b.fixed && b.text == "" || len(b.flat()) > 0 {
		return nil
	}
	return a.guarded(all)
}

// owner returns the repository's package that a dotted name belongs to, and the name within it.
func (m *machine) owner(dotted string) (*Package, string) {
	slash := strings.LastIndexByte(dotted, '/')
	dot := strings.IndexByte(dotted[slash+1:], '.')
	if dot < 0 || strings.HasSuffix(dotted, "()") {
		return nil, ""
	}
	dot += slash + 1
	if p := m.find(dotted[:dot]); p != nil {
		return p, dotted[dot+1:]
	}
	return nil, ""
}

// fresh returns a value that comes from a source at a line.
func (m *machine) fresh(src *source, dotted, key string, line int, s *scope) *value {
	origin := src.name + " " + dotted
	if key != "" {
		origin += "." + key
	}
	var last *step
	return &value{sym: dotted, taints: []*taint{{source: src, origin: origin, clean: src.clean,
		last: last.then(s.frame.file, line)}}}
}

func key(origin, name string) string {
	if len(origin) > maxSymbol {
		return origin
	}
	return origin + "." + name
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
}

// mapped returns what a function makes of each element.
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

// spread puts the elements of lists in the place of the lists.
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

// written returns what a call writes into one of its arguments.
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
			out = joined(out, a.flat())
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

// declared returns a result with the declared type of the function.
func (m *machine) declared(f *Func, v *value) *value {
	if len(f.Results) == 0 || f.Results[0] == "" || v != nil && v.sym != "" {
		return v
	}
	if m.lang.numbers[f.Results[0]] && len(f.Results) == 1 {
		return nil
	}
	if v != nil && len(v.elems) == len(f.Results) && len(f.Results) > 1 {
		return v
	}
	v = v.copied()
	v.sym = f.Results[0]
	return v
}

// report notes the flows that end at a sink.
func (m *machine) report(hit hit, c *site) {
	for _, t := range hit.taints {
		file := c.scope.frame.file
		id := strings.Join([]string{hit.kind.ID, file.Path, itoa(c.expr.Line), t.source.name}, "\x00")
		if m.seen[id] || len(m.flows) >= maxFlows {
			continue
		}
		m.seen[id] = true
		in := ""
		if fn := c.scope.frame.fn; fn != nil {
			in = fn.Name
		}
		m.flows = append(m.flows, flow{hit.kind, t.source, hit.sink, file, c.expr.Line, in,
			t.last.then(file, c.expr.Line)})
	}
}

// apply gives the result of a call what the function hands on.
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
		whole := join(spread(parts))
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
		t.clean |= r.clean
		t.normal = t.normal || r.normal
		if r.normal && strings.HasPrefix(t.before, "/") && strings.Trim(t.before, "/") == "" {
			t.clean |= files
		}
	})
}

// matters reports whether something from a source, or a function, goes into a call.
func (m *machine) matters(c *site) bool {
	for _, v := range c.args {
		if v != nil && (v.fn != nil || m.lang.carriers[v.sym] || len(v.flat()) > 0) {
			return true
		}
	}
	return c.base != nil && (m.lang.carriers[c.base.sym] || len(c.base.flat()) > 0)
}

// begins reports whether a flow may begin in a function: its parameters or its text name a source, or it calls a
// function of its package that does.
func (m *machine) begins(f *Func) bool {
	if f.asked {
		return f.source
	}
	f.asked = true
	for _, p := range f.Params {
		f.source = f.source || m.lang.carriers[p.Type]
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
