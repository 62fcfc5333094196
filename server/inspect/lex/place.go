package lex

import (
	"bytes"
	"strings"

	"agentdungeon/server/inspect"
)

var aside = inspect.Pattern(`(?i)(^|/)(_?examples?|website|[a-z-]+-docs?|samples?|demos?|docs?|documentation|benchmarks?|tutorials?|playground)(/|$)`)

// Shown says whether a file only shows how something is done: an example, a demo or
// documentation.
func Shown(f *inspect.File) bool {
	switch f.Lang {
	case "Markdown", "MDX", "reStructuredText", "AsciiDoc", "HTML", "Jupyter Notebook":
		return true
	}
	base := strings.ToLower(f.Base())
	return aside.MatchString(f.Dir()) || strings.Contains(base, "example") || strings.Contains(base, "sample") ||
		strings.HasSuffix(base, ".dist") || strings.HasSuffix(base, ".tmpl") || strings.HasSuffix(base, ".template")
}

// Product says whether a file is part of what runs elsewhere than on its writer's
// machine.
func Product(f *inspect.File) bool { return !f.Test && !Helps(f) && !Shown(f) }

// helps is a word of a path that says so; these others only end alike.
var (
	helps  = inspect.Pattern(`(?i)^([a-z]*tests?|test(ing|ers?|utils?|helpers?|case|kit|suite|data|bed|server|env)|(fake|mock|stub|dummy)s?[a-z]*)$`)
	others = inspect.Pattern(`(?i)^(latest|contests?|attests?|protests?|detests?|fastest|greatest|shortest|lightest|tightest|brightest|smartest|softest|strictest|hottest|fittest|flattest)$`)
)

// Helps says whether a file helps tests although it is none by its name: testing.go,
// testhelpers/, fakeserver/.
func Helps(f *inspect.File) bool {
	for word := range strings.FieldsFuncSeq(f.Path, func(r rune) bool { return strings.ContainsRune("/_.-", r) }) {
		if helps.MatchString(word) && !others.MatchString(word) {
			return true
		}
	}
	return false
}

// byHand is what only the project's own people run.
var byHand = inspect.Pattern(`(?i)(^|/)(scripts?|tools?|hack|bench(es|marks?)?|ci|misc|gen)(/|$)`)

// ByHand says whether a file is run by the project's own people only.
func ByHand(f *inspect.File) bool {
	return byHand.MatchString(f.Dir()) || f.Base() == "gen.go" || f.Base() == "setup.py"
}

// Dense says whether lines are too long to be written by people: a packed script.
func Dense(data []byte) bool { return len(data)/(1+bytes.Count(data, []byte("\n"))) > 250 }

// HasAny says whether one of some words stands in a text. It costs far less than a
// pattern, so it comes first.
func HasAny(data []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(data, []byte(w)) {
			return true
		}
	}
	return false
}

// waived says whether somebody wrote at the line that this is meant.
func waived(line string) bool {
	return strings.Contains(line, "nosec") || strings.Contains(line, "nolint") || strings.Contains(line, "noqa") ||
		strings.Contains(line, "nosemgrep") || strings.Contains(line, "eslint-disable")
}

// Accepted says whether somebody wrote at the line or the one before it that what
// stands there is meant.
func (s *Source) Accepted(line int) bool { return accepted(s.Index, s.Text, line) }

// Accepted says the same of a line of a Go file.
func (f *GoFile) Accepted(line int) bool { return accepted(f.Index(), f.Text, line) }

func accepted(x *inspect.Index, text []byte, line int) bool {
	for n := max(1, line-1); n <= line; n++ {
		if from, to := x.Bounds(n); waived(string(text[from:to])) {
			return true
		}
	}
	return false
}

// MaxCalls is how many calls of one kind are looked at in one text: people write fewer,
// and each may take a while.
const MaxCalls = 500

// Calls finds calls in the code; the pattern ends with the opening bracket.
func (s *Source) Calls(pattern *inspect.Regexp) func(yield func(from int, args []Span) bool) {
	return func(yield func(int, []Span) bool) {
		for _, m := range pattern.FindAllIndex(s.Code, MaxCalls) {
			if args, _, ok := s.Args(m[1] - 1); ok && !yield(m[0], args) {
				return
			}
		}
	}
}
