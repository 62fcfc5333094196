package claude_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/reader/claude"
	"agentdungeon/server/reader/readertest"
	"agentdungeon/server/shadow"
)

var update = flag.Bool("update", false, "write the golden files")

var recordings = []string{"day", "permission", "question"}

func open(t testing.TB, home string, limit int64) shadow.Reader {
	return claude.New(claude.Config{Homes: []string{home}, Proc: filepath.Join(home, "proc"), Limit: limit})
}

// TestConform: the reader passes the conformance suite over each recording.
func TestConform(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			readertest.Conform(t, readertest.Recording{
				Dir: filepath.Join("testdata", name),
				New: open,
				Move: func(t testing.TB, home string, s shadow.Session) {
					to := strings.Replace(s.File, "-home-dev-project", "-home-dev-worktree", 1)
					if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.Rename(s.File, to); err != nil {
						t.Fatal(err)
					}
				},
			})
		})
	}
}

// TestGolden: the sessions and entries of each recording equal the golden file.
func TestGolden(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", name)
			r := open(t, dir, 0)
			var entries, sessions strings.Builder
			for _, s := range readertest.Sessions(t, r) {
				list, last := readertest.ReadAll(t, r, s, "", 1<<20)
				if len(last.Counts.Unknown) > 0 || last.Counts.Broken+last.Counts.TooLong+last.Counts.Hidden > 0 {
					t.Errorf("%s: counts %+v", s.ID, last.Counts)
				}
				s.File, s.Changed = "", time.Time{}
				sessions.WriteString(encode(t, s) + "\n")
				for _, e := range list {
					entries.WriteString(s.ID + " " + encode(t, e) + "\n")
				}
			}
			golden(t, filepath.Join(dir, "entries.txt"), entries.String())
			golden(t, filepath.Join(dir, "sessions.txt"), sessions.String())
		})
	}
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have, wanted := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(have), len(wanted)) {
		if i >= len(have) || i >= len(wanted) || have[i] != wanted[i] {
			t.Fatalf("%s differs from line %d on (%d lines, want %d)", file, i+1, len(have), len(wanted))
		}
	}
}

// TestForkCopiesNothing: a fork returns no entries and no usage that it has copied from another session, and names that
// session.
func TestForkCopiesNothing(t *testing.T) {
	r := open(t, filepath.Join("testdata", "day"), 0)
	seen := map[string]string{}
	keys := map[string]string{}
	forks := 0
	for _, s := range readertest.Sessions(t, r) {
		if s.Fork != "" {
			forks++
		}
		entries, _ := readertest.ReadAll(t, r, s, "", 1<<20)
		for _, e := range entries {
			if strings.HasPrefix(e.ID, "title-") {
				continue // the session's own
			}
			if other := seen[e.ID]; other != "" {
				t.Errorf("entry %s is in %s and %s", e.ID, other, s.ID)
			}
			seen[e.ID] = s.ID
			if e.Usage == nil {
				continue
			}
			if other := keys[e.Usage.Key]; other != "" && other != s.ID {
				t.Errorf("usage %s is in %s and %s", e.Usage.Key, other, s.ID)
			}
			keys[e.Usage.Key] = s.ID
		}
	}
	if forks != 1 || len(keys) == 0 {
		t.Errorf("%d forks, %d requests", forks, len(keys))
	}
}

// TestForkBeginsWithItsPrompt: the first entry of a fork is the prompt that was typed after the fork, although its
// promptId is that of the copied prompts.
func TestForkBeginsWithItsPrompt(t *testing.T) {
	r := open(t, filepath.Join("testdata", "day"), 0)
	for _, s := range readertest.Sessions(t, r) {
		if s.Fork == "" {
			continue
		}
		entries, _ := readertest.ReadAll(t, r, s, "", 1<<20)
		if first := entries[0]; first.Kind != shadow.Prompt || first.Text != "SAY forked" {
			t.Errorf("the fork begins with %s %q", first.Kind, first.Text)
		}
		return
	}
	t.Error("there is no fork")
}

