package house

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	flagInCode    = regexp.MustCompile(`\.(?:[A-Z][a-z]+)?VarP?\(&\w+\.\w+, "([a-z-]+)"`)
	commandInCode = regexp.MustCompile(`\.command\("([a-z]+)", "`)
	target        = regexp.MustCompile("make ([a-z]+)")
	makeTarget    = regexp.MustCompile(`(?m)^([a-z-]+):`)
	linkInText    = regexp.MustCompile(`\]\(([a-z.#][^):]*)\)`)
	heading       = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// What the README and the manual tell people to type exists, their links lead to a file and a heading, and the manual
// names every flag and command of the server.
func TestReadmeIsTrue(t *testing.T) {
	readme, manual := read(t, "README.md"), read(t, "server/MANUAL.md")
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
		if !strings.Contains(manual, "`-"+f[1]) {
			t.Errorf("server/MANUAL.md does not name the flag -%s", f[1])
		}
	}
	commands := commandInCode.FindAllStringSubmatch(code.String(), -1)
	if len(commands) < 10 {
		t.Errorf("package server defines %d commands that this test can see", len(commands))
	}
	for _, c := range append(commands, []string{"", "completion"}) { // the library's
		if !strings.Contains(manual, "| `"+c[1]+"` |") {
			t.Errorf("server/MANUAL.md does not name the command %s", c[1])
		}
	}
	there := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		there[m[1]] = true
	}
	for _, m := range target.FindAllStringSubmatch(readme+manual, -1) {
		if !there[m[1]] {
			t.Errorf("a document says make %s, which the Makefile lacks", m[1])
		}
	}
	for name, text := range map[string]string{"README.md": readme, "server/MANUAL.md": manual} {
		for _, m := range linkInText.FindAllStringSubmatch(text, -1) {
			to, heading, _ := strings.Cut(m[1], "#")
			if to = path.Join(path.Dir(name), to); to == path.Dir(name) {
				to = name
			}
			switch {
			case !exists(t, to):
				t.Errorf("%s links to %s, which is not there", name, m[1])
			case heading != "" && !slices.Contains(headings(read(t, to)), heading):
				t.Errorf("%s links to %s, but there is no such heading", name, m[1])
			}
		}
	}
}

// headings returns the names by which links lead to the headings of a document.
func headings(text string) (out []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.ReplaceAll(strings.ToLower(strings.NewReplacer(",", "", "`", "").Replace(m[1])), " ", "-"))
	}
	return out
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
