package folder

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
)

// branches makes a repository in which topic branched off main, was merged back once, and both went on.
func branches(t *testing.T) string {
	t.Helper()
	needGit(t)
	alone(t)
	dir := newRepo(t)
	n := 0
	next := func(file string) {
		n++
		put(t, filepath.Join(dir, file), fmt.Sprintf("%d\n", n))
		commit(t, dir, ann, day(fmt.Sprintf("%02d", n)))
	}
	git(t, dir, "checkout", "-q", "-b", "main")
	next("a")
	next("a")
	git(t, dir, "tag", "v1.0.0")
	git(t, dir, "tag", "-a", "-m", "second", "v1.1.0")
	git(t, dir, "checkout", "-q", "-b", "topic")
	next("b")
	git(t, dir, "checkout", "-q", "main")
	next("a")
	git(t, dir, "merge", "-q", "-m", "merge", "topic")
	next("a")
	git(t, dir, "checkout", "-q", "topic")
	next("b")
	next("b")
	git(t, dir, "checkout", "-q", "main")
	return dir
}

// A revision is the commit that git names by it, and the base of a change is git's merge base.
func TestBaseIsGitsMergeBase(t *testing.T) {
	dir := branches(t)
	orphan := strings.TrimSpace(string(git(t, dir, "commit-tree", "-m", "apart", "HEAD^{tree}")))
	for _, packed := range []bool{false, true} {
		if packed {
			git(t, dir, "update-ref", "refs/heads/apart", orphan)
			git(t, dir, "gc", "-q")
		}
		short := strings.TrimSpace(gitSays(t, dir, "rev-parse", "--short", "topic"))
		for _, rev := range []string{
			"HEAD", "@", "main", "topic", "refs/heads/topic", "heads/topic", "v1.0.0", "v1.1.0", "tags/v1.1.0", "HEAD~1", "HEAD~1^2",
			"HEAD^", "HEAD^0", "topic~~", "v1.1.0^{commit}", "v1.1.0^{}~1", short, short[:5], head(t, dir), "topic^1~1",
		} {
			r := look(t, dir)
			want := strings.TrimSpace(gitSays(t, dir, "merge-base", "HEAD", rev))
			if err := Base(context.Background(), r, rev); err != nil || r.Base.Commit != want || r.Base.Rev != rev {
				t.Errorf("%s: %v, %+v, want %s", rev, err, r.Base, want)
			}
		}
		for rev, want := range map[string]string{
			"nowhere": "has no nowhere", "": "names no commit", "HEAD~99": "has 0 parents", "HEAD~1^3": "has 2 parents", "HEAD:a": "names no commit",
			"main..topic": "names no commit", "HEAD@{1}": "names no commit", "HEAD^{tree}": "is not understood", "../../HEAD": "names no commit",
			"config": "has no config", "deadbeef": "has no deadbeef", "--all": "names no commit", orphan: "no common history",
			strings.TrimSpace(gitSays(t, dir, "rev-parse", "HEAD^{tree}")): "has no", "HEAD~99999999999999999999": "too large",
		} {
			r := look(t, dir)
			if err := Base(context.Background(), r, rev); err == nil || !strings.Contains(err.Error(), want) || r.Base != nil {
				t.Errorf("%q: %v, want %q", rev, err, want)
			}
		}
	}
	git(t, dir, "branch", "v1.0.0", "topic")
	if err := Base(context.Background(), look(t, dir), "v1.0.0"); err == nil ||
		!strings.Contains(err.Error(), "v1.0.0 is ambiguous: refs/heads/v1.0.0 (") {
		t.Errorf("a tag and a branch of one name: %v", err)
	}
}

// Clocks that go wrong do not make an ancestor of a common commit the merge base.
func TestMergeBaseWithWrongClocks(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	put(t, filepath.Join(dir, "a"), "a\n")
	made := func(date string, parents ...string) string {
		t.Setenv("GIT_COMMITTER_DATE", day(date))
		args := []string{"commit-tree", "-m", date}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return strings.TrimSpace(string(git(t, dir, append(args, "HEAD^{tree}")...)))
	}
	first := commit(t, dir, ann, day("10"))
	early := made("01", first)
	git(t, dir, "update-ref", "refs/heads/topic", made("20", early, first))
	git(t, dir, "reset", "-q", "--hard", made("21", first, early))
	r := look(t, dir)
	must(t, Base(context.Background(), r, "topic"))
	if want := strings.TrimSpace(gitSays(t, dir, "merge-base", "HEAD", "topic")); want != early || r.Base.Commit != want {
		t.Errorf("%s, git says %s, want %s", r.Base.Commit, want, early)
	}
}

