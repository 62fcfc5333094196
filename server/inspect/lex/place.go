package lex

import (
	"bytes"
	"strings"

	"agentdungeon/server/inspect"
)

var aside = inspect.Pattern(`(?i)(^|/)(_?examples?|website|[a-z-]+-docs?|samples?|demos?|docs?|documentation|benchmarks?|tutorials?|playground)(/|$)`)

// Shown reports whether a file only demonstrates something: an example, a demo or documentation.
func Shown(f *inspect.File) bool {
	switch f.Lang {
	case "Markdown", "MDX", "reStructuredText", "AsciiDoc", "HTML", "Jupyter Notebook":
		return true
	}
	base := strings.ToLower(f.Base())
	return aside.MatchString(f.Dir()) || strings.Contains(base, "example") || strings.Contains(base, "sample") ||
		strings.HasSuffix(base, ".dist") || strings.HasSuffix(base, ".tmpl") || strings.HasSuffix(base, ".template")
}

// Product reports whether a file belongs to the product: it is no test, no help for tests and no example.
func Product(f *inspect.File) bool { return !f.Test && !Helps(f) && !Shown(f) }

// helps matches words of a path by which Helps recognises helpers of tests. others matches ordinary words that only end
// with "test".
var (
	helps  = inspect.Pattern(`(?i)^([a-z]*tests?|test(ing|ers?|utils?|helpers?|case|kit|suite|data|bed|server|env)|(fake|mock|stub|dummy)s?[a-z]*)$`)
	others = inspect.Pattern(`(?i)^(latest|contests?|attests?|protests?|detests?|fastest|greatest|shortest|lightest|tightest|brightest|smartest|softest|strictest|hottest|fittest|flattest)$`)
)

// Helps reports whether a file helps tests although its name is not a test's: testing.go,
// testhelpers/, fakeserver/.
func Helps(f *inspect.File) bool {
	for word := range strings.FieldsFuncSeq(f.Path, func(r rune) bool { return strings.ContainsRune("/_.-", r) }) {
		if helps.MatchString(word) && !others.MatchString(word) {
			return true
		}
	}
	return false
}

// byHand matches folders of files that only the project's own people run.
var byHand = inspect.Pattern(`(?i)(^|/)(scripts?|tools?|hack|bench(es|marks?)?|ci|misc|gen)(/|$)`)

// ByHand reports whether a file is a program that only the project's own people run.
func ByHand(f *inspect.File) bool {
	return byHand.MatchString(f.Dir()) || f.Base() == "gen.go" || f.Base() == "setup.py"
}

// Dense reports whether the lines of a text are too long to be written by people, as in minified code.
func Dense(data []byte) bool { return len(data)/(1+bytes.Count(data, []byte("\n"))) > 250 }

// HasAny reports whether a text contains one of some words. It is much cheaper than a pattern, so checks
// call it first.
func HasAny(data []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(data, []byte(w)) {
			return true
		}
	}
	return false
}

// waived reports whether a line contains a mark that tells a linter that the code is intended.
func waived(line string) bool {
	return strings.Contains(line, "nosec") || strings.Contains(line, "nolint") || strings.Contains(line, "noqa") ||
		strings.Contains(line, "nosemgrep") || strings.Contains(line, "eslint-disable")
}

// Accepted reports whether a comment at the line or the line before says that the code is intended.
func (s *Source) Accepted(line int) bool { return accepted(s.Index, s.Text, line) }

// Accepted reports whether a comment at the line or the line before says that the code is intended.
func (f *GoFile) Accepted(line int) bool { return accepted(f.Index(), f.Text, line) }

func accepted(x *inspect.Index, text []byte, line int) bool {
	for n := max(1, line-1); n <= line; n++ {
		if from, to := x.Bounds(n); waived(string(text[from:to])) {
			return true
		}
	}
	return false
}

// MaxCalls is the maximum number of matches of one pattern that are examined in one text. People write fewer, and each
// match may be slow to examine.
const MaxCalls = 500

// Calls yields the offset and the arguments of each call that a pattern matches in the code.
// The pattern must end with the opening bracket.
func (s *Source) Calls(pattern *inspect.Regexp) func(yield func(from int, args []Span) bool) {
	return func(yield func(int, []Span) bool) {
		for _, m := range pattern.FindAllIndex(s.Code, MaxCalls) {
			if args, _, ok := s.Args(m[1] - 1); ok && !yield(m[0], args) {
				return
			}
		}
	}
}
