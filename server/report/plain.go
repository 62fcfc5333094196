package report

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// Text returns the report as plain text for a terminal: first what was read, then the findings, the most severe
// first, then those that are only suspected, then the number of findings.
func Text(s Source) string {
	list := sortedOf(&s)
	found := list.stand
	var b strings.Builder
	if s.Change != nil {
		b.WriteString(s.Change.summary() + " What was read of them:\n")
	}
	c := coverageOf(s.World)
	if c != nil {
		for _, line := range CoverageLines(c) {
			b.WriteString(line + "\n")
		}
		b.WriteString("\n")
	}
	for i := range found {
		f := &found[i]
		grade := f.Severity
		if f.Confidence != "" {
			grade += ", " + f.Confidence + " confidence"
		}
		kind := f.Check
		for _, n := range f.CWE {
			kind += fmt.Sprintf(", CWE-%d", n)
		}
		fmt.Fprintf(&b, "%s: %s (%s) [%s]\n", plainPlace(f), f.Title, grade, kind)
		if mark := s.Change.mark(f.ID); mark != "" {
			b.WriteString("  Since " + s.Change.base() + ": " + mark + ".\n")
		}
		for line := range strings.Lines(f.Evidence) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
		if len(f.Steps) > 0 {
			b.WriteString("  From source to sink:\n    " + strings.Join(Way(f.Steps), "\n    ") + "\n")
		}
		fmt.Fprintf(&b, "  Why: %s\n  What to do: %s\n", f.Why, f.Advice)
		if f.Accept != "" {
			b.WriteString("  To accept it: " + f.Accept + "\n")
		}
		b.WriteString("\n")
	}
	if s.Change != nil {
		for i := range s.Change.Shown {
			f := &s.Change.Shown[i]
			fmt.Fprintf(&b, "Mended: %s: %s [%s]\n", plainPlace(f), f.Title, f.Check)
		}
		b.WriteString(s.Change.counted(found) + "\n")
	}
	b.WriteString(plainSuspected(list.suspected))
	b.WriteString(plainAccepted(list.accepted))
	if len(found) > 0 {
		fmt.Fprintf(&b, "To accept a finding, add a line to %s: the one that it has here, with a reason for REASON.\n",
			inspect.ExcusesFile)
	}
	var counts []string
	for _, severity := range slices.Backward(world.Severities) {
		if n := count(found, func(f world.Finding) bool { return f.Severity == severity }); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, severity))
		}
	}
	b.WriteString(some(len(found), "finding"))
	if len(counts) > 0 {
		b.WriteString(": " + strings.Join(counts, ", "))
	}
	b.WriteString(".")
	if len(list.accepted) > 0 {
		fmt.Fprintf(&b, " Accepted: %d.", len(list.accepted))
	}
	if n := len(list.suspected); n > 0 {
		fmt.Fprintf(&b, " Only suspected: %d.", n)
	}
	if c != nil && len(c.Unknown()) > 0 {
		langs, _ := unknownShares(c)
		fmt.Fprintf(&b, " Unknown, not clean: %s.", strings.Join(langs, ", "))
	}
	return b.String() + "\n"
}

// plainAccepted returns the list of the accepted findings, each with its line of code and the reason.
func plainAccepted(all []world.Finding) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Accepted, not counted:\n")
	for i := range all {
		f := &all[i]
		quote, _, _ := strings.Cut(f.Evidence, "\n")
		fmt.Fprintf(&b, "  %s: %s: %s\n      %s\n", plainPlace(f), f.Title, f.Withdrawn, quote)
	}
	return b.String() + "\n"
}
