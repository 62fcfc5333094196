// Package failures looks for silent failures: errors that are dropped or overwritten, and calls that may wait without
// limit.
//
// The checks resolve no types: they read one function or file at a time. A comment next to the code counts as an
// explanation of a dropped or overwritten error, which is then not reported. The package owns no state. inspect/heroes
// lists its checks. Its name is not errors, which is a package of the standard library.
package failures

import "agentdungeon/server/inspect"

// Checks returns the checks of failures.
func Checks() []inspect.Check {
	return []inspect.Check{dropped(), overwritten(), endless()}
}
