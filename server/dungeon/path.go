package dungeon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/shared/wire"
)

// A path in wire form is relative to the root, with "/" between names; the root is "". Invalid UTF-8, control
// characters, the backslash and "%" are written as %XX, because clients or JSON could change them (PROTOCOL.md,
// "Shapes"). Each path has exactly one wire form.

const hexDigits = "0123456789ABCDEF"

// EncodePath returns the wire form of raw, a path or a single name as the file system has it.
func EncodePath(raw string) string {
	i := 0
	for i < len(raw) && plain(raw[i]) {
		i++
	}
	if i == len(raw) {
		return raw
	}
	var b strings.Builder
	b.Grow(len(raw) + 16)
	b.WriteString(raw[:i])
	for i < len(raw) {
		r, n := utf8.DecodeRuneInString(raw[i:])
		if (r == utf8.RuneError && n == 1) || r == '%' || r == '\\' || unicode.IsControl(r) {
			for _, c := range []byte(raw[i : i+n]) {
				b.WriteByte('%')
				b.WriteByte(hexDigits[c>>4])
				b.WriteByte(hexDigits[c&15])
			}
		} else {
			b.WriteString(raw[i : i+n])
		}
		i += n
	}
	return b.String()
}

// plain reports whether a byte is an ASCII character that needs no escape.
func plain(c byte) bool {
	return c >= 0x20 && c < 0x7f && c != '%' && c != '\\'
}

// DecodePath returns the raw bytes of a path in wire form. It rejects everything that EncodePath
// does not produce from a relative path: absolute paths, the names "." and ".." ("a..b" is valid,
// B29), empty names, backslashes, control characters and unneeded escapes. Errors are *wire.Error
// with the code bad_field or too_large.
func DecodePath(path string) (string, error) {
	switch {
	case path == "":
		return "", nil
	case len(path) > wire.MaxPath:
		return "", wire.Errorf(wire.TooLarge, "path is %d bytes long, at most %d are allowed", len(path), wire.MaxPath)
	case !utf8.ValidString(path):
		return "", wire.Errorf(wire.BadField, "path must be UTF-8; other bytes must be written as %%XX")
	case path[0] == '/':
		return "", wire.Errorf(wire.BadField, "path must be relative to the realm's folder, without a / at its beginning")
	case strings.Contains(path, `\`):
		return "", wire.Errorf(wire.BadField, `path must have / between folders; a backslash in a name is written %%5C`)
	}
	for name := range strings.SplitSeq(path, "/") {
		switch name {
		case "":
			return "", wire.Errorf(wire.BadField, "path has an empty name between or after its /")
		case ".", "..":
			return "", wire.Errorf(wire.BadField, "path must not hold %q: write it from the realm's folder down", name)
		}
	}
	raw, ok := unescape(path)
	if !ok || EncodePath(raw) != path {
		return "", wire.Errorf(wire.BadField,
			"path must be written as on the map: %%XX only for %%, \\, control characters and bytes that are not UTF-8")
	}
	return raw, nil
}

func unescape(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		hi, lo := strings.IndexByte(hexDigits, s[i+1]), strings.IndexByte(hexDigits, s[i+2])
		if hi < 0 || lo < 0 {
			return "", false
		}
		b = append(b, byte(hi<<4|lo))
		i += 2
	}
	return string(b), true
}

// display returns a name for people. It escapes only names that are not UTF-8.
func display(raw string) string {
	if utf8.ValidString(raw) {
		return raw
	}
	return EncodePath(raw)
}

// validName reports whether raw is a valid name of a file or folder.
func validName(raw string) bool {
	return raw != "" && raw != "." && raw != ".." && len(raw) <= MaxName && !strings.ContainsAny(raw, "/\x00")
}
