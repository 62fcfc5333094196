package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
)

func TestScanShowsWhatGitNames(t *testing.T) {
	needGit(t)
	long := strings.Repeat("n", 255)
	for _, c := range []struct {
		name  string
		files map[string]string
		add   []string // git add -f
		leave []string
	}{
		{name: "empty repository"},
		{name: "no ignore file", files: map[string]string{"a": "", "d/b": "", "d/e/c": "", "empty/": ""}},
		{name: "plain ignores", files: map[string]string{
			".gitignore": "*.log\nnode_modules/\n/root-only\nbuild\n", "a.log": "", "d/a.log": "", "node_modules/x/y": "", "d/node_modules/z": "",
			"root-only": "", "d/root-only": "", "build/out": "", "d/build": "", "node_modules.txt": "", "d2/node_modules": "a file",
		}},
		{name: "nested ignores", files: map[string]string{
			".gitignore": "*.o\n", "a/.gitignore": "!keep.o\n/only\nsub/x\n", "a/keep.o": "", "a/b/keep.o": "", "a/drop.o": "", "keep.o": "",
			"a/only": "", "a/b/only": "", "a/sub/x": "", "a/b/sub/x": "", "a/b/.gitignore": "keep.o\n", "a/b/c/keep.o": "",
		}},
		{name: "negation below an ignored folder", files: map[string]string{
			".gitignore": "out\n!out/keep\ntmp/*\n!tmp/keep\n", "out/keep": "", "out/x": "", "tmp/keep": "", "tmp/x": "", "tmp/d/keep": "",
		}},
		{name: "a re-included folder does not re-include its files", files: map[string]string{
			".gitignore": "*.log\n!a/b\n!logs/\n", "a/b/x.log": "", "a/b/y": "", "logs/z.log": "", "logs/w": "",
		}},
		{name: "double stars", files: map[string]string{
			".gitignore": "a/**/z\n**/tail/end\nall/**\n!all/keep/\nx**y\n**/\n!**/\n", "a/z": "", "a/b/z": "", "a/b/c/z": "", "a/b/c/zz": "",
			"tail/end": "", "q/tail/end": "", "tail/q/tail/end": "", "all/x": "", "all/keep/y": "", "xy": "", "x1y": "", "d/x2y": "", "x/y": "",
		}},
		{name: "brackets", files: map[string]string{
			".gitignore": "[ab].c\n[!ab].h\n[^ab].i\n[]x]\n[a-]d\n[[:digit:]]n\n[![:alpha:]]m\n[[:nope:]]k\n[z-a]r\nopen[\n\\[lit\\]\nf[a-c]*[0-9]\n",
			"a.c":        "", "c.c": "", "a.h": "", "c.h": "", "a.i": "", "c.i": "", "]": "", "x": "", "ad": "", "-d": "", "bd": "", "1n": "", "an": "",
			"1m": "", "am": "", "ak": "", "nk": "", "ar": "", "open[": "", "[lit]": "", "fa0": "", "fb-9": "", "fd0": "",
		}},
		{name: "escapes and spaces", files: map[string]string{
			".gitignore": "\\#hash\n\\!bang\ntrail   \nkept\\ \n a\nta\tb\nback\\\\slash\nend\\\nq\\?\n#comment\n\n   \ncr\r\nstar\\*\n",
			"#hash":      "", "!bang": "", "trail": "", "trail   ": "", "kept ": "", "kept": "", " a": "", "a": "", "ta\tb": "", "back\\slash": "", "end": "",
			"end\\": "", "q?": "", "qx": "", "comment": "", "cr": "", "cr\r": "", "star*": "", "starx": "",
		}},
		{name: "slashes", files: map[string]string{
			".gitignore": "/\n!\n//x\na//b\n/d/f\ne/g\nh/\ni/*/j\n/*.top\nk/./l\n", "x": "", "a/b": "", "d/f": "", "q/d/f": "", "e/g": "", "q/e/g": "",
			"h": "file", "q/h/f": "", "i/1/j": "", "i/1/2/j": "", "q/i/1/j": "", "z.top": "", "q/z.top": "", "k/l": "",
		}},
		{name: "byte order mark and NUL", files: map[string]string{".gitignore": "\ufeffbom\nnul\x00x\nlast", "bom": "", "nul": "", "nulx": "", "last": ""}},
		{name: "odd names", files: map[string]string{
			".gitignore": "ign\xff*\n?.one\n\xc3\xbc.x\n", "with space": "", "🎲/🎲🎲.md": "", long: "", "caf\xe9": "", "\xff\xfe/\xff": "", "ign\xff1": "",
			"Case": "", "case": "", "CASE/x": "", "new\nline": "", "tab\t": "", "-n": "", "a..b": "", "...": "", "100%": "", "back\\slash": "", "é.one": "",
			"e.one": "", "ü.x": "", "\"quote": "", "'": "", "$x": "", "*": "", "con": "",
		}},
		{name: "tracked but ignored", files: map[string]string{
			".gitignore": "*.bin\nvendor/\n/dist\n", "a.bin": "", "b.bin": "", "vendor/m/tracked.go": "", "vendor/m/other.go": "", "vendor/n/x": "",
			"dist/app.js": "", "dist/map.js": "", "vendor/m/.gitignore": "!*\n",
		}, add: []string{"a.bin", "vendor/m/tracked.go", "dist/app.js"}},
		{name: "links", files: map[string]string{
			"file": "x", "dir/f": "", "in": "-> file", "dir/up": "-> ../file", "todir": "-> dir", "dangling": "-> nowhere", "loop": "-> loop", "a": "-> b", "b": "-> a",
			"out": "-> ../outside", "outdir": "-> ..", "abs": "-> /etc", "through": "-> outdir/x", "dir/out": "-> ../../x", "self": "-> .", ".gitignore": "ign*\n", "ignored": "-> file",
		}, leave: []string{"out", "outdir", "abs", "through", "dir/out"}},
		{name: "ignore file that is a link", files: map[string]string{"rules": "x\n", "d/.gitignore": "-> ../rules", "d/x": ""}},
		{name: "folder for an ignore file", files: map[string]string{".gitignore/x": "", "y": ""}},
		{name: "git's names deeper", files: map[string]string{"d/.git/x": "", "d/y": "", "e/.git": "text", "e/z": "", "f/.gitx": "", "g/.gitignore": ".git*\n", "g/.gitattributes": ""}},
		{name: "stars for everything", files: map[string]string{".gitignore": "*\n!*/\n!*.go\n", "a.go": "", "b/c.go": "", "b/d.txt": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			alone(t)
			dir := t.TempDir()
			git(t, dir, "init", "-q")
			write(t, dir, c.files)
			sameAsGit(t, dir, c.leave...)
			git(t, dir, "add", "-A")
			if len(c.add) > 0 {
				git(t, dir, append([]string{"add", "-f"}, c.add...)...)
			}
			sameAsGit(t, dir, c.leave...)
		})
	}
}

