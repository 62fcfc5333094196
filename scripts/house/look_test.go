package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var lookedFor = regexp.MustCompile(`[a-z0-9_*]+\.go`)

// A package doc with a list "Where to look" names every file of its package, and no other.
func TestWhereToLookIsTrue(t *testing.T) {
	lists := 0
	for _, dir := range goDirs(t) {
		text, err := os.ReadFile(filepath.Join(root, dir, "doc.go"))
		if err != nil {
			continue // most packages are small and have no such list
		}
		_, list, ok := strings.Cut(string(text), "// # Where to look\n")
		if !ok {
			continue
		}
		lists++
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		left := map[string]bool{}
		for _, f := range files {
			if name := filepath.Base(f); name != "doc.go" && !strings.HasSuffix(name, "_test.go") {
				left[name] = true
			}
		}
		for _, pattern := range lookedFor.FindAllString(list, -1) {
			found := false
			for name := range left {
				if ok, err := path.Match(pattern, name); err == nil && ok {
					found = true
					delete(left, name)
				}
			}
			if !found {
				t.Errorf("%s/doc.go: %s is no file, or is named twice", dir, pattern)
			}
		}
		for name := range left {
			t.Errorf("%s/doc.go does not say where %s belongs", dir, name)
		}
	}
	if lists == 0 {
		t.Error("no package doc says where to look")
	}
}
