package mistakes

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// runs has, for the place of each finding, the functions and the module that some code must name; else the code at that
// place never runs.
type runs map[inspect.Place]needs

type needs struct {
	names []string // functions
	// module is set if the place is in a function or in the main block of a Python module that can be run as a program.
	module bool
}

// see records which functions that run only if code names them, and which parts of a program, contain some lines of a
// file.
func (r runs) see(t *inspect.Tree, lines []int) {
	if len(lines) == 0 {
		return
	}
	named, program := calledByName(t), programParts(t)
	for _, line := range lines {
		var n needs
		for _, s := range named {
			// A finding in the first of several lines of a function is about the function itself.
			if s.first <= line && line <= s.last && (s.first != line || s.last == line) {
				n.names = append(n.names, s.name)
			}
		}
		n.module = slices.ContainsFunc(program, func(s span) bool { return s.first <= line && line <= s.last })
		r[inspect.Place{Path: t.File.Path, Line: line}] = n
	}
}

// span has the lines of a part of a file, and the name of a function.
type span struct {
	first, last int
	name        string
}

func spanOf(n syntax.Node) span { return span{n.Line(), n.LastLine(), n.Child("name").Text()} }

// byText matches code that may call a function whose name the code computes.
var byText = inspect.Pattern(`\b(?:locals|globals|getattr)\(|\w\[[^\]\n]*\]\(`)

// calledByName returns the functions and methods that run only if code names them. It omits exported functions, those
// with decorators, public functions of a Python module, and methods that a base class may call.
func calledByName(t *inspect.Tree) (out []span) {
	if byText.Match(t.Text) {
		return nil
	}
	for n := range t.Root().All() {
		if !slices.Contains(callable, n.Kind()) {
			continue
		}
		s, in := spanOf(n), n.Parent()
		class := in.Parent()
		bases := strings.Trim(class.Child("superclasses").Text(), "()")
		switch {
		case s.name == "": // a syntax error
			continue
		case n.Kind() == "method_definition":
			if in.Kind() != "class_body" || class.Has("class_heritage") || s.name == "constructor" {
				continue
			}
		case in.Kind() == "export_statement", in.Kind() == "decorated_definition", strings.HasPrefix(s.name, "__"),
			in.Kind() == "module" && !strings.HasPrefix(s.name, "_"), bases != "" && bases != "object":
			continue
		}
		out = append(out, s)
	}
	return out
}

// callable lists the kinds of declared functions.
var callable = []string{
	"function_declaration", "generator_function_declaration", "method_definition", "function_definition",
}

// asProgram matches the condition of the block that runs if the module is the program, the main block.
var asProgram = inspect.Pattern(`(?m)^if\s*\(?__name__\s*==`)

// programParts returns the functions and the main block of a module of Python that has a main block.
func programParts(t *inspect.Tree) (out []span) {
	if t.File.Lang != "Python" || !asProgram.Match(t.Text) {
		return nil
	}
	for _, n := range t.Root().Parts() {
		if n.Kind() == "function_definition" || n.Kind() == "if_statement" && asProgram.MatchString(n.Text()) {
			out = append(out, spanOf(n))
		}
	}
	return out
}

// lower makes a finding a candidate (only suspected) if nothing runs its code: a function around the code is named only
// once in the repository, where it is declared, or the code is in a module that only people can run. Names in files of
// other languages and in documents count too, because people may use from outside what a document names.
func (r runs) lower(ctx context.Context, repo *inspect.Repo, of map[string][]inspect.Finding) {
	once, times := map[string]bool{}, map[string]int{}
	programs := sync.OnceValue(func() map[string]bool { return unnamed(ctx, repo) })
	for _, n := range r {
		for _, name := range n.names {
			once[name] = true
		}
	}
	for _, data := range repo.All(ctx) {
		for name := range once {
			if times[name] += timesNamed(data, name); times[name] > 1 {
				delete(once, name)
			}
		}
		if len(once) == 0 {
			break
		}
	}
	for _, all := range of {
		for i := range all {
			f := &all[i]
			n := r[inspect.Place{Path: f.Path, Line: f.Line}]
			if slices.ContainsFunc(n.names, func(name string) bool { return once[name] }) {
				f.Suspect("nothing in the repository calls the function around it")
			} else if n.module && programs()[f.Path] {
				f.Suspect("nothing imports the module, and nothing but its name says that it is run as a program")
			}
		}
	}
}

// unnamed returns the modules of Python packages that have a main block and that no file names, except other modules of
// the result. A program for users is named in a script, in the package's metadata or in a document.
func unnamed(ctx context.Context, r *inspect.Repo) map[string]bool {
	all, by := map[string]bool{}, map[string][]string{}
	names := map[string]*inspect.Regexp{}
	for f, data := range r.All(ctx, "Python") {
		name, ok := strings.CutSuffix(f.Base(), ".py")
		if ok && name != "__main__" && asProgram.Match(data) && r.File(path.Join(f.Dir(), "__init__.py")) != nil {
			all[f.Path], name = true, regexp.QuoteMeta(name)
			names[f.Path] = inspect.Pattern(`(?m)(?:\.|\bimport\b.*\b|^[ \t]*)` + name + `\b|[ \t"'=(]\S*\b` + name + `\.py\b`)
		}
	}
	for f, data := range r.All(ctx) {
		for p := range all {
			if p != f.Path && bytes.Contains(data, []byte(strings.TrimSuffix(path.Base(p), ".py"))) && names[p].Match(data) {
				by[p] = append(by[p], f.Path)
			}
		}
	}
	for before := -1; before != len(all); {
		before = len(all)
		for p := range all {
			if slices.ContainsFunc(by[p], func(o string) bool { return !all[o] }) {
				delete(all, p)
			}
		}
	}
	return all
}

// timesNamed counts how often a text has a name as a whole word. It stops at two.
func timesNamed(text []byte, name string) (n int) {
	inWord := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] == '_' || text[i] == '$' || '0' <= text[i] && text[i] <= '9' ||
			'A' <= text[i]&^0x20 && text[i]&^0x20 <= 'Z')
	}
	for at := 0; n < 2; {
		i := bytes.Index(text[at:], []byte(name))
		if i < 0 {
			break
		}
		from := at + i
		if at = from + len(name); !inWord(from-1) && !inWord(at) {
			n++
		}
	}
	return n
}
