package forge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Existing is a skill that there is already.
type Existing struct {
	Name        string
	Description string
}

const (
	// MinOverlap is how many keywords two skills share at least to be taken for alike
	// (S1-B5).
	MinOverlap = 2
	maxMatches = 3
)

// Match is an existing skill that comes close, and the words that it shares.
type Match struct {
	Existing
	Shared []string
}

// Matches are the existing skills that come close to what was said, the closest first,
// at most maxMatches.
func Matches(text string, skills []Existing) []Match {
	wanted := map[string]string{} // stem: as it was written
	for _, w := range words(text) {
		if _, ok := wanted[stem(w)]; !ok {
			wanted[stem(w)] = w
		}
	}
	var out []Match
	for _, s := range skills {
		m := Match{Existing: s}
		for _, k := range keywords(s.Name + " " + s.Description) {
			if w, ok := wanted[k]; ok {
				m.Shared = append(m.Shared, w)
			}
		}
		if len(m.Shared) >= MinOverlap {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int {
		return cmp.Or(len(b.Shared)-len(a.Shared), strings.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), maxMatches)]
}

func taken(name string, skills []Existing) bool {
	return slices.ContainsFunc(skills, func(s Existing) bool { return s.Name == name })
}

// free is the name, or the first with a number that no skill has.
func free(name string, skills []Existing) string {
	for n := 2; taken(name, skills) && n < 1000; n++ {
		base := kebab(name, MaxSkillName-4)
		if next := base + "-" + strconv.Itoa(n); !taken(next, skills) {
			return next
		}
	}
	return name
}
