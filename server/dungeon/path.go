package dungeon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/shared/wire"
)

// Paths on the wire are relative to the root, cut by "/"; the root is "". What a
// client could not send back, or JSON not hold, is written %XX, byte by byte:
// bytes that are not UTF-8, control characters, the backslash, and "%" itself
// (protocol.md, "Shapes"). So each path has one form, and each form one path.

const hexDigits = "0123456789ABCDEF"

// EncodePath writes a path of raw bytes in its wire form. A name alone is
// written the same way.
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

// plain says whether a byte is a character by itself that needs no escape.
func plain(c byte) bool {
	return c >= 0x20 && c < 0x7f && c != '%' && c != '\\'
}

// DecodePath reads a path in wire form back into raw bytes. It refuses, with a
// sentence for the sender, whatever EncodePath would not have written: absolute
// paths, "." and ".." as a name (a name like "a..b" is legal, B29), empty names,
// backslashes, control characters, escapes of what needs none. Errors are
// *wire.Error with the code bad_field or too_large.
func DecodePath(path string) (string, error) {
	switch {
	case path == "":
		return "", nil
	case len(path) > wire.MaxPath:
		return "", wire.Errorf(wire.TooLarge, "path is %d bytes long, at most %d fit", len(path), wire.MaxPath)
	case !utf8.ValidString(path):
		return "", wire.Errorf(wire.BadField, "path must be UTF-8, other bytes are written %%XX")
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
			"path must be written as the map gives it: %%XX only for %%, \\, control characters and bytes that are not UTF-8")
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

// display is a name for people: only what is not text is escaped.
func display(raw string) string {
	if utf8.ValidString(raw) {
		return raw
	}
	return EncodePath(raw)
}

// validName says whether raw can be a name in a folder.
func validName(raw string) bool {
	return raw != "" && raw != "." && raw != ".." && len(raw) <= MaxName && !strings.ContainsAny(raw, "/\x00")
}