func TestScanReadsEveryIndexVersion(t *testing.T) {
	needGit(t)
	alone(t)
	for _, version := range []string{"2", "3", "4"} {
		dir := t.TempDir()
		git(t, dir, "init", "-q")
		write(t, dir, map[string]string{".gitignore": "*\n", "a": "", "d/b": "", "d/c": "", strings.Repeat("l", 200) + "/" + strings.Repeat("m", 200): ""})
		git(t, dir, "update-index", "--index-version", version)
		git(t, dir, "add", "-f", "a", "d/b", strings.Repeat("l", 200))
		git(t, dir, "-c", "index.skipHash=true", "update-index", "--force-write-index")
		sameAsGit(t, dir)
	}
}

func TestScanConflict(t *testing.T) {
	needGit(t)
	alone(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir, map[string]string{".gitignore": "x\n", "x": "0"})
	git(t, dir, "add", "-f", "x", ".gitignore")
	git(t, dir, "commit", "-qm", "0")
	git(t, dir, "checkout", "-qb", "other")
	must(t, os.WriteFile(filepath.Join(dir, "x"), []byte("1"), 0o644))
	git(t, dir, "commit", "-qam", "1")
	git(t, dir, "checkout", "-q", "main")
	must(t, os.WriteFile(filepath.Join(dir, "x"), []byte("2"), 0o644))
	git(t, dir, "commit", "-qam", "2")
	c := exec.Command("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "merge", "other")
	c.Dir = dir
	if err := c.Run(); err == nil {
		t.Fatal("the merge has no conflict")
	}
	sameAsGit(t, dir)
}

// Submodules, repositories within, worktrees, a .git that is a file.
func TestScanRepositoriesWithin(t *testing.T) {
	needGit(t)
	alone(t)
	lib := t.TempDir()
	git(t, lib, "init", "-q")
	write(t, lib, map[string]string{"lib.c": "", "d/x": ""})
	git(t, lib, "add", "-A")
	git(t, lib, "commit", "-qm", "lib")

	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir, map[string]string{"main.c": "", ".gitignore": "ignored/\n*.o\n", "sub.o": ""})
	git(t, dir, "submodule", "--quiet", "add", lib, "mods/lib")
	git(t, dir, "submodule", "--quiet", "add", lib, "ignored2")
	git(t, dir, "submodule", "--quiet", "add", "--force", lib, "ignored/lib")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "main")
	sameAsGit(t, dir)

	for _, nested := range []string{"nested", "deep/er/nested", "ignored/nested"} {
		must(t, os.MkdirAll(filepath.Join(dir, nested), 0o755))
		git(t, filepath.Join(dir, nested), "init", "-q")
		write(t, filepath.Join(dir, nested), map[string]string{"own": "", "d/own": ""})
	}
	write(t, dir, map[string]string{"broken/.git/HEAD": "nothing", "broken/f": "", "stale/.git": "gitdir: ../nowhere\n", "stale/f": ""})
	sameAsGit(t, dir)

	git(t, dir, "submodule", "--quiet", "deinit", "-f", "mods/lib")
	sameAsGit(t, dir)
	must(t, os.RemoveAll(filepath.Join(dir, "ignored2", ".git")))
	sameAsGit(t, dir)

	git(t, dir, "worktree", "add", "-q", "-b", "w1", filepath.Join(dir, "inside"))
	outside := filepath.Join(t.TempDir(), "outside")
	git(t, dir, "worktree", "add", "-q", "-b", "w2", outside)
	sameAsGit(t, dir)
	must(t, os.MkdirAll(filepath.Join(dir, ".git/info"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, ".git/info/exclude"), []byte("excluded\n"), 0o644))
	write(t, outside, map[string]string{"excluded": "", "new": "", "x.o": "", "forced.o": ""})
	git(t, outside, "add", "-f", "forced.o")
	sameAsGit(t, outside)
	sameAsGit(t, filepath.Join(dir, "inside"))

	// A submodule by itself is a repository like any other.
	sameAsGit(t, filepath.Join(dir, "ignored/lib"))

	// A file of a repository within that was added before it became one.
	write(t, dir, map[string]string{"became/f": "", "became/g": ""})
	git(t, dir, "add", "became/f")
	git(t, filepath.Join(dir, "became"), "init", "-q")
	sameAsGit(t, dir)
}

