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

// masked is a part of a text that is masked.
type masked struct {
	from, to int
	rule     string
}

// Mask returns text with a fixed mark, such as [secret: github-pat], in place of each secret that the rules of the
// review find, and of each private key. Unlike the review it knows no excuse: it also masks what a line or a list of
// words calls harmless. It finds secrets in JSON whose texts are escaped.
func Mask(text string) string {
	spans := privateKeys(text)
	for from := 0; from < len(text); from += maskWindow - maskOverlap {
		window := text[from:min(len(text), from+maskWindow)]
		spans = append(spans, secretsIn(window, from)...)
		if plain := unescaped(window); plain != window {
			spans = append(spans, secretsIn(plain, from)...)
		}
		if from+maskWindow >= len(text) {
			break
		}
	}
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b masked) int {
		return cmp.Or(a.from-b.from, b.to-a.to, strings.Compare(a.rule, b.rule))
	})
	var out strings.Builder
	at := 0
	for i := 0; i < len(spans); {
		from, to, rule := spans[i].from, spans[i].to, spans[i].rule
		for i++; i < len(spans) && spans[i].from < to; i++ {
			to = max(to, spans[i].to)
		}
		out.WriteString(text[at:from])
		out.WriteString("[secret: " + rule + "]")
		at = to
	}
	out.WriteString(text[at:])
	return out.String()
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
			for g := 1; g < len(m)/2; g++ { // as rule.hits: the named group, else the first one with text
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
	return spans
}

// isPlaceholder reports whether a text stands for a secret, such as $TOKEN.
func isPlaceholder(secret string) bool {
	h := hit{match: secret, secret: secret, line: secret}
	return holdsFor(everywhere, &h)
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
