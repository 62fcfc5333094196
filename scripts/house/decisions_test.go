package house

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// Each decision is a short dated file, and the index lists all files of the folder and no others.
func TestDecisionsAreDatedAndListed(t *testing.T) {
	const folder = "server/decisions"
	form := regexp.MustCompile(`^(\d{4}-\d\d-\d\d)-[a-z0-9-]+\.md$`)
	there := map[string]bool{}
	for _, file := range tree(t) {
		name := path.Base(file)
		if path.Dir(file) != folder || name == "README.md" {
			continue
		}
		there[name] = true
		m, text := form.FindStringSubmatch(name), read(t, file)
		switch lines := strings.Split(text, "\n"); {
		case m == nil:
			t.Errorf("%s: want YYYY-MM-DD-name.md", file)
		case len(lines) < 5 || !strings.HasPrefix(lines[0], "# ") || lines[2] != m[1]:
			t.Errorf("%s begins with a title and its date, %s", file, m[1])
		case len(lines) > 30:
			t.Errorf("%s has %d lines, at most 30", file, len(lines))
		}
	}
	if len(there) == 0 {
		t.Errorf("no decision in %s", folder)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(read(t, folder+"/README.md"), -1) {
		if listed[m[1]] || !there[m[1]] {
			t.Errorf("%s/README.md lists %s twice, or it is not there", folder, m[1])
		}
		listed[m[1]] = true
	}
	for name := range there {
		if !listed[name] {
			t.Errorf("%s/README.md does not list %s", folder, name)
		}
	}
}
