// Package mistakes has the checks of code that cannot do what it was written for: names that are nowhere defined,
// errors that are nil where they are returned, locks that are kept, events that end the process. It owns what makes a
// reader sure of that: each check sees the whole of a file or a function, and is silent where something that it does
// not see may make a difference.
package mistakes

import (
	"agentdungeon/server/inspect"
)

// Checks returns the checks of the package.
func Checks() []inspect.Check {
	return []inspect.Check{
		unknownNames(), nilErrors(), heldLocks(), sharedVariables(), openBodies(), crashes(), lostPromises(), logArguments(),
		unfitCalls(), definedTwice(), doubleAnswers(),
	}
}
