// Package sentinel looks for ways to break in: secrets and private keys in the repository, commands,
// queries and pages built from text that somebody else may choose, disabled checks of certificates,
// and services that are open by default.
//
// It never repeats a secret: a finding has at most its first four characters, and a hash tells two
// secrets apart. It never tries a secret, does not follow values through the program, and reports only
// what is at the line. It owns no state. inspect/heroes lists its checks.
package sentinel

import (
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

const hero = "sentinel"

// Checks are the sentinel's checks.
func Checks() []inspect.Check {
	return []inspect.Check{secrets(), keys(), shell(), sql(), certificates(), codeFromText(), pages(), doors(), workflows(), guessable()}
}

var scripts = []string{"JavaScript", "TypeScript", "TSX", "JSX"}

func ext(f *inspect.File) string { return strings.ToLower(path.Ext(f.Path)) }
