package flows

import (
	"context"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// treeCode lowers the files of a language that server/syntax parses. Each file is a package named by its path
// without extension: "./app/views". A file is parsed when the engine first needs it.
type treeCode struct {
	layout
	ctx      context.Context
	lang     string // a key of tables
	langs    []string
	hints    hints
	ends     []string            // possible suffixes of a path after the package's name, in the order of the search
	packages map[string]*Package // by path
	unread   int                 // number of files that could not be parsed, or only in part
	parsed   int
	dense    int // number of files that were skipped because their lines are too long to be written by people
}

// hints has words by which files in which a flow may begin are found: such a file has one of request, or one of
// operator and one of sinks.
type hints struct{ request, operator, sinks []string }

func (h hints) in(text []byte) bool {
	return inspect.HasAny(text, h.request...) || inspect.HasAny(text, h.operator...) && inspect.HasAny(text, h.sinks...)
}

// maxTrees is the maximum number of files that are parsed for a language.
const maxTrees = 10_000

// maxWritten is the size in bytes above which a file counts as a bundle of several files.
const maxWritten = 400 << 10

// roots returns the names of the packages that may have sources. It also records the names of all packages.
func (c *treeCode) roots(own func(*inspect.File) bool) []string {
	var out []string
	c.files, c.packages = map[string]*inspect.File{}, map[string]*Package{}
	rank := map[string]int{}
	for i := range c.repo.Files {
		f := &c.repo.Files[i]
		if !slices.Contains(c.langs, f.Lang) || f.Vendored {
			continue
		}
		for at, end := range c.ends {
			base, ok := strings.CutSuffix("./"+f.Path, end)
			if known := c.files[base]; ok && (known == nil || at < rank[base]) {
				c.files[base], rank[base] = f, at
			}
		}
		data, ok := c.repo.Text(f.Path)
		if !ok || !c.hints.in(data) || !own(f) {
			continue
		}
		out = append(out, "./"+strings.TrimSuffix(f.Path, path.Ext(f.Path)))
	}
	return out
}

// find returns the file or folder that imports call by a name such as "./lib/user", as a package of its own. It returns
// nil if there is none or if it is not examined.
func (c *treeCode) find(name string) *Package {
	f := c.files[name]
	if f == nil {
		return nil
	}
	if p, ok := c.packages[f.Path]; ok {
		return p
	}
	c.packages[f.Path] = nil
	lang, known := syntax.LanguageOf(f.Lang)
	data, ok := c.repo.Text(f.Path)
	if !ok || !known || c.parsed >= maxTrees || c.repo.Generated(f) {
		return nil
	}
	if inspect.Dense(data) || len(data) > maxWritten {
		c.dense++
		return nil
	}
	c.parsed++
	tree, err := syntax.Parse(c.ctx, lang, data)
	if err != nil {
		c.unread++
		return nil
	}
	if tree.Cut {
		c.unread++
	}
	p := &Package{Name: name, Funcs: map[string]*Func{}, Types: map[string]string{}, Bases: map[string][]string{}}
	c.packages[f.Path] = p
	x := inspect.NewIndex(data)
	file := &File{Path: f.Path, Lang: c.lang, Imports: map[string]string{}, Package: p, Quote: x.Quote}
	p.Files = []*File{file}
	l := &lowering{layout: &c.layout, file: file}
	for n := range tree.Root().All() { // imports in functions count for the file
		if k := n.Kind(); k == "import_statement" || k == "import_from_statement" {
			l.imports(n)
		}
	}
	for _, n := range named(tree.Root()) {
		l.top(n)
	}
	for _, f := range p.Order {
		f.Body() // lowers all bodies now, so that the tree can be freed
	}
	return p
}
