package opencode_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/reader/opencode"
	"agentdungeon/server/shadow"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The sessions of the recording.
const (
	first  = "ses_df603e8bdffeuSf9ZjpAwnA2zM" // many turns
	child  = "ses_df6038ddeffebtTcNxs4sfoKpL" // its sub-agent
	killed = "ses_df6032c92ffenTJdj8UsaP1tQ9" // killed by SIGKILL during a turn, and continued
	forked = "ses_df60284cbffe5ZBNWO7nc1cJzl" // a copy of killed
)

type row struct {
	ID, Session, Type string
	Seq               int
	Data              json.RawMessage
}

type sessionRow struct {
	ID, Parent, Directory, Title string
	Created, Updated             int64
}

func lines[T any](t testing.TB, name string) (all []T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "terminal", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// bench is a database in the form of OpenCode's, with the recording in it.
type bench struct {
	t    testing.TB
	home string
	db   *sql.DB
	now  time.Time
	cfg  opencode.Config
}

func newBench(t testing.TB) *bench {
	b := &bench{t: t, home: t.TempDir(), now: time.UnixMilli(1795463990000)}
	b.cfg = opencode.Config{Homes: []string{b.home}, Proc: filepath.Join(t.TempDir(), "proc"), Now: func() time.Time { return b.now }}
	b.open()
	b.exec(`CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL,
		data text NOT NULL)`)
	b.exec("CREATE UNIQUE INDEX event_aggregate_seq_idx ON event (aggregate_id, seq)")
	b.exec(`CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL,
		title text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL)`)
	for _, s := range lines[sessionRow](t, "sessions.jsonl") {
		b.exec("INSERT INTO session VALUES (?,'p',nullif(?,''),?,?,?,?)", s.ID, s.Parent, s.Directory, s.Title, s.Created, s.Updated)
	}
	return b
}

func (b *bench) open() {
	b.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.home, "opencode.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)")
	if err != nil {
		b.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	b.db = db
	b.t.Cleanup(func() { db.Close() })
}

func (b *bench) exec(query string, args ...any) {
	b.t.Helper()
	if _, err := b.db.Exec(query, args...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) add(rows ...row) {
	b.t.Helper()
	b.exec("BEGIN")
	defer b.exec("COMMIT")
	for _, r := range rows {
		b.exec("INSERT INTO event VALUES (?,?,?,?,?)", r.ID, r.Session, r.Seq, r.Type, string(r.Data))
	}
}

func (b *bench) sessions(r *opencode.Reader) map[string]shadow.Session {
	b.t.Helper()
	listing, err := patient(func() (shadow.Listing, error) {
		return r.Sessions(b.t.Context(), func(string) bool { return true }, 100)
	})
	if err != nil {
		b.t.Fatal(err)
	}
	all := map[string]shadow.Session{}
	for _, s := range listing.Sessions {
		all[s.ID] = s
	}
	return all
}

// patient calls f again while f fails because a busy machine does not finish a reading within its 50 ms.
func patient[T any](f func() (T, error)) (v T, err error) {
	for range 200 {
		if v, err = f(); err == nil || !errors.Is(err, context.DeadlineExceeded) {
			return v, err
		}
	}
	return v, err
}

// read reads the entries of a session after a position.
func read(t testing.TB, r *opencode.Reader, s shadow.Session, after shadow.Position, maxBytes int) ([]shadow.Entry, shadow.Batch) {
	t.Helper()
	var all []shadow.Entry
	for {
		b, err := patient(func() (shadow.Batch, error) { return r.Read(t.Context(), s, after, maxBytes) })
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Next) > shadow.MaxPosition {
			t.Fatalf("a position of %d bytes", len(b.Next))
		}
		all, after = append(all, b.Entries...), b.Next
		if !b.More {
			return all, b
		}
	}
}

func TestGolden(t *testing.T) {
	b := newBench(t)
	b.add(lines[row](t, "events.jsonl")...)
	r := opencode.New(b.cfg)
	var got bytes.Buffer
	for _, id := range []string{first, child, killed, forked} {
		s := b.sessions(r)[id]
		s.File = ""
		line, _ := json.Marshal(s)
		fmt.Fprintf(&got, "%s\n", line)
		entries, last := read(t, r, b.sessions(r)[id], "", 1<<20)
		for _, e := range entries {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s\n", line)
		}
		if c := last.Counts; len(c.Unknown) > 0 || c.Broken+c.TooLong+c.Hidden > 0 {
			t.Errorf("%s: %+v", id, c)
		}
	}
	file := filepath.Join("testdata", "terminal", "golden.jsonl")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("entries differ from %s:\n%s", file, got.Bytes())
	}
}

