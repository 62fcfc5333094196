package dungeon

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
)

func pagesOf(t testing.TB, tree *Tree, path string) []wire.MapChange {
	t.Helper()
	var out []wire.MapChange
	for page := 0; ; page++ {
		m, err := Room(&Survey{Tree: tree}, path, page)
		if err != nil {
			t.Fatalf("Room(%q, %d): %v", path, page, err)
		}
		out = append(out, m)
		if page+1 >= m.Pages {
			return out
		}
	}
}

// checkRooms checks every room of a tree: each file and each sub-folder has exactly one place on all pages together,
// all places are within the walls and reachable, doors lead both ways, and no id repeats in the realm (B30).
func checkRooms(t testing.TB, tree *Tree) {
	t.Helper()
	ids := map[string]string{}   // the name of each id
	objects := map[string]bool{} // paths
	ways := map[string]bool{}    // "from -> to"
	for e := range tree.All {
		if !e.Folder {
			continue
		}
		for page, m := range pagesOf(t, tree, e.Path) {
			r := m.Room
			if m.Path != e.Path || r.Path != e.Path || m.Page != page || r.Objects == nil || r.Doors == nil {
				t.Fatalf("%q page %d: %+v", e.Path, page, m)
			}
			checkPage(t, &r)
			for _, o := range r.Objects {
				if objects[o.Path] {
					t.Fatalf("%q stands twice", o.Path)
				}
				objects[o.Path] = true
				name(t, ids, o.ID, "object "+o.Path)
				have, ok := tree.Lookup(o.Path)
				if !ok || have.Folder || have.Size != o.Size || have.Kind.String() != o.Kind || have.Name != o.Name {
					t.Fatalf("object %+v is %+v in the tree", o, have)
				}
			}
			back := 0
			for _, d := range r.Doors {
				to, ok := tree.Lookup(d.Path)
				if !ok || !to.Folder || to.Files != d.Files || to.Name != d.Name {
					t.Fatalf("door %+v leads to %+v", d, to)
				}
				if d.Back {
					back++
					name(t, ids, d.ID, "back "+e.Path)
					continue
				}
				name(t, ids, d.ID, "door "+d.Path)
				way := e.Path + " -> " + d.Path
				if ways[way] {
					t.Fatalf("two doors %s", way)
				}
				ways[way] = true
			}
			if want := min(1, len(e.Path)); back != want {
				t.Fatalf("%q has %d ways back", e.Path, back)
			}
		}
	}
	if len(objects) != tree.Files() || len(ways) != tree.Folders() {
		t.Fatalf("%d of %d files and %d of %d doors stand in rooms", len(objects), tree.Files(), len(ways), tree.Folders())
	}
}

func name(t testing.TB, ids map[string]string, id, what string) {
	t.Helper()
	if !wire.ValidID(id) {
		t.Fatalf("id %q of %s has not the form of an id", id, what)
	}
	if other, ok := ids[id]; ok && other != what {
		t.Fatalf("%s and %s share the id %s", other, what, id)
	}
	ids[id] = what
}

