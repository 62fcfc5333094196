package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/inspect"
)

// imported makes a repository with n commits. Each commit writes its number into n.txt and adds a line to log.txt.
func imported(t *testing.T, n int) string {
	t.Helper()
	dir := newRepo(t)
	var in, log strings.Builder
	blob := func(path, text string) { fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text) }
	for i := range n {
		fmt.Fprintf(&in, "commit refs/heads/main\nauthor A%d <a%d@example.org> %d +0000\ncommitter c <c@example.org> %d +0000\ndata 1\nm\n", i%3, i%3, 1e9+i*60, 1e9+i*60)
		fmt.Fprintf(&log, "line %d\n", i)
		blob("n.txt", fmt.Sprint(i))
		if n <= 500 {
			blob("log.txt", log.String())
		}
	}
	c := exec.Command("git", "fast-import", "--quiet")
	c.Dir, c.Stdin = dir, strings.NewReader(in.String())
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	git(t, dir, "symbolic-ref", "HEAD", "refs/heads/main")
	git(t, dir, "reset", "-q", "--hard")
	return dir
}

func TestChroniclePast(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	a, b := filepath.Join(dir, "sub", "a.txt"), filepath.Join(dir, "b.txt")
	put(t, a, "a\n")
	put(t, b, "b\n")
	put(t, filepath.Join(dir, "empty"), "")
	commit(t, dir, ann, day("01"))
	put(t, a, "a2\n")
	commit(t, dir, bob, day("02"))
	put(t, a, "a3\n")
	commit(t, dir, "Ann's other name <ANN@example.org>", day("03"))
	git(t, dir, "mv", "sub/a.txt", "sub/moved.txt")
	git(t, dir, "mv", "empty", "sub/empty")
	commit(t, dir, bob, day("04"))
	put(t, a, "another file of that name\n")
	commit(t, dir, bob, day("05"))
	git(t, dir, "checkout", "-qb", "side", "HEAD~2")
	put(t, filepath.Join(dir, "side.txt"), "s\n")
	put(t, a, "a4\n") // on this branch a.txt was not moved
	commit(t, dir, ann, day("06"))
	git(t, dir, "checkout", "-q", "main")
	put(t, b, "b2\n")
	commit(t, dir, bob, day("07"))
	git(t, dir, "merge", "-q", "--no-commit", "-s", "ours", "--no-ff", "side")
	git(t, dir, "checkout", "-q", "side", "side.txt")
	put(t, filepath.Join(dir, "merged.txt"), "came with the merge\n")
	commit(t, dir, ann, day("08"))
	put(t, filepath.Join(dir, "new.txt"), "not committed\n")

	past := func(commits int, born, first, last string, authors int) inspect.Past {
		begin, err := time.Parse(time.RFC3339, day(born))
		must(t, err)
		from, err := time.Parse(time.RFC3339, day(first))
		must(t, err)
		to, err := time.Parse(time.RFC3339, day(last))
		must(t, err)
		return inspect.Past{Commits: commits, Born: begin, First: from, Last: to, Authors: authors}
	}
	for path, want := range map[string]inspect.Past{
		"sub/moved.txt": past(1, "01", "04", "04", 1),
		"sub/a.txt":     past(6, "05", "01", "06", 2), // the file's history under its former name counts, as in git log
		"b.txt":         past(2, "01", "01", "07", 2),
		"side.txt":      past(1, "06", "06", "06", 1),
		"merged.txt":    past(1, "08", "08", "08", 1),
		"sub/empty":     past(1, "04", "04", "04", 1),
	} {
		for _, link := range []string{"", "sub"} {
			h := look(t, filepath.Join(dir, link)).History
			name, inside := strings.CutPrefix(path, link+"/")
			if link != "" && !inside {
				continue
			}
			if link == "" {
				name = path
			}
			got, ok := h.Past(name)
			same := got.Commits == want.Commits && got.Authors == want.Authors && got.Born.Equal(want.Born) && got.First.Equal(want.First) && got.Last.Equal(want.Last)
			if told := strings.Fields(string(git(t, dir, "log", "--full-history", "--no-merges", "--format=%H", "--", path))); path != "merged.txt" && got.Commits != len(told) {
				t.Errorf("%s in %q: %d commits, git log has %d", path, link, got.Commits, len(told))
			}
			if !ok || !same {
				t.Errorf("%s in %q: %+v, %v; not %+v", path, link, got, ok, want)
			}
			if n, whole := h.Commits(); n != 8 || !whole {
				t.Errorf("%d commits, whole: %v", n, whole)
			}
		}
	}
	h := look(t, dir).History
	for _, path := range []string{"new.txt", "", "sub", "nowhere", "../b.txt"} {
		if p, ok := h.Past(path); ok {
			t.Errorf("%q has a past: %+v", path, p)
		}
	}
}

