package prose

import (
	"html"
	"strings"
	"unicode"

	"agentdungeon/server/inspect"
)

// document is a parsed Markdown file.
type document struct {
	prose   []line         // lines of text, not of code blocks; inline code is blanked
	fences  []fence        // code between ``` or ~~~
	anchors map[string]int // lines of the anchors that "#..." can name; keys are from fold
	front   bool           // it begins with front matter, as pages of site generators do
}

type line struct {
	n    int
	text string
}

type fence struct {
	info    string // the word after the ticks, in lower case
	n       int    // line of the first line of code
	lines   []string
	heading int // number of headings above it
}

var (
	fenceOpen  = inspect.Pattern("^[ \t>]*(?:[-*+] |\\d+[.)] )?[ \t]*(`{3,}|~{3,})\\s*([^`]*)$")
	atx        = inspect.Pattern(`^ {0,3}#{1,6}(?:\s+(.*?))?\s*#*\s*$`)
	setext     = inspect.Pattern(`^ {0,3}(=+|-+)\s*$`)
	listItem   = inspect.Pattern(`^\s*([-*+]|\d+[.)])\s`)
	htmlAnchor = inspect.Pattern(`(?i)\b(?:id|name)\s*=\s*["']?([^"'\s>]+)`)
	customID   = inspect.Pattern(`\{:?\s*#([^}\s]+)[^}]*\}`)
	codeSpan   = inspect.Pattern("``[^`]*(?:`[^`]+)*``|`[^`]*`")
	rawBegin   = inspect.Pattern(`(?i)<(pre|script|style|code)\b[^>]*>`)
)

// parse parses a Markdown text in one pass.
func parse(data []byte) *document {
	p := &parser{d: &document{anchors: map[string]int{}}, blank: true}
	for n, text := range inspect.Lines(data) {
		if n == 1 && strings.TrimRight(text, " ") == "---" {
			p.d.front, p.until = true, "---"
			continue
		}
		if text, ok := p.outside(text); ok && !p.inFence(n, text) {
			p.line(n, text)
		}
	}
	return p.d
}

// parser is the state of parse between two lines.
type parser struct {
	d     *document
	open  *fence // nil outside of fences
	mark  string // what ends the open fence
	until string // what ends an open comment, tag or front matter; "" if none is open
	list  bool   // in a list
	blank bool   // the line before was blank or indented code
	last  string // the paragraph's line before, "" if there is none

	headings int
}

// outside returns the part of a line that is outside of an open comment, tag or front matter.
func (p *parser) outside(text string) (rest string, ok bool) {
	if p.until == "" {
		return text, true
	}
	i := strings.Index(text, p.until)
	if i < 0 || p.until == "---" && strings.TrimSpace(text) != "---" {
		return "", false
	}
	rest = strings.Repeat(" ", min(i, 3)) + text[i+len(p.until):]
	p.until = ""
	return rest, strings.TrimSpace(rest) != ""
}

// inFence reports whether a line belongs to a fence, and adds it to that fence.
func (p *parser) inFence(n int, text string) bool {
	if p.open != nil {
		trimmed := strings.TrimLeft(text, " \t>")
		if strings.HasPrefix(trimmed, p.mark) && strings.Trim(trimmed, p.mark[:1]+" \t") == "" {
			p.d.fences = append(p.d.fences, *p.open)
			p.open = nil
		} else {
			p.open.lines = append(p.open.lines, strings.TrimPrefix(text, "> "))
		}
		return true
	}
	m := fenceOpen.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	p.mark = m[1]
	info, _, _ := strings.Cut(strings.TrimSpace(m[2]), " ")
	p.open = &fence{info: strings.ToLower(strings.Trim(info, "{}.")), n: n + 1, heading: p.headings}
	return true
}

// line reads a line outside of fences.
func (p *parser) line(n int, text string) {
	excused := strings.Contains(text, "markdownlint-disable-line")
	text, p.until = withoutComment(text)
	if strings.TrimSpace(text) == "" {
		p.blank, p.last = true, ""
		return
	}
	if listItem.MatchString(text) {
		p.list = true
	} else if p.blank && text[0] != ' ' && text[0] != '\t' {
		p.list = false
	}
	if p.blank && !p.list && (strings.HasPrefix(text, "    ") || text[0] == '\t') {
		return // indented code; blank stays true for its next lines
	}
	p.blank = false
	p.anchors(n, text)
	p.last = text
	if !excused {
		p.d.prose = append(p.d.prose, line{n, p.withoutRaw(text)})
	}
}

// anchors adds the anchors of a line: those of HTML, and that of a heading.
func (p *parser) anchors(n int, text string) {
	for _, pattern := range []*inspect.Regexp{htmlAnchor, customID} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			p.d.anchors[fold(m[1])] = n
		}
	}
	switch m := atx.FindStringSubmatch(text); {
	case m != nil:
		p.headings++
		p.d.anchors[fold(heading(m[1]))] = n
	case setext.MatchString(text) && p.last != "":
		p.headings++
		p.d.anchors[fold(heading(p.last))] = n
	}
}

// withoutRaw returns a line without the text of tags that show it as it is, such as pre. Code spans become zero bytes.
func (p *parser) withoutRaw(text string) string {
	shown := codeSpan.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\x00", len(s)) })
	m := rawBegin.FindStringSubmatchIndex(shown)
	if m == nil {
		return shown
	}
	tag := "</" + strings.ToLower(shown[m[2]:m[3]]) + ">"
	rest := shown[m[1]:]
	if i := strings.Index(inspect.LowerASCII(rest), tag); i >= 0 {
		return shown[:m[0]] + rest[i+len(tag):]
	}
	if strings.HasPrefix(tag, "</code") {
		return shown
	}
	p.until = tag
	return shown[:m[0]]
}

// withoutComment removes HTML comments from a line. If a comment continues on the next line, until is the text that
// ends the comment.
func withoutComment(text string) (rest, until string) {
	for {
		from := strings.Index(text, "<!--")
		if from < 0 {
			return text, ""
		}
		to := strings.Index(text[from:], "-->")
		if to < 0 {
			return text[:from], "-->"
		}
		text = text[:from] + text[from+to+3:]
	}
}

var (
	inlineLink = inspect.Pattern(`!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])`)
	htmlTag    = inspect.Pattern(`<[^>]*>`)
)

// heading returns the visible text of a heading. What looks like a tag within code is text.
func heading(text string) string {
	text = customID.ReplaceAllString(text, "")
	text = inlineLink.ReplaceAllString(text, "$1")
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = htmlTag.ReplaceAllString(parts[i], "")
	}
	return html.UnescapeString(strings.Join(parts, ""))
}

// fold returns the letters and digits of a heading or an anchor, in lower case. Sites make anchors in different ways
// from dashes, emphasis and signs. If a link and a heading differ even when folded, the link leads to the heading on no
// site.
func fold(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
