package folder

import (
	"slices"
	"strings"
)

// level is the part of a pattern between two slashes. Its characters are bytes, as in git.
type level struct {
	tokens []token // nil if the level has no wildcard: then prefix is the whole name
	// prefix and suffix are the literal bytes before the first and after the last
	// wildcard. Most names are rejected by them alone.
	prefix, suffix string
	deep           bool // two or more stars and nothing else
}

// token matches one byte of a name: any byte of set, or c if set is nil. If star is set, it matches any number of
// bytes.
type token struct {
	star bool
	set  *byteSet
	c    byte
}

func (t token) wild() bool { return t.star || t.set != nil }

// newLevel makes a level of one or more tokens.
func newLevel(tokens []token) level {
	literal := func(tokens []token) string {
		b := make([]byte, len(tokens))
		for i, t := range tokens {
			b[i] = t.c
		}
		return string(b)
	}
	first := slices.IndexFunc(tokens, token.wild)
	if first < 0 {
		return level{prefix: literal(tokens)}
	}
	last := len(tokens) - 1
	for !tokens[last].wild() {
		last--
	}
	return level{
		tokens: tokens, prefix: literal(tokens[:first]), suffix: literal(tokens[last+1:]),
		deep: len(tokens) > 1 && !slices.ContainsFunc(tokens, func(t token) bool { return !t.star }),
	}
}

// matches reports whether the level matches a whole name.
func (l *level) matches(name string) bool {
	if l.tokens == nil {
		return name == l.prefix
	}
	if len(name) < len(l.prefix)+len(l.suffix) ||
		name[:len(l.prefix)] != l.prefix || name[len(name)-len(l.suffix):] != l.suffix {
		return false
	}
	// On a mismatch, let the last star take one byte more.
	n, t, star, from := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case t < len(l.tokens) && l.tokens[t].star:
			star, from = t, n
			t++
		case t < len(l.tokens) && l.tokens[t].takes(name[n]):
			n++
			t++
		case star >= 0:
			from++
			n, t = from, star+1
		default:
			return false
		}
	}
	return !slices.ContainsFunc(l.tokens[t:], func(t token) bool { return !t.star })
}

func (t token) takes(c byte) bool {
	if t.set != nil {
		return t.set[c]
	}
	return t.c == c
}

// cutLevels cuts a pattern at its slashes. ok is false for a pattern that git never matches:
// one with an empty level, a bracket without an end, a class of unknown name, or a backslash
// at the end.
func cutLevels(pattern string) (levels []level, ok bool) {
	var tokens []token
	for i := 0; i < len(pattern); i++ {
		c, escaped := pattern[i], false
		if c == '\\' {
			if i++; i == len(pattern) {
				return nil, false
			}
			c = pattern[i]
			escaped = c != '/'
		}
		t := token{c: c}
		switch {
		case escaped:
		case c == '/':
			if len(tokens) == 0 {
				return nil, false
			}
			levels, tokens = append(levels, newLevel(tokens)), nil
			continue
		case c == '*':
			t.star = true
		case c == '?':
			t.set = &anyByte
		case c == '[':
			set, length, ok := bracket(pattern[i:])
			if !ok {
				return nil, false
			}
			t.set = &set
			i += length - 1
		}
		tokens = append(tokens, t)
	}
	if len(tokens) == 0 {
		return nil, false
	}
	return append(levels, newLevel(tokens)), true
}

// byteSet is the set of bytes that a bracket matches.
type byteSet [256]bool

var anyByte = byteSet(slices.Repeat([]bool{true}, 256))

// bracket parses a bracket as git's wildmatch does. pattern begins with "[". It returns the
// bytes that the bracket matches and its length.
func bracket(pattern string) (set byteSet, length int, ok bool) {
	i := 1
	at := func(k int) byte {
		if k < len(pattern) {
			return pattern[k]
		}
		return 0
	}
	negated := at(i) == '!' || at(i) == '^'
	if negated {
		i++
	}
	prev := byte(0) // the first character of a range if "-" follows, 0 for none
	for first := true; first || at(i) != ']'; first = false {
		c := at(i)
		switch {
		case c == 0:
			return set, 0, false
		case c == '\\':
			i++
			if c = at(i); c == 0 {
				return set, 0, false
			}
			set[c], prev = true, c
		case c == '-' && prev != 0 && at(i+1) != 0 && at(i+1) != ']':
			i++
			if c = at(i); c == '\\' {
				i++
				if c = at(i); c == 0 {
					return set, 0, false
				}
			}
			for b := int(prev); b <= int(c); b++ {
				set[b] = true
			}
			prev = 0
		case c == '[' && at(i+1) == ':':
			end := strings.IndexByte(pattern[i+2:], ']')
			if end < 0 {
				return set, 0, false
			}
			if end == 0 || pattern[i+2+end-1] != ':' {
				set[c], prev = true, c // no ":]": an ordinary bracket
				break
			}
			class, known := classes[pattern[i+2:i+2+end-1]]
			if !known {
				return set, 0, false
			}
			for b := range 128 {
				set[b] = set[b] || class(byte(b))
			}
			i += 2 + end
			prev = 0
		default:
			set[c], prev = true, c
		}
		i++
	}
	if negated {
		for b := range set {
			set[b] = !set[b]
		}
	}
	set[0], set['/'] = false, false
	return set, i + 1, true
}

func between(lo, hi byte) func(byte) bool { return func(c byte) bool { return c >= lo && c <= hi } }

func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }
func isAlpha(c byte) bool { return isLower(c) || isUpper(c) }

var (
	isDigit = between('0', '9')
	isLower = between('a', 'z')
	isUpper = between('A', 'Z')
)

// classes has the POSIX classes, for ASCII only.
var classes = map[string]func(byte) bool{
	"alnum": isAlnum, "alpha": isAlpha, "digit": isDigit, "lower": isLower, "upper": isUpper,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < 0x20 || c == 0x7f },
	"graph":  between('!', '~'),
	"print":  between(' ', '~'),
	"punct":  func(c byte) bool { return c > ' ' && c < 0x7f && !isAlnum(c) },
	"space":  func(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') },
	"xdigit": func(c byte) bool { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') },
}
