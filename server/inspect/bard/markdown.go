package bard

import (
	"html"
	"strings"
	"unicode"

	"agentdungeon/server/inspect"
)

// document is a Markdown file taken apart.
type document struct {
	prose   []line         // what is read, without code; code in lines is blanked
	fences  []fence        // code between ``` or ~~~
	anchors map[string]int // what a "#..." can point to, as folded by fold
	front   bool           // it begins with front matter, as pages of site generators do
}

type line struct {
	n    int
	text string
}

type fence struct {
	info    string // the word after the ticks, in small letters
	n       int    // line of the first line of code
	lines   []string
	heading int // how many headings stand above it
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

// parse takes a Markdown text apart in one pass.
func parse(data []byte) *document {
	d := &document{anchors: map[string]int{}}
	var open *fence
	mark, until := "", "" // the ticks or the tag that end what is open
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
			continue // indented code; its later lines come here too, since blank stays
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
			continue // the authors know
		}
		shown := codeSpan.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\x00", len(s)) })
		if m := rawBegin.FindStringSubmatchIndex(shown); m != nil {
			tag := "</" + strings.ToLower(shown[m[2]:m[3]]) + ">"
			rest := shown[m[1]:]
			if i := strings.Index(strings.ToLower(rest), tag); i >= 0 {
				shown = shown[:m[0]] + rest[i+len(tag):]
			} else if !strings.HasPrefix(tag, "</code") {
				shown, until = shown[:m[0]], tag
			}
		}
		d.prose = append(d.prose, line{n, shown})
	}
	return d
}

// withoutComment takes HTML comments out of a line; until is what ends one that goes
// on in the next.
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

// heading is what is read of a heading.
func heading(text string) string {
	text = customID.ReplaceAllString(text, "")
	text = inlineLink.ReplaceAllString(text, "$1")
	text = htmlTag.ReplaceAllString(text, "")
	return html.UnescapeString(text)
}

// fold keeps the letters and digits of a heading or an anchor, in small. Sites differ
// in how they treat dashes, emphasis and signs; what differs even so is broken on all
// of them.
func fold(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
