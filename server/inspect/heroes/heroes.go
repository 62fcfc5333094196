// Package heroes lists the checks of all heroes of a code review. It owns nothing;
// server/app hands the list to the scouts.
package heroes

import (
	"slices"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/api"
	"agentdungeon/server/inspect/dependencies"
	"agentdungeon/server/inspect/failures"
	"agentdungeon/server/inspect/flows"
	"agentdungeon/server/inspect/mistakes"
	"agentdungeon/server/inspect/prose"
	"agentdungeon/server/inspect/secrets"
	"agentdungeon/server/inspect/suites"
	"agentdungeon/server/inspect/weaknesses"
)

// roles has the heroes in the order of the template's roles.
var roles = []string{
	"architect", "sentinel", "archaeologist", "cartographer", "alchemist", "healer", "sage", "warden", "scout", "bard",
}

// Checks returns the checks of all subjects, in the order of the template's roles.
func Checks() []inspect.Check {
	all := slices.Concat(
		secrets.Checks(), weaknesses.Checks(), flows.Checks("sentinel"), failures.Checks(),
		mistakes.Checks(), suites.Checks(), api.Checks(), dependencies.Checks(), prose.Checks(),
	)
	slices.SortStableFunc(all, func(a, b inspect.Check) int {
		return slices.Index(roles, a.Hero) - slices.Index(roles, b.Hero)
	})
	return all
}
