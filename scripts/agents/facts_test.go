package agents

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentdungeon/server/e2e"
	"agentdungeon/shared/world"
)

// asking is how a program gets the tools of the server: the command by which the manual adds them, the prefix that the
// program puts before their names, and how the program takes one prompt.
type asking struct {
	add    []string // the arguments that add the tools; "ENV" is replaced by the variable of the state folder
	prefix string
	prompt func(prompt string) []string
	stdin  bool // the program reads the prompt from standard input
}

var askings = map[string]asking{
	"claude": {
		add: strings.Fields("mcp add --scope user agentdungeon -e ENV -- agentdungeon mcp"), prefix: "mcp__agentdungeon__",
		prompt: func(p string) []string { return []string{"-p", p, "--allowedTools", "mcp__agentdungeon"} },
	},
	"codex": {
		add: strings.Fields("mcp add agentdungeon --env ENV -- agentdungeon mcp"), prefix: "mcp__agentdungeon.",
		prompt: func(p string) []string { return []string{"exec", "-s", "danger-full-access", p} },
	},
	"gemini": {
		add: strings.Fields("mcp add --scope user -e ENV agentdungeon agentdungeon mcp"), prefix: "mcp_agentdungeon_",
		prompt: func(p string) []string { return []string{"-y", "-p", p} },
	},
	"opencode": {
		prefix: "agentdungeon_",
		prompt: func(string) []string { return []string{"run"} }, stdin: true, // it would add quotes to an argument
	},
}

// headless runs the program once in a project, without a terminal, and waits until it ends.
func (d *Desk) headless(t *testing.T, project, stdin string, args ...string) {
	t.Helper()
	command := append(d.Program.Command(d.programs), args...)
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Stdin = project, strings.NewReader(stdin)
	for _, v := range d.environment(t, project) {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			v = "PATH=" + filepath.Dir(d.binary) + string(os.PathListSeparator) + path
		}
		cmd.Env = append(cmd.Env, v)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%.60q: %v: %s", args, err, out)
	}
}

// ask gives the program one prompt, to which its model answers with the steps.
func (d *Desk) ask(t *testing.T, project string, steps ...Step) {
	t.Helper()
	way, prompt := askings[d.Program.Name], Prompt(steps...)
	if way.stdin {
		d.headless(t, project, prompt, way.prompt("")...)
		return
	}
	d.headless(t, project, "", way.prompt(prompt)...)
}

// bearer is an HTTP transport that sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// session returns the id of the newest session of a coding agent, as the server's MCP tool talks lists it.
func session(t *testing.T, l *e2e.Life) (id string) {
	t.Helper()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: "http://" + l.Addr + "/mcp", MaxRetries: -1,
			HTTPClient: &http.Client{Transport: bearer(l.Token("open"))}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if !Within(Patience, func() bool {
		answer, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "talks", Arguments: map[string]any{"kind": "coding"}})
		var talks struct{ Talks []struct{ ID string } }
		if err == nil {
			err = json.Unmarshal([]byte(answer.Content[0].(*mcp.TextContent).Text), &talks)
		}
		if err != nil || len(talks.Talks) == 0 {
			return false
		}
		id = talks.Talks[0].ID
		return true
	}) {
		t.Fatal("the session is never told")
	}
	return id
}

// An agent that is connected to the server's tools as the manual says calls every tool of /mcp, and each tool
// answers. The server reads the answers back from the agent's own record (P17.13).
func TestAgentsAsk(t *testing.T) {
	scenario(t, "asks the server for facts", nil, func(t *testing.T, d *Desk) string {
		way := askings[d.Program.Name]
		project := d.Project(t)
		home := d.Server(t, project)
		l := home.Start()
		env := "XDG_STATE_HOME=" + d.state()
		if way.add == nil {
			if err := mergeJSON(filepath.Join(d.Home, ".config", "opencode", "opencode.json"), object{"mcp": object{"agentdungeon": object{
				"type": "local", "command": []any{"agentdungeon", "mcp"},
			}}}); err != nil {
				t.Fatal(err)
			}
		} else {
			d.headless(t, project, "", strings.Fields(strings.ReplaceAll(strings.Join(way.add, " "), "ENV", env))...)
		}
		call := func(tool string, input object) Step { return Step{Call: way.prefix + tool, Input: input} }
		d.ask(t, project,
			call("realms", object{}), call("who_is_here", object{}), call("findings", object{}), call("quests", object{}),
			call("vault", object{}), call("talks", object{}), call("about_file", object{"path": filepath.Join(project, "README.md")}),
			Step{Say: "All are answered."})
		d.ask(t, project, call("talk", object{"id": session(t, l)}), Step{Say: "It is read."})
		for tool, says := range map[string]string{
			"realms": `"realms"`, "who_is_here": `"heroes"`, "findings": `"findings"`, "quests": `"quests"`, "vault": `"insights"`,
			"talks": `"talks"`, "about_file": `"file":"README.md"`, "talk": `"rows"`,
		} {
			if !Within(Patience, func() bool { return answered(home, tool, says) }) {
				t.Errorf("%s is not answered with %s", tool, says)
			}
		}
		return ""
	})
}

// answered reports whether a session that the server has read contains an answer of the tool that contains the text
// in says.
func answered(home *e2e.Home, tool, says string) bool {
	_, out, _ := home.Run("conversations", "-worlds", home.Worlds, "-content", "-json")
	var list struct {
		Conversations []struct{ Rows []world.Message }
	}
	if json.Unmarshal([]byte(out), &list) != nil {
		return false // the rows of a running session cannot be read at every moment
	}
	for _, c := range list.Conversations {
		for _, m := range c.Rows {
			if m.Tool != nil && strings.HasSuffix(m.Tool.Name, tool) && strings.Contains(m.Content, says) {
				return true
			}
		}
	}
	return false
}
