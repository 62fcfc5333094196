// Licences lists the modules that are linked into the binary and the packages that are bundled into
// the page, each with its licences. It fails if a licence is unknown, or is not in the list of
// permitted licences, which has no copyleft. It stores nothing: it reads the modules from go list,
// the packages of the page from package-lock.json, and the licences from the texts that modules and
// packages contain. "make licences" and "make check" call it, from the root of the repository.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// permitted lists the licences that a linked or bundled part may have, by their SPDX names.
var permitted = []string{
	"0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "Unlicense", "Zlib",
	"PublicDomain", // SQLite's
}

// part is one module or package that is linked or bundled, or whose data a generator copies.
type part struct {
	name, version string
	licences      []string // SPDX names, sorted; none is unknown
	from          string   // the source of the licences
}

// wrong returns why the program may not contain the part, or "" if it may.
func (p *part) wrong() string {
	if len(p.licences) == 0 {
		return fmt.Sprintf("%s %s: its licence is unknown", p.name, p.version)
	}
	for _, l := range p.licences {
		if !slices.Contains(permitted, l) {
			return fmt.Sprintf("%s %s: %s is not a licence that may be linked", p.name, p.version, l)
		}
	}
	return ""
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run() error {
	linked, err := goParts(".")
	if err != nil {
		return err
	}
	bundled, err := pageParts("client")
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	var errs []error
	for _, p := range slices.Concat(linked, bundled) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.name, p.version, strings.Join(p.licences, " AND "), p.from)
		if why := p.wrong(); why != "" {
			errs = append(errs, errors.New(why))
		}
	}
	fmt.Fprintf(table, "%d parts in the binary, %d in the page\t\t\t\n", len(linked), len(bundled))
	return errors.Join(append([]error{table.Flush(), out.Flush()}, errs...)...)
}