// In a bubble time does not pass while git's data is read: how much is read does not depend on the machine.
func TestChronicleOfManyCommits(t *testing.T) {
	needGit(t)
	alone(t)
	some, tooMany := imported(t, 300), imported(t, maxCommits+20)
	synctest.Test(t, func(t *testing.T) {
		h := look(t, some).History
		if n, whole := h.Commits(); n != 300 || !whole {
			t.Errorf("%d commits, whole: %v", n, whole)
		}
		if p, ok := h.Past("log.txt"); !ok || p.Commits != 300 || p.Authors != 3 || p.Last.Sub(p.First) != 299*time.Minute {
			t.Errorf("%+v, %v", p, ok)
		}
		for _, line := range []int{1, 2, 150, 300} {
			got, err := h.Blame(context.Background(), "log.txt", line)
			if want := fmt.Sprintf("A%d", (line-1)%3); err != nil || got.Name != want || got.At.Unix() != int64(1e9+(line-1)*60) {
				t.Errorf("line %d: %+v, %v; not %s", line, got, err, want)
			}
		}
		h = look(t, tooMany).History
		if n, whole := h.Commits(); n != maxCommits || whole {
			t.Errorf("of more than may be read: %d commits, whole: %v", n, whole)
		}
		if p, _ := h.Past("n.txt"); p.Commits != maxCommits {
			t.Errorf("%+v", p)
		}
	})
}

