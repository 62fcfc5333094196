package gemini_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/reader/gemini"
	"agentdungeon/server/reader/readertest"
	"agentdungeon/server/shadow"
)

const (
	mainID = "11111111-1111-4111-8111-111111111111"
	nextID = "22222222-2222-4222-8222-222222222222"
	subID  = "33333333-3333-4333-8333-333333333333"
)

// noon is the present time in the tests. The machine started an hour before.
var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// home is a home folder with one project, and an invented /proc.
type home struct {
	t    testing.TB
	dir  string
	proc string
}

func newHome(t testing.TB) home {
	h := home{t, t.TempDir(), t.TempDir()}
	h.write(filepath.Join(h.dir, "tmp/project/.project_root"), "/home/dev/project")
	h.write(filepath.Join(h.proc, "stat"), fmt.Sprintf("cpu 1\nbtime %d\n", noon.Add(-time.Hour).Unix()))
	return h
}

func (h home) write(file, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// process makes a process that began at the time before noon.
func (h home) process(pid, parent int, before time.Duration, dir, args string) {
	h.t.Helper()
	folder := filepath.Join(h.proc, fmt.Sprint(pid))
	ticks := (time.Hour - before).Milliseconds() / 10
	h.write(filepath.Join(folder, "stat"), fmt.Sprintf("%d (a (b) c) S %d 0 0 34816%s %d 0\n", pid, parent, strings.Repeat(" 0", 14), ticks))
	h.write(filepath.Join(folder, "environ"), fmt.Sprintf("TMUX=/tmp/tmux-0/default,1,0\x00TMUX_PANE=%%%d", pid))
	h.write(filepath.Join(folder, "cmdline"), strings.ReplaceAll(args, " ", "\x00")+"\x00")
	if err := os.Symlink(dir, filepath.Join(folder, "cwd")); err != nil {
		h.t.Fatal(err)
	}
}

// gemini makes the two processes that one start of the program makes.
func (h home) gemini(pid int, before time.Duration, dir string) {
	h.process(pid, 1, before, dir, "node /usr/bin/gemini")
	h.process(pid+1, pid, before, dir, "/usr/bin/node --max-old-space-size=8192 /usr/bin/gemini")
}

// session makes a session with messages one second apart. The last one is as old as before says.
func (h home) session(id string, before time.Duration, lines ...string) {
	h.t.Helper()
	h.write(filepath.Join(h.dir, "tmp/project/chats/session-2026-11-23T11-00-"+id[:8]+".jsonl"), transcript(id, before, lines))
}

func (h home) helper(before time.Duration, lines ...string) {
	h.t.Helper()
	h.write(filepath.Join(h.dir, "tmp/project/chats", mainID, subID+".jsonl"), transcript(subID, before, lines))
}

func transcript(id string, before time.Duration, lines []string) string {
	at := func(i int) string {
		return noon.Add(-before - time.Duration(len(lines)-i)*time.Second).Format(time.RFC3339Nano)
	}
	all := []string{`{"sessionId":"` + id + `","projectHash":"x","startTime":"` + at(0) + `","kind":"main"}`}
	for i, line := range lines {
		all = append(all, strings.ReplaceAll(line, "AT", at(i+1)))
	}
	return strings.Join(all, "\n") + "\n"
}

func (h home) reader(proc string) *gemini.Reader {
	return gemini.New(gemini.Config{Homes: []string{h.dir}, Proc: proc, Now: func() time.Time { return noon }})
}

const (
	asked    = `{"id":"m1","timestamp":"AT","type":"user","content":[{"text":"do it"}]}`
	words    = `{"id":"m2","timestamp":"AT","type":"gemini","content":"I will.","tokens":{"input":1}}`
	silent   = `{"id":"m2","timestamp":"AT","type":"gemini","content":"","tokens":{"input":1}}`
	called   = `{"id":"m2","timestamp":"AT","type":"gemini","content":"I will.","toolCalls":[{"id":"c","name":"glob","status":"success"}]}`
	stopped  = `{"id":"m3","timestamp":"AT","type":"info","content":"Request cancelled."}`
	aborted  = `{"id":"m4","timestamp":"AT","type":"gemini","content":"","toolCalls":[{"id":"c","name":"glob","status":"cancelled"}]}`
	answered = `{"id":"m5","timestamp":"AT","type":"user","content":[{"functionResponse":{"id":"c","name":"glob","response":{}}}]}`
	failed   = `{"id":"m6","timestamp":"AT","type":"error","content":"quota"}`
	rewound  = `{"$rewindTo":"m1"}`
	history  = `{"$set":{"messages":[{"id":"m1","type":"user"}],"lastUpdated":"AT"}}`
	headed   = `{"id":"n1","timestamp":"AT","type":"user","content":[{"text":"<session_context>"},{"text":"do it"}]}`
	again    = `{"id":"n2","timestamp":"AT","type":"gemini","content":[{"text":"I will."}],"tokens":null}`
	ended    = `{"$set":{"summary":"found"}}`
)

// TestState: the state of a session follows from its last records and the processes in its folder. A state that the
// files do not show is marked as a guess.
func TestState(t *testing.T) {
	const sure, guess = shadow.FromTranscript, shadow.FromGuess
	const here = "/home/dev/project"
	for _, c := range []struct {
		name   string
		lines  []string
		before time.Duration // the last record
		start  time.Duration // how long before noon the process began, 0 for no process
		dir    string
		want   string // the state's name, wait, source and reason
	}{
		{"prompt", []string{asked}, time.Second, time.Minute, here, "working  " + sure + " "},
		{"after a tool", []string{asked, called, answered}, time.Second, time.Minute, here, "working  " + sure + " "},
		{"a call has ended", []string{asked, called}, time.Second, time.Minute, here, "working  " + sure + " "},
		{"just spoken", []string{asked, words}, time.Second, time.Minute, here, "working  " + guess + " "},
		{"spoken", []string{asked, words}, time.Minute, time.Hour, here, "waiting turn " + guess + " or it asks for permission"},
		{"called without words", []string{asked, silent}, time.Minute, time.Hour, here, "waiting permission " + guess + " "},
		{"denied", []string{asked, aborted, stopped}, time.Minute, time.Hour, here, "waiting turn " + sure + " "},
		{"interrupted", []string{asked, words, stopped, aborted, answered}, time.Minute, time.Hour, here,
			"waiting turn " + sure + " "},
		{"history repeated", []string{asked, words, stopped, headed, again, answered, history}, time.Minute, time.Hour,
			here, "waiting turn " + sure + " "},
		{"failed", []string{asked, failed}, time.Minute, time.Hour, here, "waiting turn " + sure + " "},
		{"stepped back", []string{asked, words, rewound, history}, time.Minute, time.Hour, here, "waiting turn " + sure + " "},
		{"asked after an interruption", []string{asked, stopped, asked}, time.Second, time.Minute, here,
			"working  " + sure + " "},
		{"only its head", nil, time.Second, time.Minute, here, "waiting turn " + sure + " "},
		{"killed in a turn", []string{asked}, time.Second, 0, "", "lost  " + sure + " "},
		{"killed in a call", []string{asked, silent}, time.Second, 0, "", "lost  " + sure + " "},
		{"ended", []string{asked, words}, time.Second, 0, "", "ended  " + sure + " "},
		{"a process elsewhere", []string{asked}, time.Second, time.Minute, "/home/dev/other", "lost  " + sure + " "},
		{"a younger process", []string{asked}, time.Hour, time.Minute, here, "lost  " + guess + " "},
		{"ended before a younger process", []string{asked, words}, time.Hour, time.Minute, here, "ended  " + guess + " "},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.session(mainID, c.before, c.lines...)
			if c.start > 0 {
				h.gemini(100, c.start, c.dir)
			}
			r := h.reader(h.proc)
			s := readertest.Sessions(t, r)[0]
			if got := state(t, r, s, noon); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if alive := !strings.HasPrefix(c.want, "lost") && !strings.HasPrefix(c.want, "ended"); s.Alive != alive {
				t.Errorf("alive: %v", s.Alive)
			}
			for _, now := range []time.Time{noon.Add(9 * time.Hour), noon.Add(-9 * time.Hour)} {
				before, _, _ := strings.Cut(c.want, " ")
				if got := state(t, r, s, now); !strings.HasPrefix(got, before) && !strings.Contains(got, guess) {
					t.Errorf("at %v: %q, want %q", now, got, c.want)
				}
			}
		})
	}
}

