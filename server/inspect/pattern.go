package inspect

import "agentdungeon/shared/pattern"

// Regexp is a regular expression that is compiled on first use, since a server that never reviews code needs none of
// the 250 expressions of the checks.
type Regexp = pattern.Regexp

// Pattern returns the regular expression for a text without compiling it.
func Pattern(text string) *Regexp { return pattern.New(text) }
