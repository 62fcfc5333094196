package resources

import (
	"context"
	"go/ast"
	"go/types"

	"agentdungeon/server/inspect"
)

func defersInLoops() inspect.Check {
	return inspect.Check{
		ID: "alchemist/defer-in-loop", Hero: "alchemist", Local: true,
		Looks: "defer in a Go loop that releases a resource of each iteration: all are held until the function returns",
		Rule: "High if it unlocks a lock that the same iteration has locked; else medium and a candidate, because most " +
			"loops have few iterations.",
		Run: runDefers,
	}
}

// releases lists methods that release a resource.
var releases = map[string]bool{"Close": true, "Unlock": true, "RUnlock": true, "Release": true}

func runDefers(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	golang := r.Go(ctx)
	for f := range goFiles(ctx, r) {
		words := told{
			one:  func(p place) string { return "defer " + short(p.name) + " in a loop waits for the function's end" },
			many: "%d defers in loops wait for the function's end",
			easy: inspect.Medium, hard: inspect.High,
			why: "Each iteration opens one more and the function closes all at its end: a long loop runs out of files, " +
				"connections or locks.",
			advice: "Put the body of the loop into a function of its own, so that defer runs at the end of each turn.",
		}
		var out []place
		for _, fn := range goFuncs(f.AST) {
			for _, t := range fn.turns() {
				d, ok := t.node.(*ast.DeferStmt)
				if !ok || t.once || len(out) == maxPlaces {
					continue
				}
				sel, ok := d.Call.Fun.(*ast.SelectorExpr)
				if !ok || !releases[sel.Sel.Name] || len(d.Call.Args) > 0 {
					continue
				}
				loop := t.loops[len(t.loops)-1]
				if fn.small(loop) || ends(loopBody(loop)) {
					continue
				}
				name := types.ExprString(d.Call)
				if sel.Sel.Name == "Unlock" || sel.Sel.Name == "RUnlock" {
					if locks(loopBody(loop), types.ExprString(sel.X), sel.Sel.Name[:len(sel.Sel.Name)-len("Unlock")]+"Lock") &&
						!turnsWith(loop, sel.X) {
						out = append(out, place{golang.At(d.Pos()), name, true})
					}
					continue
				}
				id, ok := sel.X.(*ast.Ident)
				if ok && takes(loopBody(loop), id.Name) && !keeps(loopBody(loop), id.Name, d) {
					out = append(out, place{golang.At(d.Pos()), name, false})
				}
			}
		}
		if len(out) == 1 && out[0].hard {
			words.why = "The second iteration waits for the lock that the first one holds, and the function hangs."
			words.advice = "Unlock at the end of the iteration, or put the body of the loop into a function of its own."
		}
		words.tell(f.File, f.Text, out, func(found inspect.Finding) {
			if found.Severity == inspect.Medium {
				found.Suspect("the loop may have few iterations")
			}
			report(found)
		})
	}
	return ctx.Err()
}

// ends reports whether the body of a loop always leaves the loop in its first iteration.
func ends(body *ast.BlockStmt) bool {
	return len(body.List) > 0 && leaves(body.List[len(body.List)-1], false)
}

// locks reports whether a block calls a method such as Lock on a lock. of is the expression of the lock, such as
// "s.mu".
func locks(body *ast.BlockStmt, of, method string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if sel, ok := c.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == method && types.ExprString(sel.X) == of {
				found = true
			}
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// turnsWith reports whether the value of an expression may differ in each turn of the loop: the loop sets one of the
// expression's variables, or the expression has an index.
func turnsWith(loop ast.Stmt, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && resets(loop, id.Name) {
			found = true
		}
		if _, ok := n.(*ast.IndexExpr); ok {
			found = true
		}
		return !found
	})
	return found
}

// takes reports whether a block assigns the result of a call to the variable.
func takes(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 {
			if _, call := a.Rhs[0].(*ast.CallExpr); call {
				for _, l := range a.Lhs {
					found = found || inspect.IsName(l, name)
				}
			}
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// keeps reports whether the value of a variable may have to stay open after the turn of a loop: the block stores it in
// a list, a map, a field, a channel or another variable, or starts work that goes on, or does nothing with it, so that
// it serves what comes after the loop. The parameter but is the deferred call, which keeps ignores.
func keeps(body *ast.BlockStmt, name string, but *ast.DeferStmt) bool {
	found, used := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			return n != but
		case *ast.AssignStmt:
			for _, e := range n.Rhs {
				found = found || inspect.IsName(e, name) || isAddress(e, name)
				used = used || inspect.Mentions(e, name)
			}
		case *ast.CallExpr:
			for _, e := range n.Args {
				_, work := e.(*ast.FuncLit)
				found = found || work || inspect.IsName(n.Fun, "append") && inspect.Mentions(e, name)
			}
			used = used || inspect.Mentions(n, name)
		case *ast.CompositeLit:
			found = found || inspect.Mentions(n, name)
		case *ast.SendStmt:
			found = found || inspect.Mentions(n.Value, name)
		case *ast.GoStmt:
			found = true
		case *ast.FuncLit:
			found = found || inspect.Mentions(n, name)
		case *ast.RangeStmt:
			used = used || inspect.Mentions(n.X, name)
		}
		return !found
	})
	return found || !used
}

func isAddress(e ast.Expr, name string) bool {
	u, ok := e.(*ast.UnaryExpr)
	return ok && inspect.IsName(u.X, name)
}
