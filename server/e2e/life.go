package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Patience is how long a test waits for an expected result before it fails. It is long, because the machine may be
// busy. No test measures time.
const Patience = 5 * time.Minute

// Home has a worlds folder and the options of the servers that a test starts on it, one after the other.
type Home struct {
	T      testing.TB
	Binary string
	Worlds string
	Args   []string // arguments besides -worlds and -addr
	Dir    string   // the server's working folder, "" for a new one
	Env    []string // additional environment variables
}

// NewHome returns a Home whose worlds folder lies in a temporary folder of the test.
func NewHome(t testing.TB, binary string, args ...string) *Home {
	t.Helper()
	return &Home{T: t, Binary: binary, Worlds: filepath.Join(t.TempDir(), "worlds"), Dir: t.TempDir(), Args: args}
}

func (h *Home) command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.Binary, args...)
	cmd.Dir = h.Dir
	for _, v := range os.Environ() { // without the settings of the machine
		if !strings.HasPrefix(v, "AGENTDUNGEON_") && !strings.HasPrefix(v, "OPENAI_") && !strings.HasPrefix(v, "PORT=") && !strings.HasPrefix(v, "REDIS_URL=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	// The server must not read the sessions of coding agents that run on the machine, and the hooks of these agents
	// must not find the server.
	cmd.Env = append(cmd.Env, "AGENTDUNGEON_AGENTS=off", "XDG_STATE_HOME="+filepath.Join(filepath.Dir(cmd.Path), "state"))
	// By default, the race detector waits one second at each exit for reports of other threads.
	cmd.Env = append(append(cmd.Env, "GORACE=atexit_sleep_ms=50"), h.Env...)
	return cmd
}

// Spawn starts a server and returns at once, before the server accepts connections.
func (h *Home) Spawn(more ...string) *Life {
	h.T.Helper()
	args := append([]string{"-worlds", h.Worlds, "-addr", "127.0.0.1:0"}, h.Args...)
	l := &Life{t: h.T, cmd: h.command(append(args, more...)...), served: make(chan struct{}), done: make(chan struct{}), tokens: map[string]string{}}
	l.log.grew = make(chan struct{})
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		h.T.Fatal(err)
	}
	l.cmd.Stderr = &l.log
	if err := l.cmd.Start(); err != nil {
		h.T.Fatal(err)
	}
	l.PID = l.cmd.Process.Pid
	go l.watch(out)
	h.T.Cleanup(func() { l.Kill() })
	return l
}

// Start starts a server and waits until it accepts connections.
func (h *Home) Start(more ...string) *Life {
	h.T.Helper()
	l := h.Spawn(more...)
	l.Serving()
	return l
}

// Run runs a command of the binary and waits for its end.
func (h *Home) Run(args ...string) (code int, stdout, stderr string) {
	h.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	base := h.command(args...)
	cmd := exec.CommandContext(ctx, h.Binary, args...)
	cmd.Dir, cmd.Env = base.Dir, base.Env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.T.Fatalf("%v: %v", args, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// Life is one process of the server, from its start to its end.
type Life struct {
	PID  int
	Addr string // set once the server accepts connections
	// Moved is set if the test deletes or replaces the server's files while the server runs. Then the server must not
	// log that everything is saved.
	Moved bool

	t       testing.TB
	cmd     *exec.Cmd
	mu      sync.Mutex
	tokens  map[string]string // of the printed links, by the label before the link
	printed []string          // the other lines of standard output
	served  chan struct{}
	done    chan struct{}
	log     logBuffer
	killing sync.Once
}

// watch reads the standard output of the server and then waits for the end of the process.
func (l *Life) watch(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		who, link, ok := strings.Cut(lines.Text(), ": ")
		at, err := url.Parse(link)
		if !ok || err != nil || at.Host == "" {
			l.mu.Lock()
			l.printed = append(l.printed, lines.Text())
			l.mu.Unlock()
			continue
		}
		l.mu.Lock()
		l.tokens[who] = at.Query().Get("token")
		l.mu.Unlock()
		if l.Addr == "" {
			l.Addr = at.Host
			close(l.served)
		}
	}
	// The error of Wait reports only the exit code or the signal, which ProcessState has too.
	_ = l.cmd.Wait()
	close(l.done)
}

// Serving waits until the server has printed the link with its address.
func (l *Life) Serving() {
	l.t.Helper()
	select {
	case <-l.served:
	case <-l.done:
		l.t.Fatalf("the server ended before it served: %v\n%s", l.cmd.ProcessState, l.Log())
	case <-time.After(Patience):
		l.t.Fatalf("the server does not serve\n%s", l.Log())
	}
}

// Token waits until the server has printed the link whose label is who, such as "open (b)", and returns the token in
// the link.
func (l *Life) Token(who string) string {
	l.t.Helper()
	limit := time.After(Patience)
	for tick := time.NewTicker(Beat); ; {
		l.mu.Lock()
		token, ok := l.tokens[who]
		l.mu.Unlock()
		if ok {
			tick.Stop()
			return token
		}
		select {
		case <-tick.C:
		case <-limit:
			l.t.Fatalf("no link for %q is printed", who)
		}
	}
}

// Done returns a channel that is closed when the process has ended.
func (l *Life) Done() <-chan struct{} { return l.done }

// Printed returns the lines of standard output that have no link. The lines of a start are complete only once the
// process has ended.
func (l *Life) Printed() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.printed)
}

