// Rows checks that every requirement that is due has a test that names its id.
//
// It owns rows.txt, the list of ids and which of them are due, and never looks
// at what a test does: a name is a claim that a reviewer can check. "make check"
// runs it from the root of the repository:
//
//	go run ./scripts/rows [-v]
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed rows.txt
var list string

func main() {
	verbose := flag.Bool("v", false, "say which tests name which row")
	flag.Parse()
	rows, err := parse(list)
	if err == nil {
		var found map[string][]string
		if found, err = search("."); err == nil {
			err = report(rows, found, *verbose)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rows:", err)
		os.Exit(1)
	}
}

type row struct {
	id    string
	later string // why not yet; "" for a row that is due
}

// parse reads rows.txt and holds it to be whole: no id twice, none left out.
func parse(text string) ([]row, error) {
	var rows []row
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		id, status, _ := strings.Cut(line, " ")
		why, later := strings.CutPrefix(status, "later: ")
		switch {
		case !idPattern.MatchString(id):
			return nil, fmt.Errorf("rows.txt:%d: %q is no id", i+1, id)
		case seen[id]:
			return nil, fmt.Errorf("rows.txt:%d: %s stands twice", i+1, id)
		case status != "due" && (!later || strings.TrimSpace(why) == ""):
			return nil, fmt.Errorf("rows.txt:%d: %s must be due, or later with a reason", i+1, id)
		}
		seen[id] = true
		if !later {
			why = ""
		}
		rows = append(rows, row{id, why})
	}
	for _, series := range []struct {
		format string
		last   int
	}{{"S0-%02d", 20}, {"S0-B%d", 21}, {"S1-%02d", 25}, {"S1-B%d", 12}, {"S2-%02d", 18}, {"S2-B%d", 17}, {"S3-%02d", 23}, {"S4-%02d", 19}, {"S4-B%d", 11}, {"B%d", 31}} {
		for n := 1; n <= series.last; n++ {
			if id := fmt.Sprintf(series.format, n); !seen[id] {
				return nil, fmt.Errorf("rows.txt lacks %s", id)
			}
		}
	}
	return rows, nil
}

// An id stands alone: B1 is not in B12, S0-B1 or 0xB1. In the name of a Go test it
// comes right after Test or ends it, with _ for -: TestB4Sequential, TestS3_06,
// TestCouncils_S0_18.
var (
	idPattern   = regexp.MustCompile(`\b(S[0-4]-\d\d|S[0124]-B\d{1,2}|B\d{1,2})\b`)
	namePattern = regexp.MustCompile(`\bTest(?:\w*?_)?(S[0-4]_\d\d|S[0124]_B\d{1,2}|B\d{1,2})(?:[A-Z_(])`)
)

func ids(text string) []string {
	var out []string
	for _, at := range idPattern.FindAllStringIndex(text, -1) {
		if at[0] > 0 && strings.ContainsRune("-_.#", rune(text[at[0]-1])) {
			continue // another row's, or a word's
		}
		out = append(out, text[at[0]:at[1]])
	}
	for _, m := range namePattern.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.ReplaceAll(m[1], "_", "-"))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var testFile = regexp.MustCompile(`(_test\.go|\.test\.tsx?)$`)

// search gives the test files that name each id. The script's own tests, which
// name ids to try the search, do not count.
func search(root string) (map[string][]string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	found := map[string][]string{}
	for name := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		path := string(name)
		if !testFile.MatchString(path) || strings.HasPrefix(path, "scripts/rows/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			return nil, err
		}
		for _, id := range ids(string(text)) {
			found[id] = append(found[id], path)
		}
	}
	return found, nil
}

func report(rows []row, found map[string][]string, verbose bool) error {
	var missing []string
	due := 0
	for _, r := range rows {
		tests := found[r.id]
		if r.later == "" {
			due++
			if len(tests) == 0 {
				missing = append(missing, r.id)
			}
		}
		if verbose {
			what := strings.Join(tests, " ")
			if r.later != "" {
				what = strings.TrimSpace("(later: " + r.later + ") " + what)
			}
			fmt.Printf("%-6s %s\n", r.id, what)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d of %d rows that are due are named by no test: %s", len(missing), due, strings.Join(missing, " "))
	}
	fmt.Printf("rows: each of the %d rows that are due is named by a test; %d are for later\n", due, len(rows)-due)
	return nil
}
