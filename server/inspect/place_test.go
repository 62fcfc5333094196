package inspect

import (
	"strings"
	"testing"
)

func TestWhereAFileStands(t *testing.T) {
	for _, c := range []struct {
		path                   string
		shown, helped, byHands bool
	}{
		{"server/gate.go", false, false, false},
		{"examples/a/main.go", true, false, false},
		{"conf/app.example.yml", true, false, false},
		{"docs/a.py", true, false, false},
		{"core/latest.go", false, false, false},
		{"vault/testing.go", false, true, false},
		{"driver/testsuites/a.go", false, true, false},
		{"internal/chromedptest/run.go", false, true, false},
		{"helper/fakegcsserver/a.go", false, true, false},
		{"scripts/release.sh", false, false, true},
		{"toolbox/a.go", false, false, false},
	} {
		f := &File{Path: c.path}
		if Shown(f) != c.shown || Helps(f) != c.helped || ByHand(f) != c.byHands {
			t.Errorf("%s: shown %v, helps %v, by hand %v", c.path, Shown(f), Helps(f), ByHand(f))
		}
	}
}

func TestAcceptedByAComment(t *testing.T) {
	text := []byte("a() // nolint:gosec\nb()\nc()\n")
	x := NewIndex(text)
	if !accepted(x, 1) || !accepted(x, 2) || accepted(x, 3) {
		t.Error("the comment speaks for its line and the next one")
	}
	for line, accepts := range map[string]bool{
		"# noqa": true, "# noqa: S602": true, "# noqa: E501": false, "# noqa:E501,S602": true, "# noqa: F821": true, "# noqa: F401": false, "// nolint": true, "//nolint:lll": false,
		"//nolint:lll,errcheck // why": true, "// eslint-disable-next-line": true, "// eslint-disable-line no-console": false,
		"// eslint-disable-next-line no-async-promise-executor": true, "// eslint-disable-next-line no-eval -- why": true, "# nosec B602": true, "# the word nosecond": false,
	} {
		if accepted(NewIndex([]byte(line+"\n")), 1) != accepts {
			t.Errorf("%q accepts a finding: %v", line, !accepts)
		}
	}
	if Dense(text) || !Dense([]byte(strings.Repeat("a", 900))) {
		t.Error("lines of 900 characters are dense")
	}
}
