package skill

import (
	"strings"
	"unicode/utf8"

	"agentdungeon/shared/pattern"
)

// toolForm matches a tool's name, with or without its permissions in parentheses.
var toolForm = pattern.New(`^[A-Za-z][A-Za-z0-9_.:-]{0,99}` +
	`(\([^()\p{C}\p{Z}]([^()\p{C}]{0,198}[^()\p{C}\p{Z}])?\))?$`)

// ValidTool reports whether a text is the name of a tool, with or without its permissions in
// parentheses.
func ValidTool(t string) bool { return utf8.ValidString(t) && toolForm.MatchString(t) }

// SplitTools splits a text at white space and commas outside of parentheses.
func SplitTools(s string) []string {
	var out []string
	depth, start := 0, -1
	for i, r := range s + " " {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		}
		if between := (r == ' ' || r == ',' || r == '\n' || r == '\t') && (depth <= 0 || i == len(s)); between {
			if start >= 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
			}
			start = -1
		} else if start < 0 {
			start = i
		}
	}
	return out
}
