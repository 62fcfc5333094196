package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"agentdungeon/server/inspect"
)

var inspectedAt = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// look inspects a folder until the test ends.
func look(t *testing.T, dir string) *inspect.Repo {
	t.Helper()
	r, end, err := Inspect(context.Background(), dir, Options{}, inspectedAt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, end.Close()) })
	return r
}

// commit commits all files as an author ("Ann <ann@example.org>") at a date.
func commit(t *testing.T, dir, author, date string) string {
	t.Helper()
	t.Setenv("GIT_COMMITTER_DATE", date)
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", date, "--author", author, "--date", date)
	return head(t, dir)
}

func head(t *testing.T, dir string) string {
	t.Helper()
	return strings.TrimSpace(string(git(t, dir, "rev-parse", "HEAD")))
}

const (
	ann = "Ann <ann@example.org>"
	bob = "Bob <bob@example.org>"
)

func day(n string) string { return "2026-01-" + n + "T10:00:00Z" }

func TestInspectGivesTheFilesOfTheMap(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	write(t, dir, map[string]string{
		".gitignore": "*.log\n", "a.go": "package a\n", "src/with space % ü.txt": "text", "src/x.log": "ignored", "bad\xff.txt": "x", "sub\xff/x": "x",
		"link": "-> a.go", "tofolder": "-> src", "out": "-> /etc/passwd", "back\\slash": "b", "tab\t": "t",
	})
	inner := filepath.Join(dir, "inner")
	must(t, os.Mkdir(inner, 0o755))
	git(t, inner, "init", "-q")
	put(t, filepath.Join(inner, "f"), "f")
	r := look(t, dir)
	var got []string
	for _, f := range r.Files {
		got = append(got, f.Path)
	}
	want := []string{".gitignore", "a.go", "back\\slash", "inner", "link", "src/with space % ü.txt", "tab\t", "tofolder"}
	if !slices.Equal(got, want) {
		t.Errorf("the files are %q, not %q", got, want)
	}
	if r.Name != filepath.Base(dir) || !r.Now.Equal(inspectedAt) || r.History == nil {
		t.Errorf("%q at %s with %v", r.Name, r.Now, r.History)
	}
	for path, text := range map[string]string{"a.go": "package a\n", "src/with space % ü.txt": "text", "back\\slash": "b", "tab\t": "t"} {
		if data, ok := r.Text(path); !ok || string(data) != text || r.File(path).Size != int64(len(text)) {
			t.Errorf("%q holds %q, %v", path, data, ok)
		}
	}
	why := map[string]string{"link": "it is a link", "tofolder": "it is a link", "inner": "it is a repository of its own"}
	for path := range why {
		if data, ok := r.Text(path); ok {
			t.Errorf("%s was read: %q", path, data)
		}
	}
	for path, is := range r.Unread() {
		if why[path] != is {
			t.Errorf("%s was not read: %q", path, is)
		}
	}
	if _, ok := r.Text("out"); ok || r.File("out") != nil {
		t.Error("a link that leads out is there")
	}
}

func TestInspectWithoutGit(t *testing.T) {
	needGit(t)
	home := alone(t)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.txt"), "a")
	if r := look(t, dir); r.History != nil || len(r.Files) != 1 {
		t.Errorf("%d files and %v", len(r.Files), r.History)
	}
	git(t, home, "init", "-q") // the project is only an ignored corner of this one
	write(t, home, map[string]string{".gitignore": "*\n", "proj/main.go": "package main\n"})
	if r := look(t, filepath.Join(home, "proj")); r.History != nil || r.File("main.go") == nil {
		t.Errorf("%v and %v", r.Files, r.History)
	}
}

