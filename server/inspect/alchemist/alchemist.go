// Package alchemist is the scout who weighs what code costs: work that grows with the
// square of its input, what is done again in every turn of a loop, what is held until
// much later, files that weigh on every clone, and the files where all changes meet.
//
// It owns the checks and the small readers of loops in Go, JavaScript and Python that
// they share. It measures nothing by running it, and where it cannot see how often a
// loop turns, it stays silent on loops whose bound is small by their text.
// inspect/heroes lists its checks.
package alchemist

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

const hero = "alchemist"

// Checks are what the alchemist looks for.
func Checks() []inspect.Check {
	return []inspect.Check{
		hotSpots(), textGrowth(), frontInserts(), growingSearch(), spreads(), rebuilt(), patternsInLoops(), defersInLoops(), openBodies(), heavyFiles(),
	}
}

// place is one spot that a check found in a file.
type place struct {
	line int
	name string // the variable or call that it is about
	hard bool   // the worse of the two severities of its check
}

// maxPlaces bounds the places of one file: a check has long made its point, and a file
// made to slow it down does not.
const maxPlaces = 100

// maxLooks bounds in the same way how many tokens of one script are looked at closely.
const maxLooks = 500

// told is how a check words the places of one file.
type told struct {
	one         func(p place) string // the title of one place
	many        string               // with %d for how many
	easy, hard  string               // severities
	why, advice string
}

// tell reports one finding for all places of a file: they have one cause and one cure.
func (t *told) tell(f *inspect.File, data []byte, places []place, report func(inspect.Finding)) {
	if len(places) == 0 {
		return
	}
	first, severity := places[0], t.easy
	for _, p := range places {
		if p.hard && severity != t.hard {
			first, severity = p, t.hard
		}
	}
	title := t.one(first)
	evidence := inspect.Line(data, first.line)
	if len(places) > 1 {
		title = fmt.Sprintf(t.many, len(places))
		var lines []string
		for _, p := range places {
			lines = append(lines, strconv.Itoa(p.line))
		}
		evidence += " (lines " + some(lines, 8) + ")"
	}
	report(inspect.Finding{
		Severity: severity, Title: title, Path: f.Path, Line: first.line, Evidence: evidence, Why: t.why, Advice: t.advice,
		Same: "in loops: " + first.name,
	})
}

// count writes a number with its thousands set apart.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// some names the first few of many.
func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:most], ", "), count(len(names)-most))
}

// short keeps a name in a title from filling it.
func short(name string) string { return inspect.Clip(name, 40) }

// bundled is what bundlers write between the files that they put together.
var bundled = inspect.Pattern(`__webpack_require__|__toESM\(|__commonJS\(|var __defProp = |\n//# sourceMappingURL=|\n// node_modules/`)

// scripts gives the project's own JavaScript and TypeScript without tests that holds a
// text, until ctx ends.
func scripts(ctx context.Context, r *inspect.Repo, holding string) func(yield func(*inspect.File, []byte) bool) {
	return func(yield func(*inspect.File, []byte) bool) {
		for f, data := range r.All(ctx, "JavaScript", "TypeScript", "TSX", "JSX") {
			if !f.Test && bytes.Contains(data, []byte(holding)) && !bundled.Match(data) && !yield(f, data) {
				return
			}
		}
	}
}
