package secrets

import (
	"cmp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Bounds of Mask.
const (
	maskWindow  = 64 << 10 // bytes that are searched at a time
	maskOverlap = 8 << 10  // bytes that two windows share: no key of a service is longer
)

var (
	escapes  = inspect.Pattern(`\\+[nrtbf"'/]`)
	maskedPK = inspect.Pattern(`-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`)
	endOfPK  = inspect.Pattern(`-----END ([A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`)
)

// masked is a part of a text that is replaced by a mark, with the rule that found it.
type masked struct {
	from, to int
	rule     string
}

// Mask returns text with a fixed mark, such as [secret: github-pat], in place of each secret that the rules of the
// review find, of each private key, and of each value whose name says that it is a secret, unless it is a word or a
// placeholder. Unlike the review, it ignores excuses: it also masks values that a comment or a list of words
// declares harmless, and values in sentences and commands (said.go). It also finds secrets in escaped JSON strings.
func Mask(text string) string {
	out, _ := replace(text, false)
	return out
}

// MaskLines is Mask for a file that is shown with line numbers: a mark keeps the line breaks of what it replaces, and
// code that reads like a sentence about a secret stays. lines has the numbers of the changed lines, in order.
func MaskLines(text string) (out string, lines []int) { return replace(text, true) }

func replace(text string, keep bool) (masked string, lines []int) {
	spans := merged(find(text, !keep))
	if len(spans) == 0 {
		return text, nil
	}
	var out strings.Builder
	at, line := 0, 1
	for _, s := range spans {
		line += strings.Count(text[at:s.from], "\n")
		out.WriteString(text[at:s.from])
		out.WriteString("[secret: " + s.rule + "]")
		at = s.to
		if !keep {
			continue
		}
		breaks := strings.Count(text[s.from:s.to], "\n")
		out.WriteString(strings.Repeat("\n", breaks))
		for n := line; n <= line+breaks; n++ {
			if len(lines) == 0 || lines[len(lines)-1] < n {
				lines = append(lines, n)
			}
		}
		line += breaks
	}
	out.WriteString(text[at:])
	return out.String(), lines
}

// find returns the positions of all secrets in a text, in any order. said: whether to search as in sentences and
// commands, too.
func find(text string, said bool) []masked {
	spans := privateKeys(text)
	for from := 0; from < len(text); from += maskWindow - maskOverlap {
		window := text[from:min(len(text), from+maskWindow)]
		spans = append(spans, secretsIn(window, from)...)
		plain := unescaped(window)
		if plain != window {
			spans = append(spans, secretsIn(plain, from)...)
		}
		if said {
			spans = append(spans, apart(saidIn(plain, from), spans)...)
		}
		if from+maskWindow >= len(text) {
			break
		}
	}
	return spans
}

// apart returns the spans that overlap none of the others: a rule of the review names a secret better.
func apart(spans, others []masked) []masked {
	return slices.DeleteFunc(spans, func(s masked) bool {
		return slices.ContainsFunc(others, func(o masked) bool { return s.from < o.to && o.from < s.to })
	})
}

// merged returns the spans in order. Overlapping spans become one span with the rule of the first.
func merged(spans []masked) (out []masked) {
	slices.SortFunc(spans, func(a, b masked) int {
		return cmp.Or(a.from-b.from, b.to-a.to, strings.Compare(a.rule, b.rule))
	})
	for _, s := range spans {
		if last := len(out) - 1; last >= 0 && s.from < out[last].to {
			out[last].to = max(out[last].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// unescaped returns a text of the same length with blanks in place of the escapes of JSON and of shells.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return escapes.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}

// secretsIn returns the parts of a window that the rules find; at is the window's offset.
func secretsIn(window string, at int) (spans []masked) {
	said := spotted(strings.ToLower(window))
	for i := range rules {
		if !said[i] {
			continue
		}
		r := &rules[i]
		for _, m := range r.pattern.FindAllSubmatchIndex([]byte(window), -1) {
			from, to := m[0], m[1]
			for g := 1; g < len(m)/2; g++ { // as in rule.hits: the named group, else the first group with text
				if r.group > 0 && g != r.group || m[2*g] < 0 || m[2*g] == m[2*g+1] {
					continue
				}
				from, to = m[2*g], m[2*g+1]
				break
			}
			secret := window[from:to]
			if r.entropy != 0 && entropy(secret) <= r.entropy || isPlaceholder(secret) {
				continue
			}
			spans = append(spans, masked{at + from, at + to, r.id})
		}
	}
	for _, h := range namedIn(window) {
		if isGuarded(h.secret) {
			spans = append(spans, masked{at + h.at, at + h.at + len(h.secret), h.rule})
		}
	}
	return spans
}

// privateKeys returns the private keys of a text. One without an end reaches to the end of the text.
func privateKeys(text string) (spans []masked) {
	if !strings.Contains(text, "PRIVATE KEY") {
		return nil
	}
	for from := 0; from < len(text); {
		begin := maskedPK.FindStringIndex(text[from:])
		if begin == nil {
			return spans
		}
		span := masked{from + begin[0], len(text), "private-key"}
		if end := endOfPK.FindStringIndex(text[from+begin[1]:]); end != nil {
			span.to = from + begin[1] + end[1]
		}
		spans = append(spans, span)
		from = span.to
	}
	return spans
}
