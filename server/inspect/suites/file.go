package suites

import (
	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// testFile is a test file in JavaScript, TypeScript or Python.
type testFile struct {
	*inspect.Tree
	code  []byte // Tree.Code
	tests []test
	// declared has the names of the functions and variables that the file declares, and of those that it imports from
	// files whose names say that they help tests.
	declared map[string]bool
}

// test is a call such as it(), test() or describe() with a title, or a function or class in Python whose name begins
// with test.
type test struct {
	node  syntax.Node // the call or the definition
	name  string      // it, test, describe, xit, fit, ...; in Python the name of the function
	mods  string      // ".skip", ".only.each"
	title string
	group bool // describe, context, suite and their variants; a class
	// body is the block of the test's function, or the zero Node without a function. params has the parameters of the
	// function without self.
	body   syntax.Node
	params []string
}

// line returns the line on which the test begins.
func (t *test) line() int { return t.node.Line() }

// source returns the code of a node without the content of its comments and strings.
func (f *testFile) source(n syntax.Node) string { return string(f.code[n.Start():n.End()]) }
