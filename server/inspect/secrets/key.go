package secrets

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func keys() inspect.Check {
	return inspect.Check{
		ID: "sentinel/private-key", Hero: "sentinel", CWE: []int{321},
		Looks: "private keys and key stores that are kept in the repository",
		Rule: "Critical for a private key that anyone can read, medium for one behind a passphrase, for a key " +
			"store and for a key that only an example uses; a candidate in tests and documentation, if a name or a " +
			"word says that the key protects nothing, and if nothing uses the file and its certificate or more " +
			"keys are beside it.",
		Run: findKeys,
	}
}

var (
	keyBegin  = inspect.Pattern(`-----BEGIN ((?:[A-Z0-9]+ )?PRIVATE KEY)-----`)
	keyStores = map[string]string{".p12": "PKCS #12", ".pfx": "PKCS #12", ".jks": "Java", ".ppk": "PuTTY"}
	// sharedKey matches the names of key files that are published, such as a tool's test key. Such a key protects
	// nothing.
	sharedKey = inspect.Pattern(`(?i)(snakeoil|localhost|test[-_]?(?:cert|key)|insecure|vagrant|dummy|fake|debug|` +
		`selfsigned|self-signed)`)
)

// published matches words of a comment that says of a key that everybody may have it or that only tests use it.
var published = inspect.Pattern(`(?i)\bpublic(?:al)?ly\s+(?:published|known)|\bintentionally\s+insecure|` +
	`\bonly\s+(?:be\s+)?used\s+(?:in|for)\s+test|\bnot\s+(?:be\s+)?use[d]?\s+(?:it\s+)?in\s+production`)

const maxKey = 16 << 10

// keyFound is a finding about a private key or a key store.
type keyFound struct {
	inspect.Finding
	paired bool // the key's certificate is in the repository
}

func findKeys(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
	var all []keyFound
	for i := range r.Files {
		f := &r.Files[i]
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f.Vendored {
			continue
		}
		doubt := doubts(f)
		switch f.Lang {
		case "Markdown", "MDX", "reStructuredText", "AsciiDoc":
			doubt = "it is in documentation"
		}
		if sharedKey.MatchString(f.Path) {
			doubt = "its name is that of a key which is published on purpose"
		}
		if kind := keyStores[strings.ToLower(path.Ext(f.Path))]; kind != "" && f.Size > 0 {
			if beside(r, f) {
				continue
			}
			store := inspect.Finding{
				Severity: inspect.Medium, Path: f.Path, Title: "A key store is in the repository",
				Evidence: fmt.Sprintf("%s key store %s, %d bytes", kind, f.Base(), f.Size),
				Why: "A key store holds private keys, and only its password protects them from everybody who has a copy of " +
					"the repository.",
				Advice: "Keep it outside of the repository, and make new keys for whatever it opened.",
				Same:   f.Base(),
			}
			store.Suspect(doubt)
			all = append(all, keyFound{Finding: store})
			continue
		}
		if data, ok := r.Text(f.Path); ok && bytes.Contains(data, []byte("PRIVATE KEY-----")) && !r.Generated(f) {
			all = append(all, keysIn(r, f, data, doubt)...)
		}
	}
	tellKeys(ctx, r, all, tell)
	return ctx.Err()
}

