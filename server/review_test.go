package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// openSQL is a Go file with a query that is joined from a request.
const openSQL = `package shop

import (
	"database/sql"
	"net/http"
)

// Find answers with one row.
func Find(db *sql.DB, r *http.Request) *sql.Row {
	return db.QueryRow("SELECT name FROM users WHERE name = '" + r.FormValue("name") + "'")
}
`

// made makes a git repository with the given files.
func made(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there to make a repository with")
	}
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "first"}} {
		c := exec.Command("git", append([]string{"-c", "user.name=Grace", "-c", "user.email=grace@example.org"}, args...)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return dir
}

// reviewing runs the command over a folder, and keeps no result.
func reviewing(args ...string) (code int, stdout, stderr string) {
	return reviewingAgain(append([]string{"-fresh"}, args...)...)
}

// reviewingAgain does what reviewing does, but stores results and uses stored ones.
func reviewingAgain(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(append([]string{"review"}, args...), &out, &err)
	return code, out.String(), err.String()
}

var (
	sound = map[string]string{
		"README.md": "# shop\n\nA shop.\n", "LICENSE": "MIT\n", "go.mod": "module example.org/shop\n\ngo 1.22\n",
		"shop.go": "// Package shop sells.\npackage shop\n",
	}
	flawedShop = map[string]string{"README.md": "# shop\n", "go.mod": "module example.org/shop\n\ngo 1.22\n", "shop.go": openSQL}
)

// The exit code says whether there are findings of a severity; standard output has what was read, then the findings.
func TestReviewSaysByItsCode(t *testing.T) {
	clean, flawed := made(t, sound), made(t, flawedShop)
	for _, tc := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{clean}, 0, []string{"Go: 1 file, 2 lines read as syntax.", "0 findings."}},
		{[]string{flawed}, 1, []string{"Go: 1 file", "shop.go:10: ", "sentinel/sql-injection", "1 high"}},
		{[]string{"-fail-on", "critical", flawed}, 0, []string{"shop.go:10: "}},
		{[]string{"-fail-on", "none", flawed}, 0, []string{"shop.go:10: "}},
		{[]string{flawed, "-format", "markdown"}, 1, []string{"## Coverage", "## Findings", "`shop.go:10`"}},
		{[]string{"-format", "pdf", flawed}, 2, nil},
		{[]string{"-fail-on", "worst", flawed}, 2, nil},
		{[]string{filepath.Join(flawed, "nowhere")}, 2, nil},
		{[]string{flawed, clean}, 2, nil},
	} {
		code, stdout, stderr := reviewing(tc.args...)
		if code != tc.code || (code == 0) != (stderr == "") {
			t.Errorf("%q: %d, %s", tc.args, code, stderr)
		}
		at := 0
		for _, want := range tc.says {
			i := strings.Index(stdout[at:], want)
			if i < 0 {
				t.Fatalf("%q does not say %q after the others:\n%s", tc.args, want, stdout)
			}
			at += i
		}
	}
}

// A review reports source that no check can read as unknown, never as clean, and fails because of it with
// -require-coverage.
func TestReviewRequiresCoverage(t *testing.T) {
	dir := made(t, map[string]string{"README.md": "# x\n", "LICENSE": "MIT\n", "index.php": "<?php eval($_GET['x']);\n"})
	code, stdout, _ := reviewing(dir)
	if code != 0 || !strings.Contains(stdout, "Unknown, not clean: PHP (1 line).") || strings.Contains(stdout, "PHP is clean") {
		t.Errorf("%d:\n%s", code, stdout)
	}
	if code, _, stderr := reviewing("-require-coverage", dir); code != 1 || !strings.Contains(stderr, "PHP does is unknown") {
		t.Errorf("%d: %s", code, stderr)
	}
	if code, _, stderr := reviewing("-require-coverage", made(t, sound)); code != 0 {
		t.Errorf("all was read, but: %d: %s", code, stderr)
	}
	if code, _, stderr := reviewing("-require-coverage", made(t, map[string]string{"README.md": "# x\n"})); code != 1 || !strings.Contains(stderr, "no source was read") {
		t.Errorf("without source: %d: %s", code, stderr)
	}
	huge := made(t, map[string]string{"README.md": "# x\n", "big.py": "x = 1\n" + strings.Repeat("# x\n", 300_000)})
	if code, stdout, _ := reviewing("-require-coverage", huge); code != 1 || !strings.Contains(stdout, "Not read: big.py (") {
		t.Errorf("%d:\n%s", code, stdout)
	}
}

