package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Limits holds the largest allowed figure of each measure. Only cases listed in ratchet.txt
// may exceed it:
//
//   - long: lines over MaxColumns in a package
//   - files: production files in a package
//   - kinds: places that name a kind of conversation where none may be named: see
//     Package.Kinds
//   - arrows: call arrows between files of a package that lie in cycles: see Package.Arrows
//   - lines: lines of a function, from func up to its closing brace
//   - depth: levels of if, for, switch, select and function literals in a function; an
//     else-if is on the level of its if, and a case on that of its switch
//   - fields: fields of a struct type. A field counts as all fields of its own type if that
//     type is an embedded struct of the same package, an anonymous struct, or an unexported
//     struct that no other field of the package has as its type. So splitting a struct
//     lowers the figure only if its parts are used elsewhere, too
//   - methods: methods of a type, and functions of its package whose first parameter is
//     a pointer to it
var Limits = map[string]int{"long": 0, "files": 30, "lines": 80, "depth": 5, "fields": 30, "methods": 40, "kinds": 0, "arrows": 0}

// Figures measures the packages and returns the figures over their limit, by case, like
// "fields server/realm.actor".
func Figures(packages []*Package) map[string]int {
	over := map[string]int{}
	add := func(measure, name string, n int) {
		if n > Limits[measure] {
			key := measure + " " + name
			over[key] = max(over[key], n) // init may be there several times
		}
	}
	for _, p := range packages {
		add("long", p.Dir, p.Long())
		add("files", p.Dir, len(p.Files))
		add("kinds", p.Dir, p.Kinds())
		add("arrows", p.Dir, p.Arrows())
		declared := typesOf(p)
		for name, n := range declared.methods {
			add("methods", p.Dir+"."+name, n)
		}
		for name := range declared.structs {
			add("fields", p.Dir+"."+name, declared.fields(name, map[string]bool{}))
		}
		for _, f := range p.Files {
			for _, decl := range f.tree.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				name := p.Dir + "." + functionName(fn)
				add("lines", name, f.line(fn.End())-f.line(fn.Pos())+1)
				add("depth", name, depth(fn.Body))
			}
		}
	}
	return over
}

func (f *File) line(at token.Pos) int { return f.set.Position(at).Line }

func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	return pointed(fn.Recv.List[0].Type) + "." + fn.Name.Name
}

// pointed returns the name of the type e, or of the type that e points to. It returns "" for types of other forms,
// such as a type of another package.
func pointed(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return pointed(e.X)
	case *ast.IndexExpr: // T[K]
		return pointed(e.X)
	case *ast.IndexListExpr:
		return pointed(e.X)
	case *ast.ParenExpr:
		return pointed(e.X)
	}
	return ""
}

// depth returns the number of nested levels within a node.
func depth(n ast.Node) int {
	deepest := 0
	ast.Inspect(n, func(c ast.Node) bool {
		level := 1
		switch c := c.(type) {
		case *ast.IfStmt:
			if chained, ok := c.Else.(*ast.IfStmt); ok { // an else-if is on the level of its if
				deepest = max(deepest, depth(&ast.BlockStmt{List: []ast.Stmt{chained}}))
				alone := *c
				alone.Else = nil
				c = &alone
			}
			level += depth(&ast.BlockStmt{List: parts(c.Init, c.Body, c.Else)})
		case *ast.ForStmt:
			level += depth(c.Body)
		case *ast.RangeStmt:
			level += depth(c.Body)
		case *ast.SwitchStmt:
			level += depth(c.Body)
		case *ast.TypeSwitchStmt:
			level += depth(c.Body)
		case *ast.SelectStmt:
			level += depth(c.Body)
		case *ast.FuncLit:
			level += depth(c.Body)
		default:
			return true
		}
		deepest = max(deepest, level)
		return false
	})
	return deepest
}

func parts(stmts ...ast.Stmt) (out []ast.Stmt) {
	for _, s := range stmts {
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

// declared holds the types of a package by name.
type declared struct {
	structs map[string]*ast.StructType
	methods map[string]int
	used    map[string]int // by type, the number of fields with this type or a pointer to it
}

func typesOf(p *Package) *declared {
	t := &declared{structs: map[string]*ast.StructType{}, methods: map[string]int{}, used: map[string]int{}}
	for _, f := range p.Files {
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					t.structs[n.Name.Name] = s
				}
			case *ast.StructType:
				for _, field := range n.Fields.List {
					t.used[pointed(field.Type)] += max(len(field.Names), 1)
				}
			case *ast.FuncDecl:
				if name := methodOf(n); name != "" {
					t.methods[name]++
				}
			}
			return true
		})
	}
	return t
}

// methodOf returns the name of the type that fn belongs to: the type of its receiver, else the type
// that its first parameter points to. It returns "" if fn has neither.
func methodOf(fn *ast.FuncDecl) string {
	if fn.Recv != nil {
		return pointed(fn.Recv.List[0].Type)
	}
	if params := fn.Type.Params.List; len(params) > 0 {
		if star, ok := params[0].Type.(*ast.StarExpr); ok {
			return pointed(star)
		}
	}
	return ""
}

func (t *declared) fields(name string, within map[string]bool) int {
	if within[name] { // a type that contains itself through a pointer
		return 1
	}
	within = maps.Clone(within)
	within[name] = true
	return t.fieldsOf(t.structs[name], within)
}

func (t *declared) fieldsOf(s *ast.StructType, within map[string]bool) (n int) {
	for _, field := range s.Fields.List {
		each := 1
		name := pointed(field.Type)
		anonymous, isAnonymous := field.Type.(*ast.StructType)
		switch {
		case isAnonymous:
			each = t.fieldsOf(anonymous, within)
		case t.structs[name] == nil:
		case len(field.Names) == 0, t.used[name] == 1 && !ast.IsExported(name):
			each = t.fields(name, within)
		}
		n += each * max(len(field.Names), 1)
	}
	return n
}

// ReadRatchet parses ratchet.txt: sorted lines, each with a measure, a name and a figure.
func ReadRatchet(text string) (map[string]int, error) {
	known := map[string]int{}
	var keys []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 3 {
			return nil, fmt.Errorf("the line %q does not consist of a measure, a name and a figure", strings.TrimSpace(line))
		}
		limit, ok := Limits[fields[0]]
		n, err := strconv.Atoi(fields[2])
		if !ok || err != nil || n <= limit {
			return nil, fmt.Errorf("the line %q has an unknown measure, or its figure is not a number over the limit",
				strings.TrimSpace(line))
		}
		key := fields[0] + " " + fields[1]
		if _, twice := known[key]; twice {
			return nil, fmt.Errorf("two lines have the measure and name %q", key)
		}
		known[key] = n
		keys = append(keys, key)
	}
	if !slices.IsSorted(keys) {
		return nil, fmt.Errorf("the lines are not sorted by measure and name")
	}
	return known, nil
}

// WriteRatchet returns the text of ratchet.txt for the figures.
func WriteRatchet(figures map[string]int) string {
	var b strings.Builder
	b.WriteString("# What is over a limit of scripts/house today: measure, name, figure. A figure may only fall.\n")
	b.WriteString("# Code that moves takes its line along. go run ./scripts/size -lower writes down what has fallen.\n")
	for _, key := range slices.Sorted(maps.Keys(figures)) {
		fmt.Fprintf(&b, "%s %d\n", key, figures[key])
	}
	return b.String()
}
