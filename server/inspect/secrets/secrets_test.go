package secrets

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

// The secrets are joined here, so that no scanner finds one in this file.
var (
	ghToken = githubToken("R7kq2VzX9mWb4TnLc8JyHs5PdGf3Ea")
	awsID   = "AKIA" + "Q3EGR5J7WMZT4XHV"
	awsKey  = "k9Lm2" + "QpZr8Xv5TnB3wYc7JdHf6GsAe4RuKi1Ox0W"
	random  = "f3Qp9" + "ZtW7kLx2MvB8nRc5Yd"
	slack   = "https://hooks." + "slack.com/services/" + "T04KM8Q2Z/B05N7RXWL/" + "q8ZkT3vNw5LrYp2Jd7Hs9XcB"
	stripe  = "sk_" + "live_" + "9Kq2VzX7mWb4TnLc8JyHs5Pd"
)

func githubToken(body string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum, end := crc32.ChecksumIEEE([]byte(body)), ""
	for range 6 {
		end = string(digits[sum%62]) + end
		sum /= 62
	}
	return "gh" + "p_" + body + end
}

func jwt(payload string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(payload)) + "." + "Zk9Qw2LmXr7TnB3vYc8JdHf6GsAe4RuKi1Ox0WpVbNs"
}

// scannersList returns a case with secrets of many services, like the test data of a scanner.
func scannersList() inspecttest.Case {
	c := inspecttest.Case{Name: "a scanner's list", Files: map[string]string{}, Want: []string{":0 low"}}
	for i, s := range []string{
		ghToken, slack, stripe, "glpat" + "-R7kq2VzX9mWb4TnLc8Jy", "dop" + "_v1_" + strings.Repeat("3f9a1c7e", 8), "shp" + "at_" + strings.Repeat("3f9a1c7e", 4),
		"rubygems" + "_" + strings.Repeat("3f9a1c7e", 6), "sntr" + "yu_" + strings.Repeat("3f9a1c7e", 8), "lin" + "_api_R7kq2VzX9mWb4TnLc8JyHs5PdGf3EaQw1Zx8Cv7B",
	} {
		c.Files[fmt.Sprintf("rules/r%d.go", i)] = "package rules\n\nconst s = \"" + s + "\"\n"
	}
	return c
}

func newKey(t *testing.T) string {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE " + "KEY", Bytes: der}))
}

func one(name, path, text string, want ...string) inspecttest.Case {
	for i, w := range want {
		want[i] = path + ":" + w
	}
	return inspecttest.Case{Name: name, Files: map[string]string{path: text}, Want: want}
}

