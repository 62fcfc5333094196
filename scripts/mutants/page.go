package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// pageCopy creates a folder with a copy of the page's code in which the mutant's file is broken,
// and with symbolic links to the rest of the tree. It returns the path of the folder.
func (t *tree) pageCopy(m mutant) (string, error) {
	place, text, err := t.broken(m)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(t.scratch, m.name)
	client := filepath.Join(dir, "client")
	if err := os.MkdirAll(client, 0o700); err != nil {
		return "", err
	}
	if err := links(t.root, dir, "client"); err != nil {
		return "", err
	}
	if err := links(filepath.Join(t.root, "client"), client, "src"); err != nil {
		return "", err
	}
	if err := os.CopyFS(filepath.Join(client, "src"), os.DirFS(filepath.Join(t.root, "client", "src"))); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(t.root, place)
	if err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, rel), text, 0o600)
}

// links creates symbolic links in the folder to, one for each entry of the folder from except the
// entry but.
func links(from, to, but string) error {
	entries, err := fs.ReadDir(os.DirFS(from), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == but {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// pageTest checks the types of the page's code and runs the mutant's test, in the copy dir or,
// if dir is empty, in the tree.
func (t *tree) pageTest(ctx context.Context, m mutant, dir string) (outcome, error) {
	if dir == "" {
		dir = t.root
	}
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	in := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, filepath.Join("node_modules", ".bin", name), args...)
		cmd.Dir = filepath.Join(dir, "client")
		return cmd
	}
	check := in("tsc", "--noEmit")
	said, complaint, err := runs(check)
	switch {
	case err != nil:
		return outcome{}, fmt.Errorf("run tsc, which \"make page\" installs: %w", err)
	case !check.ProcessState.Success():
		return outcome{output: string(said) + complaint}, nil
	}
	file := strings.TrimPrefix(m.pkg, "client/")
	out, complaint, err := runs(in("vitest", "run", file, "-t", regexp.QuoteMeta(m.test), "--reporter=json"))
	if ctx.Err() != nil {
		return outcome{built: true, crash: "the time limit of " + t.limit.String()}, nil
	}
	if err != nil {
		return outcome{}, fmt.Errorf("vitest: %w", err)
	}
	return readPage(out, m.test, complaint)
}

// readPage parses the report of vitest for one test of one file. An AssertionError, which
// expect throws, is an assertion; every other error is a crash.
func readPage(report []byte, test, complaint string) (outcome, error) {
	var r struct {
		TestResults []struct {
			Message          string
			AssertionResults []struct {
				Title, Status   string
				FailureMessages []string
			}
		}
	}
	if err := json.Unmarshal(report, &r); err != nil {
		return outcome{}, fmt.Errorf("parse the report of vitest: %w: %s", err, complaint)
	}
	o := outcome{}
	for _, file := range r.TestResults {
		o.output += file.Message
		o.built = o.built || len(file.AssertionResults) > 0
		for _, a := range file.AssertionResults {
			if a.Title != test {
				continue
			}
			o.ran, o.passed = true, a.Status == "passed"
			for _, text := range a.FailureMessages {
				o.output += text + "\n"
				if strings.HasPrefix(text, "AssertionError: ") {
					o.asserts = append(o.asserts, text)
				} else if line, _, _ := strings.Cut(text, "\n"); o.crash == "" {
					o.crash = line
				}
			}
		}
	}
	return o, nil
}
