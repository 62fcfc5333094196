package facts

import (
	"errors"
	"fmt"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/secrets"
	"agentdungeon/server/inspect/xref"
	"agentdungeon/shared/wire"
)

// Cited is a line of the repository. Secrets in it are masked.
type Cited struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Quote string `json:"quote,omitempty"`
	Test  bool   `json:"test,omitempty" jsonschema:"it is in a test"`
}

func cited(f *inspect.File, p inspect.Place, quote string) Cited {
	return Cited{File: p.Path, Line: p.Line, Quote: short(secrets.Mask(quote)), Test: f != nil && f.Test}
}

// Reference is a line that refers to the file, package or function of the question.
type Reference struct {
	Cited
	In         string `json:"in,omitempty" jsonschema:"the function or test around it"`
	How        string `json:"how" jsonschema:"imports, calls or names"`
	Confidence string `json:"confidence"`
	Because    string `json:"because,omitempty" jsonschema:"what it rests on where it is not certain"`
}

// referencesOut is the answer of the tools importers, callers and tests_of.
type referencesOut struct {
	Of
	Functions  []Cited     `json:"functions,omitempty" jsonschema:"the functions that were asked for"`
	References []Reference `json:"references" jsonschema:"the most certain first, those outside of tests before others"`
	LeftOut    int         `json:"leftOut,omitempty" jsonschema:"how many more there are: raise limit"`
	Unread     []string    `json:"unread,omitempty" jsonschema:"what was not looked at, so that more may be there"`
}

// take adds to out those references of the answer a for which the function keep returns true, as many as in.Limit
// allows and as fit.
func (out *referencesOut) take(q *question, in Limited, a *xref.Answer, keep func(*xref.Ref) bool) {
	var all []Reference
	for i := range a.Refs {
		r := &a.Refs[i]
		if keep == nil || keep(r) {
			all = append(all, Reference{
				Cited: Cited{File: r.Path, Line: r.Line, Quote: short(secrets.Mask(r.Quote)), Test: r.Test}, In: short(r.In),
				How: r.How, Confidence: r.Confidence, Because: short(r.Why),
			})
		}
	}
	out.Of, out.Unread = q.of, append(out.Unread, a.Unread...)
	fit(&q.room, []any{out.Functions, out.Unread})
	n := in.first(len(all))
	out.References, out.LeftOut = fit(&q.room, all[:n])
	out.LeftOut += len(all) - n + a.Left
}

// view calls the function use with the linked folder as it is now, and with the checks of code reviews.
func (q *question) view(use func(*inspect.Repo, []inspect.Check) error) error {
	if q.of.Folder == "" {
		return wire.Errorf(wire.Conflict, "no folder is linked to this realm, so it knows no files")
	}
	return q.facts.Scouts.View(q.ctx, q.of.Folder, use)
}

// noFile is the error for a path that names no file or folder on the map, or that ends the paths of several files.
func (q *question) noFile(name string) error {
	return wire.Errorf(wire.NotFound, "the map has no file %.200q, or several whose paths end so; "+
		"give its path relative to %s. Files that git ignores are not on the map", name, q.of.Folder)
}

// inFolder returns a path from an agent's question in relative form, below the linked folder. The path may be one in
// another worktree of the repository.
func (q *question) inFolder(name string) string {
	if rel, ok := q.facts.Place(q.of.Folder, name); ok {
		name = rel
	}
	return strings.Trim(inspect.Below(q.of.Folder, name), "/")
}

// target returns the file or the folder that a path names; file is nil for a folder, whose path may be "".
func (q *question) target(r *inspect.Repo, name string) (file *inspect.File, dir string, err error) {
	at := q.inFolder(name)
	if at == "." {
		at = ""
	}
	if f := r.Named(at); f != nil {
		return f, "", nil
	}
	if r.HasDir(at) {
		return nil, at, nil
	}
	return nil, "", q.noFile(name)
}

// unknownLanguage is the error for a file whose imports and calls are not known.
func unknownLanguage(f *inspect.File) error {
	return wire.Errorf(wire.BadField, "only Go, JavaScript, TypeScript and Python are known; %.200s is none of these",
		f.Path)
}

// importersIn is the input of the tool importers.
type importersIn struct {
	Asked
	Limited
	Path string `json:"path" jsonschema:"a file or folder, or a package from outside: react, os/exec, django.db"`
}

