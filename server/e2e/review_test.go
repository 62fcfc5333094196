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

// flawed makes a repository in which the scouts surely find something.
func flawed(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "flawed")
	for name, text := range map[string]string{
		"go.mod":    "module example.org/flawed\n\ngo 1.26\n",
		"README.md": "# flawed\n\nRead [the guide](docs/guide.md).\n",
		"main.go": "package main\n\nimport (\n\t\"example.org/flawed/a\"\n\t\"net/http\"\n\t\"os/exec\"\n)\n\nfunc main() {\n\ta.Do()\n" +
			"\thttp.HandleFunc(\"/\", remove)\n}\n\nfunc remove(w http.ResponseWriter, r *http.Request) {\n" +
			"\t_ = exec.Command(\"sh\", \"-c\", \"rm \"+r.FormValue(\"name\")).Run()\n}\n",
		"a/a.go": "package a\n\nimport \"example.org/flawed/b\"\nimport \"net/http\"\n\n// Do does it.\nfunc Do() { b.Do() }\n\n" +
			"// Show answers twice.\nfunc Show(w http.ResponseWriter, r *http.Request) {\n\terr := r.ParseForm()\n\tif err != nil {\n" +
			"\t\thttp.Error(w, \"no\", 400)\n\t}\n\tw.Write([]byte(\"yes\"))\n}\n",
		"b/b.go":          "package b\n\nimport \"example.org/flawed/a\"\n\n// Do does it.\nfunc Do() { a.Do() }\n",
		"src/Old.go.orig": "package old\n",
		"notes.txt":       "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n",
	} {
		file(t, filepath.Join(dir, name), text)
	}
	return dir
}

// board returns the results of a review, one line for each finding and quest.
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

// reviewed plays a review of the folder to its end, with the given number of kills during it.
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
		ledger.AskAgain(tab, l)
		paused := false
		tab.Look(func() { paused = tab.World.ProcessState.Status == world.StatusPaused })
		if paused { // after three starts without a turn
			tab.Do(fmt.Sprintf("resume-%d", n), &wire.PlayerCommand{Text: "/resume"})
		}
	}
	if !tab.Within(Patience, ended) {
		_, w := tab.Position()
		t.Fatalf("the review does not end: %+v", w.ProcessState)
	}
	ledger.Check()
	_, w := tab.Position()
	return home, l, tab, board(w)
}

