package secrets

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"agentdungeon/server/inspect"
)

// rule is one rule of gitleaks for keys and tokens.
type rule struct {
	id       string
	pattern  *inspect.Regexp
	entropy  float64  // minimum entropy of the secret in bits a character, exclusive; 0 means any
	group    int      // the group of the pattern with the secret; 0 means the first group with text, else the match
	keywords []string // in lower case, of at least two characters; a text must contain one
	allowed  []allowance
}

// Values of allowance.of. They name the text to which the pattern of an allowance is applied.
const (
	theSecret = iota
	theMatch
	theLine
)

// allowance describes hits that are not secrets: the pattern matches the hit, or the secret of the hit contains one of
// the words. If the field both is set, the pattern must match and the secret must contain one of the words.
type allowance struct {
	pattern *inspect.Regexp // nil if there is none
	of      int             // the text that the pattern is matched against
	words   []string        // in lower case
	both    bool
}

// hit is a text that a rule recognises as a secret.
type hit struct {
	rule   string
	at     int    // offset of the match
	row    int    // line of the match, from 0
	line   string // all lines of the match
	match  string
	secret string
}

// part returns the text to which the pattern of an allowance is applied.
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

// excused marks a line about which people declare that it has no secret.
const excused = "gitleaks:allow"

// hitsIn returns the hits of all rules, in the order of their positions in the text. A test compares these hits with
// the hits of gitleaks in the same texts.
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

// lineAround returns the lines that contain the match from begin to end, with the line feed before the first of them.
// As gitleaks does, it returns the whole text if no line feed follows the beginning of the match.
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

// holdsFor reports whether one of the allowances applies to a hit, so that the hit is no secret.
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

// entropy returns the Shannon entropy of a text, in bits a byte.
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

// keywords returns the keywords of all rules, indexed by their first two bytes. The table is built on
// first use.
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
	rule int // index in rules
}

// spotted returns, for each rule, whether a text in lower case contains one of the rule's keywords.
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
