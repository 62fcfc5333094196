// Package archaeologist has the checks for what time has left behind: notes of work that nobody did,
// files that nothing names, code in comments, and overdue promises to remove something.
//
// It calls a file unused only if no text of the repository contains its name, so it misses many and
// accuses few. It deletes nothing and owns no state. inspect/heroes lists its checks.
package archaeologist

import (
	"fmt"
	"strings"
	"time"

	"agentdungeon/server/inspect"
)

const hero = "archaeologist"

// Checks are the archaeologist's checks.
func Checks() []inspect.Check {
	return []inspect.Check{notes(), unusedModules(), unusedAssets(), commentedCode(), overdue(), stillCorners()}
}

// year is the age at which a note is stale.
const year = 365 * 24 * time.Hour

// since returns how long ago a time is, in words.
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

// some lists the first few of many.
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
