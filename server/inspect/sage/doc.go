// Package sage finds weak tests: tests that check nothing or cannot fail, that are
// focused with .only, or that never run.
//
// It reads tests, runs none, and does not measure coverage. It reports nothing about a
// test that may check something outside its own lines, such as in a helper or a fixture.
// It owns no state. inspect/heroes calls it.
package sage

import "agentdungeon/server/inspect"

const hero = "sage"

// Checks returns the checks of the hero sage.
func Checks() []inspect.Check {
	return []inspect.Check{noAssertion, cannotFail, focused, neverRuns}
}
