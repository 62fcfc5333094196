// Package mistakes has the checks for code that cannot work as intended: names that are not defined anywhere,
// errors that are nil where they are returned, locks that are not released, answers and files that are not closed,
// events that end the process, merges that nobody finished. Each check examines a whole file or a whole function, and
// reports nothing if code that it does not examine may make a difference.
package mistakes

import (
	"agentdungeon/server/inspect"
)

// Checks returns the checks of the package.
func Checks() []inspect.Check {
	return []inspect.Check{
		conflicts(), unknownNames(), nilErrors(), heldLocks(), unclosed(), crashes(), lostPromises(),
		unfitCalls(), definedTwice(), wrongConditions(), doubleAnswers(), removedAPIs(),
		removedNames(),
	}
}
