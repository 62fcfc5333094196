package hooks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/server/hooks"
)

const binary = "/opt/it's here/agentdungeon"

func install(t *testing.T, p hooks.Program, settings []byte, binary string) []byte {
	t.Helper()
	text, err := p.Install(settings, binary)
	if err != nil {
		t.Fatalf("install: %v in %s", err, settings)
	}
	if !json.Valid(text) {
		t.Fatalf("not JSON: %s", text)
	}
	if state, err := p.Installed(text, binary); state != hooks.Whole || err != nil {
		t.Fatalf("%s, %v: %s", state, err, text)
	}
	return text
}

func remove(t *testing.T, p hooks.Program, settings []byte) []byte {
	t.Helper()
	text, err := p.Remove(settings, binary)
	if err != nil {
		t.Fatalf("remove: %v in %s", err, settings)
	}
	return text
}

// random makes random JSON, with random white space.
type random struct{ *rand.Rand }

func (r random) gap(free bool) string {
	if !free {
		return ""
	}
	return []string{"", "", " ", "\n", "\n  ", "\r\n\t", "\t"}[r.IntN(7)]
}

func (r random) list(open, end string, parts []string, free bool) string {
	var b strings.Builder
	b.WriteString(open + r.gap(free))
	for i, p := range parts {
		if i > 0 {
			b.WriteString(r.gap(free) + "," + r.gap(free))
		}
		b.WriteString(p)
	}
	return b.String() + r.gap(free) + end
}

func (r random) value(depth int, free bool) string {
	switch kind := r.IntN(7); {
	case kind == 0 && depth > 0:
		var parts []string
		for range r.IntN(4) {
			parts = append(parts, r.value(depth-1, free))
		}
		return r.list("[", "]", parts, free)
	case kind == 1 && depth > 0:
		return r.object(depth-1, free)
	}
	return []string{`"a\"]}\\"`, `"é\u00e9,:{["`, "-1.50e+07", "12345678901234567890", "true", "null"}[r.IntN(6)]
}

func (r random) object(depth int, free bool, more ...string) string {
	parts := more
	for i := range r.IntN(4) {
		parts = append(parts, fmt.Sprintf(`"k%d\"{"%s:%s%s`, i, r.gap(free), r.gap(free), r.value(depth, free)))
	}
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return r.list("{", "}", parts, free)
}

// settings returns random settings, with or without hooks of the user.
func (r random) settings() []byte {
	free := r.IntN(4) > 0
	var events []string
	for _, name := range []string{"Stop", "PostToolUse", "Mine"} {
		var entries []string
		for range r.IntN(3) {
			entries = append(entries, []string{
				`{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo hook claude x"}]}`,
				`{"hooks": [{"type":"command","command":"other hook claude"},{"type":"http","url":"http://x/"}]}`,
				`{"hooks": []}`, `17`,
			}[r.IntN(4)])
		}
		if r.IntN(2) == 0 {
			events = append(events, `"`+name+`":`+r.gap(free)+r.list("[", "]", entries, free))
		}
	}
	var more []string
	if r.IntN(3) > 0 {
		more = append(more, `"hooks":`+r.list("{", "}", events, free))
	}
	return []byte(r.gap(free) + r.object(2, free, more...) + r.gap(free))
}

// For random settings: after an installation all hooks are there and everything else is as before. After the removal
// the file is as before, byte for byte. A second installation changes nothing.
func TestInstallAndRemove(t *testing.T) {
	for seed := range uint64(400) {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		before := r.settings()
		for _, p := range hooks.Programs {
			if state, err := p.Installed(before, binary); state != hooks.None || err != nil {
				t.Fatalf("seed %d: %s, %v: %s", seed, state, err, before)
			}
			there := install(t, p, before, binary)
			if again := install(t, p, there, binary); string(again) != string(there) {
				t.Fatalf("seed %d: installed again\n%s\nwas\n%s", seed, again, there)
			}
			if after := remove(t, p, there); string(after) != string(before) {
				t.Fatalf("seed %d: removed\n%q\nwas\n%q\ninstalled\n%s", seed, after, before, there)
			}
			if after := remove(t, p, before); string(after) != string(before) {
				t.Fatalf("seed %d: nothing was installed\n%q\nwas\n%q", seed, after, before)
			}
		}
	}
}

