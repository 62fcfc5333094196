package inspect

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// Coverage describes the part of a repository that was read, and how it was read. It follows from the files of the
// Repo and from what the checks declare (grounds).
type Coverage struct {
	world.Coverage
	incomplete map[string]*incomplete // by reason
}

// Sees reports whether a check supports a language, and whether it reads files in it as syntax trees or as text.
func (c *Check) Sees(lang string) (tree, ok bool) {
	g := grounds[c.ID]
	ok = slices.Contains(g.reads, lang)
	return ok && (lang == "Go" || slices.Contains(parsed, lang) && !g.text), ok
}

// general reports whether a check examines names, sizes or text in any language.
func (c *Check) general() bool {
	g := grounds[c.ID]
	return g.reads == nil && !g.tag
}

// Coverage returns which files of the repository the checks can read. It reads each file once, except third-party code
// and files whose names show that they are generated.
func (r *Repo) Coverage(ctx context.Context, checks []Check) (*Coverage, error) {
	c := &Coverage{Coverage: world.Coverage{
		Languages: []world.Covered{}, General: []string{}, Root: r.root(), Limits: slices.Clone(r.Left),
	}}
	langs := map[string]*world.Covered{}
	covered := func(lang string) *world.Covered {
		l := langs[lang]
		if l == nil {
			l = &world.Covered{Lang: lang, Code: IsCode(lang), Trees: []string{}, Texts: []string{}}
			for k := range checks {
				if tree, ok := checks[k].Sees(lang); tree {
					l.Trees = append(l.Trees, KindOf(checks[k].ID))
				} else if ok {
					l.Texts = append(l.Texts, KindOf(checks[k].ID))
				}
			}
			langs[lang] = l
		}
		return l
	}
	inGo := r.parsedGo(ctx)
	for i := range r.Files {
		f := &r.Files[i]
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		foreign, lang, data, ok := f.Vendored || madeByName(f.Path), f.Lang, []byte(nil), false
		if !foreign {
			data, ok = r.Text(f.Path)
		}
		if r.binary(f.Path) {
			lang = "" // the content decides, not the name: compiled .mo messages are not Modelica source
		}
		l := covered(lang)
		to := &l.Matched
		switch {
		case foreign, ok && r.Generated(f):
			to = &l.Foreign
		case !ok:
			to = &l.Unread
		case inGo[f.Path], slices.Contains(parsed, f.Lang) && !Dense(data):
			to = &l.Parsed
		}
		to.Files++
		to.Lines += linesOf(data)
	}
	for i := range checks {
		if checks[i].general() {
			c.General = append(c.General, KindOf(checks[i].ID))
		}
	}
	for _, l := range langs {
		c.Languages = append(c.Languages, *l)
	}
	slices.SortFunc(c.Languages, func(a, b world.Covered) int {
		lines := func(l *world.Covered) int { return l.Parsed.Lines + l.Matched.Lines }
		return cmp.Or(code(b.Code)-code(a.Code), lines(&b)-lines(&a), strings.Compare(a.Lang, b.Lang))
	})
	if n := len(inGo); n == maxGoFiles {
		c.Limits = append(c.Limits, fmt.Sprintf("Only %d Go files were read as syntax; the others were read as text.", n))
	}
	return c, nil
}

// Limited adds to the coverage what a check left out because of its limits. res is the result of the check.
func (c *Coverage) Limited(res *Result) {
	if res.Left > 0 {
		c.Limits = append(c.Limits, fmt.Sprintf("%s: %d more than the %d findings that a review keeps of one kind.",
			KindOf(res.Check.ID), res.Left, MaxPerCheck))
	}
	if res.Err == nil {
		return
	}
	if c.incomplete == nil {
		c.incomplete = map[string]*incomplete{}
	}
	why := c.incomplete[res.Err.Error()]
	if why == nil {
		why = &incomplete{at: len(c.Limits)}
		c.incomplete[res.Err.Error()] = why
		c.Limits = append(c.Limits, "")
	}
	why.kinds = append(why.kinds, KindOf(res.Check.ID))
	c.Limits[why.at] = fmt.Sprintf("%s: not everything was examined: %v.", strings.Join(why.kinds, ", "), res.Err)
}

// Whole reports whether every check could examine the whole repository.
func (c *Coverage) Whole() bool { return len(c.incomplete) == 0 }

// incomplete is one reason why checks could not examine everything, such as a time limit. It has the kinds of
// problems that were not searched for everywhere, and the index of the sentence about them in Coverage.Limits.
type incomplete struct {
	at    int
	kinds []string
}

// parsedGo returns the paths of the Go files that have a syntax tree.
func (r *Repo) parsedGo(ctx context.Context) map[string]bool {
	out := map[string]bool{}
	if !slices.ContainsFunc(r.Files, func(f File) bool { return f.Lang == "Go" }) {
		return out
	}
	for _, p := range r.Go(ctx).Packages {
		for _, f := range p.Files {
			out[f.File.Path] = true
		}
	}
	return out
}

// root returns the file at the root that stands for the repository: a README, else a manifest, else the first file.
func (r *Repo) root() string {
	best, rank := "", 4
	for _, f := range r.In("") {
		base := strings.ToLower(f.Base())
		at := 3
		switch {
		case strings.TrimSuffix(base, path.Ext(base)) == "readme":
			at = 0
		case base == "go.mod":
			at = 1
		case base == "package.json", base == "pyproject.toml":
			at = 2
		}
		if at < rank {
			best, rank = f.Path, at
		}
	}
	if best == "" && len(r.Files) > 0 {
		return r.Files[0].Path
	}
	return best
}

func linesOf(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

func code(is bool) int {
	if is {
		return 1
	}
	return 0
}
