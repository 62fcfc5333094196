// Package change compares a repository with its base (inspect.Base), for reviews of a change: which lines and functions
// differ (code.go, function.go, lines.go), and which findings are new, stand in changed code or are mended (sort.go).
// It has the checks that need both trees: functions that no test reaches (untested.go) and names that documents still
// mention (stale.go).
//
// It reads files only through inspect.Repo and Base.Read, and keeps nothing but what inspect.Memo keeps. Counts limit
// its work. server/agent/local calls it.
package change

import "agentdungeon/server/inspect"

// Checks returns the checks that find something only in a review of a change.
func Checks() []inspect.Check {
	return []inspect.Check{untested, stale}
}
