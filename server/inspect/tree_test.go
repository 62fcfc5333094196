package inspect_test

import (
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

// A text that exceeds the parser's limits is listed as unread, and no later check parses it again.
func TestComplexTextIsParsedOnce(t *testing.T) {
	files := map[string]string{"a.js": strings.Repeat(strings.Repeat(`"`, 64)+"\n", 1<<10), "b.js": "let b\n"}
	r := inspecttest.Case{Files: files}.Repo()
	parsed := func() (paths []string) {
		for tree := range r.Trees(t.Context(), func(*inspect.File, []byte) bool { return true }, "JavaScript") {
			paths = append(paths, tree.File.Path)
		}
		return paths
	}
	for range 2 {
		if got := parsed(); len(got) != 1 || got[0] != "b.js" {
			t.Errorf("parsed %q, want b.js alone", got)
		}
	}
	if why := r.Unread()["a.js"]; !strings.Contains(why, "too complex") {
		t.Errorf("unread because of %q", why)
	}
	// After a failure the parser needs a new instance of its module, which takes more than two hundred allocations.
	// So fewer allocations show that the text was not parsed again.
	if n := testing.AllocsPerRun(1, func() { parsed() }); n > 100 {
		t.Errorf("%.0f allocations: the complex text was parsed again", n)
	}
}
