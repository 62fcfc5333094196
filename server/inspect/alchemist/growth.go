package alchemist

import (
	"context"
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
)

func textGrowth() inspect.Check {
	return inspect.Check{
		ID: "alchemist/text-growth", Hero: hero, Local: true,
		Looks: "Go strings that a loop over an input, lines, rows, files and the like extends, so that each new piece copies the whole text",
		Rule:  "Medium if the loop reads an input, else low.",
		Run:   runTextGrowth,
	}
}

func runTextGrowth(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	golang := told{
		one:  func(p place) string { return "The string " + short(p.name) + " is copied in every turn of a loop" },
		many: "Strings are copied in every turn of a loop at %d places",
		easy: inspect.Low, hard: inspect.Medium,
		why:    "Each += makes a new string and copies the old one into it: twice as many pieces cost four times the work.",
		advice: "Write the pieces to a strings.Builder and take its String after the loop, or collect them and use strings.Join.",
	}
	parsed := r.Go(ctx)
	for f := range goFiles(ctx, r) {
		golang.tell(f.File, f.Text, goGrowth(parsed, f), report)
	}
	return ctx.Err()
}

func goGrowth(golang *inspect.Golang, f *inspect.GoFile) []place {
	var out []place
	for _, fn := range goFuncs(f.AST) {
		for _, t := range fn.turns() {
			a, ok := t.node.(*ast.AssignStmt)
			if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
				continue
			}
			id, ok := a.Lhs[0].(*ast.Ident)
			if !ok || a.Tok != token.ADD_ASSIGN && !(a.Tok == token.ASSIGN && startsWith(a.Rhs[0], id.Name)) || t.once || !fn.isText(id.Name) {
				continue
			}
			reads, over := false, false
			for _, loop := range fn.grown(t, id.Name) {
				if !fn.small(loop) && !shortens(loop, id.Name) {
					reads = reads || fn.readsInput(loop)
					over = over || fn.overMany(loop) || byCharacter(loop, a.Rhs[0])
				}
			}
			if over && len(out) < maxPlaces {
				out = append(out, place{golang.At(a.Pos()), id.Name, reads})
			}
		}
	}
	return out
}

// byCharacter matches for _, c := range text { s += string(c) }.
func byCharacter(loop ast.Stmt, e ast.Expr) bool {
	l, ok := loop.(*ast.RangeStmt)
	c, is := e.(*ast.CallExpr)
	if !ok || !is || l.Value == nil || !isName(c.Fun, "string") || len(c.Args) != 1 {
		return false
	}
	id, ok := l.Value.(*ast.Ident)
	return ok && isName(c.Args[0], id.Name)
}

// startsWith matches s + more, which copies s.
func startsWith(e ast.Expr, name string) bool {
	b, ok := e.(*ast.BinaryExpr)
	for ok && b.Op == token.ADD {
		if isName(b.X, name) {
			return true
		}
		b, ok = b.X.(*ast.BinaryExpr)
	}
	return false
}

// shortens reports whether the condition of a loop uses the variable. Such a loop pads or shortens a text and has few
// turns.
func shortens(loop ast.Stmt, name string) bool {
	l, ok := loop.(*ast.ForStmt)
	return ok && l.Cond != nil && uses(l.Cond, name)
}

// readsInput reports whether a loop reads from a bufio reader in each turn.
func (fn *goFunc) readsInput(loop ast.Stmt) bool {
	return fn.buffered && fn.ask("reads", loop, "", func() bool { return looksReading(loop) })
}

func looksReading(loop ast.Stmt) bool {
	l, ok := loop.(*ast.ForStmt)
	if !ok {
		return false
	}
	found := false
	look := func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			switch _, name := called(c); name {
			case "Scan", "ReadString", "ReadLine", "ReadBytes", "ReadRune", "ReadByte":
				found = true
			}
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	}
	if l.Cond != nil {
		ast.Inspect(l.Cond, look)
	} else {
		ast.Inspect(l.Body, look)
	}
	return found
}

// isText reports whether the function declares a variable as a string.
func (fn *goFunc) isText(name string) bool {
	return fn.ask("text", nil, name, func() bool { return fn.looksText(name) })
}

func (fn *goFunc) looksText(name string) bool {
	for at := fn; at != nil; at = at.outer {
		for _, p := range fields(at.params) {
			for _, id := range p.Names {
				if id.Name == name {
					return isName(p.Type, "string")
				}
			}
		}
		declared, text := false, false
		ast.Inspect(at.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if id.Name == name {
						declared = true
						text = text || isName(n.Type, "string") || n.Type == nil && i < len(n.Values) && givesText(n.Values[i])
					}
				}
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if isName(l, name) && n.Tok == token.DEFINE {
						declared = true
						text = text || len(n.Lhs) == len(n.Rhs) && givesText(n.Rhs[i])
					}
				}
			}
			return true
		})
		if declared {
			return text
		}
	}
	return false
}

// givesText reports whether an expression certainly is a string: a string literal, a sum with a string literal, a
// conversion to string, or a call of a standard library function that returns a string.
func givesText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (givesText(e.X) || givesText(e.Y))
	case *ast.CallExpr:
		if isName(e.Fun, "string") {
			return true
		}
		switch pkg, name := called(e); pkg {
		case "fmt":
			return strings.HasPrefix(name, "Sprint")
		case "strings":
			switch name {
			case "Join", "Repeat", "Replace", "ReplaceAll", "ToLower", "ToUpper", "TrimSpace", "Trim", "TrimLeft", "TrimRight", "TrimPrefix", "TrimSuffix":
				return true
			}
		case "strconv":
			return name == "Itoa" || name == "Quote" || strings.HasPrefix(name, "Format")
		}
	}
	return false
}
