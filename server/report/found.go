package report

import (
	"fmt"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// Found returns a finding of a check in the form in which realms and reports have it. Its Why says also why a candidate
// is only suspected.
func Found(f *inspect.Finding) *world.Finding {
	why := f.Why
	if f.Confidence == inspect.Doubtful && f.Doubt != "" {
		why += " It is only suspected, because " + f.Doubt + "."
	}
	return &world.Finding{
		ID: f.ID(), AgentID: f.Hero, Severity: f.Severity, Confidence: f.Confidence, Title: f.Title,
		Text: fmt.Sprintf("%s\n\nWhy: %s\n\nWhat to do: %s", f.Evidence, why, f.Advice),
		Path: dungeon.EncodePath(f.Path), Line: f.Line,
		Check: f.Check, Evidence: f.Evidence, Why: why, Advice: f.Advice,
	}
}
