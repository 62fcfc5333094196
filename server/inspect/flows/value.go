package flows

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Limits of a value. A value that is over one of them keeps what came first.
const (
	maxTaints = 8
	maxParts  = 64
	maxText   = 300
	maxSteps  = 24
	maxSymbol = 200
	// maxNest is how deep flat looks into the parts of a value.
	maxNest = 4
)

// value is what the engine knows of a value. nil stands for a value of which it knows nothing. Values do not change:
// who needs another one copies it.
type value struct {
	sym    string // the dotted name of the value or of its type, "" if unknown
	text   string // the known text of a string, with "\x00" where it is not known
	fixed  bool   // the text is the whole value
	taints []*taint
	fields map[string]*value
	elems  []*value // of a list, in order
	fn     *Func
	env    *scope // of a closure
	// yes and no are what holds if the value is true or false.
	yes, no []guard
}

// taint says that a value comes from a source.
type taint struct {
	source *source
	origin string // the source and the keys that were taken from it: "flask.request.args.name"
	last   *step
	clean  kinds  // the kinds of sinks that the value cannot harm any more
	before string // the text before it in its string, with "\x00" where it is not known
	normal bool   // ".." is resolved, so that a test of the prefix tells where the path leads
}

// step is a place that a value passes.
type step struct {
	file *File
	line int
	prev *step
	n    int
}

// guard says that a condition rules out harm of some kinds for what comes from an origin.
type guard struct {
	origin string
	kinds  kinds
}