// A folder below a repository's top follows the repository's rules.
func TestScanFolderOfRepository(t *testing.T) {
	needGit(t)
	home := alone(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir, map[string]string{
		".gitignore": "*.o\n/pkg/a/gen\npkg/*/tmp\n**/deep/x\n", "pkg/.gitignore": "!b.o\nlocal\n", "pkg/a/x.o": "", "pkg/a/b.o": "", "pkg/a/gen/g": "",
		"pkg/a/tmp/t": "", "pkg/a/local": "", "pkg/a/deep/x": "", "pkg/a/deep/y": "", "pkg/a/forced.o": "", "pkg/a/.gitignore": "mine\n", "pkg/a/mine": "", "pkg/a/f": "",
		"scratch/.gitignore": "*\n", "scratch/job/file": "", "scratch/job/.hidden": "", "scratch/half/f": "", "scratch/half/g": "",
	})
	git(t, dir, "add", "-f", "pkg/a/forced.o", "scratch/half/f")
	sameAsGit(t, filepath.Join(dir, "pkg/a"))
	sameAsGit(t, filepath.Join(dir, "pkg"))
	sameAsGit(t, filepath.Join(dir, "scratch/half"))

	// An ignored corner without a tracked file is shown for its own sake: a person
	// asked for it.
	tree, info := scanOf(t, filepath.Join(dir, "scratch/job"), Options{})
	if got := shown(tree); info.Map.Source != SourceWalk || !maps.Equal(got, map[string]bool{"file": true}) {
		t.Errorf("an ignored folder shows %v as %s", got, info.Map.Source)
	}
	// So does a project below a home folder that is under git.
	git(t, home, "init", "-q")
	write(t, home, map[string]string{".gitignore": "*\n", "proj/main.go": ""})
	tree, _ = scanOf(t, filepath.Join(home, "proj"), Options{})
	if got := shown(tree); !got["main.go"] {
		t.Errorf("a project below a home folder shows %v", got)
	}
}

