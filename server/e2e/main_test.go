package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// server is the path of the binary, which each run of the tests builds once. It has the race detector if the tests have
// it.
var server string

func TestMain(m *testing.M) { os.Exit(testAll(m)) }

func testAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agentdungeon-e2e-")
	if err == nil {
		server, err = Build(dir, raceOn)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	closeBrowser()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// seeded returns the random sources of a test, one for each stream, and logs how to repeat the run.
func seeded(t *testing.T) func(stream int) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano()) % 1_000_000_007
	if s := os.Getenv("AGENTDUNGEON_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("AGENTDUNGEON_SEED: %v", err)
		}
		seed = n
	}
	t.Logf("AGENTDUNGEON_SEED=%d", seed)
	return func(stream int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(stream))) }
}

func number(t *testing.T, key string, otherwise int) int {
	t.Helper()
	s := os.Getenv(key)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return n
}

// watched returns the number of kills: fewer under the race detector, which makes each life several times as long. "go
// test" without it uses the whole number, and "make soak" repeats the tests with other seeds.
func watched(whole, fewer int) int {
	if raceOn {
		return fewer
	}
	return whole
}

// file writes a file of a test and returns its path.
func file(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// repository makes a small folder to link.
func repository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tools")
	for name, text := range map[string]string{
		"README.md": "# tools\n", "src/main.go": "package main\n", "src/a..b/c.go": "package c\n", "docs/guide.md": "read\n",
	} {
		file(t, filepath.Join(dir, name), text)
	}
	return dir
}

// eventually calls holds repeatedly until it returns true.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := time.After(Patience)
	tick := time.NewTicker(Beat)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("it never came: %s", what)
		}
	}
}