// If a clone lacks the history, or a folder has no git or no commits, the error of Base says so.
func TestBaseSaysWhatIsMissing(t *testing.T) {
	dir := branches(t)
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, dir, "clone", "-q", "--depth=1", "--no-single-branch", "file://"+dir, clone)
	for rev, want := range map[string]string{"origin/topic": "shallow", "HEAD~1": "shallow", "v0.9.0": "shallow"} {
		if err := Base(context.Background(), look(t, clone), rev); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rev, err)
		}
	}
	if err := Base(context.Background(), look(t, clone), "HEAD"); err != nil {
		t.Errorf("HEAD of a shallow clone: %v", err)
	}
	git(t, clone, "fetch", "-q", "--unshallow")
	if err := Base(context.Background(), look(t, clone), "topic"); err == nil || !strings.Contains(err.Error(), "no topic, but origin/topic") {
		t.Errorf("a branch of the other repository: %v", err)
	}
	plain := t.TempDir()
	put(t, filepath.Join(plain, "a"), "a")
	if err := Base(context.Background(), look(t, plain), "HEAD"); err == nil || !strings.Contains(err.Error(), "no git history") {
		t.Errorf("no git: %v", err)
	}
	if err := Base(context.Background(), look(t, newRepo(t)), "HEAD"); err == nil || !strings.Contains(err.Error(), "no commit yet") {
		t.Errorf("no commit: %v", err)
	}
}

// The base has the files as they were, whatever the working tree has by now.
func TestBaseHasTheFilesOfTheCommit(t *testing.T) {
	needGit(t)
	alone(t)
	dir := newRepo(t)
	long := strings.Repeat("line\n", 20)
	write(t, dir, map[string]string{
		"sub/same": "s\n", "sub/edited": "before\n", "sub/gone": "g\n", "sub/moved": long, "sub/split": long + "tail\n", "sub/link": "-> same",
		"sub/lock/package-lock.json": strings.Repeat("x", 2<<20), "outside": "o\n", "sub/huge": strings.Repeat("y", 17<<20),
	})
	commit(t, dir, ann, day("01"))
	write(t, dir, map[string]string{
		"sub/edited": "after\n", "sub/new": "n\n", "sub/moved.now": long, "sub/d/split": "head\n" + long, "outside": "p\n",
		"sub/lock/package-lock.json": "{}", "sub/huge": "small",
	})
	for _, p := range []string{"gone", "moved", "split"} {
		must(t, os.Remove(filepath.Join(dir, "sub", p)))
	}
	for _, in := range []string{"working tree", "index", "commit"} {
		switch in {
		case "index":
			git(t, dir, "add", "-A")
		case "commit":
			commit(t, dir, ann, day("02"))
		}
		r := look(t, filepath.Join(dir, "sub"))
		rev := "HEAD"
		if in == "commit" {
			rev = "HEAD~1"
		}
		must(t, Base(context.Background(), r, rev))
		b := r.Base
		changed := []string{"d/split", "edited", "huge", "lock/package-lock.json", "moved.now", "new"}
		was := map[string]string{
			"d/split": "split", "edited": "edited", "huge": "huge", "lock/package-lock.json": "lock/package-lock.json", "moved.now": "moved",
		}
		if !slices.Equal(b.Changed, changed) || !slices.Equal(b.Gone, []string{"gone"}) || !maps.Equal(b.Was, was) {
			t.Errorf("%s: %q, gone %q, were %v", in, b.Changed, b.Gone, b.Was)
		}
		for p, want := range map[string]string{"edited": "before\n", "gone": "g\n", "same": "s\n", "moved": long} {
			if text, ok := b.Read(p); !ok || string(text) != want {
				t.Errorf("%s: %s was %q, %v", in, p, text, ok)
			}
		}
		for _, p := range []string{"new", "../outside", "huge", ""} {
			if text, ok := b.Read(p); ok {
				t.Errorf("%s: %s was read: %.20q", in, p, text)
			}
		}
		tree := b.Tree()
		var paths []string
		for _, f := range tree.Files {
			paths = append(paths, f.Path)
		}
		if !slices.Equal(paths, []string{"edited", "gone", "huge", "link", "lock/package-lock.json", "moved", "same", "split"}) {
			t.Errorf("%s: the tree has %q", in, paths)
		}
		if text, ok := tree.Text("lock/package-lock.json"); !ok || len(text) != 2<<20 || tree.File("edited").Size != 7 {
			t.Errorf("%s: the lock file has %d bytes, %v", in, len(text), ok)
		}
		if _, ok := tree.Text("huge"); ok || tree.File("huge").Size <= inspect.MaxText {
			t.Errorf("%s: a huge file was read", in)
		}
	}
}
