package secrets

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"

	"agentdungeon/server/inspect"
)

func secrets() inspect.Check {
	return inspect.Check{
		ID: "sentinel/secret", Hero: "sentinel", CWE: []int{798}, Confidence: inspect.Likely,
		Looks: "keys and tokens of services that are written into the repository",
		Rule: "Critical; medium for a service's test key and for a key in examples or documentation whose checksum proves " +
			"it; low for an AWS key's id without its secret and for a scanner's own list; high for a random value in a " +
			"committed .env file whose name says that it is secret, and a candidate elsewhere; a candidate in tests, in " +
			"examples and documentation, and where a word beside it says that it is made up.",
		Run: findSecrets,
	}
}

// chunk is the number of bytes that are searched at a time. A search can be cancelled only between two chunks, and it
// may take long in a text with many hits.
const chunk = 64 << 10

// maxHits is the maximum number of hits that are examined in one chunk.
const maxHits = 100

// near returns the part of a line that has the secret and at most 200 bytes on each side.
func near(line, secret string) string {
	i := strings.Index(line, secret)
	if i < 0 {
		return ""
	}
	return line[max(0, i-200):min(len(line), i+len(secret)+200)]
}

// usage matches text above a secret that shows how a program is used.
var usage = inspect.Pattern(`(?im)\bexamples?:|\busage:|^[ \t]*\$ \w`)

// above returns the 400 bytes before a secret.
func above(text, secret string) string {
	i := max(0, strings.Index(text, secret))
	return text[max(0, i-400):i]
}

func findSecrets(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
	var all []inspect.Finding
	kinds, files := map[string]bool{}, map[string]bool{}
	for f, data := range r.All(ctx) {
		first := 0 // number of lines before the chunk
		for len(data) > 0 && ctx.Err() == nil {
			part := data[:min(len(data), chunk)]
			if i := bytes.LastIndexByte(part, '\n'); i >= 0 && len(part) < len(data) {
				part = part[:i+1]
			}
			found := withNamed(hitsIn(string(part)), string(part))
			for _, h := range found[:min(len(found), maxHits)] {
				h.line = near(h.line, h.secret)
				if sev := weigh(f, &h, string(part)); sev != "" {
					doubt := doubts(f)
					if madeUpBy.MatchString(h.line) || usage.MatchString(above(string(part), h.secret)) {
						doubt = cmp.Or(doubt, saidNear)
					}
					if inspect.Shown(f) && !checked.MatchString(h.secret) { // a checksum proves that a service made it
						doubt = cmp.Or(doubt, "it is in an example or in documentation")
					}
					if h.rule == ruleNamed && !isEnvironment(f) {
						doubt = cmp.Or(doubt, "only its name says that it is a secret")
					}
					if doubt == "" {
						kinds[h.rule], files[f.Path] = true, true
					}
					found := secretFinding(f, &h, sev, first+h.row+1)
					found.Suspect(doubt)
					all = append(all, found)
				}
			}
			first += bytes.Count(part, []byte("\n"))
			data = data[len(part):]
		}
	}
	// Keys of eight or more services in five or more files belong to a program that detects secrets. They are not real
	// secrets.
	if len(kinds) >= 8 && len(files) >= 5 {
		all = []inspect.Finding{{
			Severity: inspect.Low, Title: fmt.Sprintf("%d texts look like secrets of %d services", len(all), len(kinds)),
			Evidence: fmt.Sprintf("in %d files, the first of them %s:%d", len(files), all[0].Path, all[0].Line),
			Why: "So many kinds look like the patterns and examples of a scanner, and a real secret among them would " +
				"not be noticed.",
			Advice: "Put the examples together when the program runs, as tests of scanners do, or explain them in " +
				inspect.ExcusesFile + ".",
			Same: "many",
		}}
	}
	for _, f := range all {
		tell(f)
	}
	return ctx.Err()
}

// withNamed adds to the hits of the rules those values that look like secrets and are assigned to the name of a
// secret.
func withNamed(found []hit, text string) []hit {
	rows := map[int]bool{}
	for _, h := range found {
		rows[h.row] = true
	}
	for _, h := range namedIn(text) {
		h.row = strings.Count(text[:h.at], "\n")
		if !rows[h.row] && isRandom(h.secret) && !strings.Contains(h.line, excused) {
			found = append(found, h)
		}
	}
	return found
}

// saidNear is the doubt of a secret beside which a word says that it is made up.
const saidNear = "a word beside it says that it is made up"

// doubts returns why a secret in a file may protect nothing, judging by the file's name and folder, or "".
func doubts(f *inspect.File) string {
	switch {
	case f.Test:
		return "it is in a test"
	case inspect.Helps(f), fixture.MatchString(f.Path):
		return "its name or folder is that of a helper or of data of tests"
	}
	return ""
}

