package folder

import "strings"

// name is one level of a pattern in the form that go-git's matcher reads
// (filepath.Match with one character a byte).
type name struct {
	text           string
	prefix, suffix string // what a matching name begins and ends with
	inner          string // and the longest part it holds in between, "" for none
	exact          bool   // without wildcards: prefix is all of it
	deep           bool   // two or more stars and nothing else
}

// nameBuilder collects one level.
type nameBuilder struct {
	text        strings.Builder
	first, last strings.Builder // literal characters before the first and after the last wildcard
	inner       string
	size, stars int
	wild        bool
}

func (b *nameBuilder) literal(c byte) {
	if strings.IndexByte(`*?[]\^-! `, c) >= 0 {
		b.text.WriteByte('\\')
	}
	b.text.WriteRune(rune(c))
	if b.wild {
		b.last.WriteRune(rune(c))
	} else {
		b.first.WriteRune(rune(c))
	}
	b.size++
}

func (b *nameBuilder) wildcard(text string) {
	b.text.WriteString(text)
	if b.last.Len() > len(b.inner) {
		b.inner = b.last.String()
	}
	b.last.Reset()
	b.wild = true
	b.size++
}

func (b *nameBuilder) done() (name, bool) {
	n := name{
		text: b.text.String(), prefix: b.first.String(), suffix: b.last.String(), inner: b.inner,
		exact: !b.wild, deep: b.stars >= 2 && b.stars == b.size,
	}
	*b = nameBuilder{}
	return n, n.text != ""
}

// cutNames cuts a pattern at its slashes and writes each level for go-git. A
// pattern that git never matches is not ok: an empty level, a bracket without
// end, a class of unknown name, a backslash at the end.
func cutNames(pattern string) ([]name, bool) {
	var names []name
	var b nameBuilder
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c == '\\' {
			i++
			if i == len(pattern) {
				return nil, false
			}
			if pattern[i] != '/' {
				b.literal(pattern[i])
				continue
			}
			c = '/'
		}
		switch c {
		case '/':
			n, ok := b.done()
			if !ok {
				return nil, false
			}
			names = append(names, n)
		case '*':
			b.wildcard("*")
			b.stars++
		case '?':
			b.wildcard("?")
		case '[':
			set, length, ok := bracket(pattern[i:])
			if !ok {
				return nil, false
			}
			b.wildcard(set.String())
			i += length - 1
		default:
			b.literal(c)
		}
	}
	n, ok := b.done()
	return append(names, n), ok
}

// byteSet is what a bracket matches.
type byteSet [256]bool

// String writes the set as a bracket for filepath.Match. An empty set becomes a
// bracket that only a NUL would match, which no name holds.
func (s *byteSet) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for lo := 1; lo < len(s); lo++ {
		if !s[lo] {
			continue
		}
		hi := lo
		for hi+1 < len(s) && s[hi+1] {
			hi++
		}
		b.WriteByte('\\')
		b.WriteRune(rune(lo))
		b.WriteString("-\\")
		b.WriteRune(rune(hi))
		lo = hi
	}
	if b.Len() == 1 {
		b.WriteByte(0)
	}
	b.WriteByte(']')
	return b.String()
}

// bracket reads a bracket as git's wildmatch does and gives the bytes it matches
// and its length. pattern begins with "[".
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
	prev := byte(0) // the character that a "-" may begin its range with
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

// classes are those of POSIX, for ASCII only.
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
