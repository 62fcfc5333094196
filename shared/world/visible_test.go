package world

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

// A text of a person, an agent or a repository cannot control the terminal in which it is read.
func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü 日本 👩‍🔬\tand\nlines\r\n":      "plain ü 日本 👩‍🔬\tand\nlines\n",
		"\x1b]0;owned\x07\x1b[2J":             `\u001b]0;owned\u0007\u001b[2J`,
		"a\u202egpj.exe":                      `a\u202egpj.exe`,
		"c1 \u009b31m, raw \x9b31m, del \x7f": `c1 \u009b31m, raw \x9b31m, del \u007f`,
		"over\rwritten\bback\u2028line\ufeff": `over\u000dwritten\u0008back\u2028line\ufeff`,
		"tag \U000e0041":                      `tag \U000e0041`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q is shown as %q, not %q", in, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31m\u202e\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q is shown with %U", s, r)
			}
		}
		if again := Visible(got); again != got {
			t.Fatalf("%q, shown twice, is %q", got, again)
		}
	})
}
