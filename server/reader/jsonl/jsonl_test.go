package jsonl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/soak"
)

// file is a file that a test writes and reads.
type file struct {
	t     testing.TB
	path  string
	o     jsonl.Options
	place jsonl.Place
}

func newFile(t testing.TB) *file {
	return &file{t: t, path: filepath.Join(t.TempDir(), "f.jsonl"), o: jsonl.Options{Key: key}}
}

// key recognises three forms of lines: "id 17" has an id and the time 17, "at 17" has only the time, and "plain" has
// neither.
func key(line []byte) (string, time.Time) {
	word, number, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", time.Time{}
	}
	at := time.Unix(int64(n), 0)
	if word == "id" {
		return number, at
	}
	return "", at
}

func (f *file) write(text string) {
	f.t.Helper()
	if err := os.WriteFile(f.path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// read returns the new lines, joined by "|", and keeps the place in the form of JSON.
func (f *file) read() (string, jsonl.Report) {
	f.t.Helper()
	var lines []string
	next, report, err := jsonl.Read(f.t.Context(), f.path, f.place, f.o, func(l jsonl.Line) {
		text := strings.TrimSpace(string(l.Text))
		if l.Long {
			text = fmt.Sprintf("long %d at %d %x", l.Len, l.Off, l.Sum)
		}
		lines = append(lines, text)
	})
	if err != nil {
		f.t.Fatal(err)
	}
	text, err := json.Marshal(next)
	if err != nil || len(text) > 1200 {
		f.t.Fatalf("a place of %d bytes, %v", len(text), err)
	}
	f.place = jsonl.Place{}
	if err := json.Unmarshal(text, &f.place); err != nil {
		f.t.Fatal(err)
	}
	return strings.Join(lines, "|"), report
}

func (f *file) want(want string, change jsonl.Change) {
	f.t.Helper()
	got, report := f.read()
	if got != want || report.Change != change {
		f.t.Fatalf("read %q, change %d, want %q, %d", got, report.Change, want, change)
	}
}

func ids(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "id %d\n", i)
	}
	return b.String()
}

func one(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "|")
}

// TestLines: complete lines are returned once and in order, an incomplete line is returned when it is complete, empty
// lines are left out, and the line breaks of Windows are removed.
func TestLines(t *testing.T) {
	f := newFile(t)
	f.write("")
	f.want("", jsonl.Same)
	f.write("id 1\r\n\n\r\nid 2\nid")
	f.want("id 1|id 2", jsonl.Same)
	f.want("", jsonl.Same)
	f.write("id 1\r\n\n\r\nid 2\nid 3\n")
	f.want("id 3", jsonl.Same)
}

// TestReplaced: after a file was truncated, pruned or rewritten, the new lines are returned and no line is returned
// twice.
func TestReplaced(t *testing.T) {
	long := ids(1, 200)
	for _, c := range []struct {
		name, before, after, want string
		change                    jsonl.Change
		then, last                string // the next content of the file, and the lines that are then read
	}{
		{"truncated", ids(1, 9), ids(1, 4), "", jsonl.Truncated, ids(1, 12), one(ids(10, 12))},
		{"truncated to nothing", ids(1, 9), "", "", jsonl.Truncated, ids(1, 12), one(ids(10, 12))},
		{"truncated far", long, ids(1, 4), "", jsonl.Truncated, ids(1, 202), one(ids(201, 202))},
		{"truncated, other lines", ids(1, 9), ids(1, 4) + ids(20, 22), "id 20|id 21|id 22", jsonl.Truncated,
			ids(1, 4) + ids(20, 23), "id 23"},
		{"head pruned", ids(1, 9), ids(5, 11), "id 10|id 11", jsonl.Truncated, ids(5, 12), "id 12"},
		{"last one pruned", ids(1, 9), ids(1, 8) + ids(10, 11), "id 10|id 11", jsonl.Rewritten,
			ids(1, 8) + ids(10, 12), "id 12"},
		{"all pruned", ids(1, 9), ids(10, 14), "id 10|id 11|id 12|id 13|id 14", jsonl.Truncated, ids(10, 15), "id 15"},
		{"by time", "at 1\nat 2\n", " at 1\n at 2\nat 3\n", "at 3", jsonl.Rewritten, " at 1\n at 2\nat 3\nat 4\n", "at 4"},
		{"plain lines", "id 1\nplain a\nplain b\n", " id 1\nplain a\nplain b\nplain c\nid 2\n", "plain c|id 2",
			jsonl.Rewritten, " id 1\nplain a\nplain b\nplain c\nid 2\nplain d\n", "plain d"},
		{"plain lines truncated", "id 1\nplain a\nplain b\n", "id 1\n", "", jsonl.Truncated,
			"id 1\nplain a\nplain b\nplain c\nid 2\n", "plain c|id 2"},
		{"nothing is known", "plain a\nplain b\n", "plain a\n", "", jsonl.Truncated, "plain a\nplain c\n", "plain c"},
		{"times that jump back", "id 9\nid 8\n", " id 9\n id 8\nid 3\n", "id 3", jsonl.Rewritten,
			" id 9\n id 8\nid 3\nid 2\n", "id 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFile(t)
			f.write(c.before)
			f.want(one(c.before), jsonl.Same)
			f.write(c.after)
			f.want(c.want, c.change)
			f.want("", jsonl.Same)
			f.write(c.then)
			f.want(c.last, jsonl.Same)
		})
	}
}

