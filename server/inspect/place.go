package inspect

import (
	"bytes"
	"path"
	"strings"
)

var aside = Pattern(`(?i)(^|/)(_?examples?|website|[a-z-]+-(docs?|demos?|examples?)|samples?|demos?|docs?|` +
	`documentation|benchmarks?|tutorials?|playground)(/|$)`)

// Shown reports whether a file only demonstrates something: an example, a demo or documentation.
func Shown(f *File) bool {
	switch f.Lang {
	case "Markdown", "MDX", "reStructuredText", "AsciiDoc", "HTML", "Jupyter Notebook":
		return true
	}
	base := strings.ToLower(f.Base())
	return aside.MatchString(f.Dir()) || strings.Contains(base, "example") || strings.Contains(base, "sample") ||
		strings.HasSuffix(base, ".dist") || strings.HasSuffix(base, ".tmpl") || strings.HasSuffix(base, ".template")
}

// helps matches words of a path by which Helps recognises helpers of tests. others matches ordinary words that only end
// with "test".
var (
	helps = Pattern(`(?i)^([a-z]*tests?|test(ing|ers?|utils?|helpers?|case|kit|suites?|data|bed|servers?|services?|env)|` +
		`fuzz(ing|er)?|(fake|mock|stub|dummy)s?[a-z]*|simulators?)$`)
	others = Pattern(`(?i)^(latest|contests?|attests?|protests?|detests?|` +
		`fastest|greatest|shortest|lightest|tightest|brightest|smartest|softest|strictest|hottest|fittest|flattest)$`)
)

// Helps reports whether a file helps tests although its name is not a test's: testing.go,
// testhelpers/, fakeserver/.
func Helps(f *File) bool {
	for word := range strings.FieldsFuncSeq(f.Path, func(r rune) bool { return strings.ContainsRune("/_.-", r) }) {
		if helps.MatchString(word) && !others.MatchString(word) {
			return true
		}
	}
	return false
}

// byHand matches folders of files that only the project's own people run.
var byHand = Pattern(`(?i)(^|/)(scripts?|tools?|hack|bench(es|marks?)?|ci|misc|gen)(/|$)`)

// ByHand reports whether a file is a program that only the project's own people run.
func ByHand(f *File) bool {
	return byHand.MatchString(f.Dir()) || f.Base() == "gen.go" || f.Base() == "setup.py"
}

// Upward returns a folder and the folders above it, the root ("") last.
func Upward(dir string) []string {
	var out []string
	for ; dir != "" && dir != "."; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	return append(out, "")
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
