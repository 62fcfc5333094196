package rendezvous_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"agentdungeon/server/rendezvous"
)

func env(vars ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(vars); i += 2 {
			if vars[i] == name {
				return vars[i+1]
			}
		}
		return ""
	}
}

var loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3001}

func announce(t *testing.T, getenv func(string) string, addr net.Addr) (remove func()) {
	t.Helper()
	remove, err := rendezvous.Announce(getenv, addr, "a token", "/worlds")
	if err != nil {
		t.Fatal(err)
	}
	return remove
}

// A server that has announced itself is found with its token until it stops. Only this user can read the folder and the
// file.
func TestAnnounce(t *testing.T) {
	home := t.TempDir()
	getenv := env("HOME", home)
	if got := rendezvous.Servers(getenv); len(got) != 0 {
		t.Fatalf("before: %v", got)
	}
	remove := announce(t, getenv, loopback)
	got := rendezvous.Servers(getenv)
	if len(got) != 1 || got[0].Addr != "127.0.0.1:3001" || got[0].PID != os.Getpid() || got[0].Token != "a token" ||
		got[0].Worlds != "/worlds" {
		t.Fatalf("servers: %+v", got)
	}
	dir := filepath.Join(home, ".local", "state", "agentdungeon", "servers")
	file := filepath.Join(dir, strconv.Itoa(os.Getpid())+".json")
	for path, want := range map[string]os.FileMode{dir: 0o700, file: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	remove()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 || len(rendezvous.Servers(getenv)) != 0 {
		t.Errorf("after: %v %v", left, err)
	}
}

// The folder is in XDG_STATE_HOME if that is an absolute path. Without a home nothing is written and nothing is found.
func TestFolder(t *testing.T) {
	for _, c := range []struct {
		getenv func(string) string
		want   string
	}{
		{env("HOME", "/h", "XDG_STATE_HOME", "/s"), "/s/agentdungeon/servers"},
		{env("HOME", "/h", "XDG_STATE_HOME", "s"), "/h/.local/state/agentdungeon/servers"},
		{env("HOME", "h"), ""},
		{env(), ""},
	} {
		if got := rendezvous.Folder(c.getenv); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	announce(t, env(), loopback)()
	if got := rendezvous.Servers(env()); got != nil {
		t.Errorf("servers: %v", got)
	}
}

// A server that listens on all addresses is reached on loopback.
func TestNearAddress(t *testing.T) {
	for _, c := range []struct {
		addr net.Addr
		want string
	}{
		{&net.TCPAddr{IP: net.IPv4zero, Port: 3001}, "127.0.0.1:3001"},
		{&net.TCPAddr{IP: net.IPv6zero, Port: 3001}, "127.0.0.1:3001"},
		{&net.TCPAddr{IP: net.IPv6loopback, Port: 3001}, "[::1]:3001"},
	} {
		getenv := env("HOME", t.TempDir())
		announce(t, getenv, c.addr)
		if got := rendezvous.Servers(getenv); len(got) != 1 || got[0].Addr != c.want {
			t.Errorf("%v: %+v, want %s", c.addr, got, c.want)
		}
	}
}

func place(t *testing.T, dir string, s rendezvous.Server, mode os.FileMode) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, strconv.Itoa(s.PID)+".json")
	if err := os.WriteFile(path, text, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// Servers skips files of ended processes, of a reused pid and of other users, links, and broken files. The next server
// removes the files whose process has ended, and no others (P17.8).
func TestStaleFiles(t *testing.T) {
	state := t.TempDir()
	getenv := env("XDG_STATE_HOME", state)
	dir := rendezvous.Folder(getenv)
	announce(t, getenv, loopback)()
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := child.Process.Kill(); err == nil {
			_ = child.Wait() // killed
		}
	}()
	gone := place(t, dir, rendezvous.Server{Addr: "127.0.0.1:1", PID: ended.Process.Pid}, 0o600)
	open := place(t, dir, rendezvous.Server{Addr: "127.0.0.1:2", PID: child.Process.Pid}, 0o644)
	if got := rendezvous.Servers(getenv); len(got) != 0 {
		t.Errorf("servers: %+v", got)
	}
	if err := os.Symlink(open, filepath.Join(dir, "1.json")); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "notes.json")
	if err := os.WriteFile(other, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer announce(t, getenv, loopback)()
	if _, err := os.Stat(gone); !os.IsNotExist(err) {
		t.Errorf("the file of an ended process is still there: %v", err)
	}
	for _, path := range []string{open, other} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if err := os.Chmod(open, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := rendezvous.Servers(getenv); len(got) != 2 {
		t.Errorf("servers: %+v", got)
	}
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("without /proc a reused pid cannot be told")
	}
	reused := place(t, dir, rendezvous.Server{Addr: "127.0.0.1:3", PID: child.Process.Pid, Started: "1"}, 0o600)
	if got := rendezvous.Servers(getenv); len(got) != 1 || got[0].PID != os.Getpid() {
		t.Errorf("servers: %+v", got)
	}
	announce(t, getenv, loopback)
	if _, err := os.Stat(reused); !os.IsNotExist(err) {
		t.Errorf("the file of a reused pid is still there: %v", err)
	}
}

// Servers returns at most 8 servers, the newest ones, also if there are many files. It does not trust a folder that
// others may enter.
func TestBounds(t *testing.T) {
	getenv := env("XDG_STATE_HOME", t.TempDir())
	dir := rendezvous.Folder(getenv)
	announce(t, getenv, loopback)
	for i := range 12 {
		child := exec.Command("sleep", "60")
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := child.Process.Kill(); err == nil {
				_ = child.Wait() // killed
			}
		})
		place(t, dir, rendezvous.Server{Addr: fmt.Sprint("127.0.0.1:", i+1), PID: child.Process.Pid}, 0o600)
	}
	got := rendezvous.Servers(getenv)
	if len(got) != 8 {
		t.Errorf("%d servers", len(got))
	}
	for _, s := range got {
		if s.PID == os.Getpid() {
			t.Error("the oldest server is among the newest")
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := rendezvous.Servers(getenv); got != nil {
		t.Errorf("servers: %+v", got)
	}
	announce(t, getenv, loopback)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}
