package mask

import (
	"bytes"
	"strings"
	"testing"
)

func TestScript(t *testing.T) {
	for text, want := range map[string]string{
		"a // b\nc":             "a     \nc",
		"a /* b\n */ c":         "a     \n    c",
		`x = "it.only"; y`:      `x = "       "; y`,
		"`a ${b + `c`} d`":      "`   {b + ` `}  `",
		`s.replace(/"/g, 'x')`:  `s.replace(/ /g, ' ')`,
		"a / b / c":             "a / b / c",
		"<p>Don't</p>\nx":       "<p>Don't</p>\nx",
		"return /[/']/.test(s)": "return /    /.test(s)",
		`"\"" + a`:              `"  " + a`,
		"<a {...b} /> 'c'":      "<a {...b} /> ' '",
	} {
		if got := string(Script([]byte(text))); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestPython(t *testing.T) {
	for text, want := range map[string]string{
		"a # b\nc":             "a    \nc",
		`x = "a # b"`:          `x = "     "`,
		"\"\"\"a\nb\"\"\" + c": "\"   \n   \" + c",
		`r'\'' + x`:            `r'  ' + x`,
		"don't\nx":             "don't\nx",
		`""+a`:                 `""+a`,
	} {
		if got := string(Python([]byte(text))); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestHostile(t *testing.T) {
	for name, part := range map[string]string{"quotes": `"'`, "templates": "`${", "slashes": "= /", "triples": `"""'`, "backslashes": `"\`, "braces": "}", "bytes": "\xff`\x00"} {
		text := []byte(strings.Repeat(part, (1<<20)/len(part)))
		for _, got := range [][]byte{Script(text), Python(text)} {
			if len(got) != len(text) || bytes.Count(got, []byte("\n")) != bytes.Count(text, []byte("\n")) {
				t.Errorf("%s: the masked text has another shape", name)
			}
		}
	}
}

func TestPairs(t *testing.T) {
	pairs := Pairs([]byte("f(a[1], {})x("))
	for open, want := range map[int]int32{0: -1, 1: 10, 3: 5, 8: 9, 12: -1} {
		if pairs[open] != want {
			t.Errorf("%d closed at %d, want %d", open, pairs[open], want)
		}
	}
	if got := Line([]byte("a\nb\nc"), 3); got != 2 {
		t.Errorf("line %d", got)
	}
}