func TestChronicleBlame(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	at := func(path string) string { return filepath.Join(dir, path) }
	body := "one\ntwo\nthree\nfour\nfive\nsix\n"
	write(t, dir, map[string]string{"sub/a.txt": body, "crlf.txt": "x\r\ny\r\n", "link": "-> sub/a.txt", "end.txt": "no end", "aux.go": "package a\n"})
	commit(t, dir, ann, day("01"))
	put(t, at("sub/a.txt"), strings.Replace(body, "three", "THREE", 1))
	put(t, at("end.txt"), "no end\nbut more")
	commit(t, dir, bob, day("02"))
	git(t, dir, "mv", "sub/a.txt", "sub/moved.txt")
	put(t, at("sub/moved.txt"), "top\n"+strings.Replace(body, "three", "THREE", 1))
	commit(t, dir, "carol@example.org <carol@example.org>", day("03"))
	put(t, at("sub/moved.txt"), "not yet\ntop\n"+strings.Replace(strings.Replace(body, "three", "THREE", 1), "five\n", "FIVE\n", 1))
	put(t, at("crlf.txt"), "x\ny\nz\n")
	write(t, dir, map[string]string{
		"new.txt": "new\n", "long.txt": strings.Repeat("\n", maxBlameLines+1), "large.txt": strings.Repeat("x", inspect.MaxText+1), "empty.txt": "",
	})
	must(t, os.Mkdir(at("inner"), 0o755))
	git(t, at("inner"), "init", "-q")
	for _, c := range []struct {
		path  string
		line  int
		name  string
		day   string
		error string
	}{
		{path: "sub/moved.txt", line: 1, error: "blame sub/moved.txt: line 1 is not committed yet"},
		{path: "sub/moved.txt", line: 2, name: "carol", day: "03"},
		{path: "sub/moved.txt", line: 3, name: "Ann", day: "01"},
		{path: "sub/moved.txt", line: 5, name: "Bob", day: "02"},
		{path: "sub/moved.txt", line: 6, name: "Ann", day: "01"},
		{path: "sub/moved.txt", line: 7, error: "not committed yet"},
		{path: "sub/moved.txt", line: 8, name: "Ann", day: "01"},
		{path: "sub/moved.txt", line: 9, error: "the file has 8 lines and no line 9"},
		{path: "sub/moved.txt", line: 0, error: "no line 0"},
		{path: "sub/moved.txt", line: -1, error: "no line -1"},
		{path: "end.txt", line: 1, name: "Bob", day: "02"}, // its end of line is new, as git sees it
		{path: "end.txt", line: 2, name: "Bob", day: "02"},
		{path: "aux.go", line: 1, name: "Ann", day: "01"},
		{path: "new.txt", line: 1, error: "not committed yet"},
		{path: "empty.txt", line: 1, error: "the file has 0 lines"},
		{path: "sub/a.txt", line: 1, error: "no such file"},
		{path: "link", line: 1, error: "it is a link"},
		{path: "sub", line: 1, error: "it is a repository of its own"},
		{path: "inner", line: 1, error: "it is a repository of its own"},
		{path: "long.txt", line: 1, error: "the file has more than 20000 lines"},
		{path: "large.txt", line: 1, error: "it is too long"},
		{path: "../x", line: 1, error: "invalid argument"},
		{path: "", line: 1, error: "invalid argument"},
	} {
		for _, link := range []string{"", "sub"} {
			path, inside := c.path, true
			if link != "" {
				path, inside = strings.CutPrefix(path, link+"/")
			}
			if !inside {
				continue
			}
			got, err := look(t, filepath.Join(dir, link)).History.Blame(context.Background(), path, c.line)
			if c.error != "" {
				if err == nil || link == "" && !strings.Contains(err.Error(), c.error) {
					t.Errorf("%s, line %d: %+v, %v; not %q", c.path, c.line, got, err, c.error)
				}
				continue
			}
			if err != nil || got.Name != c.name || got.At.UTC().Format(time.RFC3339) != day(c.day) {
				t.Errorf("%s, line %d: %+v, %v; not %s on %s", c.path, c.line, got, err, c.name, c.day)
			}
		}
	}
	// The cached authors of a file are dropped when the file changes.
	h := look(t, dir).History
	if _, err := h.Blame(context.Background(), "end.txt", 1); err != nil {
		t.Error(err)
	}
	put(t, at("end.txt"), "now otherwise\nbut more")
	if a, err := h.Blame(context.Background(), "end.txt", 1); err == nil {
		t.Errorf("the old line is told: %+v", a)
	}
}

