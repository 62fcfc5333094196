package resources

import (
	"context"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// manyTurns is the smallest literal bound with which a loop counts as long.
const manyTurns = 256

// deepest is the maximum number of nested loops that the checks examine.
const deepest = 20

// goFunc is one function body, with facts about its variables. A function literal has a goFunc of its own; outer is the
// goFunc in which its captured variables are looked up.
type goFunc struct {
	outer  *goFunc
	params *ast.FieldList
	body   *ast.BlockStmt
	fixed  map[string]bool // variables of the file that hold a literal list
	known  map[question]bool
	// buffered is set if the file imports bufio.
	buffered bool
}

// question is the key under which a fact about a function is cached, because in a long function the same fact about a
// loop or a variable is needed many times.
type question struct {
	what string
	loop ast.Stmt
	name string
}

func (fn *goFunc) ask(what string, loop ast.Stmt, name string, look func() bool) bool {
	q := question{what, loop, name}
	answer, ok := fn.known[q]
	if !ok {
		answer = look()
		fn.known[q] = answer
	}
	return answer
}

// turn is a statement or call inside a loop. loops has the loops around it within its function.
type turn struct {
	node  ast.Node
	loops []ast.Stmt // outermost first
	once  bool       // the innermost loop always ends after it
}

// goFiles yields the parsed Go files of the product in order.
func goFiles(ctx context.Context, r *inspect.Repo) func(yield func(*inspect.GoFile) bool) {
	return func(yield func(*inspect.GoFile) bool) {
		golang := r.Go(ctx)
		var dirs []string
		for dir := range golang.Packages {
			dirs = append(dirs, dir)
		}
		slices.Sort(dirs)
		for _, dir := range dirs {
			for _, f := range golang.Packages[dir].Files {
				if ctx.Err() != nil {
					return
				}
				if !f.File.Test && r.Own(f.File) && !isScript(f) && !yield(f) {
					return
				}
			}
		}
	}
}

// isScript reports whether a build constraint excludes the file from every build. People run such
// files by hand, so their speed does not matter.
func isScript(f *inspect.GoFile) bool {
	for _, group := range f.AST.Comments {
		if group.Pos() > f.AST.Package {
			break
		}
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:build ignore") {
				return true
			}
		}
	}
	return false
}

// goFuncs returns every function body of a file, including literals.
func goFuncs(f *ast.File) []*goFunc {
	fixed := map[string]bool{}
	for _, d := range f.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			v, ok := spec.(*ast.ValueSpec)
			for i := 0; ok && i < len(v.Names) && i < len(v.Values); i++ {
				if _, lit := v.Values[i].(*ast.CompositeLit); lit {
					fixed[v.Names[i].Name] = true
				}
			}
		}
	}
	buffered := imports(f, "bufio") != ""
	var out []*goFunc
	var literals func(in *goFunc)
	literals = func(in *goFunc) {
		ast.Inspect(in.body, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if !ok {
				return true
			}
			fn := &goFunc{in, lit.Type.Params, lit.Body, fixed, map[question]bool{}, buffered}
			out = append(out, fn)
			literals(fn)
			return false
		})
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		top := &goFunc{nil, fn.Type.Params, fn.Body, fixed, map[question]bool{}, buffered}
		if fn.Type.Results != nil {
			top.params = &ast.FieldList{List: append(slices.Clone(fields(fn.Type.Params)), fn.Type.Results.List...)}
		}
		out = append(out, top)
		literals(top)
	}
	return out
}

func fields(l *ast.FieldList) []*ast.Field {
	if l == nil {
		return nil
	}
	return l.List
}

// turns yields every statement and call inside of a loop of this function, without those in its
// function literals.
func (fn *goFunc) turns() []turn {
	var out []turn
	var loops []ast.Stmt
	var visit func(n ast.Node, once bool)
	list := func(stmts []ast.Stmt, once bool) {
		after := make([]bool, len(stmts)) // for each statement, whether a later one ends the loop
		for i := len(stmts) - 1; i >= 0; i-- {
			after[i] = once
			once = leaves(stmts[i], once)
		}
		for i, s := range stmts {
			visit(s, after[i])
		}
	}
	loop := func(l ast.Stmt, body *ast.BlockStmt) {
		loops = append(loops, l)
		list(body.List, false)
		loops = loops[:len(loops)-1]
	}
	visit = func(n ast.Node, once bool) {
		ast.Inspect(n, func(c ast.Node) bool {
			switch c := c.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt:
				loop(c, c.Body)
				return false
			case *ast.RangeStmt:
				visit(c.X, once)
				loop(c, c.Body)
				return false
			case *ast.BlockStmt:
				list(c.List, once)
				return false
			case *ast.CaseClause:
				list(c.Body, once)
				return false
			case *ast.CommClause:
				list(c.Body, once)
				return false
			case *ast.AssignStmt, *ast.CallExpr, *ast.DeferStmt:
				if len(loops) > 0 && len(loops) < deepest {
					out = append(out, turn{c, slices.Clone(loops), once})
				}
			}
			return true
		})
	}
	list(fn.body.List, false)
	return out
}
