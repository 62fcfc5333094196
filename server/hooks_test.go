package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/rendezvous"
)

// The command hooks shows what it would change, and changes nothing without consent. With consent it installs, then
// says what is installed, and a removal leaves the files as they were before.
func TestHooksCommand(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("CODEX_HOME", "")
	file := filepath.Join(home, ".claude", "settings.json")
	before := "{\n\t\"model\":  \"x\"\n}"
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says []string
	}{
		{"hooks", 2, []string{"install, remove and status"}},
		{"hooks install emacs", 2, []string{`"emacs"`}},
		{"hooks status", 0, []string{"Claude Code: not installed", "Codex: not installed"}},
		{"hooks install", 1, []string{"+", "PermissionRequest", "nothing was changed"}},
		{"hooks status claude", 0, []string{"Claude Code: not installed"}},
		{"hooks install -yes", 0, []string{" hook claude", " hook codex", "after you have trusted it"}},
		{"hooks install -yes codex", 0, []string{"Codex: the hooks are in "}},
		{"hooks status", 0, []string{"Claude Code: installed", "Codex: installed", "Codex: no", "heard: unknown"}},
		{"hooks remove -yes", 0, []string{"-", "changed", "may call its hooks until you start it again"}},
		{"hooks remove", 0, []string{"Claude Code: nothing to remove"}},
	} {
		code, out, errs := ran(t, strings.Fields(c.args)...)
		for _, says := range c.says {
			if code != c.code || !strings.Contains(out+errs, says) {
				t.Errorf("%s: exit code %d, without %q: %s %s", c.args, code, says, out, errs)
			}
		}
	}
	if text, err := os.ReadFile(file); string(text) != before || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(home, ".codex", "hooks.json")); !os.IsNotExist(err) {
		t.Errorf("the file of Codex is still there: %v", err)
	}
	if err := os.WriteFile(file, []byte("{ // mine\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := ran(t, "hooks", "install", "-yes", "claude"); code != 1 || !strings.Contains(errs, "comments") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// After a removal of hooks that Codex trusts, the command says that the trust stays in Codex's config.toml and does no
// harm, and leaves that file as it is. An installation says that the trust is there from before.
func TestHooksThatCodexTrusts(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CODEX_HOME", home)
	file, config := filepath.Join(home, "hooks.json"), filepath.Join(home, "config.toml")
	says := func(do string, want bool, text string) {
		t.Helper()
		code, out, errs := ran(t, "hooks", do, "-yes", "codex")
		if code != 0 || strings.Contains(out, text) != want {
			t.Errorf("%s: exit code %d, the output has %q: %v\n%s%s", do, code, text, !want, out, errs)
		}
	}
	const stays, before = "Codex keeps your trust in 2 hooks", "your trust from before for 2 hooks"
	says("install", true, "it asks at its next start.")
	says("remove", false, "trust")
	trust := "model = \"x\"\n"
	for _, event := range []string{"stop", "post_tool_use"} {
		trust += "\n[hooks.state.\"" + file + ":" + event + ":0:0\"]\ntrusted_hash = \"sha256:0\"\n"
	}
	if err := os.WriteFile(config, []byte(trust), 0o600); err != nil {
		t.Fatal(err)
	}
	says("install", true, before)
	says("remove", true, stays)
	says("remove", false, stays) // nothing is there
	if text, err := os.ReadFile(config); string(text) != trust || err != nil {
		t.Errorf("config.toml is %s, %v", text, err)
	}
}

// If a settings file is one line, the preview has a line for each hook that comes or goes, and shows nothing else of the
// file; the file stays one line.
func TestHooksOfASettingsFileOfOneLine(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", home)
	file := filepath.Join(home, "settings.json")
	before := `{"env":{"TOKEN":"` + strings.Repeat("x", 300) + `"},"hooks":{"Stop":[{"hooks":[]}]},"model":"x"}`
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ do, mark string }{{"install", "+"}, {"remove", "-"}} {
		_, out, _ := ran(t, "hooks", c.do, "-yes", "claude")
		lines := strings.Split(out, "\n")
		for _, line := range lines {
			if strings.Count(line, "hook claude") > 1 || strings.Contains(line, "TOKEN") || strings.Contains(line, "model") {
				t.Errorf("%s: the preview has the line %s", c.do, line)
			}
		}
		if !slices.Contains(lines, c.mark+`    "PermissionRequest": [`) || !strings.Contains(out, "the file keeps its form") {
			t.Errorf("%s: the preview is %s", c.do, out)
		}
		text, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(text), "\n") || c.do == "remove" && string(text) != before {
			t.Errorf("%s: the file is %s, %v", c.do, text, err)
		}
	}
}

// The command hooks shows for each program the latest time of a hook call that a running server answers.
func TestHooksHeard(t *testing.T) {
	getenv := announced(t, says(`{"heard": {"claude": "2026-01-02T03:04:05.000Z"}}`),
		says(`{"heard": {"claude": "2026-01-02T03:04:04.000Z"}}`),
		func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "{}", http.StatusForbidden) })
	heard := map[string]string{}
	if known := askHeard(getenv, heard); !known || heard["claude"] != "2026-01-02T03:04:05Z" || len(heard) != 1 {
		t.Errorf("%v %v", known, heard)
	}
	if len(rendezvous.Servers(getenv)) != 3 {
		t.Error("not all servers are found")
	}
	if known := askHeard(announced(t), heard); known {
		t.Error("known without a server")
	}
}
