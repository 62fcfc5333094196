// Package heroes lists the checks of all heroes of a code review. It owns nothing;
// server/app hands the list to the scouts.
package heroes

import (
	"slices"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/alchemist"
	"agentdungeon/server/inspect/archaeologist"
	"agentdungeon/server/inspect/architect"
	"agentdungeon/server/inspect/bard"
	"agentdungeon/server/inspect/cartographer"
	"agentdungeon/server/inspect/healer"
	"agentdungeon/server/inspect/sage"
	"agentdungeon/server/inspect/scout"
	"agentdungeon/server/inspect/sentinel"
	"agentdungeon/server/inspect/warden"
)

// Checks returns the checks of all heroes, in the order of the template's roles.
func Checks() []inspect.Check {
	return slices.Concat(
		architect.Checks(),
		sentinel.Checks(),
		archaeologist.Checks(),
		cartographer.Checks(),
		alchemist.Checks(),
		healer.Checks(),
		sage.Checks(),
		warden.Checks(),
		scout.Checks(),
		bard.Checks(),
	)
}
