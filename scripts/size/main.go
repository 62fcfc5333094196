// Size prints how large the program is: the non-test, non-generated Go lines of each
// package of the module that the server is linked from, how many of them are over 120
// columns, and the sums. With -lower it lowers the figures of scripts/house/ratchet.txt
// to the current ones and removes lines that are within the limit; it neither raises nor
// adds a figure. "make size" calls it from the root of the repository.
package main

import (
	"flag"
	"fmt"
	"os"

	"agentdungeon/scripts/house"
)

const ratchet = "scripts/house/ratchet.txt"

func main() {
	lowered := flag.Bool("lower", false, "lower the figures of "+ratchet)
	flag.Parse()
	if err := run(*lowered); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func run(lowered bool) error {
	packages, err := house.Program(".")
	if err != nil {
		return err
	}
	if lowered {
		return lower(house.Figures(packages))
	}
	lines, long, files := 0, 0, 0
	for _, p := range packages {
		fmt.Printf("%7d lines %5d over %d columns  %s\n", p.Lines(), p.Long(), house.MaxColumns, p.Dir)
		lines, long, files = lines+p.Lines(), long+p.Long(), files+len(p.Files)
	}
	fmt.Printf("%7d lines %5d over %d columns  in %d files of %d packages\n", lines, long, house.MaxColumns, files, len(packages))
	return nil
}

func lower(today map[string]int) error {
	text, err := os.ReadFile(ratchet)
	if err != nil {
		return err
	}
	known, err := house.ReadRatchet(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", ratchet, err)
	}
	for key, n := range known {
		if now, over := today[key]; !over {
			delete(known, key)
		} else {
			known[key] = min(n, now)
		}
	}
	return os.WriteFile(ratchet, []byte(house.WriteRatchet(known)), 0o644)
}
