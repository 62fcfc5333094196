package app

import (
	"os"
	"path/filepath"
	"testing"

	"agentdungeon/server/hooks"
	"agentdungeon/shared/wire"
)

// session:list says whether the settings of a program have the hooks now, also after somebody has removed them (P17.15).
func TestWhetherHooksAreInstalled_P17_15(t *testing.T) {
	home := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
	installed := installedHooks(getenv)
	for _, p := range hooks.Programs {
		file := p.File(getenv)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		settings, err := p.Install(nil, "/usr/bin/agentdungeon")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			text []byte
			want string
		}{{settings, wire.HooksInstalled}, {[]byte("{}\n"), wire.HooksNone}, {[]byte("{ //"), ""}} {
			if err := os.WriteFile(file, c.text, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := installed(p.Name); got != c.want {
				t.Errorf("%s: %q for %.40q, want %q", p.Name, got, c.text, c.want)
			}
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if got := installed(p.Name); got != wire.HooksNone {
			t.Errorf("%s: %q without a file", p.Name, got)
		}
	}
	if got := installed("gemini"); got != "" {
		t.Errorf("a program without hooks: %q", got)
	}
}
