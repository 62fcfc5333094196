package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentdungeon/server/proc"
	"agentdungeon/server/rendezvous"
)

const (
	// maxPayload is the maximum number of bytes that a hook reads, and that it writes. A hook ignores a longer
	// payload.
	maxPayload = 1 << 20
	// dialTime limits the time to connect to a server of this machine.
	dialTime = 250 * time.Millisecond
	// toldTime limits how long a hook that does not wait for a person may run.
	toldTime = time.Second
	// parentPause is the time between two checks whether the processes that called the hook still run (see withParent).
	parentPause = 2 * time.Second
	// awayTime limits how long a hook that waits for a person looks for a new server after its server has ended.
	// awayPause is the time between two looks.
	awayTime  = 10 * time.Minute
	awayPause = time.Second
)

// exitHeader is a header of a server's answer. If it is set, the hook writes the answer to standard error and ends
// with exit code 2; the agent then treats the answer as a message to it.
const exitHeader = "Agentdungeon-Exit"

// hookCommand returns the command hook, only for the help and for the completion of shells: the function run does
// not use it and calls the function hook.
func hookCommand(p *program) *cobra.Command {
	var wake bool
	c := p.command("hook", "tell running servers what a coding agent's hook says; agents call it",
		func() error { return nil }) // never called: run calls hook instead
	c.Use = "hook [flags] claude|codex"
	c.Long = "The hooks of Claude Code and Codex call this. It passes their payload from standard input to the\n" +
		"servers of this user that run, and writes what one of them answers. Without a server it ends\n" +
		"at once and is silent."
	c.ValidArgs = hookPrograms
	c.Flags().BoolVar(&wake, "wake", false, "wait for words that wake an idle agent")
	return c
}

var hookPrograms = []string{"claude", "codex"}

// asksBeside is the program that asks in its own terminal while its hook waits for a person's answer. So the hook
// delays nobody while it looks for a new server.
const asksBeside = "claude"

// isHook reports whether the command line calls hook without asking for its help.
func isHook(args []string) bool {
	return len(args) > 1 && args[0] == "hook" && !slices.ContainsFunc(args[1:], func(arg string) bool {
		return arg == "-h" || strings.TrimLeft(arg, "-") == "help" && arg != "help"
	})
}

// hook passes the payload of an agent's hook from stdin to the running servers, writes the first answer, and returns
// the exit code. It writes nothing else, because the agent or its user would see that. So after any error the agent
// continues as it would without the hook.
func hook(args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	wake := len(args) == 2 && (args[0] == "-wake" || args[0] == "--wake")
	if wake {
		args = args[1:]
	}
	if len(args) != 1 || !slices.Contains(hookPrograms, args[0]) {
		return 0
	}
	servers := rendezvous.Servers(getenv)
	if len(servers) == 0 {
		return 0
	}
	payload, ok := payloadOf(stdin)
	if !ok {
		return 0
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if waits(payload, wake) {
		go withParent(cancel)
	} else {
		ctx, cancel = context.WithTimeout(ctx, toldTime)
		defer cancel()
	}
	query := url.Values{"program": args}
	if wake {
		query.Set("wake", "1")
	}
	path := "/api/hook?"
	got := askServers(ctx, servers, path+query.Encode(), payload)
	said := got.said
	if said == nil && got.lost && waits(payload, wake) && (wake || args[0] == asksBeside) {
		query.Set("again", "1")
		running := func() []rendezvous.Server { return rendezvous.Servers(getenv) }
		said = askAgain(ctx, running, path+query.Encode(), payload)
	}
	switch {
	case said == nil:
	case said.exit:
		stderr.Write(said.text) // an error of the write cannot be reported to anybody
		return 2
	default:
		stdout.Write(said.text)
	}
	return 0
}

// payloadOf reads a payload. ok is false if the payload is too long, or cannot be read to its end within toldTime.
func payloadOf(stdin io.Reader) (payload []byte, ok bool) {
	read := make(chan []byte, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(stdin, maxPayload+1))
		if err != nil || len(text) > maxPayload {
			text = nil
		}
		read <- text
	}()
	select {
	case payload = <-read:
		return payload, payload != nil
	case <-time.After(toldTime):
		return nil, false
	}
}

