// Package secrets finds keys, tokens and private keys of services in the repository, and masks them in other texts.
//
// It never repeats a secret: a finding shows at most its first four characters, and a hash of it distinguishes two
// findings. It never tries a secret. It owns no state. inspect/heroes lists its checks.
package secrets

import "agentdungeon/server/inspect"

// Checks returns the checks of secrets.
func Checks() []inspect.Check { return []inspect.Check{secrets(), keys()} }
