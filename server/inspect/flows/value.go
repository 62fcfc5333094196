package flows

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

// Limits of a value. If a value would exceed a limit, it keeps the first entries.
const (
	maxTaints = 8
	maxParts  = 64
	maxText   = 300
	maxSteps  = 24
	maxSymbol = 200
	// maxNest is the maximum depth to which flat looks into the parts of a value.
	maxNest = 4
)

// value is the engine's knowledge of a value. nil means that nothing is known. A value never changes; to change
// one, the engine copies it.
type value struct {
	sym    string // the dotted name of the value or of its type, "" if unknown
	text   string // the known parts of a string, with "\x00" in place of unknown parts
	fixed  bool   // the text is known completely
	taints []*taint
	fields map[string]*value
	elems  []*value // of a list, in order; nil if unknown
	fn     *Func
	env    *scope // the scope around a closure
	// yes has the guards (which harm is ruled out) that apply if the value is true, no those that apply if it is false.
	yes, no []guard
}

// taint records that a value comes from a source.
type taint struct {
	source *source
	origin string // the source and the keys that were read from it: "flask.request.args.name"
	last   *step
	clean  kinds  // the kinds of sinks in which the value can do no harm
	before string // the text before the value in a joined string, with "\x00" in place of unknown parts
	after  string // the known text at the end of a joined string, "" if its end is unknown
	whole  bool   // the value is what the source gave: nothing was added, and nothing taken away
	normal bool   // ".." is resolved, so that a test for a prefix proves where the path leads
	made   *frame // the call in which the value became a part of a text, nil if it did not
}

// step is a place through which a value passes.
type step struct {
	file *File
	line int
	fn   *Func // the function, nil outside of functions
	prev *step
	n    int
}

func (s *step) then(fr *frame, line int) *step {
	if s != nil && (s.file == fr.file && s.line == line || s.n >= maxSteps) {
		return s
	}
	n := 1
	if s != nil {
		n = s.n + 1
	}
	return &step{fr.file, line, fr.fn, s, n}
}

// first returns the step of the source.
func (s *step) first() *step {
	for s.prev != nil {
		s = s.prev
	}
	return s
}

func (s *step) quote() string { return s.file.Quote(s.line) }

func (s *step) place() string { return s.file.Path + ":" + itoa(s.line) }

// function returns the line at which the function of a step begins, "" outside of functions. It distinguishes the
// functions of a file, those without a name too, also after they have moved.
func (s *step) function() string {
	if s.fn == nil {
		return ""
	}
	return s.file.Quote(s.fn.Line)
}

// within reports whether a step is in the text of the function that fr calls. Closures belong to the text around them.
func (s *step) within(fr *frame) bool { return s.file == fr.file && s.fn.outer() == fr.fn.outer() }

// outer returns the outermost function in whose text a closure stands.
func (f *Func) outer() *Func {
	for f != nil && f.around != nil {
		f = f.around
	}
	return f
}

