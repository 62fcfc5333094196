package lex

import (
	"bytes"
	"strings"

	"agentdungeon/server/inspect"
)

// Product reports whether a file belongs to the product: it is no test, no help for tests and no example.
func Product(f *inspect.File) bool { return !f.Test && !inspect.Helps(f) && !inspect.Shown(f) }

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

var (
	// security matches the marks of linters that only look for what the checks look for.
	security = inspect.Pattern(`\bnosec\b|\bnosemgrep\b`)
	// mark matches the marks of other linters, with the rules that they name, if they name any.
	mark = inspect.Pattern(`\bnolint(?::([\w, -]+))?|\bnoqa(?::\s*([A-Z]+\d*(?:[, ]+[A-Z]+\d+)*))?|` +
		`\beslint-disable[\w-]*(?:\s+([\w@/, -]+))?`)
	// ours matches the rules of these linters that look for the same as the checks: dangerous calls, lost errors,
	// missing time limits. A mark for another rule says nothing about the finding.
	ours = inspect.Pattern(`gosec|errcheck|noctx|bodyclose|errorlint|nilerr|\ball\b|\bS\d|\bBLE|\bE722|\bB\d|` +
		`\bSIM105|\bTRY|security|eval|new-func|empty|unsafe|unsanitized|xss|html|child-process|sql|danger`)
)

// waived reports whether a line contains a mark that tells a linter of such problems that the code is intended.
func waived(line string) bool {
	if security.MatchString(line) {
		return true
	}
	for _, m := range mark.FindAllStringSubmatch(line, 4) {
		if rules := m[1] + m[2] + m[3]; strings.Trim(rules, " -") == "" || ours.MatchString(rules) {
			return true
		}
	}
	return false
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
