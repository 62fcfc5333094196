package structure

import (
	"cmp"
	"context"
	"fmt"

	"agentdungeon/server/inspect"
)

var goCycle = inspect.Check{
	ID: "architect/go-cycle", Hero: "architect",
	Looks: "Go packages that import each other in a circle, tests and files for some systems only left out",
	Rule:  "High: the go command refuses to build such packages.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		packages, dirs := goPackages(ctx, r)
		g := newGraph(packages)
		for _, d := range dirs {
			for _, to := range packages[d].uses.dirs() {
				if packages[d].uses[to].always {
					g.add(d, to)
				}
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		for _, set := range g.circles() {
			ring := g.shortest(set)
			first, second := g.names[ring[0]], g.names[ring[1%len(ring)]]
			use := packages[first].uses[second]
			report(inspect.Finding{
				Severity: inspect.High,
				Title:    fmt.Sprintf("%d packages import each other in a circle", len(set)),
				Path:     use.file.File.Path, Line: r.Go(ctx).At(use.spec.Pos()),
				Evidence: g.way(set, ring, "packages"),
				Why:      "The go command answers \"import cycle not allowed\" for these packages and for all that import them.",
				Advice: fmt.Sprintf("Move what %s needs of %s into a package that imports neither, or hand it in as an "+
					"interface.", cmp.Or(first, "the root package"), cmp.Or(second, "the root package")),
				Same: "circle",
			})
		}
		return nil
	},
}