// An accepted finding does not fail a review; SARIF has it as suppressed, and JSON with its reason.
func TestReviewTakesExcuses(t *testing.T) {
	files := map[string]string{".agentdungeon-review": "sentinel/sql-injection shop.go -- the name is checked before\n"}
	for name, text := range flawedShop {
		files[name] = text
	}
	dir := made(t, files)
	code, stdout, stderr := reviewing("-format", "sarif", dir)
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID       string
				Suppressions []struct{ Justification string }
			}
			Properties map[string]any
		}
	}
	if err := json.Unmarshal([]byte(stdout), &log); err != nil || code != 0 {
		t.Fatalf("%d, %v: %s", code, err, stderr)
	}
	suppressed := false
	for _, r := range log.Runs[0].Results {
		suppressed = suppressed || r.RuleID == "sentinel/sql-injection" && len(r.Suppressions) == 1 &&
			strings.Contains(r.Suppressions[0].Justification, "checked before")
	}
	if !suppressed || log.Runs[0].Properties["coverage"] == nil {
		t.Errorf("not suppressed, or no coverage: %s", stdout)
	}
	code, stdout, _ = reviewing("-format", "json", dir)
	if code != 0 || !json.Valid([]byte(stdout)) || !strings.Contains(stdout, "the name is checked before") {
		t.Errorf("%d: %s", code, stdout)
	}
}

// The line that a review prints for a finding accepts it and no other: it may move, another hole of the same kind in its
// file fails the review, and the accepted one is listed with its code.
func TestReviewAcceptsWhatItPrints(t *testing.T) {
	files := maps.Clone(flawedShop)
	_, stdout, _ := reviewing(made(t, files))
	_, line, ok := strings.Cut(stdout, "To accept it: ")
	line, _, _ = strings.Cut(line, "\n")
	if !ok || !strings.HasSuffix(line, " -- REASON") {
		t.Fatalf("no line to accept:\n%s", stdout)
	}
	files[".agentdungeon-review"] = strings.Replace(line, "REASON", "the name is ours", 1) + "\n"
	files["shop.go"] = strings.Replace(openSQL, "\n// Find", "\nvar moved = 1\n\n// Find", 1)
	code, stdout, stderr := reviewing(made(t, files))
	if code != 0 || !strings.Contains(stdout, "  shop.go:12: SQL injection") || !strings.Contains(stdout, "the name is ours\n      return db.QueryRow(") {
		t.Errorf("%d: %s\n%s", code, stderr, stdout)
	}
	files["shop.go"] += strings.ReplaceAll(openSQL[strings.Index(openSQL, "\n// Find"):], "Find", "Seek")
	if code, stdout, _ := reviewing(made(t, files)); code != 1 || !strings.Contains(stdout, "1 finding: 1 high. Accepted: 1.") {
		t.Errorf("%d: a second hole is accepted:\n%s", code, stdout)
	}
}

// A bar is drawn on a terminal only, and its line is cleared in the end.
func TestBar(t *testing.T) {
	var out bytes.Buffer
	draw := bar(&out, 4)
	for n := range 4 {
		draw(n + 1)
	}
	if text := out.String(); !strings.Contains(text, "] 2 of 4 checks") || !strings.HasSuffix(text, "\r\x1b[K") || isTerminal(&out) {
		t.Errorf("%q", text)
	}
}

// A second review of the same state prints the same, and -fresh reviews anew.
func TestReviewIsKept(t *testing.T) {
	dir := made(t, map[string]string{"go.mod": "module shop\n", "shop.go": openSQL})
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	results := func() []os.DirEntry {
		all, _ := os.ReadDir(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "agentdungeon", "reviews"))
		return all
	}
	code, first, _ := reviewing(dir)
	if code != 1 || len(results()) != 0 {
		t.Fatalf("exit code %d, kept %v", code, results())
	}
	for range 2 {
		if code, again, _ := reviewingAgain(dir); code != 1 || again != first {
			t.Errorf("exit code %d, want 1, and\n%s\nwant\n%s", code, again, first)
		}
	}
	if len(results()) != 1 {
		t.Errorf("kept %v, want one result", results())
	}
}
