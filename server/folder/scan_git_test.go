package folder

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// P10.3.
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
			".gitignore": "[ab].c\n[!ab].h\n[^ab].i\n[]x]\n[a-]d\n[[:digit:]]n\n[![:alpha:]]m\n[[:nope:]]k\n[z-a]r\nopen[\n\\[lit\\]\nf[a-c]*[0-9]\n[[:]q\n",
			"[q":         "", ":q": "", "xq": "",
			"a.c": "", "c.c": "", "a.h": "", "c.h": "", "a.i": "", "c.i": "", "]": "", "x": "", "ad": "", "-d": "", "bd": "", "1n": "", "an": "",
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
		write(t, dir, map[string]string{".gitignore": "two\n", "p/q/one": "", "p/q/two": "", strings.Repeat("l", 200) + "/" + strings.Repeat("m", 200): ""})
		git(t, dir, "update-index", "--index-version", version)
		git(t, dir, "add", "-A")
		git(t, dir, "add", "-f", "p/q/two") // version 4 writes it without "p/q/"
		if version == "3" {
			write(t, dir, map[string]string{"p/new": ""})
			git(t, dir, "add", "-N", "p/new")
		}
		data, err := os.ReadFile(filepath.Join(dir, ".git/index"))
		must(t, err)
		if got := fmt.Sprint(data[7]); got != version {
			t.Fatalf("git wrote version %s instead of %s", got, version)
		}
		sameAsGit(t, dir)

		// git leaves the checksum out where index.skipHash is set.
		clear(data[len(data)-20:])
		must(t, os.WriteFile(filepath.Join(dir, ".git/index"), data, 0o644))
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

// The scan lists the same files as git for submodules, repositories within, worktrees and a .git that is a file.
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

	// This submodule is not in .gitmodules and not checked out.
	bare := t.TempDir()
	git(t, bare, "init", "-q")
	write(t, bare, map[string]string{"sub/mod/": "", "f": ""})
	git(t, bare, "update-index", "--add", "--cacheinfo", "160000,0123456789012345678901234567890123456789,sub/mod")
	sameAsGit(t, bare)

	// This file was added to the index before its folder became a repository.
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
		"rules": "*\n", "linked/.gitignore": "-> ../rules", "linked/in/f": "",
		"scratch/.gitignore": "*\n", "scratch/job/file": "", "scratch/job/.hidden": "", "scratch/half/f": "", "scratch/half/g": "",
	})
	git(t, dir, "add", "-f", "pkg/a/forced.o", "scratch/half/f")
	sameAsGit(t, filepath.Join(dir, "pkg/a"))
	sameAsGit(t, filepath.Join(dir, "pkg"))
	sameAsGit(t, filepath.Join(dir, "scratch/half"))
	sameAsGit(t, filepath.Join(dir, "linked/in")) // git does not follow a .gitignore

	// An ignored folder without a tracked file is shown without git's rules if it is the linked folder.
	tree, info := scanOf(t, filepath.Join(dir, "scratch/job"), Options{})
	if got := shown(tree); info.Map.Source != SourceWalk || !maps.Equal(got, map[string]bool{"file": true}) {
		t.Errorf("an ignored folder shows %v as %s", got, info.Map.Source)
	}
	// The same holds for a project below a home folder that is a repository.
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
