package inspect_test

import (
	"testing"
	"testing/fstest"
	"time"

	"agentdungeon/server/inspect"
)

// Each file counts once. A file that no check reads does not count. If a check reads a part of the repository
// (Only), its files count for the whole.
func TestProgressCountsFilesOnce(t *testing.T) {
	texts := fstest.MapFS{
		"a.go":              {Data: []byte("package a\n")},
		"b.txt":             {Data: []byte("b\n")},
		"logo.png":          {Data: []byte("\x00\x01")},
		"go.sum":            {Data: []byte("x\n")},
		"node_modules/x.js": {Data: []byte("x()\n")},
	}
	var entries []inspect.Entry
	for name, f := range texts {
		entries = append(entries, inspect.Entry{Path: name, Size: int64(len(f.Data))})
	}
	r := inspect.New("r", texts, entries, nil, time.Time{})
	want := func(read int) {
		t.Helper()
		if n, total := r.Progress(); n != read || total != 3 {
			t.Errorf("%d of %d files are read, not %d of 3", n, total, read)
		}
	}
	want(0)
	r.Text("a.go")
	r.Text("a.go")
	want(1)
	r.Text("go.sum")
	r.Text("node_modules/x.js")
	r.Text("missing.go")
	want(1)
	r.Only([]string{"b.txt"}).Text("b.txt")
	want(2)
	r.Text("logo.png")
	want(3)
}
