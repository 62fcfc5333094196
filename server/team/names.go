package team

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"agentdungeon/shared/world"
)

// fold normalizes a name for comparison: names are equal if they differ only in case, white space, - and _, or look the
// same (S2-B9). fold composes letters, narrows wide letters, and drops the dashes and invisible marks that models and
// word processors write.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || c == '_' || unicode.In(c, unicode.Pd, unicode.Cf) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(c))
	}, norm.NFKC.String(s))
}

// Find returns the members that a name can mean: several if it is ambiguous (S2-B9). Exact matches come before
// folded ones, ids before names, and names before displayNames, so an id always means its member.
func Find(t world.Team, name string) []world.Member {
	name = strings.TrimSpace(name)
	for _, same := range []func(string) bool{
		func(s string) bool { return s == name },
		func(s string) bool { return fold(s) == fold(name) },
	} {
		for _, called := range []func(world.Member) string{
			func(m world.Member) string { return m.ID },
			func(m world.Member) string { return m.Name },
			func(m world.Member) string { return m.DisplayName },
		} {
			var found []world.Member
			for _, m := range t.Members {
				if n := called(m); fold(n) != "" && same(n) {
					found = append(found, m)
				}
			}
			if len(found) > 0 {
				return found
			}
		}
	}
	return nil
}
