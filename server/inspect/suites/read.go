package suites

import (
	"context"
	"strings"

	"agentdungeon/server/inspect"
)

// read has the findings of all checks of this package about one test file. The checks share the parsed file,
// because parsing takes long.
type read struct {
	file   *inspect.File
	failed []inspect.Finding // of cannot-fail
	hidden []inspect.Finding // of never-runs
}

// readTests parses the test files of a repository in JavaScript, TypeScript and Python, and returns the findings about
// each.
func readTests(ctx context.Context, r *inspect.Repo) []*read {
	type key struct{}
	return inspect.Memo(r, key{}, func() (out []*read) {
		ctx := context.WithoutCancel(ctx)
		isTest := func(f *inspect.File, _ []byte) bool {
			return f.Test && !strings.Contains(strings.ToLower(f.Path), "fixture") && !strings.Contains(f.Path, "testdata/") &&
				(f.Lang != "Python" || strings.HasPrefix(f.Base(), "test") || strings.HasSuffix(f.Base(), "_test.py"))
		}
		for tree := range r.Trees(ctx, isTest, append([]string{"Python"}, inspect.Scripts...)...) {
			f := &testFile{Tree: tree, code: tree.Code()}
			found := &read{file: tree.File}
			if tree.File.Lang == "Python" {
				f.readPython()
				found.failed, found.hidden = f.pythonCannotFail(), f.hidden()
			} else {
				found.failed = f.scriptCannotFail()
			}
			out = append(out, found)
		}
		return out
	})
}
