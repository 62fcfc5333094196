package resources

import (
	"context"
	"go/ast"
	"go/token"

	"agentdungeon/server/inspect"
)

func patternsInLoops() inspect.Check {
	return inspect.Check{
		ID: "alchemist/pattern-in-loop", Hero: "alchemist", Local: true,
		Looks: "regular expressions of fixed text that Go compiles again in every turn of a loop",
		Rule:  "Medium if the loop reads an input or is inside a second one, else low.",
		Run:   runPatterns,
	}
}

var compiles = map[string]bool{
	"MustCompile": true, "Compile": true, "MustCompilePOSIX": true, "CompilePOSIX": true, "MatchString": true, "Match": true, "MatchReader": true,
}

func runPatterns(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	words := told{
		one:  func(p place) string { return p.name + " compiles the same pattern in every turn of a loop" },
		many: "The same patterns are compiled in every turn of a loop at %d places",
		easy: inspect.Low, hard: inspect.Medium,
		why:    "Compiling a pattern takes many times as long as matching a line, and each iteration discards the result.",
		advice: "Compile it once in a variable of the package with regexp.MustCompile.",
	}
	golang := r.Go(ctx)
	for f := range goFiles(ctx, r) {
		pkg := imports(f.AST, "regexp")
		if pkg == "" {
			continue
		}
		var out []place
		for _, fn := range goFuncs(f.AST) {
			for _, t := range fn.turns() {
				c, ok := t.node.(*ast.CallExpr)
				if !ok || len(c.Args) == 0 || t.once || len(out) == maxPlaces {
					continue
				}
				lit, fixed := c.Args[0].(*ast.BasicLit)
				from, name := called(c)
				if from != pkg || !compiles[name] || !fixed || lit.Kind != token.STRING {
					continue
				}
				long, reads := 0, false
				for _, loop := range t.loops {
					if !fn.small(loop) {
						long++
						reads = reads || fn.readsInput(loop)
					}
				}
				if long > 0 {
					out = append(out, place{golang.At(c.Pos()), pkg + "." + name, reads || long > 1})
				}
			}
		}
		words.tell(f.File, f.Text, out, report)
	}
	return ctx.Err()
}
