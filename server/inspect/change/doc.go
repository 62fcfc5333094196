// Package change compares a repository with its base (inspect.Base), for reviews of a change: which lines and
// functions differ (code.go, function.go, lines.go), and which findings are new, in changed code or gone (sort.go).
// It has the checks that need both commits: functions that no test reaches (untested.go) and names that documents
// still mention (stale.go).
//
// It reads files only through inspect.Repo and Base.Read, and caches results only by inspect.Memo. Counts, not
// seconds, limit its work. server/agent/local calls it.
package change

import "agentdungeon/server/inspect"

// Checks returns the checks that find something only in a review of a change.
func Checks() []inspect.Check {
	return []inspect.Check{untested, stale}
}
