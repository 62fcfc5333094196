// Package sentinel looks for ways to break in: secrets and private keys in the repository, values from requests that
// reach a dangerous place (inspect/flows), pages joined from untrusted text, disabled checks of certificates, and
// services that are open by default.
//
// It never repeats a secret: a finding shows at most its first four characters, and a hash of it
// distinguishes two findings. It never tries a secret.
// It owns no state. inspect/heroes lists its checks.
package sentinel

import (
	"path"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/flows"
)

const hero = "sentinel"

// Checks returns the checks of the hero sentinel.
func Checks() []inspect.Check {
	return append(own(), flows.Checks(hero)...)
}

func own() []inspect.Check {
	return []inspect.Check{secrets(), keys(), certificates(), yamlLoaders(), pages(), doors(), workflows(), guessable()}
}

var scripts = []string{"JavaScript", "TypeScript", "TSX", "JSX"}

func ext(f *inspect.File) string { return strings.ToLower(path.Ext(f.Path)) }