// waits reports whether a hook with that payload may wait for a person.
func waits(payload []byte, wake bool) bool {
	var p struct {
		Event string `json:"hook_event_name"`
	}
	if json.Unmarshal(payload, &p) != nil {
		return false
	}
	return p.Event == "PermissionRequest" || wake && p.Event == "Stop"
}

// withParent calls end when one of two processes has ended: the one that called this process, or that one's parent.
// An agent calls hooks through a shell, and killing an agent does not end its hooks, so the hook has to notice it.
func withParent(end func()) {
	parent := os.Getppid()
	agent := parentOf(parent)
	for os.Getppid() == parent && parentOf(parent) == agent {
		time.Sleep(parentPause)
	}
	end()
}

// parentOf returns the parent of the process pid, 0 if it is unknown, as on a system without /proc.
func parentOf(pid int) int {
	p, _ := proc.Table{}.Process(pid)
	return p.Parent
}

// hookAnswer is a server's answer for a hook to write.
type hookAnswer struct {
	text []byte
	exit bool // whether the answer goes to standard error, with exit code 2
}

// askAgain asks the running servers until one has an answer, or all say that there is nothing to wait for. If a
// server ends meanwhile, askAgain looks for up to awayTime for a server that has started again.
func askAgain(ctx context.Context, running func() []rendezvous.Server, path string, payload []byte) *hookAnswer {
	for began := time.Now(); time.Since(began) < awayTime; {
		select {
		case <-time.After(awayPause):
		case <-ctx.Done():
			return nil
		}
		asked := askServers(ctx, running(), path, payload)
		switch {
		case asked.said != nil || asked.done && !asked.lost:
			return asked.said
		case asked.lost:
			began = time.Now()
		}
	}
	return nil
}

// asked is the outcome of the requests to all servers.
type asked struct {
	said *hookAnswer // nil if no server has answered with a text
	lost bool        // a server has taken the request and ended before it answered
	done bool        // a server has answered that it has no text
}

// askServers posts the payload to all servers and returns with the first answer, or when no server has one. It cancels
// the requests to the others.
func askServers(ctx context.Context, servers []rendezvous.Server, path string, payload []byte) (all asked) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client := localClient()
	answers := make(chan asked, len(servers))
	for _, s := range servers {
		go func() { answers <- askServer(ctx, client, s, path, payload) }()
	}
	for range servers {
		select {
		case one := <-answers:
			if one.said != nil {
				return one
			}
			all.lost, all.done = all.lost || one.lost, all.done || one.done
		case <-ctx.Done():
			return asked{}
		}
	}
	return all
}

// askServer posts the payload to one server. The result has an answer only if the server's answer is complete.
func askServer(ctx context.Context, client *http.Client, s rendezvous.Server, path string, payload []byte) asked {
	response, err := askLocal(ctx, client, s, http.MethodPost, path, payload)
	if err != nil {
		var network *net.OpError
		return asked{lost: !errors.As(err, &network) || network.Op != "dial"}
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusServiceUnavailable: // the server is starting or stopping
		return asked{lost: true}
	default:
		return asked{done: true}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxPayload+1))
	if err != nil {
		return asked{lost: true}
	}
	if len(text) > maxPayload {
		return asked{done: true}
	}
	return asked{said: &hookAnswer{text, response.Header.Get(exitHeader) == "2"}}
}

// localClient returns a client for the servers of this machine: no proxy, no redirect.
func localClient() *http.Client {
	dialer := &net.Dialer{Timeout: dialTime}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// askLocal sends a request to a running server of this machine, with the server's token.
func askLocal(ctx context.Context, client *http.Client, s rendezvous.Server, method, path string,
	body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.Token)
	request.Header.Set("Content-Type", "application/json")
	return client.Do(request)
}
