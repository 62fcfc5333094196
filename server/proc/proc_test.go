package proc_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agentdungeon/server/proc"
)

// TestAlive: a process is alive if its pid runs and began at the given time. A reused pid, a zombie and an ended
// process are not alive; without /proc the answer is unknown.
func TestAlive(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	table := proc.Table{Root: root}
	if got := table.Alive(7, "99"); got != proc.Unknown {
		t.Errorf("without /proc: %d", got)
	}
	rest := " 1 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 99 1 1\n"
	write("self", "")
	write("7/stat", "7 (a (b) S c) S"+rest)
	write("8/stat", "8 (a) Z"+rest)
	write("9/stat", "9 (a")
	for _, c := range []struct {
		pid   int
		start string
		want  proc.Answer
	}{{7, "99", proc.Yes}, {7, "98", proc.No}, {7, "", proc.Unknown},
		{8, "99", proc.No}, {9, "99", proc.Unknown}, {6, "99", proc.No}} {
		if got := table.Alive(c.pid, c.start); got != c.want {
			t.Errorf("Alive(%d, %q) = %d, want %d", c.pid, c.start, got, c.want)
		}
	}
}

// TestHolders: Holders returns the processes that hold a lock on an inode, and not those that wait for the lock.
func TestHolders(t *testing.T) {
	root := t.TempDir()
	table := proc.Table{Root: root}
	if _, known := table.Holders(5678); known {
		t.Error("without /proc/locks nothing is known")
	}
	text := "1: FLOCK  ADVISORY  WRITE 12 08:01:5678 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 13 08:01:5678 0 EOF\n" +
		"2: POSIX  ADVISORY  READ 14 00:1b:5678 0 EOF\n3: POSIX  ADVISORY  READ 15 00:1b:15678 0 EOF\nodd\n"
	if err := os.WriteFile(filepath.Join(root, "locks"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if pids, known := table.Holders(5678); !known || !slices.Equal(pids, []int{12, 14}) {
		t.Errorf("holders %v, %v", pids, known)
	}
}

// TestTerminal: a process in a pane of tmux has a command that shows its terminal. There is none for a process without
// a terminal of its own, such as a server that was started in the pane, and none if a shell would read its variables
// differently.
func TestTerminal(t *testing.T) {
	for name, c := range map[string]struct{ stat, environ, want string }{
		"tmux":             {"(a) S) S 1 1 1 34816 1", "A=b\x00TMUX=/tmp/tmux-1000/default,12,0\x00TMUX_PANE=%3\x00", "tmux attach -t %3"},
		"another socket":   {"(a) S 1 1 1 34816 1", "TMUX_PANE=%0\x00TMUX=/run/user/me/t.sock,12,0", "tmux -S /run/user/me/t.sock attach -t %0"},
		"no terminal":      {"(a) S 1 1 1 0 1", "TMUX=/tmp/tmux-1000/default,12,0\x00TMUX_PANE=%3", ""},
		"no tmux":          {"(a) S 1 1 1 34816 1", "SECRET=x", ""},
		"half of it":       {"(a) S 1 1 1 34816 1", "TMUX_PANE=%3", ""},
		"a strange socket": {"(a) S 1 1 1 34816 1", "TMUX=/tmp/$(id);x,12,0\x00TMUX_PANE=%3", ""},
		"a strange pane":   {"(a) S 1 1 1 34816 1", "TMUX=/tmp/tmux-1000/default,12,0\x00TMUX_PANE=3;x", ""},
		"a strange stat":   {"(a", "TMUX=/tmp/tmux-1000/default,12,0\x00TMUX_PANE=%3", ""},
	} {
		root := t.TempDir()
		for file, text := range map[string]string{"7/stat": "7 " + c.stat, "7/environ": c.environ} {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		table := proc.Table{Root: root}
		if got := table.Terminal(7); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := table.Terminal(8) + table.Terminal(0); got != "" {
			t.Errorf("%s: of no process: %q", name, got)
		}
	}
}

// TestWhenAndHowAProcessBegan: the start of a process follows from that of the system, and its arguments are cut at a
// limit; without /proc both are unknown.
func TestWhenAndHowAProcessBegan(t *testing.T) {
	root := t.TempDir()
	table := proc.Table{Root: root}
	if _, err := table.Boot(); err == nil || table.Arguments(7, 100) != nil {
		t.Errorf("without /proc: %v, %q", err, table.Arguments(7, 100))
	}
	if err := os.Mkdir(filepath.Join(root, "7"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stat": "cpu 1 2\nbtime 1000\n", "7/cmdline": "/opt/codex\x00resume\x00--last\x00"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	boot, err := table.Boot()
	if err != nil || boot.Unix() != 1000 {
		t.Errorf("boot %v, %v", boot, err)
	}
	if began, ok := (proc.Process{Start: "250"}).Began(boot); !ok || began.UnixMilli() != 1_002_500 {
		t.Errorf("began %v, %v", began, ok)
	}
	if _, ok := (proc.Process{}).Began(boot); ok {
		t.Error("a process without a start has begun")
	}
	if got := table.Arguments(7, 100); !slices.Equal(got, []string{"/opt/codex", "resume", "--last"}) {
		t.Errorf("%q", got)
	}
	if got := table.Arguments(7, 14); !slices.Equal(got, []string{"/opt/codex", "res"}) {
		t.Errorf("cut: %q", got)
	}
}
