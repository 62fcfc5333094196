package mask

import "bytes"

// Python masks Python: quotes stay (the outer ones of a triple), what they hold and
// comments go.
func Python(text []byte) []byte {
	out := bytes.Clone(text)
	var alone [128]int // up to where a quote is known to have no partner
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '#':
			end := lineEnd(text, i)
			blank(out, i, end)
			i = end
		case '"', '\'':
			if i < alone[c] {
				i++
				continue
			}
			end, inner := pythonString(text, i)
			if end == i+1 {
				alone[c] = lineEnd(text, i)
			}
			blank(out, i+1, inner)
			i = end
		default:
			i++
		}
	}
	return out
}

// pythonString gives where the string at i ends and where its last quote stands.
func pythonString(text []byte, i int) (end, inner int) {
	q := text[i]
	if i+2 < len(text) && text[i+1] == q && text[i+2] == q {
		for j := i + 3; j+2 < len(text); j++ {
			if text[j] == '\\' {
				j++
			} else if text[j] == q && text[j+1] == q && text[j+2] == q {
				return j + 3, j + 2
			}
		}
		return len(text), len(text)
	}
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '\n':
			return i + 1, i
		case q:
			return j + 1, j
		}
	}
	return i + 1, i
}

func lineEnd(text []byte, from int) int {
	if n := bytes.IndexByte(text[from:], '\n'); n >= 0 {
		return from + n
	}
	return len(text)
}
