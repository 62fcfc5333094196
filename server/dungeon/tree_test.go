package dungeon

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentdungeon/shared/world"
)

// oddNames has the names of random trees: ordinary ones and every kind of odd one.
var oddNames = []string{
	"a..b", "...", "..a", "a b", " lead", "trail ", "ünï", "🎲.md", "100%.txt", "%41", `back\slash`, "new\nline",
	"\x01", "\x7f", "caf\xe9", "\xff\xfe", "a/b_", "A.ts", "a.ts", "<img onerror=x>", `q"uote`, "\u2028", "\u202e", "-", "~",
	"#", "node_modules", "docs", "test", "README.md", "main_test.go", ".env", "go.mod", strings.Repeat("x", 255),
}

func randomName(r *rand.Rand) string {
	if r.IntN(4) == 0 {
		if n := oddNames[r.IntN(len(oddNames))]; validName(n) {
			return n
		}
	}
	return fmt.Sprintf("%c%c%d%s", 'a'+r.IntN(26), 'a'+r.IntN(26), r.IntN(50), []string{"", ".go", "_test.go", ".md", ".json"}[r.IntN(5)])
}

// grow returns a random tree, and its raw paths with true for a folder.
func grow(t testing.TB, r *rand.Rand, maxFiles, maxFolders int) (*Tree, map[string]bool) {
	t.Helper()
	b := NewBuilder("root")
	have := map[string]bool{}
	type place struct {
		id   FolderID
		path string
	}
	places := []place{{Root, ""}}
	for range r.IntN(maxFolders + 1) {
		p := places[r.IntN(len(places))]
		name := randomName(r)
		path := join(p.path, name)
		if _, ok := have[path]; ok {
			continue
		}
		have[path] = true
		places = append(places, place{b.Folder(p.id, name), path})
	}
	for range r.IntN(maxFiles + 1) {
		p := places[r.IntN(len(places))]
		name := randomName(r)
		path := join(p.path, name)
		if _, ok := have[path]; ok {
			continue
		}
		have[path] = false
		b.File(p.id, name, r.Int64N(5000), r.IntN(20) == 0)
	}
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return tree, have
}

func TestTreeHoldsWhatWasPutIn(t *testing.T) {
	for seed := range uint64(60) {
		tree, have := grow(t, rand.New(rand.NewPCG(seed, 1)), 300, 60)
		folders := 0
		for raw, isFolder := range have {
			e, ok := tree.Lookup(EncodePath(raw))
			if !ok || e.Folder != isFolder || e.Path != EncodePath(raw) {
				t.Fatalf("seed %d: Lookup(%q) = %+v, %v", seed, raw, e, ok)
			}
			below := 0
			for other, f := range have {
				if !f && strings.HasPrefix(other, raw+"/") {
					below++
				}
			}
			if isFolder {
				folders++
				if e.Files != below {
					t.Fatalf("seed %d: %q has %d files below, want %d", seed, raw, e.Files, below)
				}
			}
		}
		if tree.Folders() != folders || tree.Files() != len(have)-folders {
			t.Fatalf("seed %d: %d files, %d folders; want %d, %d", seed, tree.Files(), tree.Folders(), len(have)-folders, folders)
		}
		seen := map[string]bool{}
		bytes := int64(0)
		for e := range tree.All {
			if seen[e.Path] {
				t.Fatalf("%q twice", e.Path)
			}
			seen[e.Path] = true
			if !e.Folder {
				bytes += e.Size
			}
		}
		if len(seen) != len(have)+1 || bytes != tree.Bytes() {
			t.Fatalf("All gave %d entries and %d bytes, want %d and %d", len(seen), bytes, len(have)+1, tree.Bytes())
		}
		for _, missing := range []string{"nowhere", "aa0/nowhere", "..", "/", "a//b"} {
			if _, ok := tree.Lookup(missing); ok && !have[missing] {
				t.Fatalf("Lookup(%q) found something", missing)
			}
		}
	}
}