// A review that is killed repeatedly, at any moment, finds the same as an undisturbed one, and nothing twice. Its
// report can be exported from the server and, after the stop, from the folder.
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
	for _, want := range []string{"## Coverage", "## Executive Summary", "## Findings"} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if picture := get(t, "http://"+l.Addr+"/api/realms/"+w.Realm.ID+"/export?format=svg"); !strings.HasPrefix(picture, "<svg ") || strings.Contains(markdown, "<svg") || strings.Contains(markdown, "## Map") {
		t.Errorf("the map is not a file of its own: %.60q", picture)
	}
	withMap(t, home, "beside the server")
	var held struct{ Findings, Suspected, Withdrawn []world.Finding }
	if err := json.Unmarshal([]byte(get(t, "http://"+l.Addr+"/api/realms/"+w.Realm.ID+"/export?format=json")), &held); err != nil || len(held.Findings)+len(held.Suspected)+len(held.Withdrawn) != len(w.Findings) {
		t.Errorf("JSON holds %d, %d and %d findings, the world %d: %v", len(held.Findings), len(held.Suspected), len(held.Withdrawn), len(w.Findings), err)
	}
	code, served, stderr := home.Run("export", "-worlds", home.Worlds, "-format", "sarif")
	if code != 0 || !strings.Contains(served, `"2.1.0"`) {
		t.Errorf("export beside the server: %d %s", code, stderr)
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
	withMap(t, home, "of a stopped folder")
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

// withMap exports a report into a file, and expects the picture to which it refers beside it.
func withMap(t *testing.T, home *Home, what string) {
	t.Helper()
	dir := t.TempDir()
	if code, _, stderr := home.Run("export", "-worlds", home.Worlds, "-o", filepath.Join(dir, "my report.md")); code != 0 {
		t.Errorf("export %s: %d %s", what, code, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "my report.md"))
	if err != nil || !strings.Contains(string(text), "](my%20report-map.svg)") {
		t.Errorf("export %s: the report does not refer to the map: %v", what, err)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "my report-map.svg"))
	if err != nil || !strings.HasPrefix(string(svg), "<svg ") {
		t.Errorf("export %s: there is no map beside the report: %.60q, %v", what, svg, err)
	}
	for line := range strings.Lines(string(text)) {
		if len(line) > 4_000 {
			t.Errorf("export %s: the report has a line of %d bytes: %.60q", what, len(line), line)
		}
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

// The second review of a repository builds on the first: it says what has changed, withdraws findings that are fixed,
// and keeps the others.
func TestSecondReviewAfterOneChange(t *testing.T) {
	t.Parallel()
	dir := flawed(t)
	git(t, dir, nil, "init", "-q")
	git(t, dir, nil, "add", ".")
	git(t, dir, nil, "commit", "-qm", "first")
	_, _, tab, first := reviewed(t, dir, 0, nil)
	file(t, filepath.Join(dir, "notes.txt"), "one\n") // the conflict markers are gone
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

// A repository changes during its review: files are edited, deleted, renamed and added between the stages and while the
// heroes speak. The review ends. No valid finding points at a deleted file, findings in such files are withdrawn with a
// reason, and findings in unchanged files stay valid. The second review has the same result as a first review at that
// time.
func TestReviewUnderChange(t *testing.T) {
	t.Parallel()
	dir := flawed(t)
	conflict := "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n"
	for _, name := range []string{"gone.txt", "moved.txt", "mended.txt", "lower.txt", "late.py", "whole/gone.txt", "kept.txt"} {
		file(t, filepath.Join(dir, name), name+"\n"+conflict)
	}
	git(t, dir, nil, "init", "-q")
	file(t, filepath.Join(dir, "undone.txt"), "one\n")
	git(t, dir, nil, "add", ".")
	git(t, dir, nil, "commit", "-qm", "first")
	file(t, filepath.Join(dir, "undone.txt"), conflict) // the working file differs from the commit
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	home := NewHome(t, server, "-pace", "instant")
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	tab.Do("link", &wire.LinkRepo{Path: dir})
	tab.Until("a realm", func() bool { return tab.Live() && tab.World != nil })
	tab.Do("mode", &wire.PlayerCommand{Text: "/mode supervised"})
	tab.Do("start", &wire.StartProcess{Problem: "Review it.", TemplateID: "code_review"})
	next := map[string]func(){ // changes before a stage begins, after the heroes of the earlier stage have looked
		"deep_analysis": func() {
			must(os.Remove(at("gone.txt")))
			must(os.Rename(at("moved.txt"), at("renamed.txt")))
			file(t, at("mended.txt"), "one\n")
			file(t, at("main.go"), "package main\n\nimport \"example.org/flawed/a\"\n\nfunc main() { a.Do() }\n")
			file(t, at("added.txt"), conflict)
			git(t, dir, nil, "add", "added.txt", "mended.txt") // some changes are committed during the review
			git(t, dir, nil, "commit", "-qm", "under the review")
		},
		"cross_reference": func() { file(t, at("lower.txt"), "new\nlines\n\n\n"+conflict) },
		"oracle_review": func() {
			must(os.RemoveAll(at("whole")))
			must(os.Remove(at("src/Old.go.orig")))
		},
		"presentation": func() { must(os.Remove(at("late.py"))) },
	}
	var stages []string
	for n := 0; ; n++ {
		var p world.ProcessState
		waits := func() bool {
			p = tab.World.ProcessState
			return p.Status == world.StatusCompleted || p.Waiting != nil && p.Waiting.Code == world.WaitApproval
		}
		if n > 0 && stages[n-1] == "deep_analysis" {
			tab.Until("a first finding", func() bool { return len(tab.World.Findings) > 0 })
			for k := range 40 { // while the heroes speak, a file is made or removed with each frame
				seen := 0
				tab.Look(func() { seen = tab.Frames })
				file(t, at("passing.txt"), strings.Repeat("x\n", k)+conflict)
				over := false
				tab.Until("another frame, or the end of the stage", func() bool {
					over = waits()
					return over || tab.Frames > seen
				})
				must(os.Remove(at("passing.txt")))
				if over {
					break
				}
			}
		}
		tab.Until("the next stage", waits)
		if p.Status == world.StatusCompleted {
			break
		}
		stage := p.Template.Stages[p.CurrentStageIndex].ID
		if do := next[stage]; do != nil {
			do()
			delete(next, stage)
		}
		stages = append(stages, stage)
		since := p.Waiting.Since
		tab.Do(fmt.Sprint("on-", n), &wire.PlayerCommand{Text: "/resume"})
		tab.Until("it goes on", func() bool {
			w := tab.World.ProcessState.Waiting
			return w == nil || w.Since != since || tab.World.ProcessState.Status == world.StatusCompleted
		})
	}
	if len(next) > 0 {
		t.Fatalf("it stopped before %q alone", stages)
	}
	_, w := tab.Position()
	why := map[string]string{}
	for _, f := range w.Findings {
		if f.Check == "cartographer/conflict-marker" {
			why[f.Path] = f.Withdrawn
		}
		if f.Withdrawn != "" || f.Path == "" || f.Path == "late.py" {
			continue // late.py was removed after the Oracle had looked
		}
		if _, err := os.Stat(at(f.Path)); err != nil {
			t.Errorf("%s stands and points nowhere: %v", f.ID, err)
		}
	}
	for name, want := range map[string]string{
		"gone.txt": "its file is not there any more", "moved.txt": "its file is not there any more", "whole/gone.txt": "its file is not there any more",
		"mended.txt": "it does not stand there any more", "lower.txt": "", "kept.txt": "", "late.py": "",
	} {
		if got, found := why[name]; got != want || !found {
			t.Errorf("%s: withdrawn %q, want %q", name, got, want)
		}
	}
	for _, q := range w.Quests {
		if _, err := os.Stat(at(q.Path)); err != nil && q.Path != "late.py" && q.Status != world.QuestDone {
			t.Errorf("quest %s is %s and points nowhere: %v", q.ID, q.Status, err)
		}
	}

	file(t, at("undone.txt"), "one\n") // as it is in the commit
	tab.Do("free", &wire.PlayerCommand{Text: "/mode autonomous"})
	tab.Do("again", &wire.StartProcess{Problem: "Review it again.", TemplateID: "code_review"})
	tab.Until("the second review's end", func() bool {
		return tab.World.ProcessState.Status == world.StatusCompleted && tab.World.ProcessState.ProblemStatement == "Review it again."
	})
	ledger.Check()
	_, w = tab.Position()
	_, _, fresh, _ := reviewed(t, dir, 0, nil)
	_, first := fresh.Position()
	if got, want := standing(w), standing(first); !slices.Equal(got, want) {
		t.Errorf("the second review has\n%s\none that looks for the first time\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	settled := 0
	for _, q := range w.Quests {
		if q.Path != "late.py" {
			continue
		}
		settled++
		if q.Status != world.QuestDone || !strings.Contains(q.Note, "no longer finds it") {
			t.Errorf("the quest of a finding that is gone: %+v", q)
		}
	}
	if settled == 0 {
		t.Error("late.py was no quest, so this does not say what becomes of one")
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d: %s", code, l.Log())
	}
}

// standing returns the findings that a review has not withdrawn, and their open quests.
func standing(w *world.World) []string {
	var out []string
	for _, f := range w.Findings {
		if f.Withdrawn == "" {
			out = append(out, fmt.Sprintf("%s %s %s %s:%d", f.ID, f.Severity, f.Check, f.Path, f.Line))
		}
	}
	for _, q := range w.Quests {
		if q.Status == world.QuestOpen {
			out = append(out, fmt.Sprintf("%s %s %s:%d", q.ID, q.Title, q.Path, q.Line))
		}
	}
	slices.Sort(out)
	return out
}

func countFindings(lines []string) (n int) {
	for _, l := range lines {
		if strings.HasPrefix(l, "s-") {
			n++
		}
	}
	return n
}

// A review of any folder ends, finds what there is to find, and uses a bounded amount of memory: without git, with five
// or 50,000 commits, and with broken, huge, binary or hostile files.
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
			if !strings.Contains(strings.Join(found, "\n"), "sentinel/command-injection") {
				t.Errorf("it does not find what is there: %q", found)
			}
			if n := l.Memory(); n > 1<<30 && !raceOn { // with the race detector the server uses five to ten times as much memory
				t.Errorf("the server holds %d MB", n>>20)
			}
		})
	}
}
