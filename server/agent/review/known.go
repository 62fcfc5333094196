package review

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/xref"
)

// View opens a folder as a read-only repository and calls use with it and with the checks of the scouts. Each call
// of View reads the folder as it is now; calls that overlap share what was read. The error is that of the opening,
// of use, or of the context.
func (s *Scouts) View(ctx context.Context, folder string, use func(*inspect.Repo, []inspect.Check) error) error {
	return s.viewing(ctx, folder, func(v *view) error { return use(v.review.repo, s.checks) })
}

func (s *Scouts) viewing(ctx context.Context, folder string, use func(*view) error) error {
	key := "known/" + folder
	r := s.acquire(key, folder)
	defer s.drop(key)
	defer s.release(r)
	select {
	case <-r.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.err != nil {
		return r.err
	}
	return use(&view{ctx: ctx, scouts: s, review: r})
}

// Known opens a folder as the method View does and returns the facts about a file in it. name is the file's absolute
// path, its path in the folder, or an end of that path that only one file has. The error wraps inspect.ErrNoFile if
// no file, or more than one, has that path.
func (s *Scouts) Known(ctx context.Context, folder, name string) (k *inspect.Known, err error) {
	err = s.viewing(ctx, folder, func(v *view) error {
		f := v.review.repo.Named(inspect.Below(folder, name))
		if f == nil {
			return inspect.ErrNoFile
		}
		k, err = v.known(f)
		return err
	})
	return k, err
}

// known returns the facts about a file: its size, imports, importers, tests and history.
func (v *view) known(f *inspect.File) (*inspect.Known, error) {
	repo := v.review.repo
	k := &inspect.Known{Path: f.Path, Lang: f.Lang, Size: f.Size, Test: f.Test, Vendored: f.Vendored,
		Generated: repo.Generated(f), Imports: xref.Imports(v.ctx, repo, f)}
	data, ok := repo.Text(f.Path)
	if !ok {
		k.Unknown = append(k.Unknown, "The file is binary or too large, so its content was not read.")
	}
	for range inspect.Lines(data) {
		k.Lines++
	}
	_, k.Says = goDoc(f, data)
	places, tests, err := v.importing(subject{file: f}, f.Path)
	if err != nil {
		return nil, err
	}
	k.Importers = slices.Concat(places, tests)
	if !inspect.Parses(f.Lang) {
		k.Unknown = append(k.Unknown, "Imports are found in Go, TypeScript, JavaScript and Python alone.")
	}
	belong, err := xref.TestsOf(v.ctx, repo, f)
	if err != nil {
		return nil, err
	}
	for _, r := range belong.Refs {
		test := repo.File(r.Path)
		if data, ok := repo.Text(r.Path); ok && xref.CountTests(test.Lang, data) > 0 {
			k.Tests = append(k.Tests, inspect.Tests{Path: r.Path, Count: xref.CountTests(test.Lang, data)})
		}
	}
	return k, v.history(k, f, ok)
}

// history adds to k what git knows of a file. text is set if the file is text.
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
