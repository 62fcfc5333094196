package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"agentdungeon/server/e2e"
)

// server is the path of the server's binary, which each run builds once.
var server string

// desks has the desk of each installed program, by the program's name.
var desks = map[string]*Desk{}

// report has the lines of the table that a run prints at its end.
var report struct {
	sync.Mutex
	lines []string
}

func tell(format string, args ...any) {
	report.Lock()
	defer report.Unlock()
	report.lines = append(report.lines, fmt.Sprintf(format, args...))
}

func TestMain(m *testing.M) { os.Exit(testAll(m)) }

func testAll(m *testing.M) int {
	programs := os.Getenv("AGENTDUNGEON_PROGRAMS")
	if programs == "" {
		return m.Run() // without installed programs each test skips itself
	}
	if err := prepare(programs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	for _, d := range desks {
		if err := d.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if err := os.RemoveAll(filepath.Dir(server)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	fmt.Println("\nprogram                scenario                            result")
	for _, line := range report.lines {
		fmt.Println(line)
	}
	return code
}

// prepare builds the server and installs the programs.
func prepare(programs string) error {
	for _, tool := range []string{"tmux", "strace", "git", "node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("make test-agents needs %s: please install it", tool)
		}
	}
	dir, err := os.MkdirTemp("", "agentdungeon-agents-")
	if err != nil {
		return err
	}
	if server, err = e2e.Build(dir, false); err != nil {
		return err
	}
	for _, p := range Programs {
		name := fmt.Sprintf("%-22s", p.Title+" "+p.Version)
		if err := p.Install(programs); err != nil {
			tell("%s COULD NOT BE INSTALLED: %v", name, err)
			continue
		}
		if desks[p.Name], err = NewDesk(p, programs, server); err != nil {
			return err
		}
	}
	return nil
}

// scenario runs do with each program for which the function of returns true, and adds the results to the table. do
// returns a text for the table.
func scenario(t *testing.T, name string, of func(*Program) bool, do func(t *testing.T, d *Desk) string) {
	if os.Getenv("AGENTDUNGEON_PROGRAMS") == "" {
		t.Skip("make test-agents runs this with the real programs")
	}
	for _, p := range Programs {
		d := desks[p.Name]
		if d == nil || of != nil && !of(p) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			said, began := "", time.Now()
			defer func() {
				result := "passed"
				if t.Failed() {
					result = "FAILED"
				}
				if said != "" {
					result += ": " + said
				}
				tell("%-22s %-35s %s (%.0f s)", p.Title+" "+p.Version, name, result, time.Since(began).Seconds())
			}()
			said = do(t, d)
			d.Kill()
		})
	}
}