// tellKeys reports the keys of a folder with one cause, because the person who put them there did so for one
// reason. A key that is also in another folder gets the cause of the first folder.
func tellKeys(ctx context.Context, r *inspect.Repo, all []keyFound, tell func(inspect.Finding)) {
	keys, causes := map[string]int{}, map[string]inspect.Cause{}
	for i := range all {
		keys[path.Dir(all[i].Path)]++
	}
	unclear := map[string]bool{} // paths of keys that protect something only if another file names them
	for _, f := range all {
		if f.Line > 0 && f.Confidence != inspect.Doubtful && (f.paired || keys[path.Dir(f.Path)] > 1) &&
			!inspect.IsCode(r.File(f.Path).Lang) {
			unclear[f.Path] = true
		}
	}
	used := named(ctx, r, unclear)
	for _, f := range all {
		if f.Line == 0 { // a key store
			tell(f.Finding)
			continue
		}
		if f.Confidence != inspect.Doubtful && unclear[f.Path] && !used[f.Path] {
			f.Suspect("its certificate or more keys are in the repository, and only tests can use it: nothing else names it")
		}
		cause, known := causes[f.Same]
		if !known {
			cause = inspect.Cause{Key: "key " + f.Same, Text: "the same key"}
			if dir := path.Dir(f.Path); keys[dir] > 1 {
				cause = inspect.Cause{Key: "keys of " + dir, Text: "the keys of one folder"}
			}
			causes[f.Same] = cause
		}
		f.Cause = cause
		tell(f.Finding)
	}
}

// named returns the paths that some other file names, except tests and documentation. A file in another folder must
// also name the path's folder. named reads each file at most once.
func named(ctx context.Context, r *inspect.Repo, paths map[string]bool) map[string]bool {
	out := map[string]bool{}
	if len(paths) == 0 {
		return out
	}
	for f, data := range r.All(ctx) {
		if f.Test || inspect.Helps(f) || inspect.Shown(f) {
			continue
		}
		for p := range paths {
			dir, base := path.Dir(p), path.Base(p)
			if !out[p] && f.Path != p && bytes.Contains(data, []byte(base)) &&
				(path.Dir(f.Path) == dir || bytes.Contains(data, []byte(path.Base(dir)))) {
				out[p] = true
			}
		}
	}
	return out
}

// beside reports whether the folder of a key store also has a private key as text, which is reported instead.
func beside(r *inspect.Repo, store *inspect.File) bool {
	return slices.ContainsFunc(r.In(store.Dir()), func(f *inspect.File) bool {
		data, ok := r.Text(f.Path)
		return ok && bytes.Contains(data, []byte("PRIVATE KEY-----"))
	})
}

// decodeKey decodes the PEM block of a key. First it trims each line by the characters in the parameter around, such as
// the quotes of a programming language.
func decodeKey(text, kind, around string) *pem.Block {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.Trim(line, around)
		if line == "" && strings.Contains(text, "ENCRYPTED") {
			b.WriteString("\n")
			continue
		}
		b.WriteString(line + "\n")
	}
	block, _ := pem.Decode([]byte(b.String() + "-----END " + kind + "-----\n"))
	return block
}

func keysIn(r *inspect.Repo, f *inspect.File, data []byte, doubt string) (found []keyFound) {
	for _, m := range keyBegin.FindAllSubmatchIndex(data, 100) {
		rest := data[m[0]:min(len(data), m[0]+maxKey)]
		end := bytes.Index(rest, []byte("-----END "))
		if end < 0 {
			continue
		}
		text := strings.ReplaceAll(string(rest[:end]), `\r`, "")
		text = strings.ReplaceAll(text, `\n`, "\n")
		kind := string(data[m[2]:m[3]])
		block := decodeKey(text, kind, " \t\r\n\"'`,;|\\")
		if block == nil { // a + at a line's end may join strings or be a digit of the key
			block = decodeKey(text, kind, " \t\r\n\"'`+,;|\\")
		}
		if block == nil || len(block.Bytes) < 32 || block.Bytes[0] != 0x30 &&
			!bytes.HasPrefix(block.Bytes, []byte("openssh-key-v1\x00")) {
			continue
		}
		doubt := doubt
		if published.Match(data[max(0, m[0]-maxKey):m[0]]) {
			doubt = cmp.Or(doubt, "the text above it says that the key is published or for tests")
		}
		if madeUpBy.MatchString(string(data[max(0, m[0]-200):m[0]])) {
			doubt = cmp.Or(doubt, saidNear)
		}
		sum := sha256.Sum256(block.Bytes)
		out := inspect.Finding{
			Severity: inspect.Critical, Path: f.Path, Line: 1 + bytes.Count(data[:m[0]], []byte("\n")),
			Title:    "A private key is in the repository",
			Evidence: fmt.Sprintf("-----BEGIN %s-----, %d bytes of key", kind, len(block.Bytes)),
			Why: "Whoever has a copy of the repository can sign and decrypt as the key's owner, also after the file is " +
				"deleted: the history keeps it.",
			Advice: "Replace the key wherever its public half is trusted, and keep the new one outside of the repository.",
			Same:   hex.EncodeToString(sum[:8]),
		}
		c := certificate(r, block.Bytes)
		if c != nil && bytes.Equal(c.RawIssuer, c.RawSubject) {
			if !reachable(c) {
				doubt = cmp.Or(doubt, "its certificate is self-signed and names no host that others reach")
			}
			out.Severity = inspect.High
			out.Why = "Its certificate is self-signed, as those of default and trial setups are. Whoever has a copy of the " +
				"key can pose as every server that keeps the default."
		}
		switch {
		case locked(kind, block):
			out.Severity = inspect.Medium
			out.Title = "A private key with a passphrase is in the repository"
			out.Why = "The passphrase is all that protects it, and whoever has a copy of the repository can try passphrases " +
				"for as long as they like."
		case inspect.Shown(f):
			out.Severity = inspect.Medium
			out.Suspect("examples have keys that open nothing")
			out.Title = "An example comes with a private key"
			out.Why = "Whoever runs the example as it is uses a key that everybody has, and some put it to work in earnest."
			out.Advice = "Let the example make its own key when it starts."
		}
		out.Suspect(doubt)
		found = append(found, keyFound{out, c != nil})
	}
	return found
}

