package party

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"agentdungeon/shared/world"
)

// fold is a name with case, white space, - and _ left out (S2-B9). What looks the same is
// the same: letters composed otherwise, wide ones, and the many dashes and invisible marks
// that models and word processors write.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || c == '_' || unicode.In(c, unicode.Pd, unicode.Cf) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(c))
	}, norm.NFKC.String(s))
}

// Find gives the members that a name means: one, none where nobody is called that, more
// where it is ambiguous. What is written exactly goes before what is written alike, and
// an id before a name before a displayName: so an id always means its member (S2-B9).
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

// one is the one member that a name means, nil for none or several.
func one(t world.Team, name string) *world.Member {
	if found := Find(t, name); len(found) == 1 {
		return &found[0]
	}
	return nil
}
