// Package redistest starts a real redis-server for tests and benchmarks: on a loopback
// port of its own, in a folder of its own, killed and started again at will.
//
// It owns that one process, its folder and its port. Nothing of the product uses it.
package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Required is the variable that makes a missing redis-server a failure.
const Required = "AGENTDUNGEON_REQUIRE_REDIS"

// startTime bounds the wait for a server that starts. It bounds a hang.
const startTime = 2 * time.Minute

// Server is a redis-server. One goroutine uses it.
type Server struct {
	Addr     string // host:port, the same in each of its lives
	Dir      string // its working folder: dump.rdb
	password string
	port     *Port
	cmd      *exec.Cmd
}

// New gives a server that runs until the test ends. Where none is installed the test is
// skipped, or fails if Required is 1.
func New(t testing.TB, password string) *Server {
	t.Helper()
	s, err := Make(t.TempDir(), password)
	if errors.Is(err, exec.ErrNotFound) {
		if os.Getenv(Required) == "1" {
			t.Fatalf("%s=1 and no redis-server is installed (on Debian: apt-get install redis-server)", Required)
		}
		t.Skip("SKIPPED, NOT TESTED: no redis-server is installed (on Debian: apt-get install redis-server)")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// Make prepares a server in dir and does not start it: exec.ErrNotFound (wrapped) where
// none is installed. password "" asks for none. Close it in the end.
func Make(dir, password string) (*Server, error) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return nil, err
	}
	port, err := HoldPort()
	if err != nil {
		return nil, err
	}
	return &Server{Addr: port.Addr, Dir: dir, password: password, port: port}, nil
}

// Start begins a life of the server, with what its dump.rdb holds, and waits for it.
func (s *Server) Start(more ...string) error {
	_, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return err
	}
	args := []string{"--bind", "127.0.0.1", "--port", port, "--dir", s.Dir, "--save", "", "--appendonly", "no", "--daemonize", "no"}
	if s.password != "" {
		args = append(args, "--requirepass", s.password)
	}
	s.cmd = exec.Command("redis-server", append(args, more...)...)
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start redis-server: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	c := s.Client()
	for {
		if err = c.Ping(ctx).Err(); err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("redis-server does not answer: %w", err), c.Close())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Kill ends it with SIGKILL and waits for its end.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	// Both only fail for a process that has ended.
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Close kills it and gives its port back.
func (s *Server) Close() error {
	s.Kill()
	return s.port.Release()
}

// Empty removes what a next life would begin with.
func (s *Server) Empty() error { return os.RemoveAll(filepath.Join(s.Dir, "dump.rdb")) }

// Stop holds it still, so that it takes connections and answers nothing; Go lets it go on.
func (s *Server) Stop() error { return s.cmd.Process.Signal(syscall.SIGSTOP) }

// Go ends Stop.
func (s *Server) Go() error { return s.cmd.Process.Signal(syscall.SIGCONT) }

// PID of the process.
func (s *Server) PID() string { return strconv.Itoa(s.cmd.Process.Pid) }

// URL is what REDIS_URL has to be, with the right password.
func (s *Server) URL() string { return s.URLWith(s.password) }

// URLWith has another password.
func (s *Server) URLWith(password string) string {
	if password == "" {
		return "redis://" + s.Addr + "/0"
	}
	return "redis://:" + url.QueryEscape(password) + "@" + s.Addr + "/0"
}

// Client is another program that uses the server.
func (s *Server) Client() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: s.Addr, Password: s.password, MaxRetries: -1})
}
