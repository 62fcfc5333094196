package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// withToken is an HTTP transport that sends a token with each request, none if it is empty.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	if w != "" {
		r.Header.Set("Authorization", "Bearer "+string(w))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// agentAt connects an agent to a server over a transport.
func agentAt(t *testing.T, transport mcp.Transport) (*mcp.ClientSession, error) {
	t.Helper()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err == nil {
		t.Cleanup(func() { _ = client.Close() }) // the server may have stopped
	}
	return client, err
}

// overHTTP connects an agent to /mcp with a token.
func overHTTP(t *testing.T, l *Life, token string) (*mcp.ClientSession, error) {
	t.Helper()
	return agentAt(t, &mcp.StreamableClientTransport{
		Endpoint: "http://" + l.Addr + "/mcp", HTTPClient: &http.Client{Transport: withToken(token)}, MaxRetries: -1,
	})
}

// overStdio starts the command mcp in a folder, and connects an agent to it.
func overStdio(t *testing.T, home *Home, dir string) *mcp.ClientSession {
	t.Helper()
	cmd := home.command("mcp")
	cmd.Dir = dir
	client, err := agentAt(t, &mcp.CommandTransport{Command: cmd})
	must(t, err)
	return client
}

// said calls a tool and returns the text of its answer.
func said(t *testing.T, client *mcp.ClientSession, tool string, args map[string]any) string {
	t.Helper()
	answer, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	must(t, err)
	return answer.Content[0].(*mcp.TextContent).Text
}

// An agent asks for facts over HTTP, with the token of the printed link, and by the command mcp, which finds the
// server by its folder. Every tool of /mcp answers, and both ways give the same answer. Erased words are in no
// answer. Without a server the command says so, and still lists its tools (P17.13).
func TestAgentsAsk_P17_13(t *testing.T) {
	t.Parallel()
	dir := flawed(t)
	for _, args := range []string{"init -q", "add .", "-c user.name=Grace -c user.email=g@example.org commit -q -m Begin"} {
		git := exec.Command("git", strings.Fields(args)...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	home, l, tab, _ := reviewed(t, dir, 0, rand.New(rand.NewPCG(1, 1)))
	state := "XDG_STATE_HOME=" + t.TempDir() // so that the command finds only the servers of this test
	tab.Close()
	l.Stop()
	home.Env = append(home.Env, state)
	l = home.Start()
	http, err := overHTTP(t, l, l.Token("open"))
	must(t, err)
	stdio := overStdio(t, home, filepath.Join(dir, "a"))
	var talks struct{ Talks []struct{ ID, Kind string } }
	must(t, json.Unmarshal([]byte(said(t, http, "talks", nil)), &talks))
	review := slices.IndexFunc(talks.Talks, func(t struct{ ID, Kind string }) bool { return t.Kind == world.KindProcess })
	if review < 0 {
		t.Fatalf("talks: %+v", talks)
	}
	id := talks.Talks[review].ID
	for _, c := range []struct {
		tool string
		args map[string]any
		says []string
	}{
		{"realms", nil, []string{dir, `"lastActive":true`}},
		{"who_is_here", nil, []string{`"heroes":[`, `"folder":"` + dir}},
		{"findings", map[string]any{"path": "main.go", "limit": 5}, []string{`"file":"main.go"`, `"evidence":`, `"severity":"`}},
		{"quests", nil, []string{`"status":"open"`}},
		{"vault", nil, []string{`"insights":[{`}},
		{"talks", map[string]any{"words": "main.go"}, []string{id, `"excerpts":`}},
		{"talk", map[string]any{"id": id, "limit": 3}, []string{`"rows":[{`, `"older":`}},
		{"about_file", map[string]any{"path": dir + "/b/b.go"}, []string{
			`"file":"b/b.go"`, `{"file":"a/a.go","line":3}`, `{"line":3,"name":"example.org/flawed/a"}`, `"newestBy":"Grace"`, `"owners":[{"lines":6`}},
		{"about_file", map[string]any{"path": "no/such.go"}, []string{"no file"}},
	} {
		over, by := said(t, http, c.tool, c.args), said(t, stdio, c.tool, c.args)
		if !sameAnswer(over, by) {
			t.Errorf("%s: over HTTP %s\nby the command %s", c.tool, over, by)
		}
		for _, want := range c.says {
			if !strings.Contains(over, want) {
				t.Errorf("%s says nothing of %s: %s", c.tool, want, over)
			}
		}
	}
	for _, token := range []string{"", "a-wrong-token-of-somebody"} {
		if _, err := overHTTP(t, l, token); err == nil || !strings.Contains(err.Error(), "Forbidden") {
			t.Errorf("with the token %q: %v", token, err)
		}
	}
	if code, out, errs := home.Run("erase", "-worlds", home.Worlds, "-realm", realmOf(t, http), "-conversation", id); code != 0 {
		t.Fatalf("erase: %d %s %s", code, out, errs)
	}
	if text := said(t, http, "talks", nil) + said(t, http, "talks", map[string]any{"words": "main.go"}); strings.Contains(text, id) {
		t.Errorf("an erased conversation is told: %s", text)
	}
	if text := said(t, stdio, "talk", map[string]any{"id": id}); !strings.Contains(text, "no conversation") {
		t.Errorf("an erased conversation is read: %s", text)
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	if text := said(t, stdio, "who_is_here", nil); !strings.Contains(text, "agentdungeon -repo .") {
		t.Errorf("without a server: %s", text)
	}
	list, err := overStdio(t, home, dir).ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 15 {
		t.Errorf("without a server: %v", err)
	}
}

// sameAnswer reports whether two answers are the same sentence or the same JSON.
func sameAnswer(a, b string) bool {
	var one, other any
	if json.Unmarshal([]byte(a), &one) != nil || json.Unmarshal([]byte(b), &other) != nil {
		return a == b
	}
	return reflect.DeepEqual(one, other)
}

// realmOf returns the id of the realm that answers.
func realmOf(t *testing.T, client *mcp.ClientSession) string {
	t.Helper()
	var of struct{ Realm string }
	must(t, json.Unmarshal([]byte(said(t, client, "who_is_here", nil)), &of))
	if !wire.ValidID(of.Realm) {
		t.Fatalf("the realm %q answers", of.Realm)
	}
	return of.Realm
}