var (
	fixture = inspect.Pattern(`(?i)(^|[/_.-])(fixtures?|mocks?|mockdata|snapshots?|cassettes?|testutils?|` +
		`test[-_]?helpers?)([/_.-]|$)`)
	// madeUp matches words that people write in place of a secret. madeUpBy matches words in the line of a secret, or
	// above a private key, which say that the secret is not real.
	madeUp = inspect.Pattern(`(?i)(example|sample|placeholder|changeme|dummy|fake|redacted|your|secret|token|xxxx|` +
		`0000000|1234567|abcdef|qwerty|deadbeef|foobar|\.\.\.)`)
	madeUpBy  = inspect.Pattern(`(?i)(example|placeholder|dummy|fake|not a real|revoked|e\.g\.|pattern|regex)`)
	awsSecret = inspect.Pattern(`(?:^|[^A-Za-z0-9/+=])([A-Za-z0-9/+]{40})(?:$|[^A-Za-z0-9/+=])`)
	checked   = inspect.Pattern(`^(?:gh[pousr]|npm)_[0-9A-Za-z]{36}$`)
)

// weigh returns the severity of a hit in file f. It returns "" if the hit is not a real secret.
func weigh(f *inspect.File, h *hit, text string) string {
	s := h.secret
	body := s
	if i := strings.LastIndexAny(s[:min(len(s), 24)], "_-."); i >= 0 {
		body = s[i+1:]
	}
	switch {
	case len(s) < 12, madeUp.MatchString(body), repeats(s):
		return ""
	case checked.MatchString(s) && !sumHolds(s):
		return ""
	case h.rule == "vault-service-token" && !strings.HasPrefix(s, "hvs."):
		return ""
	case h.rule == "jwt":
		if !serviceRole(s) {
			return ""
		}
	case h.rule == "aws-access-token" && !secretNear(text, h.row):
		return inspect.Low
	case h.rule == ruleNamed && !inspect.Shown(f):
		return inspect.High
	}
	if inspect.Shown(f) || strings.Contains(s, "_test_") {
		return inspect.Medium
	}
	return inspect.Critical
}

// sumHolds reports whether a token of GitHub or npm ends with its own checksum: its last six characters
// are the CRC32 of those after the prefix, in base 62.
func sumHolds(s string) bool {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	_, body, _ := strings.Cut(s, "_")
	sum := crc32.ChecksumIEEE([]byte(body[:30]))
	var want [6]byte
	for i := 5; i >= 0; i-- {
		want[i] = digits[sum%62]
		sum /= 62
	}
	return body[30:] == string(want[:])
}

// serviceRole reports whether a JWT grants all rights over a database. The payload of a Supabase token tells this; the
// payloads of other JWTs do not tell whether the token is secret.
func serviceRole(s string) bool {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return false
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return false
	}
	var claims struct{ Role, Iss string }
	return json.Unmarshal(payload, &claims) == nil && claims.Role == "service_role" && claims.Iss != "supabase-demo"
}

// secretNear reports whether one of the lines around an AWS key id contains text in the form of the key's secret.
func secretNear(text string, line int) bool {
	lines := strings.Split(text, "\n")
	for i := max(0, line-4); i < min(len(lines), line+5); i++ {
		for _, m := range awsSecret.FindAllStringSubmatch(inspect.Clip(lines[i], 2000), -1) {
			if !madeUp.MatchString(m[1]) && strings.ContainsAny(m[1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") &&
				strings.ContainsAny(m[1], "abcdefghijklmnopqrstuvwxyz") && strings.ContainsAny(m[1], "0123456789") {
				return true
			}
		}
	}
	return false
}

func secretFinding(f *inspect.File, h *hit, severity string, line int) inspect.Finding {
	kind := strings.NewReplacer("-", " ", "pat", "personal access token").Replace(h.rule)
	if h.rule == "jwt" {
		kind = "supabase service role key"
	}
	if h.rule == ruleNamed {
		kind = "the value of " + inspect.Clip(h.match, 40)
	}
	sum := sha256.Sum256([]byte(h.secret))
	out := inspect.Finding{
		Severity: severity, Path: f.Path, Line: line,
		Title:    "A secret is in the repository: " + kind,
		Evidence: fmt.Sprintf("%s%s… (%d characters, the rest is not repeated here)", before(h), h.secret[:4], len(h.secret)),
		Why: "Whoever can read the repository or any copy of it can use this key, and it stays in the history after " +
			"the line is gone.",
		Advice: "Revoke the key at its service first, then read a new one from the environment or a secret store.",
		Same:   h.rule + " " + hex.EncodeToString(sum[:8]),
	}
	if severity == inspect.Low {
		out.Title = "The id of an AWS key is in the repository"
		out.Why = "The id alone opens nothing, but it names an account, and its secret is often close by in the history."
		out.Advice = "See that the secret was never committed and read both from the environment."
	}
	return out
}

var nameBefore = inspect.Pattern(`([A-Za-z_][A-Za-z0-9_.-]{0,39}["']?\s{0,3}[:=]{1,2}>?\s{0,3}["'` + "`" + `]?)$`)

// before returns the name to which the line assigns the secret, or "". The result has no other part of the line,
// because the line may contain another secret.
func before(h *hit) string {
	i := strings.Index(h.line, h.secret)
	if i < 0 {
		return ""
	}
	return nameBefore.FindString(h.line[max(0, i-60):i])
}
