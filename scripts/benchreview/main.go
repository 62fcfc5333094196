// Command benchreview measures the checks that follow values from source to sink (server/inspect/flows): it writes
// planted applications with labelled lines, and also measures any folders that have a file labels.csv (path, line,
// CWE, yes or no). It prints precision and recall of each rule and exits with 1 if the precision of a rule is under
// 0.9. It writes only below a temporary folder or the folder of -out. "make bench-review" calls it.
package main

import (
	"flag"
	"fmt"
	"os"
)

// bar is the minimum precision of a rule.
const bar = 0.9

func main() {
	out := flag.String("out", "", "keep the planted applications in this folder")
	verbose := flag.Bool("v", false, "print each wrong and each missed finding")
	flag.Parse()
	ok, err := run(*out, *verbose, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(out string, verbose bool, folders []string) (bool, error) {
	dir := out
	if dir == "" {
		temp, err := os.MkdirTemp("", "benchreview")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(temp)
		dir = temp
	}
	if err := plant(dir); err != nil {
		return false, err
	}
	total := tally{}
	for _, folder := range append([]string{dir}, folders...) {
		if err := total.measure(folder, verbose); err != nil {
			return false, fmt.Errorf("%s: %w", folder, err)
		}
	}
	return total.print(os.Stdout), nil
}
