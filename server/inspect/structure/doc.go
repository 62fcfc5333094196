// Package structure checks the text of files for unfinished merges. It owns no state. inspect/heroes lists its checks.
package structure

import "agentdungeon/server/inspect"

// Checks returns the checks of the structure.
func Checks() []inspect.Check { return []inspect.Check{conflicts()} }
