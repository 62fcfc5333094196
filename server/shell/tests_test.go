package shell

import (
	"testing"

	"agentdungeon/shared/world"
)

// Tests says how the tests of a command line have ended: by the line's status only where it is that of the tests, else
// by what the program for the tests says.
func TestTests(t *testing.T) {
	const passed, failed, unclear = world.TestsPassed, world.TestsFailed, world.TestsUnclear
	const goFailed, goPassed = "--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tx\t0.01s\nFAIL\n", "ok  \tx\t0.01s\n"
	for _, c := range []struct {
		line, output string
		ok           bool
		want         string
	}{
		{"go test ./...", "", true, passed},
		{"go test ./...", "", false, failed},
		{"cd server && go test ./x -run TestY -count=1", "", false, failed},
		{"FOO=1 timeout 60 go test ./...", "", false, failed},
		{"bash -lc 'npm test'", "", false, failed},
		{"npm --prefix client run test:unit -- --run", "", false, failed},
		{"npx --yes vitest run src/a.test.ts", "", true, passed},
		{"python3 -m pytest -q", "", false, failed},
		{"timeout 60 env CI=1 ./gradlew :app:test", "", false, failed},
		{"make -s test", "", false, failed},
		{"make -C client lint test", "", true, passed},
		{"go test ./... && git commit -m x", "", true, passed},

		// The status is that of another command.
		{"go test ./... 2>&1 | tail -20", goFailed, true, failed},
		{"go test ./... 2>&1 | tail -20", goPassed, true, passed},
		{"go test ./... 2>&1 | tail -20", "", true, unclear},
		{"go test ./... | head -3", goPassed, true, unclear},
		{"go test ./... | grep ok", goPassed, true, unclear},
		{"go test ./... | grep -v ok", goFailed, true, failed},
		{"go test ./... || true", "", true, unclear},
		{"go test ./...; git status", "", true, unclear},
		{"go test ./... > out.txt; grep FAIL out.txt", "", false, unclear},
		{"go vet ./... && go test ./...", "x.go:3: unused\n", false, unclear},
		{"go vet ./... && go test ./...", goFailed, false, failed},
		{"go test ./... && git commit -m x", goPassed + "nothing to commit\n", false, passed},
		{"! go test ./...", "", true, unclear},
		{"go test ./... &", "", true, unclear},

		// The words of other programs.
		{"pytest | cat", "=== 1 failed, 3 passed in 0.12s ===\n", true, failed},
		{"pytest -q | tail -1", "3 passed, 1 failed in 0.12s\n", true, failed},
		{"pytest | cat", "=== 3 passed in 0.12s ===\n", true, passed},
		{"npx vitest run | tail", "\x1b[2m      Tests \x1b[22m \x1b[31m1 failed\x1b[39m | 3 passed (4)\n", true, failed},
		{"npx jest | tail", "Tests:       4 passed, 4 total\n", true, passed},
		{"cargo test | tail", "test result: FAILED. 1 passed; 1 failed; 0 ignored\n", true, failed},
		{"node --test | tail", "# pass 1\n# fail 1\n", true, failed},

		// The shell has not found the program.
		{"go test ./...", "Exit code 127\n/bin/bash: line 1: go: command not found", false, ""},
		{"go test ./...", "sh: 1: go: not found\n", false, ""},
		{"npm test", "sh: line 1: vitest: command not found\n", false, ""},
		{"make test", "make: go: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n", false, ""},
		{"go test ./...", "sh: 1: x: not found\n" + goFailed, false, failed},

		// No tests run.
		{"go build ./...", goFailed, false, ""},
		{"grep -rn 'go test' .", "", false, ""},
		{"git commit -m 'go test'", "", false, ""},
		{"go test -list .", "", false, ""},
		{"pytest --version", "", false, ""},
		{"npm install test", "", false, ""},
		{"cat test", "", false, ""},
		{"make build", "", false, ""},
		{"if", "", false, ""},
	} {
		if got := Tests(c.line, c.output, true, c.ok); got != c.want {
			t.Errorf("%q, succeeded %v, %q: %q, want %q", c.line, c.ok, c.output, got, c.want)
		}
	}
	if got := Tests("go test", "", false, true); got != unclear {
		t.Errorf("of unknown status: %v", got)
	}
}

// Line returns the command of the inputs of all programs whose sessions are read.
func TestLine(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"touch x","description":"Make x"}`: "touch x",
		`{"cmd":"ls","workdir":"/r"}`:                  "ls",
		`{"command":["bash","-lc","go test ./..."]}`:   "go test ./...",
		`{"command":["ls","-l"]}`:                      "ls -l",
		`{"file_path":"a.go"}`:                         "",
		"*** Begin Patch":                              "",
		`{"command":"cut`:                              "",
	} {
		if got := Line(input); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}
