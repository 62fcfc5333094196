package review

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"agentdungeon/server/inspect"
)

// headLines is the number of lines of a README that can be its head: what stands before its first section.
const headLines = 80

// shortest is the number of words of a line in HTML that can describe a project; a shorter one is mostly a title.
const shortest = 4

var (
	noProse   = inspect.Pattern(`^(#|\[!|!\[|<|---|===|\||>|` + "```" + `|- |\* )`)
	htmlNote  = inspect.Pattern(`(?s)<!--.*?-->`)
	htmlTag   = inspect.Pattern(`(?s)<(/?)([A-Za-z][A-Za-z0-9]*)\b[^<>]*>`)
	mdPicture = inspect.Pattern(`!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])?`)
	mdLink    = inspect.Pattern(`\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])`)
	isHeading = inspect.Pattern(`^h[1-6]$`)
	isA       = inspect.Pattern(`^(?:\S+ ){1,4}(?:is|are) (?:an?|the) `)
	noSubject = inspect.Pattern(`(?i)^(?:there|here|this|that|what|it) `)
)

// inLine has the elements of HTML that can stand within a sentence; every other one begins or ends a block.
var inLine = inspect.Words("a abbr b big code em font i kbd mark s small span strong sub sup tt u")

// saying is a text of a README that may describe the project, and the number of its first line.
type saying struct {
	line int
	text string
}

// opening returns what a README says first of the project with that name, and the number of the line. It prefers a
// sentence of the form "Name is" to any other, then one of the form "It is a"; of equal ones the first. It looks at the
// text of HTML elements before the first section, and at the first paragraph. at is 0 if there is none.
func opening(data []byte, name string) (at int, text string) {
	data = blanked(data, htmlNote)
	all := inHTML(head(data))
	if first := paragraph(data); first.line > 0 {
		all = append(all, first)
	}
	slices.SortStableFunc(all, func(a, b saying) int { return a.line - b.line })
	best, score := saying{}, 0
	for _, s := range all {
		if n := describes(s.text, name); n > score {
			best, score = s, n
		}
	}
	return best.line, best.text
}

// blanked returns a text with spaces in place of what a pattern matches. The numbers of the lines remain.
func blanked(data []byte, what *inspect.Regexp) []byte {
	out := bytes.Clone(data)
	for _, m := range what.FindAllIndex(data, -1) {
		for i := m[0]; i < m[1]; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return out
}

// describes returns how well a text describes a project: 3 for a sentence that says what the name is, 2 for a sentence
// that says what something is, 1 for another text.
func describes(text, name string) int {
	named, err := regexp.Compile(`(?i)^\W{0,3}(?:\w+ )?` + regexp.QuoteMeta(name) + `\W{0,3}(?: \S+){0,3} (?:is|are)\b`)
	switch {
	case name != "" && err == nil && named.MatchString(text):
		return 3
	case isA.MatchString(text) && !noSubject.MatchString(text):
		return 2
	}
	return 1
}

// head returns the beginning of a README, up to its first section.
func head(data []byte) []byte {
	end := 0
	for n, line := range inspect.Lines(data) {
		if n > headLines || strings.HasPrefix(line, "##") {
			break
		}
		end = min(end+len(line)+1, len(data))
	}
	return data[:end]
}

// Marks that stand for the tags of HTML in the text that inHTML reads.
const (
	linkBegins  = '\x01'
	linkEnds    = '\x02'
	blockBegins = '\x03'
	blockEnds   = '\x04'
	textEnds    = '\x05'
)

// marked returns a text with marks in place of tags and of links in Markdown. The numbers of the lines remain.
func marked(data []byte) []byte {
	data = blanked(data, mdPicture)
	out := bytes.Clone(data)
	for _, m := range htmlTag.FindAllSubmatchIndex(data, -1) {
		closes, tag := m[2] < m[3], strings.ToLower(string(data[m[4]:m[5]]))
		for i := m[0]; i < m[1]; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
		mark := byte(textEnds)
		switch {
		case tag == "a" && closes:
			mark = linkEnds
		case tag == "a":
			mark = linkBegins
		case (tag == "p" || tag == "div" || tag == "center" || isHeading.MatchString(tag)) && closes:
			mark = blockEnds
		case tag == "p" || tag == "div" || tag == "center" || isHeading.MatchString(tag):
			mark = blockBegins
		case inLine[tag]:
			mark = ' '
		}
		out[m[0]] = mark
	}
	for _, m := range mdLink.FindAllSubmatchIndex(out, -1) {
		out[m[0]] = linkBegins
		for i := m[3]; i < m[1]; i++ {
			out[i] = ' '
		}
		out[m[3]] = linkEnds
	}
	return out
}

// inHTML returns the texts of the blocks of HTML at the head of a README, without titles, badges, pictures and
// navigation.
func inHTML(data []byte) (out []saying) {
	var text strings.Builder
	from, linked, links, depth := 0, 0, 0, 0
	end := func() {
		words := strings.Fields(html.UnescapeString(text.String()))
		said := strings.Join(words, " ")
		if len(words) >= shortest && 2*linked < letters(said) {
			out = append(out, saying{from, said})
		}
		text.Reset()
		from, linked = 0, 0
	}
	for n, line := range inspect.Lines(marked(data)) {
		if blank := strings.TrimSpace(line); blank == "" || noProse.MatchString(blank) {
			end()
			continue
		}
		for _, r := range line + " " {
			switch r {
			case linkBegins:
				links++
			case linkEnds:
				links = max(0, links-1)
			case blockBegins, blockEnds, textEnds:
				end()
				depth = max(0, depth+map[rune]int{blockBegins: 1, blockEnds: -1}[r])
			default:
				if depth == 0 {
					continue
				}
				text.WriteRune(r)
				if from == 0 && !unicode.IsSpace(r) {
					from = n
				}
				if links > 0 && unicode.IsLetter(r) {
					linked++
				}
			}
		}
	}
	end()
	return out
}

// letters returns the number of letters of a text.
func letters(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// paragraph returns the first paragraph of prose of a Markdown text; its line is 0 if there is no such paragraph.
func paragraph(data []byte) saying {
	at := 0
	var words []string
	fence := false
	for n, line := range inspect.Lines(data) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fence = !fence
		}
		if line == "" || fence || noProse.MatchString(line) || at == 0 && onlyLinks(line) {
			if at > 0 {
				break
			}
			continue
		}
		if at == 0 {
			at = n
		}
		words = append(words, line)
	}
	return saying{at, strings.Join(words, " ")}
}

// onlyLinks reports whether a line has links and no word besides.
func onlyLinks(line string) bool {
	rest := string(blanked(blanked([]byte(line), mdPicture), mdLink))
	return rest != line && letters(rest) == 0
}
