// Package suites finds weak tests: tests that check nothing or cannot fail, that are
// focused with .only, or that never run.
//
// It reads tests, runs none, and does not measure coverage. It reports nothing about a test that may check
// something outside its own lines, such as in a helper or a fixture. It owns no state. inspect/heroes lists its
// checks. Its name is not tests, because our own review, like others, treats files in a folder of that name as
// tests.
package suites

import "agentdungeon/server/inspect"

// Checks returns the checks of tests.
func Checks() []inspect.Check {
	return []inspect.Check{noAssertion, cannotFail, focused, neverRuns}
}
