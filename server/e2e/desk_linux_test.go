package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// desk is the machine of a developer: a repository, and the files that Claude Code and Codex write there, in the form
// of the recordings in server/reader. The servers of its home read these files.
type desk struct {
	t    *testing.T
	home *Home
	dir  string // the linked repository
	root string // the developer's home folder
}

func newDesk(t *testing.T, args ...string) *desk {
	d := &desk{t: t, dir: repository(t), root: t.TempDir()}
	d.home = NewHome(t, server, append([]string{"-repo", d.dir}, args...)...)
	d.home.Env = []string{
		"AGENTDUNGEON_AGENTS=here", "HOME=" + d.root, "CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "GEMINI_CLI_HOME=",
		"XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "XDG_STATE_HOME=" + filepath.Join(d.root, "state"),
	}
	return d
}

// joins connects a tab of the owner and waits until it sees a hero for each agent.
func (d *desk) joins(l *Life, tab *Tab, agents ...string) {
	d.t.Helper()
	tab.Token = l.Token("open")
	tab.Join(l)
	for _, id := range agents {
		tab.Until("the hero "+id, func() bool { return tab.World != nil && tab.World.Agent(id) != nil })
	}
}

// record is the file of a session. turn makes its lines, and the rows that they become.
type record struct {
	t        *testing.T
	id, file string
	agent    string // agentId
	turn     func(n int) (lines []string, rows []string)
	rows     []string // the rows of all written lines
	turns    int
	lock     *os.File // lock file of a Codex session, held by this process
}

// append writes text to the end of the file. The text can end within a line.
func (s *record) append(text string) {
	f, err := os.OpenFile(s.file, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		s.t.Error(err)
	}
}

// next returns the text of the next turn.
func (s *record) next() string {
	lines, rows := s.turn(s.turns)
	s.turns++
	s.rows = append(s.rows, rows...)
	return strings.Join(lines, "\n") + "\n"
}

// work appends turns in chunks of random lengths until the returned function is called, which waits for the end of the
// last turn.
func (s *record) work(rng *rand.Rand) (end func()) {
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(4 * time.Millisecond)
		defer tick.Stop()
		rest := s.next()
		for {
			select {
			case <-tick.C:
			case <-over:
				s.append(rest)
				return
			}
			n := min(1+rng.IntN(900), len(rest))
			s.append(rest[:n])
			if rest = rest[n:]; rest == "" {
				rest = s.next()
			}
		}
	})
	return func() { close(over); done.Wait() }
}

// fieldsOf returns a record as one line of JSON. fields has names and values in turn, in the order in which the program
// writes them.
func fieldsOf(t *testing.T, fields ...any) string {
	var b bytes.Buffer
	for i := 0; i < len(fields); i += 2 {
		value, err := json.Marshal(fields[i+1])
		must(t, err)
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		fmt.Fprintf(&b, "%q:%s", fields[i], value)
	}
	b.WriteByte('}')
	return b.String()
}

type object = map[string]any

func now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// process starts a process in the place of a program, and returns its pid and its start time as field 22 of
// /proc/PID/stat has it.
func process(t *testing.T, environ ...string) (pid int, start string) {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.Env = append(os.Environ(), environ...)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the test may have ended it already
		_ = cmd.Wait()
	})
	return cmd.Process.Pid, startOf(t, cmd.Process.Pid)
}

func startOf(t *testing.T, pid int) string {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	must(t, err)
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))[19]
}

// claude begins a session of Claude Code that a process holds.
func (d *desk) claude(id string, pid int) *record {
	dir := filepath.Join(d.root, ".claude", "projects", "-repository")
	must(d.t, os.MkdirAll(dir, 0o700))
	s := &record{t: d.t, id: id, agent: "claude:" + id, file: filepath.Join(dir, id+".jsonl")}
	s.turn = func(n int) (lines, rows []string) { return claudeTurn(d.t, id, d.dir, n) }
	d.status(s, pid, startOf(d.t, pid), "busy")
	return s
}

