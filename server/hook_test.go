package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentdungeon/server/rendezvous"
)

// announced starts a server for each handler, and returns the environment in which the command hook finds the
// servers.
func announced(t *testing.T, handlers ...http.HandlerFunc) (getenv func(string) string) {
	t.Helper()
	state := t.TempDir()
	getenv = func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
	for i, handler := range handlers {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		place(t, getenv, i, server.Listener.Addr().String())
	}
	return getenv
}

// place writes the file by which commands find the running server at that address. The file names a process of its
// own for each server.
func place(t *testing.T, getenv func(string) string, i int, addr string) {
	t.Helper()
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := child.Process.Kill(); err == nil {
			_ = child.Wait() // killed
		}
	})
	s := rendezvous.Server{Addr: addr, PID: child.Process.Pid, Token: fmt.Sprint("token ", i)}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	dir := rendezvous.Folder(getenv)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(s.PID, ".json")), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// hooked runs hook with a payload and returns what it did.
func hooked(getenv func(string) string, args, payload string) string {
	var stdout, stderr bytes.Buffer
	code := hook(strings.Fields(args), getenv, strings.NewReader(payload), &stdout, &stderr)
	return fmt.Sprintf("%d %q %q", code, stdout.String(), stderr.String())
}

const silent = `0 "" ""`

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

func nothing(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// A hook passes on its payload unchanged, with program and token, and writes the server's answer unchanged.
func TestHookAsks(t *testing.T) {
	var got string
	getenv := announced(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		got = fmt.Sprintf("%s %s %s %s %v", r.Method, r.URL, r.Header.Get("Authorization"), body, err)
		io.WriteString(w, "{\"a\": 1}\n")
	})
	payload := `{"hook_event_name": "PermissionRequest", "x": "é"}`
	if did := hooked(getenv, "claude", payload); did != `0 "{\"a\": 1}\n" ""` {
		t.Error(did)
	}
	if want := "POST /api/hook?program=claude Bearer token 0 " + payload + " <nil>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	hooked(getenv, "-wake claude", `{"hook_event_name": "Stop"}`)
	if !strings.HasPrefix(got, "POST /api/hook?program=claude&wake=1 ") {
		t.Error(got)
	}
}

// An answer with exit code 2 goes to standard error.
func TestHookWakes(t *testing.T) {
	getenv := announced(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Agentdungeon-Exit", "2")
		io.WriteString(w, "go on")
	})
	if did := hooked(getenv, "-wake claude", `{"hook_event_name": "Stop"}`); did != `2 "" "go on"` {
		t.Error(did)
	}
}

// A hook that waits for words outlives its server and waits at the next one. It ends if the next server does not show
// the agent. A hook that only tells something does not look for another server (P17.14).
func TestAHookOutlivesItsServer(t *testing.T) {
	stop := `{"hook_event_name": "Stop"}`
	killed := func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }
	for then, want := range map[string]string{"go on": `2 "" "go on"`, "": silent} {
		var lives atomic.Int32
		getenv := announced(t, func(w http.ResponseWriter, r *http.Request) {
			switch life := lives.Add(1); {
			case life == 1:
				killed(w, r)
			case life == 2:
				w.WriteHeader(http.StatusServiceUnavailable)
			case then == "":
				nothing(w, r)
			default:
				w.Header().Set("Agentdungeon-Exit", "2")
				io.WriteString(w, then)
			}
		})
		if did := hooked(getenv, "-wake claude", stop); did != want || lives.Load() != 3 {
			t.Errorf("%s after %d requests, want %s", did, lives.Load(), want)
		}
	}
	var asked atomic.Int32
	getenv := announced(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		killed(w, r)
	})
	if did := hooked(getenv, "claude", stop); did != silent || asked.Load() != 1 {
		t.Errorf("%s after %d requests", did, asked.Load())
	}
}

// A hook of Claude Code that waits for the answer to a question outlives its server too, and says to the next one that
// it asks again. A hook of Codex does not: while it runs, Codex asks nobody (P17.8).
func TestAQuestionOutlivesItsServer(t *testing.T) {
	asks := `{"hook_event_name": "PermissionRequest"}`
	for program, want := range map[string]struct {
		did   string
		asked []string
	}{
		"claude": {`0 "allowed" ""`, []string{"program=claude", "again=1&program=claude", "again=1&program=claude"}},
		"codex":  {silent, []string{"program=codex"}},
	} {
		var mu sync.Mutex
		var asked []string
		getenv := announced(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			switch asked = append(asked, r.URL.RawQuery); len(asked) {
			case 1:
				panic(http.ErrAbortHandler)
			case 2:
				w.WriteHeader(http.StatusServiceUnavailable)
			default:
				io.WriteString(w, "allowed")
			}
		})
		did := hooked(getenv, program, asks)
		mu.Lock()
		if did != want.did || !slices.Equal(asked, want.asked) {
			t.Errorf("%s: %s after %q, want %s after %q", program, did, asked, want.did, want.asked)
		}
		mu.Unlock()
	}
}

