package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// initLine matches what the runtime reports of a package with GODEBUG=inittrace=1.
var initLine = regexp.MustCompile(`(?m)^init .* (\d+) bytes, \d+ allocs$`)

// Each command initialises the variables of all packages before main runs, also when a coding agent calls it as a
// hook. The variables take so little memory that no garbage collection begins: Go begins the first one at 2.8 MB
// (seven tenths of its minimum heap), and it would take a fifth of the time of "agentdungeon version".
func TestPackagesStartBelowTheFirstCollection(t *testing.T) {
	var out bytes.Buffer
	cmd := exec.Command(server, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	cmd.Stderr = &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	sum, packages := 0, initLine.FindAllSubmatch(out.Bytes(), -1)
	for _, p := range packages {
		n, err := strconv.Atoi(string(p[1]))
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if len(packages) < 100 || sum > 2_500_000 {
		t.Errorf("%d packages allocate %d bytes when a command starts:\n%s", len(packages), sum, out.Bytes())
	}
}