func itoa(n int) string { return strconv.Itoa(n) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (v *value) copied() *value {
	if v == nil {
		return &value{}
	}
	c := *v
	return &c
}

// flat returns the taints of a value and of all its parts.
func (v *value) flat() []*taint { return v.flatTo(nil, maxNest) }

func (v *value) flatTo(out []*taint, depth int) []*taint {
	if v == nil || depth == 0 {
		return out
	}
	out = joined(out, v.taints)
	for _, e := range v.elems {
		out = e.flatTo(out, depth-1)
	}
	if len(v.fields) > 0 {
		for _, k := range sortedKeys(v.fields) {
			out = v.fields[k].flatTo(out, depth-1)
		}
	}
	return out
}

// joined returns the taints of two lists without repetitions, the first maxTaints.
func joined(a, b []*taint) []*taint {
	if len(b) == 0 {
		return a
	}
	out := a[:len(a):len(a)]
	for _, t := range b {
		known := false
		for _, o := range out {
			known = known || o == t || o.origin == t.origin && o.clean == t.clean && o.before == t.before &&
				o.source == t.source
		}
		if !known && len(out) < maxTaints {
			out = append(out, t)
		}
	}
	return out
}

// either returns a value that is a or b.
func either(a, b *value) *value {
	switch {
	case a == nil || a == b:
		return b.unfixed(a == b)
	case b == nil:
		return a.unfixed(false)
	}
	c := *a
	c.fixed = a.fixed && b.fixed // one of two constants is as harmless as a constant
	c.taints = joined(a.taints, b.taints)
	if a.text == "false" {
		c.yes = b.yes
	}
	if c.sym == "" {
		c.sym = b.sym
	}
	if c.fn == nil {
		c.fn, c.env = b.fn, b.env
	}
	if c.text == "" {
		c.text = b.text
	}
	if len(b.elems) > len(a.elems) {
		c.elems, b = b.elems, &value{elems: a.elems, fields: b.fields}
	}
	for _, e := range b.elems {
		c.taints = joined(c.taints, e.flat())
	}
	if len(b.fields) > 0 {
		c.fields = map[string]*value{}
		for k, f := range a.fields {
			c.fields[k] = f
		}
		for k, f := range b.fields {
			if len(c.fields) < maxParts || c.fields[k] != nil {
				c.fields[k] = either(c.fields[k], f)
			}
		}
	}
	return &c
}

func (v *value) unfixed(keep bool) *value {
	if keep || v == nil || !v.fixed {
		return v
	}
	c := *v
	c.fixed = false
	return &c
}

// with returns a copy of v in which part k is f.
func (v *value) with(k string, f *value) *value {
	c := v.copied()
	c.fields = make(map[string]*value, len(v.parts())+1)
	for name, old := range v.parts() {
		c.fields[name] = old
	}
	if len(c.fields) < maxParts || c.fields[k] != nil {
		c.fields[k] = f
	} else {
		c.taints = joined(c.taints, f.flat())
	}
	return c
}

// doubted returns a copy of v that may be harmless.
func (v *value) doubted() *value {
	if v == nil || len(v.taints) == 0 {
		return v
	}
	c := *v
	c.taints = changed(v.taints, func(t *taint) { t.clean |= unsure })
	return &c
}

// empty reports whether nothing is known of a value but its type.
func (v *value) empty() bool {
	return v == nil ||
		len(v.taints) == 0 && v.fields == nil && v.fn == nil && !v.fixed && v.text == "" && v.elems == nil
}

func (v *value) symbol() string {
	if v == nil {
		return ""
	}
	return v.sym
}

func (v *value) parts() map[string]*value {
	if v == nil {
		return nil
	}
	return v.fields
}

// tainted returns a copy of v that also has the given taints.
func (v *value) tainted(by []*taint) *value {
	if len(by) == 0 {
		return v
	}
	c := v.copied()
	c.fixed = false
	c.taints = joined(c.taints, by)
	return c
}

// changed returns the taints after change, without those that are clean of everything.
func changed(of []*taint, change func(*taint)) []*taint {
	out := make([]*taint, 0, len(of))
	for _, t := range of {
		c := *t
		change(&c)
		if c.clean&all != all {
			out = append(out, &c)
		}
	}
	return out
}

// at adds a place to the way of a value, in its parts too.
func (v *value) at(file *File, line int) *value { return v.atTo(file, line, maxNest) }

func (v *value) atTo(file *File, line, depth int) *value {
	if v == nil || depth == 0 || len(v.taints) == 0 && len(v.fields) == 0 && len(v.elems) == 0 {
		return v
	}
	c := *v
	c.taints = changed(v.taints, func(t *taint) { t.last = t.last.then(file, line) })
	if len(v.elems) > 0 {
		c.elems = make([]*value, len(v.elems))
		for i, e := range v.elems {
			c.elems[i] = e.atTo(file, line, depth-1)
		}
	}
	if len(v.fields) > 0 {
		c.fields = make(map[string]*value, len(v.fields))
		for k, f := range v.fields {
			c.fields[k] = f.atTo(file, line, depth-1)
		}
	}
	return &c
}

func (s *step) then(file *File, line int) *step {
	if s != nil && (s.file == file && s.line == line || s.n >= maxSteps) {
		return s
	}
	n := 1
	if s != nil {
		n = s.n + 1
	}
	return &step{file, line, s, n}
}

// join returns the string of some parts.
func join(parts []*value) *value {
	out := &value{fixed: true}
	for _, p := range parts {
		before := out.text
		for _, t := range p.flat() {
			c := *t
			c.before = cut(before + t.before)
			out.taints = joined(out.taints, []*taint{&c})
		}
		switch {
		case p == nil || p.text == "" && !p.fixed:
			out.text, out.fixed = cut(out.text+"\x00"), false
		default:
			out.text, out.fixed = cut(out.text+p.text), out.fixed && p.fixed
		}
	}
	return out
}

func cut(s string) string {
	if len(s) > maxText {
		return s[:maxText]
	}
	return s
}

// filtered returns the value without the harm that guards rule out.
func (v *value) filtered(guards []guard) *value {
	if v == nil || len(guards) == 0 || len(v.taints) == 0 {
		return v
	}
	c := *v
	c.taints = changed(v.taints, func(t *taint) {
		for _, g := range guards {
			if g.origin == t.origin || strings.HasPrefix(t.origin, g.origin+".") {
				t.clean |= g.kinds
			}
		}
	})
	return &c
}

// guarded returns guards for all that a value comes from.
func (v *value) guarded(k kinds) []guard {
	var out []guard
	for _, t := range v.flat() {
		out = append(out, guard{t.origin, k})
	}
	return out
}

// both returns the guards that are in both lists.
func both(a, b []guard) []guard {
	var out []guard
	for _, g := range a {
		for _, h := range b {
			if g.origin == h.origin && g.kinds&h.kinds != 0 {
				out = append(out, guard{g.origin, g.kinds & h.kinds})
			}
		}
	}
	return out
}

// scope has the names of a function or a branch.
type scope struct {
	parent *scope
	vars   map[string]*value
	guards []guard
	frame  *frame
}

// frame is one run of a function.
type frame struct {
	fn      *Func
	file    *File
	up      *frame
	depth   int
	results *value
	// after is what holds after the function has returned; truth is what holds if its result is true.
	after, truth []guard
	returned     bool
	wrote        map[string]*value // what was written through parameters
}

func (s *scope) branch(guards []guard) *scope {
	return &scope{parent: s, guards: guards, frame: s.frame}
}

func (s *scope) get(name string) (*value, bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

func (s *scope) set(name string, v *value) {
	if name == "" || name == "_" {
		return
	}
	if s.vars == nil {
		s.vars = map[string]*value{}
	}
	s.vars[name] = v
}

// assume adds what holds from now on.
func (s *scope) assume(guards []guard) {
	s.guards = append(s.guards[:len(s.guards):len(s.guards)], guards...)
}

// guarding returns the guards that hold in a scope.
func (s *scope) guarding() []guard {
	var out []guard
	for ; s != nil; s = s.parent {
		if len(out) == 0 {
			out = s.guards[:len(s.guards):len(s.guards)]
		} else if len(s.guards) > 0 {
			out = append(out, s.guards...)
		}
	}
	return out
}

// branched returns a variable as it is after a branch.
func (s *scope) branched(name string) *value {
	if v, ok := s.vars[name]; ok {
		return v
	}
	v, _ := s.parent.get(name)
	return v.filtered(s.guards)
}

// join takes over what two branches did. A branch that left the function does not count.
func (s *scope) join(a *scope, leftA bool, b *scope, leftB bool) {
	if leftA && leftB {
		return
	}
	names := map[string]bool{}
	for n := range a.vars {
		names[n] = true
	}
	for n := range b.vars {
		names[n] = true
	}
	for n := range names {
		va, vb := a.branched(n), b.branched(n)
		switch {
		case leftA:
			s.set(n, vb)
		case leftB:
			s.set(n, va)
		default:
			s.set(n, either(va, vb))
		}
	}
}

// flag returns a value as it is assigned in a scope: true says that what holds there has held.
func (v *value) flag(s *scope) *value {
	if v == nil || v.text != "true" || len(s.guarding()) == 0 {
		return v
	}
	c := *v
	c.yes = s.guarding()
	return &c
}
