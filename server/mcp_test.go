package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"agentdungeon/server/facts"
	"agentdungeon/server/rendezvous"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// linkedRealms has the linked folders of a test server's realms, by the realm's id.
type linkedRealms map[string]string

func (l linkedRealms) List(context.Context) (list wire.RealmList, err error) {
	for id, folder := range l {
		list.Realms = append(list.Realms, wire.RealmInfo{ID: id, Name: "name of " + id, Path: folder})
	}
	return list, nil
}

func (l linkedRealms) Open(_ context.Context, id string) (facts.Realm, error) {
	return linkedRealm{world: world.New(world.Realm{ID: id, Path: l[id]})}, nil
}

type linkedRealm struct {
	facts.Realm
	world *world.World
}

func (r linkedRealm) World(context.Context) (*world.World, error) { return r.world, nil }

// serving starts a server that answers agents and requires a token, and returns the data by which commands find it.
func serving(t *testing.T, realms linkedRealms) rendezvous.Server {
	t.Helper()
	f := facts.New(facts.Config{Realms: realms, Version: "1", Log: zerolog.Nop()})
	const token = "the-token-of-a-server"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" || r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		f.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return rendezvous.Server{Addr: server.Listener.Addr().String(), Token: token}
}

// relayed calls a tool through a relay and returns the words of the answer.
func relayed(t *testing.T, servers []rendezvous.Server, folder, tool string, args map[string]any) string {
	t.Helper()
	r := &relay{servers: func() []rendezvous.Server { return servers }, folder: folder}
	here, there := mcp.NewInMemoryTransports()
	server, err := r.server().Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	list, err := client.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 15 {
		t.Errorf("%d tools (%v)", len(list.Tools), err)
	}
	answer, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Content[0].(*mcp.TextContent).Text
}

// The command mcp asks for the realm that is linked to the folder in which the command was started, to the innermost
// folder around it, or to another worktree. If the agent names a realm, mcp asks for that realm. If there is no such
// realm, mcp says so and names the realms that there are. It never answers for another folder (P17.13).
func TestMCPFindsTheRealm_P17_13(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"a/sub/deep", "b", "away", "main"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init -q", "-c user.name=a -c user.email=a@example.org commit -q --allow-empty -m x", "worktree add -q ../w"} {
		git := exec.Command("git", strings.Fields(args)...)
		git.Dir = filepath.Join(root, "main")
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	if err := os.Symlink(filepath.Join(root, "a"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	at := func(dir string) string { return filepath.Join(root, dir) }
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	servers := []rendezvous.Server{
		{Addr: gone.Listener.Addr().String()}, // a server that has just ended
		serving(t, linkedRealms{"ra": at("a"), "bare": ""}),
		{Addr: serving(t, linkedRealms{"secret": at("b")}).Addr, Token: "of another user"},
		serving(t, linkedRealms{"sub": at("a/sub"), "rb": at("b"), "main": at("main")}),
	}
	for i, c := range []struct {
		folder, tool string
		realm        string
		says         []string
	}{
		{"a", "who_is_here", "", []string{`"realm":"ra"`}},
		{"link", "who_is_here", "", []string{`"realm":"ra"`}},
		{"a/sub/deep", "who_is_here", "", []string{`"realm":"sub"`}},
		{"b", "findings", "", []string{`"realm":"rb"`}},
		{"w", "quests", "", []string{`"realm":"main"`}},
		{"away", "quests", "", []string{"no realm of a running server is linked to " + at("away"), "ra (" + at("a"), "bare (no folder)", "agentdungeon -repo ."}},
		{"away", "quests", "bare", []string{`"realm":"bare"`}},
		{"away", "quests", "name of rb", []string{`"realm":"rb"`}},
		{"a", "quests", "nope", []string{`no realm "nope"`, "rb ("}},
		{"away", "realms", "", []string{`"realm":"ra"`, `"realm":"rb"`, `"realm":"sub"`}},
		{"a", "no_such_tool", "", []string{`unknown tool`}},
	} {
		args := map[string]any{}
		if c.realm != "" {
			args["realm"] = c.realm
		}
		text := relayed(t, servers, at(c.folder), c.tool, args)
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%d: %s, want %s", i, text, want)
			}
		}
		if strings.Contains(text, "secret") {
			t.Errorf("%d: %s", i, text)
		}
	}
	for _, none := range [][]rendezvous.Server{nil, servers[:1]} {
		if text := relayed(t, none, at("a"), "who_is_here", nil); !strings.Contains(text, "agentdungeon -repo .") {
			t.Error(text)
		}
	}
	if text := relayed(t, servers, at("a"), "quests", map[string]any{"realm": 7}); !strings.Contains(text, "realm must be a text") {
		t.Error(text)
	}
}
