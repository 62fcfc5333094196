package agents

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	// Patience is how long a test waits for what a program shows. Programs are slow where others use the machine too.
	Patience = 2 * time.Minute
	// look is the time between two looks at a terminal.
	look = 30 * time.Millisecond
)

// Terminal is a program that runs in a terminal of tmux.
type Terminal struct {
	T       testing.TB
	Program *Program
	Socket  string // of tmux; its path is short
	Name    string
}

// Tmux runs a command of tmux.
func (x *Terminal) Tmux(args ...string) (string, error) {
	out, err := exec.Command("tmux", append([]string{"-S", x.Socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Must runs a command of tmux that must succeed.
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
	out, _ := x.Tmux("capture-pane", "-p", "-t", "="+x.Name+":") // a terminal that has ended shows nothing
	return out
}

// Until waits until the terminal shows what a pattern matches, and returns when that was seen.
func (x *Terminal) Until(pattern *regexp.Regexp) time.Time {
	x.T.Helper()
	if !Within(Patience, func() bool { return pattern.MatchString(x.Screen()) }) {
		x.T.Fatalf("the terminal of %s never shows %s:\n%s", x.Program.Title, pattern, x.Screen())
	}
	return time.Now()
}

// Asks reports whether the program asks for a permission.
func (x *Terminal) Asks() bool { return x.Program.Asks.MatchString(x.Screen()) }

// UntilAsks waits until the program asks for a permission.
func (x *Terminal) UntilAsks() time.Time {
	x.T.Helper()
	return x.Until(x.Program.Asks)
}

// Send gives a prompt to the program.
func (x *Terminal) Send(prompt string) {
	x.T.Helper()
	x.Must("set-buffer", "-b", "prompt", "--", prompt,
		";", "paste-buffer", "-p", "-d", "-b", "prompt", "-t", "="+x.Name+":")
	// A key that comes together with the text is taken as part of it: the text has to be drawn before.
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

// squeeze leaves out what a terminal puts between the parts of a long line.
func squeeze(text string) string {
	return strings.NewReplacer(" ", "", "\n", "", "\t", "", "│", "", "┃", "", "\u00a0", "").Replace(text)
}

// Keys presses keys, with tmux's names.
func (x *Terminal) Keys(keys ...string) {
	x.T.Helper()
	x.Must(append([]string{"send-keys", "-t", "=" + x.Name + ":"}, keys...)...)
}

// Allow allows the tool about which the program asks. It presses the key again where the program was not ready for it.
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

// Within reports whether holds returns true within a time. It asks again and again.
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

// Pause lets a while go by.
func Pause(d time.Duration) { <-time.After(d) }
