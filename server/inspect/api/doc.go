// Package api checks what a repository promises to its users. It reports breaks of the exported API since the last
// version tag or, in a review of a change, since its base, and module paths that do not fit the tag.
//
// It compares source text and resolves no types: where two spellings may mean the same
// type, it reports nothing. It never says which version comes next. It owns no state.
// inspect/heroes lists its checks.
package api

import "agentdungeon/server/inspect"

// Checks returns the checks of the API.
func Checks() []inspect.Check {
	return []inspect.Check{apiBreak, modulePath}
}
