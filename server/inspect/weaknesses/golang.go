package weaknesses

import (
	"context"
	"iter"

	"agentdungeon/server/inspect"
)

// productGo yields the project's own Go files without tests.
func productGo(ctx context.Context, r *inspect.Repo) iter.Seq[*inspect.GoFile] {
	return func(yield func(*inspect.GoFile) bool) {
		for f := range r.Go(ctx).Own(ctx, r) {
			if !f.File.Test && !yield(f) {
				return
			}
		}
	}
}
