package codex_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentdungeon/server/reader/codex"
	"agentdungeon/server/reader/readertest"
	"agentdungeon/server/shadow"
)

var update = flag.Bool("update", false, "write the goldens")

var scenarios = []string{"tools", "subagent", "failed", "asks", "terminal", "word"}

func reader(t testing.TB, home string, limit int64) shadow.Reader {
	return codex.New(codex.Config{Homes: []string{home}, Proc: t.TempDir(), Limit: limit})
}

// TestGolden: the entries of the recordings equal the golden files.
func TestGolden(t *testing.T) {
	for _, name := range scenarios {
		dir, err := filepath.Abs(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		r := reader(t, dir, 0)
		for _, s := range readertest.Sessions(t, r) {
			entries, last := readertest.ReadAll(t, r, s, "", 1<<20)
			var b bytes.Buffer
			head := last.Session
			head.File, head.Changed = filepath.Base(head.File), time.Time{}
			out := json.NewEncoder(&b)
			out.SetEscapeHTML(false)
			for _, v := range []any{head, last.Counts} {
				if err := out.Encode(v); err != nil {
					t.Fatal(err)
				}
			}
			for _, e := range entries {
				if err := out.Encode(e); err != nil {
					t.Fatal(err)
				}
			}
			golden := filepath.Join("testdata", "golden", fmt.Sprintf("%s-%s.jsonl", name, s.ID[9:]))
			if *update {
				if err := os.WriteFile(golden, b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || !bytes.Equal(want, b.Bytes()) {
				t.Errorf("%s is not what was read (%v):\n%s", golden, err, b.Bytes())
			}
		}
	}
}

// TestConform: the recordings pass the conformance suite of readers; an archived session is read on from its position.
func TestConform(t *testing.T) {
	for _, name := range scenarios {
		t.Run(name, func(t *testing.T) {
			readertest.Conform(t, readertest.Recording{Dir: filepath.Join("testdata", name), New: reader, Move: archive})
		})
	}
}

// archive moves a session's file as `codex archive` does.
func archive(t testing.TB, home string, s shadow.Session) {
	dir := filepath.Join(home, "archived_sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.File, filepath.Join(dir, filepath.Base(s.File))); err != nil {
		t.Fatal(err)
	}
}

const (
	id     = "01a209fd-83df-7ee1-80ca-3ec27eb4c64c"
	parent = "01a209fd-0000-7ee1-80ca-3ec27eb4c64c"
)

// home is an invented home with one session, and an invented /proc.
type home struct {
	t         testing.TB
	dir, proc string
	file      string
}

func newHome(t testing.TB, lines ...string) home {
	h := home{t: t, dir: t.TempDir(), proc: t.TempDir()}
	h.file = filepath.Join(h.dir, "sessions/2026/11/23/rollout-2026-11-23T19-58-59-"+id+".jsonl")
	h.write(h.file, strings.Join(lines, "\n")+"\n")
	return h
}

func (h home) write(path, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// lock makes the lock file of the session and writes a line with it into /proc/locks.
func (h home) lock(format string) {
	h.t.Helper()
	path := filepath.Join(h.dir, "thread-writer-locks", id+".lock")
	h.write(path, "")
	info, err := os.Stat(path)
	if err != nil {
		h.t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	dev := uint64(stat.Dev)
	text := ""
	if format != "" {
		text = fmt.Sprintf(format, dev>>8&0xfff, dev&0xff, stat.Ino)
	}
	h.write(filepath.Join(h.proc, "locks"), text)
}

func (h home) reader() shadow.Reader {
	return codex.New(codex.Config{Homes: []string{h.dir}, Proc: h.proc})
}

// read returns the session and its entries, each as "kind text".
func (h home) read() (shadow.Session, []shadow.Entry, string) {
	h.t.Helper()
	r := h.reader()
	all := readertest.Sessions(h.t, r)
	if len(all) != 1 {
		h.t.Fatalf("%d sessions", len(all))
	}
	entries, last := readertest.ReadAll(h.t, r, all[0], "", 1)
	var words []string
	for _, e := range entries {
		word := string(e.Kind) + " " + e.Text
		if e.Tool != nil {
			word += e.Tool.Brief
		}
		words = append(words, strings.TrimSpace(word))
	}
	return last.Session, entries, strings.Join(words, "|")
}

const (
	locked  = "1: FLOCK  ADVISORY  WRITE 26034 %02x:%02x:%d 0 EOF\n"
	waiting = "1: -> FLOCK  ADVISORY  WRITE 26034 %02x:%02x:%d 0 EOF\n"
	other   = "1: FLOCK  ADVISORY  WRITE 26034 %02x:%02x:1%d 0 EOF\n"
)

func line(n int, kind, payload string) string {
	at := time.Date(2026, 11, 23, 19, 58, 59+n, 0, time.UTC).Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"timestamp":"%s","ordinal":%d,"type":"%s","payload":%s}`, at, n, kind, payload)
}

func metaLine(source string) string {
	return line(0, "session_meta", `{"id":"`+id+`","timestamp":"2026-11-23T19:58:59Z","cwd":"/home/dev/project",`+
		`"history_mode":"paginated","source":`+source+`}`)
}

func turnLine(policy, reviewer string) string {
	return line(2, "turn_context",
		`{"cwd":"/home/dev/project","approval_policy":"`+policy+`","approvals_reviewer":"`+reviewer+`"}`)
}

const (
	begun     = `{"type":"task_started","turn_id":"x","started_at":1795463939}`
	escalated = `{"type":"function_call","name":"exec_command","call_id":"c1","arguments":` +
		`"{\"cmd\":\"touch x\",\"sandbox_permissions\":\"require_escalated\"}"}`
	plain  = `{"type":"function_call","name":"exec_command","call_id":"c1","arguments":"{\"cmd\":\"touch x\"}"}`
	output = `{"type":"function_call_output","call_id":"c1","output":"Exit code: 0\nOutput:\n"}`
	asked  = `{"type":"function_call","name":"request_user_input","call_id":"c1","arguments":"{}"}`
)

// TestState: the state follows from the lock and the last records, not from the clock.
func TestState(t *testing.T) {
	start := []string{metaLine(`"cli"`), line(1, "event_msg", begun), turnLine("on-request", "user")}
	with := func(more ...string) []string { return append(append([]string{}, start...), more...) }
	call := with(line(3, "response_item", escalated))
	over := with(line(3, "event_msg", `{"type":"task_complete"}`))
	sub := append([]string{metaLine(`{"subagent":{"thread_spawn":{"parent_thread_id":"` + parent + `"}}}`)}, over[1:]...)
	never := []string{start[0], start[1], turnLine("never", "user"), call[3]}
	auto := []string{start[0], start[1], turnLine("on-request", "auto_review"), call[3]}
	aborted := line(4, "event_msg", `{"type":"turn_aborted","reason":"interrupted"}`)
	const runs, touch = shadow.FromTranscript, "exec_command: touch x"
	for _, c := range []struct {
		name                         string
		lines                        []string
		lock                         string
		state, wait, source, because string
	}{
		{"asks", call, locked, shadow.Waiting, shadow.WaitPermission, shadow.FromGuess, touch},
		{"asks nobody", never, locked, shadow.Working, "", runs, touch},
		{"asks its own reviewer", auto, locked, shadow.Working, "", runs, touch},
		{"answered", with(call[3], line(4, "response_item", output)), locked, shadow.Working, "", runs, ""},
		{"runs", with(line(3, "response_item", plain)), locked, shadow.Working, "", runs, touch},
		{"question", with(line(3, "response_item", asked)), locked,
			shadow.Waiting, shadow.WaitQuestion, shadow.FromGuess, "request_user_input"},
		{"thinks", start, locked, shadow.Working, "", runs, ""},
		{"turn over", over, locked, shadow.Waiting, shadow.WaitTurn, runs, ""},
		{"interrupted", with(call[3], aborted), locked, shadow.Waiting, shadow.WaitTurn, runs, ""},
		{"sub-agent over", sub, locked, shadow.Idle, "", runs, ""},
		{"killed", call, "", shadow.Gone, "", shadow.FromLock, touch},
		{"somebody waits for the lock", call, waiting, shadow.Gone, "", shadow.FromLock, touch},
		{"another file is locked", over, other, shadow.Ended, "", shadow.FromLock, ""},
		{"ended", over, "", shadow.Ended, "", shadow.FromLock, ""},
		{"only its head", start[:1], locked, shadow.Waiting, shadow.WaitTurn, runs, ""},
	} {
		want := shadow.State{Name: c.state, Wait: c.wait, Source: c.source, Reason: c.because}
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, c.lines...)
			h.lock(c.lock)
			r := h.reader()
			s := readertest.Sessions(t, r)[0]
			for _, now := range []time.Time{time.Now(), time.Now().Add(9 * time.Hour), time.Now().Add(-9 * time.Hour)} {
				got, err := r.State(t.Context(), s, "", now)
				if err != nil {
					t.Fatal(err)
				}
				if got.Since.IsZero() {
					t.Error("no time")
				}
				got.Since = time.Time{}
				if got != want {
					t.Errorf("state %+v, want %+v", got, want)
				}
			}
			if alive := c.lock == locked; s.Alive != alive {
				t.Errorf("alive %v", s.Alive)
			}
		})
	}
}

// TestStateWithoutLocks: if only versions without locks ran, or /proc cannot be read, the state is marked as a guess.
func TestStateWithoutLocks(t *testing.T) {
	open := newHome(t, metaLine(`"cli"`), line(1, "event_msg", begun))
	done := line(3, "event_msg", `{"type":"task_complete"}`)
	over := newHome(t, metaLine(`"cli"`), line(1, "event_msg", begun), done)
	for _, c := range []struct {
		h    home
		age  time.Duration
		want string
	}{
		{open, time.Minute, shadow.Working},
		{open, time.Hour, shadow.Gone},
		{open, -time.Hour, shadow.Gone},
		{over, time.Minute, shadow.Idle},
	} {
		r := c.h.reader()
		s := readertest.Sessions(t, r)[0]
		got, err := r.State(t.Context(), s, "", s.Changed.Add(c.age))
		if err != nil || got.Name != c.want || got.Source != shadow.FromGuess {
			t.Errorf("after %v: %+v, %v, want %s", c.age, got, err, c.want)
		}
	}
}

// old returns a line as a version without ordinals writes it.
func old(at, kind, payload string) string {
	return `{"timestamp":"2026-11-23T` + at + `Z","type":"` + kind + `","payload":` + payload + `}`
}

func oldMeta(at, id, more string) string {
	return old(at, "session_meta",
		`{"id":"`+id+`","timestamp":"2026-11-23T`+at+`Z","cwd":"/home/dev/project","source":"cli"`+more+`}`)
}

// says returns a message in the form of an item.
func says(role, text string) string {
	part := "input_text"
	if role == "assistant" {
		part = "output_text"
	}
	return `{"type":"message","role":"` + role + `","content":[{"type":"` + part + `","text":"` + text + `"}]}`
}

// TestOldVersions: the reader returns each message and each usage of a rollout in an older form of events once, and
// the content of a rollout in the oldest form, whose lines have no wrapper. The rollouts of the test are invented
// after real ones.
func TestOldVersions(t *testing.T) {
	const count = `{"type":"token_count","info":{"total_token_usage":{"total_tokens":110},` +
		`"last_token_usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":10,"total_tokens":110}}}`
	const cat = `{"type":"function_call","name":"shell","call_id":"c",` +
		`"arguments":"{\"command\":[\"bash\",\"-lc\",\"cat a.go\"]}"}`
	const failed = `{"type":"function_call_output","call_id":"c",` +
		`"output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"}`
	_, entries, got := newHome(t,
		oldMeta("19:58:59", id, ""),
		old("19:59:00", "response_item", says("user", "<environment_context>x")),
		old("19:59:01", "response_item", says("user", "do it")),
		old("19:59:01", "event_msg", `{"type":"user_message","message":"do it"}`),
		old("19:59:02", "event_msg", `{"type":"agent_message","message":"done"}`),
		old("19:59:02", "response_item", says("assistant", "done")),
		old("19:59:02", "response_item", cat),
		old("19:59:02", "response_item", failed),
		old("19:59:03", "event_msg", count), old("19:59:04", "event_msg", count)).read()
	if want := "prompt do it|words done|call cat a.go|result x|spent"; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	if u := entries[4].Usage; u.Input != 60 || u.CacheRead != 40 || u.Output != 10 || u.Context != 110 || u.Key == "" {
		t.Errorf("usage %+v", u)
	}
	tool := entries[2].Tool
	if !entries[0].Human || entries[3].OK || !tool.Reads || tool.Touches[0].Path != "/home/dev/project/a.go" {
		t.Errorf("entries %+v", entries)
	}
	s, _, got := newHome(t,
		`{"id":"`+id+`","timestamp":"2026-11-23T19:58:59Z","instructions":null}`,
		`{"record_type":"state"}`,
		says("user", `<environment_context>\n<cwd>/home/dev/old</cwd>`),
		says("user", "do it"), says("user", "do it"), says("assistant", "done")).read()
	if want := "prompt do it|prompt do it|words done"; got != want || s.Dir != "/home/dev/old" {
		t.Errorf("%s in %s, want %s", got, s.Dir, want)
	}
}

// TestReplay: the records of the parent that a fork or a sub-agent of an older version repeats are left out.
func TestReplay(t *testing.T) {
	s, _, got := newHome(t,
		oldMeta("20:10:00", id, `,"forked_from_id":"`+parent+`"`),
		oldMeta("20:10:00", parent, ""),
		old("20:10:00", "event_msg", `{"type":"task_started","turn_id":"a","started_at":1795460000}`),
		old("20:10:00", "response_item", says("user", "of the parent")),
		old("20:10:09", "event_msg", `{"type":"task_started","turn_id":"b","started_at":1795464609}`),
		old("20:10:09", "response_item", says("user", "of the fork"))).read()
	if got != "prompt of the fork" || s.Fork != parent {
		t.Errorf("%s, fork of %q", got, s.Fork)
	}
}

// TestMoves: a turn in another working directory is a move. Relative paths are resolved against the new directory, also
// if a later reading starts after the move.
func TestMoves(t *testing.T) {
	patch := `{"type":"custom_tool_call","name":"apply_patch","call_id":"c2","input":` +
		`"*** Begin Patch\n*** Update File: a/b.go\n*** Move to: c.go\n*** End Patch"}`
	s, entries, got := newHome(t, metaLine(`"exec"`), turnLine("never", "user"),
		line(3, "turn_context", `{"cwd":"/home/dev/tree"}`), line(4, "response_item", patch),
		line(5, "turn_context", `{"cwd":"/home/dev/project"}`), line(6, "response_item", plain)).read()
	if want := "moved /home/dev/tree|call a/b.go, c.go|moved /home/dev/project|call touch x"; got != want ||
		s.Dir != "/home/dev/project" {
		t.Fatalf("%s in %s, want %s", got, s.Dir, want)
	}
	want := []shadow.Touch{{Path: "/home/dev/tree/a/b.go", Edit: true}, {Path: "/home/dev/tree/c.go", Edit: true}}
	if touches := entries[1].Tool.Touches; fmt.Sprint(touches) != fmt.Sprint(want) {
		t.Errorf("touches %v", touches)
	}
}

// TestReads: the reader knows which commands only read, and which files they name.
func TestReads(t *testing.T) {
	for _, c := range []struct {
		command string
		reads   bool
		files   string
	}{
		{"cat a.go", true, "a.go"},
		{"sed -n 1,20p 'a b.go' | head -n 5", true, "a b.go"},
		{"rg -n x . && ls", true, ""},
		{"cat a.go > b.go", false, "a.go,b.go"},
		{"sed -i s/a/b/ a.go", false, "a.go"},
		{"cat $(touch x)", false, "x"},
		{"cat $(rm x)", false, ""},
		{"find . -delete", false, ""},
		{"cat a.go && touch b", false, "a.go,b"},
		{"go test ./...", false, ""},
	} {
		args, err := json.Marshal(map[string]string{"cmd": c.command})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(string(args))
		if err != nil {
			t.Fatal(err)
		}
		_, entries, _ := newHome(t, metaLine(`"cli"`),
			line(1, "response_item",
				`{"type":"function_call","name":"exec_command","call_id":"c","arguments":`+string(text)+`}`)).read()
		var files []string
		for _, f := range entries[0].Tool.Touches {
			files = append(files, strings.TrimPrefix(f.Path, "/home/dev/project/"))
		}
		if tool := entries[0].Tool; tool.Reads != c.reads || strings.Join(files, ",") != c.files || tool.Brief != c.command {
			t.Errorf("%s: %+v", c.command, tool)
		}
	}
}

// TestListing: sessions that a process holds come first, then the newest. Left out are sessions in folders that the
// caller does not want, files that are no rollouts, and a second file of one thread.
func TestListing(t *testing.T) {
	h := newHome(t, metaLine(`"cli"`))
	h.lock(locked)
	add := func(n int, dir string) {
		path := filepath.Join(h.dir, fmt.Sprintf("archived_sessions/rollout-2026-11-2%dT19-58-59-%s%d.jsonl", n, id[:35], n))
		to := strings.NewReplacer(id, fmt.Sprintf("%s%d", id[:35], n), "/home/dev/project", dir)
		h.write(path, to.Replace(metaLine(`"cli"`))+"\n")
	}
	add(1, "/home/dev/project")
	add(2, "/home/dev/other")
	h.write(filepath.Join(h.dir, "archived_sessions/notes.jsonl"), "{}\n")
	copied := filepath.Join(h.dir, "archived_sessions", filepath.Base(h.file))
	h.write(copied, metaLine(`"cli"`)+"\n")
	old := time.Now().Add(-time.Hour)
	for _, f := range []string{h.file, copied} {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	here := func(dir string) bool { return dir == "/home/dev/project" }
	listing, err := h.reader().Sessions(t.Context(), here, 9)
	if err != nil || len(listing.Sessions) != 2 || listing.Total != 3 {
		t.Fatalf("%+v, %v", listing, err)
	}
	if first := listing.Sessions[0]; first.ID != id || !first.Alive {
		t.Errorf("%+v", first)
	}
	if listing, err = h.reader().Sessions(t.Context(), here, 1); err != nil || len(listing.Sessions) != 1 {
		t.Errorf("%+v, %v", listing, err)
	}
}

// The result of a call says whether it has failed, and of a command whether it has ended. The records are of Codex
// 0.169.0.
func TestHowCallsEnded(t *testing.T) {
	for output, want := range map[string]string{
		"Chunk ID: 9b021f\nWall time: 0.0000 seconds\nProcess exited with code 2\nOutput:\nFAIL\n":      "false true",
		"Chunk ID: 9b021f\nWall time: 0.0000 seconds\nProcess exited with code 0\nOutput:\nok\n":        "true true",
		"Chunk ID: 693c89\nWall time: 1.0020 seconds\nProcess running with session ID 57371\nOutput:\n": "true false",
		"write_stdin failed: Unknown process id 99":                                                     "false false",
		"unable to locate image at `/r/no.png`: No such file or directory (os error 2)":                 "false false",
		"Plan updated": "true false",
	} {
		text, err := json.Marshal(output)
		if err != nil {
			t.Fatal(err)
		}
		_, entries, _ := newHome(t, metaLine(`"cli"`),
			line(1, "response_item", `{"type":"function_call_output","call_id":"c","output":`+string(text)+`}`)).read()
		if e := entries[0]; fmt.Sprint(e.OK, e.Ended) != want {
			t.Errorf("%q: ok, ended: %v %v, want %s", output, e.OK, e.Ended, want)
		}
	}
}
