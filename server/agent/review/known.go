package review

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Known measures what the scouts know of a file in a folder. name is the file's absolute path, its path in the folder,
// or an end of that path that only one file has. The error wraps inspect.ErrNoFile if there is no such file. Each call
// reads the folder as it is now; calls that overlap share a view.
func (s *Scouts) Known(ctx context.Context, folder, name string) (*inspect.Known, error) {
	key := "known/" + folder
	r := s.acquire(key, folder)
	defer s.drop(key)
	defer s.release(r)
	select {
	case <-r.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.err != nil {
		return nil, r.err
	}
	if below, ok := strings.CutPrefix(name, strings.TrimSuffix(folder, "/")+"/"); ok {
		name = below
	}
	name = path.Clean(name)
	f := r.repo.File(name)
	if f == nil {
		f = fileOf(r.repo, name)
	}
	if f == nil {
		return nil, inspect.ErrNoFile
	}
	v := &view{ctx: ctx, scouts: s, review: r}
	return v.known(f)
}

// known measures a file.
func (v *view) known(f *inspect.File) (*inspect.Known, error) {
	repo := v.review.repo
	k := &inspect.Known{Path: f.Path, Lang: f.Lang, Size: f.Size, Test: f.Test, Vendored: f.Vendored,
		Generated: repo.Generated(f)}
	data, ok := repo.Text(f.Path)
	if !ok {
		k.Unknown = append(k.Unknown, "The file is binary or too large, so its content was not read.")
	}
	for range inspect.Lines(data) {
		k.Lines++
	}
	_, k.Says = goDoc(f, data)
	for line, name := range imports(f, data) {
		k.Imports = append(k.Imports, inspect.Spec{Name: name, Line: line})
	}
	places, tests, err := v.importing(subject{file: f}, f.Path)
	if err != nil {
		return nil, err
	}
	k.Importers = slices.Concat(places, tests)
	if !importable(f.Lang) {
		k.Unknown = append(k.Unknown, "Imports are found in Go, TypeScript, JavaScript and Python alone.")
	}
	k.Tests = v.testsOf(f, tests)
	return k, v.history(k, f, ok)
}

// importable reports whether imports are found in files of a language.
func importable(lang string) bool {
	return slices.Contains([]string{"Go", "TypeScript", "TSX", "JavaScript", "Python"}, lang)
}

// testsOf returns the files with tests that belong to a file: those that are named after it, those that import it, and
// for Go those of its package, in this order. It returns none for a test.
func (v *view) testsOf(f *inspect.File, importers []inspect.Place) (out []inspect.Tests) {
	if f.Test {
		return nil
	}
	repo := v.review.repo
	stem := strings.TrimSuffix(f.Base(), path.Ext(f.Base()))
	rank := func(g *inspect.File) int {
		base := strings.TrimSuffix(g.Base(), path.Ext(g.Base()))
		switch {
		case (base == stem+"_test" || base == "test_"+stem || base == stem+".test" || base == stem+".spec") &&
			(f.Lang != "Go" || g.Dir() == f.Dir()):
			return 1
		case slices.ContainsFunc(importers, func(p inspect.Place) bool { return p.Path == g.Path }):
			return 2
		case f.Lang == "Go" && g.Lang == "Go" && g.Dir() == f.Dir():
			return 3
		}
		return 0
	}
	var found []*inspect.File
	for i := range repo.Files {
		if g := &repo.Files[i]; g.Test && testLine[g.Lang] != nil && rank(g) > 0 {
			found = append(found, g)
		}
	}
	slices.SortStableFunc(found, func(a, b *inspect.File) int { return rank(a) - rank(b) })
	for _, g := range found {
		data, _ := repo.Text(g.Path)
		if n := len(testLine[g.Lang].FindAllIndex(data, -1)); n > 0 {
			out = append(out, inspect.Tests{Path: g.Path, Count: n})
		}
	}
	return out
}

// history measures what git knows of a file. text is set if the file is text.
func (v *view) history(k *inspect.Known, f *inspect.File, text bool) error {
	h := v.review.repo.History
	if h == nil {
		k.Unknown = append(k.Unknown, "There is no git history here.")
		return nil
	}
	if past, ok := h.Past(f.Path); ok {
		k.Past = &past
	}
	k.Commits, k.Whole = h.Commits()
	if !text {
		return v.ctx.Err()
	}
	written := map[string]int{}
	why := ""
	for n := 1; n <= k.Lines; n++ {
		a, err := h.Blame(v.ctx, f.Path, n)
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return err
		case err != nil:
			k.Open++
			why = err.Error()
			continue
		}
		written[a.Name]++
		if k.Newest == nil || a.At.After(k.Newest.At) {
			k.Newest = &inspect.Newest{Author: a, Line: n}
		}
	}
	if k.Past != nil && k.Newest == nil && k.Open > 0 {
		k.Unknown = append(k.Unknown, "Who wrote the lines was not found: "+why+".")
	}
	for name, n := range written {
		k.Writers = append(k.Writers, inspect.Writer{Name: name, Lines: n})
	}
	slices.SortFunc(k.Writers, func(a, b inspect.Writer) int {
		return cmp.Or(b.Lines-a.Lines, strings.Compare(a.Name, b.Name))
	})
	return nil
}
