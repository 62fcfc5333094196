// Package rendezvous lets the commands of a user find that user's running servers. Each server writes a file with the
// address at which it listens and a token, and removes the file when it stops.
//
// It owns the folder agentdungeon/servers in the user's state folder ($XDG_STATE_HOME, else ~/.local/state), with mode
// 0700, and the files in it, <pid>.json with mode 0600. If a server was killed, the next server that starts removes its
// file. The package connects to nothing and decides nothing about tokens.
//
// server/app calls Announce; the commands hook, hooks and mcp of the main package call Servers.
package rendezvous

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"agentdungeon/server/proc"
)

const (
	// maxServers is the maximum number of servers that Servers returns.
	maxServers = 8
	// maxFiles is the maximum number of files in the folder that are read.
	maxFiles = 256
	// maxFile is the maximum length of a server's file, in bytes.
	maxFile = 64 << 10
)

// Server is a running server.
type Server struct {
	Addr string `json:"addr"` // host:port at which programs on the same machine reach the server
	PID  int    `json:"pid"`
	// Started is the start time of the server's process in the form of field 22 of its stat in /proc, "" on a system
	// without /proc. It distinguishes the server from a later process with the same pid.
	Started string `json:"started,omitempty"`
	Token   string `json:"token"`
	Worlds  string `json:"worlds"` // the worlds folder
}

// Folder returns the folder with the servers' files, "" if getenv, which is like os.Getenv, names no state folder.
func Folder(getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "agentdungeon", "servers")
}

// Announce writes the file of this process, which listens on addr, and returns a function that removes the file. If
// getenv names no state folder, it writes nothing. It also removes files that killed servers have left.
func Announce(getenv func(string) string, addr net.Addr, token, worlds string) (remove func(), err error) {
	dir := Folder(getenv)
	if dir == "" {
		return func() {}, nil
	}
	if err := private(dir); err != nil {
		return func() {}, fmt.Errorf("the folder of running servers: %w", err)
	}
	tidy(dir)
	pid := os.Getpid()
	self, _ := proc.Table{}.Process(pid) // the error is dropped: without /proc the start time stays unknown
	text, err := json.Marshal(Server{Addr: near(addr), PID: pid, Started: self.Start, Token: token, Worlds: worlds})
	if err != nil {
		return func() {}, err
	}
	name := filepath.Join(dir, strconv.Itoa(pid)+".json")
	// A reader sees either the whole file or none.
	err = renameio.WriteFile(name, append(text, '\n'), 0o600, renameio.WithTempDir(dir),
		renameio.WithStaticPermissions(0o600))
	if err != nil {
		return func() {}, fmt.Errorf("announce this server: %w", err)
	}
	// If the file cannot be removed, it is stale: no command uses it, and the next server removes it.
	return func() { _ = os.Remove(name) }, nil
}

// private makes the folder dir, or, if it exists, removes the access of other users.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !own(info) {
		return fmt.Errorf("%s is not a folder of this user", dir)
	}
	if info.Mode().Perm() != 0o700 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// near returns the address at which programs on this machine can reach a listener on addr, for example 127.0.0.1 for
// 0.0.0.0.
func near(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
}

// Servers returns the running servers of this user, the newest first, at most 8. It trusts only files that belong to
// this user and that nobody else may read or write.
func Servers(getenv func(string) string) []Server {
	dir := Folder(getenv)
	if dir == "" {
		return nil
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !own(info) || info.Mode().Perm()&0o077 != 0 {
		return nil
	}
	type found struct {
		Server
		at time.Time
	}
	var all []found
	for _, name := range names(dir) {
		s, at, err := read(filepath.Join(dir, name))
		if err == nil && strconv.Itoa(s.PID)+".json" == name && alive(s.PID, s.Started) {
			all = append(all, found{s, at})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return b.at.Compare(a.at) })
	var out []Server
	for _, f := range all[:min(len(all), maxServers)] {
		out = append(out, f.Server)
	}
	return out
}

// tidy removes the files of processes that have ended, also temporary ones (".<pid>.json" and a number) of processes
// that were killed while they wrote. It leaves files whose names have no pid.
func tidy(dir string) {
	for _, name := range names(dir) {
		digits, _, _ := strings.Cut(strings.TrimPrefix(name, "."), ".json")
		pid, err := strconv.Atoi(digits)
		if err != nil {
			continue
		}
		s, _, err := read(filepath.Join(dir, name))
		if err != nil || s.PID != pid {
			s = Server{}
		}
		if !alive(pid, s.Started) {
			_ = os.Remove(filepath.Join(dir, name)) // the error is dropped: the next server tries again
		}
	}
}

// names returns the names of at most maxFiles files in dir.
func names(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.Readdirnames(maxFiles) // the error is dropped: after it, all has fewer names
	return all
}

// errNotOurs is the error for a file that another user owns, or that others may read or write.
var errNotOurs = errors.New("the file belongs to another user, or others may read or write it")

func read(path string) (s Server, at time.Time, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return s, at, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return s, at, err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 || !own(info) {
		return s, at, errNotOurs
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return s, at, err
	}
	return s, info.ModTime(), json.Unmarshal(text, &s)
}

// own reports whether a file belongs to this user.
func own(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// alive reports whether the process pid runs and, if both times are known, began at started.
func alive(pid int, started string) bool {
	if pid <= 0 {
		return false
	}
	switch (proc.Table{}).Alive(pid, started) {
	case proc.Yes:
		return true
	case proc.No:
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