func state(t testing.TB, r shadow.Reader, s shadow.Session, now time.Time) string {
	t.Helper()
	got, err := r.State(t.Context(), s, "", now)
	if err != nil || got.Since.IsZero() || got.Since.After(now) {
		t.Errorf("%+v, %v", got, err)
	}
	return fmt.Sprintf("%s %s %s %s", got.Name, got.Wait, got.Source, got.Reason)
}

// TestStateWithoutProcesses: if /proc cannot be read, every state is marked as a guess, and an open turn counts as at
// work only for a time.
func TestStateWithoutProcesses(t *testing.T) {
	for _, c := range []struct {
		last string
		age  time.Duration
		want string
	}{
		{asked, time.Minute, shadow.Working}, {asked, time.Hour, shadow.Gone}, {asked, -time.Hour, shadow.Gone},
		{words, time.Minute, shadow.Idle},
	} {
		h := newHome(t)
		h.session(mainID, 0, c.last)
		r := h.reader(filepath.Join(h.proc, "none"))
		s := readertest.Sessions(t, r)[0]
		if got := state(t, r, s, noon.Add(c.age)); got != c.want+"  guess " || s.Alive {
			t.Errorf("after %v: %q, alive %v", c.age, got, s.Alive)
		}
	}
}

// TestWhichSessionIsHeld: if one process runs in a folder with several sessions, the newest session is probably its
// own, and the state is marked as a guess. A second, empty file of that session, which a resume leaves, is not listed
// as a session.
func TestWhichSessionIsHeld(t *testing.T) {
	h := newHome(t)
	h.session(mainID, time.Minute, asked)
	h.session(nextID, time.Second, asked)
	h.write(filepath.Join(h.dir, "tmp/project/chats/session-2026-11-23T11-59-"+nextID[:8]+".jsonl"),
		transcript(nextID, 0, nil))
	h.gemini(100, 10*time.Minute, "/home/dev/project")
	r := h.reader(h.proc)
	all := readertest.Sessions(t, r)
	if len(all) != 2 || all[0].Alive || !all[1].Alive || !strings.Contains(all[1].File, "T11-00-") {
		t.Fatalf("%+v", all)
	}
	if got := state(t, r, all[0], noon) + "|" + state(t, r, all[1], noon); got != "lost  guess |working  guess " {
		t.Error(got)
	}
	if err := os.Chtimes(all[1].File, noon, noon); err != nil { // the empty file is the newer one
		t.Fatal(err)
	}
	all = readertest.Sessions(t, h.reader(filepath.Join(h.proc, "none")))
	if len(all) != 2 || !strings.Contains(all[1].File, "T11-00-") {
		t.Errorf("%+v", all)
	}
}

