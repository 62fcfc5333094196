package review

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	allheroes "agentdungeon/server/inspect/heroes"
)

// key returns a private key as PEM, made from one byte.
func key(t *testing.T, of byte) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(of)), ed25519.SeedSize))))
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// planted returns a repository with causes that several findings share, and with similar findings that have
// other causes.
func planted(t *testing.T) map[string]string {
	files := map[string]string{
		"go.mod":          "module example.org/planted\n\ngo 1.26\n",
		"tools/ask.py":    "import requests\nrequests.get(a, timeout=3, verify=False)\nrequests.get(b, timeout=3, verify=False)\n",
		"tools/tell.py":   "import requests\nrequests.post(a, timeout=3, verify=False)\n",
		"docs/one.md":     "# One\n\nSee [it](gone.md).\n",
		"docs/two.md":     "# Two\n\nSee [that](../docs/gone.md).\n",
		"guide/three.md":  "# Three\n\nSee [it](gone.md).\n",
		"store/store.go":  "package store\n\nimport \"database/sql\"\n\n// Save saves.\nfunc Save(tx *sql.Tx) {\n\ttx.Commit()\n\ttx.Commit()\n\ttx.Commit()\n}\n\n// Load loads.\nfunc Load(tx *sql.Tx) {\n\ttx.Commit()\n}\n",
		"keys/server.pem": key(t, 1),
		"keys/other.pem":  key(t, 2),
		"certs/certs.go":  "package certs\n\n// Key is one.\nvar Key = `" + key(t, 1) + "`\n",
		"web/serve.go": "package web\n\nimport \"net/http\"\n\n// Serve serves.\n" +
			"func Serve(w http.ResponseWriter, r *http.Request) {\n" +
			"\tresp, _ := http.Get(r.FormValue(\"a\"))\n" +
			"\tdefer resp.Body.Close()\n}\n",
	}
	return files
}

// Findings of one check with one cause are one finding that lists its places. Findings of several heroes at
// one line are merged into the weightiest of them. Findings that are only similar remain. The checks are the real ones.
func TestOneCauseIsJoined(t *testing.T) {
	b := analysed(t)
	for _, hero := range heroesOf(allheroes.Checks()) {
		b.play(hero, crossReference, 1)
	}
	places := map[string]string{} // the further places of each finding
	into := map[string]string{}
	for _, f := range b.findings {
		at := f.Check + " " + where(f.Path, f.Line)
		_, places[at], _ = strings.Cut(f.Evidence, "\nAlso at ")
		for _, o := range b.findings {
			if f.Into != "" && o.ID == f.Into {
				into[at] = o.Check + " " + where(o.Path, o.Line)
			}
		}
		if f.Into != "" && !strings.Contains(f.Withdrawn, "names the same place: ") {
			t.Errorf("%s does not say why: %q", at, f.Withdrawn)
		}
	}
	for at, want := range map[string]string{
		"sentinel/certificate tools/ask.py:2":   "tools/ask.py:3",
		"bard/link docs/one.md:3":               "docs/two.md:3",
		"healer/dropped-error store/store.go:7": "store/store.go:8, store/store.go:9, store/store.go:14",
		"sentinel/private-key certs/certs.go:4": "keys/server.pem:1",
		// only similar
		"sentinel/certificate tools/tell.py:2": "", "bard/link guide/three.md:3": "",
		"sentinel/private-key keys/other.pem:1": "",
	} {
		if got, found := places[at]; !found || got != want {
			t.Errorf("%s is found: %v, also at %q, want %q", at, found, got, want)
		}
	}
	if len(into) != 1 || !strings.HasPrefix(into["healer/dropped-error web/serve.go:7"], "sentinel/") {
		t.Errorf("merged are %v of %v", into, places)
	}
}

// analysed returns a board with the findings of every hero in planted.
func analysed(t *testing.T) *board {
	t.Helper()
	b := newBoard(t, &shelf{files: planted(t)})
	b.scouts = New(&shelf{files: planted(t)}, allheroes.Checks(), "1")
	t.Cleanup(func() {
		if err := b.scouts.Close(); err != nil {
			t.Error(err)
		}
	})
	for n := range turnsOfAnalysis {
		for _, hero := range heroesOf(allheroes.Checks()) {
			b.play(hero, deepAnalysis, n+1)
		}
	}
	return b
}

