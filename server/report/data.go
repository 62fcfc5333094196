package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/shared/world"
)

// JSON returns the findings and the quests as JSON. It includes withdrawn findings.
func JSON(w *world.World, l *world.Land, version string, now time.Time) ([]byte, error) {
	found, withdrawn := standing(w)
	return json.MarshalIndent(struct {
		Program   string          `json:"program"`
		Version   string          `json:"version"`
		WrittenAt time.Time       `json:"writtenAt"`
		Realm     string          `json:"realm"`
		Files     int             `json:"files"`
		Folders   int             `json:"folders"`
		Problem   string          `json:"problem,omitempty"`
		Status    string          `json:"status"`
		Salvage   *world.Salvage  `json:"salvage,omitempty"`
		Findings  []world.Finding `json:"findings"`
		Withdrawn []world.Finding `json:"withdrawn"`
		Quests    []world.Quest   `json:"quests"`
	}{
		"agentdungeon", version, now.UTC(), w.Realm.Name, l.Map.Files, l.Map.Folders, w.ProcessState.ProblemStatement,
		w.ProcessState.Status,
		w.Salvage, world.NotNil(found), world.NotNil(withdrawn), world.NotNil(w.Quests),
	}, "", "  ")
}

// standing returns the findings that are not withdrawn, the most severe first, and the withdrawn
// ones.
func standing(w *world.World) (out, withdrawn []world.Finding) {
	for _, f := range w.Findings {
		if f.Withdrawn == "" {
			out = append(out, f)
		} else {
			withdrawn = append(withdrawn, f)
		}
	}
	slices.SortStableFunc(out, func(a, b world.Finding) int {
		return cmp.Or(slices.Index(world.Severities, b.Severity)-slices.Index(world.Severities, a.Severity),
			strings.Compare(a.Path, b.Path), a.Line-b.Line)
	})
	return out, withdrawn
}

// salvaged returns a sentence about the damage of the realm's database.
func salvaged(s *world.Salvage) string {
	return fmt.Sprintf("The realm's database was damaged. What could be read on %s is here: %s.",
		s.At.Go().UTC().Format("2006-01-02"), s)
}

// These types are the part of SARIF 2.1.0 that code scanners read.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations,omitempty"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Suppressions []sarifSuppressed `json:"suppressions,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifSuppressed struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// unruled is the SARIF rule of findings that no check made but a person or a model.
const unruled = "said"

// SARIF returns the findings as SARIF 2.1.0. Withdrawn findings are included and suppressed.
func SARIF(w *world.World, version string) ([]byte, error) {
	found, withdrawn := standing(w)
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "agentdungeon", Version: version, Rules: []sarifRule{}}},
		Results: []sarifResult{}}
	if s := w.Salvage; s != nil {
		run.Invocations = []sarifInvocation{{Successful: true, Notifications: []sarifNotification{{"warning",
			sarifText{salvaged(s)}}}}}
	}
	rules := map[string]int{}
	for _, f := range append(found, withdrawn...) {
		id := cmp.Or(f.Check, unruled)
		at, known := rules[id]
		if !known {
			at = len(run.Tool.Driver.Rules)
			rules[id] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id})
		}
		r := sarifResult{
			RuleID: id, RuleIndex: at, Level: level(f.Severity), Message: sarifText{message(&f)},
			Fingerprints: map[string]string{"agentdungeon/v1": f.ID},
		}
		if f.Path != "" {
			l := sarifLocation{sarifPhysical{Artifact: sarifArtifact{uri(f.Path)}}}
			if f.Line > 0 {
				l.Physical.Region = &sarifRegion{f.Line}
			}
			r.Locations = []sarifLocation{l}
		}
		if f.Withdrawn != "" {
			r.Suppressions = []sarifSuppressed{{"external", f.Withdrawn}}
		}
		run.Results = append(run.Results, r)
	}
	return json.MarshalIndent(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, "",
		"  ")
}

func level(severity string) string {
	switch severity {
	case "critical", "high":
		return "error"
	case "medium":
		return "warning"
	}
	return "note"
}

func message(f *world.Finding) string {
	parts := []string{f.Title + "."}
	for _, p := range []string{f.Why, f.Advice} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 1 && f.Text != "" {
		parts = append(parts, f.Text)
	}
	return strings.Join(parts, " ")
}

// uri returns a path in wire form as a URI. The wire form already escapes "%" and invalid UTF-8.
func uri(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/%", c) >= 0:
			b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
