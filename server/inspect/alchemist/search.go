package alchemist

import (
	"context"
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
)

func growingSearch() inspect.Check {
	return inspect.Check{
		ID: "alchemist/growing-search", Hero: hero, Local: true,
		Looks: "a list that a loop over lines, rows, files and the like searches from the beginning and extends in the same iteration",
		Rule:  "Medium if the loop is inside a second one that the list outlives too, else low.",
		Run:   runGrowingSearch,
	}
}

func runGrowingSearch(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	words := told{
		one:  func(p place) string { return "A loop searches all of " + short(p.name) + " and makes it longer" },
		many: "Loops search a list and make it longer at %d places",
		easy: inspect.Low, hard: inspect.Medium,
		why:    "Each turn looks through all that the turns before have added: twice as many elements cost four times the work.",
		advice: "Keep a map or set of what is in the list beside it, and ask that.",
	}
	parsed := r.Go(ctx)
	for f := range goFiles(ctx, r) {
		words.tell(f.File, f.Text, goSearch(parsed, f), report)
	}
	for f, data := range r.All(ctx, "Python") {
		if !f.Test && strings.Contains(string(data), ".append(") {
			words.tell(f, data, pythonSearch(data), report)
		}
	}
	for f, data := range scripts(ctx, r, ".push(") {
		words.tell(f, data, scriptSearch(data), report)
	}
	return ctx.Err()
}

func goSearch(golang *inspect.Golang, f *inspect.GoFile) []place {
	var out []place
	slicesPkg := imports(f.AST, "slices")
	if slicesPkg == "" {
		slicesPkg = imports(f.AST, "golang.org/x/exp/slices")
	}
	for _, fn := range goFuncs(f.AST) {
		seen := map[string]bool{}
		add := func(t turn, name string, pos token.Pos) {
			long, over := 0, false
			for _, loop := range fn.grown(t, name) {
				if !fn.small(loop) && fn.ask("appends", loop, name, func() bool { return appends(loopBody(loop), name) }) {
					long++
					over = over || fn.overMany(loop)
				}
			}
			if over && !seen[name] {
				seen[name] = true
				out = append(out, place{golang.At(pos), name, long > 1})
			}
		}
		for _, t := range fn.turns() {
			c, ok := t.node.(*ast.CallExpr)
			if !ok || slicesPkg == "" || len(c.Args) != 2 {
				continue
			}
			pkg, name := called(c)
			if pkg != slicesPkg || name != "Contains" && name != "Index" && name != "ContainsFunc" && name != "IndexFunc" {
				continue
			}
			if id, ok := c.Args[0].(*ast.Ident); ok {
				add(t, id.Name, c.Pos())
			}
		}
		fn.handSearches(add)
	}
	return out
}

// handSearches calls add for each inner loop that only compares the elements of a list with a value and ends at the
// first equal element.
func (fn *goFunc) handSearches(add func(turn, string, token.Pos)) {
	var loops []ast.Stmt
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		ast.Inspect(n, func(c ast.Node) bool {
			switch c := c.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt:
				loops = append(loops, c)
				visit(c.Body)
				loops = loops[:len(loops)-1]
				return false
			case *ast.RangeStmt:
				if id, ok := c.X.(*ast.Ident); ok && len(loops) > 0 && onlyCompares(c) {
					add(turn{node: c, loops: loops}, id.Name, c.Pos())
				}
				loops = append(loops, c)
				visit(c.Body)
				loops = loops[:len(loops)-1]
				return false
			}
			return true
		})
	}
	visit(fn.body)
}

// onlyCompares matches for _, y := range list { if y == x { ...; break } }.
func onlyCompares(l *ast.RangeStmt) bool {
	if len(l.Body.List) != 1 {
		return false
	}
	test, ok := l.Body.List[0].(*ast.IfStmt)
	if !ok || test.Init != nil || test.Else != nil || len(test.Body.List) == 0 || len(test.Body.List) > 2 {
		return false
	}
	b, ok := test.Cond.(*ast.BinaryExpr)
	value, named := l.Value.(*ast.Ident)
	if !ok || !named || b.Op != token.EQL || !uses(b, value.Name) {
		return false
	}
	last, ok := test.Body.List[len(test.Body.List)-1].(*ast.BranchStmt)
	return ok && (last.Tok == token.BREAK || last.Tok == token.CONTINUE && last.Label != nil)
}

// appends reports whether a block extends a list, outside of function literals.
func appends(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || !isName(a.Lhs[0], name) {
			return !found
		}
		c, ok := a.Rhs[0].(*ast.CallExpr)
		if ok && isName(c.Fun, "append") && len(c.Args) > 1 && isName(c.Args[0], name) {
			found = true
		}
		return !found
	})
	return found
}

var pySearch = inspect.Pattern(`^(?:if|elif|while)\b.*?\bin\s+([A-Za-z_]\w*)\s*(?::|\band\b|\bor\b|\))`)

func pythonSearch(data []byte) []place {
	var out []place
	p := readPython(data)
	for i := range p.lines {
		m := pySearch.FindStringSubmatch(p.lines[i].mask)
		if m == nil || strings.Contains(p.lines[i].mask, " for ") || len(out) == maxPlaces {
			continue
		}
		name := m[1]
		loop := p.grown(i, name, pyList.MatchString)
		if loop < 0 || !p.overMany(i, loop) || !strings.Contains("\n"+p.inside(loop), "\n"+name+".append(") {
			continue
		}
		out = append(out, place{p.lines[i].number, name, p.depth(i, loop) > 1})
	}
	return out
}

func scriptSearch(data []byte) []place {
	var out []place
	s := readScript(data)
	seen := map[string]bool{}
	looks := 0
	for i := 2; i < len(s.tokens) && looks < maxLooks; i++ {
		switch s.text(i) {
		case "includes", "indexOf", "find", "findIndex", "some":
		default:
			continue
		}
		if !s.is(i-1, ".") || !s.is(i+1, "(") || s.is(i-3, ".") {
			continue
		}
		looks++
		name := s.text(i - 2)
		var loops []scriptLoop
		for _, loop := range s.grown(i, name) {
			if s.calls(loop, name, "push") {
				loops = append(loops, loop)
			}
		}
		if s.overMany(loops) && !seen[name] {
			seen[name] = true
			out = append(out, place{s.tokens[i].line, name, len(loops) > 1})
		}
	}
	return out
}
