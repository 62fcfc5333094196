package secrets

import (
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Rules for secrets in sentences and commands, which Mask masks and the review does not report: an assignment in the
// middle of a line, an option, a header, the password in an address, a key of a service that is cut or of a new form.
const (
	ruleHeader = "authorization"
	ruleURL    = "password-in-url"
	ruleKey    = "key"
)

// leastSaid is the length in bytes of the shortest value that is masked in a sentence or a command.
const leastSaid = 6

// saidRules are the patterns of the rules above. The first group of each is the secret. words has lower-case words of
// which each match contains one.
var saidRules = []struct {
	id      string
	words   []string
	pattern *inspect.Regexp
}{
	{ruleNamed, append([]string{"passphrase"}, secretWords...), inspect.Pattern(
		`(?i)(?:^|[^\w.-])(?:--?)?[\w.-]*(?:secret|passw(?:or)?d|passphrase|token|credentials?|` +
			`(?:api|access|secret|private|auth|signing|encryption|account|master|service)[ _-]?key)` +
			`(?:[=:]|\s{0,2}[=:]\s{1,2}|\s(?:is|was)\s)["'` + "`" + `]?([^\s"'` + "`" + `;&|,]{6,200})`)},
	{ruleNamed, secretWords, inspect.Pattern(
		`(?i)--[\w-]*(?:secret|passw(?:or)?d|passphrase|token|credentials?|` +
			`(?:api|access|secret|private|auth|signing|encryption|account|master|service)[ _-]?key)` +
			`\s+["']?([^\s"';&|,]{6,200})`)},
	{ruleNamed, []string{"curl", "wget", "--user"}, inspect.Pattern(
		`(?i)(?:curl|wget)\b[^\n;&|]{0,400}?\s(?:-u|--user)[ =]["']?[^\s:"']{1,64}:([^\s"';&|]{6,200})`)},
	{ruleHeader, []string{"bearer", "basic"}, inspect.Pattern(`(?i)\b(?:bearer|basic)\s+([\w.~+/=-]{12,1000})`)},
	{ruleURL, []string{"://"}, inspect.Pattern(`(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@"'?]{0,64}:([^\s/@"']{6,200})@`)},
	{ruleKey, []string{"sk-", "sk_", "aiza", "xox", "glpat-", "gho_", "ghp_", "ghs_", "github_pat_", "hf_", "npm_"},
		inspect.Pattern(`\b((?:sk[-_]|xox[a-z]-|glpat-|gh[a-z]_|github_pat_|hf_|npm_)[A-Za-z0-9_-]{20,300}|` +
			`AIza[\w-]{30,60})`)},
}

// saidIn returns the secrets that the rules above find in a window of a text; at is the window's offset.
func saidIn(window string, at int) (spans []masked) {
	lower := strings.ToLower(window)
	for _, r := range saidRules {
		if !slices.ContainsFunc(r.words, func(w string) bool { return strings.Contains(lower, w) }) {
			continue
		}
		for _, m := range r.pattern.FindAllSubmatchIndex([]byte(window), -1) {
			if value := window[m[2]:m[3]]; isSaid(value) {
				spans = append(spans, masked{at + m[2], at + m[3], r.id})
			}
		}
	}
	return spans
}

// isSaid reports whether a value in a sentence or a command is worth masking: it has a letter and a digit, and it is
// neither a placeholder nor a path.
func isSaid(value string) bool {
	isPath := strings.Contains(value, "/") && strings.Contains(value, ".")
	return len(value) >= leastSaid && strings.IndexFunc(value, isLetter) >= 0 && strings.IndexFunc(value, isDigit) >= 0 &&
		!isPath && !isPlaceholder(value) && !refers(value)
}
