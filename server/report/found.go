package report

import (
	"cmp"
	"fmt"
	"strings"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// Found converts a finding of a check to the form of realms and reports. If the finding is only suspected, Why also
// gives the reason for that.
func Found(f *inspect.Finding) *world.Finding {
	why := f.Why
	if f.Confidence == inspect.Doubtful && f.Doubt != "" {
		why += onlyBecause + f.Doubt + "."
	}
	out := &world.Finding{
		ID: f.ID(), AgentID: f.Hero, Severity: f.Severity, Confidence: f.Confidence, Title: f.Title,
		Path: dungeon.EncodePath(f.Path), Line: f.Line,
		Check: f.Check, Evidence: f.Evidence, Why: why, Advice: f.Advice, CWE: f.CWE,
		Reach: string(cmp.Or(f.Reach, inspect.ReachProduct)), Patch: f.Patch, Accept: f.Excuse(),
	}
	if !f.Fresh.IsZero() {
		out.ChangedAt = world.TimeOf(f.Fresh)
	}
	for _, s := range f.Steps {
		s.Path = dungeon.EncodePath(s.Path)
		out.Steps = append(out.Steps, world.Step(s))
	}
	told := strings.Join(append([]string{f.Evidence}, Way(out.Steps)...), "\n")
	out.Text = fmt.Sprintf("%s\n\nWhy: %s\n\nWhat to do: %s", told, why, f.Advice)
	return out
}

// Way returns one line for each step of a finding: its number, place, quotation and note.
func Way(steps []world.Step) (out []string) {
	for i, s := range steps {
		line := fmt.Sprintf("%d. %s:%d: %s", i+1, s.Path, s.Line, s.Quote)
		if s.Note != "" {
			line += " (" + s.Note + ")"
		}
		out = append(out, line)
	}
	return out
}

// Posted converts a finding of a realm back to the form of the check that returned it. The cause is missing. If the
// path cannot be decoded, the finding is about the whole repository.
func Posted(f *world.Finding) inspect.Finding {
	out := inspect.Finding{
		Check: f.Check, Hero: f.AgentID, CWE: f.CWE, Severity: f.Severity, Confidence: f.Confidence, Title: f.Title,
		Path: decoded(f.Path), Line: f.Line, Evidence: f.Evidence, Why: f.Why, Advice: f.Advice, Patch: f.Patch, Known: f.ID,
	}
	for _, s := range f.Steps {
		s.Path = decoded(s.Path)
		out.Steps = append(out.Steps, inspect.Step(s))
	}
	return out
}

// Accepted returns the ids of those findings of a realm that excuses of its repository accept now. Withdrawn findings
// are not among them, but an excuse may mean one that a review has accepted (inspect.Excuses.Among).
func Accepted(excuses inspect.Excuses, all []world.Finding) map[string]bool {
	var meant []inspect.Finding
	for i := range all {
		if f := &all[i]; f.Check != "" && (f.Withdrawn == "" || f.Accepted()) {
			meant = append(meant, Posted(f))
		}
	}
	excuses, _ = excuses.Among(meant)
	out := map[string]bool{}
	for i := range all {
		f := Posted(&all[i])
		if _, ok := excuses.For(&f); ok && all[i].Withdrawn == "" {
			out[f.Known] = true
		}
	}
	return out
}

func decoded(p string) string {
	raw, err := dungeon.DecodePath(p)
	if err != nil {
		return ""
	}
	return raw
}

// place returns the place of a finding as Markdown.
func place(f *world.Finding) string {
	switch {
	case f.Path == "":
		return "the whole repository"
	case f.Line > 0:
		return Code(fmt.Sprintf("%s:%d", f.Path, f.Line))
	}
	return Code(f.Path)
}

// plainPlace returns the place of a finding in the form path:line, which terminals and editors recognise.
func plainPlace(f *world.Finding) string {
	switch {
	case f.Path == "":
		return "."
	case f.Line > 0:
		return fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	return f.Path
}
