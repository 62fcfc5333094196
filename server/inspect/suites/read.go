package suites

import (
	"context"
	"strings"

	"agentdungeon/server/inspect"
)

// read has the results of all checks for a test file. Each file is parsed once, and its tree is not kept.
type read struct {
	file   *inspect.File
	idle   *idle
	failed []inspect.Finding // of cannot-fail
	hidden []inspect.Finding // of never-runs
	focus  *focus
	tests  int // tests without a focus
}

// readTests returns these results for the test files of a repository in JavaScript, TypeScript and Python, by path.
func readTests(ctx context.Context, r *inspect.Repo) []*read {
	type key struct{}
	return inspect.Memo(r, key{}, func() (out []*read) {
		ctx := context.WithoutCancel(ctx)
		isTest := func(f *inspect.File, _ []byte) bool {
			return f.Test && !strings.Contains(strings.ToLower(f.Path), "fixture") && !strings.Contains(f.Path, "testdata/") &&
				(f.Lang != "Python" || strings.HasPrefix(f.Base(), "test") || strings.HasSuffix(f.Base(), "_test.py"))
		}
		for tree := range r.Trees(ctx, isTest, append([]string{"Python"}, inspect.Scripts...)...) {
			f := &testFile{Tree: tree, declared: map[string]bool{}}
			found := &read{file: tree.File}
			if tree.File.Lang == "Python" {
				f.readPython()
			} else {
				f.readScript()
			}
			if len(f.tests) == 0 {
				continue
			}
			f.code = tree.Code()
			found.idle = f.idle()
			if tree.File.Lang == "Python" {
				found.failed, found.hidden = f.pythonCannotFail(), f.hidden()
			} else {
				found.failed = f.scriptCannotFail()
				found.focus, found.tests = f.focused()
			}
			out = append(out, found)
		}
		return out
	})
}