// The entries are the same if the database grows between the readings by a random number of events, and a new reader
// continues after each reading.
func TestCutsGiveTheSameEntries(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("AGENTDUNGEON_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("AGENTDUNGEON_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	rows := lines[row](t, "events.jsonl")
	b := newBench(t)
	b.add(rows...)
	want := map[string][]shadow.Entry{}
	sessions := b.sessions(opencode.New(b.cfg))
	for id, s := range sessions {
		want[id], _ = read(t, opencode.New(b.cfg), s, "", 1<<30)
	}
	for cuts := 0; cuts < 200; {
		b.exec("DELETE FROM event")
		got, at := map[string][]shadow.Entry{}, map[string]shadow.Position{}
		for rest := rows; len(rest) > 0; cuts++ {
			n := 1 + random.IntN(min(len(rest), 60))
			b.add(rest[:n]...)
			rest = rest[n:]
			r := opencode.New(b.cfg)
			for id, s := range sessions {
				entries, last := read(t, r, s, at[id], 1+random.IntN(20_000))
				got[id], at[id] = append(got[id], entries...), last.Next
			}
		}
		for id := range want {
			if !reflect.DeepEqual(got[id], want[id]) {
				t.Fatalf("session %s, read while it grew: %d entries, want %d", id, len(got[id]), len(want[id]))
			}
		}
	}
}

func TestWhatIsUnknownIsCounted(t *testing.T) {
	b := newBench(t)
	b.cfg.MaxRecord = 2000
	long, _ := json.Marshal(map[string]string{"x": strings.Repeat("x", 3000)})
	b.add(row{"evt_1", first, "session.invented.1", 0, json.RawMessage(`{}`)},
		row{"evt_2", first, "message.part.updated.1", 1, json.RawMessage(`{"part":{"id":"p","type":"invented"}}`)},
		row{"evt_3", first, "message.updated.1", 2, json.RawMessage(`{"info":`)},
		row{"evt_4", first, "message.updated.1", 3, long},
		row{"evt_5", first, "message.part.updated.1", 4, json.RawMessage(`{"part":{"id":"q","type":"text","text":"hello"}}`)})
	r := opencode.New(b.cfg)
	entries, last := read(t, r, b.sessions(r)[first], "", 1<<20)
	want := shadow.Counts{Unknown: map[string]int{"session.invented.1": 1, "part invented": 1}, Broken: 1, TooLong: 1}
	if !reflect.DeepEqual(last.Counts, want) {
		t.Errorf("counts %+v, want %+v", last.Counts, want)
	}
	if len(entries) != 2 || entries[0].Kind != shadow.Lost || entries[1].Text != "hello" {
		t.Errorf("entries %+v", entries)
	}
	if _, err := r.State(t.Context(), b.sessions(r)[first], "", b.now); err != nil {
		t.Errorf("state beside a broken event: %v", err)
	}
}

// If an older database replaces a newer one, the reader returns no entry twice.
func TestAnOlderDatabaseRepeatsNothing(t *testing.T) {
	b := newBench(t)
	rows := lines[row](t, "events.jsonl")
	b.add(rows...)
	r := opencode.New(b.cfg)
	s := b.sessions(r)[first]
	_, last := read(t, r, s, "", 1<<20)
	b.exec("DELETE FROM event WHERE seq > 20")
	if again, _ := read(t, r, s, last.Next, 1<<20); len(again) > 0 {
		t.Errorf("truncated: %d entries again", len(again))
	}
	b.exec("DELETE FROM event")
	b.add(rows...)
	if again, _ := read(t, r, s, last.Next, 1<<20); len(again) > 0 {
		t.Errorf("rewritten: %d entries again", len(again))
	}
}

func TestSubAgentsFollowTheirParent(t *testing.T) {
	b := newBench(t)
	b.add(lines[row](t, "events.jsonl")...)
	s := b.sessions(opencode.New(b.cfg))[child]
	if s.Parent != first || s.Call != "call_faked3583bbf8a2740fcb0" || s.Name != "general" || s.Title != "Look at A" {
		t.Errorf("sub-agent %+v", s)
	}
}

// proc adds a process that has the database open to the invented /proc.
func (b *bench) proc(pid int, dir string, start time.Time) {
	b.t.Helper()
	folder := filepath.Join(b.cfg.Proc, strconv.Itoa(pid))
	if err := os.MkdirAll(filepath.Join(folder, "fd"), 0o755); err != nil {
		b.t.Fatal(err)
	}
	boot := int64(1795460000)
	path, err := filepath.EvalSymlinks(filepath.Join(b.home, "opencode.db"))
	if err != nil {
		b.t.Fatal(err)
	}
	stat := fmt.Sprintf("%d (open code) S 1 0 0 34816 %s%d 0\n", pid, strings.Repeat("0 ", 14), (start.Unix()-boot)*100)
	for _, err := range []error{
		os.Symlink(path, filepath.Join(folder, "fd", "24")), os.Symlink(dir, filepath.Join(folder, "cwd")),
		os.WriteFile(filepath.Join(folder, "stat"), []byte(stat), 0o644),
		os.WriteFile(filepath.Join(folder, "environ"), []byte("TMUX=/tmp/tmux-0/default,1,0\x00TMUX_PANE=%3"), 0o644),
		os.WriteFile(filepath.Join(b.cfg.Proc, "stat"), fmt.Appendf(nil, "cpu 1\nbtime %d\n", boot), 0o644)} {
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

func TestStates(t *testing.T) {
	const project = "/home/dev/project"
	at := func(ms int64) time.Time { return time.UnixMilli(ms) }
	for _, c := range []struct {
		name    string
		session string
		seq     int    // the newest event
		dir     string // working directory of the process, "" for no process
		start   time.Time
		now     time.Time
		want    string // the state's name, wait, reason and source
	}{
		{"a prompt", first, 2, project, at(1795463840000), at(1795463846200), "working|||transcript"},
		{"a tool runs", first, 11, project, at(1795463840000), at(1795463850300), "working||read: README.md|transcript"},
		{"between two requests", first, 16, project, at(1795463840000), at(1795463850600), "working|||transcript"},
		{"between two for long", first, 16, project, at(1795463840000), at(1795463950600), "waiting|turn||guess"},
		{"the model writes the input", first, 22, project, at(1795463840000), at(1795463851000), "working||bash|transcript"},
		{"for long", first, 22, project, at(1795463840000), at(1795463861000), "waiting|permission|bash|guess"},
		{"just begun", first, 24, project, at(1795463840000), at(1795463851500), "working||bash: touch o.txt|transcript"},
		{"it asks", first, 24, project, at(1795463840000), at(1795463853500), "waiting|permission|bash: touch o.txt|guess"},
		{"allowed", first, 25, project, at(1795463840000), at(1795463959000), "working||bash: touch o.txt|transcript"},
		{"a turn is over", first, 55, project, at(1795463840000), at(1795463859000), "waiting|turn||transcript"},
		{"denied", first, 72, project, at(1795463840000), at(1795463859000), "waiting|turn||transcript"},
		{"interrupted", first, 86, project, at(1795463840000), at(1795463866000), "waiting|turn||transcript"},
		{"failed", first, 120, project, at(1795463840000), at(1795463873000), "waiting|turn||transcript"},
		{"a sub-agent runs", first, 98, project, at(1795463840000), at(1795463970000), "working||task: Look at A|transcript"},
		{"a sub-agent is done", child, 27, project, at(1795463840000), at(1795463970000), "ended|||transcript"},
		{"killed", killed, 25, "", time.Time{}, at(1795463900000), "lost||bash: sleep 31|transcript"},
		{"killed, and another process began", killed, 25, project, at(1795463920000), at(1795463925000), "lost||bash: sleep 31|transcript"},
		{"a process elsewhere", killed, 25, "/home/dev/other", at(1795463800000), at(1795463900000), "working||bash: sleep 31|guess"},
		{"elsewhere, for long", killed, 25, "/home/dev/other", at(1795463800000), at(1795465900000), "lost||bash: sleep 31|guess"},
		{"a folder above", killed, 25, "/home/dev", at(1795463800000), at(1795463900000), "working||bash: sleep 31|transcript"},
		{"over, and no process", first, 55, "", time.Time{}, at(1795463859000), "ended|||transcript"},
		{"a copy of an open call", forked, 29, project, at(1795463930000), at(1795463990000), "waiting|turn||transcript"},
		{"killed, and the clock has jumped back", killed, 25, "", time.Time{}, at(1795460252000), "lost||bash: sleep 31|transcript"},
		{"the clock has jumped ahead", first, 25, project, at(1795463840000), at(1795499852000), "working||bash: touch o.txt|transcript"},
		{"the clock has jumped back", first, 25, project, at(1795463840000), at(1795460252000), "working||bash: touch o.txt|transcript"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			var last int64
			for _, r := range lines[row](t, "events.jsonl") {
				if r.Session != c.session || r.Seq > c.seq {
					continue
				}
				b.add(r)
				var d struct {
					Time int64
					Info struct {
						Time struct{ Created, Completed, Updated int64 }
					}
				}
				if err := json.Unmarshal(r.Data, &d); err != nil {
					t.Fatal(err)
				}
				last = max(last, d.Time, d.Info.Time.Created, d.Info.Time.Completed)
			}
			b.exec("UPDATE session SET time_updated = ?", last)
			if c.dir != "" {
				b.proc(77, c.dir, c.start)
			}
			b.now = c.now
			r := opencode.New(b.cfg)
			s := b.sessions(r)[c.session]
			state, err := patient(func() (shadow.State, error) { return r.State(t.Context(), s, "", c.now) })
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join([]string{state.Name, state.Wait, state.Reason, state.Source}, "|"); got != c.want {
				t.Errorf("state %s, want %s", got, c.want)
			}
			if alive := c.dir != "" && !strings.Contains(c.name, "another process began"); s.Alive != alive {
				t.Errorf("Alive is %v", s.Alive)
			}
			if state.Since.IsZero() {
				t.Error("Since is zero")
			}
		})
	}
}

// The reader notices the end of a process at once, also if nobody writes to the database.
func TestAProcessThatDiesIsSeen(t *testing.T) {
	b := newBench(t)
	for _, r := range lines[row](t, "events.jsonl") {
		if r.Session == killed && r.Seq <= 25 {
			b.add(r)
		}
	}
	b.proc(77, "/home/dev/project", time.UnixMilli(1795463840000))
	r := opencode.New(b.cfg)
	s := b.sessions(r)[killed]
	if s.Terminal != "tmux attach -t %3" {
		t.Errorf("its terminal is %q", s.Terminal)
	}
	names := []string{}
	for range 2 {
		state, err := patient(func() (shadow.State, error) { return r.State(t.Context(), s, "", b.now) })
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, state.Name)
		if err := os.RemoveAll(filepath.Join(b.cfg.Proc, "77")); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(names, []string{shadow.Working, shadow.Gone}) {
		t.Errorf("states %v", names)
	}
}

// After a reading no lock is held and the files are as before, with and without a log.
func TestReadingWritesNothing(t *testing.T) {
	b := newBench(t)
	b.add(lines[row](t, "events.jsonl")...)
	for _, log := range []bool{true, false} {
		if !log {
			if err := b.db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		before := files(t, b.home)
		r := opencode.New(b.cfg)
		for _, s := range b.sessions(r) {
			if entries, _ := read(t, r, s, "", 1000); len(entries) == 0 {
				t.Errorf("no entries in %s", s.ID)
			}
			if _, err := patient(func() (shadow.State, error) { return r.State(t.Context(), s, "", b.now) }); err != nil {
				t.Fatal(err)
			}
		}
		if after := files(t, b.home); !reflect.DeepEqual(after, before) {
			t.Errorf("log %v: files %v, were %v", log, after, before)
		}
		if _, has := before["opencode.db-wal"]; has != log {
			t.Errorf("the files are %v", before)
		}
		if log {
			var busy, pages, moved int
			row := b.db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)")
			if err := row.Scan(&busy, &pages, &moved); err != nil || busy != 0 {
				t.Errorf("a lock is left: busy %d, %v", busy, err)
			}
		}
	}
}

// files returns size, mode and time of each file in a folder.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = fmt.Sprint(info.Size(), info.Mode(), info.ModTime().UnixNano())
	}
	return all
}

