package house

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	flagInCode    = regexp.MustCompile(`\.(?:[A-Z][a-z]+)?VarP?\(&\w+\.\w+, "([a-z-]+)"`)
	commandInCode = regexp.MustCompile(`\.command\("([a-z]+)", "`)
	target        = regexp.MustCompile("make ([a-z]+)")
	makeTarget    = regexp.MustCompile(`(?m)^([a-z-]+):`)
)

// Every command and path that the README tells a newcomer to type exists, and the README names every
// flag of the server.
func TestReadmeIsTrue(t *testing.T) {
	readme := read(t, "README.md")
	var code strings.Builder
	for _, f := range goFiles(t) {
		if f.dir == "server" && !strings.HasSuffix(f.path, "_test.go") {
			code.WriteString(read(t, f.path))
		}
	}
	flags := flagInCode.FindAllStringSubmatch(code.String(), -1)
	if len(flags) < 20 {
		t.Errorf("package server defines %d flags that this test can see", len(flags))
	}
	for _, f := range flags {
		if !strings.Contains(readme, "`-"+f[1]) {
			t.Errorf("README.md does not name the flag -%s", f[1])
		}
	}
	commands := commandInCode.FindAllStringSubmatch(code.String(), -1)
	if len(commands) < 10 {
		t.Errorf("package server defines %d commands that this test can see", len(commands))
	}
	for _, c := range append(commands, []string{"", "completion"}) { // the library's
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

// Every file that server/ARCHITECTURE.md names exists.
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
