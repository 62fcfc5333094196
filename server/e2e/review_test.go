package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// flawed is a repository in which the scouts find things for sure.
func flawed(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "flawed")
	for name, text := range map[string]string{
		"go.mod":          "module example.org/flawed\n\ngo 1.26\n",
		"README.md":       "# flawed\n\nRead [the guide](docs/guide.md).\n",
		"main.go":         "package main\n\nimport (\n\t\"example.org/flawed/a\"\n\t\"os/exec\"\n)\n\nfunc main() {\n\ta.Do()\n\tname := \"x\"\n\t_ = exec.Command(\"sh\", \"-c\", \"rm \"+name).Run()\n}\n",
		"a/a.go":          "package a\n\nimport \"example.org/flawed/b\"\n\n// Do does it.\nfunc Do() { b.Do() }\n",
		"b/b.go":          "package b\n\nimport \"example.org/flawed/a\"\n\n// Do does it.\nfunc Do() { a.Do() }\n",
		"src/Old.go.orig": "package old\n",
		"notes.txt":       "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n",
	} {
		file(t, filepath.Join(dir, name), text)
	}
	return dir
}

// board is what a review has led to, a line a finding or quest.
func board(w *world.World) []string {
	var out []string
	for _, f := range w.Findings {
		out = append(out, fmt.Sprintf("%s %s %s %s:%d withdrawn %q", f.ID, f.Severity, f.Check, f.Path, f.Line, f.Withdrawn))
	}
	for _, q := range w.Quests {
		out = append(out, fmt.Sprintf("%s %s %s", q.ID, q.Status, q.Title))
	}
	slices.Sort(out)
	return out
}

// reviewed plays a review of the folder to its end, with as many kills on the way.
func reviewed(t *testing.T, dir string, kills int, rng *rand.Rand) (*Home, *Life, *Tab, []string) {
	t.Helper()
	home := NewHome(t, server, "-pace", "instant")
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	tab.Do("link", &wire.LinkRepo{Path: dir})
	tab.Until("a realm", func() bool { return tab.Live() && tab.World != nil })
	tab.Do("start", &wire.StartProcess{Problem: "Review it.", TemplateID: "code_review"})
	ended := func() bool { return tab.World.ProcessState.Status == world.StatusCompleted }
	for n := range kills {
		until := 0
		tab.Look(func() { until = tab.Frames + 1 + rng.IntN(120) })
		if tab.Within(5*time.Second, func() bool { return ended() || tab.Frames >= until }); !t.Failed() {
			l.Kill()
		}
		l = home.Start()
		if err := tab.Connect(l); err != nil {
			t.Fatalf("life %d: %v", n+2, err)
		}
		tab.Until("live again", func() bool { return tab.Live() })
		paused := false
		tab.Look(func() { paused = tab.World.ProcessState.Status == world.StatusPaused })
		if paused { // three starts without a turn
			tab.Do(fmt.Sprintf("resume-%d", n), &wire.PlayerCommand{Text: "/resume"})
		}
	}
	if !tab.Within(2*time.Minute, ended) {
		_, w := tab.Position()
		t.Fatalf("the review does not end: %+v", w.ProcessState)
	}
	ledger.Check()
	_, w := tab.Position()
	return home, l, tab, board(w)
}

