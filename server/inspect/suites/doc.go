// Package suites finds weak tests: assertions that cannot fail and tests that never run.
//
// It reads tests, runs none, and does not measure coverage. It owns no state. inspect/heroes lists its
// checks. Its name is not tests, because our own review, like others, treats files in a folder of that name as
// tests.
package suites

import "agentdungeon/server/inspect"

// Checks returns the checks that examine the repository's tests.
func Checks() []inspect.Check {
	return []inspect.Check{cannotFail, neverRuns}
}