// Settings that are shown with more line breaks have the same content, and each hook of an installation has a line of
// its own, also if the settings are one line.
func TestSpread(t *testing.T) {
	for seed := range uint64(100) {
		r := random{rand.New(rand.NewPCG(seed, 2))}
		for _, p := range hooks.Programs {
			settings := install(t, p, r.settings(), binary)
			shown := hooks.Spread(settings)
			if !sameContent(t, []byte(shown), settings) {
				t.Fatalf("seed %d: the content of\n%s\nis not that of\n%s", seed, shown, settings)
			}
			for line := range strings.Lines(shown) {
				if strings.Count(line, "agentdungeon' hook ") > 1 {
					t.Fatalf("seed %d: two hooks in the line %s", seed, line)
				}
			}
		}
	}
	if got := hooks.Spread(nil); got != "" {
		t.Errorf("no file is shown as %q", got)
	}
	one := `{"a":{"b":[1, 2]},"c":[],"hooks":{"Stop":[{"hooks": [ ]}]}}`
	want := "{\n  \"a\": {\n    \"b\": [\n      1,\n      2\n    ]\n  },\n  \"c\": [],\n  \"hooks\": {\n" +
		"    \"Stop\": [\n      {\"hooks\":[]}\n    ]\n  }\n}\n"
	if got := hooks.Spread([]byte(one)); got != want {
		t.Errorf("%s", got)
	}
}

// sameContent reports whether two JSON texts have the same values in the same order.
func sameContent(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y bytes.Buffer
	if err := errors.Join(json.Compact(&x, a), json.Compact(&y, b)); err != nil {
		t.Fatal(err)
	}
	return x.String() == y.String()
}

// An installation creates the settings file if it does not exist, and the removal deletes it again. The removal keeps a
// file that was an empty JSON object before.
func TestInstallMakesAFile(t *testing.T) {
	for _, p := range hooks.Programs {
		text := install(t, p, nil, binary)
		if !strings.HasPrefix(string(text), "{\n  \"hooks\": {\n    \"PermissionRequest\": [\n      {") {
			t.Errorf("%s", text)
		}
		if left := remove(t, p, text); left != nil {
			t.Errorf("left: %q", left)
		}
		for _, empty := range []string{"{}", "{\n}\n", " { } ", `{"hooks":{}}`, "{\n  \"hooks\": {\n  }\n}\n"} {
			if left := remove(t, p, install(t, p, []byte(empty), binary)); string(left) != empty {
				t.Errorf("%q, was %q", left, empty)
			}
		}
	}
}

// An installation replaces hooks with an older path of the binary and hooks of an older version. Hooks of other
// programs stay, also in the same entry.
func TestInstallReplaces(t *testing.T) {
	claude := hooks.Programs[0]
	before := `{"model": "x"}`
	old := install(t, claude, []byte(before), "/old/agentdungeon")
	if state, err := claude.Installed(old, binary); state != hooks.Older || err != nil {
		t.Errorf("%s, %v", state, err)
	}
	text := install(t, claude, old, binary)
	if strings.Contains(string(text), "/old/") || string(remove(t, claude, text)) != before {
		t.Errorf("%s", text)
	}
	shared := `{"hooks": {"Stop": [{"hooks": [{"command": "/x/agentdungeon hook claude"}, {"command": "say done"}]}]}}`
	if got := remove(t, claude, []byte(shared)); string(got) !=
		`{"hooks": {"Stop": [{"hooks": [{"command": "say done"}]}]}}` {
		t.Errorf("%s", got)
	}
	for _, other := range []string{"/x/agentdungeon hook codex", "agentdungeon hook claude; rm x",
		"lefthook hook claude", "agentdungeon hook"} {
		text := `{"hooks": {"Stop": [{"hooks": [{"command": "` + other + `"}]}]}}`
		if got := remove(t, claude, []byte(text)); string(got) != text {
			t.Errorf("%s was taken for ours", other)
		}
	}
}