// TestSameSize: a file with the same size and other lines counts as rewritten, whether its beginning or the bytes
// before the place differ.
func TestSameSize(t *testing.T) {
	f := newFile(t)
	f.write(ids(100, 900))
	f.read()
	f.write("id 999\n" + ids(101, 900))
	f.want("", jsonl.Rewritten)
	f.write("id 999\n" + ids(101, 899) + "id 990\n")
	f.want("id 990", jsonl.Rewritten)
}

// TestLong: of a line over the limit Read returns the beginning, the length and a checksum. They do not depend on the
// steps in which the line was read. While the line grows, the place is inside it.
func TestLong(t *testing.T) {
	for _, size := range []int{101, 5_000, 70_000, 300_000} {
		f := newFile(t)
		f.o.Limit = 100
		body := strings.Repeat("0123456789", size/10+1)[:size]
		f.write("id 1\n" + body + "\nid 2\n")
		whole, report := f.read()
		begins := fmt.Sprintf("id 1|long %d at 5 ", size)
		if !strings.HasPrefix(whole, begins) || !strings.HasSuffix(whole, "|id 2") || report.Long != 1 {
			t.Fatalf("size %d: %s", size, whole)
		}
		f.place = jsonl.Place{}
		f.write("id 1\n" + body[:size/2])
		first, _ := f.read()
		f.write("id 1\n" + body)
		second, _ := f.read()
		if first+second != "id 1" || size > 1000 && f.place.Off != int64(size)+5 {
			t.Fatalf("size %d: %q, %q, place %+v", size, first, second, f.place)
		}
		f.write("id 1\n" + body + "\nid 2\n")
		if third, _ := f.read(); "id 1|"+third != whole {
			t.Fatalf("size %d: in parts %s, at once %s", size, third, whole)
		}
	}
}

// TestWide: a line that is longer than one read of the file is returned whole.
func TestWide(t *testing.T) {
	f := newFile(t)
	var want []string
	for i, n := range []int{65_535, 65_536, 65_537, 10, 131_072, 500_000} {
		want = append(want, strings.Repeat(string(rune('a'+i)), n))
	}
	f.write(strings.Join(want, "\n") + "\n" + strings.Repeat("z", 100_000))
	var got []string
	for more := true; more; {
		text, report := f.read()
		got, more = append(got, text), report.More
	}
	if strings.Trim(strings.Join(got, "|"), "|") != strings.Join(want, "|") {
		t.Error("the lines differ")
	}
}

// TestMax: a reading ends after Max bytes, returns at least one line, and says whether there is more.
func TestMax(t *testing.T) {
	f := newFile(t)
	f.o.Max = 1
	f.write("id 1\nid 2\nid")
	for i, want := range []struct {
		text string
		more bool
	}{{"id 1", true}, {"id 2", false}, {"", false}} {
		if got, report := f.read(); got != want.text || report.More != want.more {
			t.Errorf("reading %d: %q, more %v", i, got, report.More)
		}
	}
}

// TestOlderTimeBehindANewLine: in a rewritten file, a new line is returned although a line with an older time follows
// it. TestRandom with AGENTDUNGEON_SEED=1795467283888704651 found the defect in round 194.
func TestOlderTimeBehindANewLine(t *testing.T) {
	f := newFile(t)
	f.write("id 20\n")
	f.read()
	f.write("id 40\nat 4\n")
	if got, _ := f.read(); got != "id 40|at 4" {
		t.Errorf("the new lines are %q", got)
	}
}

