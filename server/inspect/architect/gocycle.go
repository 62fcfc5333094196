package architect

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/server/inspect"
)

var goCycle = inspect.Check{
	ID: hero + "/go-cycle", Hero: hero,
	Looks: "Go packages that import each other in a circle, tests and files for some systems only left out",
	Rule:  "High: the go command refuses to build such packages.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		packages, dirs := goPackages(ctx, r)
		g := newGraph(dirs)
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
				Evidence: g.way(ring),
				Why:      "The go command answers \"import cycle not allowed\" for these packages and for all that import them.",
				Advice:   fmt.Sprintf("Move what %s needs of %s into a package that imports neither, or hand it in as an interface.", or(first, "the root package"), or(second, "the root package")),
				Same:     "circle",
			})
		}
		return nil
	},
}

var hub = inspect.Check{
	ID: hero + "/hub", Hero: hero,
	Looks: "a Go package that a large part of its module imports and that itself imports a large part of it",
	Rule:  "Medium if both figures are over half of the module's packages, low if both are over a third; silent below 20 packages.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		packages, dirs := goPackages(ctx, r)
		modules := map[string][]string{}
		for _, d := range dirs {
			if !inTests(packages[d]) {
				modules[packages[d].root] = append(modules[packages[d].root], d)
			}
		}
		for _, root := range slices.Sorted(maps.Keys(modules)) {
			list := modules[root]
			if len(list) < 20 {
				continue
			}
			in, out := map[string]int{}, map[string]int{}
			for _, d := range list {
				for _, to := range packages[d].uses.dirs() {
					if !inTests(packages[to]) {
						in[to]++
						out[d]++
					}
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
			for _, d := range list {
				least := min(in[d], out[d])
				if 3*least <= len(list) || packages[d].Name == "main" {
					continue
				}
				severity := inspect.Low
				if 2*least > len(list) {
					severity = inspect.Medium
				}
				report(inspect.Finding{
					Severity: severity,
					Title:    fmt.Sprintf("Package %s is imported by %d packages and imports %d", packages[d].Name, in[d], out[d]),
					Path:     packages[d].files[0].File.Path,
					Evidence: fmt.Sprintf("%s: %d of the module's %d packages import it, it imports %d of them", or(d, "the root folder"), in[d], len(list), out[d]),
					Why:      "Nearly every change reaches this package, and a change to it is built and tested with nearly everything.",
					Advice:   "Split it: what many import should itself import little, and what puts the parts together should be imported by few.",
					Same:     "hub",
				})
			}
		}
		return nil
	},
}
