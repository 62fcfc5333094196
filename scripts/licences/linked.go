package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// tables lists files of the server that contain data or code of other projects that the program does not link as
// modules.
var tables = []part{
	{name: "server/inspect/languages_gen.go (go-enry)", from: "github.com/go-enry/go-enry/v2"},
	{name: "server/inspect/secrets/rules_gen.go (gitleaks)", from: "server/inspect/secrets/LICENSE.gitleaks"},
	{name: "server/syntax/parsers.wasm.gz (tree-sitter, grammars, wasi-libc)", from: "server/syntax/LICENSE.parsers"},
}

// goParts returns Go itself, the modules that the server is linked from, and those in tables.
func goParts(root string) ([]part, error) {
	goRoot, err := output(root, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(goRoot), "LICENSE"))
	if err != nil {
		return nil, err
	}
	parts := []part{{name: "go", version: runtime.Version(), licences: licencesIn(text), from: "LICENSE"}}
	modules, err := linkedModules(root)
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		p, err := m.part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	for _, p := range tables {
		path := filepath.Join(root, p.from)
		if !strings.HasPrefix(p.from, "server/") {
			dir, err := output(root, "go", "list", "-m", "-f", "{{.Dir}}", p.from)
			if err != nil {
				return nil, err
			}
			path, p.from = filepath.Join(strings.TrimSpace(dir), "LICENSE"), "LICENSE of "+p.from
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p.licences = licencesIn(text)
		parts = append(parts, p)
	}
	return parts, nil
}

// module is a module that the server is linked from, with its linked files.
type module struct {
	path, version, dir string
	files              []string
}

func linkedModules(root string) ([]*module, error) {
	const form = `{{if and .Module (not .Module.Main)}}{{.Module.Path}}{{"\t"}}{{.Module.Version}}{{"\t"}}{{.Module.Dir}}` +
		`{{"\t"}}{{.Dir}}{{range .GoFiles}}{{"\t"}}{{.}}{{end}}{{end}}`
	out, err := output(root, "go", "list", "-deps", "-f", form, "./server")
	if err != nil {
		return nil, err
	}
	byPath := map[string]*module{}
	var all []*module
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 4 {
			continue
		}
		m := byPath[fields[0]]
		if m == nil {
			m = &module{path: fields[0], version: fields[1], dir: fields[2]}
			byPath[m.path] = m
			all = append(all, m)
		}
		for _, name := range fields[4:] {
			m.files = append(m.files, filepath.Join(fields[3], name))
		}
	}
	if len(all) == 0 {
		return nil, errors.New("go list names no module")
	}
	slices.SortFunc(all, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

var spdx = regexp.MustCompile(`(?m)^// SPDX-License-Identifier: ([\w.-]+)\r?$`)

// part returns the module with its licences. The files of a module with several licence texts may
// each name the licence of the file. If each linked file names one, part returns these licences,
// else the licences of all texts.
func (m *module) part() (part, error) {
	p := part{name: m.path, version: m.version}
	byFile := len(m.files) > 0
	var named []string
	for _, name := range m.files {
		text, err := os.ReadFile(name)
		if err != nil {
			return p, err
		}
		head, _, _ := bytes.Cut(text, []byte("\npackage "))
		if found := spdx.FindSubmatch(head); found != nil {
			named = append(named, string(found[1]))
		} else {
			byFile = false
		}
	}
	texts, names, err := licenceFiles(m.dir)
	if err != nil {
		return p, err
	}
	if byFile && len(names) > 1 {
		slices.Sort(named)
		p.licences, p.from = slices.Compact(named), "its files"
		return p, nil
	}
	p.licences, p.from = all(texts), strings.Join(names, ", ")
	return p, nil
}

// licenceFile matches the names of files with licence texts. It matches neither code nor images.
var licenceFile = regexp.MustCompile(`(?i)^([a-z]+-)?(licen[cs]e|copying|unlicense)([.-](md|txt|[a-z0-9.-]+))?$`)

func licenceFiles(dir string) (texts [][]byte, names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if !e.Type().IsRegular() || !licenceFile.MatchString(e.Name()) || ext == ".go" || e.Name() == "LICENSE-LOGO" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, nil, err
		}
		texts, names = append(texts, text), append(names, e.Name())
	}
	return texts, names, nil
}

// all returns the licences of several texts. It returns none if one of the texts has no known
// licence.
func all(texts [][]byte) (found []string) {
	for _, text := range texts {
		of := licencesIn(text)
		if len(of) == 0 {
			return nil
		}
		found = append(found, of...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// leastKnown is the share of a text's words, in percent, that must at least belong to known
// licences. The other words are headings and, in notices of several parts, names of authors.
const leastKnown = 50

// ofDocuments matches a sentence that names a licence by its address and says that it is for the project's
// documentation only.
var ofDocuments = regexp.MustCompile(`(?m)^Documentation in this project(?: \(excluding specifications\))? is licensed ` +
	`under\s+[\w.-]+\.\s+See\s+https://\S+`)

// licencesIn returns the licences in a text, or none if less than leastKnown of the text is known. It leaves out a
// licence that the text states for documents alone, because documents are not linked.
func licencesIn(text []byte) (found []string) {
	documents := ofDocuments.FindIndex(text)
	cover := licensecheck.Scan(text)
	for _, m := range cover.Match {
		if m.IsURL && documents != nil && documents[0] <= m.Start && m.End <= documents[1] {
			continue
		}
		found = append(found, m.ID)
	}
	words := strings.Join(strings.Fields(string(text)), " ")
	if len(found) == 0 && strings.Contains(words, "has been dedicated to the public domain") {
		return []string{"PublicDomain"}
	}
	if cover.Percent < leastKnown {
		return nil
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("run %s %s: %w: %s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out), nil
}
