// Package readertest is the conformance suite of shadow.Reader for programs that write lines. It plays a recording of
// the real program and checks the rules of shadow.Reader. It owns no recording. Tests of the packages below
// server/reader call it; the product does not.
package readertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/shadow"
)

// Recording has the files that one run of a program has left.
type Recording struct {
	// Dir is the folder with the recording. Each case plays on a copy of it.
	Dir string
	// New returns a reader of the copy at home, as a server makes it after a restart. limit is the maximum length of a
	// record in bytes, 0 for the reader's default.
	New func(t testing.TB, home string, limit int64) shadow.Reader
	// Move moves the file of a session as the program does; nil if the program moves no files.
	Move func(t testing.TB, home string, s shadow.Session)
	// Unknown is a record of a type that the reader does not know, as one line.
	Unknown string
	// Cuts is how often each session is read while its file grows, 0 for 200.
	Cuts int
}

// Conform plays a recording. It prints the seed of its random source; the variable AGENTDUNGEON_SEED sets the seed.
func Conform(t *testing.T, r Recording) {
	if r.Cuts == 0 {
		r.Cuts = 200
	}
	if r.Unknown == "" {
		r.Unknown = `{"type":"readertest-unknown","payload":{"type":"readertest-unknown"}}`
	}
	seed, err := strconv.ParseUint(os.Getenv("AGENTDUNGEON_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	p := player{Recording: r, rand: rand.New(rand.NewPCG(seed, 0))}
	t.Run("whole", p.whole)
	for _, s := range p.sessions(t) {
		name := s.ID[:min(8, len(s.ID))]
		t.Run(fmt.Sprintf("grown/%s/AGENTDUNGEON_SEED=%d", name, seed), func(t *testing.T) { p.grown(t, s) })
		t.Run(fmt.Sprintf("truncated/%s/AGENTDUNGEON_SEED=%d", name, seed), func(t *testing.T) { p.truncated(t, s) })
		t.Run(fmt.Sprintf("rewritten/%s/AGENTDUNGEON_SEED=%d", name, seed), func(t *testing.T) { p.rewritten(t, s) })
		t.Run(fmt.Sprintf("odd/%s/AGENTDUNGEON_SEED=%d", name, seed), func(t *testing.T) { p.odd(t, s) })
		if r.Move != nil {
			t.Run("moved/"+name, func(t *testing.T) { p.moved(t, s) })
		}
	}
}

// Sessions returns all sessions of a reader, ordered by ID.
func Sessions(t testing.TB, r shadow.Reader) []shadow.Session {
	t.Helper()
	listing, err := r.Sessions(t.Context(), func(string) bool { return true }, 1000)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(listing.Sessions, func(a, b shadow.Session) int { return strings.Compare(a.ID, b.ID) })
	return listing.Sessions
}

// ReadAll reads a session from a position to its end, at most maxBytes in each call.
func ReadAll(
	t testing.TB, r shadow.Reader, s shadow.Session, after shadow.Position, maxBytes int,
) (entries []shadow.Entry, last shadow.Batch) {
	t.Helper()
	last.Next = after
	counts := shadow.Counts{Unknown: map[string]int{}}
	for range 1_000_000 {
		batch, err := r.Read(context.Background(), s, last.Next, maxBytes)
		if err != nil {
			t.Fatalf("Read %s: %v", s.ID, err)
		}
		if len(batch.Next) > shadow.MaxPosition || batch.Next != "" && !json.Valid([]byte(batch.Next)) {
			t.Fatalf("a position of %d bytes: %s", len(batch.Next), batch.Next)
		}
		for name, n := range batch.Counts.Unknown {
			counts.Unknown[name] += n
		}
		counts.Broken += batch.Counts.Broken
		counts.TooLong += batch.Counts.TooLong
		counts.Hidden += batch.Counts.Hidden
		entries = append(entries, batch.Entries...)
		if batch.More && batch.Next == last.Next && len(batch.Entries) == 0 {
			t.Fatalf("Read %s: there is more, but it does not go on from %s", s.ID, batch.Next)
		}
		s, last = batch.Session, batch
		if !batch.More {
			last.Counts = counts
			return entries, last
		}
	}
	t.Fatalf("Read %s does not end", s.ID)
	return nil, last
}

type player struct {
	Recording
	rand *rand.Rand
}

const everything = 1 << 30

// copy returns a copy of the recording.
func (p *player) copy(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	if err := os.CopyFS(home, os.DirFS(p.Dir)); err != nil {
		t.Fatal(err)
	}
	return home
}

// sessions returns the sessions of the recording, with File relative to its folder.
func (p *player) sessions(t testing.TB) []shadow.Session {
	home := p.copy(t)
	all := Sessions(t, p.New(t, home, 0))
	if len(all) == 0 {
		t.Fatal("the recording has no session")
	}
	for i := range all {
		file, err := filepath.Rel(home, all[i].File)
		if err != nil || strings.HasPrefix(file, "..") {
			t.Fatalf("session %s is not in the recording: %s", all[i].ID, all[i].File)
		}
		all[i].File = file
	}
	return all
}

// place returns a copy of the recording, a session in it, the content of its file and its entries.
func (p *player) place(
	t testing.TB, s shadow.Session,
) (home string, in shadow.Session, data []byte, want []shadow.Entry) {
	t.Helper()
	home = p.copy(t)
	s.File = filepath.Join(home, s.File)
	data, err := os.ReadFile(s.File)
	if err != nil {
		t.Fatal(err)
	}
	want, _ = ReadAll(t, p.New(t, home, 0), s, "", everything)
	return home, s, data, want
}

// whole reads every session of a copy of the recording in one call, and again in many calls. It checks that both
// return the same entries, checks the last position and the state, and checks that no file of the copy has changed.
func (p *player) whole(t *testing.T) {
	home := p.copy(t)
	before := hashes(t, home)
	r := p.New(t, home, 0)
	for _, s := range Sessions(t, r) {
		if s.Program != r.Program() || s.ID == "" || !filepath.IsAbs(s.Dir) || s.Changed.IsZero() {
			t.Errorf("a session lacks its program, id, folder or time of change: %+v", s)
		}
		entries, last := ReadAll(t, r, s, "", everything)
		if last.Session.ID != s.ID || last.Session.Dir == "" {
			t.Errorf("session %s has another id or no folder after its entries were read: %+v", s.ID, last.Session)
		}
		sound(t, entries)
		for _, e := range entries {
			if len(e.Text) > 40 && strings.Contains(string(last.Next), e.Text) {
				t.Errorf("the position contains the text of an entry: %s", last.Next)
			}
		}
		state, err := r.State(t.Context(), s, last.Next, time.Now())
		if err != nil || state.Name == "" || state.Source == "" || len(state.Reason) > shadow.MaxReason {
			t.Errorf("the state of session %s is %+v, %v; want a name, a source and a short reason", s.ID, state, err)
		}
		same(t, "bytes one by one", entries, func() []shadow.Entry { all, _ := ReadAll(t, r, s, "", 1); return all }())
	}
	if after := hashes(t, home); after != before {
		t.Errorf("the reader has changed files:\n%s\nbefore:\n%s", after, before)
	}
}

// sound checks the rules that hold for the entries of every session.
func sound(t testing.TB, entries []shadow.Entry) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range entries {
		if e.ID == "" || ids[e.ID] {
			t.Errorf("the ID of entry %+v is empty or the ID of an earlier entry", e)
		}
		ids[e.ID] = true
		calls := e.Kind == shadow.Call || e.Kind == shadow.Result
		if (e.Kind == shadow.Call) != (e.Tool != nil) || calls != (e.CallID != "") {
			t.Errorf("the tool or the CallID of entry %+v does not fit its kind", e)
		}
		if e.Tool == nil {
			e.Tool = &shadow.Tool{}
		}
		if len(e.Text) > shadow.MaxText || len(e.Tool.Input) > shadow.MaxInput || len(e.Tool.Brief) > shadow.MaxReason {
			t.Errorf("entry %s is over a limit", e.ID)
		}
		for _, touch := range e.Tool.Touches {
			if !filepath.IsAbs(touch.Path) {
				t.Errorf("entry %s touches the relative path %q", e.ID, touch.Path)
			}
		}
	}
}

// grown reads a session while its file grows in steps of random length.
func (p *player) grown(t *testing.T, s shadow.Session) {
	home, s, data, want := p.place(t, s)
	for cuts := 0; cuts < p.Cuts; {
		at := make([]int, 1+p.rand.IntN(5))
		for i := range at {
			at[i] = p.rand.IntN(len(data) + 1)
		}
		slices.Sort(at)
		cuts += len(at)
		var got []shadow.Entry
		var next shadow.Position
		in := s
		r := p.New(t, home, 0)
		for _, n := range append(at, len(data)) {
			write(t, s.File, data[:n])
			if p.rand.IntN(2) == 0 {
				r = p.New(t, home, 0)
			}
			entries, last := ReadAll(t, r, in, next, 1+p.rand.IntN(2*len(data)))
			got, next, in = append(got, entries...), last.Next, last.Session
		}
		if same(t, fmt.Sprint("grown at ", at), want, got); t.Failed() {
			return
		}
	}
}

// truncated cuts off the end of a file that was read, and lets it grow again to its old content.
func (p *player) truncated(t *testing.T, s shadow.Session) {
	home, s, data, want := p.place(t, s)
	for range 20 {
		read, left := p.rand.IntN(len(data)+1), 0
		if read > 0 {
			left = p.rand.IntN(read)
		}
		r := p.New(t, home, 0)
		write(t, s.File, data[:read])
		got, last := ReadAll(t, r, s, "", everything)
		write(t, s.File, data[:left])
		entries, last := ReadAll(t, r, s, last.Next, everything)
		if len(entries) > 0 {
			t.Fatalf("after a cut from %d to %d bytes, %d entries came twice: %+v", read, left, len(entries), entries)
		}
		write(t, s.File, data)
		entries, _ = ReadAll(t, r, s, last.Next, everything)
		if same(t, fmt.Sprintf("truncated from %d to %d", read, left), want, append(got, entries...)); t.Failed() {
			return
		}
	}
}

// rewritten replaces the file by one that has the same records in other bytes, and more records.
func (p *player) rewritten(t *testing.T, s shadow.Session) {
	home, s, data, want := p.place(t, s)
	for range 20 {
		read := p.rand.IntN(len(data) + 1)
		r := p.New(t, home, 0)
		write(t, s.File, data[:read])
		got, last := ReadAll(t, r, s, "", everything)
		var b bytes.Buffer
		for line := range bytes.Lines(data) {
			b.WriteString("{ " + string(bytes.TrimPrefix(line, []byte("{"))))
		}
		write(t, s.File+".new", b.Bytes())
		if err := os.Rename(s.File+".new", s.File); err != nil {
			t.Fatal(err)
		}
		entries, _ := ReadAll(t, r, s, last.Next, everything)
		if same(t, fmt.Sprintf("rewritten after %d", read), want, append(got, entries...)); t.Failed() {
			return
		}
	}
}

// odd inserts lines that a reader cannot use between the other lines: a record of an unknown type, broken lines, an
// empty line, and one over the limit.
func (p *player) odd(t *testing.T, s shadow.Session) {
	home, s, data, want := p.place(t, s)
	limit := 0
	for line := range bytes.Lines(data) {
		limit = max(limit, len(line))
	}
	lines := slices.Collect(bytes.Lines(data))
	put := func(odd string) {
		at := 1 + p.rand.IntN(len(lines)) // the first line stays first, because it can describe the session
		lines = slices.Insert(lines, at, []byte(odd+"\n"))
	}
	put(p.Unknown)
	put(`{"type":"user","mess`)
	put("\x00\x00\xff\xfe")
	put("[]")
	put("")
	write(t, s.File, bytes.Join(lines, nil))
	got, last := ReadAll(t, p.New(t, home, int64(limit)), s, "", everything)
	same(t, "with odd lines", want, got)
	if last.Counts.Broken < 2 || len(last.Counts.Unknown) == 0 {
		t.Errorf("counts %+v, want 2 broken lines and an unknown type", last.Counts)
	}
	// Add the long line at the end, because a reader leaves out the copied records at the beginning of a fork.
	lines = append(lines, []byte(`{"type":"user","text":"`+strings.Repeat("x", limit)+"\"}\n"))
	write(t, s.File, bytes.Join(lines, nil))
	got, last = ReadAll(t, p.New(t, home, int64(limit)), s, "", everything)
	lost := 0
	got = slices.DeleteFunc(got, func(e shadow.Entry) bool {
		is := e.Kind == shadow.Lost
		if is {
			lost++
		}
		return is
	})
	want = slices.DeleteFunc(want, func(e shadow.Entry) bool { return e.Kind == shadow.Lost })
	same(t, "with a line over the limit", want, got)
	if lost == 0 || last.Counts.TooLong != 1 {
		t.Errorf("%d entries say that something is lost, want 1 or more; counts %+v, want 1 too long", lost, last.Counts)
	}
}

// moved reads half a session, moves its file and reads the rest.
func (p *player) moved(t *testing.T, s shadow.Session) {
	home, s, data, want := p.place(t, s)
	write(t, s.File, data[:len(data)/2])
	r := p.New(t, home, 0)
	got, last := ReadAll(t, r, s, "", everything)
	write(t, s.File, data)
	p.Move(t, home, s)
	if _, err := os.Stat(s.File); err == nil {
		t.Fatal("Move has not moved the file")
	}
	for _, now := range Sessions(t, r) {
		if now.ID == s.ID {
			entries, _ := ReadAll(t, r, now, last.Next, everything)
			same(t, "moved", want, append(got, entries...))
			return
		}
	}
	t.Errorf("session %s is not found any more", s.ID)
}

func write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// same compares two lists of entries in the form of JSON.
func same(t testing.TB, what string, want, got []shadow.Entry) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		a, b := "nothing", "nothing"
		if i < len(want) {
			a = text(want[i])
		}
		if i < len(got) {
			b = text(got[i])
		}
		if a != b {
			t.Errorf("%s: entry %d of %d (wanted %d) is\n%s\nwant\n%s", what, i, len(got), len(want), b, a)
			return
		}
	}
}

func text(e shadow.Entry) string {
	b, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// hashes returns name, mode, time and checksum of every file below a folder, to detect changes.
func hashes(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintln(&b, path, info.Mode(), info.ModTime(), sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