func TestScanSettings(t *testing.T) {
	needGit(t)
	files := map[string]string{"a.global": "", "b.xdg": "", "c.own": "", "d.info": "", "e.both": "", "Upper.TXT": "", ".gitignore": "!e.both\nupper.txt\n"}
	for _, c := range []struct {
		name string
		prep func(t *testing.T, home, dir string)
	}{
		{"nothing", func(*testing.T, string, string) {}},
		{"xdg ignore", func(t *testing.T, home, dir string) {
			write(t, home, map[string]string{".config/git/ignore": "*.xdg\n*.both\n"})
		}},
		{"excludesFile of the home", func(t *testing.T, home, dir string) {
			write(t, home, map[string]string{".gitconfig": "[core]\n\texcludesFile = ~/my ignores\n", "my ignores": "*.global\n", ".config/git/ignore": "*.xdg\n"})
		}},
		{"excludesFile of the repository", func(t *testing.T, home, dir string) {
			write(t, home, map[string]string{".gitconfig": "[core]\n\texcludesfile = ~/g\n", "g": "*.global\n"})
			git(t, dir, "config", "core.excludesFile", "rules/own")
			write(t, dir, map[string]string{"rules/own": "*.own\n"})
		}},
		{"info exclude over global", func(t *testing.T, home, dir string) {
			write(t, home, map[string]string{".config/git/ignore": "*.info\n*.xdg\n"})
			must(t, os.WriteFile(filepath.Join(dir, ".git/info/exclude"), []byte("!d.info\n*.own\n*.both\n"), 0o644))
		}},
		{"ignore case", func(t *testing.T, home, dir string) { git(t, dir, "config", "core.ignoreCase", "true") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := alone(t)
			dir := t.TempDir()
			git(t, dir, "init", "-q")
			write(t, dir, files)
			c.prep(t, home, dir)
			sameAsGit(t, dir)
		})
	}
}

// Without git: everything but the usual build folders and dot files.
func TestScanWithoutGit(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a": "12345", "d/b": "", "empty/": "", ".hidden": "", ".env.example": "", ".env": "", "d/.cache/x": "", "node_modules/x": "", "d/node_modules/x": "",
		"__pycache__/x": "", "dist/x": "", "build/x": "", "coverage/x": "", ".next/x": "", ".git": "no repository", "d/dist": "a file", ".gitignore": "a\n",
		"link": "-> a", "out": "-> ../x", "target/x": "",
	})
	tree, info := scanOf(t, dir, Options{})
	want := map[string]bool{"a": true, "d/b": true, ".env.example": true, "d/dist": true, "link": true, "target/x": true}
	if got := shown(tree); !maps.Equal(got, want) || info.Map.Source != SourceWalk {
		t.Errorf("shows %v from %s", got, info.Map.Source)
	}
	if e, ok := tree.Lookup("empty"); !ok || !e.Folder {
		t.Error("an empty folder is not shown")
	}
	if e, _ := tree.Lookup("a"); e.Size != 5 {
		t.Errorf("a has %d bytes", e.Size)
	}
	if e, _ := tree.Lookup("link"); e.Kind != dungeon.KindLink {
		t.Errorf("link is a %v", e.Kind)
	}
	if info.Map.Bytes != 11 || info.Map.Files != 6 || info.Map.Folders != 3 || info.Map.ScannedAt == 0 || tree.Name() != filepath.Base(dir) {
		t.Errorf("%+v of %s", info.Map, tree.Name())
	}
}

