package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The TypeScript clients and the inspector call every tool at /mcp, with the owner's token (P17.13). The test is skipped
// without AGENTDUNGEON_PROGRAMS, the folder into which it installs them with npm.
func TestClientsAsk(t *testing.T) {
	t.Parallel()
	programs := os.Getenv("AGENTDUNGEON_PROGRAMS")
	if programs == "" {
		t.Skip("AGENTDUNGEON_PROGRAMS is the folder into which npm installs the clients")
	}
	project := t.TempDir()
	file(t, filepath.Join(project, "README.md"), "A project for tests.\n")
	file(t, filepath.Join(project, "go.mod"), "module example.org/run\n\ngo 1.24\n")
	run := "package run\n\nimport \"os\"\n\nfunc Run() { os.Exit(1) }\n"
	git(t, project, nil, "init", "-q")
	for _, text := range []string{run + "\nfunc Gone() {}\n", run} {
		file(t, filepath.Join(project, "run.go"), text)
		git(t, project, nil, "add", "-A")
		git(t, project, nil, "commit", "-qm", "change what runs")
	}
	home := NewHome(t, server, "-repo", project)
	l := home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Token = l.Token("open")
	tab.Join(l)
	tab.Do("begin", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{world.RoleOracle}, Title: "A chat"})
	_, out, _ := home.Run("conversations", "-worlds", home.Worlds, "-json")
	var list struct{ Conversations []world.Conversation }
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Conversations) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	calls := []struct {
		tool, input, says string
		args              []string
	}{
		{"realms", "{}", `"lastActive":true`, nil}, {"who_is_here", "{}", `"heroes":[{`, nil}, {"findings", "{}", `"findings":[`, nil},
		{"quests", "{}", `"quests":[`, nil}, {"vault", "{}", `"insights":[`, nil}, {"talks", "{}", `"title":"A chat"`, nil},
		{"talk", fmt.Sprintf(`{"id":%q}`, list.Conversations[0].ConversationID), `"title":"A chat"`, []string{"id=" + list.Conversations[0].ConversationID}},
		{"about_file", `{"path":"README.md"}`, `"language":"Markdown"`, []string{"path=README.md"}},
		{"importers", `{"path":"os"}`, `"file":"run.go"`, []string{"path=os"}},
		{"callers", `{"name":"Run"}`, `"functions":[{"file":"run.go"`, []string{"name=Run"}},
		{"tests_of", `{"path":"run.go"}`, `"references":[`, []string{"path=run.go"}},
		{"history", `{"path":"run.go"}`, `"by":"Grace"`, []string{"path=run.go"}},
		{"flows_to", "{}", `"flows":[]`, nil}, {"unread", "{}", `"files":[`, nil}, {"api_diff", `{"since":"HEAD~1"}`, "Gone", []string{"since=HEAD~1"}},
	}
	url, token := "http://"+l.Addr+"/mcp", l.Token("open")
	var all []string
	for _, c := range calls {
		all = append(all, fmt.Sprintf("[%q,%s]", c.tool, c.input))
	}
	for _, p := range [][2]string{{"@modelcontextprotocol/sdk", "1.32.2"}, {"@modelcontextprotocol/client", "2.3.1"}} {
		t.Run(p[0], func(t *testing.T) {
			said := lines(t, "facts.mjs", installed(t, programs, p[0], p[1]), p[0], url, token, "["+strings.Join(all, ",")+"]")
			if len(said) != len(calls)+1 || len(strings.Fields(said[0])) != len(calls) {
				t.Fatalf("%q", said)
			}
			for i, c := range calls {
				var text string
				if err := json.Unmarshal([]byte(said[i+1]), &text); err != nil || !strings.Contains(text, c.says) {
					t.Errorf("%s is answered %s", c.tool, said[i+1])
				}
			}
		})
	}
	t.Run("inspector", func(t *testing.T) {
		const name = "@modelcontextprotocol/inspector"
		folder := installed(t, programs, name, "2.12.0")
		args := []string{filepath.Join(folder, "node_modules", name, "clients", "launcher", "build", "index.js"), "--cli", url, "--transport", "http", "--header", "Authorization: Bearer " + token}
		if text := strings.Join(lines(t, append(args, "--method", "tools/list", "--strict")...), ""); strings.Count(text, `"readOnlyHint": true`) != len(calls) {
			t.Errorf("the tools: %s", text)
		}
		for _, c := range calls {
			more := append(args, "--method", "tools/call", "--tool-name", c.tool)
			for _, a := range c.args {
				more = append(more, "--tool-arg", a)
			}
			var answer struct{ Content []struct{ Text string } }
			text := strings.Join(lines(t, more...), "")
			if err := json.Unmarshal([]byte(text), &answer); err != nil || !strings.Contains(answer.Content[0].Text, c.says) {
				t.Errorf("%s is answered %s", c.tool, text)
			}
		}
	})
}

// installed installs an npm package unless that version is installed already, and returns its folder.
func installed(t *testing.T, programs, name, version string) string {
	t.Helper()
	folder := filepath.Join(programs, strings.NewReplacer("@", "", "/", "-").Replace(name))
	var is struct{ Version string }
	if text, err := os.ReadFile(filepath.Join(folder, "node_modules", name, "package.json")); err == nil && json.Unmarshal(text, &is) == nil && is.Version == version {
		return folder
	}
	file(t, filepath.Join(folder, "package.json"), "{\"private\":true}\n")
	npm := exec.Command("npm", "install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error", name+"@"+version)
	npm.Dir = folder
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm could not install %s %s: %v: %.300s", name, version, err, out)
	}
	return folder
}

// lines runs node and returns the lines that it prints.
func lines(t *testing.T, args ...string) []string {
	t.Helper()
	var errs strings.Builder
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %.80q: %v: %s%s", args, err, out, errs.String())
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
