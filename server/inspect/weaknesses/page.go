package weaknesses

import (
	"bytes"
	"context"
	"fmt"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func pages() inspect.Check {
	return inspect.Check{
		ID: "sentinel/html-of-text", Hero: "sentinel", CWE: []int{79}, Local: true, Confidence: inspect.Likely,
		Looks: "HTML that is joined from text and values and set in a page",
		Rule:  "High if the value comes from the page's address, else medium; only values with a name such as name, message or input that are not escaped; tests are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f, data := range r.All(ctx, scripts...) {
				if !f.Test && !lex.Dense(data) && (bytes.Contains(data, []byte("HTML")) || bytes.Contains(data, []byte("document.write"))) {
					findPages(f, data, tell)
				}
			}
			return ctx.Err()
		},
	}
}

var (
	setHTML  = inspect.Pattern(`\.(?:inner|outer)HTML\s*\+?=`)
	callHTML = inspect.Pattern(`\.insertAdjacentHTML\s*\(|\bdocument\.writeln?\s*\(`)
	jsxHTML  = inspect.Pattern(`\b__html\s*:`)
	// worded matches names of values that are probably texts from people. Other values may be numbers or the program's
	// own markup.
	worded = inspect.Pattern(`(?i)(?:^|\.|_|[a-z](?-i:[A-Z]))?(?:message|name|title|value|text|description|email|body|comment|query|search|input|user|subject|error|err|filename)\)?$`)
)

func findPages(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	s := lex.Scan(f.Lang, data)
	told := 0
	hit := func(at lex.Span) {
		if told == maxTold {
			return
		}
		var parts []string
		for _, p := range pieces(s, at) {
			if worded.MatchString(p) || untrusted.MatchString(p) {
				parts = append(parts, p)
			}
		}
		if len(parts) == 0 {
			return
		}
		line := s.Line(at.From)
		if s.Accepted(line) {
			return
		}
		told++
		sev := inspect.Medium
		if fromOutside(parts) {
			sev = inspect.High
		}
		tell(inspect.Finding{
			Severity: sev, Path: f.Path, Line: line,
			Title:    fmt.Sprintf("HTML is put together with %s", first(parts)),
			Evidence: s.Quote(line),
			Why:      "A < in the value becomes markup, and a script in it runs as if the page had sent it.",
			Advice:   "Create the elements and set textContent, or escape the value where it is inserted.",
		})
	}
	for _, m := range setHTML.FindAllIndex(s.Code, lex.MaxCalls) {
		if m[1] < len(s.Code) && s.Code[m[1]] != '=' {
			hit(statementFrom(s, m[1]))
		}
	}
	for _, args := range s.Calls(callHTML) {
		if len(args) > 0 {
			hit(args[len(args)-1])
		}
	}
	for _, m := range jsxHTML.FindAllIndex(s.Code, lex.MaxCalls) {
		hit(statementFrom(s, m[1]))
	}
}

// statementFrom returns the expression that begins at offset from. The expression ends before a semicolon, a comma or
// an unmatched closing bracket, or at the end of a line that the next line does not continue.
func statementFrom(s *lex.Source, from int) lex.Span {
	depth := 0
	last := byte('=')
	for i := from; i < len(s.Code) && i < from+20_000; i++ {
		b := s.Code[i]
		if at, in := s.At(i); in && at.Kind == lex.String {
			i = at.To - 1
			last = '"'
			continue
		}
		switch b {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return lex.Span{From: from, To: i}
			}
		case ';', ',':
			if depth == 0 {
				return lex.Span{From: from, To: i}
			}
		case '\n':
			if depth == 0 && last != '+' && last != '=' && last != '(' && last != '?' && last != ':' && !goesOn(s.Code[i:]) {
				return lex.Span{From: from, To: i}
			}
		}
		if b > ' ' {
			last = b
		}
	}
	return lex.Span{From: from, To: min(len(s.Code), from+20_000)}
}

func goesOn(rest []byte) bool {
	rest = bytes.TrimLeft(rest[:min(len(rest), 200)], " \t\r\n")
	return len(rest) > 0 && bytes.IndexByte([]byte("+.?:&|"), rest[0]) >= 0
}