func TestInspectFails(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := Inspect(context.Background(), filepath.Join(dir, "nowhere"), Options{}, inspectedAt); !errors.Is(err, ErrAway) {
		t.Errorf("a folder that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Inspect(ctx, dir, Options{}, inspectedAt); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, _, err := Inspect(context.Background(), dir, Options{Exclude: []string{dir}}, inspectedAt); err == nil {
		t.Error("the worlds folder was opened")
	}
}

func TestInspectCloses(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	put(t, filepath.Join(dir, "a.txt"), "a\n")
	was := commit(t, dir, ann, day("01"))
	git(t, dir, "tag", "v1.0.0")
	r, end, err := Inspect(context.Background(), dir, Options{}, inspectedAt)
	must(t, err)
	_, _, read, err := r.History.Tag(context.Background())
	must(t, err)
	must(t, end.Close())
	if _, ok := r.Text("a.txt"); ok {
		t.Error("a file was read")
	}
	if _, ok := read("a.txt"); ok {
		t.Error("a file of the tag was read")
	}
	if _, ok := r.History.Since(context.Background(), was); ok {
		t.Error("Since was told")
	}
	if _, err := r.History.Blame(context.Background(), "a.txt", 1); err == nil {
		t.Error("Blame was told")
	}
}

// The file system of the checks behaves as io/fs requires.
func TestInspectFileSystem(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "text", "d/b": "", "l": "-> a"})
	root, err := openRoot(dir)
	must(t, err)
	defer root.Close()
	files := plainFiles{root}
	for _, name := range []string{"", "/a", "../a", "d/", "l", "d", "nowhere"} {
		if f, err := files.Open(name); err == nil {
			t.Errorf("%q was opened: %v", name, f.Close())
		} else if pe := (*fs.PathError)(nil); !errors.As(err, &pe) {
			t.Errorf("%q: %v is no PathError", name, err)
		}
	}
	f, err := files.Open("a")
	must(t, err)
	if data, err := io.ReadAll(f); string(data) != "text" || err != nil {
		t.Errorf("a holds %q, %v", data, err)
	}
	must(t, f.Close())
}

