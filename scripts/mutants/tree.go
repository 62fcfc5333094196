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

// testTime is the longest time of one test, with or without a break.
const testTime = 2 * time.Minute

// A tree runs tests of one repository. It writes broken files into a scratch folder, which
// close removes.
type tree struct {
	root, scratch string
	flags         string // GOFLAGS, from the environment or the go command's own settings
	limit         time.Duration
	whole         map[string]outcome // results on the unbroken tree, by package and test
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
	test, place := t.test, t.overlay
	if m.ofPage() {
		test, place = t.pageTest, t.pageCopy
	}
	key := m.pkg + " " + m.test
	whole, known := t.whole[key]
	if !known {
		var err error
		if whole, err = test(ctx, m, ""); err != nil {
			return verdict{fault: err.Error()}
		}
		t.whole[key] = whole
	}
	where, err := place(m)
	if err != nil {
		return verdict{fault: err.Error()}
	}
	broken, err := test(ctx, m, where)
	if err != nil {
		return verdict{fault: err.Error()}
	}
	return judge(m, whole, broken)
}

// broken returns the path of the mutant's file and its broken text.
func (t *tree) broken(m mutant) (place string, text []byte, err error) {
	place = filepath.Join(t.root, filepath.FromSlash(m.file))
	if text, err = os.ReadFile(place); err != nil {
		return "", nil, err
	}
	text, err = m.apply(text)
	return place, text, err
}

// overlay writes the broken file and an overlay file, with which the go command reads it in
// place of the file of the tree. It returns the path of the overlay file.
func (t *tree) overlay(m mutant) (string, error) {
	place, text, err := t.broken(m)
	if err != nil {
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

// test runs the mutant's test. The overlay is passed in GOFLAGS, so that a go command that the
// test itself runs also builds the broken program. Without an overlay the go command may
// return a cached result.
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
	out, said, err := runs(cmd)
	if err == nil && len(out) == 0 {
		err = errors.New(said)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("go test: %w", err)
	}
	return read(bytes.NewReader(out), m.test)
}

// runs runs a command and returns its standard output and standard error. An exit code other than 0
// is no error.
func runs(cmd *exec.Cmd) (out []byte, said string, err error) {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = nil
	}
	return stdout.Bytes(), strings.TrimSpace(stderr.String()), err
}