// guard records that a condition rules out some kinds of harm for values with an origin.
type guard struct {
	origin string
	kinds  kinds
	after  string // the text with which the values end, "" if it is unknown
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

// joined returns the union of two lists of taints, at most maxTaints.
func joined(a, b []*taint) []*taint {
	if len(b) == 0 {
		return a
	}
	out := a[:len(a):len(a)]
	for _, t := range b {
		known := false
		for _, o := range out {
			known = known || o == t || o.origin == t.origin && o.clean == t.clean && o.before == t.before &&
				o.after == t.after && o.source == t.source
		}
		if !known && len(out) < maxTaints {
			out = append(out, t)
		}
	}
	return out
}

// either returns the value of an expression that is either a or b.
func either(a, b *value) *value {
	switch {
	case a == nil || a == b:
		return b.unfixed(a == b)
	case b == nil:
		return a.unfixed(false)
	}
	c := *a
	c.fixed = a.fixed && b.fixed // if both are constants, the result counts as a constant
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

// with returns a copy of v whose part k is f.
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

// doubted returns a copy of v whose taints are marked unsure.
func (v *value) doubted() *value {
	if v == nil || len(v.taints) == 0 {
		return v
	}
	c := *v
	c.taints = changed(v.taints, func(t *taint) { t.clean |= unsure })
	return &c
}

// empty reports whether nothing but its type is known of a value.
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

// tainted returns a copy of v with additional taints.
func (v *value) tainted(by []*taint) *value {
	if len(by) == 0 {
		return v
	}
	c := v.copied()
	c.fixed = false
	c.taints = joined(c.taints, by)
	return c
}

// changed applies a change to copies of the taints and returns those that can still do harm.
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

// at adds a place to the steps of a value and of its parts.
func (v *value) at(fr *frame, line int) *value { return v.atTo(fr, line, maxNest) }

func (v *value) atTo(fr *frame, line, depth int) *value {
	if v == nil || depth == 0 || len(v.taints) == 0 && len(v.fields) == 0 && len(v.elems) == 0 {
		return v
	}
	c := *v
	c.taints = changed(v.taints, func(t *taint) { t.last = t.last.then(fr, line) })
	if len(v.elems) > 0 {
		c.elems = make([]*value, len(v.elems))
		for i, e := range v.elems {
			c.elems[i] = e.atTo(fr, line, depth-1)
		}
	}
	if len(v.fields) > 0 {
		c.fields = make(map[string]*value, len(v.fields))
		for k, f := range v.fields {
			c.fields[k] = f.atTo(fr, line, depth-1)
		}
	}
	return &c
}

// hasSQL matches the beginning of an SQL statement.
var hasSQL = inspect.Pattern(`(?is)^\s*(?:select\s.*?(?:\sfrom\s|\x00)|` +
	`insert\s+(?:or\s+\w+\s+)?into\s|update\s+\S+\s+set\s|delete\s+from\s|` +
	`(?:create|drop|alter|truncate)\s+(?:table|index|view|database|user|schema)\s|` +
	`replace\s+into\s|with\s+\w+\s+as\s*\(|call\s|exec(?:ute)?\s|set\s+\w+|grant\s|pragma\s)`)

// join returns the value of a string that consists of some parts and is built in the call fr.
func join(parts []*value, fr *frame) *value {
	out := &value{fixed: true}
	for i, p := range parts {
		before := out.text
		for _, t := range p.flat() {
			c := *t
			c.before, c.after, c.whole = cut(before+t.before), ending(t.after, parts[i+1:]), t.whole && len(parts) == 1
			if c.before != "" && c.made == nil || hasSQL.MatchString(c.before) && !hasSQL.MatchString(t.before) {
				c.made = fr
			}
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

// ending returns the known text at the end of a string, after which some parts are added.
func ending(text string, parts []*value) string {
	for _, p := range parts {
		if p == nil || p.text == "" && !p.fixed {
			text = ""
			continue
		}
		text += p.text
		text = text[strings.LastIndexByte(text, 0)+1:]
	}
	return text[max(0, len(text)-maxText):]
}

// taken returns the taints of a part of a value, whose end is unknown.
func taken(of []*taint) []*taint {
	return changed(of, func(t *taint) { t.after, t.whole = "", false })
}

func cut(s string) string {
	if len(s) > maxText {
		return s[:maxText]
	}
	return s
}

// filtered returns the value without the kinds of harm that the guards (conditions of the program) rule out.
func (v *value) filtered(guards []guard) *value {
	if v == nil || len(guards) == 0 || len(v.taints) == 0 {
		return v
	}
	c := *v
	c.taints = changed(v.taints, func(t *taint) {
		for _, g := range guards {
			if g.origin == t.origin || strings.HasPrefix(t.origin, g.origin+".") {
				t.clean |= g.kinds
				if t.whole {
					t.after = cmp.Or(t.after, g.after)
				}
			}
		}
	})
	return &c
}

// guarded returns a guard for each source of a value. The guard says that the value cannot do the kinds of harm k.
func (v *value) guarded(k kinds) []guard {
	var out []guard
	for _, t := range v.flat() {
		out = append(out, guard{origin: t.origin, kinds: k})
	}
	return out
}

// both returns the guards that are in both lists, because a value is guarded after two branches only if both
// branches guard it.
func both(a, b []guard) []guard {
	var out []guard
	for _, g := range a {
		for _, h := range b {
			if g.origin == h.origin && g.kinds&h.kinds != 0 {
				out = append(out, guard{origin: g.origin, kinds: g.kinds & h.kinds})
			}
		}
	}
	return out
}

// scope has the variables of a function or of a branch, and the guards (conditions that rule out some harm) that
// apply there.
type scope struct {
	parent *scope
	vars   map[string]*value
	guards []guard
	frame  *frame
}

// frame is the state of one evaluation of a function.
type frame struct {
	fn      *Func
	file    *File
	up      *frame
	depth   int
	results *value
	// after has the guards (which harm is ruled out) that apply once the function has returned. truth has those that
	// apply if the result of the function is true.
	after, truth []guard
	returned     bool
	called       bool              // by a call in the source text
	wrote        map[string]*value // values that the function wrote through parameters
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

// assume adds guards (which harm is ruled out) that apply to the rest of the scope.
func (s *scope) assume(guards []guard) {
	s.guards = append(s.guards[:len(s.guards):len(s.guards)], guards...)
}

// guarding returns the guards (which harm is ruled out) that apply in a scope.
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

// branched returns the value of a variable at the end of a branch.
func (s *scope) branched(name string) *value {
	if v, ok := s.vars[name]; ok {
		return v
	}
	v, _ := s.parent.get(name)
	return v.filtered(s.guards)
}

// join sets the variables to their values after one of two branches has run. A branch that leaves the function is
// ignored.
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

// flag returns a value that is assigned in a scope. If the value is the constant true, it also records the guards
// of the scope: a later test of the variable proves that the program has run this code, so the guards apply after
// the test too.
func (v *value) flag(s *scope) *value {
	if v == nil || v.text != "true" || len(s.guarding()) == 0 {
		return v
	}
	c := *v
	c.yes = s.guarding()
	return &c
}
