package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// child is a program under measurement, in a process of its own on loopback.
type child struct {
	cmd  *exec.Cmd
	addr string
	log  string // file of its standard error
}

// startTime bounds how long a child may take until it listens.
const startTime = 30 * time.Second

// launch starts a program and returns at once; opened waits until it serves.
func launch(ctx context.Context, dir, program string, args ...string) (*child, *bufio.Reader, error) {
	logFile, err := os.CreateTemp(dir, filepath.Base(program)+".*.log")
	if err != nil {
		return nil, nil, err
	}
	defer logFile.Close() // the child has its own
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stderr, cmd.Env = dir, logFile, cleanEnv()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	return &child{cmd: cmd, log: logFile.Name()}, bufio.NewReader(out), nil
}

// start launches a program and waits for its line "open: ADDRESS".
func start(ctx context.Context, dir, program string, args ...string) (*child, error) {
	c, out, err := launch(ctx, dir, program, args...)
	if err != nil {
		return nil, err
	}
	timer := time.AfterFunc(startTime, func() { _ = c.cmd.Process.Kill() }) // the read below ends then
	defer timer.Stop()
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s did not start: %s", filepath.Base(program), c.lastWords()), c.kill())
		}
		if where, ok := strings.CutPrefix(strings.TrimSpace(line), "open: "); ok {
			where = strings.TrimPrefix(where, "http://")
			c.addr, _, _ = strings.Cut(where, "/")
			go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the child
			return c, nil
		}
	}
}

// cleanEnv is the environment without what would change how the server runs.
func cleanEnv() []string {
	var out []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "AGENTDUNGEON_") && !strings.HasPrefix(v, "OPENAI_API_KEY=") && !strings.HasPrefix(v, "PORT=") {
			out = append(out, v)
		}
	}
	return out
}

// kill ends the child as rudely as SIGKILL does.
func (c *child) kill() error {
	if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	_ = c.cmd.Wait() // it was killed, and says so
	return nil
}

func (c *child) lastWords() string {
	b, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	if len(b) > 2000 {
		b = b[len(b)-2000:]
	}
	return strings.TrimSpace(string(b))
}

// freeAddr is a loopback address that nobody listens on just now.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// knock dials until somebody accepts.
func knock(addr string, until time.Time) (net.Conn, error) {
	for {
		c, err := net.Dial("tcp", addr)
		if err == nil || time.Now().After(until) {
			return c, err
		}
		time.Sleep(100 * time.Microsecond)
	}
}