// Pipes and sockets are neither shown nor opened: opening one would block.
func TestScanSkipsSpecialFiles(t *testing.T) {
	needGit(t)
	alone(t)
	for _, with := range []bool{false, true} {
		dir := t.TempDir()
		write(t, dir, map[string]string{"a": "", "d/": "", "e/f": ""})
		if with {
			git(t, dir, "init", "-q")
			for _, p := range []string{".gitignore", "e/.git", ".git/info/exclude"} {
				must(t, errors.Join(os.RemoveAll(filepath.Join(dir, p)), syscall.Mkfifo(filepath.Join(dir, p), 0o644)))
			}
		}
		must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
		must(t, syscall.Mkfifo(filepath.Join(dir, "d", "pipe"), 0o644))
		must(t, os.Symlink("pipe", filepath.Join(dir, "topipe")))
		tree, _ := scanOf(t, dir, Options{})
		if got := shown(tree); !maps.Equal(got, map[string]bool{"a": true, "topipe": true, "e/f": true}) {
			t.Errorf("shows %v", got)
		}
	}
}

// The worlds folder, wherever it lies and however it is reached, is never
// scanned: it usually lies inside the repository that is linked.
func TestScanLeavesOutTheWorldsFolder(t *testing.T) {
	alone(t)
	base := t.TempDir()
	dir := filepath.Join(base, "repo")
	write(t, dir, map[string]string{"a": "", "worlds/r/state.json": "", "sub/worlds/x": "", "worlds2/y": "", "link": "-> worlds"})
	must(t, os.Symlink("repo/worlds", filepath.Join(base, "alias")))
	for _, exclude := range []string{filepath.Join(dir, "worlds"), filepath.Join(base, "alias"), filepath.Join(dir, "sub", "..", "worlds") + "/"} {
		tree, _ := scanOf(t, dir, Options{Exclude: []string{exclude}})
		if got := shown(tree); !maps.Equal(got, map[string]bool{"a": true, "sub/worlds/x": true, "worlds2/y": true, "link": true}) {
			t.Errorf("without %s the map shows %v", exclude, got)
		}
	}
	for _, inner := range []string{"worlds", "worlds/r"} {
		_, _, err := Scan(t.Context(), filepath.Join(dir, inner), Options{Exclude: []string{filepath.Join(dir, "worlds")}})
		var we *wire.Error
		if !errors.As(err, &we) {
			t.Errorf("scanning %s: %v", inner, err)
		}
	}
}

func TestScanAway(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"file": ""})
	for _, path := range []string{filepath.Join(dir, "gone"), filepath.Join(dir, "file"), filepath.Join(dir, "file", "x")} {
		if _, _, err := Scan(t.Context(), path, Options{}); !errors.Is(err, ErrAway) {
			t.Errorf("Scan(%s): %v, want ErrAway", path, err)
		}
		if _, err := OpenFS(path); !errors.Is(err, ErrAway) {
			t.Errorf("OpenFS(%s): %v, want ErrAway", path, err)
		}
	}
	if _, _, err := Scan(t.Context(), "relative", Options{}); err == nil || errors.Is(err, ErrAway) {
		t.Errorf("a relative path: %v", err)
	}
	// It goes away while it is read: an empty map would be a lie.
	write(t, dir, map[string]string{"repo/a/b/c": "", "repo/d": ""})
	repo := filepath.Join(dir, "repo")
	_, _, err := Scan(t.Context(), repo, Options{Progress: func(int) {
		if err := os.Rename(repo, repo+"-moved"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}})
	if !errors.Is(err, ErrAway) {
		t.Errorf("a folder that went away: %v", err)
	}
}