// Signal sends a signal to the process. It does nothing if the process has ended.
func (l *Life) Signal(s syscall.Signal) {
	l.t.Helper()
	if err := l.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		l.t.Errorf("signal: %v", err)
	}
}

// Kill ends the process with SIGKILL and waits for its end.
func (l *Life) Kill() {
	l.t.Helper()
	l.Signal(syscall.SIGKILL)
	<-l.done
	l.killing.Do(l.examine)
}

// Stop sends SIGTERM, waits for the end of the process and returns the exit code.
func (l *Life) Stop() int {
	l.t.Helper()
	l.Signal(syscall.SIGTERM)
	return l.End()
}

// End waits for the end of the process and returns the exit code, or -1 if a signal ended the process.
func (l *Life) End() int {
	l.t.Helper()
	select {
	case <-l.done:
	case <-time.After(Patience):
		l.t.Fatalf("the server does not end\n%s", l.Log())
	}
	l.killing.Do(l.examine)
	return l.cmd.ProcessState.ExitCode()
}

// examine fails the test if the server's log has a text that no server may log.
func (l *Life) examine() {
	log := l.Log()
	broken := "the journal cannot be written any more"
	if l.Moved {
		broken = "everything is saved"
	}
	for _, bad := range []string{"DATA RACE", "panic", broken, "emits events without end", "a complete stage does not advance"} {
		if strings.Contains(log, bad) {
			l.t.Errorf("the server's log has the forbidden text %q:\n%s", bad, log)
			return
		}
	}
	if l.t.Failed() {
		l.t.Logf("log of process %d:\n%s", l.PID, log)
	}
}

// Log returns what the process has written to standard error so far.
func (l *Life) Log() string { return l.log.String() }

// UntilLog waits until the server's log contains part.
func (l *Life) UntilLog(part string) {
	l.t.Helper()
	limit := time.After(Patience)
	for {
		text, grew := l.log.now()
		if strings.Contains(text, part) {
			return
		}
		select {
		case <-grew:
		case <-limit:
			l.t.Fatalf("the log never says %q:\n%s", part, text)
		}
	}
}

// Memory returns the resident set size of the process in bytes.
func (l *Life) Memory() int64 {
	l.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.PID))
	if err != nil {
		l.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	l.t.Fatalf("no VmRSS in %s", data)
	return 0
}

// logBuffer collects the server's log and signals each growth. If the log exceeds maxLog bytes, logBuffer drops bytes
// from its middle.
type logBuffer struct {
	mu   sync.Mutex
	text []byte
	grew chan struct{}
}

const maxLog = 1 << 20

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, p...)
	if len(b.text) > maxLog {
		b.text = append(b.text[:maxLog/2], b.text[len(b.text)-maxLog/4:]...)
	}
	close(b.grew)
	b.grew = make(chan struct{})
	return len(p), nil
}

func (b *logBuffer) now() (string, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.text), b.grew
}

func (b *logBuffer) String() string {
	text, _ := b.now()
	return text
}
