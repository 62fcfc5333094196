package report

import (
	"fmt"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// Found returns a finding of a check in the form in which realms and reports have it.
func Found(f *inspect.Finding) *world.Finding {
	return &world.Finding{
		ID: f.ID(), AgentID: f.Hero, Severity: f.Severity, Confidence: f.Confidence, Title: f.Title,
		Text: fmt.Sprintf("%s\n\nWhy: %s\n\nWhat to do: %s", f.Evidence, f.Why, f.Advice),
		Path: dungeon.EncodePath(f.Path), Line: f.Line,
		Check: f.Check, Evidence: f.Evidence, Why: f.Why, Advice: f.Advice,
	}
}
