package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command that takes a token takes it from a file, too. A file that others can read, an empty one, and a token
// that is given twice are mistakes, and no message has the token.
func TestTokenFile(t *testing.T) {
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, worlds := write("token", "a-secret-of-16-or-more\n", 0o600), t.TempDir()
	for _, command := range []string{"serve", "export", "conversations", "audit", "retention", "erase -realm r -person p"} {
		for _, tc := range []struct{ args, says string }{
			{"-token-file " + write("open", "a-secret-of-16-or-more", 0o644), "chmod 600"},
			{"-token-file " + write("empty", "\n", 0o600), "is empty"},
			{"-token-file " + filepath.Join(worlds, "none"), "no such file"},
			{"-token-file " + good + " -token a-secret-of-16-or-more", "given twice"},
		} {
			line := command + " -worlds " + worlds + " " + tc.args
			code, out, errs := ran(t, strings.Fields(line)...)
			if code != 2 || !strings.Contains(errs, tc.says) || strings.Contains(out+errs, "a-secret") {
				t.Errorf("%s: exit code %d, %q, want %q", line, code, errs, tc.says)
			}
		}
	}
	o := &realmFlags{tenantFlags: tenantFlags{worlds: worlds, tenant: "default"}, tokens: tokenFlags{file: good}}
	if f, err := o.folder(); err != nil || f.token != "a-secret-of-16-or-more" {
		t.Errorf("the token of a good file: %v", err)
	}
	serve := &serveFlags{worlds: worlds, tokens: tokenFlags{file: good}}
	if cfg, err := serve.config(); err != nil || cfg.Token != "a-secret-of-16-or-more" {
		t.Errorf("the server's token of a good file: %v", err)
	}
}