// A command that a person ran with "!" is a tool call with its output, so that nothing of an ignored file is kept
// (P17.9), and touches no file. A typed slash command is a prompt without tags.
func TestTypedCommands(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "projects", "-home-dev-project")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	record := func(id, more, text string) string {
		return fmt.Sprintf(`{"parentUuid":"before-%[1]s","type":"user","message":{"role":"user","content":%[3]q},"uuid":"%[1]s",`+
			`"timestamp":"2026-11-30T19:27:53.990Z",%[2]s"cwd":"/home/dev/project","sessionId":"s1"}`+"\n", id, more, text)
	}
	text := record("u1", "", "<bash-input>cat .env && make</bash-input>") +
		record("u2", `"turnOrigin":"human",`, "<bash-stdout>KEY=1\n</bash-stdout><bash-stderr>late\n</bash-stderr>") +
		record("u3", `"promptSource":"typed",`, "<command-message>review is running</command-message>\n"+
			"<command-name>/review</command-name>\n<command-args>the tests</command-args>") +
		record("u4", "", "<command-name>/clear</command-name>")
	text = strings.Replace(text, "before-u2", "u1", 1) + `{"type":"api-request"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "s1.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, home, 0)
	entries, _ := readertest.ReadAll(t, r, readertest.Sessions(t, r)[0], "", 1<<20)
	if len(entries) != 3 {
		t.Fatalf("there are the entries %+v", entries)
	}
	call, result, prompt := entries[0], entries[1], entries[2]
	if call.Kind != shadow.Call || call.Tool.Input != `{"command":"cat .env && make"}` || len(call.Tool.Touches) != 0 {
		t.Errorf("the call is %+v %+v", call, call.Tool)
	}
	if result.Kind != shadow.Result || result.CallID != call.CallID || result.Text != "KEY=1\nlate\n" || !result.OK {
		t.Errorf("the result is %+v", result)
	}
	if prompt.Kind != shadow.Prompt || prompt.Text != "/review the tests" || !prompt.Human {
		t.Errorf("the prompt is %+v", prompt)
	}
}

// A notification of the program about a background task is a notice with its summary. What a hook tells the agent, and
// what a person types, stays a prompt: it can be words that somebody waits to see delivered (P17.14).
func TestNotifications(t *testing.T) {
	const finished = "<task-notification>\n<task-id>a54</task-id>\n<status>completed</status>\n" +
		"<summary>Agent \"Look at A\" finished</summary>\n<note>Look.</note>\n<result>A is <summary>done</summary></result>\n" +
		"</task-notification>"
	const woken = "<task-notification>\n<summary>Stop hook feedback</summary>\n</task-notification>\n<system-reminder>\n" +
		"Stop hook blocking error: says through Agent Dungeon (w5): hello\n</system-reminder>"
	program := `"origin":{"kind":"task-notification"}`
	for _, c := range []struct{ name, origin, text, kind, want string }{
		{"one", program, finished, "notice", `Agent "Look at A" finished`},
		{"two", program, finished + "\n" + strings.Replace(finished, "at A", "at B", 1), "notice",
			"Agent \"Look at A\" finished\nAgent \"Look at B\" finished"},
		{"a hook that wakes the agent", program, woken, "prompt", woken},
		{"a hook and a task", program, woken + finished, "prompt", woken + finished},
		{"typed by a person", `"origin":{"kind":"human"}`, finished, "prompt", finished},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			write(t, filepath.Join(home, "projects", "w", "s1.jsonl"), fmt.Sprintf(`{"type":"user","uuid":"u1","cwd":"/w",`+
				`"timestamp":"2026-11-30T19:27:53.990Z",%s,"message":{"role":"user","content":%q}}`+"\n"+
				`{"type":"api-request"}`+"\n", c.origin, c.text))
			r := open(t, home, 0)
			entries, _ := readertest.ReadAll(t, r, readertest.Sessions(t, r)[0], "", 1<<20)
			if len(entries) != 1 || string(entries[0].Kind) != c.kind || entries[0].Text != c.want {
				t.Errorf("the entries are %+v, want the %s %q", entries, c.kind, c.want)
			}
		})
	}
}

// A record that a hook has stopped the turn ends the turn, and says what the hook has said (P17.18).
func TestAHookStopsTheTurn(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, "projects", "w", "s1.jsonl"), `{"type":"user","uuid":"u1","cwd":"/w",`+
		`"timestamp":"2026-11-30T19:27:53.990Z","promptSource":"typed","message":{"role":"user","content":"Read it."}}`+"\n"+
		`{"type":"api-request"}`+"\n"+`{"parentUuid":"u1","isSidechain":false,"attachment":{"type":"hook_success","message":"fine"},"type":"attachment",`+
		`"uuid":"u2"}`+"\n"+
		`{"parentUuid":"u2","isSidechain":false,"attachment":{"type":"hook_stopped_continuation",`+
		`"message":"Stopped through Agent Dungeon (w7): please.","hookName":"PostToolUse:Read","hookEvent":"PostToolUse"},`+
		`"type":"attachment","uuid":"u3","timestamp":"2026-11-30T19:27:54.100Z","cwd":"/w"}`+"\n")
	write(t, filepath.Join(home, "proc", "self"), "")
	write(t, filepath.Join(home, "proc", "77/stat"), stat("99"))
	write(t, filepath.Join(home, "sessions", "77.json"),
		`{"pid":77,"procStart":"99","statusUpdatedAt":1795464530199,"sessionId":"s1","status":"idle"}`)
	r := open(t, home, 0)
	s := readertest.Sessions(t, r)[0]
	entries, _ := readertest.ReadAll(t, r, s, "", 1<<20)
	if n := len(entries); n != 2 || entries[1].Kind != shadow.Stopped ||
		entries[1].Text != "Stopped through Agent Dungeon (w7): please." {
		t.Errorf("the entries are %+v", entries)
	}
	state, err := r.State(t.Context(), s, "", time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil || state.Name != shadow.Waiting || state.Wait != shadow.WaitTurn {
		t.Errorf("the state is %+v %v", state, err)
	}
}

// TestState: the state of a session follows from its status file and the end of its transcript. Cases: the process
// lives, has died, its pid belongs to another process now, and there is no /proc.
func TestState(t *testing.T) {
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	alive := map[string]string{"self": "", "77/stat": stat("99")}
	used := map[string]string{"self": "", "77/stat": stat("98")}
	for _, c := range []struct {
		name, recording, status string
		proc                    map[string]string
		now                     time.Time
		want                    string // the state's name, wait, reason and source
	}{
		{"asks", "permission", `"status":"waiting","waitingFor":"permission prompt"`, alive, now,
			"waiting permission Bash: touch d.txt status"},
		{"question", "question", `"status":"waiting","waitingFor":"input needed"`, alive, now,
			"waiting question AskUserQuestion: Which one? status"},
		{"works", "permission", `"status":"busy"`, alive, now, "working  Bash: touch d.txt status"},
		{"idle", "day", `"status":"idle"`, alive, now, "waiting turn  status"},
		{"shell", "day", `"status":"shell"`, alive, now, "shell   status"},
		{"a new status", "day", `"status":"dreaming"`, alive, now, "working  dreaming guess"},
		{"killed", "permission", `"status":"busy"`, map[string]string{"self": ""}, now, "lost   status"},
		{"pid used again", "permission", `"status":"busy"`, used, now, "lost   status"},
		{"without /proc", "permission", `"status":"busy"`, nil, now, "working  Bash: touch d.txt guess"},
		{"no status file", "permission", "", alive, now, "ended   status"},
		{"clock set back", "permission", `"status":"busy"`, alive, now.AddDate(-9, 0, 0),
			"working  Bash: touch d.txt status"},
		{"clock set forward", "permission", `"status":"busy"`, alive, now.AddDate(0, 0, 9),
			"working  Bash: touch d.txt status"},
		{"killed, and the clock set back", "permission", `"status":"busy"`, map[string]string{"self": ""},
			now.AddDate(-9, 0, 0), "lost   status"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			if err := os.CopyFS(home, os.DirFS(filepath.Join("testdata", c.recording))); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(home, "sessions")); err != nil {
				t.Fatal(err)
			}
			all := readertest.Sessions(t, open(t, home, 0))
			all = slices.DeleteFunc(all, func(s shadow.Session) bool {
				return s.Parent != "" || c.recording != "permission" && s.Fork == "" && c.name == "question"
			})
			s := all[0]
			for name, text := range c.proc {
				write(t, filepath.Join(home, "proc", name), text)
			}
			if c.status != "" {
				write(t, filepath.Join(home, "sessions", "77.json"),
					`{"pid":77,"procStart":"99","statusUpdatedAt":1795464530199,"sessionId":"`+s.ID+`",`+c.status+`}`)
			}
			state, err := open(t, home, 0).State(t.Context(), s, "", c.now)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join([]string{state.Name, state.Wait, state.Reason, state.Source}, " ")
			if got != c.want || state.Since.After(c.now) {
				t.Errorf("state %q since %v, want %q", got, state.Since, c.want)
			}
		})
	}
}

// TestEndAfterKill: the status file of a killed process stays for ever. When another process has resumed the session and
// has exited, the session has ended; when that one was killed too, it is lost. Its sub-agents have the same state.
func TestEndAfterKill(t *testing.T) {
	const id = "s1"
	const early, later = "2026-11-23T20:00:00Z", "2026-11-23T21:00:00Z"
	said := func(at string) string {
		return `{"type":"user","uuid":"u` + at + `","cwd":"/w","timestamp":"` + at + `","message":{"content":"x"}}` + "\n"
	}
	const exit = `{"type":"cost-state","sessionId":"s1","totalCostUSD":0.5}` + "\n" + `{"type":"last-prompt"}` + "\n"
	killed := time.Date(2026, 11, 23, 20, 30, 0, 0, time.UTC) // when the killed process, or the one before it, began
	for _, c := range []struct{ name, transcript, want string }{
		{"killed", said(later), "lost"},
		{"resumed, then an exit", said(early) + said(later) + exit, "ended"},
		{"resumed after an exit, then killed", said(early) + exit + said(later), "lost"},
		{"resumed after an exit, then killed before a prompt", said(early) + exit, "lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			write(t, filepath.Join(home, "proc", "self"), "")
			write(t, filepath.Join(home, "projects", "w", id+".jsonl"), c.transcript)
			write(t, filepath.Join(home, "projects", "w", id, "subagents", "agent-a.jsonl"), said(early))
			write(t, filepath.Join(home, "sessions", "77.json"), `{"pid":77,"procStart":"99","status":"idle","startedAt":`+
				strconv.FormatInt(killed.UnixMilli(), 10)+`,"statusUpdatedAt":1795464530199,"sessionId":"`+id+`"}`)
			r := open(t, home, 0)
			all := readertest.Sessions(t, r)
			if len(all) != 2 {
				t.Fatalf("there are the sessions %+v", all)
			}
			for _, s := range all {
				state, err := r.State(t.Context(), s, "", killed.AddDate(0, 0, 1))
				if err != nil || state.Name != c.want {
					t.Errorf("session %s is %q, want %q (%v)", s.ID, state.Name, c.want, err)
				}
			}
		})
	}
}

// TestSubAgentOfEarlierProcess: a sub-agent does not work on when its process has ended and another process has resumed
// the session, until it has records of that process.
func TestSubAgentOfEarlierProcess(t *testing.T) {
	record := func(at string) string {
		return `{"type":"user","uuid":"u` + at + `","cwd":"/w","timestamp":"` + at + `","message":{"content":"x"}}` + "\n"
	}
	const early, later = "2026-11-23T20:00:00Z", "2026-11-23T21:00:00Z"
	began := time.Date(2026, 11, 23, 20, 30, 0, 0, time.UTC)
	for transcript, want := range map[string]string{record(early): "ended", record(early) + record(later): "working"} {
		home := t.TempDir()
		write(t, filepath.Join(home, "proc", "self"), "")
		write(t, filepath.Join(home, "proc", "77", "stat"), stat("99"))
		write(t, filepath.Join(home, "projects", "w", "s1.jsonl"), record(early)+record(later))
		write(t, filepath.Join(home, "projects", "w", "s1", "subagents", "agent-a.jsonl"), transcript)
		write(t, filepath.Join(home, "sessions", "77.json"), `{"pid":77,"procStart":"99","status":"busy","startedAt":`+
			strconv.FormatInt(began.UnixMilli(), 10)+`,"statusUpdatedAt":1795464530199,"sessionId":"s1"}`)
		r := open(t, home, 0)
		for _, s := range readertest.Sessions(t, r) {
			state, err := r.State(t.Context(), s, "", began.AddDate(0, 0, 1))
			if s.Parent != "" && (err != nil || state.Name != want) {
				t.Errorf("the sub-agent is %q, want %q (%v)", state.Name, want, err)
			}
		}
	}
}

func stat(start string) string {
	return "77 (claude) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 " + start + " 1"
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestHomes: the folders that CLAUDE_CONFIG_DIR names, several separated by commas, else those below HOME.
func TestHomes(t *testing.T) {
	for _, c := range []struct{ config, home, want string }{
		{"", "/home/dev", "/home/dev/.claude|/home/dev/.config/claude"},
		{"/a, /b", "/home/dev", "/a|/b"},
		{"", "", ""},
	} {
		env := map[string]string{"CLAUDE_CONFIG_DIR": c.config, "HOME": c.home}
		if got := strings.Join(claude.Homes(func(name string) string { return env[name] }), "|"); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestNoHome: homes that do not exist have no sessions and cause no error.
func TestNoHome(t *testing.T) {
	r := claude.New(claude.Config{Homes: []string{filepath.Join(t.TempDir(), "none")}})
	listing, err := r.Sessions(t.Context(), func(string) bool { return true }, 10)
	if err != nil || len(listing.Sessions) > 0 || listing.Counts.Hidden > 0 {
		t.Errorf("%+v, %v", listing, err)
	}
}

// The result of a command says how it ended, unless it goes on in the background or did not run. The records are of
// Claude Code 2.1.330.
func TestHowCommandsEnded(t *testing.T) {
	home := t.TempDir()
	var text strings.Builder
	for i, c := range []struct{ result, of string }{
		{`"content":"ok","is_error":false`, `{"stdout":"ok","stderr":"","interrupted":false}`},
		{`"content":"Exit code 2\n--- FAIL: TestX","is_error":true`, `"Error: Exit code 2\n--- FAIL: TestX"`},
		{`"content":"Command running in background with ID: b4os2a6ry.","is_error":false`,
			`{"stdout":"","stderr":"","interrupted":false,"backgroundTaskId":"b4os2a6ry"}`},
		{`"content":"Permission to use Bash has been denied.","is_error":true`, `"Error: Permission to use Bash has been denied."`},
	} {
		fmt.Fprintf(&text, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result",%s,"tool_use_id":"c%d"}]},`+
			`"toolUseResult":%s,"uuid":"u%d","timestamp":"2026-12-01T12:48:23.659Z","cwd":"/home/dev/project","sessionId":"s1"}`+"\n",
			c.result, i, c.of, i)
	}
	write(t, filepath.Join(home, "projects", "-home-dev-project", "s1.jsonl"), text.String()+`{"type":"api-request"}`+"\n")
	r := open(t, home, 0)
	entries, _ := readertest.ReadAll(t, r, readertest.Sessions(t, r)[0], "", 1<<20)
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(e.OK, e.Ended))
	}
	if want := "true true, false true, true false, false false"; strings.Join(got, ", ") != want {
		t.Errorf("ok, ended: %s, want %s", got, want)
	}
}