func TestNoDatabaseIsNoError(t *testing.T) {
	r := opencode.New(opencode.Config{Homes: []string{t.TempDir()}, Proc: t.TempDir()})
	listing, err := r.Sessions(t.Context(), func(string) bool { return true }, 10)
	if err != nil || len(listing.Sessions) > 0 || listing.Total != 0 {
		t.Errorf("%+v, %v", listing, err)
	}
}

func TestHomes(t *testing.T) {
	env := map[string]string{}
	get := func(name string) string { return env[name] }
	if got := opencode.Homes("/home/dev", get); got[0] != "/home/dev/.local/share/opencode" {
		t.Error(got)
	}
	env["XDG_DATA_HOME"] = "/data"
	if got := opencode.Homes("/home/dev", get); got[0] != "/data/opencode" {
		t.Error(got)
	}
}

// A command that ended with another status than 0 has failed, although the program calls the call completed. The record
// is of OpenCode 1.18.33.
func TestACommandFails(t *testing.T) {
	b := newBench(t)
	for i, exit := range []string{"2", "0", "null"} {
		b.add(row{"evt_" + exit, first, "message.part.updated.1", i, json.RawMessage(`{"part":{"id":"p` + exit + `","type":"tool",` +
			`"callID":"c` + exit + `","tool":"bash","state":{"status":"completed","input":{"command":"make test"},"output":"FAIL",` +
			`"metadata":{"output":"FAIL","exit":` + exit + `,"truncated":false},"time":{"start":1796129376942,"end":1796129377086}}}}`)})
	}
	r := opencode.New(b.cfg)
	entries, _ := read(t, r, b.sessions(r)[first], "", 1<<20)
	var got []string
	for _, e := range entries {
		if e.Kind == shadow.Result {
			got = append(got, fmt.Sprint(e.OK, e.Ended, e.Text))
		}
	}
	if want := "false trueFAIL, true trueFAIL, true falseFAIL"; strings.Join(got, ", ") != want {
		t.Errorf("ok, ended, output: %q, want %q", got, want)
	}
}
