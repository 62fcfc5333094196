package folder

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"agentdungeon/server/soak"
)

// ignoredBy reports whether the root's ignore file ignores a path. It walks down to the path as a scan does.
func ignoredBy(text, path string, dir bool) bool {
	g := ignores{}.add(parseRules([]byte(text), false))
	names := strings.Split(path, "/")
	for i, n := range names {
		last := i == len(names)-1
		if g.match(n, dir || !last) {
			return true
		}
		g = g.enter(n)
	}
	return false
}

// The expected values are those of git check-ignore. go-git's own matcher, given whole lines and
// paths, disagrees with each of them. Once the matcher agrees, ignore.go can be deleted.
func TestGoGitAlone(t *testing.T) {
	for _, c := range []struct {
		text, path string
		ignored    bool // by git
	}{
		{"[!0-9].dat", "x.dat", true},
		{"[!0-9].dat", "7.dat", false},
		{"**/a/b", "a/x/a/b", true},
		{"*.log\n!a/b", "a/b/x.log", true},
		{"*.log\n!logs", "logs/x.log", true},
		{"[[:digit:]]x", "1x", true},
		{"[]x]", "]", true},
		{"a/x**y", "a/x1y", true},
		{"?.c", "é.c", false},
	} {
		if got := ignoredBy(c.text, c.path, false); got != c.ignored {
			t.Errorf("%q with %q: ignored %v", c.path, c.text, got)
		}
		var ps []gitignore.Pattern
		for line := range strings.SplitSeq(c.text, "\n") {
			ps = append(ps, gitignore.ParsePattern(line, nil))
		}
		if gitignore.NewMatcher(ps).Match(strings.Split(c.path, "/"), false) == c.ignored {
			t.Errorf("%q with %q: go-git alone says what git says", c.path, c.text)
		}
	}
}

func TestRulesAreBounded(t *testing.T) {
	if r := parseRules([]byte(strings.Repeat("a\n", maxRules+5)), false); len(r.list) != maxRules {
		t.Errorf("%d rules of one file", len(r.list))
	}
	for steps, want := range map[int]int{maxSteps: 1, maxSteps + 1: 0} {
		if r := parseRules([]byte("/"+strings.Repeat("a/", steps-1)+"b"), false); len(r.list) != want {
			t.Errorf("%d steps make %d rules", steps, len(r.list))
		}
	}
	if !ignoredBy("/"+strings.Repeat("**/", maxSteps-1)+"b", strings.Repeat("x/", 100)+"b", false) {
		t.Error("a rule of many double stars does not match")
	}

	alone(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/objects/": "", ".git/refs/": "",
		"d/.gitignore": strings.Repeat("x\n", maxRules), "d/e/.gitignore": "y\n", "d/x": "", "d/e/y": "",
		"f/.gitignore": strings.Repeat("#", maxIgnoreBytes) + "\nz\n", "f/z": "",
		"g/.gitignore": "/" + strings.Repeat("a/", maxSteps) + "b\nz\n", "g/z": "",
		"h/.gitignore": strings.Repeat("z\n", maxRules) + "y\n", "h/y": "",
	})
	tree, info := scanOf(t, dir, Options{})
	if tree.Files() != 8 {
		t.Errorf("%d files", tree.Files())
	}
	said := strings.Join(info.Notices, "\n")
	for _, file := range []string{"d/e/.gitignore is left out", "f/.gitignore could not be read",
		"rules of g/.gitignore are left out, 1 in all", "rules of h/.gitignore are left out, 1 in all"} {
		if !strings.Contains(said, file) {
			t.Errorf("no notice says %q: %q", file, info.Notices)
		}
	}
}

var (
	someNames = []string{"a", "b", "c", "ab", "abc", "a.b", "x.log", "build", "é", "a b", "[a]", "-", "Z", "b\xff", "!c", "#d", "a\\b"}
	somePaths = []string{"a", "b", "c", "ab", "x.log", "*", "?", "**", "a*", "*b", "*.*", "[ab]", "[!ab]", "[a-c]*", "[[:alpha:]]", "é", "??", "\\a", "a\\*", "[]]", "\\[a\\]", "x.*", "***", "*a*b*", "a b", "\\!c", "#d", "[^.]*", "[a\\]b]", "-", "[--b]", "Z", "[A-Z]", "b\xff", "*\xff"}
)

func randomRules(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		if r.IntN(4) == 0 {
			b.WriteByte('!')
		}
		if r.IntN(4) == 0 {
			b.WriteByte('/')
		}
		for i := range 1 + r.IntN(3) {
			if i > 0 {
				b.WriteByte('/')
			}
			b.WriteString(somePaths[r.IntN(len(somePaths))])
		}
		if r.IntN(4) == 0 {
			b.WriteByte('/')
		}
		if r.IntN(10) == 0 {
			b.WriteString("  ")
		}
		b.WriteString([]string{"\n", "\n", "\r\n"}[r.IntN(3)])
	}
	return b.String()
}