func TestInspectSince(t *testing.T) {
	needGit(t)
	big := strings.Repeat("x", maxHashedFile+1)
	for _, c := range []struct {
		name string
		do   func(t *testing.T, dir string)
		want []string
	}{
		{"nothing", func(*testing.T, string) {}, nil},
		{"edited", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "a.txt"), "b\n") }, []string{"a.txt"}},
		{"edited and put back", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "a.txt"), "b\n")
			put(t, filepath.Join(dir, "a.txt"), "a\n")
		}, nil},
		{"touched", func(t *testing.T, dir string) {
			must(t, os.Chtimes(filepath.Join(dir, "a.txt"), inspectedAt, inspectedAt))
		}, nil},
		{"new", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "sub/new.txt"), "n") }, []string{"sub/new.txt"}},
		{"new and ignored", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "new.log"), "n") }, nil},
		{"deleted", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "sub/b.txt"))) }, []string{"sub/b.txt"}},
		{"deleted by git", func(t *testing.T, dir string) { git(t, dir, "rm", "-q", "sub/b.txt") }, []string{"sub/b.txt"}},
		{"staged", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "a.txt"), "staged\n")
			git(t, dir, "add", "-A")
		}, []string{"a.txt"}},
		{"staged and put back", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "a.txt"), "staged\n")
			git(t, dir, "add", "-A")
			put(t, filepath.Join(dir, "a.txt"), "a\n")
		}, nil},
		{"committed", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "a.txt"), "later\n")
			commit(t, dir, bob, day("02"))
			put(t, filepath.Join(dir, "sub/c.txt"), "c\n")
			commit(t, dir, bob, day("03"))
		}, []string{"a.txt", "sub/c.txt"}},
		{"committed and reverted", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "a.txt"), "later\n")
			commit(t, dir, bob, day("02"))
			put(t, filepath.Join(dir, "a.txt"), "a\n")
			commit(t, dir, bob, day("03"))
		}, nil},
		{"renamed", func(t *testing.T, dir string) {
			git(t, dir, "mv", "a.txt", "z.txt")
			commit(t, dir, bob, day("02"))
		}, []string{"a.txt", "z.txt"}},
		{"let go by git, still there", func(t *testing.T, dir string) {
			git(t, dir, "rm", "-q", "--cached", "a.txt")
			put(t, filepath.Join(dir, ".git/info/exclude"), "a.txt\n")
		}, nil},
		{"link that leads elsewhere", func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "link")))
			must(t, os.Symlink("sub", filepath.Join(dir, "link")))
		}, []string{"link"}},
		{"new link", func(t *testing.T, dir string) { must(t, os.Symlink("a.txt", filepath.Join(dir, "l2"))) }, []string{"l2"}},
		{"file in a link's place", func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "link")))
			put(t, filepath.Join(dir, "link"), "text")
		}, []string{"link"}},
		{"folder in a file's place", func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "a.txt")))
			put(t, filepath.Join(dir, "a.txt", "deep"), "text")
		}, []string{"a.txt", "a.txt/deep"}},
		{"other line ends", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "a.txt"), "a\r\n") }, nil},
		{"left out of the work tree", func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--skip-worktree", "a.txt")
			must(t, os.Remove(filepath.Join(dir, "a.txt")))
		}, nil},
		{"name that is not UTF-8", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "bad\xff"), "x") }, nil},
		{"huge and new", func(t *testing.T, dir string) { put(t, filepath.Join(dir, "huge"), big) }, []string{"huge"}},
		{"repository within", func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, "inner"), 0o755))
			git(t, filepath.Join(dir, "inner"), "init", "-q")
		}, nil},
		{"no index", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, ".git/index"))) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			alone(t)
			dir := newRepo(t)
			write(t, dir, map[string]string{".gitignore": "*.log\n", "a.txt": "a\n", "sub/b.txt": "b\n", "link": "-> a.txt"})
			was := commit(t, dir, ann, day("01"))
			r := look(t, dir)
			c.do(t, dir)
			got, ok := r.History.Since(context.Background(), was)
			if !ok || !slices.Equal(got, c.want) {
				t.Errorf("%q, %v; not %q", got, ok, c.want)
			}
			// The scan of a folder within shows only files of that folder.
			var below []string
			for _, p := range c.want {
				if rest, ok := strings.CutPrefix(p, "sub/"); ok {
					below = append(below, rest)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "sub")); err == nil {
				if got, ok := look(t, filepath.Join(dir, "sub")).History.Since(context.Background(), was); !ok || !slices.Equal(got, below) {
					t.Errorf("the folder within: %q, %v; not %q", got, ok, below)
				}
			}
		})
	}
}

