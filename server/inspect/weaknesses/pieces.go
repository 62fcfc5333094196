package weaknesses

import (
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

var (
	constant = inspect.Pattern(`^(?:[A-Z][A-Z0-9_]*|[0-9._]+|(?:[A-Za-z_$]+\.)*[A-Z][A-Z0-9_]+|__(?:file|dirname|filename)__?|\s*)$`)
	// tamed matches values that are harmless when inserted into a text: escaped values and numbers.
	tamed = inspect.Pattern(`(?i)(quote|escape|encode|sanitize|purify|stringify|\.replace(?:All)?\(|^(?:self\.|this\.)?p?pid$|\bint\(|\bNumber\(|parseInt|\.length\b|\blen\()`)
	// untrusted matches input that comes from requests, from the command line or from the page's address.
	untrusted = inspect.Pattern(`(?i)\b((?:req|request)\.[a-z]|ctx\.(?:query|params|request)|r\.(?:FormValue|URL|PostFormValue|Form)|c\.(?:Query|Param|PostForm)|sys\.argv|process\.argv|os\.Args|location\.(?:hash|search|href)|window\.name\b)`)
)

// pieces returns the values that a JavaScript expression joins with a string: the expressions of a template and the
// operands that are added to a string. It omits constants and returns nil if the expression joins nothing.
func pieces(s *lex.Source, at lex.Span) []string {
	var out []string
	strs := s.Strings(at.From, at.To)
	if len(strs) == 0 {
		return nil
	}
	var plus []lex.Span // the operands of + outside brackets
	depth, from := 0, at.From
	var holes []int
	for i := at.From; i < at.To; i++ {
		switch b := s.Code[i]; {
		case b == '{' && i > at.From && s.Code[i-1] == '$':
			if depth == 0 {
				holes = append(holes, i+1)
			}
			depth++
		case b == '(' || b == '[' || b == '{':
			depth++
		case b == ')' || b == ']' || b == '}':
			depth--
			if b == '}' && depth == 0 && len(holes) > 0 {
				out = append(out, string(s.Text[holes[len(holes)-1]:i]))
				holes = holes[:0]
			}
		case depth == 0 && b == '+' && i+1 < at.To && s.Code[i+1] != '+' && s.Code[i+1] != '=':
			plus = append(plus, lex.Span{From: from, To: i})
			from = i + 1
		}
	}
	if len(plus) > 0 {
		plus = append(plus, lex.Span{From: from, To: at.To})
		out = append(out, operands(s, plus)...)
	}
	return variable(out)
}

// operands returns the parts that are not a single string, provided that one of the parts is a string.
func operands(s *lex.Source, parts []lex.Span) []string {
	var out []string
	text := false
	for _, p := range parts {
		code := strings.TrimSpace(string(s.Code[p.From:p.To]))
		if code == "" {
			continue
		}
		if strings.ContainsAny(code[:1], "\"'`") || len(code) > 1 && strings.ContainsAny(code[:1], "fFrRbB") && strings.ContainsAny(code[1:2], "\"'") {
			text = true
			continue
		}
		out = append(out, strings.TrimSpace(string(s.Text[p.From:p.To])))
	}
	if !text {
		return nil
	}
	return out
}

func variable(parts []string) []string {
	var out []string
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" || strings.ContainsAny(p[:1], "\"'`") })
	for _, p := range parts {
		if p = strings.TrimSpace(p); !constant.MatchString(p) && !tamed.MatchString(p) {
			out = append(out, p)
		}
	}
	return out
}

// fromOutside reports whether one of the pieces is untrusted input.
func fromOutside(parts []string) bool {
	for _, p := range parts {
		if untrusted.MatchString(p) {
			return true
		}
	}
	return false
}

// first returns the first of some values, on one line and clipped.
func first(parts []string) string {
	return inspect.Clip(strings.Join(strings.Fields(parts[0]), " "), 40)
}

// maxTold is the maximum number of findings in one file.
const maxTold = 20