// A review that is killed at any moment, again and again, finds what an undisturbed
// one finds, and nothing twice. Its report can be had from the server and, after it
// has stopped, from the folder.
func TestReviewOutlivesKills(t *testing.T) {
	t.Parallel()
	dir := flawed(t)
	_, _, _, calm := reviewed(t, dir, 0, nil)
	if len(calm) < 3 {
		t.Fatalf("the scouts found %q", calm)
	}
	home, l, tab, got := reviewed(t, dir, number(t, "AGENTDUNGEON_REVIEW_KILLS", 12), seeded(t)(21))
	if !slices.Equal(got, calm) {
		t.Errorf("after the kills:\n%s\nundisturbed:\n%s", strings.Join(got, "\n"), strings.Join(calm, "\n"))
	}
	_, w := tab.Position()
	markdown := get(t, "http://"+l.Addr+"/api/realms/"+w.Realm.ID+"/export")
	for _, want := range []string{"## Executive Summary", "## Positive", "data:image/svg+xml"} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	var held struct{ Findings, Withdrawn []world.Finding }
	if err := json.Unmarshal([]byte(get(t, "http://"+l.Addr+"/api/realms/"+w.Realm.ID+"/export?format=json")), &held); err != nil || len(held.Findings)+len(held.Withdrawn) != len(w.Findings) {
		t.Errorf("JSON holds %d and %d findings, the world %d: %v", len(held.Findings), len(held.Withdrawn), len(w.Findings), err)
	}
	code, served, stderr := home.Run("export", "-worlds", home.Worlds, "-format", "sarif")
	if code != 0 || !strings.Contains(served, `"2.1.0"`) {
		t.Errorf("export beside the server: %d %s", code, stderr)
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
	out := filepath.Join(t.TempDir(), "report.sarif")
	if code, _, stderr := home.Run("export", "-worlds", home.Worlds, "-format", "sarif", "-o", out); code != 0 {
		t.Fatalf("export of a stopped folder: %d %s", code, stderr)
	}
	data, err := os.ReadFile(out)
	if err != nil || string(data) != served {
		t.Errorf("the stopped folder exports something else than the server did: %v", err)
	}
	if code, _, _ := home.Run("export", "-worlds", home.Worlds, "-format", "pdf"); code != 2 {
		t.Errorf("an unknown format ends with %d", code)
	}
	if code, _, stderr := home.Run("export", "-worlds", home.Worlds, "-realm", "nobody"); code != 1 || !strings.Contains(stderr, "nobody") {
		t.Errorf("an unknown realm ends with %d: %s", code, stderr)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v %.200s", url, resp.Status, err, data)
	}
	return string(data)
}

// git runs git in a folder.
func git(t *testing.T, dir string, stdin io.Reader, args ...string) {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=Grace", "-c", "user.email=grace@example.org"}, args...)...)
	c.Dir, c.Stdin = dir, stdin
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// The second review of a repository goes on from the first: it says what has changed,
// takes back what is mended and keeps what stands.
func TestSecondReviewAfterOneChange(t *testing.T) {
	t.Parallel()
	dir := flawed(t)
	git(t, dir, nil, "init", "-q")
	git(t, dir, nil, "add", ".")
	git(t, dir, nil, "commit", "-qm", "first")
	_, _, tab, first := reviewed(t, dir, 0, nil)
	file(t, filepath.Join(dir, "notes.txt"), "one\n") // the marks of a merge are gone
	git(t, dir, nil, "commit", "-qam", "second")
	tab.Do("again", &wire.StartProcess{Problem: "Review it again.", TemplateID: "code_review"})
	tab.Until("the second review's end", func() bool {
		return tab.World.ProcessState.Status == world.StatusCompleted && tab.World.ProcessState.ProblemStatement == "Review it again."
	})
	_, w := tab.Position()
	standing, mended := 0, 0
	for _, f := range w.Findings {
		switch {
		case f.Withdrawn == "":
			standing++
		case f.Path == "notes.txt" && f.Into == "":
			mended++
		}
	}
	if mended != 1 || standing == 0 || len(w.Findings) != countFindings(first) {
		t.Errorf("%d stand, %d mended, %d in all; the first review had\n%s\nnow\n%s", standing, mended, len(w.Findings), strings.Join(first, "\n"), strings.Join(board(w), "\n"))
	}
	said := ""
	for _, m := range Rows(tab.ledger.Events(), w.ProcessState.ConversationID) {
		said += m.Content + "\n"
	}
	if !strings.Contains(said, "Since my last review, at commit") || !strings.Contains(said, "1 of 7 files changed") {
		t.Error("nobody says what changed since the first review")
	}
}

func countFindings(lines []string) (n int) {
	for _, l := range lines {
		if strings.HasPrefix(l, "s-") {
			n++
		}
	}
	return n
}

// Whatever lies in a folder, a review ends, finds what is to be found, and the server
// keeps its memory: no git, five commits, 50,000 commits; files that are broken, huge,
// binary or hostile.
func TestReviewOfOddRepositories(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, dir string){
		"odd files": func(t *testing.T, dir string) {
			huge, err := os.Create(filepath.Join(dir, "huge.go"))
			if err == nil {
				err = huge.Truncate(100 << 20)
			}
			if err != nil || huge.Close() != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{
				"broken.go": "package broken\n\nfunc (", "broken.json": "{{{", "package.json": "[1,2", "go.sum": "\x00\x01", "binary.py": "\x7fELF\x00\x00",
				"deep.json": strings.Repeat("[", 200_000), "deep.go": "package deep\n\nvar x = " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + "\n",
				"deep.js": strings.Repeat("{", 200_000), "line.ts": strings.Repeat("a = b + ", 120_000) + "1\n", "latin.py": "# caf\xe9\n", "empty.rb": "",
				"<script>alert(1)</script>.md": "# [x](javascript:alert(1))\n", "a b/ü \"quoted\".py": "import os\n", "requirements.txt": strings.Repeat("==\n", 1000),
				"README.md": strings.Repeat("[a](b)\n", 20_000), "pyproject.toml": "[[[[", "Dockerfile": "FROM\nFROM \\\n\\\n", ".github/workflows/ci.yml": "on: [",
			} {
				file(t, filepath.Join(dir, name), text)
			}
		},
		"five commits": func(t *testing.T, dir string) {
			git(t, dir, nil, "init", "-q")
			for i := range 5 {
				file(t, filepath.Join(dir, "log.txt"), fmt.Sprint(i))
				git(t, dir, nil, "add", ".")
				git(t, dir, nil, "commit", "-qm", fmt.Sprint("commit ", i))
			}
		},
		"50,000 commits": func(t *testing.T, dir string) {
			var b strings.Builder
			for i := range 50_000 {
				fmt.Fprintf(&b, "commit refs/heads/main\ncommitter Grace <g@example.org> %d +0000\ndata 1\nx\nM 100644 inline log%d.txt\ndata 6\n%06d\n", 1_600_000_000+i*60, i%50, i)
			}
			git(t, dir, nil, "init", "-q", "-b", "main")
			git(t, dir, strings.NewReader(b.String()), "fast-import", "--quiet")
			git(t, dir, nil, "reset", "-q")
			git(t, dir, nil, "checkout", "-q", "--", ".")
			git(t, dir, nil, "add", ".")
			git(t, dir, nil, "commit", "-qm", "the flaws")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := flawed(t)
			prepare(t, dir)
			_, l, _, found := reviewed(t, dir, 0, nil)
			if !strings.Contains(strings.Join(found, "\n"), "architect/go-cycle") {
				t.Errorf("it does not find what is there: %q", found)
			}
			if n := l.Memory(); n > 1<<30 && !raceOn { // the race detector takes five to ten times the memory
				t.Errorf("the server holds %d MB", n>>20)
			}
		})
	}
}
