// Package weaknesses finds known weaknesses (CWE) that one place of the code shows: disabled checks of certificates,
// loaders that run code, pages joined from text, services that are open by default, workflows that run what strangers
// write, and tokens that can be guessed. Weaknesses on the way of a value through the program are in inspect/flows.
//
// It owns no state. inspect/heroes lists its checks.
package weaknesses

import (
	"agentdungeon/server/inspect"
)

// Checks returns the checks of weaknesses.
func Checks() []inspect.Check {
	return []inspect.Check{certificates(), yamlLoaders(), shells(), pages(), doors(), workflows(), guessable()}
}
