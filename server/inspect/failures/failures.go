// Package failures looks for silent failures: errors that are dropped or overwritten, and calls that may wait without
// limit.
//
// The checks resolve no types: they read one function at a time. A comment next to the code counts as an
// explanation, so the checks report nothing there. The package owns no state. inspect/heroes lists its checks. Its
// name is not errors, which is a package of the standard library.
package failures

import "agentdungeon/server/inspect"

// Checks returns the checks of failures.
func Checks() []inspect.Check {
	return []inspect.Check{dropped(), overwritten(), endless()}
}
