package change

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

const (
	// maxUnits is the maximum number of files of one family of languages that are parsed to find the functions that
	// tests reach.
	maxUnits = 3_000
	// minLines is the minimum length of a function that the check reports.
	minLines = 5
	maxNamed = 3 // functions that the title lists
)

// families has groups of languages whose code can call each other.
var families = [][]string{{"Go"}, inspect.Scripts, {"Python"}}

var untested = inspect.Check{
	ID: "sage/untested-change", Hero: "sage", Since: true, Confidence: inspect.Likely,
	Looks: "new and changed functions of the product that no test names, directly or through the functions that it " +
		"names, where no test beside them has changed",
	Rule: fmt.Sprintf("Low; one finding for each file. Left out: languages without tests, functions of fewer "+
		"than %d lines, changes of comments and layout.", minLines),
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		if r.Base == nil {
			return nil
		}
		for _, langs := range families {
			all := candidates(ctx, r, langs)
			if len(all) == 0 {
				continue
			}
			w := &reach{seen: map[string]bool{}, named: map[string][]*function{}, home: map[*function]*place{}}
			if err := w.read(ctx, r, langs); err != nil {
				return err
			}
			if !w.tests {
				continue
			}
			w.follow()
			for _, c := range all {
				c.functions = slices.DeleteFunc(c.functions, func(f changed) bool { return w.seen[f.base()] })
				if len(c.functions) > 0 {
					report(c.finding())
				}
			}
		}
		return ctx.Err()
	},
}

// candidate is a changed file with those of its changed functions that a test should call.
type candidate struct {
	path      string
	functions []changed
}

func candidates(ctx context.Context, r *inspect.Repo, langs []string) (out []candidate) {
	var tests []string
	for _, p := range r.Base.Changed {
		if f := r.File(p); f.Test && slices.Contains(langs, f.Lang) {
			tests = append(tests, p)
		}
	}
	code := Of(ctx, r)
	for _, p := range r.Base.Changed {
		at := inspect.Finding{Path: p}
		f := code.files[p]
		if f == nil || !slices.Contains(langs, r.File(p).Lang) {
			continue
		}
		if r.Rank(&at); at.Reach != inspect.ReachProduct {
			continue
		}
		c := candidate{path: p}
		for _, fn := range f.functions {
			entry := fn.name == "main" || fn.name == "init"
			if fn.last-fn.first+1 >= minLines && !entry {
				c.functions = append(c.functions, fn)
			}
		}
		beside := func(test string) bool { return besides(test, p) }
		if len(c.functions) > 0 && !slices.ContainsFunc(tests, beside) {
			out = append(out, c)
		}
	}
	return out
}

// besides reports whether a test belongs to a file, judging by its folder or its name.
func besides(test, p string) bool {
	stem, _, _ := strings.Cut(path.Base(p), ".")
	return path.Dir(test) == path.Dir(p) || strings.HasPrefix(test, path.Dir(p)+"/") ||
		strings.Contains(path.Base(test), stem)
}

func (c *candidate) finding() inspect.Finding {
	slices.SortStableFunc(c.functions, func(a, b changed) int { return (b.last - b.first) - (a.last - a.first) })
	var names, lines []string
	size := 0
	for _, f := range c.functions {
		how := "changed"
		if f.added {
			how = "new"
		}
		names = append(names, f.name)
		lines = append(lines, fmt.Sprintf("line %d: %s, %s, %d lines", f.first, f.name, how, f.last-f.first+1))
		size += f.last - f.first + 1
	}
	same := strings.Join(slices.Sorted(slices.Values(names)), " ")
	return inspect.Finding{
		Severity: inspect.Low, Path: c.path, Line: c.functions[0].first, Size: size, Same: same,
		Title:    "No test reaches " + inspect.Some(names, maxNamed),
		Evidence: strings.Join(lines, "\n"),
		Why: "The change is in code that no test calls, as far as names tell, and no test beside it has changed. Nobody " +
			"notices if it is wrong or breaks later.",
		Advice: "Add a test that fails without the change.",
	}
}

// reach follows names from the tests through the functions of the product. A name stands for every function with
// that name, so reach finds more functions than the tests really call.
type reach struct {
	tests bool                   // there is at least one test
	seen  map[string]bool        // words in tests or in reached functions
	queue []string               // words of seen that were not followed yet
	named map[string][]*function // the product's functions, by name
	home  map[*function]*place
	all   []*place
}

// place is a unit that is loaded as a whole: a folder of Go files, or one file in other languages.
type place struct {
	words []string // words outside of functions
	stem  string   // a test that contains this word imports the file
	ready bool
}

var word = inspect.Pattern(`[\pL_$][\pL\pN_$]*`)

// read collects the words of the tests, and parses the product's files.
func (w *reach) read(ctx context.Context, r *inspect.Repo, langs []string) error {
	folders := map[string]*place{}
	n := 0
	for f, text := range r.All(ctx, langs...) {
		if n++; n > maxUnits {
			return fmt.Errorf("there are more than %d files in %s, so what tests reach is not known", maxUnits, langs[0])
		}
		isGo := f.Lang == "Go"
		at := folders[f.Dir()]
		if at == nil || !isGo {
			at = &place{stem: f.Stem()}
			folders[f.Dir()] = at
			w.all = append(w.all, at)
		}
		if f.Test {
			w.tests = true
			for _, name := range word.FindAll(text, -1) {
				w.see(string(name))
			}
			at.ready = isGo
			continue
		}
		u, ok := parse(ctx, f.Lang, text)
		if !ok {
			continue
		}
		at.words = append(at.words, u.words...)
		for i := range u.functions {
			fn := &u.functions[i]
			fn.code = ""
			w.named[fn.base()] = append(w.named[fn.base()], fn)
			w.home[fn] = at
		}
	}
	return ctx.Err()
}

func (w *reach) see(name string) {
	if !w.seen[name] {
		w.seen[name] = true
		w.queue = append(w.queue, name)
	}
}

// follow adds to seen the words of all functions and places that words in seen name, until there are no new words. Then
// seen has the names of all functions that tests reach.
func (w *reach) follow() {
	for _, at := range w.all {
		if at.ready || w.seen[at.stem] {
			w.load(at)
		}
	}
	for len(w.queue) > 0 {
		name := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		for _, fn := range w.named[name] {
			w.load(w.home[fn])
			for _, next := range fn.words {
				w.see(next)
			}
		}
		delete(w.named, name)
	}
}

// load adds to seen the words of the code that runs when a place is loaded, because tests reach this code.
func (w *reach) load(at *place) {
	for _, name := range at.words {
		w.see(name)
	}
	at.words = nil
}
