package house

import (
	"slices"
	"strings"
	"testing"
)

// floors is the table of server/ARCHITECTURE.md. A package may import packages of lower floors; of
// its own floor only those that the map sideways lists. "name/..." stands for name and every package
// below it.
var floors = []struct {
	floor    int
	packages []string
}{
	{0, []string{"server/syntax", "shared/frame", "shared/pattern", "shared/world", "shared/wire", "client", "server/jsonfile"}},
	{1, []string{"server/driver", "server/shadow", "server/price", "server/conversation", "server/kind", "server/chat", "server/coding", "server/inspect/...", "server/quests", "server/report", "server/team", "server/template", "server/brief", "server/process", "server/council", "server/party/...", "server/forge", "server/skill", "server/hints", "server/dungeon", "server/nav", "server/retention", "server/shell"}},
	{2, []string{"server/kinds", "server/ring", "server/realm/...", "server/withheld", "server/proc", "server/source"}},
	{3, []string{"server/gate", "server/store/...", "server/folder", "server/golib", "server/agent/...", "server/keeper", "server/mirror/...", "server/agenthook", "server/facts", "server/follow", "server/reader/...", "server/rendezvous", "server/hooks", "server/soak"}},
	{4, []string{"server/app"}},
	{5, []string{"server"}},
	// Scripts and the end-to-end tests may import whatever they check or build. No package of the
	// product imports them.
	{6, []string{"scripts/...", "server/e2e"}},
}

// sideways lists, by package, the imports of the same floor that are allowed.
var sideways = map[string][]string{
	"shared/wire":         {"shared/frame", "shared/pattern", "shared/world"},
	"shared/world":        {"shared/frame", "shared/pattern"},
	"server/jsonfile":     {"shared/wire", "shared/world"},
	"server/kind":         {"server/hints", "server/conversation", "server/driver", "server/shadow", "server/brief"},
	"server/coding":       {"server/kind", "server/conversation", "server/driver", "server/shadow", "server/shell"},
	"server/chat":         {"server/kind", "server/conversation", "server/driver", "server/brief"},
	"server/council":      {"server/kind", "server/conversation", "server/driver", "server/brief"},
	"server/process":      {"server/kind", "server/conversation", "server/driver", "server/brief"},
	"server/party":        {"server/kind", "server/conversation", "server/driver", "server/brief", "server/team"},
	"server/forge":        {"server/kind", "server/skill", "server/hints", "server/conversation", "server/driver", "server/brief"},
	"server/report":       {"server/dungeon", "server/inspect", "server/shell"},
	"server/realm":        {"server/ring"},
	"server/realm/watch":  {"server/ring"},
	"server/realm/commit": {"server/ring"},
}

// forbidden lists imports that no package of a floor, or of a floor below it, may have. A path
// stands for itself and all paths below it.
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

// floorOf returns the floor of a package, or -1 if floors does not list the package.
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

// wrongImport returns why the package dir may not import path, or "" if it may.
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

// sameTree reports whether one "name/..." of floors matches both packages. Such packages count as
// one and may import each other.
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

// Imports go down the floors. Test files may import any package, because they put real parts
// together.
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

// The table in server/ARCHITECTURE.md, which people read, names the same packages as floors.
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