// importers lists the lines that import a file, a folder or a package.
func (q *question) importers(in importersIn) (out referencesOut, err error) {
	if strings.TrimSpace(in.Path) == "" {
		return out, wire.Errorf(wire.BadField, "path must name a file, a folder or a package")
	}
	err = q.view(func(r *inspect.Repo, _ []inspect.Check) error {
		t := xref.Target{}
		if t.File, t.Dir, err = q.target(r, in.Path); err != nil {
			t.Name = in.Path // no file and no folder has this path, so it names a package
		}
		if t.File != nil && !inspect.Parses(t.File.Lang) {
			return unknownLanguage(t.File)
		}
		a, err := xref.Importers(q.ctx, r, t)
		if err == nil {
			out.take(q, in.Limited, a, nil)
		}
		return err
	})
	return out, err
}

// functionIn names a function.
type functionIn struct {
	Asked
	Placed
	Limited
	Name string `json:"name" jsonschema:"the function, class or method: run, Server.run"`
}

// maxFunctions is the maximum number of functions of one name that callers and tests_of answer about.
const maxFunctions = 3

// functions returns the functions that an input names, at most maxFunctions. It returns an error if there are more.
func (q *question) functions(r *inspect.Repo, in *functionIn) ([]xref.Function, error) {
	at := ""
	if in.Path != "" {
		file, dir, err := q.target(r, in.Path)
		if err != nil {
			return nil, err
		}
		if at = dir; file != nil {
			at = file.Path
		}
	}
	list, err := xref.Find(q.ctx, r, at, strings.TrimSpace(in.Name))
	switch {
	case errors.Is(err, xref.ErrNoFunction):
		return nil, wire.Errorf(wire.NotFound, "no function, method or class in Go, JavaScript, TypeScript or Python is "+
			"named %.200q here", in.Name)
	case err != nil:
		return nil, err
	case len(list) > maxFunctions:
		var places []string
		for _, f := range list {
			places = append(places, fmt.Sprintf("%s (%s:%d)", f.String(), f.Path, f.Line))
		}
		return nil, wire.Errorf(wire.BadField, "several functions are named %.200q; give path, or the name with its type: "+
			"%s", in.Name, short(strings.Join(places, ", ")))
	}
	return list, nil
}

// callers lists the lines that call a function.
func (q *question) callers(in functionIn) (out referencesOut, err error) {
	return q.calling(in, nil)
}

// calling lists the callers of a function for which keep returns true; nil keeps all of them.
func (q *question) calling(in functionIn, keep func(*xref.Ref) bool) (out referencesOut, err error) {
	err = q.view(func(r *inspect.Repo, _ []inspect.Check) error {
		list, err := q.functions(r, &in)
		if err != nil {
			return err
		}
		whole := &xref.Answer{}
		for i := range list {
			f := &list[i]
			out.Functions = append(out.Functions, cited(r.File(f.Path), f.Place, f.Quote))
			a, err := xref.Callers(q.ctx, r, f)
			if err != nil {
				return err
			}
			whole.Refs, whole.Left = append(whole.Refs, a.Refs...), whole.Left+a.Left
			whole.Unread = append(whole.Unread, a.Unread...)
		}
		out.take(q, in.Limited, whole, keep)
		return nil
	})
	return out, err
}

// testsIn is the input of the tool tests_of.
type testsIn struct {
	Asked
	Limited
	Path string `json:"path" jsonschema:"the file whose tests are asked for, or that has the function"`
	Name string `json:"name,omitempty" jsonschema:"a function, class or method of it; without it the whole file"`
}

// tests lists the tests of a file or of a function.
func (q *question) tests(in testsIn) (out referencesOut, err error) {
	if in.Name != "" {
		return q.calling(functionIn{Asked: in.Asked, Limited: in.Limited, Placed: Placed{in.Path}, Name: in.Name},
			func(r *xref.Ref) bool { return r.Test })
	}
	err = q.view(func(r *inspect.Repo, _ []inspect.Check) error {
		f, _, err := q.target(r, in.Path)
		switch {
		case err != nil:
			return err
		case f == nil:
			return wire.Errorf(wire.BadField, "path must name a file, not a folder")
		case !inspect.Parses(f.Lang):
			return unknownLanguage(f)
		}
		a, err := xref.TestsOf(q.ctx, r, f)
		if err == nil {
			out.take(q, in.Limited, a, nil)
		}
		return err
	})
	return out, err
}
