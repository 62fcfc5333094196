package flows

import (
	"cmp"
	"slices"
	"strings"
)

// names finds the values of dotted names, such as os.path.join, in the tables and in the repository.
type names struct {
	lang    *table
	find    Find
	globals func(*Package) *scope // the names of a package outside of functions
}

// symbol returns the value of a dotted name.
func (m *names) symbol(dotted string, line int, s *scope) *value {
	if v := m.known(dotted, line, s, 0); v != nil {
		return v
	}
	return &value{sym: dotted}
}

// requestType is the type of requests in Go, both those that a server receives and those that a client sends.
const requestType = "net/http.Request"

// maySend reports whether a Go function may prepare or send the request that it takes as a parameter: nothing known
// but tests calls it by its name, and it has no parameter by which it could answer the request.
func (fr *frame) maySend() bool {
	if fr == nil || fr.fn == nil ||
		fr.up != nil && fr.fn.Name != "" && (fr.up.file == nil || !strings.HasSuffix(fr.up.file.Path, "_test.go")) {
		return false
	}
	takes := func(t string) bool {
		return slices.ContainsFunc(fr.fn.Params, func(p Param) bool { return p.Type == t })
	}
	return takes(requestType) && !takes("net/http.ResponseWriter")
}

// maxBases is the maximum number of types, base classes and exports that are followed from a name.
const maxBases = 8

// known returns the value of a dotted name from the tables or the repository, or nil.
func (m *names) known(dotted string, line int, s *scope, steps int) *value {
	if len(dotted) > maxSymbol || steps > maxBases {
		return nil
	}
	src := m.lang.sources[dotted]
	to := m.lang.types[dotted]
	switch {
	case src != nil && !src.call:
		v := m.fresh(src, cmp.Or(to, dotted), "", line, s)
		if strings.HasPrefix(dotted, requestType+".") && s != nil && s.frame.maySend() {
			v.taints = changed(v.taints, func(t *taint) { t.clean |= outgoing })
		}
		return v
	case to != "":
		return &value{sym: to}
	case m.lang.names[dotted]:
		return &value{sym: dotted}
	}
	p, name := m.owner(dotted)
	if p == nil {
		if at := strings.LastIndexByte(dotted, '.'); at > 0 && m.find(dotted[:at]+"/"+dotted[at+1:]) != nil {
			return &value{sym: dotted[:at] + "/" + dotted[at+1:]} // a module of a package
		}
		return nil
	}
	if f := p.Funcs[name]; f != nil {
		return &value{fn: f, sym: dotted}
	}
	if t := p.Types[name]; t != "" {
		return m.instance(t, line, s, steps+1)
	}
	if v, ok := m.globals(p).vars[name]; ok {
		return v
	}
	for _, in := range p.Files {
		if to := in.Imports[name]; to != "" && to != dotted {
			return m.known(to, line, s, steps+1)
		}
		for _, star := range in.Stars {
			if v := m.known(star+"."+name, line, s, steps+1); v != nil {
				return v
			}
		}
	}
	class, member, ok := strings.Cut(name, ".")
	for _, base := range p.Bases[class] {
		root, _, _ := strings.Cut(base, ".")
		for _, of := range []string{base, root + ".*"} {
			if v := m.known(of+"."+member, line, s, steps+1); ok && v != nil {
				return v
			}
		}
	}
	if name == "default" { // the module has only named exports
		return &value{sym: p.Name}
	}
	if v := p.names.vars["default"]; v != nil {
		return m.field(v, name, line, s)
	}
	return nil
}

// instance returns the value of an instance of the type t.
func (m *names) instance(t string, line int, s *scope, steps int) *value {
	if p, name := m.owner(t); p == nil || p.Bases[name] == nil {
		if v := m.known(t, line, s, steps); v != nil {
			return v
		}
	}
	return &value{sym: t}
}

func (m *names) field(v *value, name string, line int, s *scope) *value {
	if v == nil {
		return nil
	}
	if f, ok := v.fields[name]; ok {
		return f
	}
	src := m.lang.sources[v.sym]
	object := src != nil && !src.call // a request chooses the names of its parts
	if m.lang.numbers["*."+name] && !object {
		return nil
	}
	var out *value
	if v.sym != "" {
		if out = m.symbol(v.sym+"."+name, line, s); m.number(out.sym) {
			return out
		}
	}
	if len(v.taints) > 0 && (out == nil || len(out.taints) == 0) {
		parsed := m.lang.parsed[v.sym]
		out = out.tainted(changed(v.taints, func(t *taint) {
			if !object || !t.source.deep {
				t.clean |= t.source.parts[name]
			}
			t.after = ""
			if !parsed {
				t.origin = key(t.origin, name)
			}
		}))
	}
	return out
}

// owner returns the repository's package of a dotted name, and the rest of the name within the package.
func (m *names) owner(dotted string) (*Package, string) {
	if strings.HasSuffix(dotted, "()") {
		return nil, ""
	}
	slash := strings.LastIndexByte(dotted, '/')
	for dot := len(dotted); ; { // the name of a package may have dots
		if dot = strings.LastIndexByte(dotted[:dot], '.'); dot <= slash+1 {
			return nil, ""
		}
		if p := m.find(dotted[:dot]); p != nil {
			return p, dotted[dot+1:]
		}
	}
}

// number reports whether values of a type contain no text.
func (m *names) number(t string) bool { return t != "" && m.derived(t, 0) }

func (m *names) derived(t string, steps int) bool {
	if m.lang.numbers[t] || steps > maxBases {
		return m.lang.numbers[t]
	}
	p, name := m.owner(t)
	if p == nil {
		return false
	}
	for _, base := range p.Bases[name] {
		if m.derived(base, steps+1) {
			return true
		}
	}
	return false
}

// alias reports whether a type is a name of the repository that is not a class.
func (m *names) alias(t string) bool {
	p, name := m.owner(t)
	return p != nil && p.Bases[name] == nil
}

// fresh returns a new value that is tainted by the source src, which is read at a line.
func (m *names) fresh(src *source, dotted, key string, line int, s *scope) *value {
	origin := src.name + " " + dotted
	if key != "" {
		origin += "." + key
	}
	var last *step
	clean := src.clean
	if src.segment && key != "" && !s.frame.file.Package.rests[key] {
		clean |= narrow
	}
	return &value{sym: dotted, taints: []*taint{{source: src, origin: origin, clean: clean, whole: true,
		last: last.then(s.frame, line)}}}
}

func key(origin, name string) string {
	if len(origin) > maxSymbol {
		return origin
	}
	return origin + "." + name
}
