// Personas writes what the heroes of a code review look for into their personas in
// server/template/templates/code_review.json: the text after "Your checks look for" says what the
// hero's checks look for, so that no persona claims a check that does not exist. The text
// before it is written by people. "make generate" and "make check", which compares the
// result, call it from the root of the repository:
//
//	go run ./scripts/personas [-o FILE]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/heroes"
)

const template = "server/template/templates/code_review.json"

// mark begins the generated text.
const mark = " Your checks look for "

func main() {
	out := flag.String("o", template, "file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "personas:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	text, err := os.ReadFile(template)
	if err != nil {
		return err
	}
	var roles struct {
		Roles []struct{ ID, Persona string }
	}
	if err := json.Unmarshal(text, &roles); err != nil {
		return err
	}
	for _, r := range roles.Roles {
		persona, _, _ := strings.Cut(r.Persona, mark)
		if looks := looksFor(r.ID, heroes.Checks()); looks != "" {
			persona += mark + looks + "."
		}
		text = []byte(strings.Replace(string(text), quoted(r.Persona), quoted(persona), 1))
	}
	return os.WriteFile(out, text, 0o644)
}

// looksFor returns what the checks of a hero look for as a list, without limits and exceptions. If several entries
// begin with the same words, the list has these words once: "values from a request that reach a dangerous place:
// SQL injection, path traversal".
func looksFor(hero string, checks []inspect.Check) string {
	var parts []string
	begun, by := map[string]int{}, map[string]string{} // the index in parts and the first check
	for i := range checks {
		if checks[i].Hero != hero {
			continue
		}
		looks, _, _ := strings.Cut(checks[i].Looks, "; ")
		first, _, ok := strings.Cut(looks, ", ")
		if at, known := begun[first]; known && ok {
			if !strings.HasPrefix(parts[at], first+": ") {
				parts[at] = first + ": " + inspect.KindOf(by[first])
			}
			parts[at] += ", " + inspect.KindOf(checks[i].ID)
			continue
		}
		begun[first], by[first] = len(parts), checks[i].ID
		parts = append(parts, looks)
	}
	return strings.Join(parts, "; ")
}

// quoted returns s as a JSON string without HTML escapes, as the template files have it.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}