func TestCorpus(t *testing.T) {
	key := newKey(t)
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"sentinel/secret": {
			Planted: []inspecttest.Case{
				one("a GitHub token", "ci/release.sh", "#!/bin/sh\nexport GH_TOKEN="+ghToken+"\n", "2 critical"),
				one("an AWS key with its secret", "deploy.py", "ID = '"+awsID+"'\nKEY = '"+awsKey+"'\n", "1 critical"),
				one("an AWS secret by its name", "app.py", "AWS_SECRET_ACCESS_KEY = \""+awsKey+"\"\n", "1 critical"),
				one("a random value in .env", ".env", "A=1\nAPI_TOKEN="+random+"\n", "2 high"),
				one("a random value by its name", "app.ts", "const api_key: string = '"+random+"'\n", "1 high candidate"),
				one("in JSON", "conf/a.json", "{\n  \"clientSecret\": \""+random+"\"\n}\n", "2 high candidate"),
				one("how a program is used", "main.go", "package a\n\nconst help = `\n    $ tool login\n    "+ghToken+"\n`\n", "5 critical candidate"),
				one("an AWS id alone", "conf/a.ini", "[s3]\nid = "+awsID+"\n", "2 low"),
				one("a webhook", "notify.js", "const url = '"+slack+"'\n", "1 critical"),
				one("proven in the documentation", "docs/setup.md", "Use `"+ghToken+"` for it.\n", "1 medium"),
				one("a database's service key", "db.ts", "const k = '"+jwt(`{"iss":"supabase","ref":"qkzvxwmrtb","role":"service_role"}`)+"'\n", "1 critical"),
				scannersList(),
				one("in a test", "auth_test.go", "package a\n\nconst t = \""+ghToken+"\"\n", "3 critical candidate"),
				one("in a fixture", "src/fixtures/answer.json", "{\"t\": \""+ghToken+"\"}\n", "1 critical candidate"),
				one("an example on its line", "a.go", "package a\n\n// for example "+ghToken+"\n", "3 critical candidate"),
				one("made up in the documentation", "docs/setup.md", "Use `"+stripe+"` for it.\n", "1 medium candidate"),
				one("what helps tests", "src/testutil/keys.go", "package a\n\nconst t = \""+stripe+"\"\n", "3 critical candidate"),
				one("the same twice", "a.go", "package a\n\nconst x, y = \""+stripe+"\", \""+stripe+"\"\n", "3 critical"),
			},
			Silent: []inspecttest.Case{
				one("no value of its own", "a.py", "TOKEN = \"${API_TOKEN_9A8B7C6D5E4F3A2B}\"\nsecret = os.environ['SECRET']\n"),
				one("words", "a.js", "const tokenKey = 'user-auth-token-v2'\nconst passwordKey = 'settings.account.password1'\n"),
				one("another kind of name", "a.go", "package a\n\nconst tokenURL, keyHash = \""+random+"\", \""+random+"\"\n"),
				one("an example of .env", ".env.example", "API_TOKEN=your-token-here-1234567\n"),
				one("a wrong check sum", "a.go", "package a\n\nconst t = \""+ghToken[:39]+"x\"\n"),
				one("a placeholder", "a.env", "GH_TOKEN=gh"+"p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nAWS=AKIA"+"IOSFODNN7EXAMPLE\n"),
				one("a key for everybody", "db.ts", "const k = '"+jwt(`{"iss":"supabase","ref":"qkzvxwmrtb","role":"anon"}`)+"'\n"),
				one("a hash", "sums.txt", "api_key sha1 "+strings.Repeat("3f9a", 10)+"\nintegrity sha512-"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k9Lm", 16)))+"\n"),
			},
		},
		"sentinel/private-key": {
			Planted: []inspecttest.Case{
				one("in a file", "deploy/id", key, "1 critical"),
				one("in a Go string", "a.go", "package a\n\nconst k = `"+key+"`\n", "3 critical"),
				one("published", "a.go", "// Package a has the publicly published key.\npackage a\n\nconst k = `"+key+"`\n", "4 critical candidate"),
				one("in JSON", "account.json", fmt.Sprintf("{\n \"key\": %q\n}\n", key), "2 critical"),
				one("a test's", "testdata/key.pem", key, "1 critical candidate"),
				one("everybody's", "ssl-cert-snakeoil.key", key, "1 critical candidate"),
				one("in an example", "examples/tls/key.pem", key, "1 medium candidate"),
				{Name: "with a certificate for no host", Files: map[string]string{
					"a/a.key": key, "a/a.crt": newCertificate(t, key, "0.0.0.0"), "a.go": "package a\n\nconst k = \"a/a.key\"\n",
				}, Want: []string{"a/a.key:1 high candidate"}},
				{Name: "with a certificate for a host, used", Files: map[string]string{
					"a/a.key": key, "b/a.crt": newCertificate(t, key, "a.example.com"), "a.go": "package a\n\nconst k = \"a/a.key\"\n",
				}, Want: []string{"a/a.key:1 high"}},
				{Name: "with a certificate, used by tests alone", Files: map[string]string{
					"a/a.key": key, "b/a.crt": newCertificate(t, key, "a.example.com"), "a_test.go": "package a\n\nconst k = \"a/a.key\"\n",
				}, Want: []string{"a/a.key:1 high candidate"}},
				{Name: "beside another's certificate", Files: map[string]string{
					"a/a.key": key, "a/a.crt": newCertificate(t, newKey(t), "a.example.com"),
				}, Want: []string{"a/a.key:1 critical"}},
				{Name: "several in a folder", Files: map[string]string{"keys/a.pem": key, "keys/b.pem": newKey(t), "README.md": "keys/a.pem"},
					Want: []string{"keys/a.pem:1 critical candidate"}},
				{Name: "several in a folder, used", Files: map[string]string{
					"keys/a.pem": key, "keys/b.pem": newKey(t), "a.py": "load('keys/a.pem', 'keys/b.pem')\n",
				}, Want: []string{"keys/a.pem:1 critical"}},
				{Name: "a key store beside the key", Files: map[string]string{"a/a.key": key, "a/a.pfx": "x"}, Want: []string{"a/a.key:1 critical"}},
				{Name: "a key store", Sizes: map[string]int64{"release/app.p12": 3000}, Want: []string{"release/app.p12:0 medium"}},
			},
			Silent: []inspecttest.Case{
				one("a public key", "a.pem", strings.ReplaceAll(key, "PRIVATE", "PUBLIC")),
				one("no key in it", "README.txt", "-----BEGIN PRIVATE"+" KEY-----\n...\n-----END PRIVATE"+" KEY-----\n"),
				one("what looks for keys", "scan.go", "package a\n\nvar re = `-----BEGIN (RSA )?PRIVATE"+" KEY-----`\n"),
			},
		},
	})
}

