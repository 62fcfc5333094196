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
	d := &document{anchors: map[string]int{}}
	var open *fence
	mark, until := "", "" // what ends the open fence, and what ends an open comment, tag or front matter
	list, blank, last := false, true, ""
	headings := 0
	for n, text := range inspect.Lines(data) {
		if n == 1 && strings.TrimRight(text, " ") == "---" {
			d.front, until = true, "---"
			continue
		}
		if until != "" {
			if i := strings.Index(text, until); i >= 0 && (until != "---" || strings.TrimSpace(text) == "---") {
				text, until = strings.Repeat(" ", min(i, 3))+text[i+len(until):], ""
				if strings.TrimSpace(text) == "" {
					continue
				}
			} else {
				continue
			}
		}
		if open != nil {
			trimmed := strings.TrimLeft(text, " \t>")
			if strings.HasPrefix(trimmed, mark) && strings.Trim(trimmed, mark[:1]+" \t") == "" {
				d.fences = append(d.fences, *open)
				open = nil
			} else {
				open.lines = append(open.lines, strings.TrimPrefix(text, "> "))
			}
			continue
		}
		if m := fenceOpen.FindStringSubmatch(text); m != nil {
			mark = m[1]
			info, _, _ := strings.Cut(strings.TrimSpace(m[2]), " ")
			open = &fence{info: strings.ToLower(strings.Trim(info, "{}.")), n: n + 1, heading: headings}
			continue
		}
		excused := strings.Contains(text, "markdownlint-disable-line")
		text, until = withoutComment(text)
		if strings.TrimSpace(text) == "" {
			blank, last = true, ""
			continue
		}
		if listItem.MatchString(text) {
			list = true
		} else if blank && text[0] != ' ' && text[0] != '\t' {
			list = false
		}
		if blank && !list && (strings.HasPrefix(text, "    ") || text[0] == '\t') {
			continue // indented code; blank stays true for its next lines
		}
		blank = false
		for _, m := range htmlAnchor.FindAllStringSubmatch(text, -1) {
			d.anchors[fold(m[1])] = n
		}
		for _, m := range customID.FindAllStringSubmatch(text, -1) {
			d.anchors[fold(m[1])] = n
		}
		switch m := atx.FindStringSubmatch(text); {
		case m != nil:
			headings++
			d.anchors[fold(heading(m[1]))] = n
		case setext.MatchString(text) && last != "":
			headings++
			d.anchors[fold(heading(last))] = n
		}
		last = text
		if excused {
			continue // a comment excuses the line
		}
		shown := codeSpan.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\x00", len(s)) })
		if m := rawBegin.FindStringSubmatchIndex(shown); m != nil {
			tag := "</" + strings.ToLower(shown[m[2]:m[3]]) + ">"
			rest := shown[m[1]:]
			if i := strings.Index(inspect.LowerASCII(rest), tag); i >= 0 {
				shown = shown[:m[0]] + rest[i+len(tag):]
			} else if !strings.HasPrefix(tag, "</code") {
				shown, until = shown[:m[0]], tag
			}
		}
		d.prose = append(d.prose, line{n, shown})
	}
	return d
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
