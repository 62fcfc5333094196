// Mutants breaks the program on purpose and checks that a test notices.
//
// A mutant is a file in breaks: one search and replace in one file of the tree, the
// requirement that it breaks, and the test that must fail. The work tree is never
// written to: the go command reads the broken file through an overlay
// (go help build, -overlay), so that only what depends on it is compiled again.
//
// A mutant is killed if its test passes on the tree and fails on the broken tree with an
// assertion whose message contains the text of the field "says". A panic, a timeout and a break
// that does not compile prove nothing about the test and count as failures of the mutant.
// From the root of the repository:
//
//	go run ./scripts/mutants            runs all of them ("make mutants")
//	go run ./scripts/mutants -run REGEXP    those whose name or rule (the field row) matches
//	go run ./scripts/mutants -sample    three, chosen by the commit's hash, and those
//	                                    whose file changed since the commit before
//	                                    ("make check")
//
// A mutant of the page (client/src) is tried in a copy of client/src with symbolic links to
// the rest of the tree: tsc checks the types, and vitest runs the test.
//
// A file in breaks has this form. Search and replace may have several lines, and search
// occurs exactly once in the file:
//
//	row: B5
//	why: a turn without a word counts as a turn
//	file: server/realm/run/hear.go
//	test: server/realm TestFailuresAreNoTurnsAndDoNotLoop/empty
//	says: B5
//	--- search
//	text of the file
//	--- replace
//	other text
//	--- end
//
// For a mutant of the page, test names a test file and the title of a test:
//
//	test: client/src/state/views.test.ts says what has ended
//
// The tests of this package check every mutant against the tree without running it: the
// search occurs exactly once, the result is Go, and the test exists and cites the row.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() {
	pattern := flag.String("run", "", "run the mutants whose name or row matches this regular expression")
	some := flag.Bool("sample", false, "run three, chosen by the commit's hash, and those whose file changed since the commit before")
	verbose := flag.Bool("v", false, "print what the failing tests say")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *pattern, *some, *verbose)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run tries the chosen mutants of the current folder's tree one after the other, because the
// go command uses all cores for one of them.
func run(ctx context.Context, pattern string, some, verbose bool) error {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	all, err := load(breaks)
	if err != nil {
		return err
	}
	var chosen []mutant
	for _, m := range all {
		if match.MatchString(m.name) || match.MatchString(m.row) {
			chosen = append(chosen, m)
		}
	}
	if some {
		hash, changed, err := commit(ctx, ".")
		if err != nil {
			return err
		}
		chosen = sample(chosen, hash, changed)
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no mutant matches %q", pattern)
	}
	t, err := newTree(".")
	if err != nil {
		return err
	}
	defer t.close()
	alive := 0
	for _, m := range chosen {
		began := time.Now()
		v := t.try(ctx, m)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Printf("%-9s %-6s %-34s %5.1f s  %s\n", v.word(), m.row, m.name, time.Since(began).Seconds(), m.why)
		if v.fault != "" {
			alive++
			fmt.Printf("          %s\n", v.fault)
		}
		if verbose || v.fault != "" {
			fmt.Print(indent(v.output))
		}
	}
	if alive > 0 {
		return fmt.Errorf("%d of %d mutants are not killed by the test that they name", alive, len(chosen))
	}
	fmt.Printf("mutants: %d of %d tried, all killed\n", len(chosen), len(all))
	return nil
}
