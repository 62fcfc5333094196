package house

import (
	"slices"
	"strings"
	"testing"
)

// floors is the table of server/ARCHITECTURE.md: imports go down, never up, and
// sideways only where sideways says so. "name/..." means every package below.
var floors = []struct {
	floor    int
	packages []string
}{
	{0, []string{"shared/frame", "shared/world", "shared/wire", "client", "server/jsonfile"}},
	{1, []string{"server/driver", "server/conversation", "server/kind", "server/chat", "server/inspect/...", "server/quests", "server/report", "server/team", "server/brief", "server/process", "server/council", "server/party/...", "server/forge", "server/skill", "server/hints", "server/dungeon", "server/nav", "server/retention"}},
	{2, []string{"server/kinds", "server/ring", "server/realm/..."}},
	{3, []string{"server/gate", "server/store/...", "server/folder", "server/agent/...", "server/keeper", "server/mirror/..."}},
	{4, []string{"server/app"}},
	{5, []string{"server"}},
	// Scripts and the end-to-end client may use whatever they check or build; nothing
	// of the product uses them.
	{6, []string{"scripts/...", "server/e2e"}},
}

// sideways are the imports allowed on one floor.
var sideways = map[string][]string{
	"shared/wire":         {"shared/frame", "shared/world"},
	"shared/world":        {"shared/frame"},
	"server/jsonfile":     {"shared/wire", "shared/world"},
	"server/kind":         {"server/hints", "server/conversation", "server/driver", "server/brief"},
	"server/chat":         {"server/kind", "server/conversation", "server/driver", "server/brief"},
	"server/council":      {"server/kind", "server/conversation", "server/driver", "server/brief"},
	"server/process":      {"server/kind", "server/conversation", "server/driver", "server/brief"},
	"server/party":        {"server/kind", "server/conversation", "server/driver", "server/brief", "server/team"},
	"server/forge":        {"server/kind", "server/skill", "server/hints", "server/conversation", "server/driver", "server/brief"},
	"server/realm":        {"server/ring"},
	"server/realm/watch":  {"server/ring"},
	"server/realm/commit": {"server/ring"},
}

// forbidden are imports that a floor and all below it may not have: a path, or
// everything under it.
var forbidden = []struct {
	upTo  int
	paths []string
	why   string
}{
	{1, []string{"log", "github.com/rs/zerolog"}, "floors 0 and 1 know no logger"},
	{1, []string{"os", "net", "math/rand", "crypto/rand"}, "rules have no disk, no net and no random source but a seed"},
	{2, []string{"github.com/spf13/afero", "database/sql", "modernc.org/sqlite", "github.com/coder/websocket", "github.com/fsnotify/fsnotify"},
		"floors 0 to 2 know no adapter"},
	{5, []string{"html/template", "text/template"}, "a program that has templates keeps every method that one might call: half as much again, and a slower start"},
	{6, []string{"github.com/rs/zerolog/log"}, "the logger is handed in, never global"},
}

const module = "agentdungeon/"

// floorOf is a package's floor, -1 where the table does not name it.
func floorOf(dir string) int {
	for _, f := range floors {
		for _, name := range f.packages {
			tree, isTree := strings.CutSuffix(name, "/...")
			if dir == name || isTree && (dir == tree || strings.HasPrefix(dir, tree+"/")) {
				return f.floor
			}
		}
	}
	return -1
}

// wrongImport says what is wrong with an import, or "".
func wrongImport(dir, path string) string {
	from := floorOf(dir)
	for _, f := range forbidden {
		if from > f.upTo {
			continue
		}
		for _, p := range f.paths {
			if path == "net/url" { // only takes texts apart
				continue
			}
			if path == p || strings.HasPrefix(path, p+"/") {
				return f.why
			}
		}
	}
	to, ours := strings.CutPrefix(path, module)
	if !ours || to == dir {
		return ""
	}
	switch down := floorOf(to); {
	case down < 0:
		return "the floors table does not name " + to
	case down > from:
		return "imports go down only"
	case down == from && !slices.Contains(sideways[dir], to) && !sameTree(dir, to):
		return "packages of one floor do not import each other"
	}
	return ""
}

// sameTree reports whether both lie in one "name/..." of the table: a room with
// side rooms is one room.
func sameTree(a, b string) bool {
	for _, f := range floors {
		for _, name := range f.packages {
			tree, isTree := strings.CutSuffix(name, "/...")
			in := func(dir string) bool { return dir == tree || strings.HasPrefix(dir, tree+"/") }
			if isTree && in(a) && in(b) {
				return true
			}
		}
	}
	return false
}

func TestEveryPackageHasAFloor(t *testing.T) {
	for _, dir := range goDirs(t) {
		if floorOf(dir) < 0 {
			t.Errorf("%s is in no floor: put it into the tables here and in server/ARCHITECTURE.md", dir)
		}
	}
}

// Test files are free in what they import: they build worlds out of real parts.
func TestImportsGoDown(t *testing.T) {
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") || floorOf(f.dir) < 0 {
			continue
		}
		for _, path := range f.imports(t) {
			if why := wrongImport(f.dir, path); why != "" {
				t.Errorf("%s imports %s: %s", f.path, path, why)
			}
		}
	}
}

func TestWrongImportIsSeen(t *testing.T) {
	for _, c := range []struct {
		dir, path string
		wrong     bool
	}{
		{"shared/wire", "agentdungeon/shared/world", false},
		{"shared/world", "agentdungeon/shared/wire", true},
		{"server/process", "agentdungeon/server/nav", true},
		{"server/kind", "agentdungeon/server/process", true},
		{"server/realm", "agentdungeon/server/ring", false},
		{"server/ring", "agentdungeon/server/realm", true},
		{"server/realm", "agentdungeon/server/store", true},
		{"server/gate", "agentdungeon/server/store", true},
		{"server/store", "agentdungeon/server/store/crashfs", false},
		{"server/agent/script", "agentdungeon/server/folder", true},
		{"server/app", "agentdungeon/server/store", false},
		{"server/app", "agentdungeon/scripts/house", true},
		{"server/process", "log/slog", true},
		{"server/process", "github.com/rs/zerolog", true},
		{"server/ring", "github.com/rs/zerolog", false},
		{"server/conversation", "github.com/spf13/afero", true},
		{"server/store", "github.com/spf13/afero", false},
		{"server/realm", "modernc.org/sqlite", true},
		{"server/gate", "github.com/rs/zerolog/log", true},
		{"server/gate", "html/template", true},
		{"scripts/bench", "text/template", false},
		{"server/dungeon", "os", true},
		{"server/dungeon", "net/http", true},
		{"server/dungeon", "net/url", false},
		{"server/gate", "agentdungeon/server/manager", true},
	} {
		if got := wrongImport(c.dir, c.path); (got != "") != c.wrong {
			t.Errorf("%s importing %s: %q", c.dir, c.path, got)
		}
	}
}

// The table that people read names the same rooms.
func TestArchitecturePageNamesEveryRoom(t *testing.T) {
	page := read(t, "server/ARCHITECTURE.md")
	for _, f := range floors {
		for _, name := range f.packages {
			if !strings.Contains(page, "`"+name+"`") {
				t.Errorf("server/ARCHITECTURE.md does not name %s", name)
			}
		}
	}
}
