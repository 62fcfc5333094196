package flows

import (
	"context"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// treeCode lowers the files of a language that server/syntax parses. Each file is a package named by its path without
// extension: "./app/views". A file is parsed once the engine meets it.
type treeCode struct {
	ctx      context.Context
	repo     *inspect.Repo
	lang     string // a key of tables
	langs    []string
	hints    hints
	ends     []string // what the path of an imported file adds to the name of the package
	packages map[string]*Package
	lower    func(*treeLowering, syntax.Node)
	deep     int
	unread   int // files that could not be parsed or not as a whole
	parsed   int
	dense    int // files whose lines are too long to be written by people
}

// hints are words of files in which a flow may begin.
type hints struct{ request, operator, sinks []string }

func (h hints) in(text []byte) bool {
	return inspect.HasAny(text, h.request...) || inspect.HasAny(text, h.operator...) && inspect.HasAny(text, h.sinks...)
}

// maxTrees is the maximum number of files that are parsed for a language.
const maxTrees = 10_000

// roots returns the packages that may have sources.
func (c *treeCode) roots(own func(*inspect.File) bool) []*Package {
	var out []*Package
	for i := range c.repo.Files {
		f := &c.repo.Files[i]
		if !slices.Contains(c.langs, f.Lang) || !own(f) {
			continue
		}
		data, ok := c.repo.Text(f.Path)
		if !ok || !c.hints.in(data) {
			continue
		}
		if inspect.Dense(data) {
			c.dense++
			continue
		}
		if p := c.find("./" + strings.TrimSuffix(f.Path, path.Ext(f.Path))); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// find returns the package with a name, or nil.
func (c *treeCode) find(name string) *Package {
	if p, ok := c.packages[name]; ok {
		return p
	}
	if !strings.HasPrefix(name, "./") {
		return nil
	}
	c.packages[name] = nil
	for _, end := range c.ends {
		f := c.repo.File(name[2:] + end)
		if f == nil || f.Vendored || c.repo.Generated(f) || c.parsed >= maxTrees {
			continue
		}
		data, ok := c.repo.Text(f.Path)
		lang, known := syntax.LanguageOf(f.Lang)
		if !ok || !known {
			continue
		}
		c.parsed++
		tree, err := syntax.Parse(c.ctx, lang, data)
		if err != nil {
			c.unread++
			continue
		}
		if tree.Cut {
			c.unread++
		}
		p := &Package{Name: name, Funcs: map[string]*Func{}, Types: map[string]string{}}
		c.packages[name] = p
		x := inspect.NewIndex(data)
		file := &File{Path: f.Path, Lang: c.lang, Imports: map[string]string{}, Package: p, Quote: x.Quote}
		p.Files = []*File{file}
		l := &treeLowering{code: c, file: file}
		c.lower(l, tree.Root())
		for _, f := range p.Order {
			f.Body() // so that the tree is not kept
		}
		return p
	}
	return nil
}

// relative returns the name of a package that a file imports by a path that begins with "." or "..".
func (l *treeLowering) relative(to string) string {
	return "./" + strings.TrimPrefix(path.Join(path.Dir(l.file.Path), to), "./")
}

// treeLowering lowers a file.
type treeLowering struct {
	code  *treeCode
	file  *File
	depth int
	class string // the class whose body is lowered
}

func (l *treeLowering) tooDeep() bool {
	l.depth++
	if l.depth > maxSyntax {
		l.code.deep++
		return true
	}
	return false
}

func (l *treeLowering) up() { l.depth-- }

// uses reports whether the file imports a library.
func (l *treeLowering) uses(libraries ...string) bool {
	for _, dotted := range l.file.Imports {
		for _, lib := range libraries {
			if dotted == lib || strings.HasPrefix(dotted, lib+".") || strings.HasPrefix(dotted, lib+"/") {
				return true
			}
		}
	}
	return false
}

// function adds a function or a method to the package.
func (l *treeLowering) function(name string, f *Func) {
	p := l.file.Package
	f.Name = p.Name + "." + name
	if p.Funcs[name] == nil {
		p.Funcs[name] = f
	}
	p.Order = append(p.Order, f)
}

// begin adds statements outside of functions.
func (l *treeLowering) begin(list []Stmt) {
	for _, s := range list {
		l.file.Package.Init = append(l.file.Package.Init, Init{l.file, s})
	}
}

// choice returns "yes if cond else no" as the call of a function, because a condition rules out things in its branches.
func (l *treeLowering) choice(out, cond, yes, no *Expr) *Expr {
	f := &Func{File: l.file, Line: out.Line, ready: true, body: []Stmt{{
		Kind: If, Line: out.Line, Cond: cond,
		Then: []Stmt{{Kind: Assign, Line: out.Line, To: []*Expr{{Kind: Name, Text: "?"}}, From: yes}},
		Else: []Stmt{{Kind: Assign, Line: out.Line, To: []*Expr{{Kind: Name, Text: "?"}}, From: no}},
	}, {Kind: Return, Line: out.Line, From: &Expr{Kind: Name, Text: "?", Line: out.Line}}}}
	out.Kind, out.X = Call, &Expr{Kind: Closure, Line: out.Line, Func: f}
	return out
}

// named returns the named children of a node, without comments.
func named(n syntax.Node) []syntax.Node {
	var out []syntax.Node
	for c := range n.Children() {
		if c.Named() && c.Kind() != "comment" {
			out = append(out, c)
		}
	}
	return out
}

// kids returns the children of a node with a field.
func kids(n syntax.Node, field string) []syntax.Node {
	var out []syntax.Node
	for c := range n.Children() {
		if c.Field() == field {
			out = append(out, c)
		}
	}
	return out
}

// word reports whether a node has a child of a kind, such as a word of the language.
func word(n syntax.Node, kind string) bool {
	for c := range n.Children() {
		if c.Kind() == kind {
			return true
		}
	}
	return false
}

func first(n syntax.Node) syntax.Node {
	if list := named(n); len(list) > 0 {
		return list[0]
	}
	return syntax.Node{}
}

// unquoted returns the text of a string literal without its quotes. Escapes that matter here are few.
func unquoted(s string) string {
	if len(s) >= 2 && strings.ContainsRune("'\"`", rune(s[0])) {
		s = s[1 : len(s)-1]
	}
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\'`, "'", `\"`, `"`, `\\`, `\`).Replace(s)
}