func checkPage(t testing.TB, r *wire.Room) {
	t.Helper()
	if len(r.Objects) > PageFiles || len(r.Doors) > PageDoors+1 {
		t.Fatalf("%q: %d objects, %d doors on a page", r.Path, len(r.Objects), len(r.Doors))
	}
	taken := map[point]string{}
	put := func(x, y int, what string) {
		if other, ok := taken[point{x, y}]; ok {
			t.Fatalf("%q: %s and %s share %d,%d", r.Path, other, what, x, y)
		}
		taken[point{x, y}] = what
	}
	rows := map[int]string{} // each row of objects has one kind
	for _, o := range r.Objects {
		put(o.X, o.Y, o.Path)
		if o.X < 1 || o.Y < 1 || o.X > r.Width-2 || o.Y > r.Height-2 {
			t.Fatalf("%q: %+v outside %dx%d", r.Path, o, r.Width, r.Height)
		}
		if kind, ok := rows[o.Y]; ok && kind != o.Kind {
			t.Fatalf("%q: %s and %s share a row", r.Path, kind, o.Kind)
		}
		rows[o.Y] = o.Kind
	}
	for _, d := range r.Doors {
		put(d.X, d.Y, "door "+d.Path)
		side, ends := d.X == 0 || d.X == r.Width-1, d.Y == 0 || d.Y == r.Height-1
		if side == ends || d.X < 0 || d.Y < 0 || d.X >= r.Width || d.Y >= r.Height {
			t.Fatalf("%q: door %+v is not within a wall of %dx%d", r.Path, d, r.Width, r.Height)
		}
	}
	walls := map[point]bool{}
	for _, w := range r.Walls {
		walls[point{w[0], w[1]}] = true
		if what, ok := taken[point{w[0], w[1]}]; ok || w[0] < 1 || w[1] < 1 || w[0] > r.Width-2 || w[1] > r.Height-2 {
			t.Fatalf("%q: a wall at %v, where %q stands", r.Path, w, what)
		}
	}
	for _, o := range r.Objects {
		in := func(p wire.Part) bool {
			return p.Kind == o.Kind && o.X >= p.X && o.Y >= p.Y && o.X < p.X+p.Width && o.Y < p.Y+p.Height
		}
		if !slices.ContainsFunc(r.Parts, in) {
			t.Fatalf("%q: %+v stands outside the part of its kind", r.Path, o)
		}
	}
	// A free way leads from the entry to a tile beside each object and each door.
	free := func(p point) bool {
		_, blocked := taken[p]
		return !blocked && !walls[p] && p.x > 0 && p.y > 0 && p.x < r.Width-1 && p.y < r.Height-1
	}
	start := point{r.Width / 2, 1}
	reached := map[point]bool{start: true}
	for queue := []point{start}; len(queue) > 0; queue = queue[1:] {
		for _, d := range []point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			if p := (point{queue[0].x + d.x, queue[0].y + d.y}); free(p) && !reached[p] {
				reached[p] = true
				queue = append(queue, p)
			}
		}
	}
	for p, what := range taken {
		if !reached[point{p.x + 1, p.y}] && !reached[point{p.x - 1, p.y}] && !reached[point{p.x, p.y + 1}] && !reached[point{p.x, p.y - 1}] {
			t.Fatalf("%q: %s at %v cannot be reached", r.Path, what, p)
		}
	}
}

func TestRoomsOfRandomTrees_B30(t *testing.T) {
	for seed := range uint64(40) {
		tree, _ := grow(t, rand.New(rand.NewPCG(seed, 2)), 1500, 150)
		checkRooms(t, tree)
	}
}

func TestRoomsOf20kFiles(t *testing.T) {
	checkRooms(t, big(t, 20_000))
}

// Each file and sub-folder of a large folder has a place. Once, files beyond the free tiles vanished and sub-folders
// beyond 37 had no door (B30).
func TestRoomOfManyEntries_B30(t *testing.T) {
	for _, n := range []struct{ files, folders int }{
		{0, 0}, {1, 0}, {0, 1}, {0, 37}, {0, 38}, {0, 64}, {0, 65}, {0, 100}, {400, 0}, {401, 64}, {2000, 0}, {5000, 0}, {0, 5000}, {2000, 300},
	} {
		b := NewBuilder("flat")
		in := b.Folder(Root, "in")
		for i := range n.files {
			b.File(in, fmt.Sprintf("file%d%s", i, []string{".go", ".md", ".json", "_test.go"}[i%4]), 1, i%9 == 0)
		}
		for i := range n.folders {
			b.Folder(in, fmt.Sprintf("folder%d", i))
		}
		tree, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		checkRooms(t, tree)
		m := pagesOf(t, tree, "in")
		if want := max(1, (n.files+399)/400, (n.folders+63)/64); len(m) != want {
			t.Errorf("%+v: %d pages, want %d", n, len(m), want)
		}
		for _, page := range m {
			frame, err := wire.Encode(&page)
			if err != nil {
				t.Fatal(err)
			}
			if r := page.Room; r.Width*r.Height > 44*79 {
				t.Errorf("%+v: a page of %d objects and %d doors is %dx%d", n, len(r.Objects), len(r.Doors), r.Width, r.Height)
			}
			if len(frame) > 128<<10 {
				t.Errorf("%+v: a page takes %d bytes", n, len(frame))
			}
		}
	}
}

