package lex

import (
	"bytes"
	"strings"
	"testing"
)

func TestCodeIsToldFromTheRest(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"Go", "a /* b */ c // d\ne", "a         c     \ne"},
		{"Go", "x := \"//\" + `a\n\"` + 'q'", "x := \"  \" + ` \n ` + ' '"},
		{"Rust", "fn f<'a>(x: &'a str) // '", "fn f<'a>(x: &'a str)     "},
		{"JavaScript", "a = `x ${b + `y ${c}`} z`; d", "a = `  ${b + `  ${c}`}  `; d"},
		{"JavaScript", "`` + `${a}` + x // y", "`` + `${a}` + x     "},
		{"JavaScript", "a = b / c / d; e = /[/'\"]/g.test(f)", "a = b / c / d; e = /     /g.test(f)"},
		{"JavaScript", "return /'/.test(x) ? '}' : {y: 1}", "return / /.test(x) ? ' ' : {y: 1}"},
		{"JavaScript", "<b>don't</b>\nx", "<b>don't</b>\nx"},
		{"TSX", "<a {...b} /> 'c'", "<a {...b} /> ' '"},
		{"TSX", "<Fade in /> + a / b", "<Fade in /> + a / b"},
		{"TypeScript", "#!/usr/bin/env node don't\nx", "                         \nx"},
		{"JavaScript", "a /* b\r\n */ c", "a     \r\n    c"},
		{"JavaScript", `"\"" + a`, `"  " + a`},
		{"JavaScript", "a < 1 / b / c", "a < 1 / b / c"},
		{"JavaScript", "<b>x</b> + y / 2", "<b>x</b> + y / 2"},
		{"JavaScript", "`a ${ {b: 1}.b } 'c`; d", "`  ${ {b: 1}.b }   `; d"},
		{"Python", "a = '''b\n# c''' # d\ne", "a = ''' \n   '''    \ne"},
		{"Python", "f\"a\\\"{b}\" # c", "f\"      \"    "},
		{"Shell", "echo ${#x} # y", "echo ${#x}    "},
		{"Python", "don't\nx", "don't\nx"},
		{"Python", `r'\'' + x`, `r'  ' + x`},
		{"Python", `""+a`, `""+a`},
		{"Python", `"""a\""" b""" + c`, `"""       """ + c`},
		{"Ruby", "'open\nx", "'    \nx"},
		{"JavaScript", "`open ${", "`     ${"},
		{"Go", "/* open", "       "},
		{"Nothing", "a # b // c", "a # b // c"},
	} {
		got := string(Scan(c.lang, []byte(c.text)).Code)
		if len(got) != len(c.text) {
			t.Errorf("%s %q: %d bytes became %d", c.lang, c.text, len(c.text), len(got))
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.lang, c.text, got, c.want)
		}
	}
}

func TestArgs(t *testing.T) {
	src := `f(a, "b, )", [c, d] /* , */, g(e, h))`
	s := Scan("JavaScript", []byte(src))
	args, end, ok := s.Args(1)
	var got []string
	for _, a := range args {
		got = append(got, src[a.From:a.To])
	}
	if want := `a|"b, )"|[c, d]|g(e, h)`; !ok || end != len(src)-1 || strings.Join(got, "|") != want {
		t.Errorf("%q to %d, %v", got, end, ok)
	}
	if _, _, ok := Scan("Python", []byte("f(a")).Args(1); ok {
		t.Error("a bracket that does not close has arguments")
	}
}

func TestLines(t *testing.T) {
	s := Scan("Python", []byte("a\r\n# b\nc"))
	if s.Lines() != 3 || s.Line(0) != 1 || s.Line(3) != 2 || s.Line(7) != 3 {
		t.Errorf("%d lines: %d %d %d", s.Lines(), s.Line(0), s.Line(3), s.Line(7))
	}
	if from, to := s.Bounds(1); from != 0 || to != 1 {
		t.Errorf("line 1 is %d to %d", from, to)
	}
	if !s.CommentAt(3, 6) || s.CommentAt(0, 2) {
		t.Error("the comment is on line 2")
	}
}

func TestHostile(t *testing.T) {
	for name, part := range map[string]string{"quotes": `"'`, "templates": "`${", "slashes": "= /", "classes": "=/[", "triples": `"""'`, "backslashes": `"\`, "braces": "}", "bytes": "\xff`\x00"} {
		text := []byte(strings.Repeat(part, (1<<20)/len(part)))
		for _, lang := range []string{"JavaScript", "Python", "Go", "Rust", "Shell"} {
			got := Scan(lang, text).Code
			if len(got) != len(text) || bytes.Count(got, []byte("\n")) != bytes.Count(text, []byte("\n")) {
				t.Errorf("%s in %s: the code has another shape", name, lang)
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
}

func FuzzScan(f *testing.F) {
	f.Add("`${`${'/*", "JavaScript")
	f.Add("'''a\\", "Python")
	f.Fuzz(func(t *testing.T, text, lang string) {
		s := Scan(lang, []byte(text))
		if len(s.Code) != len(text) || strings.Count(string(s.Code), "\n") != strings.Count(text, "\n") {
			t.Errorf("%q became %q", text, s.Code)
		}
		at := 0
		for _, x := range s.Spans {
			if x.From < at || x.To <= x.From || x.To > len(text) {
				t.Errorf("%q has spans %v", text, s.Spans)
			}
			at = x.To
		}
	})
}
