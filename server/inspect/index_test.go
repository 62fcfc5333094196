package inspect

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestIndexKnowsLines(t *testing.T) {
	text := []byte("a\r\n\n  b \nc")
	x := NewIndex(text)
	for n, want := range map[int]string{-1: "", 0: "", 1: "a", 2: "", 3: "b", 4: "c", 5: ""} {
		if got := x.Quote(n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
		if got := Line(text, n); got != want {
			t.Errorf("Line %d is %q, want %q", n, got, want)
		}
	}
	if got := NewIndex(nil).Quote(1); got != "" {
		t.Errorf("the line of an empty text is %q", got)
	}
	if from, to := x.bounds(1); from != 0 || to != 1 {
		t.Errorf("line 1 is %d to %d", from, to)
	}
	if got := Line([]byte(strings.Repeat("ä", 5000)), 1); len(got) > 200 || !strings.HasPrefix(got, "ää") {
		t.Errorf("a long line is %d bytes: %q", len(got), got)
	}
}

// TestManyLinesOfALargeText quotes every line of a large text. It ends soon, because every line costs
// the same; a search from the beginning for each line would take minutes.
func TestManyLinesOfALargeText(t *testing.T) {
	text := bytes.Repeat([]byte("\n"), MaxText)
	f := &GoFile{Text: text}
	for n := 1; n <= MaxText; n++ {
		if got := f.Quote(n); got != "" {
			t.Fatalf("line %d is %q", n, got)
		}
	}
}

func TestLockFilesMayBeLarger(t *testing.T) {
	data := bytes.Repeat([]byte("a\n"), MaxText)
	fsys := fstest.MapFS{"go.sum": {Data: data}, "x/pnpm-lock.yaml": {Data: data}, "a.txt": {Data: data}, "yarn.lock": {Data: data}}
	entries := []Entry{{"go.sum", 1}, {"x/pnpm-lock.yaml", int64(len(data))}, {"a.txt", int64(len(data))}, {"yarn.lock", maxLock + 1}}
	r := New("r", fsys, entries, nil, time.Time{})
	for p, want := range map[string]bool{"go.sum": true, "x/pnpm-lock.yaml": true, "a.txt": false, "yarn.lock": false} {
		if _, ok := r.Text(p); ok != want {
			t.Errorf("%s is read: %v, want %v (%s)", p, ok, want, r.Unread()[p])
		}
	}
}

// A review reads a limited amount of source, the same files every time, and names those that it left out.
func TestSourceBeyondTheLimitIsUnread(t *testing.T) {
	fsys, entries := fstest.MapFS{}, []Entry{}
	for i := range maxRead/MaxText + 2 {
		name := fmt.Sprintf("f%04d.go", i)
		fsys[name] = &fstest.MapFile{Data: []byte("package f\n")}
		entries = append(entries, Entry{name, MaxText})
	}
	r := New("big", fsys, entries, nil, time.Time{})
	read := 0
	for range r.All(t.Context()) {
		read++
	}
	unread := r.Unread()
	if read != maxRead/MaxText || len(unread) != 2 || unread["f0257.go"] != "a review reads 256 MB of source" {
		t.Errorf("%d files are read, and not %v", read, unread)
	}
}