// The page shows a room at the largest whole multiple of 16 pixels a tile that fits, so a room has about the shape of a
// screen: one of 800x640 shows these at that size.
func TestRoomHasTheShapeOfAScreen(t *testing.T) {
	for _, c := range []struct{ files, folders, pixels int }{
		{3, 0, 64}, {12, 3, 48}, {25, 12, 32}, {60, 10, 16}, {100, 0, 16}, {200, 0, 16},
	} {
		b := NewBuilder("repo")
		in := b.Folder(0, "in")
		for i := range c.files {
			b.File(in, fmt.Sprintf("file%d.go", i), 1, false)
		}
		for i := range c.folders {
			b.Folder(in, fmt.Sprintf("folder%d", i))
		}
		tree, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		r := pagesOf(t, tree, "in")[0].Room
		if r.Width*c.pixels > 800 || r.Height*c.pixels > 640 {
			t.Errorf("%+v: the room is %dx%d tiles", c, r.Width, r.Height)
		}
	}
}

// The ids of a/b.ts and a_b.ts differ; once they collided (B30).
func TestIDsDoNotCollide_B30(t *testing.T) {
	b := NewBuilder("x")
	a := b.Folder(Root, "a")
	b.Folder(a, "b")
	b.File(a, "b.ts", 1, false)
	for _, n := range []string{"a_b.ts", "a-b.ts", "a.b.ts", "A_b.ts", "a%2Fb.ts", "a b.ts", "a\xffb.ts", "a%FFb.ts"} {
		b.File(Root, n, 1, false)
	}
	b.Folder(Root, "a_b")
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	checkRooms(t, tree)
}

// P10.2.
func TestRoomErrors(t *testing.T) {
	tree := big(t, 1000)
	for _, c := range []struct {
		path string
		page int
		code wire.Code
	}{
		{"nowhere", 0, wire.NotFound}, {"folder_1/nowhere", 0, wire.NotFound}, {"folder_1/source_file_0.go", 0, wire.NotFound},
		{"", -1, wire.BadField}, {"", 1, wire.BadField}, {"folder_1", 1 << 40, wire.BadField},
		{"..", 0, wire.BadField}, {"/folder_1", 0, wire.BadField}, {"folder_1/", 0, wire.BadField}, {`folder_1\x`, 0, wire.BadField},
		{strings.Repeat("a", 5000), 0, wire.TooLarge},
	} {
		m, err := Room(&Survey{Tree: tree}, c.path, c.page)
		var we *wire.Error
		if !errors.As(err, &we) || we.Code != c.code || we.Message == "" {
			t.Errorf("Room(%.20q, %d) = %+v, %v, want %s", c.path, c.page, m.Path, err, c.code)
		}
	}
}

