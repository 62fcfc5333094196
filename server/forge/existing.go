package forge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/skill"
)

// Existing is an existing skill.
type Existing struct {
	Name        string
	Description string
}

const (
	// MinOverlap is how many keywords two skills must share to count as similar (S1-B5).
	MinOverlap = 2
	maxMatches = 3
)

// Match is a similar existing skill and the shared words.
type Match struct {
	Existing
	Shared []string
}

// Matches returns the existing skills that are similar to what was said, the most similar first,
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

// free returns the name, or the name with the first number that no skill has.
func free(name string, skills []Existing) string {
	for n := 2; taken(name, skills) && n < 1000; n++ {
		base := kebab(name, skill.MaxName-4)
		if next := base + "-" + strconv.Itoa(n); !taken(next, skills) {
			return next
		}
	}
	return name
}
