package inspect

import "strings"

var (
	// security matches the comments by which people silence security linters. Such a comment accepts all problems
	// that the checks report.
	security = Pattern(`\bnosec\b|\bnosemgrep\b`)
	// mark matches the comments by which people silence other linters, and the names of the rules in them if there are
	// any.
	mark = Pattern(`\bnolint(?::([\w, -]+))?|\bnoqa(?::\s*([A-Z]+\d*(?:[, ]+[A-Z]+\d+)*))?|` +
		`\beslint-disable[\w-]*(?:\s+([\w@/, -]+))?`)
	// ours matches the names of linters, and of their rules, that report the same problems as the checks: dangerous
	// calls, dropped errors, missing time limits, undefined names, what nothing closes. A mark that names others, as
	// //nolint:lll, accepts no finding.
	ours = Pattern(`gosec|errcheck|noctx|errorlint|nilerr|bodyclose|sqlclosecheck|staticcheck|\ball\b|` +
		`\bS\d|\bB\d|\bF[5-8]\d|promise-executor|no-undef|no-redeclare|no-dupe|constant-|` +
		`security|eval|new-func|unsafe|unsanitized|xss|html|child-process|sql|danger`)
)

// waived reports whether a line has a mark by which somebody told a linter that the code is intended.
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

// accepted reports whether a comment at the line or the line before says that the code is intended.
func accepted(x *Index, line int) bool {
	for n := max(1, line-1); n <= line; n++ {
		if from, to := x.bounds(n); waived(string(x.text[from:to])) {
			return true
		}
	}
	return false
}
