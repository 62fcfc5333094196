package change

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Code describes the differences between a repository and its base.
type Code struct {
	repo  *inspect.Repo
	paths []string         // the keys of files, sorted
	files map[string]*file // by path: the changed files whose text is known
	// moved has the present path of each renamed file, by its path in the base.
	moved map[string]string
}

// file is a changed or new file.
type file struct {
	added bool // the base does not have the file
	lines []span
	// functions has the changed and the new functions.
	functions []changed
	now       *unit // nil for a language without a parser
	was       *unit // nil if now is nil, or if the file is new
}

// changed is a function whose code differs in more than comments and layout.
type changed struct {
	function
	added bool
}

// Of returns the differences between a repository and its base. It compares the two only once.
func Of(ctx context.Context, r *inspect.Repo) *Code {
	type key struct{}
	return inspect.Memo(r, key{}, func() *Code { return compare(context.WithoutCancel(ctx), r) })
}

func compare(ctx context.Context, r *inspect.Repo) *Code {
	c := &Code{repo: r, files: map[string]*file{}, moved: map[string]string{}}
	for now, was := range r.Base.Was {
		c.moved[was] = now
	}
	for _, p := range r.Base.Changed {
		text, ok := r.Text(p)
		if !ok {
			continue
		}
		was, known := r.Base.Was[p]
		old, _ := r.Base.Read(was)
		f := &file{added: !known}
		c.paths = append(c.paths, p)
		c.files[p] = f
		f.lines = changedLines(unix(old), unix(text))
		if at := r.File(p); inspect.Parses(at.Lang) {
			f.now, _ = parse(ctx, at.Lang, text)
			if known && f.now != nil {
				f.was, _ = parse(ctx, at.Lang, old)
			}
		}
		f.compare()
	}
	return c
}

// unix returns a text with the line ends that git stores. Files on disk may have other line ends.
func unix(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// compare finds the functions that differ. It pairs functions with the same name, such as those of two build
// constraints, in their order.
func (f *file) compare() {
	if f.now == nil {
		return
	}
	old := map[string][]function{}
	if f.was != nil {
		for _, fn := range f.was.functions {
			old[fn.name] = append(old[fn.name], fn)
		}
	}
	for _, fn := range f.now.functions {
		before := old[fn.name]
		if len(before) > 0 {
			old[fn.name] = before[1:]
		}
		if len(before) == 0 || before[0].code != fn.code {
			f.functions = append(f.functions, changed{fn, len(before) == 0})
		}
	}
}

// function returns the name of the function at a line, "" if there is none.
func (u *unit) function(line int) string {
	if u == nil {
		return ""
	}
	for i := range u.functions {
		if u.functions[i].has(line) {
			return u.functions[i].name
		}
	}
	return ""
}

// At describes the place of a line in the change: "in the changed function f". It returns "" if neither the line
// nor its function has changed.
func (c *Code) At(p string, line int) string {
	f := c.files[p]
	switch {
	case f == nil:
		return ""
	case f.added:
		return "in the new file " + path.Base(p)
	}
	for _, fn := range f.functions {
		if fn.has(line) && fn.added {
			return "in the new function " + fn.name
		} else if fn.has(line) {
			return "in the changed function " + fn.name
		}
	}
	if slices.ContainsFunc(f.lines, func(s span) bool { return s.has(line) }) {
		return "in a changed line"
	}
	return ""
}

// maxUsed is the maximum number of changed places that a finding lists.
const maxUsed = 3

// uses describes the changed code on which a finding depends: "it uses changed code at a.go:3, b.go:7", or "". The
// places are those of the finding's Steps that are in changed code, and the changed functions that the Steps or the
// finding's line call.
func (c *Code) uses(f *inspect.Finding) string {
	var at []string
	add := func(p string, line int) {
		if where := fmt.Sprintf("%s:%d", p, line); !slices.Contains(at, where) {
			at = append(at, where)
		}
	}
	line, _, _ := strings.Cut(f.Evidence, "\n")
	for _, s := range append(f.Steps, inspect.Step{Path: f.Path, Quote: line}) {
		if c.At(s.Path, s.Line) != "" {
			add(s.Path, s.Line)
		}
		for _, p := range c.paths {
			for _, fn := range c.files[p].functions {
				if c.calls(s.Path, s.Quote, p, fn.base()) {
					add(p, fn.first)
				}
			}
		}
	}
	if len(at) == 0 {
		return ""
	}
	return "it uses changed code at " + inspect.Some(at, maxUsed)
}

// calls reports whether a line of the file p calls a function that the file declared declares. It judges by the
// name, the package and the imports only.
func (c *Code) calls(p, line, declared, name string) bool {
	if !has(line, name) || path.Ext(p) != path.Ext(declared) {
		return false
	}
	dir, stem := path.Dir(declared), strings.TrimSuffix(path.Base(declared), path.Ext(declared))
	switch {
	case p == declared, path.Ext(p) == ".go" && path.Dir(p) == dir:
		return strings.Contains(line, name+"(")
	case path.Ext(p) == ".go":
		return has(line, path.Base(dir)+"."+name)
	}
	text, ok := c.repo.Text(p)
	return ok && strings.Contains(line, name+"(") && bytes.Contains(text, []byte(stem))
}
