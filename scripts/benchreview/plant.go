package main

import (
	"embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// cases has the planted applications that people wrote; language.vary generates the others. A line "## path" begins a
// file; "//~" or "#~" at the end of a line label the line: "CWE-89 yes". The labels are not part of the planted text.
//
//go:embed cases
var cases embed.FS

// app has the texts of planted files and the rows of their labels.
type app struct {
	files map[string]string
	rows  []string
}

// plant writes the planted applications and their labels to a folder.
func plant(dir string) error {
	a, err := planted()
	if err != nil {
		return err
	}
	a.files[labelsFile] = strings.Join(a.rows, "\n") + "\n"
	for _, p := range slices.Sorted(maps.Keys(a.files)) {
		to := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(a.files[p]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func planted() (*app, error) {
	a := &app{files: map[string]string{"go.mod": "module example.com/planted\n\ngo 1.24\n"}}
	list, err := cases.ReadDir("cases")
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		data, err := cases.ReadFile("cases/" + f.Name())
		if err != nil {
			return nil, err
		}
		for _, part := range strings.Split("\n"+string(data), "\n## ")[1:] {
			name, text, _ := strings.Cut(part, "\n")
			a.add(name, text+"\n")
		}
	}
	for _, l := range spoken {
		l.vary(a)
	}
	return a, nil
}

// add adds a file: its text without the labels, and a row for each label.
func (a *app) add(name, text string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		code, label, ok := strings.Cut(line, "//~ ")
		if !ok {
			code, label, ok = strings.Cut(line, "#~ ")
		}
		if !ok {
			continue
		}
		lines[i] = strings.TrimRight(code, " ")
		cwe, yes, _ := strings.Cut(strings.TrimSpace(label), " ")
		a.rows = append(a.rows, fmt.Sprintf("%s,%d,%s,%s", name, i+1, cwe, yes))
	}
	a.files[name] = strings.Join(lines, "\n")
}

// language has the parts of which flows in a language are built.
type language struct {
	ext, mark string
	head      string // of each file
	source    string // an expression for a value of a request
	shapes    []shape
	sinks     []sink
}

// shape is the code of a flow from the source to the sink, with placeholders: SOURCE is the source, SINK(x)SINK the
// sink with the value x, LABEL the label of the sink, BEFORE and AFTER the texts around the source in x, NAME a unique
// name.
type shape struct{ name, text string }

// sink is a place that takes a value. call is its code with %s for the value. before and after are the texts around the
// source in that value, such as the beginning and the end of a query.
type sink struct{ cwe, name, call, before, after string }

// vary adds a file for each sink in each shape: the flow, and the same code with a constant instead of the source.
func (l language) vary(a *app) {
	for _, s := range l.sinks {
		for i, sh := range l.shapes {
			for _, kind := range []string{"flow", "constant"} {
				source, label := l.source, "yes"
				if kind == "constant" {
					source, label = `"main"`, "no"
				}
				name := fmt.Sprintf("%s_%s_%s", kind, s.name, sh.name)
				r := strings.NewReplacer("SOURCE", source, "BEFORE", s.before, "AFTER", s.after, "NAME", fmt.Sprintf("%s%d", s.name, i), "LABEL", l.mark+" "+s.cwe+" "+label)
				text := sh.text
				for { // SINK(x)
					head, rest, ok := strings.Cut(text, "SINK(")
					if !ok {
						break
					}
					arg, tail, _ := strings.Cut(rest, ")SINK")
					text = head + strings.Replace(s.call, "%s", arg, 1) + tail
				}
				a.add("varied/"+name+"/"+name+l.ext, r.Replace(l.head+text))
			}
		}
	}
}
