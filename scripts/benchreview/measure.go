package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/flows"
)

// labelsFile is the file of a folder that lists its labelled lines.
const labelsFile = "labels.csv"

// place is a line and a kind of harm.
type place struct {
	path string
	line int
	cwe  string
}

// counts has the numbers of right and wrong findings, of missed flows, and of labels: yes (flows) and no (alike).
type counts struct{ right, wrong, missed, flows, alike int }

// tally has the figures of each rule in each language: "SQL injection" in "Go" has the key {"CWE-89", "Go"}.
type tally map[[2]string]*counts

func (t tally) of(cwe, file string) *counts {
	lang := map[string]string{".go": "Go", ".py": "Python"}[path.Ext(file)]
	if lang == "" {
		lang = "JavaScript and TypeScript"
	}
	k := [2]string{cwe, lang}
	if t[k] == nil {
		t[k] = &counts{}
	}
	return t[k]
}

// labels reads a file labels.csv and returns whether the label of each place is yes.
func labels(r io.Reader) (map[place]bool, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	out := map[place]bool{}
	for _, row := range rows {
		if len(row) != 4 {
			return nil, fmt.Errorf("%s: a row has %d fields, want path, line, CWE, yes or no", labelsFile, len(row))
		}
		line, err := strconv.Atoi(strings.TrimSpace(row[1]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", labelsFile, err)
		}
		out[place{row[0], line, strings.TrimSpace(row[2])}] = strings.TrimSpace(row[3]) == "yes"
	}
	return out, nil
}

// measure compares the findings in a folder with its labels. A finding without a label is wrong.
func (t tally) measure(dir string, verbose bool) error {
	f, err := os.Open(filepath.Join(dir, labelsFile))
	if err != nil {
		return err
	}
	want, err := labels(f)
	if err := f.Close(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	found, err := findings(os.DirFS(dir))
	if err != nil {
		return err
	}
	tell := func(what string, p place) {
		if verbose {
			fmt.Printf("%s: %s:%d %s\n", what, p.path, p.line, p.cwe)
		}
	}
	for p := range found {
		if want[p] {
			t.of(p.cwe, p.path).right++
		} else {
			t.of(p.cwe, p.path).wrong++
			tell("wrong", p)
		}
	}
	for p, yes := range want {
		c := t.of(p.cwe, p.path)
		if !yes {
			c.alike++
			continue
		}
		c.flows++
		if !found[p] {
			c.missed++
			tell("missed", p)
		}
	}
	return nil
}

// findings returns the places at which the checks find a flow.
func findings(fsys fs.FS) (map[place]bool, error) {
	var entries []inspect.Entry
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && p != labelsFile {
			entries = append(entries, inspect.Entry{Path: p, Size: info.Size()})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	out := map[place]bool{}
	r := inspect.New("bench", fsys, entries, nil, time.Unix(0, 0))
	for _, c := range flows.Checks("bench") {
		if err := c.Run(context.Background(), r, func(f inspect.Finding) { out[place{f.Path, f.Line, fmt.Sprintf("CWE-%d", c.CWE[0])}] = true }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// print writes the figures and reports whether the precision of each rule reaches bar.
func (t tally) print(w io.Writer) bool {
	ok := true
	rules := map[string]*counts{}
	line := func(name, lang string, c *counts) {
		fmt.Fprintf(w, "%-10s %-26s %5d flows %5d look-alikes  precision %s  recall %s\n", name, lang, c.flows, c.alike, share(c.right, c.right+c.wrong), share(c.flows-c.missed, c.flows))
	}
	keys := slices.SortedFunc(maps.Keys(t), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	all := &counts{}
	for _, k := range keys {
		c := t[k]
		line(k[0], k[1], c)
		for _, sum := range []*counts{all, rule(rules, k[0])} {
			sum.right, sum.wrong, sum.missed, sum.flows, sum.alike = sum.right+c.right, sum.wrong+c.wrong, sum.missed+c.missed, sum.flows+c.flows, sum.alike+c.alike
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		c := rules[name]
		line(name, "all languages", c)
		if precision := float64(c.right) / float64(max(1, c.right+c.wrong)); precision < bar {
			fmt.Fprintf(w, "%s has a precision under %.1f\n", name, bar)
			ok = false
		}
	}
	line("all", "all languages", all)
	return ok
}

func rule(rules map[string]*counts, name string) *counts {
	if rules[name] == nil {
		rules[name] = &counts{}
	}
	return rules[name]
}

func share(part, whole int) string {
	if whole == 0 {
		return "  - "
	}
	return fmt.Sprintf("%.2f", float64(part)/float64(whole))
}
