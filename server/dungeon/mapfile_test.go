package dungeon

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func entries(t *Tree) []Entry { return slices.Collect(t.All) }

func TestMapFileRoundTrip(t *testing.T) {
	for seed := range uint64(30) {
		tree, _ := grow(t, rand.New(rand.NewPCG(seed, 5)), 400, 60)
		data := Encode(tree, 1000)
		again, at, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if at != 1000 {
			t.Fatalf("seed %d: the time of the scan is %v", seed, at)
		}
		if !reflect.DeepEqual(entries(tree), entries(again)) {
			t.Fatalf("seed %d: the tree changes by being stored", seed)
		}
		if !reflect.DeepEqual(tree.Summary(), again.Summary()) {
			t.Fatalf("seed %d: the summary changes by being stored", seed)
		}
	}
}

func TestMapFileIsCompact(t *testing.T) {
	data := Encode(big(t, 20_000), 1000)
	t.Logf("20,000 files: %d bytes", len(data))
	if len(data) > 1<<20 {
		t.Errorf("20,000 files take %d bytes", len(data))
	}
}

func TestMapFileOverTheLimit(t *testing.T) {
	form := func() *mapFile {
		return &mapFile{Schema: mapSchema, Folders: []mapFolder{
			{Name: "x", Files: []string{"a", "b"}, Sizes: []int64{1, 2}, Links: []int{1}}, {Name: "y"},
		}}
	}
	for _, c := range []struct{ limit, files, folders int }{{1000, 2, 1}, {70, 0, 1}, {10, 0, 0}} {
		tree, _, err := Decode(form().encode(c.limit))
		if err != nil {
			t.Fatal(err)
		}
		if tree.Files() != c.files || tree.Folders() != c.folders {
			t.Errorf("limit %d: %d files, %d folders", c.limit, tree.Files(), tree.Folders())
		}
	}
}

func TestDecodeMapRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"nothing":            "",
		"not JSON":           "{",
		"no schema":          `{"folders":[{"name":"x"}]}`,
		"newer":              `{"schema":2,"folders":[{"name":"x"}]}`,
		"no folder":          `{"schema":1,"folders":[]}`,
		"folder before":      `{"schema":1,"folders":[{"name":"x"},{"in":1,"name":"y"}]}`,
		"folder below zero":  `{"schema":1,"folders":[{"name":"x"},{"in":-1,"name":"y"}]}`,
		"dots":               `{"schema":1,"folders":[{"name":"x"},{"name":".."}]}`,
		"slash":              `{"schema":1,"folders":[{"name":"x"},{"name":"a/b"}]}`,
		"escaped slash":      `{"schema":1,"folders":[{"name":"x","files":["%2F"],"sizes":[1]}]}`,
		"bad escape":         `{"schema":1,"folders":[{"name":"x","files":["%G1"],"sizes":[1]}]}`,
		"bad root":           `{"schema":1,"folders":[{"name":"%"}]}`,
		"twice":              `{"schema":1,"folders":[{"name":"x","files":["a","a"],"sizes":[1,1]}]}`,
		"file and folder":    `{"schema":1,"folders":[{"name":"x","files":["a"],"sizes":[1]},{"name":"a"}]}`,
		"sizes missing":      `{"schema":1,"folders":[{"name":"x","files":["a"]}]}`,
		"link beyond":        `{"schema":1,"folders":[{"name":"x","files":["a"],"sizes":[1],"links":[1]}]}`,
		"links out of order": `{"schema":1,"folders":[{"name":"x","files":["a","b"],"sizes":[1,1],"links":[1,0]}]}`,
	} {
		if tree, _, err := Decode([]byte(data)); err == nil || tree != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Decode([]byte(`{"schema":7,"folders":[]}`)); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("a newer file is not called newer: %v", err)
	}
	if _, _, err := Decode(make([]byte, MaxMapBytes+1)); err == nil {
		t.Error("a file over the limit was read")
	}
}

// FuzzDecodeMap asserts that Decode returns an error for a damaged file and never panics. A decoded tree obeys the
// rules of all trees.
func FuzzDecodeMap(f *testing.F) {
	tree, _ := grow(f, rand.New(rand.NewPCG(1, 9)), 20, 5)
	data := Encode(tree, 1000)
	f.Add(data)
	f.Add([]byte(`{"schema":1,"folders":[{"name":"x","files":["a"],"sizes":[-1],"links":[0]},{"name":"y"},{"in":1,"name":"%FF"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, at, err := Decode(data)
		if err != nil {
			return
		}
		checkRooms(t, tree)
		tree.Summary()
		once := Encode(tree, at)
		again, at, err := Decode(once)
		if err != nil {
			t.Fatal(err)
		}
		twice := Encode(again, at)
		if !bytes.Equal(once, twice) {
			t.Fatalf("stored differently the second time:\n%s\n%s", once, twice)
		}
	})
}