// A comparison that is cut off and repeated merges the same findings as an undisturbed one, with the same
// reasons.
func TestComparisonCutOff(t *testing.T) {
	calm := analysed(t)
	found := slices.Clone(calm.findings)
	joined := func(cut int) string {
		b := *calm
		b.findings = slices.Clone(found)
		for _, hero := range heroesOf(allheroes.Checks()) {
			b.cut = cut // each hero is cut off at that withdrawal
			b.play(hero, crossReference, 1)
		}
		var out []string
		for _, f := range b.findings {
			out = append(out, fmt.Sprint(f.ID, " ", f.Into, " ", f.Withdrawn))
		}
		return strings.Join(out, "\n")
	}
	want := joined(0)
	for cut := 1; cut <= 3; cut++ {
		if got := joined(cut); got != want {
			t.Errorf("cut off at withdrawal %d:\n%s\nundisturbed:\n%s", cut, got, want)
		}
	}
}

// TestCauses asserts which causes the checks give to findings, and that they give none to a finding that more
// than one change mends.
func TestCauses(t *testing.T) {
	for name, c := range map[string]struct {
		check string
		files map[string]string
		want  string // the keys of the causes, in the order of the findings
	}{
		"connections of a file": {"sentinel/certificate", map[string]string{
			"a.js": "a({ rejectUnauthorized: false })\n", "b.js": "b({ rejectUnauthorized: false })\nc({ rejectUnauthorized: false })\n",
		}, "certificates a.js;certificates b.js;"},
		"section":       {"bard/link", map[string]string{"README.md": "# A\n\nSee [b](#bottom).\n"}, ";"},
		"link":          {"bard/link", map[string]string{"README.md": "# A\n\nSee [b](docs/../docs/x.md).\n", "docs/a.md": "# A\n"}, "link docs/x.md;"},
		"link at root":  {"bard/link", map[string]string{"README.md": "# A\n\nSee [b](/docs/x.md).\n", "docs/a.md": "# A\n"}, "link docs/x.md;"},
		"two links":     {"bard/link", map[string]string{"README.md": "# A\n\nSee [b](x.md), [c](y.md).\n"}, ";"},
		"without cause": {"cartographer/conflict-marker", map[string]string{"a.py": strings.Repeat("<", 7) + " a\nb\n=======\nc\n" + strings.Repeat(">", 7) + " d\n"}, ";"},
	} {
		t.Run(name, func(t *testing.T) {
			repo, _, err := (&shelf{files: c.files}).Open(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			all := allheroes.Checks()
			i := slices.IndexFunc(all, func(k inspect.Check) bool { return k.ID == c.check })
			if i < 0 {
				t.Fatalf("there is no check %s", c.check)
			}
			got := ""
			for _, f := range inspect.Run(t.Context(), repo, &all[i]).Findings {
				got += f.Cause.Key + ";"
				if (f.Cause.Key == "") != (f.Cause.Text == "") {
					t.Errorf("half a cause: %+v", f.Cause)
				}
			}
			if got != c.want {
				t.Errorf("causes %q, want %q", got, c.want)
			}
		})
	}
}

// A second review that keeps the findings of the first one, because their file has not changed, merges them
// by their causes again.
func TestKeptFindingsHaveTheirCauses(t *testing.T) {
	sized := func(id, w, severity string) inspect.Check {
		c := word(id, w, severity)
		run := c.Run
		c.Local, c.Run = true, func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
			return run(ctx, r, func(f inspect.Finding) {
				f.Cause = inspect.Cause{Key: "size " + f.Path, Text: "the size of " + f.Path}
				report(f)
			})
		}
		return c
	}
	s := &shelf{
		files: map[string]string{"a.go": "package a // bad\n// ugly\n", "b.go": "package b\n"},
		past:  &past{head: "abcdef1", changed: map[string][]string{"abcdef1": nil}},
	}
	b := newBoard(t, s)
	b.scouts = New(s, []inspect.Check{sized("sentinel/bad", "bad", "high"), sized("healer/ugly", "ugly", "low")}, "1")
	t.Cleanup(func() {
		if err := b.scouts.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, talk := range []string{"1", "2"} {
		for _, hero := range []string{"sentinel", "healer"} {
			b.play(hero, reconnaissance, 2)
			if talk == "2" && !strings.Contains(b.said, "1 of 2 files changed") {
				t.Errorf("%s does not keep its findings: %s", hero, b.said)
			}
			for n := range turnsOfAnalysis {
				b.play(hero, deepAnalysis, n+1)
			}
		}
		b.play("healer", crossReference, 1)
		if len(b.findings) != 2 || b.findings[1].Into != b.findings[0].ID {
			t.Errorf("review %s: findings %+v", talk, b.findings)
		}
		b.earlier, b.findings, b.talk = b.findings, nil, "2"
		s.past.head, s.past.changed = "abcdef2", map[string][]string{"abcdef1": {"b.go"}, "abcdef2": nil}
	}
}

func heroesOf(all []inspect.Check) []string {
	var out []string
	for i := range all {
		if !slices.Contains(out, all[i].Hero) {
			out = append(out, all[i].Hero)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return out
}