func TestInspectSinceIsNotKnown(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	put(t, filepath.Join(dir, "a.txt"), "a\n")
	was := commit(t, dir, ann, day("01"))
	h := look(t, dir).History
	blob := strings.TrimSpace(string(git(t, dir, "rev-parse", "HEAD:a.txt")))
	for _, hash := range []string{"", "HEAD", was[:7], strings.Repeat("0", 40), strings.Repeat("a", 40), strings.Repeat("a", 64), "../../etc/passwd", blob} {
		if paths, ok := h.Since(context.Background(), hash); ok {
			t.Errorf("since %q: %q", hash, paths)
		}
	}
	if _, ok := h.Since(context.Background(), strings.ToUpper(was)); !ok {
		t.Error("hex in capitals is not known")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, ok := h.Since(ctx, was); ok {
		t.Error("a cancelled question was answered")
	}
	// A later query sees files that did not exist at the first one.
	put(t, filepath.Join(dir, "later.txt"), "a\n")
	if paths, ok := h.Since(context.Background(), was); !ok || !slices.Equal(paths, []string{"later.txt"}) {
		t.Errorf("%q, %v", paths, ok)
	}
	put(t, filepath.Join(dir, ".git/index"), "DIRC no index")
	if paths, ok := h.Since(context.Background(), was); ok {
		t.Errorf("with a damaged index: %q", paths)
	}
}

func TestChronicleEndsWhenNobodyWaits(t *testing.T) {
	needGit(t)
	alone(t)
	dir := imported(t, 30)
	ctx, cancel := context.WithCancel(context.Background())
	r, end, err := Inspect(ctx, dir, Options{}, inspectedAt)
	must(t, err)
	c := r.History.(*chronicle)
	was := head(t, dir)
	c.turn <- struct{}{} // another reader holds the turn and does not return it
	asked, leave := context.WithCancel(context.Background())
	var work sync.WaitGroup
	questions := []func(ctx context.Context) bool{
		func(ctx context.Context) bool { _, err := c.Blame(ctx, "n.txt", 1); return err == nil },
		func(ctx context.Context) bool { _, ok := c.Since(ctx, was); return ok },
		func(ctx context.Context) bool { _, _, _, err := c.Tag(ctx); return err == nil },
	}
	ask := func(ctx context.Context, ask func(context.Context) bool) {
		work.Go(func() {
			if ask(ctx) {
				t.Error("it was answered")
			}
		})
	}
	for _, q := range questions {
		ask(asked, q)
	}
	leave()
	work.Wait()
	for _, q := range append(questions,
		func(context.Context) bool { _, ok := c.Past("n.txt"); return ok },
		func(context.Context) bool { n, whole := c.Commits(); return n > 0 || whole },
		func(context.Context) bool { return c.Head() != "" },
	) {
		ask(context.Background(), q)
	}
	cancel() // of Inspect itself
	work.Wait()
	<-c.turn
	must(t, end.Close())
}

// A query that panics, or continues after its time limit, does not affect the next query.
func TestChronicleOutlivesABadLook(t *testing.T) {
	needGit(t)
	alone(t)
	c := look(t, imported(t, 3)).History.(*chronicle)
	if _, err := query(context.Background(), c, time.Minute, func(*objects) (int, error) { panic("bad data") }); err == nil || !strings.Contains(err.Error(), "bad data") {
		t.Errorf("%v", err)
	}
	if _, err := query(context.Background(), c, time.Millisecond, func(o *objects) (int, error) {
		<-o.ctx.Done()
		_, err := o.commit(o.head)
		return 0, err
	}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if n, whole := c.Commits(); n != 3 || !whole {
		t.Errorf("%d commits, whole: %v", n, whole)
	}
}

// A few trees can name more folders than a walk can visit in its time: the walk ends at its time
// limit.
func TestInspectATreeWithoutEnd(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	put(t, filepath.Join(dir, "a.txt"), "a\n")
	commit(t, dir, ann, day("01"))
	mktree := func(in string) string {
		c := exec.Command("git", "mktree")
		c.Dir, c.Stdin = dir, strings.NewReader(in)
		out, err := c.Output()
		must(t, err)
		return strings.TrimSpace(string(out))
	}
	tree := mktree("")
	for range 60 {
		tree = mktree("040000 tree " + tree + "\ta\n040000 tree " + tree + "\tb\n")
	}
	c := look(t, dir).History.(*chronicle)
	if changes, err := query(context.Background(), c, 20*time.Millisecond, func(o *objects) ([]change, error) {
		return o.changes(plumbing.ZeroHash, plumbing.NewHash(tree))
	}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d changes, %v", len(changes), err)
	}
}

// The limits in a review's coverage say what a limit of the map leaves out.
func TestInspectSaysWhatTheMapLeavesOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "1", "b": "2", "c": "3"})
	r, end, err := Inspect(t.Context(), dir, Options{MaxFiles: 2}, inspectedAt)
	if err != nil {
		t.Fatal(err)
	}
	must(t, end.Close())
	c, err := r.Coverage(t.Context(), nil)
	if err != nil || len(r.Files) != 2 || len(c.Limits) != 1 || !strings.Contains(c.Limits[0], "2") {
		t.Errorf("%d files, limits %q, %v", len(r.Files), c.Limits, err)
	}
	if len(look(t, dir).Left) != 0 {
		t.Error("a folder within the limits has something left out")
	}
}
