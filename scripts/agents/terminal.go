package agents

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	// Patience is how long a test waits until a program shows something. Programs are slow on a machine that others use
	// too.
	Patience = 2 * time.Minute
	// look is the time between two reads of a terminal's screen.
	look = 30 * time.Millisecond
)

// Terminal is a program that runs in a terminal of tmux.
type Terminal struct {
	T       testing.TB
	Program *Program
	Socket  string // the socket of tmux, with a short path
	Name    string
}

// Tmux runs a tmux command and returns its output.
func (x *Terminal) Tmux(args ...string) (string, error) {
	out, err := exec.Command("tmux", append([]string{"-S", x.Socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Must runs a tmux command and returns its output. The test fails if the command fails.
func (x *Terminal) Must(args ...string) string {
	x.T.Helper()
	out, err := x.Tmux(args...)
	if err != nil {
		x.T.Fatalf("tmux %.100q: %v: %s", args, err, out)
	}
	return out
}

// Screen returns what the terminal shows.
func (x *Terminal) Screen() string {
	out, _ := x.Tmux("capture-pane", "-p", "-t", "="+x.Name+":") // an ended terminal has an empty screen
	return out
}

// Until waits until pattern matches the screen, and returns the time of the match.
func (x *Terminal) Until(pattern *regexp.Regexp) time.Time {
	x.T.Helper()
	if !Within(Patience, func() bool { return pattern.MatchString(x.Screen()) }) {
		x.T.Fatalf("the terminal of %s never shows %s:\n%s", x.Program.Title, pattern, x.Screen())
	}
	return time.Now()
}

// Asks reports whether the program asks for a permission.
func (x *Terminal) Asks() bool { return x.Program.Asks.MatchString(x.Screen()) }

// UntilAsks waits until the program asks for a permission, and returns the time.
func (x *Terminal) UntilAsks() time.Time {
	x.T.Helper()
	return x.Until(x.Program.Asks)
}

// Send gives a prompt to the program.
func (x *Terminal) Send(prompt string) {
	x.T.Helper()
	x.Must("set-buffer", "-b", "prompt", "--", prompt,
		";", "paste-buffer", "-p", "-d", "-b", "prompt", "-t", "="+x.Name+":")
	// A program takes a key that comes together with the text as part of the text, so the text has to be on the screen
	// before the key is sent.
	tail := squeeze(prompt)
	tail = tail[max(0, len(tail)-16):]
	if !Within(Patience, func() bool {
		screen := squeeze(x.Screen())
		return strings.Contains(screen, tail) || strings.Contains(screen, "[Pasted")
	}) {
		x.T.Fatalf("%s takes no prompt:\n%s", x.Program.Title, x.Screen())
	}
	Pause(300 * time.Millisecond)
	x.Keys("Enter")
}

// squeeze removes spaces and other characters that a terminal inserts where it breaks a long line.
func squeeze(text string) string {
	return strings.NewReplacer(" ", "", "\n", "", "\t", "", "│", "", "┃", "", "\u00a0", "").Replace(text)
}

// Keys presses keys. The arguments are tmux's names of keys.
func (x *Terminal) Keys(keys ...string) {
	x.T.Helper()
	x.Must(append([]string{"send-keys", "-t", "=" + x.Name + ":"}, keys...)...)
}

// Allow presses the keys that allow the tool about which the program asks. It presses them again if the program was not
// ready.
func (x *Terminal) Allow() {
	x.T.Helper()
	for range 5 {
		x.Keys(x.Program.Allow...)
		if Within(3*time.Second, func() bool { return !x.Asks() }) {
			return
		}
	}
	x.T.Fatalf("%s still asks:\n%s", x.Program.Title, x.Screen())
}

// Within reports whether holds returns true before limit has passed. It calls holds repeatedly.
func Within(limit time.Duration, holds func() bool) bool {
	over := time.After(limit)
	tick := time.NewTicker(look)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-over:
			return false
		}
	}
	return true
}

// Pause waits for d.
func Pause(d time.Duration) { <-time.After(d) }