// status writes the status file of a session of Claude Code.
func (d *desk) status(s *record, pid int, start, status string) {
	file(d.t, filepath.Join(d.root, ".claude", "sessions", strconv.Itoa(pid)+".json"), fieldsOf(d.t, "pid", pid,
		"sessionId", s.id, "cwd", d.dir, "startedAt", time.Now().UnixMilli(), "procStart", start, "version", "2.1.330",
		"kind", "interactive", "status", status, "statusUpdatedAt", time.Now().UnixMilli()))
}

// spoke returns a record of Claude Code.
func spoke(t *testing.T, id, dir, role, uuid string, content any) string {
	fields := []any{"isSidechain", false}
	message := object{"role": role, "content": content}
	if role == "assistant" {
		message["id"], message["model"] = "msg_"+uuid, "claude-opus-5-5"
		message["usage"] = object{"input_tokens": 1, "output_tokens": 1}
		fields = append(fields, "message", message, "requestId", "req_"+uuid)
	} else {
		fields = append(fields, "promptId", "p"+uuid, "message", message, "turnOrigin", "human")
	}
	return fieldsOf(t, append(fields, "type", role, "uuid", uuid, "timestamp", now(), "cwd", dir, "sessionId", id)...)
}

// long returns a text whose length depends on n, from nothing to 2,800 characters. Some of its characters have
// several bytes.
func long(n int) string {
	return strings.Repeat("é ü ", []int{0, 3, 40, 700}[n%4])
}

func claudeTurn(t *testing.T, id, dir string, n int) (lines, rows []string) {
	ask, say, out := fmt.Sprint("ask ", n), fmt.Sprint("say ", n, " ", long(n), "."), fmt.Sprint("out ", n)
	call := fmt.Sprint("toolu_", n)
	lines = []string{
		fieldsOf(t, "type", "mode", "sessionId", id),
		spoke(t, id, dir, "user", fmt.Sprint("u", n, "-1"), ask),
		spoke(t, id, dir, "assistant", fmt.Sprint("u", n, "-2"), []object{{"type": "text", "text": say}}),
		spoke(t, id, dir, "assistant", fmt.Sprint("u", n, "-3"),
			[]object{{"type": "tool_use", "id": call, "name": "Read", "input": object{"file_path": "README.md"}}}),
		fieldsOf(t, "type", "file-history-snapshot", "rest", strings.Repeat("x", 200)),
		spoke(t, id, dir, "user", fmt.Sprint("u", n, "-4"),
			[]object{{"type": "tool_result", "tool_use_id": call, "content": out}}),
	}
	return lines, []string{"user " + ask, "assistant " + say, "tool " + out}
}

