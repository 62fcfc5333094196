// Rows lists every rule of the project with the code, the tests and the mutants that cite
// it. It fails if a cited id is not the id of a rule, or if no test cites a rule.
//
// Rules are defined in shared/SPEC.md and, those with a P, in shared/PROTOCOL.md. A citation
// is a claim that a reviewer can check; this program does not read what a test asserts. It
// writes shared/RULES.md and nothing else. "make generate" runs it from the root of the
// repository, and "make check" compares:
//
//	go run ./scripts/rows [-o FILE]
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// page is the path of the generated list of rules, relative to the root of the repository.
const page = "shared/RULES.md"

func main() {
	out := flag.String("o", page, "the file to write")
	flag.Parse()
	if err := run(".", *out); err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}

func run(root, out string) error {
	rules, err := load(root)
	if err != nil {
		return err
	}
	found, err := search(root)
	if err != nil {
		return err
	}
	if problems := check(rules, found); len(problems) > 0 {
		return fmt.Errorf("the citations of rules have %d problems:\n%s", len(problems), strings.Join(problems, "\n"))
	}
	return os.WriteFile(out, []byte(render(rules, found)), 0o644)
}
