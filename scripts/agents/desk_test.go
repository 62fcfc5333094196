package agents

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentdungeon/server/e2e"
)

// Desk is the place where one program works: a home, projects, and a model. It outlives the tests that use it, because
// a program can put hundreds of megabytes into a new home.
type Desk struct {
	Program  *Program
	Home     string
	dir      string // a short path, because sockets are made in it and their paths have a length limit
	binary   string // the server
	programs string // folder of the installed programs
	url      string // of the model
	endModel func()
	n        int // counts terminals and projects
}

// NewDesk returns a desk for a program that is installed below programs. binary is the server.
func NewDesk(p *Program, programs, binary string) (*Desk, error) {
	dir, err := os.MkdirTemp("", "ad")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	d := &Desk{Program: p, dir: dir, Home: filepath.Join(dir, "home"), binary: binary, programs: programs}
	d.url, d.endModel = NewModel()
	err = os.MkdirAll(filepath.Join(d.Home, "tmp"), 0o700)
	config := []byte("[user]\n\tname = Tester\n\temail = tester@example.invalid\n")
	return d, errors.Join(err, os.WriteFile(filepath.Join(d.Home, ".gitconfig"), config, 0o600))
}

// Close ends everything that runs at the desk and removes it.
func (d *Desk) Close() error {
	_ = exec.Command("tmux", "-S", d.socket(), "kill-server").Run() // fails if tmux has no server
	d.Kill()
	d.endModel()
	return os.RemoveAll(d.dir)
}

func (d *Desk) socket() string { return filepath.Join(d.dir, "tmux") }

// Project makes a repository with one commit.
func (d *Desk) Project(t testing.TB) string {
	t.Helper()
	d.n++
	dir := filepath.Join(d.dir, fmt.Sprint("project", d.n))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("A project for tests.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "Begin"}} {
		git := exec.Command("git", args...)
		git.Dir, git.Env = dir, append(os.Environ(), "HOME="+d.Home)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return dir
}

// environment returns the environment variables of the program. None of the variables of the person who runs the tests
// is among them.
func (d *Desk) environment(t testing.TB, project string) []string {
	t.Helper()
	more, err := d.Program.Configure(d.Home, project, d.url)
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{
		"HOME=" + d.Home, "TMPDIR=" + filepath.Join(d.Home, "tmp"), "XDG_STATE_HOME=" + d.state(),
		"PATH=" + os.Getenv("PATH"), "TERM=screen-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "SHELL=/bin/sh",
	}, more...)
}

func (d *Desk) state() string { return filepath.Join(d.dir, "state") }

// Open starts the program in a terminal in a project, and waits until the program is ready for a prompt.
func (d *Desk) Open(t testing.TB, project string) *Terminal {
	t.Helper()
	d.n++
	x := &Terminal{T: t, Program: d.Program, Socket: d.socket(), Name: fmt.Sprint("t", d.n)}
	command := append([]string{"env", "-i"}, d.environment(t, project)...)
	command = append(append(command, d.Program.Command(d.programs)...), d.Program.Args...)
	for i, word := range command {
		command[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	x.Must("start-server", ";", "set-option", "-g", "default-shell", "/bin/sh",
		";", "set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "focus-events", "on",
		";", "set-option", "-g", "default-terminal", "screen-256color",
		";", "new-session", "-d", "-s", x.Name, "-x", "160", "-y", "50", "-c", project,
		"exec "+strings.Join(command, " "))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the terminal of %s:\n%s", d.Program.Title, x.Screen())
		}
		_, _ = x.Tmux("kill-session", "-t", "="+x.Name) // the session may have ended already
	})
	x.Until(d.Program.Ready)
	return x
}

// Server returns the options of a server that watches a project. Each call has a worlds folder of its own.
func (d *Desk) Server(t testing.TB, project string) *e2e.Home {
	t.Helper()
	h := e2e.NewHome(t, d.binary, "-repo", project)
	h.Env = []string{
		"HOME=" + d.Home, "XDG_STATE_HOME=" + d.state(), "AGENTDUNGEON_AGENTS=here",
		"CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "GEMINI_CLI_HOME=", "XDG_DATA_HOME=", "XDG_CONFIG_HOME=",
	}
	return h
}

// Tab connects a host to a server, with the token of the link that the server has printed.
func (d *Desk) Tab(t testing.TB, l *e2e.Life) *e2e.Tab {
	t.Helper()
	tab := e2e.NewTab(t, e2e.NewLedger(t), "Ada")
	tab.Token = l.Token("open")
	tab.Join(l)
	return tab
}

// processes returns the ids of the processes whose home is the desk's home, without the server and strace, which
// traces the server.
func (d *Desk) processes() (out []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		home := func(v []byte) bool { return string(v) == "HOME="+d.Home }
		if err == nil && slices.ContainsFunc(bytes.Split(env, []byte{0}), home) {
			// The server and strace, which traces the server, have the same home, so they are left out.
			exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
			if err == nil && exe != d.binary && filepath.Base(exe) != "strace" {
				out = append(out, pid)
			}
		}
	}
	return out
}

// Kill ends all processes of the program by SIGKILL, also those that the program has left in the background, and waits
// until they have ended.
func (d *Desk) Kill() {
	Within(10*time.Second, func() bool {
		left := d.processes()
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // the process may have ended already
		}
		return len(left) == 0
	})
}