// TestRandom: after random prunings and appended lines, no line is returned twice, and no line with an id is left out.
func TestRandom(t *testing.T) {
	seed, err := strconv.ParseUint(os.Getenv("AGENTDUNGEON_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range soak.Cases(200, 40) {
		f := newFile(t)
		var lines, got []string
		for step := 1; step < 60; step++ {
			switch random.IntN(10) {
			case 0:
				lines = slices.Clone(lines[min(len(lines), random.IntN(3)):])
			case 1:
				if n := len(lines); n > 4 {
					lines = slices.Delete(lines, n-4, n-3)
				}
			default:
				lines = append(lines, fmt.Sprintf("id %d", round*1000+step))
				if random.IntN(3) == 0 {
					lines = append(lines, fmt.Sprintf("plain %d", step))
				}
			}
			f.write(strings.Join(lines, "\n") + "\n")
			for more := true; more; {
				f.o.Max = 1 + random.IntN(100)
				text, report := f.read()
				more = report.More
				got = append(got, strings.FieldsFunc(text, func(r rune) bool { return r == '|' })...)
			}
		}
		seen := map[string]bool{}
		for _, line := range got {
			if seen[line] {
				t.Fatalf("AGENTDUNGEON_SEED=%d round %d: %q came twice", seed, round, line)
			}
			seen[line] = true
		}
		for _, line := range lines {
			if strings.HasPrefix(line, "id") && !seen[line] {
				t.Fatalf("AGENTDUNGEON_SEED=%d round %d: %q did not come", seed, round, line)
			}
		}
	}
}

// TestNoFile: for a missing file, a folder and a pipe Read returns an error at once. A cancelled context ends the
// reading, and the place stays.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	none := func(jsonl.Line) { t.Error("a line") }
	for path, want := range map[string]error{pipe: jsonl.ErrNotFile, dir: jsonl.ErrNotFile, pipe + "x": os.ErrNotExist} {
		if _, _, err := jsonl.Read(t.Context(), path, jsonl.Place{}, jsonl.Options{}, none); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	f := newFile(t)
	f.write(ids(1, 9))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	place, _, err := jsonl.Read(ctx, f.path, jsonl.Place{}, jsonl.Options{}, none)
	if !errors.Is(err, context.Canceled) || place.Off != 0 {
		t.Errorf("place %+v, %v", place, err)
	}
}

// TestHeadAndTail: Head returns the first complete lines and Tail the last ones, up to a number of bytes or until the
// caller has enough.
func TestHeadAndTail(t *testing.T) {
	f := newFile(t)
	f.write("id 1\n\nid 2\r\nid 3\nid 4")
	for _, c := range []struct {
		max, n     int
		head, tail string
	}{
		{1000, 9, "id 1|id 2|id 3", "id 3|id 2|id 1"}, {1000, 2, "id 1|id 2", "id 3|id 2"}, {12, 9, "id 1|id 2", "id 3"}, {3, 9, "", ""},
	} {
		var got []string
		each := func(l jsonl.Line) bool {
			got = append(got, string(l.Text))
			return len(got) < c.n
		}
		if err := jsonl.Head(f.path, c.max, each); err != nil || strings.Join(got, "|") != c.head {
			t.Errorf("head %d: %q, %v", c.max, got, err)
		}
		got = nil
		if err := jsonl.Tail(f.path, c.max, each); err != nil || strings.Join(got, "|") != c.tail {
			t.Errorf("tail %d: %q, %v", c.max, got, err)
		}
	}
}

// A Recent returns the same last lines of a file as Tail, after any growth, and after the file was truncated, rewritten
// or removed. It parses each line once.
func TestRecentTellsWhatTailTells(t *testing.T) {
	const most = 400
	f := newFile(t)
	parsed := 0
	r := jsonl.Recent[string]{Max: most, Parse: func(l jsonl.Line) (string, bool) {
		parsed++
		text := string(l.Text)
		return text, !strings.HasPrefix(text, "plain")
	}}
	rng := rand.New(rand.NewPCG(1, 2))
	all := ""
	same := func(what string) {
		t.Helper()
		f.write(all)
		var want, got []string
		err := jsonl.Tail(f.path, most, func(l jsonl.Line) bool {
			if text := string(l.Text); !strings.HasPrefix(text, "plain") {
				want = append(want, text)
			}
			return !strings.HasPrefix(string(l.Text), "turn")
		})
		err2 := r.Back(f.path, func(text string) bool {
			got = append(got, text)
			return !strings.HasPrefix(text, "turn")
		})
		if err != nil || err2 != nil || len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Fatalf("%s: told %q, want %q (%v, %v)", what, got, want, err, err2)
		}
	}
	words := []string{"id", "turn", "plain", "at", "\r\nid"}
	for n := range 2000 {
		all += fmt.Sprintf("%s %d\n", words[rng.IntN(len(words))], n)
		if rng.IntN(3) == 0 {
			all += "half" // of a line
			same("half a line")
			all = strings.TrimSuffix(all, "half")
			continue
		}
		if rng.IntN(3) == 0 {
			same("grown")
		}
	}
	if lines := strings.Count(all, "\n"); parsed > lines+5 {
		t.Errorf("%d lines were parsed %d times", lines, parsed)
	}
	all = all[:len(all)/2]
	same("truncated")
	all = strings.ReplaceAll(all, "id", "di")
	same("rewritten")
	all += strings.Repeat("id 7\n", most)
	same("grown by more than the limit")
	all = ""
	same("empty")
	all = "id 1\n" + strings.Repeat("x", 2*most) + "\nid 2\n"
	same("a long line")
	all += strings.Repeat("y", most/2) + "\nid 3\n"
	same("a longer one")
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	if err := r.Back(f.path, func(string) bool { return true }); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no file it says %v", err)
	}
}
