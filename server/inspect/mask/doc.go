// Package mask blanks what is not code: comments, and what stands between quotes, in
// JavaScript or TypeScript and in Python. The masked text is as long as the text and
// has its line ends, so that a place in one is the same place in the other.
//
// It is a scanner, not a parser: where a quote has no partner it takes it for a plain
// character and goes on, so that a hostile or broken file costs precision and never
// time. It owns no state. The packages architect and sage call it.
package mask

import "bytes"

// Line gives the line number of a place, from 1.
func Line(text []byte, at int) int {
	return 1 + bytes.Count(text[:min(max(at, 0), len(text))], []byte{'\n'})
}

// Pairs gives for each place of a masked text that opens a bracket the place that
// closes it, and -1 for all others. It takes one pass, whatever is nested in what.
func Pairs(masked []byte) []int32 {
	out := make([]int32, len(masked))
	var open []int32
	for i, c := range masked {
		out[i] = -1
		switch c {
		case '(', '[', '{':
			open = append(open, int32(i))
		case ')', ']', '}':
			if n := len(open); n > 0 {
				out[open[n-1]] = int32(i)
				open = open[:n-1]
			}
		}
	}
	return out
}

// Word says whether a byte can stand in a name.
func Word(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// blank overwrites out[from:to] with spaces and keeps line ends.
func blank(out []byte, from, to int) {
	for i := from; i < min(to, len(out)); i++ {
		if out[i] != '\n' && out[i] != '\r' {
			out[i] = ' '
		}
	}
}
