package suites

import (
	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// testFile is a test file in JavaScript, TypeScript or Python.
type testFile struct {
	*inspect.Tree
	code  []byte // Tree.Code
	tests []test // in Python
}

// test is a function or a class in Python whose name begins with test.
type test struct {
	node  syntax.Node
	name  string
	class bool
}

// line returns the line on which the test begins.
func (t *test) line() int { return t.node.Line() }
