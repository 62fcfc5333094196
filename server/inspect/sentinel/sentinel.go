// Package sentinel looks for ways in: secrets and private keys in the repository,
// commands, queries and pages built out of text that somebody else may choose, checks
// of certificates that are switched off, and doors left open by default.
//
// It never repeats a secret: what it reports holds at most its first four characters,
// and a hash tells two of them apart. It tries no secret out, follows no value through
// the program, and says only what stands at the line. It owns no state.
// inspect/heroes calls it.
package sentinel

import (
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

const hero = "sentinel"

// Checks are the sentinel's.
func Checks() []inspect.Check {
	return []inspect.Check{secrets(), keys(), shell(), sql(), certificates(), codeFromText(), pages(), doors(), workflows(), guessable()}
}

var scripts = []string{"JavaScript", "TypeScript", "TSX", "JSX"}

func ext(f *inspect.File) string { return strings.ToLower(path.Ext(f.Path)) }
