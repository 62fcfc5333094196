package suites

import (
	"context"
	"fmt"

	"agentdungeon/server/inspect"
)

var cannotFail = inspect.Check{
	ID: "sage/cannot-fail", Hero: "sage",
	Looks: "assertions that hold whatever the code does: expect(x) without a matcher, a matcher that is not called, " +
		"assert of a tuple (JavaScript, TypeScript, Python)",
	Rule: "Medium.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		type key struct{ path, title string }
		found := map[key]*inspect.Finding{}
		more := map[key][]string{}
		var order []key
		tell := func(f inspect.Finding) {
			k := key{f.Path, f.Title}
			if found[k] != nil { // the same title in one file is one finding
				more[k] = append(more[k], fmt.Sprint(f.Line))
				return
			}
			f.Same = f.Title
			order, found[k] = append(order, k), &f
		}
		for _, f := range readTests(ctx, r) {
			for _, x := range f.failed {
				tell(x)
			}
		}
		for _, k := range order {
			f := found[k]
			if n := len(more[k]); n > 0 {
				f.Title = inspect.Clip(fmt.Sprintf("%s, in %d places", f.Title, n+1), 100)
				f.Evidence += " (and on line " + inspect.Some(more[k], 3) + ")"
			}
			report(*f)
		}
		return ctx.Err()
	},
}
