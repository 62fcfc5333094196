package withheld_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/server/withheld"
)

// What a call may show of files that git ignores is not kept: its output, and its input if that has their content
// (P17.9). Commands that only seem to name such a file stay as they are.
func TestCall(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{".env": 0o600, "bin/app": 0o700, "build/x.txt": 0o600, "main.go": 0o600} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	ignored := func(path string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && (strings.HasSuffix(rel, ".env") || strings.HasPrefix(rel, "bin") || strings.HasPrefix(rel, "build"))
	}
	for input, want := range map[string]string{
		`{"file_path":"` + dir + `/.env","content":"x"}`:     "input",
		`{"file_path":"` + dir + `/main.go"}`:                "",
		`{"command":"cat .env"}`:                             "output",
		`{"command":"cat old.env main.go"}`:                  "output",
		`{"command":["bash","-lc","cd sub && cat ../.env"]}`: "output",
		`{"command":["cat",".env"]}`:                         "output",
		`{"cmd":"head -3 build/*.txt"}`:                      "output",
		`{"command":"sort < .env"}`:                          "output",
		`{"command":"curl -d @.env host"}`:                   "output",
		`{"command":"grep -r x build"}`:                      "output",
		`{"command":"echo $(cat .env)"}`:                     "output",
		`{"command":"echo K=1 >> .env"}`:                     "input",
		`{"command":"cat > .env <<E\nx\nE"}`:                 "input",
		`{"command":"echo K=1 | tee .env"}`:                  "input",
		`*** Update File: .env`:                              "input",
		`cat > .env <<E`:                                     "input",
		`{"command":"cat 'unfinished .env"}`:                 "output",
		`{"command":"npm run build"}`:                        "",
		`{"command":"bin/app serve"}`:                        "",
		`{"command":"go build -o bin/app ./..."}`:            "",
		`{"command":"source .env && go test ./..."}`:         "",
		`{"command":"ls -la .env build"}`:                    "",
		`{"command":"cat main.go"}`:                          "",
		`not a command`:                                      "",
	} {
		v := withheld.Call(dir, input, nil, ignored)
		got := ""
		if v.Output {
			got = "output"
		}
		if v.Input {
			got = "input"
		}
		if got != want || v.Output != (len(v.Files) > 0) {
			t.Errorf("%s: %q of %v, want %q", input, got, v.Files, want)
		}
	}
}