// TestSecretsStayUntold asserts that no text of a finding has more than four characters of a secret.
func TestSecretsStayUntold(t *testing.T) {
	key := newKey(t)
	c := inspecttest.Case{Files: map[string]string{
		"a.go": "package a\n\nconst t, u = \"" + ghToken + "\", \"" + stripe + "\"\n", "b.py": "ID='" + awsID + "'\nKEY='" + awsKey + "'\n", "k.pem": key, "n.js": "f('" + slack + "')\n",
	}}
	checks, found := Checks(), 0
	for i := range checks {
		for _, f := range inspect.Run(context.Background(), c.Repo(), &checks[i]).Findings {
			found++
			all := strings.Join([]string{f.Title, f.Evidence, f.Why, f.Advice, f.Same, f.ID()}, "\n")
			for _, secret := range []string{ghToken, stripe, awsID, awsKey, slack[20:], strings.Split(key, "\n")[1]} {
				if strings.Contains(all, secret[:9]) || strings.Contains(all, secret[len(secret)-6:]) {
					t.Errorf("a finding shows a secret: %+v", f)
				}
			}
		}
	}
	if found != 5 {
		t.Errorf("%d findings, want 5", found)
	}
}

func TestHostileFiles(t *testing.T) {
	files := map[string]string{}
	for i, text := range []string{
		strings.Repeat("(", 500_000), strings.Repeat("exec(`${", 100_000), strings.Repeat("'", 700_000), strings.Repeat("-----BEGIN PRIVATE"+" KEY-----\n", 20_000),
		"SELECT a FROM b '${" + strings.Repeat("{", 300_000), strings.Repeat("yaml.load(f\"{x}\" + ", 30_000), strings.Repeat("\u2028é", 100_000), strings.Repeat("AKIA"+"Q3EGR5J7WMZT4XHV ", 20_000),
		strings.Repeat("el.innerHTML = `${a.name}` +\n", 20_000),
	} {
		for _, ext := range []string{"js", "py", "yml", "txt"} {
			files[fmt.Sprintf("src/a%d.%s", i, ext)] = "// child_process subprocess import yaml verify=False chmod\n" + text
		}
	}
	c := inspecttest.Case{Files: files}
	inspecttest.Endure(t, c.Repo(), Checks())
}

// newCertificate returns a certificate for a host. The key of the certificate has signed it.
func newCertificate(t *testing.T, key, host string) string {
	t.Helper()
	block, _ := pem.Decode([]byte(key))
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, k.(*ecdsa.PrivateKey).Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
