package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A rule is one numbered paragraph, or a number that is listed as unused.
type rule struct {
	id      string
	file    string // the defining file, relative to the root of the repository
	section string
	unused  bool // the number is reserved without a rule
}

var (
	definition = regexp.MustCompile(`^- \*\*(` + idForm + `)\*\* \S`)
	unused     = regexp.MustCompile(`^- (` + idForm + `): \S`)
)

// load reads the rules of SPEC.md and PROTOCOL.md in the order of the text.
func load(root string) ([]rule, error) {
	var rules []rule
	seen := map[string]bool{}
	for _, name := range []string{"shared/SPEC.md", "shared/PROTOCOL.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		more, err := parse(name, string(text), seen)
		if err != nil {
			return nil, err
		}
		rules = append(rules, more...)
	}
	return rules, whole(seen)
}

// parse parses one file and adds the ids of its rules to seen, which has the ids of the files parsed before.
func parse(name, text string, seen map[string]bool) ([]rule, error) {
	var rules []rule
	section := ""
	for i, line := range strings.Split(text, "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = title
			continue
		}
		r := rule{file: name, section: section}
		if m := definition.FindStringSubmatch(line); m != nil {
			r.id = m[1]
		} else if m := unused.FindStringSubmatch(line); m != nil {
			r.id, r.unused = m[1], true
		} else {
			continue
		}
		if strings.HasPrefix(r.id, "P") != (name == "shared/PROTOCOL.md") {
			return nil, fmt.Errorf("%s:%d: the rule %s is in the wrong file: ids with P belong in PROTOCOL.md",
				name, i+1, r.id)
		}
		if seen[r.id] {
			return nil, fmt.Errorf("%s:%d: the rule %s is defined twice", name, i+1, r.id)
		}
		seen[r.id] = true
		rules = append(rules, r)
	}
	return rules, nil
}

// whole fails if a number of a series of rules is neither a rule nor listed as unused. Otherwise a
// new rule could reuse a number that has disappeared.
func whole(seen map[string]bool) error {
	for _, series := range []struct {
		format string
		last   int
	}{
		{"S0-%02d", 20}, {"S0-B%d", 21}, {"S1-%02d", 25}, {"S1-B%d", 12}, {"S2-%02d", 18}, {"S2-B%d", 17},
		{"S3-%02d", 23}, {"S4-%02d", 19}, {"S4-B%d", 11}, {"B%d", 31},
	} {
		for n := 1; n <= series.last; n++ {
			if id := fmt.Sprintf(series.format, n); !seen[id] {
				return fmt.Errorf("shared/SPEC.md neither defines the rule %s nor lists it as unused", id)
			}
		}
	}
	return nil
}
