package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"agentdungeon/shared/world"
)

// judge reviews the packages and writes their findings to findings.csv, one in each row. It prints how many findings
// each package has, and how many of them were drawn.
func judge(hash string, parcels []parcel, into, binary string, most int) (err error) {
	file, err := os.Create(filepath.Join(into, "findings.csv"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := csv.NewWriter(file)
	rows := [][]string{{"number", "package", "severity", "confidence", "check", "title", "place", "evidence", "why", "advice",
		"useful, trivial or wrong", "reason"}}
	for _, p := range parcels {
		all, err := review(binary, filepath.Join(into, p.folder()))
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		drawn := sample(hash, all, most)
		fmt.Printf("%s: %d findings, %d drawn\n", p.name, len(all), len(drawn))
		for _, f := range drawn {
			rows = append(rows, []string{strconv.Itoa(len(rows)), p.name, f.Severity, f.Confidence, f.Check, f.Title,
				fmt.Sprintf("%s:%d", f.Path, f.Line), f.Evidence, f.Why, f.Advice, "", ""})
		}
	}
	return w.WriteAll(rows)
}

// sample returns at most n of the findings, drawn by a hash, in their order.
func sample(hash string, all []world.Finding, n int) (out []world.Finding) {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	shuffle(hash, ids, func(id string) string { return id })
	kept := map[string]bool{}
	for _, id := range ids[:min(n, len(ids))] {
		kept[id] = true
	}
	for _, f := range all {
		if kept[f.ID] {
			out = append(out, f)
		}
	}
	return out
}

// review returns the findings of a program in a folder. The program exits with 1 if it has found severe ones.
func review(binary, dir string) ([]world.Finding, error) {
	cmd := exec.Command(binary, "review", "-fresh", "-format", "json", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, err
	}
	var report struct{ Findings []world.Finding }
	return report.Findings, json.Unmarshal(out, &report)
}
