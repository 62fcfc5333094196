package codex_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/reader/readertest"
	"agentdungeon/server/shadow"
)

// holder is the pid in the lines of /proc/locks.
const holder = 26034

// runs adds a process to the invented /proc. It began age before the last record of the session; opens are the files
// that it has open.
func (h home) runs(pid int, args, dir string, age time.Duration, opens ...string) {
	h.t.Helper()
	info, err := os.Stat(h.file)
	if err != nil {
		h.t.Fatal(err)
	}
	const boot = 1_000_000
	ticks := (info.ModTime().Add(-age).Unix() - boot) * 100
	folder := filepath.Join(h.proc, strconv.Itoa(pid))
	h.write(filepath.Join(h.proc, "stat"), fmt.Sprintf("cpu 1 2\nbtime %d\n", boot))
	h.write(filepath.Join(folder, "cmdline"), strings.ReplaceAll(args, " ", "\x00")+"\x00")
	between := strings.Repeat(" 0", 13) // fields 9 to 21
	h.write(filepath.Join(folder, "stat"), fmt.Sprintf("%d (codex) S 1 1 1 0 1%s %d 1 1\n", pid, between, ticks))
	links := map[string]string{"cwd": dir}
	for i, file := range opens {
		links["fd/"+strconv.Itoa(i)] = file
	}
	for name, to := range links {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
			h.t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			h.t.Fatal(err)
		}
	}
}

// TestStateFollowsTheProcesses: a session whose rollout a process has open is not over, even if /proc/locks does not
// show its lock. A session without a running turn that only the background server has open is over once no terminal
// is left that can show it.
func TestStateFollowsTheProcesses(t *testing.T) {
	const background = "/opt/codex app-server --listen unix:// --managed-daemon"
	const dir, elsewhere = "/home/dev/project", "/home/dev/other"
	idle := []string{metaLine(`"vscode"`), line(1, "event_msg", begun), line(2, "event_msg", `{"type":"task_complete"}`)}
	type run struct {
		args, dir string
		age       time.Duration
	}
	here, updates := run{"/opt/codex", dir, time.Hour}, run{"/opt/codex app-server daemon pid-update-loop", dir, time.Hour}
	for _, c := range []struct {
		name      string
		lines     []string
		lock      string
		holds     string // the arguments of the process that has the rollout open
		terminals []run
		state     string
	}{
		{"a terminal of its own", idle, locked, "/opt/codex", nil, shadow.Waiting},
		{"a terminal of its own, its lock not read", idle, "", "/opt/codex", nil, shadow.Waiting},
		{"the background server, its lock not read", idle, "", background, []run{here}, shadow.Waiting},
		{"a turn, its lock not read", idle[:2], "", background, nil, shadow.Working},
		{"a terminal", idle, locked, background, []run{updates, here}, shadow.Waiting},
		{"no terminal", idle, locked, background, []run{updates}, shadow.Ended},
		{"no terminal, a running turn", idle[:2], locked, background, nil, shadow.Working},
		{"a terminal elsewhere", idle, locked, background, []run{{"/opt/codex", elsewhere, time.Hour}}, shadow.Ended},
		{"a later terminal", idle, locked, background, []run{{"/opt/codex", dir, -time.Hour}}, shadow.Ended},
		{"it is resumed", idle, locked, background,
			[]run{{"/opt/codex resume --last", elsewhere, -time.Hour}}, shadow.Waiting},
		{"a terminal for another folder", idle, locked, background,
			[]run{{"/opt/codex -C " + dir, elsewhere, time.Hour}}, shadow.Waiting},
		{"an editor", idle, locked, "/opt/codex app-server", nil, shadow.Waiting},
		{"another program here", idle, locked, background, []run{{"/bin/bash", dir, time.Hour}}, shadow.Ended},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, c.lines...)
			h.lock(c.lock)
			h.runs(holder, c.holds, "/", time.Hour, "/dev/null", h.file)
			for i, p := range c.terminals {
				h.runs(i+1, p.args, p.dir, p.age)
			}
			r := h.reader()
			got, err := r.State(t.Context(), readertest.Sessions(t, r)[0], "", time.Now())
			if err != nil || got.Name != c.state {
				t.Errorf("state %+v, %v, want %s", got, err, c.state)
			}
		})
	}
}
