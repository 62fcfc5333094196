// Package weaknesses finds known weaknesses (CWE) that can be seen at one place in the code: disabled checks of
// certificates, loaders that run code, services that are open by default, and workflows that run code of
// strangers. inspect/flows finds weaknesses along the path of a value through the program.
//
// It owns no state. inspect/heroes lists its checks.
package weaknesses

import (
	"agentdungeon/server/inspect"
)

// Checks returns the checks of weaknesses.
func Checks() []inspect.Check {
	return []inspect.Check{certificates(), yamlLoaders(), doors(), workflows()}
}