// Whatever fails, a hook writes nothing and exits with 0 (P17.8).
func TestHookIsSilent(t *testing.T) {
	asks := `{"hook_event_name": "PermissionRequest"}`
	answers := announced(t, says("yes"))
	gone := announced(t)
	closed := httptest.NewServer(http.HandlerFunc(nothing))
	place(t, gone, 0, closed.Listener.Addr().String())
	closed.Close()
	for name, c := range map[string]struct {
		getenv        func(string) string
		args, payload string
	}{
		"no home":          {func(string) string { return "" }, "claude", asks},
		"no server":        {announced(t), "claude", asks},
		"a closed port":    {gone, "claude", asks},
		"nothing to say":   {announced(t, nothing), "claude", asks},
		"another program":  {answers, "emacs", asks},
		"too many words":   {answers, "claude codex", asks},
		"a payload > 1MiB": {answers, "claude", strings.Repeat(" ", 1<<20+1)},
		"refused": {announced(t, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no", http.StatusForbidden)
		}), "claude", asks},
		"a redirect": {announced(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusFound)
			io.WriteString(w, "elsewhere")
		}), "claude", asks},
		"a dropped connection": {announced(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half of it")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}), "codex", asks},
		"an answer > 1MiB": {announced(t, says(strings.Repeat("x", 1<<20+1))), "claude", asks},
	} {
		if did := hooked(c.getenv, c.args, c.payload); did != silent {
			t.Errorf("%s: %.100s", name, did)
		}
	}
	if did := hooked(answers, "codex", asks); did != `0 "yes" ""` {
		t.Error(did)
	}
}

// Only a hook with a question, and the hook that can wake an agent, wait long for a server's answer; a payload that
// never ends does not make a hook wait longer. A hook that waits for a server that never answers would run into the
// time limit of the test.
func TestHookWaits(t *testing.T) {
	never := announced(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // the server notices the end of the connection only then
		<-r.Context().Done()
	})
	late := announced(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(toldTime + 500*time.Millisecond):
		case <-r.Context().Done():
		}
		io.WriteString(w, "late")
	})
	for _, c := range []struct{ args, event, want string }{
		{"claude", "PermissionRequest", `0 "late" ""`},
		{"-wake claude", "Stop", `0 "late" ""`},
		{"claude", "Stop", silent},
		{"-wake claude", "PostToolUse", silent},
		{"codex", "SessionStart", silent},
	} {
		t.Run(c.args+" "+c.event, func(t *testing.T) {
			t.Parallel()
			getenv := late
			if c.want == silent {
				getenv = never
			}
			if did := hooked(getenv, c.args, `{"hook_event_name": "`+c.event+`"}`); did != c.want {
				t.Errorf("%s, want %s", did, c.want)
			}
		})
	}
	t.Run("endless", func(t *testing.T) {
		t.Parallel()
		endless, end := io.Pipe()
		defer end.Close()
		if code := hook([]string{"claude"}, never, endless, io.Discard, io.Discard); code != 0 {
			t.Error(code)
		}
	})
}

// The first server that answers counts; the requests to the others are cancelled.
func TestHookTakesTheFirstAnswer(t *testing.T) {
	cancelled := make(chan bool, 1)
	asked := make(chan bool)
	getenv := announced(t, nothing,
		func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // the server notices the end of the connection only then
			close(asked)
			select {
			case <-r.Context().Done():
				cancelled <- true
			case <-time.After(10 * time.Second):
				cancelled <- false
			}
		},
		func(w http.ResponseWriter, _ *http.Request) {
			<-asked
			io.WriteString(w, "allow")
		})
	if did := hooked(getenv, "claude", `{"hook_event_name": "PermissionRequest"}`); did != `0 "allow" ""` {
		t.Error(did)
	}
	if !<-cancelled {
		t.Error("the other request was not cancelled")
	}
}

// The command line knows hook: help describes it, and wrong calls of it are silent.
func TestHookOnTheCommandLine(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"hook -help", "standard input", 0}, {"help hook", "standard input", 0}, {"help", "  hook ", 0},
		{"hook emacs", "", 0}, {"hook claude", "", 0}, {"hook -what", "", 0},
	} {
		code, out, errs := ran(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out, c.says) || errs != "" || c.says == "" && out != "" {
			t.Errorf("%s: exit code %d, %q %q", c.args, code, out, errs)
		}
	}
}
