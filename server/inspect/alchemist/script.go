package alchemist

import "strings"

// scriptToken is a token of a JavaScript or TypeScript text: a word, a number, the opening quote of a quoted text, or
// one operator. "..." and "=>" are one token each.
type scriptToken struct {
	text string
	line int
	pair int // the matching bracket, -1 if there is none
	in   int // the open bracket around it, -1 at the top
}

// scriptLoop is a loop or a call of forEach. The fields are token numbers: from and head delimit the head of the loop,
// body and to delimit its body.
type scriptLoop struct{ from, head, body, to int }

type scriptCode struct {
	tokens []scriptToken
	loops  []scriptLoop
}

// readScript splits a text into tokens and finds its loops. It omits the content of quotes, comments,
// regular expressions and templates.
func readScript(data []byte) *scriptCode {
	s := &scriptCode{}
	s.split(data)
	var open []int
	for i := range s.tokens {
		t := &s.tokens[i]
		t.pair, t.in = -1, -1
		if len(open) > 0 {
			t.in = open[len(open)-1]
		}
		switch t.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if len(open) > 0 {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				s.tokens[last].pair, t.pair, t.in = i, last, s.tokens[last].in
			}
		}
	}
	for i := range s.tokens {
		s.loop(i)
	}
	return s
}

func (s *scriptCode) loop(i int) {
	switch s.text(i) {
	case "for", "while":
		head := i + 1
		if s.is(head, "await") {
			head++
		}
		if !s.is(head, "(") || s.tokens[head].pair < 0 || s.is(i-1, ".") {
			return
		}
		body := s.tokens[head].pair + 1
		if body >= len(s.tokens) || s.is(body, ";") {
			return // the while of a do loop, or no body
		}
		to := body
		if s.is(body, "{") {
			to = s.tokens[body].pair
		} else {
			for to < len(s.tokens) && !s.is(to, ";") && !s.is(to, "}") {
				if p := s.tokens[to].pair; p > to {
					to = p
				}
				to++
			}
		}
		if to > body || s.is(body, "{") && to == body+1 {
			s.loops = append(s.loops, scriptLoop{i, head, body, min(to, len(s.tokens)-1)})
		}
	case "forEach":
		if s.is(i-1, ".") && s.is(i+1, "(") && s.tokens[i+1].pair > 0 {
			s.loops = append(s.loops, scriptLoop{i, i, i + 1, s.tokens[i+1].pair})
		}
	}
}

func (s *scriptCode) is(i int, text string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].text == text
}

func (s *scriptCode) text(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.tokens[i].text
}

// split splits the text into tokens.
func (s *scriptCode) split(data []byte) {
	line := 1
	var templates []int // depths of braces at which a ${ began
	depth := 0
	add := func(text string) { s.tokens = append(s.tokens, scriptToken{text: text, line: line}) }
	template := func(i int) int { // i is behind the back quote or the } of ${ }
		for i < len(data) {
			switch {
			case data[i] == '\\':
				i++
			case data[i] == '\n':
				line++
			case data[i] == '`':
				add("`")
				return i + 1
			case data[i] == '$' && i+1 < len(data) && data[i+1] == '{':
				templates = append(templates, depth)
				depth++
				add("{")
				return i + 2
			}
			i++
		}
		return i
	}
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case c == '\n':
			line++
			i++
		case c <= ' ':
			i++
		case c == '/' && i+1 < len(data) && data[i+1] == '/':
			for i < len(data) && data[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(data) && data[i+1] == '*':
			i += 2
			for i < len(data) && !(data[i] == '*' && i+1 < len(data) && data[i+1] == '/') {
				if data[i] == '\n' {
					line++
				}
				i++
			}
			i += 2
		case c == '/' && s.beforePattern():
			end, ok := patternEnd(data, i)
			if ok {
				add(`"`)
			}
			i = end
		case c == '"' || c == '\'':
			end := i + 1
			for end < len(data) && data[end] != c && data[end] != '\n' {
				if data[end] == '\\' && end+1 < len(data) {
					if data[end+1] == '\n' {
						line++
					}
					end++
				}
				end++
			}
			if end < len(data) && data[end] == c {
				add(`"`)
				i = end + 1
			} else {
				i++ // an apostrophe in the text of JSX
			}
		case c == '`':
			i = template(i + 1)
		case c == '{':
			depth++
			add("{")
			i++
		case c == '}':
			depth--
			add("}")
			i++
			if n := len(templates); n > 0 && templates[n-1] == depth {
				templates = templates[:n-1]
				i = template(i)
			}
		case strings.HasPrefix(string(data[i:min(i+3, len(data))]), "..."):
			add("...")
			i += 3
		case strings.HasPrefix(string(data[i:min(i+2, len(data))]), "=>"):
			add("=>")
			i += 2
		case isWord(c):
			end := i
			for end < len(data) && isWord(data[end]) {
				end++
			}
			add(string(data[i:end]))
			i = end
		default:
			add(string(data[i : i+1]))
			i++
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// beforePattern reports whether a slash after the last token begins a regular expression and is not a
// division.
func (s *scriptCode) beforePattern() bool {
	if len(s.tokens) == 0 {
		return true
	}
	switch last := s.tokens[len(s.tokens)-1].text; last {
	case "return", "typeof", "case", "in", "of", "void", "delete", "=>":
		return true
	case ")", "]", "}", `"`, "`":
		return false
	case "<": // the end of an element in JSX
		return false
	default:
		return !isWord(last[0])
	}
}

// patternEnd returns the end of a regular expression, at the latest at the end of the line.
func patternEnd(data []byte, i int) (end int, ok bool) {
	class := false
	for end = i + 1; end < len(data) && data[end] != '\n'; end++ {
		switch data[end] {
		case '\\':
			end++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				end++
				for end < len(data) && isWord(data[end]) {
					end++
				}
				return end, true
			}
		}
	}
	return i + 1, false
}