// Install refuses a file that is not plain JSON, and a file whose member "hooks" has another form.
func TestInstallRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"":                                    "not JSON",
		"{ // mine\n}":                        "comments",
		`{"a": 1,}`:                           "not JSON",
		"[]":                                  "not a JSON object",
		`{"hooks": []}`:                       "hooks are not a JSON object",
		`{"hooks": {"Stop": {}}}`:             "Stop",
		`{"hooks": {}, "hooks": {}}`:          "twice",
		`{"hooks": {"Stop": [], "Stop": []}}`: "twice",
	} {
		_, err := hooks.Programs[0].Install([]byte(text), binary)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The settings files of both programs are in the folders that the environment variables name.
func TestFile(t *testing.T) {
	for _, c := range []struct{ program, env, want string }{
		{"claude", "HOME=/h", "/h/.claude/settings.json"},
		{"claude", "HOME=/h CLAUDE_CONFIG_DIR=/c", "/c/settings.json"},
		{"codex", "HOME=/h", "/h/.codex/hooks.json"}, {"codex", "CODEX_HOME=/c", "/c/hooks.json"}, {"codex", "", ""},
	} {
		getenv := func(name string) string {
			for v := range strings.FieldsSeq(c.env) {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}
		for _, p := range hooks.Programs {
			if got := p.File(getenv); p.Name == c.program && got != c.want {
				t.Errorf("%s %s: %q, want %q", c.program, c.env, got, c.want)
			}
		}
	}
}

// Write keeps the mode of a file and keeps a link. It does not touch a file that was changed meanwhile, and makes a new
// file readable for its owner only.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("a"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	if err := hooks.Write(link, []byte("a"), []byte("b")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(file)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if text, err := hooks.Read(link); string(text) != "b" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if target, err := os.Readlink(link); target != "file" || err != nil {
		t.Errorf("%s %v", target, err)
	}
	if err := hooks.Write(link, []byte("a"), []byte("c")); err == nil {
		t.Error("a file that changed was written")
	}
	made := filepath.Join(dir, "new", "file")
	if err := hooks.Write(made, nil, []byte("b")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(made); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := hooks.Write(made, []byte("b"), nil); err != nil {
		t.Fatal(err)
	}
	if text, err := hooks.Read(made); text != nil || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if left, err := os.ReadDir(filepath.Dir(made)); len(left) != 0 || err != nil {
		t.Errorf("%v %v", left, err)
	}
}

// Codex stores its user's trust in a hook under the hook's place in the file.
func TestTrusted(t *testing.T) {
	codex, dir := hooks.Programs[1], t.TempDir()
	path := filepath.Join(dir, "hooks.json")
	settings := install(t, codex, []byte(`{"hooks": {"Stop": [{"hooks": []}]}}`), binary)
	trusted := func(config string) string {
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := codex.Trusted(path, settings, binary)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	table := func(event string) string {
		return "[hooks.state.\"" + path + ":" + event + "\"]\ntrusted_hash = \"sha256:0\"\n\n"
	}
	if got := trusted("model = 1\n" + table("stop:0:0")); !strings.HasPrefix(got, "no") {
		t.Error(got)
	}
	some := table("stop:1:0") + table("permission_request:0:0")
	if got := trusted(some); !strings.HasPrefix(got, "2 of 7 hooks") {
		t.Error(got)
	}
	if got := trusted(some + table("post_tool_use:0:0") + table("user_prompt_submit:0:0") + table("session_start:0:0") +
		table("session_end:0:0") + table("subagent_stop:0:0")); got != "yes" {
		t.Error(got)
	}
}
