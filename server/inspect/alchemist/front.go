package alchemist

import (
	"context"
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
)

func frontInserts() inspect.Check {
	return inspect.Check{
		ID: "alchemist/front-insert", Hero: hero, Local: true,
		Looks: "lists that a loop over lines, rows, files and the like fills from the front, so that each new element moves all others",
		Rule:  "Medium if the loop is inside a second one that the list outlives too, else low.",
		Run:   runFrontInserts,
	}
}

func runFrontInserts(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	words := told{
		one:  func(p place) string { return "Each turn of a loop inserts at the front of " + short(p.name) },
		many: "Loops insert at the front of a list at %d places",
		easy: inspect.Low, hard: inspect.Medium,
		why:    "Each insert moves every element that is there already: twice as many elements cost four times the work.",
		advice: "Append in the loop and reverse the list once after it.",
	}
	parsed := r.Go(ctx)
	for f := range goFiles(ctx, r) {
		words.tell(f.File, f.Text, goFront(parsed, f), report)
	}
	for f, data := range r.All(ctx, "Python") {
		if !f.Test && strings.Contains(string(data), ".insert(0") {
			words.tell(f, data, pythonFront(data), report)
		}
	}
	for f, data := range scripts(ctx, r, ".unshift(") {
		words.tell(f, data, scriptFront(data), report)
	}
	return ctx.Err()
}

func goFront(golang *inspect.Golang, f *inspect.GoFile) []place {
	var out []place
	slicesPkg := imports(f.AST, "slices")
	for _, fn := range goFuncs(f.AST) {
		for _, t := range fn.turns() {
			a, ok := t.node.(*ast.AssignStmt)
			if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || t.once {
				continue
			}
			id, ok := a.Lhs[0].(*ast.Ident)
			c, is := a.Rhs[0].(*ast.CallExpr)
			if !ok || !is || !atFront(c, id.Name, slicesPkg) {
				continue
			}
			if n, over := fn.longLoops(t, id.Name); over {
				out = append(out, place{golang.At(a.Pos()), id.Name, n > 1})
			}
		}
	}
	return out
}

// longLoops counts the long loops over collections among the loops around a statement. It counts only loops that the
// variable outlives. over reports whether the name of a collection in one of the counted loops contains a word of the
// list many.
func (fn *goFunc) longLoops(t turn, name string) (n int, over bool) {
	for _, loop := range fn.grown(t, name) {
		if !fn.small(loop) && collects(loop) && !shortens(loop, name) {
			n++
			over = over || fn.overMany(loop)
		}
	}
	return n, over
}

// atFront matches calls that insert at the front of a list: append([]T{x}, s...) and slices.Insert(s, 0, x).
func atFront(c *ast.CallExpr, name, slicesPkg string) bool {
	if isName(c.Fun, "append") && c.Ellipsis.IsValid() && len(c.Args) == 2 {
		lit, ok := c.Args[0].(*ast.CompositeLit)
		return ok && len(lit.Elts) > 0 && isName(c.Args[1], name)
	}
	pkg, fn := called(c)
	if slicesPkg == "" || pkg != slicesPkg || fn != "Insert" || len(c.Args) < 3 || !isName(c.Args[0], name) {
		return false
	}
	zero, ok := c.Args[1].(*ast.BasicLit)
	return ok && zero.Value == "0"
}

var (
	pyFront = inspect.Pattern(`^([A-Za-z_]\w*)\.insert\(0\s*,`)
	pyList  = inspect.Pattern(`^(\[\s*\]|list\(\))$`)
)

func pythonFront(data []byte) []place {
	var out []place
	p := readPython(data)
	for i := range p.lines {
		m := pyFront.FindStringSubmatch(p.lines[i].mask)
		if m == nil || p.leaves(i) {
			continue
		}
		loop := p.grown(i, m[1], pyList.MatchString)
		if loop >= 0 && !strings.HasPrefix(p.lines[loop].mask, "while") && p.overMany(i, loop) && len(out) < maxPlaces {
			out = append(out, place{p.lines[i].number, m[1], p.depth(i, loop) > 1})
		}
	}
	return out
}

// depth counts the long loops around statement i, from the innermost one outwards. outermost is the index of the last
// loop to count.
func (p *pyCode) depth(i, outermost int) (n int) {
	for _, loop := range p.loops(i) {
		if strings.HasPrefix(p.lines[loop].mask, "for") && !pySmall.MatchString(p.lines[loop].mask) {
			n++
		}
		if loop == outermost {
			break
		}
	}
	return n
}

func scriptFront(data []byte) []place {
	var out []place
	s := readScript(data)
	for i, looks := 0, 0; i < len(s.tokens) && looks < maxLooks; i++ {
		if !s.is(i, "unshift") || !s.is(i-1, ".") || !s.is(i+1, "(") || s.is(i-3, ".") || i < 2 || s.leaves(i) {
			continue
		}
		looks++
		name := s.text(i - 2)
		if loops := s.grown(i, name); s.overMany(loops) {
			out = append(out, place{s.tokens[i].line, name, len(loops) > 1})
		}
	}
	return out
}
