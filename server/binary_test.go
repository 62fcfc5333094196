package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The tests of this package run the real binary as a foreign client would.

var built struct {
	once sync.Once
	path string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.path != "" {
		if err := os.RemoveAll(filepath.Dir(built.path)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func binary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		dir, err := os.MkdirTemp("", "agentdungeon")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "agentdungeon")
		args := append(append([]string{"build"}, buildFlags...), "-o", built.path, ".")
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// server is one life of the binary.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	addr   string
	stderr *lines
	done   chan struct{}
	err    error // of Wait, after done
}

// lines keeps what a process writes.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// freeAddr is a port that nobody listens on now.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// spawn starts the binary and does not wait for it.
func spawn(t *testing.T, addr, worlds string, args ...string) *server {
	t.Helper()
	s := &server{t: t, addr: addr, stderr: &lines{}, done: make(chan struct{})}
	s.cmd = exec.Command(binary(t), append([]string{"serve", "-addr", addr, "-worlds", worlds}, args...)...)
	s.cmd.Dir = t.TempDir()
	s.cmd.Stderr, s.cmd.Stdout = s.stderr, s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.done)
	}()
	t.Cleanup(s.kill)
	return s
}

// launch starts the binary and waits until its realms are restored.
func launch(t *testing.T, addr, worlds string, args ...string) *server {
	t.Helper()
	s := spawn(t, addr, worlds, args...)
	s.ready()
	return s
}

func (s *server) ready() {
	s.t.Helper()
	s.until("ready", func() bool {
		select {
		case <-s.done:
			s.t.Fatalf("the server ended: %v\n%s", s.err, s.stderr)
		default:
		}
		res, err := http.Get("http://" + s.addr + "/readyz")
		if err != nil {
			return false
		}
		_ = res.Body.Close() // its content does not matter
		return res.StatusCode == http.StatusOK
	})
}

// until polls for what takes a moment, and fails after twenty seconds.
func (s *server) until(what string, ok func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("not %s in time\n%s", what, s.stderr)
		}
	}
}

func (s *server) kill() {
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Error(err)
	}
	<-s.done
}

// end sends a signal and gives the exit code.
func (s *server) end(sig syscall.Signal) int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	return s.wait()
}

func (s *server) wait() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(30 * time.Second):
		s.t.Fatalf("it does not end\n%s", s.stderr)
	}
	if strings.Contains(s.stderr.String(), "DATA RACE") {
		s.t.Fatalf("a race in the server\n%s", s.stderr)
	}
	return s.cmd.ProcessState.ExitCode()
}

// put writes a file below dir.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func repository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tools")
	put(t, dir, "README.md", "tools")
	put(t, dir, "src/main.go", "package main")
	return dir
}