// The author of a line is the author of the commit that added it, on whatever branch and whatever happened
// to the lines around it. All lines of the file are different.
func TestChronicleBlamesWhoWroteIt(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	r := rand.New(rand.NewPCG(1, 2))
	wrote := map[string]string{}
	path, next := filepath.Join(dir, "f0.txt"), 0
	var lines []string
	edit := func(lo, hi int, author string) { // between two lines
		for range 1 + r.IntN(3) {
			i := lo + r.IntN(hi-lo+1)
			if hi-lo > 3 && r.IntN(3) == 0 {
				lines = slices.Delete(lines, min(i, hi-1), min(i, hi-1)+1)
				hi--
				continue
			}
			text := fmt.Sprintf("line %d\n", next)
			next++
			wrote[text] = author
			lines = slices.Insert(lines, i, text)
			hi++
		}
		put(t, path, strings.Join(lines, ""))
	}
	for i := range 40 {
		wrote[fmt.Sprintf("first %d\n", i)] = "Ann"
		lines = append(lines, fmt.Sprintf("first %d\n", i))
	}
	put(t, path, strings.Join(lines, ""))
	commit(t, dir, ann, day("01"))
	for i := range 12 {
		switch i % 4 {
		case 3: // two branches: one changes the beginning, one the end
			git(t, dir, "checkout", "-qb", fmt.Sprint("side", i))
			was := slices.Clone(lines)
			edit(0, 5, "Side")
			ours := slices.Clone(lines[:len(lines)-len(was)+10])
			commit(t, dir, "Side <s@example.org>", day("02"))
			git(t, dir, "checkout", "-q", "main")
			lines = was
			edit(len(lines)-5, len(lines), "Main")
			commit(t, dir, "Main <m@example.org>", day("03"))
			git(t, dir, "merge", "-q", "--no-ff", "-m", "merge", fmt.Sprint("side", i))
			lines = append(ours, lines[10:]...)
			if data, err := os.ReadFile(path); err != nil || string(data) != strings.Join(lines, "") {
				t.Fatalf("the merge is not what the test thinks: %v", err)
			}
		case 2:
			moved := filepath.Join(dir, fmt.Sprintf("f%d.txt", i))
			must(t, os.Rename(path, moved))
			path = moved
			fallthrough
		default:
			who := fmt.Sprint("P", r.IntN(4))
			edit(0, len(lines), who)
			commit(t, dir, who+" <p@example.org>", day("02"))
		}
	}
	h := look(t, dir).History
	for i, text := range lines {
		if got, err := h.Blame(context.Background(), filepath.Base(path), i+1); err != nil || got.Name != wrote[text] {
			t.Errorf("line %d, %q: %+v, %v; not %s", i+1, text, got, err, wrote[text])
		}
	}
}