// The same folder gives the same room, whatever else changes in the tree, and in whatever order the scan found its
// entries.
func TestRoomDeterministic(t *testing.T) {
	build := func(order []int, more bool) *Tree {
		b := NewBuilder("x")
		if more {
			b.File(b.Folder(Root, "aside"), "other.go", 1, false)
		}
		in := b.Folder(Root, "in")
		for _, i := range order {
			if i%5 == 0 {
				b.File(b.Folder(in, fmt.Sprintf("sub%d", i)), "f", 1, false)
			} else {
				b.File(in, fmt.Sprintf("file%d.go", i), int64(i), false)
			}
		}
		tree, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	r := rand.New(rand.NewPCG(1, 1))
	want := pagesOf(t, build(r.Perm(900), false), "in")
	for range 5 {
		got := pagesOf(t, build(r.Perm(900), true), "in")
		for i := range got {
			// The first door leads back and counts files of other folders too.
			got[i].Room.Doors[0].Files = want[i].Room.Doors[0].Files
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatal("two scans of one folder give two rooms")
		}
	}
}

// The layout is part of what people remember: this room must not change from one
// version to the next without a decision.
// P10.1.
func TestRoomGolden(t *testing.T) {
	b := NewBuilder("x")
	in := b.Folder(Root, "src")
	for _, n := range []string{"main.go", "main_test.go", "README.md", "go.mod"} {
		b.File(in, n, 10, false)
	}
	b.Folder(in, "sub")
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Room(&Survey{Tree: tree}, "src", 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range m.Room.Objects {
		got = append(got, fmt.Sprintf("%s %s %d,%d", o.Kind, o.Path, o.X, o.Y))
	}
	for _, d := range m.Room.Doors {
		got = append(got, fmt.Sprintf("door %q %d,%d", d.Path, d.X, d.Y))
	}
	want := []string{
		"doc src/README.md 2,2", "config src/go.mod 2,4", "file src/main.go 2,6", "test src/main_test.go 2,8",
		`door "" 6,0`, `door "src/sub" 2,10`,
	}
	if m.Room.Width != 12 || m.Room.Height != 11 || !reflect.DeepEqual(got, want) {
		t.Errorf("%dx%d\n%s", m.Room.Width, m.Room.Height, strings.Join(got, "\n"))
	}
}

// One file more or less moves few other files. It is rare that the files of a kind need more rows.
func TestSmallChangeMovesLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	rooms, moved, total, rebuilt := 0, 0, 0, 0
	for range 400 {
		n := 5 + r.IntN(380)
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%d_file%s", r.IntN(1<<30)*1000+i, []string{".go", ".go", ".md", ".json"}[r.IntN(4)]))
		}
		at := func(names []string) (map[string]point, point) {
			b := NewBuilder("x")
			for _, name := range names {
				b.File(Root, name, 1, false)
			}
			b.Folder(Root, "door")
			tree, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			m, err := Room(&Survey{Tree: tree}, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			out := map[string]point{}
			for _, o := range m.Room.Objects {
				out[o.Path] = point{o.X, o.Y}
			}
			return out, point{m.Room.Width, m.Room.Height}
		}
		before, sizeBefore := at(names)
		after, sizeAfter := at(names[:n-1])
		changed := 0
		for name, p := range after {
			if before[name] != p {
				changed++
			}
		}
		rooms++
		if sizeBefore != sizeAfter {
			rebuilt++
			continue
		}
		moved += changed
		total += len(after)
		if changed > len(after)/2 && changed > 30 {
			t.Errorf("one file less moved %d of %d without a change of size", changed, len(after))
		}
	}
	t.Logf("%d rooms: %d rebuilt, else %.1f%% of the things moved", rooms, rebuilt, 100*float64(moved)/float64(total))
	if rebuilt > rooms/10 {
		t.Errorf("%d of %d rooms were rebuilt for one file", rebuilt, rooms)
	}
	if moved*10 > total {
		t.Errorf("%d of %d things moved, over 10%%", moved, total)
	}
}

// A folder of 1,000 mixed files can be read: within a kind each language has rows of its own, and names are sorted from
// left to right and from top to bottom. P10.1.
func TestRoomIsSorted(t *testing.T) {
	b := NewBuilder("x")
	for i := range 1000 {
		b.File(Root, fmt.Sprintf("%03d_name%s", i*7919%1000, []string{".go", ".ts", ".md", ".yaml", ".zig"}[i%5]), 1, false)
	}
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var languages []string
	for _, page := range pagesOf(t, tree, "") {
		checkPage(t, &page.Room)
		for _, p := range page.Room.Parts {
			languages = append(languages, p.Kind+" "+p.Language)
			var names []string
			for _, o := range page.Room.Objects {
				if o.Y < p.Y || o.Y >= p.Y+p.Height {
					continue
				}
				if names = append(names, o.Name); p.Language != "" && o.Language != p.Language {
					t.Errorf("%s stands among files in %s", o.Name, p.Language)
				}
			}
			if !slices.IsSorted(names) {
				t.Errorf("the names of %+v are not sorted: %v", p, names)
			}
		}
	}
	want := []string{"doc Markdown", "config YAML", "file Go", "file TypeScript", "file "}
	if !slices.Equal(slices.Compact(languages), want) {
		t.Errorf("parts %q, want %q", languages, want)
	}
}

// FuzzRoom requests a fuzzed page of a fuzzed tree. It gets a room or a clear error, and each file has exactly one
// place (B30).
func FuzzRoom(f *testing.F) {
	f.Add("a\nb.go\nd/\nd/x", "d", 0)
	f.Add("a/b.ts\na_b.ts\na%", "a", 0)
	f.Add("\xff/\xff/\xff", "%FF", 3)
	f.Add(strings.Repeat("x", 300), "../..", -1)
	// No client can request this path, because the scan leaves it out.
	f.Add("a\n"+strings.Repeat("\xff", 1+wire.MaxPath/3), "a", 0)
	f.Fuzz(func(t *testing.T, list, path string, page int) {
		if len(list) > 1<<14 {
			return
		}
		b := NewBuilder("f")
		folders := map[string]FolderID{"": Root}
		files := map[string]bool{}
		for line := range strings.SplitSeq(list, "\n") {
			dir := ""
			names := strings.Split(line, "/")
			for i, n := range names {
				full := join(dir, n)
				if !validName(n) || files[full] || i > 50 || len(EncodePath(full)) > wire.MaxPath {
					break
				}
				if _, ok := folders[full]; i == len(names)-1 && !ok {
					files[full] = true
					b.File(folders[dir], n, int64(i), len(n)%7 == 0)
					break
				}
				if _, ok := folders[full]; !ok {
					folders[full] = b.Folder(folders[dir], n)
				}
				dir = full
			}
		}
		tree, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		checkRooms(t, tree)
		m, err := Room(&Survey{Tree: tree}, path, page)
		if err != nil {
			var we *wire.Error
			if !errors.As(err, &we) {
				t.Fatalf("%v is no error for a person", err)
			}
			return
		}
		if _, err := json.Marshal(m); err != nil {
			t.Fatal(err)
		}
		data := Encode(tree, 1000)
		again, _, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(pagesOf(t, again, path), pagesOf(t, tree, path)) {
			t.Fatal("the room changes by being stored")
		}
	})
}

func BenchmarkRoom(b *testing.B) {
	tree := big(b, 20_000)
	for b.Loop() {
		if _, err := Room(&Survey{Tree: tree}, "", 0); err != nil {
			b.Fatal(err)
		}
	}
}

// A room shows what git and the disk say of its files, and its doors show it for everything below them. P10.5.
func TestRoomSaysWhatHappened(t *testing.T) {
	b := NewBuilder("repo")
	src := b.Folder(Root, "src")
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		b.File(src, name, 1, false)
	}
	b.File(src, "link", 0, true)
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s := NewSurvey(Survey{
		Tree: tree, Head: tree.Map(0, "git", 1),
		Marks: map[string]Mark{"src/a.go": {Changed: 7, What: wire.ChangeChanged, Uncommitted: true}, "src/b.go": {Changed: 9, What: wire.ChangeCreated}},
		Gone:  []wire.FileChange{{Path: "src/old.go", What: wire.ChangeRemoved, At: 5}, {Path: "old", What: wire.ChangeRemoved, Folder: true, At: 6}},
		Past:  NewHistory(map[string]wire.Past{"src/a.go": {Touched: 3, Commits: 2}, "src/c.go": {Touched: 4, Commits: 1}}),
	})
	root, err := Room(s, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if d := root.Room.Doors[0]; d.Changed != 9 || d.Uncommitted != 1 || d.Past != (wire.Past{Touched: 4}) {
		t.Errorf("the door says %+v", d)
	}
	if g := root.Room.Gone; len(g) != 1 || g[0].Path != "old" {
		t.Errorf("gone from the root: %+v", g)
	}
	room, err := Room(s, "src", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range room.Room.Objects {
		switch o.Path {
		case "src/a.go":
			if o.Changed != 7 || o.What != wire.ChangeChanged || *o.Committed || o.Commits != 2 {
				t.Errorf("%+v", o)
			}
		case "src/b.go", "src/c.go":
			if !*o.Committed {
				t.Errorf("%+v", o)
			}
		case "src/link":
			if o.Committed != nil {
				t.Errorf("of a link nothing is known: %+v", o)
			}
		}
	}
	if g := room.Room.Gone; len(g) != 1 || g[0].Path != "src/old.go" {
		t.Errorf("gone from src: %+v", g)
	}
}
