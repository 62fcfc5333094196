package inspect

import (
	"context"
	"slices"
	"strings"
)

// ground describes which files a check reads and what else it needs.
type ground struct {
	// reads lists the languages, file names and folders (ending with "/") in which the check can find something; nil
	// means any file.
	reads []string
	// text is set if the check reads JavaScript, TypeScript and Python as text, and not as syntax trees (Repo.Trees). Go
	// is always read by Repo.Go, and other languages are always read as text.
	text bool
	// tests is set if the check reads only tests.
	tests bool
	// tag is set if the check requires a version tag.
	tag bool
}

// Scripts lists JavaScript and related languages, as arguments of Repo.All.
var Scripts = []string{"JavaScript", "TypeScript", "TSX", "JSX"}

var (
	golang  = []string{"Go"}
	python  = []string{"Python"}
	goPy    = slices.Concat(golang, python)
	parsed  = slices.Concat(Scripts, python) // by server/syntax
	three   = slices.Concat(golang, Scripts, python)
	readmes = []string{"Markdown"}
	modules = []string{"go.mod"}
)

// grounds has the ground of each check, by the check's id. Checks that examine names, sizes or text in any language
// have no entry.
var grounds = map[string]ground{
	"sentinel/certificate":      {reads: three},
	"sentinel/open-door":        {reads: parsed},
	"sentinel/workflow":         {reads: []string{".github/workflows/"}},
	"healer/dropped-error":      {reads: golang},
	"healer/unread-error":       {reads: golang},
	"healer/unclosed":           {reads: golang},
	"healer/no-time-limit":      {reads: goPy},
	"healer/unknown-name":       {reads: []string{"JavaScript", "Python"}},
	"healer/nil-error":          {reads: golang},
	"healer/held-lock":          {reads: golang},
	"healer/crash-from-outside": {reads: Scripts},
	"healer/lost-promise":       {reads: parsed},
	"healer/unfit-call":         {reads: python},
	"healer/removed-api":        {reads: []string{"JavaScript", "JSX"}},
	"healer/double-answer":      {reads: slices.Concat(golang, Scripts)},
	"healer/defined-twice":      {reads: parsed},
	"healer/wrong-condition":    {reads: parsed},
	"healer/removed-name":       {reads: python},
	"sage/cannot-fail":          {reads: three, tests: true},
	"sage/never-runs":           {reads: goPy, tests: true},
	"warden/go-api-break":       {reads: modules, tag: true},
	"warden/go-module-path":     {reads: modules, tag: true},
	"scout/undeclared":          {reads: Scripts},
	"bard/link":                 {reads: readmes},
	"bard/stale-name":           {reads: slices.Concat(readmes, three), text: true},
	"sage/untested-change":      {reads: three},

	"sentinel/sql-injection":          {reads: three},
	"sentinel/command-injection":      {reads: three},
	"sentinel/path-traversal":         {reads: three},
	"sentinel/ssrf":                   {reads: three},
	"sentinel/code-injection":         {reads: three},
	"sentinel/template-injection":     {reads: three},
	"sentinel/unsafe-deserialization": {reads: parsed},
	"sentinel/yaml-loader":            {reads: python},
}

// Ground reports whether the check can find something in the repository. If it cannot, lacks lists what the repository
// does not have, such as languages or "a version tag"; one of these things would be enough.
func (c *Check) Ground(ctx context.Context, r *Repo) (lacks []string, ok bool) {
	g := grounds[c.ID]
	if !g.covers(r) {
		for _, what := range g.reads {
			if g.tests {
				what = "tests in " + what
			}
			lacks = append(lacks, what)
		}
		return lacks, false
	}
	if g.tag {
		if r.History == nil {
			return []string{"git history"}, false
		}
		if tag, _, _, err := r.History.Tag(ctx); err == nil && tag == "" {
			return []string{"a version tag"}, false
		}
	}
	return nil, true
}

// covers reports whether the repository has a file that the check reads.
func (g *ground) covers(r *Repo) bool {
	for i := range r.Files {
		if f := &r.Files[i]; g.reads != nil && g.reading(f) {
			return true
		}
	}
	return g.reads == nil
}

// reading reports whether the check can find something in a file.
func (g *ground) reading(f *File) bool {
	if f.Vendored || g.tests && !f.Test {
		return false
	}
	return g.reads == nil || slices.ContainsFunc(g.reads, func(what string) bool {
		return what == f.Lang || what == f.Base() || strings.HasSuffix(what, "/") && strings.HasPrefix(f.Path, what)
	})
}

// Reads reports whether the check can find something in a file of the repository.
func (c *Check) Reads(r *Repo, f *File) bool {
	g := grounds[c.ID]
	return g.reading(f) && (!c.Since || g.tag || r.Base != nil)
}
