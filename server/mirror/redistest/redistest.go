// Package redistest starts a real redis-server for tests and benchmarks, on a loopback port and in a folder of
// its own. A test can kill and restart the server.
//
// The package owns the server's process, folder and port. The product never imports the package.
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

// Required is the environment variable that makes tests fail if no redis-server is installed.
const Required = "AGENTDUNGEON_REQUIRE_REDIS"

// startTime limits how long Start waits for the server's first answer.
const startTime = 2 * time.Minute

// Server is a redis-server process. Only one goroutine may use it.
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

// Make prepares a server in dir and does not start it. It returns an error that wraps exec.ErrNotFound if no
// redis-server is installed. If password is empty, the server needs none. The caller must call Close.
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

// Start starts the server with the data of its dump.rdb, if there is one, and waits until it answers. more has
// further command-line arguments.
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

// Kill ends the server with SIGKILL and waits until the process has ended.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	// Kill and Wait fail only if the process has ended already, so ignore their errors.
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Close kills the server and releases its port.
func (s *Server) Close() error {
	s.Kill()
	return s.port.Release()
}

// Stop suspends the server. Until Go is called, the kernel still accepts connections, but the server does not answer.
func (s *Server) Stop() error { return s.cmd.Process.Signal(syscall.SIGSTOP) }

// Go continues a server that Stop has suspended.
func (s *Server) Go() error { return s.cmd.Process.Signal(syscall.SIGCONT) }

// URL returns a value for REDIS_URL with the server's password.
func (s *Server) URL() string { return s.URLWith(s.password) }

// URLWith returns a value for REDIS_URL with the given password.
func (s *Server) URLWith(password string) string {
	if password == "" {
		return "redis://" + s.Addr + "/0"
	}
	return "redis://:" + url.QueryEscape(password) + "@" + s.Addr + "/0"
}

// Client returns a client of the server, as another program would use it.
func (s *Server) Client() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: s.Addr, Password: s.password, MaxRetries: -1})
}
