// Package resources checks what the program holds and spends. It finds work repeated in every turn of a
// loop, resources held too long, and request bodies without a limit.
//
// The package also has the analysis of Go loops that these checks share. It reads Go only and runs no code of the
// repository. It reports nothing about loops whose text shows that they have few iterations. In this package a turn
// is one iteration of a loop. The package owns no state. inspect/heroes lists its checks.
package resources

import (
	"fmt"
	"strconv"

	"agentdungeon/server/inspect"
)

// Checks returns the checks of resources.
func Checks() []inspect.Check {
	return []inspect.Check{
		defersInLoops(), openBodies(),
	}
}

// place is a location that a check found in a file.
type place struct {
	line int
	name string // the variable or call
	hard bool   // the worse of the check's two severities
}

// maxPlaces is the maximum number of places that are reported in one file. More places are of no use to a reader, and a
// hostile file must not slow the check down.
const maxPlaces = 100

// told holds the texts and severities of a check's findings.
type told struct {
	one         func(p place) string // title for a single place
	many        string               // title for several places, with %d for their number
	easy, hard  string               // severities
	why, advice string
	cause       inspect.Cause // the zero Cause if each file has its own
}

// tell reports all places in a file as one finding, because they have the same cause and remedy.
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
		evidence += " (lines " + inspect.Some(lines, 8) + ")"
	}
	report(inspect.Finding{
		Severity: severity, Title: title, Path: f.Path, Line: first.line, Evidence: evidence, Why: t.why, Advice: t.advice,
		Same: "in loops: " + first.name, Cause: t.cause,
	})
}

// short clips a name for a title.
func short(name string) string { return inspect.Clip(name, 40) }