func TestBuilderRefuses(t *testing.T) {
	for name, fill := range map[string]func(b *Builder){
		"empty name":      func(b *Builder) { b.File(Root, "", 1, false) },
		"dot":             func(b *Builder) { b.Folder(Root, ".") },
		"two dots":        func(b *Builder) { b.File(Root, "..", 1, false) },
		"slash":           func(b *Builder) { b.File(Root, "a/b", 1, false) },
		"nul":             func(b *Builder) { b.Folder(Root, "a\x00") },
		"long":            func(b *Builder) { b.Folder(Root, strings.Repeat("a", MaxName+1)) },
		"file twice":      func(b *Builder) { b.File(Root, "a", 1, false); b.File(Root, "a", 2, false) },
		"folder twice":    func(b *Builder) { b.Folder(Root, "a"); b.Folder(Root, "a") },
		"file and folder": func(b *Builder) { b.File(Root, "a", 1, false); b.Folder(Root, "a") },
		"deep": func(b *Builder) {
			id := Root
			for range MaxDepth + 1 {
				id = b.Folder(id, "d")
			}
		},
	} {
		b := NewBuilder("x")
		fill(b)
		if _, err := b.Build(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	b := NewBuilder("x")
	id := Root
	for range MaxDepth {
		id = b.Folder(id, "d")
	}
	b.File(id, "f", -7, false)
	b.File(Root, "huge", 1<<62, false)
	b.File(Root, "huge2", 1<<62, false)
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if tree.Bytes() != MaxSize {
		t.Errorf("sizes sum to %d, want them held to %d", tree.Bytes(), int64(MaxSize))
	}
}

func TestDropEmpty(t *testing.T) {
	b := NewBuilder("x")
	b.DropEmpty = true
	a := b.Folder(Root, "a")
	b.Folder(a, "empty")
	c := b.Folder(a, "c")
	b.File(c, "f", 1, false)
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := tree.Lookup("a/empty"); ok || tree.Folders() != 2 {
		t.Errorf("empty folder kept: %d folders", tree.Folders())
	}
	if _, ok := tree.Lookup("a/c/f"); !ok {
		t.Error("a/c/f is gone")
	}
}

func TestKinds(t *testing.T) {
	b := NewBuilder("x")
	docs := b.Folder(Root, "docs")
	tests := b.Folder(Root, "tests")
	deep := b.Folder(tests, "data")
	b.File(docs, "diagram.png", 1, false)
	b.File(deep, "case.go", 1, false)
	for _, n := range []string{
		"README", "readme.MD", "LICENSE", "notes.txt", "main.go", "main_test.go", "app.spec.ts", "test_x.py", "go.mod",
		"Makefile", ".gitignore", "tsconfig.json", "vite.config.ts", "image.png", "testing.go", "a..b",
	} {
		b.File(Root, n, 1, false)
	}
	b.File(Root, "README.link", 1, true)
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Kind{
		"README": KindDoc, "readme.MD": KindDoc, "LICENSE": KindDoc, "notes.txt": KindDoc, "docs/diagram.png": KindDoc,
		"main.go": KindFile, "image.png": KindFile, "testing.go": KindFile, "a..b": KindFile,
		"main_test.go": KindTest, "app.spec.ts": KindTest, "test_x.py": KindTest, "tests/data/case.go": KindTest,
		"go.mod": KindConfig, "Makefile": KindConfig, ".gitignore": KindConfig, "tsconfig.json": KindConfig, "vite.config.ts": KindConfig,
		"README.link": KindLink,
	} {
		if e, ok := tree.Lookup(path); !ok || e.Kind != want {
			t.Errorf("%s is %v (%v), want %v", path, e.Kind, ok, want)
		}
	}
}

// Many goroutines can read an immutable tree at the same time; run with -race.
func TestTreeConcurrentReaders(t *testing.T) {
	tree, have := grow(t, rand.New(rand.NewPCG(7, 7)), 500, 50)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for raw := range have {
				tree.Lookup(EncodePath(raw))
			}
			tree.Summary()
			if _, err := Room(&Survey{Tree: tree}, "", 0); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// big returns a tree of n files. Each folder has 20 files and up to 30 folders.
func big(t testing.TB, n int) *Tree {
	t.Helper()
	b := NewBuilder("big")
	ids := []FolderID{Root}
	for i := 0; i < n; i++ {
		if i%20 == 0 {
			ids = append(ids, b.Folder(ids[len(ids)/30], fmt.Sprintf("folder_%d", len(ids))))
		}
		b.File(ids[len(ids)-1], fmt.Sprintf("source_file_%d.go", i), int64(i), false)
	}
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A tree of 100,000 files uses little memory. The limit is four times the measured size of the arrays and names, so
// only a change of the representation exceeds it.
func TestTreeMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	tree := big(t, 100_000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("100,000 files in %d folders: %d KB", tree.Folders(), used>>10)
	if used > 16<<20 {
		t.Errorf("100,000 files take %d bytes", used)
	}
	runtime.KeepAlive(tree)
}

func TestSummary(t *testing.T) {
	for _, n := range []int{0, 1, 50, 20_000} {
		tree := big(t, n)
		s := tree.Summary()
		if s.Files != n || s.Folders != tree.Folders() || s.Path != "" || s.Name != "big" {
			t.Errorf("summary of %d files: %+v", n, s)
		}
		checkSummary(t, tree, s)
	}
}

func checkSummary(t *testing.T, tree *Tree, s world.MapTree) {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > SummaryBytes {
		t.Errorf("summary takes %d bytes, over %d", len(data), SummaryBytes)
	}
	depth := func(n world.MapTree, f func(world.MapTree, int)) {
		var rec func(world.MapTree, int)
		rec = func(n world.MapTree, d int) {
			f(n, d)
			for _, c := range n.Children {
				rec(c, d+1)
			}
		}
		rec(n, 0)
	}
	depth(s, func(n world.MapTree, d int) {
		if d > 2 || n.Children == nil || len(n.Children) > SummaryChildren {
			t.Errorf("%q at level %d has %d children (nil %v)", n.Path, d, len(n.Children), n.Children == nil)
		}
		e, ok := tree.Lookup(n.Path)
		if !ok || e.Files != n.Files || e.Folders != n.Folders || e.Name != n.Name {
			t.Errorf("node %+v is %+v in the tree", n, e)
		}
		if !slices.IsSortedFunc(n.Children, func(a, b world.MapTree) int { return strings.Compare(a.Path, b.Path) }) {
			t.Errorf("children of %q are not sorted", n.Path)
		}
	})
}

// world:state stays under 512 KB for 20,000 files (PROTOCOL.md, "Connecting"), also if each file is in a folder of
// its own with a name of the greatest encoded length.
func TestSummaryBounded(t *testing.T) {
	b := NewBuilder("wide")
	for i := range 2000 {
		a := b.Folder(Root, fmt.Sprintf("%d%s", i, strings.Repeat("\xff<", 120)))
		for j := range 10 {
			c := b.Folder(a, fmt.Sprintf("%d%s", j, strings.Repeat("\u2028", 80)))
			b.File(c, "f", 1, false)
		}
		if i == 1999 {
			for j := range 50 {
				b.File(a, fmt.Sprint(j), 1, false)
			}
		}
	}
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s := tree.Summary()
	checkSummary(t, tree, s)
	if s.Files != 20_050 || s.Folders != 22_000 {
		t.Errorf("counts are not intact: %d files, %d folders", s.Files, s.Folders)
	}
	if len(s.Children) == 0 || !slices.ContainsFunc(s.Children, func(c world.MapTree) bool { return c.Files == 60 }) {
		t.Error("the folder with the most files was left out")
	}
}

func TestMapHead(t *testing.T) {
	m := big(t, 45).Map(3, "git", 1000)
	if m.Files != 45 || m.Folders != 3 || m.Generation != 3 || m.Source != "git" || m.ScannedAt != 1000 || m.Bytes != 44*45/2 || m.Missing {
		t.Errorf("%+v", m)
	}
}
