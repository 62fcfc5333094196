package review

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/server/folder"
	"agentdungeon/server/inspect"
)

// onDisk opens a folder in the way of the server.
type onDisk struct{ dir string }

func (d onDisk) Open(ctx context.Context, _ string) (*inspect.Repo, io.Closer, error) {
	return folder.Inspect(ctx, d.dir, folder.Options{}, now)
}

// The report names the files of the map that were not read, with the reasons: links, repositories within
// this one, and files that are too large. It names no file that was read, and none outside of the folder.
func TestReportNamesWhatWasNotRead(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there to make a repository with")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	git := func(dir string, args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=Grace", "-c", "user.email=grace@example.org"}, args...)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	for _, d := range []string{"src", "inner", "many"} {
		must(os.Mkdir(at(d), 0o755))
	}
	for name, text := range map[string]string{
		"src/a.go": "package a // bad\n", "inner/b.go": "package b // bad\n", "huge.go": "package huge\n" + strings.Repeat("// x\n", 300_000), "blob.bin": "\x00\x01",
	} {
		must(os.WriteFile(at(name), []byte(text), 0o644))
	}
	must(os.Symlink("a.go", at("src/again.go")))
	must(os.Symlink("src", at("tofolder")))
	must(os.Symlink(t.TempDir(), at("outside")))
	git(at("inner"), "init", "-q")
	git(at("inner"), "add", ".")
	git(at("inner"), "commit", "-qm", "inner")
	git(dir, "init", "-q")
	git(dir, "add", "src", "tofolder", "huge.go", "blob.bin")
	git(dir, "commit", "-qm", "first")

	b := newBoard(t, &shelf{})
	b.scouts = New(onDisk{dir}, checks(), "1")
	t.Cleanup(func() {
		if err := b.scouts.Close(); err != nil {
			t.Error(err)
		}
	})
	b.heroes(reconnaissance, 2)
	b.heroes(deepAnalysis, 3)
	b.heroes(crossReference, 1)
	for _, stage := range []string{oracleReview, synthesis, presentation} {
		b.play(oracle, stage, 1)
	}
	_, unread, _ := strings.Cut(b.texts["final_report"], "## Not looked at\n")
	for _, want := range []string{
		"- 2 links: `src/again.go` and `tofolder`. Nobody follows links; what they name in this folder is looked at under its own name.\n",
		"- 1 repository within this one: `inner`. It asks for a review of its own.\n",
		"- 1 file: `huge.go` (1500013 bytes are over the limit of 1048576).\n",
		"- 1 file without text, such as pictures.\n",
	} {
		if !strings.Contains(unread, want) {
			t.Errorf("it does not say %q:\n%s", want, unread)
		}
	}
	for _, never := range []string{"outside", "blob.bin", "`src/a.go`", "inner/b.go"} {
		if strings.Contains(unread, never) {
			t.Errorf("it names %q:\n%s", never, unread)
		}
	}
	if len(b.findings) != 2 { // sentinel/bad and healer/also in src/a.go: nothing twice by a link, nothing of inner
		t.Errorf("findings %+v", b.findings)
	}
}

func TestUnreadWordsAreFew(t *testing.T) {
	many := map[string]string{}
	for _, c := range "abcdefgh" {
		many[string(c)] = isLink
	}
	got := unreadWords(many)
	if len(got) != 1 || !strings.HasPrefix(got[0], "8 links: `a`, `b`, `c`, `d`, `e` and 3 more.") {
		t.Errorf("%q", got)
	}
	if got := unreadWords(nil); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
}
