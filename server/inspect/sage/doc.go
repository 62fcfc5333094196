// Package sage looks at what the tests of a repository are worth: packages without
// any, tests that check nothing or cannot fail, tests that are passed over, left alone
// in focus, or never run.
//
// It reads tests and runs none, and it does not measure coverage. Where a test may
// check something in a way that cannot be seen in its own lines (a helper, a fixture),
// it is silent. It owns no state. inspect/heroes calls it.
package sage

import "agentdungeon/server/inspect"

const hero = "sage"

// Checks are the sage's.
func Checks() []inspect.Check {
	return []inspect.Check{untested, noAssertion, cannotFail, skipped, focused, neverRuns}
}
