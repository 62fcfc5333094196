package dungeon

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"agentdungeon/shared/wire"
)

func TestEncodePath(t *testing.T) {
	for raw, want := range map[string]string{
		"": "", "a/b.go": "a/b.go", "a..b": "a..b", "ünï/🎲": "ünï/🎲", "100%": "100%25", "%41": "%2541",
		"caf\xe9": "caf%E9", "\xff\xfe/x": "%FF%FE/x", `a\b`: "a%5Cb", "a\nb": "a%0Ab", "\u0085": "%C2%85", "\x7f": "%7F",
		"\ufffd": "\ufffd",
	} {
		if got := EncodePath(raw); got != want {
			t.Errorf("EncodePath(%q) = %q, want %q", raw, got, want)
		}
		back, err := DecodePath(want)
		if err != nil || back != raw {
			t.Errorf("DecodePath(%q) = %q, %v, want %q", want, back, err, raw)
		}
	}
}

// B29: ".." as a name is refused, "a..b" is a legal name.
func TestDecodePathRefusesTricks_B29(t *testing.T) {
	for _, legal := range []string{"a..b", "..a", "a..", "...", "a/..b/c", "a b", "C:", "~", "a?b", "-", " "} {
		if _, err := DecodePath(legal); err != nil {
			t.Errorf("DecodePath(%q): %v", legal, err)
		}
	}
	for _, bad := range []string{
		"..", ".", "../x", "a/..", "a/../b", "a/./b", "/", "/etc/passwd", "//x", "a//b", "a/", `..\x`, `a\b`, `C:\x`, `\\host\x`,
		"a\x00b", "a\nb", "\xff", "%", "%4", "%zz", "%41", "%2e%2e", "%2E%2E", "%2F", "a%2F..%2Fb", "%5c", "%e9", "%C3%BC", "%00/../..", "%25%",
	} {
		raw, err := DecodePath(bad)
		var we *wire.Error
		if !errors.As(err, &we) || we.Code != wire.BadField || we.Message == "" {
			t.Errorf("DecodePath(%q) = %q, %v, want bad_field", bad, raw, err)
		}
	}
	var we *wire.Error
	if _, err := DecodePath(strings.Repeat("a/", wire.MaxPath)); !errors.As(err, &we) || we.Code != wire.TooLarge {
		t.Errorf("a long path: %v", err)
	}
}

// FuzzPath: DecodePath is the inverse of EncodePath, and accepts no path that leads out of the root (B28, B29).
func FuzzPath(f *testing.F) {
	for _, s := range []string{"", "a/b", "..", "a..b", "%FF", "%2E%2E", "\xff\xfe", "a\\b", "100%", "/x", "\u202e", "a\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		enc := EncodePath(s)
		if !utf8.ValidString(enc) || strings.ContainsFunc(enc, unicode.IsControl) || strings.Contains(enc, `\`) {
			t.Fatalf("EncodePath(%q) = %q does not fit a frame", s, enc)
		}
		if raw, ok := unescape(enc); !ok || raw != s {
			t.Fatalf("EncodePath(%q) = %q reads as %q, %v", s, enc, raw, ok)
		}
		raw, err := DecodePath(s)
		if err != nil {
			return
		}
		if EncodePath(raw) != s {
			t.Fatalf("DecodePath(%q) = %q, which is written %q", s, raw, EncodePath(raw))
		}
		if raw == "" {
			return
		}
		for name := range strings.SplitSeq(raw, "/") {
			if name == "" || name == "." || name == ".." {
				t.Fatalf("DecodePath(%q) = %q leads elsewhere", s, raw)
			}
		}
	})
}
