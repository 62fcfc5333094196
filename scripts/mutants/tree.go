package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// testTime is the longest that one test may take, with or without a break.
const testTime = 2 * time.Minute

// A tree runs tests of one repository and keeps what it has compiled them from in a
// folder of its own, which close removes.
type tree struct {
	root, scratch string
	flags         string // GOFLAGS, from the environment or the go command's own settings
	limit         time.Duration
	whole         map[string]outcome // by package and test: tests on the tree as it is
}

func newTree(root string) (*tree, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	flags, err := exec.Command("go", "env", "GOFLAGS").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	scratch, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	return &tree{root: root, scratch: scratch, flags: strings.TrimSpace(string(flags)), limit: testTime, whole: map[string]outcome{}}, nil
}

func (t *tree) close() { _ = os.RemoveAll(t.scratch) }

// try runs the mutant's test on the tree, and again on the tree with the break.
func (t *tree) try(ctx context.Context, m mutant) verdict {
	key := m.pkg + " " + m.test
	whole, known := t.whole[key]
	if !known {
		var err error
		if whole, err = t.test(ctx, m, ""); err != nil {
			return verdict{fault: err.Error()}
		}
		t.whole[key] = whole
	}
	overlay, err := t.overlay(m)
	if err != nil {
		return verdict{fault: err.Error()}
	}
	broken, err := t.test(ctx, m, overlay)
	if err != nil {
		return verdict{fault: err.Error()}
	}
	return judge(m, whole, broken)
}

// overlay writes the broken file and what tells the go command to read it in the
// place of the file of the tree.
func (t *tree) overlay(m mutant) (string, error) {
	place := filepath.Join(t.root, filepath.FromSlash(m.file))
	text, err := os.ReadFile(place)
	if err != nil {
		return "", err
	}
	if text, err = m.apply(text); err != nil {
		return "", err
	}
	broken := filepath.Join(t.scratch, m.name+".go")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{place: broken}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(t.scratch, m.name+".json")
	return overlay, errors.Join(os.WriteFile(broken, text, 0o600), os.WriteFile(overlay, list, 0o600))
}

// test runs the mutant's test. The overlay is named in GOFLAGS, so that a go command
// which the test itself runs builds the broken program, too. Without a break the go
// command may answer from its cache.
func (t *tree) test(ctx context.Context, m mutant, overlay string) (outcome, error) {
	var pattern []string
	for _, part := range strings.Split(m.test, "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-vet=off", "-timeout", t.limit.String(), "-run", strings.Join(pattern, "/"), "./"+m.pkg)
	cmd.Dir = t.root
	cmd.Env = os.Environ()
	if overlay != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimSpace(t.flags+" -overlay="+overlay))
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return outcome{}, fmt.Errorf("go test: %w", err)
	}
	if out.Len() == 0 && failed != nil {
		return outcome{}, fmt.Errorf("go test: %w: %s", failed, strings.TrimSpace(said.String()))
	}
	return read(&out, m.test)
}
