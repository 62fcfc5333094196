package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// breaks is the folder of the mutants, from the root of the repository.
const breaks = "scripts/mutants/breaks"

// A mutant is one break of one file. Paths are from the root of the repository, with slashes.
type mutant struct {
	name    string // name of the mutant's file without .txt
	row     string // the requirement that it breaks
	why     string // what the broken program does, in one line
	file    string // the file that is changed
	pkg     string // folder of the test's package; for the page, the test file
	test    string // the test that must fail, TestA/sub for a subtest; for the page, its title
	says    string // part of the message of the assertion that must fail
	search  string
	replace string
}

// load reads all mutants of a folder, sorted by name.
func load(dir string) ([]mutant, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var out []mutant
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		m, err := parse(strings.TrimSuffix(filepath.Base(name), ".txt"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// parse parses a file of breaks. The package's documentation describes the form.
func parse(name, text string) (mutant, error) {
	m := mutant{name: name}
	head, rest, ok := strings.Cut(text, "--- search\n")
	search, rest, ok2 := strings.Cut(rest, "\n--- replace\n")
	replace, rest, ok3 := strings.Cut("\n"+rest, "\n--- end")
	if !ok || !ok2 || !ok3 || strings.TrimSpace(rest) != "" {
		return m, fmt.Errorf("the file must have --- search, --- replace and --- end, in this order, " +
			"and no text after them")
	}
	m.search, m.replace = search, strings.TrimPrefix(replace, "\n")
	var where string
	fields := map[string]*string{"row": &m.row, "why": &m.why, "file": &m.file, "test": &where, "says": &m.says}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(line, ":")
		field := fields[key]
		if field == nil || *field != "" {
			return m, fmt.Errorf("the line %q does not begin with a field, or another line has set the field",
				strings.TrimSpace(line))
		}
		*field = strings.TrimSpace(value)
	}
	for key, field := range fields {
		if *field == "" {
			return m, fmt.Errorf("the field %s is missing", key)
		}
	}
	m.pkg, m.test, _ = strings.Cut(where, " ")
	switch {
	case m.ofPage() && (!pageTest.MatchString(m.pkg) || m.test == ""):
		return m, fmt.Errorf("the field test must have a test file of the page and a test's title, not %q", where)
	case m.ofPage() && pageTest.MatchString(m.file):
		return m, fmt.Errorf("the field file has %s, which is no file of the page", m.file)
	case !m.ofPage() && (path.Ext(m.file) != ".go" || strings.HasSuffix(m.file, "_test.go")):
		return m, fmt.Errorf("the field file has %s, which is no Go file of the program", m.file)
	case !m.ofPage() && (!strings.HasPrefix(m.test, "Test") || strings.Contains(m.test, " ")):
		return m, fmt.Errorf("the field test must have the folder of a package and a test's name, not %q", where)
	case m.search == "" || m.search == m.replace:
		return m, fmt.Errorf("the break changes nothing: search and replace are equal")
	}
	return m, nil
}

// pageSources is the folder of the page's code; pageTest matches a test file in it.
const pageSources = "client/src"

var pageTest = regexp.MustCompile(`^client/src/.*\.test\.tsx?$`)

// ofPage reports whether the mutant breaks the page and not the server.
func (m mutant) ofPage() bool {
	return strings.HasPrefix(m.file, pageSources+"/") && (path.Ext(m.file) == ".ts" || path.Ext(m.file) == ".tsx")
}

// apply returns the broken text of the mutant's file.
func (m mutant) apply(text []byte) ([]byte, error) {
	if n := bytes.Count(text, []byte(m.search)); n != 1 {
		return nil, fmt.Errorf("the text of search occurs %d times in %s, not once", n, m.file)
	}
	return bytes.Replace(text, []byte(m.search), []byte(m.replace), 1), nil
}

// sampled is the number of mutants that -sample chooses in addition to those of changed files.
const sampled = 3

// sample chooses mutants by the hash of a commit, so that in time each is chosen. It adds each
// mutant whose own file or whose broken file is among the changed paths.
func sample(all []mutant, hash string, changed []string) []mutant {
	place := func(m mutant) string {
		sum := sha256.Sum256([]byte(hash + " " + m.name))
		return string(sum[:])
	}
	drawn := slices.Clone(all)
	slices.SortFunc(drawn, func(a, b mutant) int { return strings.Compare(place(a), place(b)) })
	drawn = drawn[:min(sampled, len(drawn))]
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool {
		return !slices.Contains(changed, m.file) && !slices.Contains(changed, breaks+"/"+m.name+".txt") &&
			!slices.ContainsFunc(drawn, func(d mutant) bool { return d.name == m.name })
	})
}

// commit returns the hash of HEAD and the paths that differ between the work tree and the
// commit before HEAD. Without such a commit, as in a shallow clone, it returns no paths.
func commit(ctx context.Context, root string) (hash string, changed []string, err error) {
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	if hash, err = git("rev-parse", "HEAD"); err != nil {
		return "", nil, fmt.Errorf("git rev-parse: %w", err)
	}
	if _, err := git("rev-parse", "--verify", "--quiet", "HEAD~1"); err != nil {
		return hash, nil, nil
	}
	names, err := git("diff", "--name-only", "HEAD~1")
	if err != nil {
		return "", nil, fmt.Errorf("git diff: %w", err)
	}
	added, err := git("ls-files", "--others", "--exclude-standard")
	if err != nil {
		return "", nil, fmt.Errorf("git ls-files: %w", err)
	}
	return hash, strings.Fields(names + "\n" + added), nil
}
