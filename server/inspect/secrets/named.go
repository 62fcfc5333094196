package secrets

import (
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

// Rules for secrets that have no pattern of a service and are recognised by the name to which they are assigned.
const (
	ruleAWSKey = "aws-secret-access-key" // the name and the form of an AWS key's secret
	ruleNamed  = "named-value"
)

// Limits in bytes for the lines that are examined, and for values.
const (
	maxNamedLine = 2_000
	leastMasked  = 8  // shorter values are not masked
	leastRandom  = 16 // a reported value has a series of at least this many letters and digits
)

// secretWords has lower-case words of which every name of a secret contains one, the most frequent first.
var secretWords = []string{"key", "token", "secret", "passw", "credential"}

var (
	// namedValue matches an assignment of a quoted text to a name that ends with a word for a secret: NAME = "value",
	// "name": "value", name := `value`, const name: string = 'value'.
	namedValue = inspect.Pattern(`(?i)([\w.-]*(?:secret|passw(?:or)?d|token|credentials?|` +
		`(?:api|access|secret|private|auth|signing|encryption|account|master|service)[_-]?key` +
		`)(?:[_-]?base)?)["'` + "`" + `\]]{0,2}(?:\s?:?\s?(?:string|str|String))?\s{0,8}(?::=|=>|=|:)\s{0,8}` +
		`["'` + "`" + `]([^"'` + "`" + `\s]{8,200})["'` + "`" + `]`)
	// plainValue matches a whole line NAME=value, as in files of settings and environments.
	plainValue = inspect.Pattern(`(?i)^\s*(?:export\s+)?([\w.-]*(?:secret|passw(?:or)?d|token|credentials?|` +
		`(?:api|access|secret|private|auth|signing|encryption|account|master|service)[_-]?key` +
		`)(?:[_-]?base)?)=([\w+/=.~!@#%^&*:-]{8,200})\s*$`)
	awsName  = inspect.Pattern(`(?i)^(?:aws_?)?secret_?(?:access_?)?key$|aws.*secret`)
	awsValue = inspect.Pattern(`^[A-Za-z0-9/+]{40}$`)
)

// namedIn returns the values in a text that are assigned to the name of a secret, in order. A value can be a
// placeholder or a word; isRandom tells whether it looks like a secret.
func namedIn(text string) (found []hit) {
	lower := inspect.LowerASCII(text)
	for at := 0; at < len(text); {
		next := nextWord(lower[at:])
		if next < 0 {
			return found
		}
		at += next
		begin := strings.LastIndexByte(text[:at], '\n') + 1
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if end-begin <= maxNamedLine {
			found = append(found, namedInLine(text, begin, end)...)
		}
		at = end + 1
	}
	return found
}

// nextWord returns the offset of the first word for a secret, or -1.
func nextWord(lower string) int {
	next := -1
	for _, word := range secretWords {
		part := lower
		if next >= 0 {
			part = lower[:min(len(lower), next+len(word))]
		}
		if i := strings.Index(part, word); i >= 0 && (next < 0 || i < next) {
			next = i
		}
	}
	return next
}

func namedInLine(text string, begin, end int) (found []hit) {
	line := text[begin:end]
	all := namedValue.FindAllSubmatchIndex([]byte(line), 10)
	if all == nil {
		all = plainValue.FindAllSubmatchIndex([]byte(line), 1)
	}
	for _, m := range all {
		h := hit{rule: ruleNamed, at: begin + m[4], line: line, match: line[m[2]:m[3]], secret: line[m[4]:m[5]]}
		if awsName.MatchString(h.match) && awsValue.MatchString(h.secret) {
			h.rule = ruleAWSKey
		}
		if !isPlaceholder(h.secret) && !refers(h.secret) {
			found = append(found, h)
		}
	}
	return found
}

// refers reports whether a value refers to another one: it is a variable, a template, a path, or an address without
// a password.
func refers(value string) bool {
	return strings.ContainsAny(value, "${}<>()[]") || strings.Contains(value, "://") && !strings.Contains(value, "@") ||
		strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "@")
}

// isRandom reports whether a value looks machine-made: it has a series of at least leastRandom letters and digits,
// with at least three digits, three letters and high entropy.
func isRandom(value string) bool {
	if madeUp.MatchString(value) || repeats(value) {
		return false
	}
	for run := range strings.FieldsFuncSeq(value, func(r rune) bool { return !isLetter(r) && !isDigit(r) }) {
		digits := strings.IndexFunc(run, isDigit)
		letters := strings.IndexFunc(run, isLetter)
		count := 0
		for _, r := range run {
			if isDigit(r) {
				count++
			}
		}
		if len(run) >= leastRandom && digits >= 0 && letters >= 0 && count >= 3 && count < len(run)-2 && entropy(run) > 3 {
			return true
		}
	}
	return false
}

// isPlaceholder reports whether a text stands for a secret, such as $TOKEN.
func isPlaceholder(secret string) bool {
	h := hit{match: secret, secret: secret, line: secret}
	return holdsFor(everywhere, &h)
}

// repeats reports whether a text is too regular for a secret.
func repeats(s string) bool {
	seen, run := map[byte]bool{}, 1
	for i := range len(s) {
		seen[s[i]] = true
		if i > 0 && s[i] == s[i-1] {
			if run++; run >= 5 {
				return true
			}
		} else {
			run = 1
		}
	}
	return len(seen) < 8
}

// isGuarded reports whether a value is worth masking: it has a letter and also a digit or another character, so it
// is not a word.
func isGuarded(value string) bool {
	plain := func(r rune) bool { return isLetter(r) || strings.ContainsRune("_-./:", r) }
	return len(value) >= leastMasked && strings.IndexFunc(value, isLetter) >= 0 &&
		strings.IndexFunc(value, func(r rune) bool { return !plain(r) }) >= 0
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
func isDigit(r rune) bool  { return '0' <= r && r <= '9' }

// isEnvironment reports whether a file has the settings of a running program, such as .env and .env.production. An
// example of such a file does not count.
func isEnvironment(f *inspect.File) bool {
	base := strings.ToLower(path.Base(f.Path))
	if base != ".env" && !strings.HasPrefix(base, ".env.") {
		return false
	}
	for _, word := range []string{"example", "sample", "template", "dist", "test", "default", "schema", "tpl"} {
		if strings.Contains(base, word) {
			return false
		}
	}
	return true
}