// A scan shows exactly the files that git lists: for random trees with random ignore files and tracked files,
// scanned from the top and from a folder within.
func TestScanOfRandomRepositoriesIsGits(t *testing.T) {
	needGit(t)
	alone(t)
	for seed := range soak.Cases[uint64](80, 20) {
		r := rand.New(rand.NewPCG(seed, 11))
		dir := t.TempDir()
		git(t, dir, "init", "-q")
		files := map[string]string{".gitignore": randomRules(r)}
		taken := map[string]bool{".gitignore": true} // by path, whether it is a folder
		var all []string
		for range 40 {
			path := ""
			for depth := range 1 + r.IntN(4) {
				if depth > 0 {
					path += "/"
				}
				path += someNames[r.IntN(len(someNames))]
				if isDir, ok := taken[path]; ok && !isDir {
					path = "" // a file has the name of this folder
					break
				}
			}
			if _, ok := taken[path]; ok || path == "" {
				continue
			}
			for d := filepath.Dir(path); d != "."; d = filepath.Dir(d) {
				taken[d] = true
				if r.IntN(12) == 0 && !taken[d+"/.gitignore"] {
					files[d+"/.gitignore"] = randomRules(r)
				}
			}
			taken[path] = false
			files[path] = ""
			all = append(all, path)
		}
		write(t, dir, files)
		if r.IntN(2) == 0 {
			for range r.IntN(6) {
				git(t, dir, "--literal-pathspecs", "add", "-f", "--", all[r.IntN(len(all))])
			}
		}
		sameAsGit(t, dir)
		if sub := filepath.Join(dir, filepath.Dir(all[0])); sub != dir {
			if tree, info := scanOf(t, sub, Options{}); info.Map.Source == SourceGit {
				_ = tree
				sameAsGit(t, sub)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d, .gitignore:\n%s", seed, files[".gitignore"])
		}
	}
}

// FuzzRules: rules of any bytes do not hang or panic, and a pattern without wildcards matches itself.
func FuzzRules(f *testing.F) {
	for _, s := range []string{"a\n!b/\n", "[!a-\\]]/**/x", "\\", "[[:alpha:]", "***/**", "\ufeff#\r\n", "a\x00b"} {
		f.Add(s, "a/b/c")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		if len(text) > 4096 || len(path) > 512 {
			return
		}
		for _, n := range strings.Split(path, "/") {
			if n == "" || strings.ContainsAny(n, "\x00\n") {
				return
			}
		}
		ignoredBy(text, path, true)
		var literal strings.Builder
		for _, c := range []byte(path) {
			if c != '/' {
				literal.WriteByte('\\')
			}
			literal.WriteByte(c)
		}
		if strings.Count(path, "/") < maxSteps && !strings.HasSuffix(path, "\r") && !ignoredBy("/"+literal.String()+"\n", path, false) {
			t.Fatalf("%q does not match itself, written %q", path, literal.String())
		}
	})
}

// FuzzIndex: a damaged index yields an error, never a panic.
func FuzzIndex(f *testing.F) {
	var buf bytes.Buffer
	x := &index.Index{Version: 2, Entries: []*index.Entry{{Name: "a/b"}, {Name: "c"}}}
	if err := index.NewEncoder(&buf).Encode(x); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		var idx index.Index
		if err := index.NewDecoder(bytes.NewReader(data)).Decode(&idx); err != nil && err != io.EOF {
			t.Log(err)
		}
		tr := trackedOf(&idx, "a/")
		for _, n := range tr.names {
			if !tr.has(n) {
				t.Fatalf("%q is lost", n)
			}
		}
		tr.below("x")
	})
}

func TestIndexDamaged(t *testing.T) {
	needGit(t)
	alone(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	files := map[string]string{".gitignore": "*.bin\n"}
	for i := range 50 {
		files[fmt.Sprintf("f%d.bin", i)] = ""
	}
	write(t, dir, files)
	git(t, dir, "add", "-f", ".")
	path := filepath.Join(dir, ".git/index")
	data, err := os.ReadFile(path)
	must(t, err)
	for _, bad := range [][]byte{data[:len(data)/2], nil, []byte("DIRC\x00\x00\x00\x09"), bytes.Repeat([]byte{0xff}, 5000)} {
		must(t, os.WriteFile(path, bad, 0o644))
		tree, info := scanOf(t, dir, Options{})
		if len(info.Notices) != 1 || tree.Files() < 1 {
			t.Errorf("an index of %d bytes: %d files, %q", len(bad), tree.Files(), info.Notices)
		}
	}
}

// go-git cannot read a split index: the scan notes this and shows all other files.
func TestIndexSplit(t *testing.T) {
	needGit(t)
	alone(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir, map[string]string{".gitignore": "*.bin\n", "a.bin": "", "b": ""})
	git(t, dir, "add", "-f", ".")
	git(t, dir, "update-index", "--split-index")
	tree, info := scanOf(t, dir, Options{})
	if len(info.Notices) != 1 || tree.Files() != 2 {
		t.Errorf("%d files, %q", tree.Files(), info.Notices)
	}
}