func TestScanCancelled(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	for i := range 50 {
		write(t, dir, map[string]string{fmt.Sprintf("d%d/e/f", i): ""})
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, _, err := Scan(ctx, dir, Options{Progress: func(int) { calls++; cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled scan: %v", err)
	}
	if calls > 2*workers {
		t.Errorf("%d folders were read after the end", calls)
	}
}

func TestScanProgress(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	for i := range 40 {
		write(t, dir, map[string]string{fmt.Sprintf("d%d/a", i): "", fmt.Sprintf("d%d/b", i): ""})
	}
	last, calls := 0, 0
	scanOf(t, dir, Options{Progress: func(done int) { // never twice at once: -race watches
		if done < last {
			t.Errorf("progress fell from %d to %d", last, done)
		}
		last = done
		calls++
	}})
	if last != 80 || calls < 2 {
		t.Errorf("%d calls, the last said %d", calls, last)
	}
}

func TestScanCut(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	for i := range 30 {
		write(t, dir, map[string]string{fmt.Sprintf("d%d/a", i): "", fmt.Sprintf("f%d", i): ""})
	}
	for _, limit := range []int{1, 29, 30, 45, 59} {
		tree, info := scanOf(t, dir, Options{MaxFiles: limit})
		if !info.Cut || len(info.Notices) != 1 || tree.Files() > limit {
			t.Errorf("limit %d: %d files, %+v", limit, tree.Files(), info)
		}
	}
	tree, info := scanOf(t, dir, Options{MaxFiles: 60})
	if info.Cut || tree.Files() != 60 {
		t.Errorf("%d files, %+v", tree.Files(), info)
	}
}

// What lies deeper than a path can name is left out and noted.
func TestScanDepth(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": ""})
	deep := dir
	var made []string
	root, err := os.OpenRoot(dir)
	must(t, err)
	for range dungeon.MaxDepth + 20 { // beyond PATH_MAX only step by step
		must(t, root.Mkdir("dd", 0o755))
		f, err := root.Create("f")
		must(t, errors.Join(err, f.Close()))
		next, err := root.OpenRoot("dd")
		must(t, errors.Join(err, root.Close()))
		root = next
		deep = filepath.Join(deep, "dd")
		made = append(made, deep)
	}
	must(t, root.Close())
	tree, info := scanOf(t, dir, Options{})
	if info.UnreadTotal != 1 || len(info.Unread) != 1 || len(info.Notices) != 1 || tree.Files() != dungeon.MaxDepth+2 {
		t.Errorf("%d files, %d left out, %v", tree.Files(), info.UnreadTotal, info.Notices)
	}

	long := t.TempDir()
	root, err = os.OpenRoot(long)
	must(t, err)
	for range 20 {
		name := strings.Repeat("\xff", 250) // 750 bytes on the wire
		must(t, root.Mkdir(name, 0o755))
		next, err := root.OpenRoot(name)
		must(t, errors.Join(err, root.Close()))
		root = next
	}
	must(t, root.Close())
	tree, info = scanOf(t, long, Options{})
	if info.UnreadTotal != 1 || tree.Folders() != wire.MaxPath/751 {
		t.Errorf("%d folders, %d left out", tree.Folders(), info.UnreadTotal)
	}
}

func TestScan20k(t *testing.T) {
	needGit(t)
	alone(t)
	dir := t.TempDir()
	make20k(t, dir)
	flat := map[string]string{}
	for i := range 5000 {
		flat[fmt.Sprintf("flat/file%d.go", i)] = ""
	}
	write(t, dir, flat)
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	sameAsGit(t, dir)
	tree, _ := scanOf(t, dir, Options{})
	pages, objects := 1, 0
	for page := 0; page < pages; page++ {
		m, err := dungeon.Room(tree, "flat", page)
		must(t, err)
		pages = m.Pages
		objects += len(m.Room.Objects)
	}
	if objects != 5000 {
		t.Errorf("%d of 5,000 files of one folder stand in its room", objects)
	}
}
