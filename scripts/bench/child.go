package main

import (
	"bufio"
	"errors"
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
	log  string // path of the file with the child's standard error
}

// startTime is the longest time from the start of a child until it listens.
const startTime = 30 * time.Second

// launch starts a program and returns its standard output without waiting for the program's end. The program is killed
// when the enclosing call of bench.scope ends.
func (b *bench) launch(program string, args ...string) (*child, *bufio.Scanner) {
	logFile := get(os.CreateTemp(b.dir, filepath.Base(program)+".*.log"))
	defer logFile.Close() // the child has a file descriptor of its own
	cmd := exec.CommandContext(b.ctx, program, args...)
	cmd.Dir, cmd.Stderr = b.dir, logFile
	for _, v := range os.Environ() { // without the variables that configure the server
		if !strings.HasPrefix(v, "AGENTDUNGEON_") && !strings.HasPrefix(v, "OPENAI_API_KEY=") && !strings.HasPrefix(v, "PORT=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	out := get(cmd.StdoutPipe())
	must(cmd.Start())
	c := &child{cmd: cmd, log: logFile.Name()}
	b.after(c.kill)
	return c, bufio.NewScanner(out)
}

// start launches a program and waits for its line "open: ADDRESS".
func (b *bench) start(program string, args ...string) *child {
	c, out := b.launch(program, args...)
	timer := time.AfterFunc(startTime, func() { _ = c.cmd.Process.Kill() }) // Scan below returns false then
	defer timer.Stop()
	for out.Scan() {
		if where, ok := strings.CutPrefix(out.Text(), "open: "); ok {
			c.addr, _, _ = strings.Cut(strings.TrimPrefix(where, "http://"), "/")
			go func() {
				for out.Scan() { // so that the child never waits for a reader; ends with the child
				}
			}()
			return c
		}
	}
	failf("%s did not report its address: %s", filepath.Base(program), c.lastWords())
	return nil
}

// serve starts the server on a worlds folder. The server is killed when the enclosing call of bench.scope ends.
func (b *bench) serve(worlds string, more ...string) *child {
	args := append([]string{"-worlds", worlds, "-addr", "127.0.0.1:0", "-log-level", "error"}, more...)
	return b.start(b.server, args...)
}

// linked starts the server on a new worlds folder with a small folder linked.
func (b *bench) linked(more ...string) *child {
	return b.serve(b.folder(), append([]string{"-repo", b.repo}, more...)...)
}

// timedStart measures the time from the start of a program until ask has its answer. It calls ask with the first
// connection that the program accepts, and kills the program afterwards.
func (b *bench) timedStart(ask func(s *socket), program string, args ...string) time.Duration {
	l := get(net.Listen("tcp", "127.0.0.1:0"))
	addr := l.Addr().String()
	must(l.Close()) // no program listens at the address now
	begin := time.Now()
	c, _ := b.launch(program, append(args, "-addr", addr)...)
	conn, err := net.Dial("tcp", addr)
	for ; err != nil && time.Since(begin) < startTime; conn, err = net.Dial("tcp", addr) {
		time.Sleep(100 * time.Microsecond)
	}
	if err != nil {
		failf("%w: %s", err, c.lastWords())
	}
	s := b.newSocket(conn)
	must(s.SetReadDeadline(begin.Add(startTime)))
	if err := try(func() { ask(s) }); err != nil {
		failf("%w: %s", err, c.lastWords())
	}
	took := time.Since(begin)
	c.kill()
	return took
}

// listen serves HTTP on loopback until the enclosing call of bench.scope ends, and returns the server's URL.
func (b *bench) listen(handler http.Handler) string {
	l := get(net.Listen("tcp", "127.0.0.1:0"))
	server := &http.Server{Handler: handler}
	b.after(func() { must(server.Close()) })
	go func() { _ = server.Serve(l) }() // ends with ErrServerClosed
	return "http://" + l.Addr().String()
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// cpu returns the processor time that the child uses while do runs.
func (c *child) cpu(do func()) time.Duration {
	before := get(cpuTime(c.pid()))
	do()
	return get(cpuTime(c.pid())) - before
}

// resident returns the child's resident memory in bytes; mostResident returns the peak.
func (c *child) resident() float64     { return get(memory(c.pid(), "VmRSS")) }
func (c *child) mostResident() float64 { return get(memory(c.pid(), "VmHWM")) }

// kill ends the child with SIGKILL. A second call does nothing.
func (c *child) kill() {
	if err := c.cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
		must(err)
	}
	_ = c.cmd.Wait() // the error only reports the kill
}

// lastWords returns the end of what the child wrote to its standard error.
func (c *child) lastWords() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-2000):]))
}
