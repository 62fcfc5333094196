package main

import (
	"bufio"
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
	log  string // path of the file with the child's standard error
}

// startTime is the longest time from the start of a child until it listens.
const startTime = 30 * time.Second

// launch starts a program and returns its standard output without waiting. The scope's end
// kills the program.
func (b *bench) launch(program string, args ...string) (*child, *bufio.Reader) {
	logFile := get(os.CreateTemp(b.dir, filepath.Base(program)+".*.log"))
	defer logFile.Close() // the child has a file descriptor of its own
	cmd := exec.CommandContext(b.ctx, program, args...)
	cmd.Dir, cmd.Stderr, cmd.Env = b.dir, logFile, cleanEnv()
	out := get(cmd.StdoutPipe())
	must(cmd.Start())
	c := &child{cmd: cmd, log: logFile.Name()}
	b.after(c.kill)
	return c, bufio.NewReader(out)
}

// start launches a program and waits for its line "open: ADDRESS".
func (b *bench) start(program string, args ...string) *child {
	c, out := b.launch(program, args...)
	timer := time.AfterFunc(startTime, func() { _ = c.cmd.Process.Kill() }) // the read below ends then
	defer timer.Stop()
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			must(fmt.Errorf("%s did not report its address: %s", filepath.Base(program), c.lastWords()))
		}
		if where, ok := strings.CutPrefix(strings.TrimSpace(line), "open: "); ok {
			c.addr, _, _ = strings.Cut(strings.TrimPrefix(where, "http://"), "/")
			go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the child
			return c
		}
	}
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// cleanEnv returns the environment without the variables that configure the server.
func cleanEnv() (out []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "AGENTDUNGEON_") && !strings.HasPrefix(v, "OPENAI_API_KEY=") && !strings.HasPrefix(v, "PORT=") {
			out = append(out, v)
		}
	}
	return out
}

// kill ends the child with SIGKILL. A second call does nothing.
func (c *child) kill() {
	if err := c.cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
		must(err)
	}
	_ = c.cmd.Wait() // the error only reports the kill
}

func (c *child) lastWords() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-2000):]))
}

// freeAddr returns a loopback address on which no program listens at the time of the call.
func freeAddr() string {
	l := get(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	return l.Addr().String()
}

// knock dials until a connection is accepted, for startTime at most.
func (c *child) knock(addr string) net.Conn {
	for until := time.Now().Add(startTime); ; time.Sleep(100 * time.Microsecond) {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			must(conn.SetReadDeadline(until))
			return conn
		}
		if time.Now().After(until) {
			must(fmt.Errorf("%w: %s", err, c.lastWords()))
		}
	}
}
