// Package warden looks at what a repository promises to those outside: what became of
// the exported API since the last version tag, whether the version in the manifests
// fits that tag, entries of package.json that lead nowhere, types that callers get but
// cannot name, and deprecated things that the project itself still uses.
//
// It compares what is written and resolves no types: where two ways of writing may mean
// the same, it is silent. It never says which version comes next. It owns no state.
// inspect/heroes calls it.
package warden

import "agentdungeon/server/inspect"

const hero = "warden"

// Checks are the warden's.
func Checks() []inspect.Check {
	return []inspect.Check{apiBreak, modulePath, versionBehind, packageEntry, internalLeak, deprecatedUse}
}
