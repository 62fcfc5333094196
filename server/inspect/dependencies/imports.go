package dependencies

import "strings"

// jsImport is one import of a script.
type jsImport struct {
	name string // the text between the quotes
	line int
}

// jsLevel is one open brace.
type jsLevel struct {
	template bool // the "${" of a template literal, whose text continues after the "}"
	try      bool // the brace of a try block
}

// jsImports returns the imports that run when a script is loaded: import, export from, and require
// outside try blocks. It skips comments, strings, regular expressions, imports of types, and dynamic
// imports, which scripts use for optional packages.
func jsImports(text string) []jsImport {
	s := &jsScan{text: text, line: 1}
	s.run()
	return s.out
}

type jsScan struct {
	text string
	at   int
	line int
	out  []jsImport

	words  [3]string // the last three tokens, newest first; a token is a word or one character
	levels []jsLevel
	types  bool // inside "import type" or "export type"
}

func (s *jsScan) push(w string) { s.words = [3]string{w, s.words[0], s.words[1]} }

func (s *jsScan) run() {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '\n':
			s.line++
			s.at++
		case c == ' ' || c == '\t' || c == '\r':
			s.at++
		case strings.HasPrefix(s.text[s.at:], "//"), s.at == 0 && strings.HasPrefix(s.text, "#!"):
			s.skipTo("\n")
		case strings.HasPrefix(s.text[s.at:], "/*"):
			s.at += 2
			s.skipTo("*/")
			s.at = min(s.at+2, len(s.text))
		case c == '"' || c == '\'':
			s.quoted(c)
		case c == '`':
			s.at++
			s.template()
		case c == '/' && s.regexAllowed():
			s.regex()
		case wordByte(c):
			s.word()
		default:
			s.brace(c)
		}
	}
}

func (s *jsScan) brace(c byte) {
	s.at++
	switch c {
	case '{':
		s.levels = append(s.levels, jsLevel{try: s.words[0] == "try"})
	case '}':
		if n := len(s.levels); n > 0 {
			top := s.levels[n-1]
			s.levels = s.levels[:n-1]
			if top.template {
				s.push("`")
				s.template()
				return
			}
		}
	case ';':
		s.types = false
	}
	s.push(string(rune(c)))
}

func (s *jsScan) word() {
	from := s.at
	for s.at < len(s.text) && wordByte(s.text[s.at]) {
		s.at++
	}
	w := s.text[from:s.at]
	switch {
	case (w == "import" || w == "export") && s.words[0] != ".":
		s.types = false
	case w == "type" && (s.words[0] == "import" || s.words[0] == "export"):
		// In "import type from 'x'" the word type is the name of an imported value.
		rest := strings.TrimLeft(s.text[s.at:min(s.at+40, len(s.text))], " \t\r\n")
		s.types = !strings.HasPrefix(rest, ",") && !(strings.HasPrefix(rest, "from") && !strings.HasPrefix(strings.TrimLeft(rest[4:], " \t"), "from"))
	}
	s.push(w)
}

// quoted reads a string in quotes. A string without a closing quote ends with its line.
func (s *jsScan) quoted(q byte) {
	s.at++
	from := s.at
	for s.at < len(s.text) && s.text[s.at] != q && s.text[s.at] != '\n' {
		if s.text[s.at] == '\\' {
			s.at++
			if s.at < len(s.text) && s.text[s.at] == '\n' {
				s.line++
			}
		}
		s.at++
	}
	s.at = min(s.at, len(s.text))
	value := s.text[from:s.at]
	if s.at < len(s.text) && s.text[s.at] == q {
		s.at++
		if s.loads() {
			s.out = append(s.out, jsImport{value, s.line})
		}
	}
	s.push(`"`)
}

// loads reports whether the string that the scanner has just read names an imported module.
func (s *jsScan) loads() bool {
	switch {
	case s.words[0] == "from" && s.words[1] != "." && s.words[1] != "(" && s.words[1] != ",", s.words[0] == "import":
		return !s.types
	case s.words[0] == "(" && s.words[1] == "require" && s.words[2] != "." && s.words[2] != "function":
		for _, l := range s.levels {
			if l.try {
				return false
			}
		}
		// require("x" + y) may name another package than x.
		rest := strings.TrimLeft(s.text[s.at:min(s.at+20, len(s.text))], " \t\r\n")
		return strings.HasPrefix(rest, ")")
	}
	return false
}

// template reads the text of a template literal to its end or to the next "${".
func (s *jsScan) template() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\\':
			s.at++
			if s.at < len(s.text) && s.text[s.at] == '\n' {
				s.line++
			}
		case c == '\n':
			s.line++
		case c == '`':
			s.at++
			s.push(`"`)
			return
		case strings.HasPrefix(s.text[s.at:], "${"):
			s.at += 2
			s.levels = append(s.levels, jsLevel{template: true})
			s.push("{")
			return
		}
		s.at++
	}
	s.at = min(s.at, len(s.text))
}

// regexAllowed reports whether a slash at this place begins a regular expression. After a value a slash is a division.
func (s *jsScan) regexAllowed() bool {
	switch w := s.words[0]; w {
	case ")", "]", "}", `"`, "`":
		return false
	case "", "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "yield", "await":
		return true
	default:
		return !wordByte(w[0])
	}
}

// regex reads a regular expression. If the expression does not end on its line, regex moves past the slash only.
func (s *jsScan) regex() {
	class := false
	for i := s.at + 1; i < len(s.text) && s.text[i] != '\n'; i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				s.at = i + 1
				s.push(`"`)
				return
			}
		}
	}
	s.at++
	s.push("/")
}

func (s *jsScan) skipTo(end string) {
	i := strings.Index(s.text[s.at:], end)
	if i < 0 {
		i = len(s.text) - s.at
	}
	s.line += strings.Count(s.text[s.at:s.at+i], "\n")
	s.at += i
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c == '#' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
