package inspect

import (
	"fmt"
	"strconv"
	"strings"
)

// Count returns a number as text, with commas between the thousands.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Words returns the words of a text as a set.
func Words(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		out[w] = true
	}
	return out
}

// Some returns the first names of a list and the number of the others, as text.
func Some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:most], ", "), Count(len(names)-most))
}

// LowerASCII returns a text with its ASCII letters in lower case. Unlike strings.ToLower, it keeps every offset: the
// lower case of another letter can be longer or shorter than the letter, as that of İ is.
func LowerASCII(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}