// TestACommandRuns: a child process that began after the last answer shows that a tool runs; an older child process
// does not.
func TestACommandRuns(t *testing.T) {
	for before, want := range map[time.Duration]string{
		50 * time.Second: "working  guess a command", 20 * time.Minute: "waiting turn guess or it asks for permission",
	} {
		h := newHome(t)
		h.session(mainID, time.Minute, asked, words)
		h.gemini(100, 30*time.Minute, "/home/dev/project")
		h.process(200, 101, before, "/home/dev/project", "bash -c x")
		r := h.reader(h.proc)
		if got := state(t, r, readertest.Sessions(t, r)[0], noon); got != want {
			t.Errorf("child of %v: %q, want %q", before, got, want)
		}
	}
}

// TestSubAgents: a sub-agent runs in the process of its parent, and ends when it has a result, when the process ends,
// or when its parent continues without it.
func TestSubAgents(t *testing.T) {
	for _, c := range []struct {
		name        string
		alive       bool
		main, lines []string
		before      time.Duration // the age of the sub-agent's last record; the parent's last record is a minute old
		want        string
	}{
		{"works", true, []string{asked, words}, []string{asked}, time.Second, "working  transcript |working  guess sub-agent"},
		{"has ended", true, []string{asked, words}, []string{asked, ended}, time.Second, "ended  transcript |waiting turn guess or it asks for permission"},
		{"killed", false, []string{asked, words}, []string{asked}, time.Second, "lost  transcript |ended  transcript "},
		{"its parent was interrupted", true, []string{asked, words, stopped}, []string{asked}, 90 * time.Second,
			"ended  guess |waiting turn transcript "},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.session(mainID, time.Minute, c.main...)
			h.helper(c.before, c.lines...)
			if c.alive {
				h.gemini(100, 30*time.Minute, "/home/dev/project")
			}
			r := h.reader(h.proc)
			all := readertest.Sessions(t, r)
			if len(all) != 2 || all[1].ID != subID || all[1].Parent != mainID {
				t.Fatalf("%+v", all)
			}
			if got := state(t, r, all[1], noon) + "|" + state(t, r, all[0], noon); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestTheTerminalOfASession: the only process of a folder has the terminal of its session; of two, nobody knows which.
func TestTheTerminalOfASession(t *testing.T) {
	h := newHome(t)
	h.session(mainID, time.Minute, asked)
	h.gemini(100, 2*time.Minute, "/home/dev/project")
	if s := readertest.Sessions(t, h.reader(h.proc))[0]; s.Terminal != "tmux attach -t %101" {
		t.Errorf("its terminal is %q", s.Terminal)
	}
	h.gemini(200, 2*time.Minute, "/home/dev/project")
	if s := readertest.Sessions(t, h.reader(h.proc))[0]; !s.Alive || s.Terminal != "" {
		t.Errorf("with two processes: %+v", s)
	}
}

// TestListing: sessions that a process holds come first, then the newest. Left out are projects whose folder is unknown
// or that the caller does not want, other files, and the credentials beside them. If the program never ran, there are
// no sessions and no error.
func TestListing(t *testing.T) {
	h := newHome(t)
	h.session(mainID, time.Minute, asked)
	h.session(nextID, time.Hour, asked)
	other := filepath.Join(h.dir, "tmp/other")
	h.write(filepath.Join(other, ".project_root"), "/home/dev/other")
	for _, file := range []string{"other/chats/session-2026-11-23T11-00-aaaaaaaa.jsonl", "nameless/chats/session-x.jsonl"} {
		h.write(filepath.Join(h.dir, "tmp", file), transcript(subID, 0, nil))
	}
	h.write(filepath.Join(h.dir, "tmp/project/chats/session-2026-11-23T11-00-11111111.json"), "{}")
	h.write(filepath.Join(h.dir, "tmp/project/chats/notes.jsonl"), "{}\n")
	h.write(filepath.Join(h.dir, "tmp/bin"), "x")
	h.write(filepath.Join(h.dir, "oauth_creds.json"), "{}")
	h.gemini(100, 2*time.Minute, "/home/dev/project")
	here := func(dir string) bool { return dir == "/home/dev/project" }
	for limit, want := range map[int]int{9: 2, 1: 1, 0: 0} {
		listing, err := h.reader(h.proc).Sessions(t.Context(), here, limit)
		if err != nil || len(listing.Sessions) != want || listing.Total != 4 || listing.Counts.Hidden != 0 {
			t.Errorf("limit %d: %+v, %v", limit, listing, err)
		}
		if want > 0 && (listing.Sessions[0].ID != mainID || !listing.Sessions[0].Alive) {
			t.Errorf("%+v", listing.Sessions[0])
		}
	}
	old := h.reader(h.proc)
	old.Skip(func(id string, _ time.Time) bool { return true })
	if all := readertest.Sessions(t, old); len(all) != 1 || all[0].ID != mainID {
		t.Errorf("not only what is held: %+v", all)
	}
	r := gemini.New(gemini.Config{Homes: []string{filepath.Join(h.dir, "none")}})
	if listing, err := r.Sessions(t.Context(), here, 9); err != nil || listing.Total != 0 {
		t.Errorf("%+v, %v", listing, err)
	}
}

// TestHomes: the folder is in GEMINI_CLI_HOME, else in the home folder.
func TestHomes(t *testing.T) {
	env := map[string]string{"HOME": "/home/dev"}
	get := func(name string) string { return env[name] }
	if got := gemini.Homes(get); len(got) != 1 || got[0] != "/home/dev/.gemini" {
		t.Error(got)
	}
	env["GEMINI_CLI_HOME"] = "/data"
	if got := gemini.Homes(get); len(got) != 1 || got[0] != "/data/.gemini" {
		t.Error(got)
	}
}

// A command that ended with another status than 0 has failed, although the program calls the call a success. The record
// is of Gemini CLI 0.61.0.
func TestACommandFails(t *testing.T) {
	for end, want := range map[string]bool{"Exit Code: 2\\n": false, "": true} {
		h := newHome(t)
		h.session(mainID, time.Minute, asked, `{"id":"m9","type":"gemini","content":"","model":"m","toolCalls":[{"id":"c1",`+
			`"name":"run_shell_command","args":{"command":"make test"},"status":"success","result":[{"functionResponse":{"response":`+
			`{"output":"<untrusted_context>\\nOutput: x\n`+end+`Process Group PGID: 4296\n</untrusted_context>"}}}]}]}`)
		r := h.reader(h.proc)
		entries, _ := readertest.ReadAll(t, r, readertest.Sessions(t, r)[0], "", 1<<20)
		if e := entries[len(entries)-1]; e.Kind != shadow.Result || e.OK != want || !e.Ended {
			t.Errorf("%q: the result is %+v", end, e)
		}
	}
}
