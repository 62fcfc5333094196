package secrets

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// A masked text contains no service's secret and no private key, wherever it was in the text, and the rest is
// unchanged.
func TestMask(t *testing.T) {
	body := strings.Repeat("MIIEvQIBADANBgkq\n", 20)
	pem := "-----BEGIN " + "PRIVATE KEY-----\n" + body + "-----END " + "PRIVATE KEY-----"
	slackPath := strings.TrimPrefix(slack, "https://hooks.slack.com/services/")
	for _, secret := range []string{ghToken, awsID, stripe, slackPath, pem} {
		quoted := slackPath != secret
		whole := secret
		if !quoted {
			whole = slack
		}
		command := "export A=\n" + whole + "\nB=\"" + whole + "\" # gitleaks:allow"
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		nested, err := json.Marshal(string(input))
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"plain": "a " + whole + " b", "json": string(input), "nested": string(nested), "alone": whole,
			"over a window": strings.Repeat("x ", maskWindow/2-20) + whole + strings.Repeat(" y", maskWindow),
		} {
			got := Mask(text)
			left := strings.Contains(got, secret) || strings.Contains(got, "MIIEvQIBADANBgkq")
			if left || !strings.Contains(got, "[secret: ") {
				t.Errorf("%s: %.80s is left in %.200q", name, secret, got)
			}
			if name == "plain" && (!strings.HasPrefix(got, "a ") || !strings.HasSuffix(got, " b")) {
				t.Errorf("around it: %q", got)
			}
		}
	}
	// Each value whose name says that it is a secret is masked, even if the review would not report it or if several
	// such values are on one line.
	for text, want := range map[string]string{
		`AWS_SECRET_ACCESS_KEY = "` + awsKey + `"`:            `AWS_SECRET_ACCESS_KEY = "[secret: aws-secret-access-key]"`,
		"DB_PASSWORD=hunter2-x\nA=1":                          "DB_PASSWORD=[secret: named-value]\nA=1",
		`{"password":"pa55word!","token":"t0kent0ken"}`:       `{"password":"[secret: named-value]","token":"[secret: named-value]"}`,
		"const apiKey: string = 'k3y-of-mine'":                "const apiKey: string = '[secret: named-value]'",
		`password = "correct"; token := os.Getenv("TOKEN_1")`: `password = "correct"; token := os.Getenv("TOKEN_1")`,
		"token=${TOKEN_1234}":                                 "token=${TOKEN_1234}",
		// İ becomes longer in lower case and the Kelvin sign shorter, and the right bytes are masked nevertheless.
		"İİ\nkey\nİkey\nDB_PASSWORD=hunter2-x":      "İİ\nkey\nİkey\nDB_PASSWORD=[secret: named-value]",
		"\u212a\u212a key\nDB_PASSWORD=hunter2-x\n": "\u212a\u212a key\nDB_PASSWORD=[secret: named-value]\n",
	} {
		if got := Mask(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	// Sentences and commands say secrets otherwise than files.
	for text, want := range map[string]string{
		"use DB_PASSWORD=3fS2qHx6kwXo for it":                 "use DB_PASSWORD=[secret: named-value] for it",
		"A=1 API_TOKEN=ab12cd34ef56 go test ./...":            "A=1 API_TOKEN=[secret: named-value] go test ./...",
		"my password is LuqIA1id6V, thanks":                   "my password is [secret: named-value], thanks",
		"curl -H token:hunter3secret https://x.example":       "curl -H token:[secret: named-value] https://x.example",
		"curl -u ann:hunt3r-s x.example":                      "curl -u ann:[secret: named-value] x.example",
		"tool --api-key ab12cd34ef -v":                        "tool --api-key [secret: named-value] -v",
		"-H 'Authorization: Bearer ZYW2mZp0zVZomHFwUbbY'":     "-H 'Authorization: Bearer [secret: authorization]'",
		"postgres://admin:mvnEN5N1aE6PwZ@db.example/x":        "postgres://admin:[secret: password-in-url]@db.example/x",
		"sk-" + "ant-api03-zV8fUkkibjL5DZPjN0MEQ7wjJJibaZUPg": "[secret: key]",
		`{"command":"X_TOKEN=ab12cd34ef56 make\nls"}`:         `{"command":"X_TOKEN=[secret: named-value] make\nls"}`,
	} {
		if got := Mask(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"the token is in server/auth/token2.go:12", "password = readPassword(env1)", "the api key is missing in config",
		"postgres://postgres:postgres@localhost:5432/x", "bearer tokens are sent", "http://localhost:8080/a@b",
		"token=$TOKEN1 make", "docker run -u 1000:1000 image", "git clone git@github.com:user/repo2.git", "key=value1234",
	} {
		if got := Mask(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	code := "func f(token string) { g.token=token2Of(x); url := base1 }"
	if got, _ := MaskLines(code); got != code {
		t.Errorf("%q became %q", code, got)
	}
	for _, text := range []string{"", "no secret here: ${TOKEN} and a token", strings.Repeat("word ", 50_000)} {
		if got := Mask(text); got != text {
			t.Errorf("%.80q became %.80q", text, got)
		}
	}
	began := time.Now()
	Mask(strings.Repeat("the token key of github api slack ghp_ sk_live_ AKIA xoxb- eyJ \\\" ", 60_000))
	t.Logf("%d MiB of keywords take %s", 4, time.Since(began))
}
