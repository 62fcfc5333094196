package files

import (
	"bytes"
)

// squeeze takes the space between the tokens of JSON away, in place, and gives
// what is left: of valid JSON the same bytes as json.Compact, in a tenth of its
// time, because it does not check. Callers check what comes out, by its checksum
// or by decoding it. What is no JSON may become some ("1 2" becomes 12): a
// checksum that was taken of valid JSON finds every case in which that matters.
func squeeze(p []byte) []byte {
	out := p[:0]
	for i := 0; i < len(p); {
		switch p[i] {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			end := stringEnd(p, i)
			out = append(out, p[i:end]...) // never in front of what is still to be read
			i = end
		default:
			out = append(out, p[i])
			i++
		}
	}
	return out
}

// stringEnd is the index behind the string that begins at p[at].
func stringEnd(p []byte, at int) int {
	for i := at + 1; ; {
		quote := bytes.IndexByte(p[i:], '"')
		if quote < 0 {
			return len(p)
		}
		i += quote
		escapes := 0
		for i-escapes-1 > at && p[i-escapes-1] == '\\' {
			escapes++
		}
		i++
		if escapes%2 == 0 {
			return i
		}
	}
}
