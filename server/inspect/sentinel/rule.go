package sentinel

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"agentdungeon/server/inspect"
)

// rule is one of gitleaks' rules for keys and tokens.
type rule struct {
	id       string
	pattern  *inspect.Regexp
	entropy  float64  // bits a character that the secret must exceed; 0: any
	group    int      // the group of the pattern that is the secret; 0: the first that is not empty, else all
	keywords []string // in small letters, two characters or more; a text must have one
	allowed  []allowance
}

// What the pattern of an allowance is asked about.
const (
	theSecret = iota
	theMatch
	theLine
)

// allowance describes hits that are no secrets: those that match the pattern or contain one of the
// words; with both, those that match and contain one.
type allowance struct {
	pattern *inspect.Regexp // nil: none
	of      int             // what the pattern is asked about
	words   []string        // in small letters
	both    bool
}

// hit is a text that a rule takes for a secret.
type hit struct {
	rule   string
	at     int    // where the match begins
	row    int    // the line of that, from 0
	line   string // the text around it, from the line's beginning to its end
	match  string
	secret string
}

// part is what the pattern of an allowance is asked about.
func (h hit) part(of int) string {
	switch of {
	case theMatch:
		return h.match
	case theLine:
		return h.line
	case theSecret:
	}
	return h.secret
}

// excused marks a line that people declare to hold no secret.
const excused = "gitleaks:allow"

// hitsIn returns what the rules take for secrets, in the order of the text. A test compares it with
// what gitleaks finds in the same texts.
func hitsIn(text string) (found []hit) {
	said := spotted(strings.ToLower(text))
	for i := range rules {
		if said[i] {
			found = rules[i].hits(found, text)
		}
	}
	slices.SortStableFunc(found, func(a, b hit) int {
		return cmp.Or(a.at-b.at, strings.Compare(a.rule, b.rule))
	})
	return found
}

func (r *rule) hits(found []hit, text string) []hit {
	for _, span := range r.pattern.FindAllStringIndex(text, -1) {
		match := strings.Trim(text[span[0]:span[1]], "\n")
		h := hit{rule: r.id, at: span[0], match: match, secret: match, line: lineAround(text, span[0], span[0]+len(match))}
		h.row = strings.Count(text[:min(span[0]+1, len(text))], "\n")
		if strings.Contains(h.line, excused) {
			continue
		}
		if groups := r.pattern.FindStringSubmatch(match); r.group > 0 && r.group < len(groups) {
			h.secret = groups[r.group]
		} else if len(groups) > 1 {
			h.secret = cmp.Or(cmp.Or(groups[1:]...), match)
		}
		if r.entropy != 0 && entropy(h.secret) <= r.entropy || holdsFor(everywhere, &h) || holdsFor(r.allowed, &h) {
			continue
		}
		found = append(found, h)
	}
	return found
}

// lineAround returns the lines from where a match begins to where it ends, with the line
// feed before them. On a last line without an end it is all of the text, as in gitleaks.
func lineAround(text string, begin, end int) string {
	next := strings.IndexByte(text[min(begin+1, len(text)):], '\n')
	if next < 0 {
		if n := strings.IndexByte(text[end:], '\r'); n >= 0 && strings.Contains(text, "\n") {
			return text[:end+n]
		}
		return text
	}
	from := max(strings.LastIndexByte(text[:min(begin+1, len(text))], '\n'), 0)
	if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
		return text[from : end+n]
	}
	return text[from:end]
}

// holdsFor reports whether one of a list of allowances holds for a hit.
func holdsFor(list []allowance, h *hit) bool {
	for i := range list {
		a := &list[i]
		matches := a.pattern != nil && a.pattern.MatchString(h.part(a.of))
		small := strings.ToLower(h.secret)
		holds := slices.ContainsFunc(a.words, func(word string) bool { return strings.Contains(small, word) })
		if a.both && matches && holds || !a.both && (matches || holds) {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) (bits float64) {
	counts := map[rune]int{}
	for _, r := range s {
		counts[r]++
	}
	for _, n := range counts {
		p := float64(n) / float64(len(s))
		bits -= p * math.Log2(p)
	}
	return bits
}

// keywords are the rules by the first two bytes of each of their keywords. It is made when
// it is first asked for.
var keywords = sync.OnceValue(func() *[1 << 16][]keyword {
	var table [1 << 16][]keyword
	for i := range rules {
		for _, word := range rules[i].keywords {
			at := int(word[0])<<8 | int(word[1])
			table[at] = append(table[at], keyword{word, i})
		}
	}
	return &table
})

type keyword struct {
	word string
	rule int // its index
}

// spotted says which rules have a keyword in a text of small letters.
func spotted(text string) []bool {
	said, table := make([]bool, len(rules)), keywords()
	for i := 0; i+1 < len(text); i++ {
		for _, k := range table[int(text[i])<<8|int(text[i+1])] {
			if !said[k.rule] && strings.HasPrefix(text[i:], k.word) {
				said[k.rule] = true
			}
		}
	}
	return said
}