// locked reports whether a passphrase protects the key.
func locked(kind string, b *pem.Block) bool {
	if strings.HasPrefix(kind, "ENCRYPTED") || b.Headers["Proc-Type"] != "" {
		return true
	}
	// An OpenSSH key names its cipher after its magic bytes and a length of four bytes.
	if rest, ok := bytes.CutPrefix(b.Bytes, []byte("openssh-key-v1\x00")); ok && len(rest) > 8 {
		return !bytes.HasPrefix(rest[4:], []byte("none"))
	}
	return false
}

// certificate returns the certificate of a private key from anywhere in the repository, or nil.
func certificate(r *inspect.Repo, key []byte) *x509.Certificate {
	type id struct{}
	all := inspect.Memo(r, id{}, func() []*x509.Certificate { return certificates(r) })
	signer := parseKey(key)
	if signer == nil {
		return nil
	}
	public, _ := signer.Public().(interface{ Equal(crypto.PublicKey) bool })
	for _, c := range all {
		if public != nil && public.Equal(c.PublicKey) {
			return c
		}
	}
	return nil
}

// parseKey returns the private key in a DER structure, or nil.
func parseKey(der []byte) crypto.Signer {
	if k, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		signer, _ := k.(crypto.Signer)
		return signer
	}
	if k, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return k
	}
	if k, err := x509.ParseECPrivateKey(der); err == nil {
		return k
	}
	return nil
}

// maxCertificates is the maximum number of certificates of a repository that are compared with its keys.
const maxCertificates = 1000

func certificates(r *inspect.Repo) (out []*x509.Certificate) {
	for i := range r.Files {
		data, ok := r.Text(r.Files[i].Path)
		if !ok || !bytes.Contains(data, []byte("-----BEGIN CERTIFICATE-----")) {
			continue
		}
		for block, rest := pem.Decode(data); block != nil && len(out) < maxCertificates; block, rest = pem.Decode(rest) {
			if c, err := x509.ParseCertificate(block.Bytes); err == nil {
				out = append(out, c)
			}
		}
	}
	return out
}

// reachable reports whether a certificate names a host that others can reach.
func reachable(c *x509.Certificate) bool {
	return slices.ContainsFunc(append(c.DNSNames, c.Subject.CommonName), func(name string) bool {
		return strings.Contains(name, ".") && !strings.HasSuffix(name, ".local") && !strings.HasPrefix(name, "127.") &&
			name != "0.0.0.0"
	})
}