// codex begins a session of Codex. The test's own process holds its lock.
func (d *desk) codex(id string) *record {
	root := filepath.Join(d.root, ".codex")
	dir, locks := filepath.Join(root, "sessions", "2026", "11", "24"), filepath.Join(root, "thread-writer-locks")
	must(d.t, os.MkdirAll(dir, 0o700))
	must(d.t, os.MkdirAll(locks, 0o700))
	lock, err := os.Create(filepath.Join(locks, id+".lock"))
	must(d.t, err)
	d.t.Cleanup(func() { lock.Close() })
	must(d.t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	s := &record{t: d.t, id: id, agent: "codex:" + id, lock: lock}
	s.file = filepath.Join(dir, "rollout-2026-11-24T10-00-00-"+id+".jsonl")
	ordinal := 0
	line := func(kind string, payload object) string {
		ordinal++
		return fieldsOf(d.t, "timestamp", now(), "ordinal", ordinal, "type", kind, "payload", payload)
	}
	s.append(line("session_meta", object{"id": id, "session_id": id, "timestamp": now(), "cwd": d.dir,
		"source": "cli", "cli_version": "0.169.0", "history_mode": "paginated"}) + "\n")
	item := func(kind, part, text string) string {
		return line("event_msg", object{"type": "item_completed",
			"item": object{"type": kind, "id": "i", "content": []object{{"type": part, "text": text}}}})
	}
	s.turn = func(n int) (lines, rows []string) {
		ask, say, out := fmt.Sprint("ask ", n), fmt.Sprint("say ", n, " ", long(n), "."), fmt.Sprint("out ", n)
		call := fmt.Sprint("call_", n)
		lines = []string{
			line("event_msg", object{"type": "task_started", "turn_id": fmt.Sprint("t", n)}),
			item("UserMessage", "text", ask),
			item("AgentMessage", "Text", say),
			line("response_item", object{"type": "function_call", "name": "exec_command", "call_id": call,
				"arguments": `{"cmd":"date"}`}),
			line("response_item", object{"type": "function_call_output", "call_id": call,
				"output": "Chunk ID: 1\nProcess exited with code 0\nOutput:\n" + out}),
			line("event_msg", object{"type": "task_complete", "turn_id": fmt.Sprint("t", n)}),
		}
		return lines, []string{"user " + ask, "assistant " + say, "tool " + out}
	}
	return s
}

// kept returns the rows that the realm's tables have of an agent's conversation.
func kept(tab *Tab, agent string) (out []string) {
	tab.t.Helper()
	id := ""
	tab.Look(func() {
		if s := world.SessionOf(tab.World.Sessions, agent); s != nil {
			id = s.ConversationID
		}
	})
	limit, before := 100, wire.RowRef{}
	for page := 0; ; page++ {
		open := &wire.ConversationOpen{ConversationID: id, Before: before, Limit: &limit}
		var s wire.Snapshot
		answer := tab.Do(fmt.Sprint("rows-", page, "-", time.Now().UnixNano()), open)
		if err := json.Unmarshal(answer.Answer, &s); err != nil || answer.Code != "" {
			tab.t.Fatalf("conversation.open of %s: %v %s", id, err, answer.Answer)
		}
		var part []string
		for _, m := range s.Messages {
			part = append(part, m.Role+" "+m.Content)
		}
		out = append(part, out...)
		if !s.HasMore {
			return out
		}
		before = wire.RowRef{Seq: s.Messages[0].Seq}
	}
}

// touches begins a session of Claude Code whose agent calls Bash with the command touch x. The id of the call is
// toolu_d.
func (d *desk) touches(id string, pid int) *record {
	d.t.Helper()
	s := d.claude(id, pid)
	s.append(s.next())
	call := []object{{"type": "tool_use", "id": "toolu_d", "name": "Bash", "input": object{"command": "touch x"}}}
	s.append(spoke(d.t, s.id, d.dir, "assistant", "d-1", call) + "\n")
	return s
}

// aboutTouch returns the payload that a hook gets for an event about the call that touches has written.
func (d *desk) aboutTouch(s *record, event string) object {
	return object{"hook_event_name": event, "session_id": s.id, "cwd": d.dir, "tool_name": "Bash",
		"tool_input": object{"command": "touch x"}}
}

// hook runs the command hook with a payload. The returned function waits until it has ended, and returns its exit code
// and output.
func (d *desk) hook(args string, payload object) (ended func() string) {
	d.t.Helper()
	text, err := json.Marshal(payload)
	must(d.t, err)
	cmd := d.home.command(append([]string{"hook"}, strings.Fields(args)...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &stdout, &stderr
	must(d.t, cmd.Start())
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // ProcessState has the exit code
		close(done)
	}()
	d.t.Cleanup(func() {
		_ = cmd.Process.Kill() // in most cases it has ended already
		<-done
	})
	return func() string {
		d.t.Helper()
		select {
		case <-done:
		case <-time.After(Patience):
			d.t.Fatalf("hook %s does not end", args)
		}
		return fmt.Sprintf("%d %q %q", cmd.ProcessState.ExitCode(), stdout.String(), stderr.String())
	}
}
