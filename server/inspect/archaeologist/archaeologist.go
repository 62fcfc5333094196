// Package archaeologist has the checks for leftovers: old notes of work to do, files that nothing names,
// code in comments, overdue promises to remove something, and files that have not changed for years.
//
// It reports a file as unused only if no text of the repository contains its name. So it misses many
// unused files, and reports few that are used. It deletes nothing and owns no state. inspect/heroes
// lists its checks.
package archaeologist

import (
	"fmt"
	"strings"
	"time"

	"agentdungeon/server/inspect"
)

const hero = "archaeologist"

// Checks returns the checks of the hero archaeologist.
func Checks() []inspect.Check {
	return []inspect.Check{notes(), unusedModules(), unusedAssets(), commentedCode(), overdue(), stillCorners()}
}

// year is the age at which a note is stale.
const year = 365 * 24 * time.Hour

// since returns the time between two times in words, such as "3 years".
func since(now, at time.Time) string {
	days := int(now.Sub(at).Hours() / 24)
	switch {
	case days >= 2*365:
		return fmt.Sprintf("%d years", days/365)
	case days >= 365:
		return fmt.Sprintf("%d months", days/30)
	default:
		return fmt.Sprintf("%d days", days)
	}
}

// some returns the first limit items of a list, one item a line, and the number of the other items.
func some(list []string, limit int) string {
	if len(list) <= limit {
		return strings.Join(list, "\n")
	}
	return strings.Join(list[:limit], "\n") + fmt.Sprintf("\nand %d more", len(list)-limit)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
