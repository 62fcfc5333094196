package agents

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/e2e"
)

// credentials has, by program, the files in which programs keep keys, below the home. They are not among the files of
// sessions.
var credentials = map[string]string{
	"claude": ".claude/.credentials.json", "codex": ".codex/auth.json",
	"opencode": ".local/share/opencode/auth.json", "gemini": ".gemini/oauth_creds.json",
}

// homes has the files and folders that programs own below the home.
var homes = []string{".claude", ".claude.json", ".codex", ".gemini", ".local/share/opencode", ".config/opencode"}

// A server that reads the sessions of a program does not open a file below the program's home for writing, and does not
// make, rename, lock or remove one. It opens no credential, and every file stays as it was (P17.7). One exception: for
// OpenCode, SQLite opens the log and its index for writing and takes shared locks, even as a reader.
func TestReadOnly(t *testing.T) {
	scenario(t, "only read", nil, func(t *testing.T, d *Desk) string {
		project := d.Project(t)
		answers := func() (n int) {
			for _, line := range d.lines(t) {
				if strings.Contains(line, "All of it is read.") && !strings.Contains(line, play) {
					n++
				}
			}
			return n
		}
		before := answers()
		x := d.Open(t, project)
		x.Send(Prompt(d.Program.Read(filepath.Join(project, "README.md")), Step{Say: "All of it is read."}))
		x.Until(regexp.MustCompile(`All of it is read\.\s`))
		x.Until(d.Program.Ready)
		// Claude Code shows an answer before its record has it: a kill now would leave a record that says nothing.
		if d.Program.Hooks && !Within(Patience, func() bool { return answers() > before }) {
			t.Fatal("the agent's record does not have its answer")
		}
		d.Kill()
		secret := filepath.Join(d.Home, credentials[d.Program.Name])
		if _, err := os.Stat(secret); err != nil {
			if err := os.WriteFile(secret, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(secret) //nolint:errcheck // the desk goes, too
		}
		was := files(t, d.Home)
		h := d.Server(t, project)
		trace := traced(t, h)
		l := h.Start()
		tab := d.Tab(t, l)
		if !tab.Within(Patience, func() bool {
			for _, s := range tab.World.Sessions {
				if s.Program == d.Program.Name && s.Position != "" {
					return true
				}
			}
			return false
		}) {
			t.Fatal("the session is not read")
		}
		Pause(2 * time.Second) // long enough for the server to list the sessions again and look at the files several times
		l.Stop()
		after := files(t, d.Home)
		for name, sum := range was {
			if after[name] != sum {
				t.Errorf("%s was %s and is %s", name, sum, after[name])
			}
		}
		for name := range after {
			if _, ok := was[name]; !ok {
				t.Errorf("%s is new", name)
			}
		}
		opened := 0
		for _, c := range calls(t, trace, d.Home) {
			opened++
			if why := c.forbidden(secret); why != "" {
				t.Errorf("the server %s: %s", why, c.line)
			}
		}
		if opened == 0 {
			t.Error("the trace has no call below the home")
		}
		return fmt.Sprintf("%d calls below its home, %d files as they were", opened, len(was))
	})
}

// files returns size, mode, time and checksum of the programs' files below a home. It leaves out the files that SQLite
// itself changes.
func files(t *testing.T, home string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, folder := range homes {
		err := filepath.WalkDir(filepath.Join(home, folder), func(path string, e fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-shm") {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			out[path] = fmt.Sprint(info.Size(), info.Mode(), info.ModTime(), sha256.Sum256(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// traced makes the server h run under a tracer that writes its system calls about files into a trace, and returns the
// trace's file name.
func traced(t *testing.T, h *e2e.Home) (trace string) {
	t.Helper()
	dir := t.TempDir()
	trace = filepath.Join(dir, "trace")
	script := fmt.Sprintf("#!/bin/sh\nexec strace -D -f -y -qq -s 4096 --seccomp-bpf -e trace=%%file,flock,fcntl,ftruncate,"+
		"fchmod,fchown -o %q %q \"$@\"\n", trace, h.Binary)
	h.Binary = filepath.Join(dir, "server")
	if err := os.WriteFile(h.Binary, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return trace
}

// call is a system call in a trace that names a file below a home.
type call struct{ name, path, line string }

var (
	called = regexp.MustCompile(`^\d+ +([a-z0-9_]+)\((.*)`)
	inDir  = regexp.MustCompile(`<([^>]*)>, "([^"]*)"`)
	ofFile = regexp.MustCompile(`^\d+<([^>]*)>`)
	byName = regexp.MustCompile(`^"([^"]*)"`)
)

// calls returns the system calls of a trace that name the programs' files below a home.
func calls(t *testing.T, trace, home string) (out []call) {
	t.Helper()
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := called.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		path := ""
		if p := byName.FindStringSubmatch(m[2]); p != nil {
			path = p[1]
		} else if p := inDir.FindStringSubmatch(m[2]); p != nil {
			if path = p[2]; !filepath.IsAbs(path) {
				path = filepath.Join(p[1], path)
			}
		} else if p := ofFile.FindStringSubmatch(m[2]); p != nil {
			path = p[1]
		}
		for _, folder := range homes {
			if below := filepath.Join(home, folder); path == below || strings.HasPrefix(path, below+"/") {
				out = append(out, call{m[1], path, lines.Text()})
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// forbidden says what a system call does that a reader must not do, "" for nothing. secret is the path of the
// credential.
func (c *call) forbidden(secret string) string {
	database := strings.HasSuffix(c.path, "/opencode/opencode.db")
	log := strings.HasSuffix(c.path, "/opencode/opencode.db-wal") || strings.HasSuffix(c.path, "/opencode/opencode.db-shm")
	switch c.name {
	case "openat", "open":
		switch {
		case c.path == secret:
			return "opens a credential"
		case !strings.Contains(c.line, "O_WRONLY") && !strings.Contains(c.line, "O_RDWR") &&
			!strings.Contains(c.line, "O_CREAT") && !strings.Contains(c.line, "O_TRUNC"):
		case log:
		default:
			return "opens a file for writing"
		}
	case "fcntl":
		// When SQLite closes the database, it asks for a write lock. The kernel refuses it, because the database is open for
		// reading only.
		if strings.Contains(c.line, "F_WRLCK") && !database || strings.Contains(c.line, "F_RDLCK") && !database && !log {
			return "locks a file"
		}
	case "fchown":
		if !log { // when root runs it, SQLite gives its log the owner of the database
			return "changes an owner"
		}
	case "stat", "lstat", "newfstatat", "statx", "fstatat64", "access", "faccessat", "faccessat2", "readlink",
		"readlinkat", "getcwd", "chdir", "statfs", "inotify_add_watch", "execve":
	default:
		return "calls " + c.name
	}
	return ""
}
