package house

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	flagInCode = regexp.MustCompile(`set\.[A-Z][a-z]+Var\(&\w+\.\w+, "([a-z-]+)"`)
	// commands are rows of a table of this form.
	commandInCode = regexp.MustCompile(`(?m)^\t\{"([a-z]+)", "`)
	target        = regexp.MustCompile("make ([a-z]+)")
	makeTarget    = regexp.MustCompile(`(?m)^([a-z-]+):`)
)

// A newcomer reads nothing else: what the README says to type must be there, and
// it must name every flag.
func TestReadmeIsTrue(t *testing.T) {
	readme := read(t, "README.md")
	flags := flagInCode.FindAllStringSubmatch(read(t, "server/options.go"), -1)
	if len(flags) == 0 {
		t.Error("server/options.go defines no flag that this test can see")
	}
	for _, f := range flags {
		if !strings.Contains(readme, "`-"+f[1]) {
			t.Errorf("README.md does not name the flag -%s", f[1])
		}
	}
	commands := commandInCode.FindAllStringSubmatch(read(t, "server/main.go"), -1)
	if len(commands) == 0 {
		t.Error("server/main.go defines no command that this test can see")
	}
	for _, c := range commands {
		if !strings.Contains(readme, "| `"+c[1]+"` |") {
			t.Errorf("README.md does not name the command %s", c[1])
		}
	}
	there := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		there[m[1]] = true
	}
	for _, m := range target.FindAllStringSubmatch(readme, -1) {
		if !there[m[1]] {
			t.Errorf("README.md says make %s, which the Makefile lacks", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([a-z][^):]*)\)`).FindAllStringSubmatch(readme, -1) {
		if !exists(t, m[1]) {
			t.Errorf("README.md links to %s, which is not there", m[1])
		}
	}
}

func exists(t *testing.T, path string) bool {
	t.Helper()
	for _, name := range tree(t) {
		if name == path || strings.HasPrefix(name, path+"/") {
			return true
		}
	}
	return false
}

// The files that the architecture sends a reader to are there.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	paths := regexp.MustCompile("`((?:server|shared|client|scripts)/[^`\\s]*)`").FindAllStringSubmatch(read(t, "server/ARCHITECTURE.md"), -1)
	if len(paths) < 50 {
		t.Errorf("%d paths found in server/ARCHITECTURE.md", len(paths))
	}
	for _, m := range paths {
		name := strings.TrimSuffix(m[1], "/...")
		if found, err := filepath.Glob(filepath.Join(root, name)); err != nil || len(found) == 0 {
			t.Errorf("server/ARCHITECTURE.md names %s, which is not there", m[1])
		}
	}
}
