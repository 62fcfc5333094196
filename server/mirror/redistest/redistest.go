// Package redistest starts a real redis-server for tests and benchmarks, on its own loopback port and in its
// own folder. A test can kill and restart it.
//
// It owns that process, its folder and its port. The product never imports it.
package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Required is the variable that makes a missing redis-server a failure.
const Required = "AGENTDUNGEON_REQUIRE_REDIS"

// startTime limits the wait for a server that starts.
const startTime = 2 * time.Minute

// Server is a redis-server. One goroutine uses it.
type Server struct {
	Addr     string // host:port, the same after each Start
	Dir      string // its working folder, with dump.rdb
	password string
	port     *Port
	cmd      *exec.Cmd
}

// New starts a server that runs until the test ends. If no redis-server is installed, the test is skipped, or
// fails if Required is 1.
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

// Make prepares a server in dir and does not start it. It returns exec.ErrNotFound (wrapped) if none is installed.
// An empty password sets none. The caller calls Close.
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

// Start starts the server with the content of its dump.rdb, and waits until it answers. more are further arguments.
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

// Kill ends the server with SIGKILL and waits for its end.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	// Both fail only for a process that has ended.
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Close kills the server and releases its port.
func (s *Server) Close() error {
	s.Kill()
	return s.port.Release()
}

// Stop suspends the server: it accepts connections and answers nothing until Go.
func (s *Server) Stop() error { return s.cmd.Process.Signal(syscall.SIGSTOP) }

// Go ends Stop.
func (s *Server) Go() error { return s.cmd.Process.Signal(syscall.SIGCONT) }

// URL returns the value for REDIS_URL, with the right password.
func (s *Server) URL() string { return s.URLWith(s.password) }

// URLWith is URL with another password.
func (s *Server) URLWith(password string) string {
	if password == "" {
		return "redis://" + s.Addr + "/0"
	}
	return "redis://:" + url.QueryEscape(password) + "@" + s.Addr + "/0"
}

// Client returns a client, as another program would use.
func (s *Server) Client() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: s.Addr, Password: s.password, MaxRetries: -1})
}
