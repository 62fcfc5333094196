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
	for _, text := range []string{"", "no secret here: ${TOKEN} and a token", strings.Repeat("word ", 50_000)} {
		if got := Mask(text); got != text {
			t.Errorf("%.80q became %.80q", text, got)
		}
	}
	began := time.Now()
	Mask(strings.Repeat("the token key of github api slack ghp_ sk_live_ AKIA xoxb- eyJ \\\" ", 60_000))
	t.Logf("%d MiB of keywords take %s", 4, time.Since(began))
}