func TestChronicleTag(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	tag := func() (string, time.Time, func(string) ([]byte, bool)) {
		t.Helper()
		name, at, read, err := look(t, dir).History.Tag(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return name, at, read
	}
	write(t, dir, map[string]string{"sub/api.go": "one", "large": strings.Repeat("x", inspect.MaxText+1), "full": strings.Repeat("x", inspect.MaxText)})
	commit(t, dir, ann, day("01"))
	if name, _, read := tag(); name != "" {
		t.Errorf("a tag %q without one", name)
	} else if _, ok := read("sub/api.go"); ok {
		t.Error("a file of no tag was read")
	}
	git(t, dir, "tag", "latest")
	git(t, dir, "tag", "v1")
	git(t, dir, "tag", "v1.2")
	git(t, dir, "tag", "v1.2.3.4")
	git(t, dir, "tag", "release/v9.9.9")
	git(t, dir, "tag", "v3.0.0-rc.1")
	git(t, dir, "tag", "v1.2.3", "HEAD:sub/api.go") // of a file
	if name, _, _ := tag(); name != "" {
		t.Errorf("%q is no version", name)
	}
	git(t, dir, "tag", "-a", "-m", "annotated", "v1.9.0")
	git(t, dir, "tag", "1.10.0")
	git(t, dir, "tag", "v0.9.0")
	git(t, dir, "checkout", "-qb", "side")
	write(t, dir, map[string]string{"sub/api.go": "side"})
	commit(t, dir, ann, day("02"))
	git(t, dir, "tag", "v2.0.0") // not in main's history
	git(t, dir, "checkout", "-q", "main")
	write(t, dir, map[string]string{"sub/api.go": "two", "sub/later": "x"})
	commit(t, dir, bob, day("03"))
	name, at, read := tag()
	if name != "1.10.0" || at.UTC().Format(time.RFC3339) != day("01") {
		t.Errorf("%s at %s", name, at)
	}
	if data, ok := read("sub/api.go"); !ok || string(data) != "one" {
		t.Errorf("the file was %q, %v", data, ok)
	}
	if data, ok := read("full"); !ok || len(data) != inspect.MaxText {
		t.Errorf("a file of the largest size has %d bytes, %v", len(data), ok)
	}
	for _, path := range []string{"sub/later", "sub", "large", "", "/sub/api.go", "sub//api.go", "../x"} {
		if data, ok := read(path); ok {
			t.Errorf("%q was %q", path, data)
		}
	}
	git(t, dir, "tag", "-a", "-m", "annotated", "v1.9.1")
	git(t, dir, "tag", "-a", "-m", "of a tag", "v1.9.2", "v1.9.1")
	if name, at, _ := tag(); name != "v1.9.2" || at.UTC().Format(time.RFC3339) != day("03") {
		t.Errorf("the newest is %s at %s", name, at)
	}
	git(t, dir, "pack-refs", "--all")
	_, _, read, err := look(t, filepath.Join(dir, "sub")).History.Tag(context.Background())
	if data, ok := read("api.go"); err != nil || !ok || string(data) != "two" {
		t.Errorf("in a folder within: %q, %v, %v", data, ok, err)
	}
}

func TestChronicleOfOddRepositories(t *testing.T) {
	needGit(t)
	full := func(t *testing.T) string {
		dir := newRepo(t)
		for i, who := range []string{ann, bob, ann, bob} {
			put(t, filepath.Join(dir, "a.txt"), strings.Repeat("line\n", i)+"end\n"+fmt.Sprint(i, "\n"))
			commit(t, dir, who, day(fmt.Sprintf("%02d", i+1)))
		}
		git(t, dir, "tag", "v1.0.0", "HEAD~3")
		return dir
	}
	type want struct {
		head, whole, past, blame, tag, since bool
		commits                              int
	}
	all := want{head: true, whole: true, past: true, blame: true, tag: true, since: true, commits: 4}
	for _, c := range []struct {
		name string
		make func(t *testing.T) string
		want want
	}{
		{"whole", full, all},
		{"packed", func(t *testing.T) string {
			dir := full(t)
			git(t, dir, "gc", "-q")
			return dir
		}, all},
		{"empty", newRepo, want{whole: true}},
		{"detached", func(t *testing.T) string {
			dir := full(t)
			git(t, dir, "checkout", "-q", "HEAD~1")
			return dir
		}, want{head: true, whole: true, past: true, blame: true, tag: true, since: true, commits: 3}},
		{"worktree", func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "tree")
			git(t, full(t), "worktree", "add", "-qb", "side", dir)
			return dir
		}, all},
		{"shallow", func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "clone")
			git(t, "/", "clone", "-q", "--depth", "2", "file://"+full(t), dir)
			return dir
		}, want{head: true, past: true, blame: true, since: true, commits: 2}},
		{"objects that lie elsewhere", func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "clone")
			git(t, "/", "clone", "-q", "-s", full(t), dir)
			return dir
		}, want{head: true}}, // a linked repository does not lead out of itself
		{"other hashes", func(t *testing.T) string {
			dir := t.TempDir()
			git(t, dir, "init", "-q", "--object-format=sha256")
			put(t, filepath.Join(dir, "a.txt"), "a\n")
			commit(t, dir, ann, day("01"))
			return dir
		}, want{}},
		{"no objects", func(t *testing.T) string {
			dir := full(t)
			must(t, errors.Join(os.RemoveAll(filepath.Join(dir, ".git/objects")), os.Mkdir(filepath.Join(dir, ".git/objects"), 0o755)))
			return dir
		}, want{head: true}},
		{"damaged objects", func(t *testing.T) string {
			dir := full(t)
			damage(t, dir, ".git/objects/[0-9a-f][0-9a-f]/*")
			return dir
		}, want{head: true}},
		{"a damaged pack", func(t *testing.T) string {
			dir := full(t)
			git(t, dir, "gc", "-q")
			damage(t, dir, ".git/objects/pack/*.pack")
			return dir
		}, want{head: true}},
		{"a damaged pack index", func(t *testing.T) string {
			dir := full(t)
			git(t, dir, "gc", "-q")
			damage(t, dir, ".git/objects/pack/*.idx")
			return dir
		}, want{head: true}},
		{"HEAD leads nowhere", func(t *testing.T) string {
			dir := full(t)
			put(t, filepath.Join(dir, ".git/HEAD"), strings.Repeat("1", 40)+"\n")
			return dir
		}, want{head: true}},
		{"HEAD is a circle", func(t *testing.T) string {
			dir := full(t)
			put(t, filepath.Join(dir, ".git/refs/heads/main"), "ref: refs/heads/main\n")
			return dir
		}, want{}},
		{"a lost commit", func(t *testing.T) string {
			dir := full(t)
			lost := strings.TrimSpace(string(git(t, dir, "rev-parse", "HEAD~2")))
			must(t, os.Remove(filepath.Join(dir, ".git/objects", lost[:2], lost[2:])))
			return dir
		}, want{head: true, past: true, blame: true, since: true, commits: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			alone(t)
			dir := c.make(t)
			h := look(t, dir).History
			at := h.Head()
			var got want
			got.head = at != ""
			got.commits, got.whole = h.Commits()
			_, got.past = h.Past("a.txt")
			lines := bytes.Count(must1(os.ReadFile(filepath.Join(dir, "a.txt"))), []byte("\n"))
			_, err := h.Blame(context.Background(), "a.txt", lines)
			got.blame = err == nil
			name, _, _, _ := h.Tag(context.Background())
			got.tag = name != ""
			_, got.since = h.Since(context.Background(), at)
			if got != c.want {
				t.Errorf("%+v, not %+v (%v)", got, c.want, err)
			}
			if got.head && c.name != "HEAD leads nowhere" && at != head(t, dir) {
				t.Errorf("HEAD is %s", at)
			}
		})
	}
	t.Run("lines from before a shallow clone", func(t *testing.T) {
		alone(t)
		dir := filepath.Join(t.TempDir(), "clone")
		git(t, "/", "clone", "-q", "--depth", "2", "file://"+full(t), dir)
		if a, err := look(t, dir).History.Blame(context.Background(), "a.txt", 1); err == nil || !strings.Contains(err.Error(), "older than the commits") {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

// must1 drops the error of reading a file that need not exist.
func must1(data []byte, err error) []byte { return data }

// damage cuts files in half and overwrites bytes of the rest.
func damage(t *testing.T, dir, pattern string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatal("there is nothing to damage", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		must(t, err)
		data = data[:len(data)/2]
		for i := 12; i < len(data); i += 3 {
			data[i] ^= 0x5a
		}
		must(t, errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, data, 0o644)))
	}
}

func TestChronicleInManyHands(t *testing.T) {
	needGit(t)
	alone(t)
	dir := imported(t, 60)
	git(t, dir, "tag", "v1.0.0", "HEAD~5")
	h := look(t, dir).History
	was := head(t, dir)
	var work sync.WaitGroup
	for i := range 12 {
		work.Go(func() {
			ctx := context.Background()
			if a, err := h.Blame(ctx, "log.txt", i+1); err != nil || a.Name != fmt.Sprint("A", i%3) {
				t.Errorf("%+v, %v", a, err)
			}
			if p, ok := h.Past("log.txt"); !ok || p.Commits != 60 {
				t.Errorf("%+v, %v", p, ok)
			}
			if _, _, read, err := h.Tag(ctx); err != nil {
				t.Error(err)
			} else if data, ok := read("n.txt"); !ok || string(data) != "54" {
				t.Errorf("%q, %v", data, ok)
			}
			if paths, ok := h.Since(ctx, was); !ok || len(paths) != 0 || h.Head() != was {
				t.Errorf("%q, %v", paths, ok)
			}
		})
	}
	work.Wait()
}
