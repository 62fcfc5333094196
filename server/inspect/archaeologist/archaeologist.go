// Package archaeologist has the checks for leftovers: modules that nothing names, and overdue promises to remove
// something.
//
// It reports a file as unused only if no text of the repository contains its name. So it misses many
// unused files, and reports few that are used. The age of notes and of files is a number of the report, not a finding.
// It deletes nothing and owns no state. inspect/heroes lists its checks.
package archaeologist

import "agentdungeon/server/inspect"

const hero = "archaeologist"

// Checks returns the checks of the hero archaeologist.
func Checks() []inspect.Check {
	return []inspect.Check{unusedModules(), overdue()}
}
