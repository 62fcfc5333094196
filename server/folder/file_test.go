package folder

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/shared/wire"
)

func codeOf(err error) wire.Code {
	var e *wire.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// A file is opened as it is on disk and as HEAD has it, and nothing else is: no link, also none on the way, nothing
// outside, nothing that git ignores, no pipe, nothing too large. P19.1.
func TestOpenFile(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	write(t, dir, map[string]string{
		"src/a.go": "one\ntwo\n", "same.txt": "same\n", "gone.txt": "gone\n", ".gitignore": "secret\nhidden/\n",
		"full.bin": strings.Repeat("x", MaxFile),
	})
	commit(t, dir, ann, day("01"))
	outside := t.TempDir()
	write(t, outside, map[string]string{"passwd": "root\n"})
	write(t, dir, map[string]string{
		"src/a.go": "one\n2\n", "new.txt": "new\n", "secret": "k\n", "hidden/x": "x\n", "large.bin": strings.Repeat("x", MaxFile+1),
	})
	must(t, os.Remove(filepath.Join(dir, "gone.txt")))
	must(t, os.Symlink(filepath.Join(outside, "passwd"), filepath.Join(dir, "out")))
	must(t, os.Symlink("same.txt", filepath.Join(dir, "in")))
	must(t, os.Symlink(outside, filepath.Join(dir, "way")))
	must(t, os.Symlink("hidden", filepath.Join(dir, "around")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))

	for _, c := range []struct {
		name, disk, head string
		in               bool
	}{
		{"src/a.go", "one\n2\n", "one\ntwo\n", true}, {"same.txt", "same\n", "same\n", true}, {"new.txt", "new\n", "", false},
		{"full.bin", strings.Repeat("x", MaxFile), strings.Repeat("x", MaxFile), true},
	} {
		v, err := OpenFile(t.Context(), dir, c.name, true)
		if err != nil || string(v.Disk) != c.disk || string(v.Head) != c.head || v.InHead != c.in || v.HeadErr != nil ||
			v.Commit != head(t, dir) {
			t.Errorf("%s: %+v %v", c.name, v, err)
		}
	}
	for name, want := range map[string]wire.Code{
		"secret": wire.NotFound, "hidden/x": wire.NotFound, "around/x": wire.NotFound, ".git/HEAD": wire.NotFound, "../" + filepath.Base(outside) + "/passwd": wire.NotFound,
		"src/../same.txt": wire.NotFound, "/etc/passwd": wire.NotFound, "": wire.NotFound, ".": wire.NotFound, "none": wire.NotFound, "gone.txt": wire.NotFound,
		"out": wire.Conflict, "in": wire.Conflict, "way/passwd": wire.Conflict, "pipe": wire.Conflict, "src": wire.Conflict,
		"large.bin": wire.TooLarge,
	} {
		for _, git := range []bool{true, false} {
			if !git && name == "around/x" {
				want = wire.Conflict
			}
			if !git && (name == "secret" || name == "hidden/x" || name == ".git/HEAD") {
				continue // here the map decides
			}
			if v, err := OpenFile(t.Context(), dir, name, git); codeOf(err) != want || v != nil {
				t.Errorf("P19.1: %q, git %v: %.60v %v, want %s", name, git, v, err, want)
			}
		}
	}
	if _, err := OpenFile(t.Context(), filepath.Join(dir, "nowhere"), "a", false); codeOf(err) != wire.NotFound {
		t.Errorf("a folder that is away: %v", err)
	}
}

// If HEAD's version of a file cannot be shown, OpenFile returns the file on disk all the same.
func TestOpenFileWithoutItsHead(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	write(t, dir, map[string]string{"big": strings.Repeat("x", MaxFile+1), "sub/a": "a\n", "broken": "b\n"})
	must(t, os.Symlink("sub", filepath.Join(dir, "was")))
	if v, err := OpenFile(t.Context(), dir, "sub/a", true); err != nil || v.InHead || v.Commit != "" || v.HeadErr != nil {
		t.Errorf("before the first commit: %+v %v", v, err)
	}
	commit(t, dir, ann, day("01"))
	must(t, os.Remove(filepath.Join(dir, "was")))
	write(t, dir, map[string]string{"big": "small\n", "was": "file\n"})
	for name, want := range map[string]wire.Code{"big": wire.TooLarge, "was": wire.Conflict} {
		if v, err := OpenFile(t.Context(), dir, name, true); err != nil || len(v.Disk) == 0 || v.InHead || codeOf(v.HeadErr) != want {
			t.Errorf("%s: %+v %v", name, v, err)
		}
	}
	if v, err := OpenFile(t.Context(), filepath.Join(dir, "sub"), "a", true); err != nil || !v.InHead || !bytes.Equal(v.Disk, v.Head) {
		t.Errorf("a folder below the repository's top: %+v %v", v, err)
	}
	blob := strings.TrimSpace(string(git(t, dir, "rev-parse", "HEAD:broken")))
	object := filepath.Join(dir, ".git", "objects", blob[:2], blob[2:])
	must(t, os.Chmod(object, 0o600))
	must(t, os.WriteFile(object, bytes.Repeat([]byte{0xff}, 40), 0o600))
	if v, err := OpenFile(t.Context(), dir, "broken", true); err != nil || string(v.Disk) != "b\n" || codeOf(v.HeadErr) != wire.Conflict {
		t.Errorf("damaged data of git: %+v %v", v, err)
	}
}

// The past of a file has the commits that git log names, and the authors that git blame names. P19.4.
func TestFilePast(t *testing.T) {
	dir := branches(t)
	past, err := FilePast(t.Context(), dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(git(t, dir, "log", "--no-merges", "--format=%H", "--", "a")))
	var got []string
	for _, c := range past.Commits {
		got = append(got, c.Commit)
		if c.By != "Ann" || c.Subject == "" || c.At == 0 {
			t.Errorf("P19.4: %+v", c)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") || past.More {
		t.Errorf("P19.4: %v, more %v, want %v", got, past.More, want)
	}
	if len(past.Runs) != 1 || past.Runs[0].By != "Ann" || past.Runs[0].From != 1 || past.Runs[0].To != 1 || past.Open != 0 {
		t.Errorf("P19.4: %+v", past)
	}
	write(t, dir, map[string]string{"a": "6\nmine\n"})
	if past, err = FilePast(t.Context(), dir, "a"); err != nil || past.Open != 1 && past.Open != 2 {
		t.Errorf("P19.4: a line that is not committed has an author: %+v %v", past, err)
	}
	if past, err = FilePast(t.Context(), dir, "none"); err != nil || len(past.Commits) != 0 || len(past.Runs) != 0 {
		t.Errorf("%+v %v", past, err)
	}
}

// What reviews read is what is accepted: nothing of a file that git ignores, and an error instead of a half of a file.
// P19.9.
func TestAcceptedIsTheFile(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	file := filepath.Join(dir, ".agentdungeon-review")
	if data, err := Accepted(t.Context(), dir); data != nil || err != nil {
		t.Errorf("P19.9: without a file: %q %v", data, err)
	}
	must(t, os.WriteFile(file, []byte("a b: -- c\n"), 0o600))
	if data, err := Accepted(t.Context(), dir); string(data) != "a b: -- c\n" || err != nil {
		t.Errorf("P19.9: %q %v", data, err)
	}
	write(t, dir, map[string]string{".gitignore": ".agentdungeon-review\n"})
	if data, err := Accepted(t.Context(), dir); data != nil || err != nil {
		t.Errorf("P19.9: of a file that git ignores: %q %v", data, err)
	}
	must(t, os.Remove(filepath.Join(dir, ".gitignore")))
	must(t, os.WriteFile(file, []byte("a\x00"), 0o600))
	if data, err := Accepted(t.Context(), dir); data != nil || codeOf(err) != wire.Conflict {
		t.Errorf("P19.9: of no text: %q %v", data, err)
	}
}

// One line is added to one file, whole or not at all, and no other file is touched. P19.7.
func TestAcceptWritesOneLine(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	file := filepath.Join(dir, ".agentdungeon-review")
	accept := func(line, want string, written bool) {
		t.Helper()
		got, err := Accept(t.Context(), dir, line)
		now, _ := os.ReadFile(file)
		if err != nil || got != written || string(now) != want {
			t.Errorf("P19.7: written %v, %v: %q, want %q", got, err, now, want)
		}
	}
	accept("a b: -- c", "a b: -- c\n", true)
	accept("a b: -- c", "a b: -- c\n", false)
	must(t, os.WriteFile(file, []byte("# ours\r\nx y: -- z"), 0o640))
	must(t, os.Chmod(file, 0o640))
	accept("a b: -- c", "# ours\r\nx y: -- z\r\na b: -- c\r\n", true)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("P19.7: the mode has changed: %v %v", info.Mode(), err)
	}
	refused := func(why string) {
		t.Helper()
		if written, err := Accept(t.Context(), dir, "d e: -- f"); written || codeOf(err) != wire.Conflict {
			t.Errorf("P19.7: %s: %v %v", why, written, err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.WriteFile(outside, []byte("mine\n"), 0o600))
	must(t, os.Remove(file))
	must(t, os.Symlink(outside, file))
	refused("a link")
	if data, _ := os.ReadFile(outside); string(data) != "mine\n" {
		t.Errorf("P19.7: a file outside was written: %q", data)
	}
	must(t, os.Remove(file))
	must(t, os.WriteFile(file, []byte("a\x00"), 0o600))
	refused("no text")
	must(t, os.WriteFile(file, bytes.Repeat([]byte("#\n"), maxAccepted), 0o600))
	refused("too large")
	must(t, os.Remove(file))
	must(t, os.Mkdir(file, 0o700))
	refused("a folder")
	must(t, os.Remove(file))
	write(t, dir, map[string]string{".gitignore": ".agentdungeon-review\n"})
	refused("a file that git ignores")
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 { // .git and .gitignore
		t.Errorf("P19.7: files are left: %v %v", left, err)
	}
}
