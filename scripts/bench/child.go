package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
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
	out  io.ReadCloser // standard output
}

// startTime is the longest time from the start of a child until it listens.
const startTime = 30 * time.Second

// launch starts a program that is to listen at addr. It is killed when the enclosing call of bench.scope ends.
func (b *bench) launch(addr, program string, args ...string) *child {
	c := &child{addr: addr, cmd: exec.CommandContext(b.ctx, program, append(args, "-addr", addr)...)}
	c.cmd.Dir, c.cmd.Stderr = b.dir, os.Stderr
	for _, v := range os.Environ() { // without the variables that configure the server
		if !strings.HasPrefix(v, "AGENTDUNGEON_") && !strings.HasPrefix(v, "OPENAI_API_KEY=") && !strings.HasPrefix(v, "PORT=") {
			c.cmd.Env = append(c.cmd.Env, v)
		}
	}
	// Keep the child apart from this user's programs: hooks must not find it, and it must not find coding agents.
	c.cmd.Env = append(c.cmd.Env, "XDG_STATE_HOME="+filepath.Join(b.dir, "state"), "HOME="+b.home,
		"XDG_DATA_HOME="+b.home, "CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "GEMINI_CLI_HOME=")
	c.out = get(c.cmd.StdoutPipe())
	must(c.cmd.Start())
	b.after(c.kill)
	return c
}

// start launches a program and waits for its line "open: ADDRESS".
func (b *bench) start(program string, args ...string) *child {
	c := b.launch("127.0.0.1:0", program, args...)
	timer := time.AfterFunc(startTime, func() { _ = c.cmd.Process.Kill() }) // Scan below returns false then
	defer timer.Stop()
	for out := bufio.NewScanner(c.out); out.Scan(); {
		if where, ok := strings.CutPrefix(out.Text(), "open: "); ok {
			c.addr, _, _ = strings.Cut(strings.TrimPrefix(where, "http://"), "/")
			go func() { _, _ = io.Copy(io.Discard, c.out) }() // so that the child never waits for a reader
			return c
		}
	}
	failf("%s did not report its address", program)
	return nil
}

// serve starts the server on a worlds folder. The server is killed when the enclosing call of bench.scope ends.
func (b *bench) serve(worlds string, more ...string) *child {
	args := append([]string{"-worlds", worlds, "-log-level", "error"}, more...)
	return b.start(b.server, args...)
}

// linked starts the server on a new worlds folder and links a small folder.
func (b *bench) linked() *child { return b.serve(b.folder(), "-repo", b.repo) }

// timedStart measures the time from the start of a program until it has answered what ask sends on the first
// connection.
func (b *bench) timedStart(ask func(s *socket), program string, args ...string) time.Duration {
	l := get(net.Listen("tcp", "127.0.0.1:0"))
	must(l.Close()) // no program listens at its address now
	begin := time.Now()
	c := b.launch(l.Addr().String(), program, args...)
	defer c.kill()
	conn, err := net.Dial("tcp", c.addr)
	for ; err != nil && time.Since(begin) < startTime; conn, err = net.Dial("tcp", c.addr) {
		time.Sleep(100 * time.Microsecond)
	}
	s := b.newSocket(get(conn, err))
	must(s.SetReadDeadline(begin.Add(startTime)))
	ask(s)
	return time.Since(begin)
}

// listen serves HTTP on loopback until the enclosing call of bench.scope ends, and returns the server's URL.
func (b *bench) listen(handler http.Handler) string {
	l := get(net.Listen("tcp", "127.0.0.1:0"))
	server := &http.Server{Handler: handler}
	b.after(func() { must(server.Close()) })
	go func() { _ = server.Serve(l) }() // ends with ErrServerClosed
	return "http://" + l.Addr().String()
}

// cpu returns the processor time that the child uses while do runs.
func (c *child) cpu(do func()) time.Duration {
	before := cpuTime(c.cmd.Process.Pid)
	do()
	return cpuTime(c.cmd.Process.Pid) - before
}

// resident returns the child's resident memory in bytes; mostResident returns the peak.
func (c *child) resident() float64     { return c.memory("VmRSS") }
func (c *child) mostResident() float64 { return c.memory("VmHWM") }

func (c *child) memory(name string) float64 {
	return get(bytesOf(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid), name))
}

// kill ends the child with SIGKILL. A second call does nothing.
func (c *child) kill() {
	if err := c.cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
		must(err)
	}
	_ = c.cmd.Wait() // the error only reports the kill
}
