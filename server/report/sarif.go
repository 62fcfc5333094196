package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// GitHub's limits of SARIF files, from docs.github.com ("SARIF results file exceeds limits", "SARIF support for code
// scanning"). GitHub refuses a whole file for one result without a location, and shows no more than maxResults results.
// Of the thread flows of a result it shows 1,000 locations, more than world.MaxSteps.
const (
	maxResults = 5_000
	maxTags    = 10
	maxSummary = 1_024 // length of a rule's short and full description
	maxName    = 255   // length of a rule's name
)

// These types are the part of SARIF 2.1.0 that GitHub code scanning reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]any    `json:"properties,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
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
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		CodeFlows    []sarifCodeFlow   `json:"codeFlows,omitempty"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Suppressions []sarifSuppressed `json:"suppressions,omitempty"`
		Baseline     string            `json:"baselineState,omitempty"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	// sarifCodeFlow has one thread flow with the steps of a finding in order.
	sarifCodeFlow struct {
		Threads []sarifThread `json:"threadFlows"`
	}
	sarifThread struct {
		Locations []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location sarifLocation `json:"location"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine int        `json:"startLine"`
		Snippet   *sarifText `json:"snippet,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
	sarifSuppressed struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
)

// fingerprint is the key of SARIF's partialFingerprints under which a result has an id that does not change when the
// finding's line moves.
const fingerprint = "agentDungeon/v1"

// SARIF returns the findings as SARIF 2.1.0. Accepted findings are included as suppressed results; others that are
// withdrawn are left out, because their code has changed or they are wrong. Suspected findings are only counted. A
// finding for which no file is known, which GitHub would refuse, and results beyond maxResults, which GitHub would not
// show, become notifications.
func SARIF(s Source) ([]byte, error) {
	list := sortedOf(&s)
	all := append(list.stand, list.accepted...)
	rules := newRules(s.Checks)
	invocation := sarifInvocation{Successful: true}
	notify := func(format string, args ...any) {
		invocation.Notifications = append(invocation.Notifications,
			sarifNotification{"warning", sarifText{Text: fmt.Sprintf(format, args...)}})
	}
	if damage := s.World.Salvage; damage != nil {
		notify("%s", salvaged(damage))
	}
	results, whole := []sarifResult{}, wholePath(all)
	var properties map[string]any
	if c := coverageOf(s.World); c != nil {
		properties, whole = map[string]any{"coverage": c}, cmp.Or(dungeon.EncodePath(c.Root), whole)
		for _, line := range CoverageLines(c) {
			notify("%s", line)
		}
	}
	if waiting := list.waiting(); waiting != "" {
		notify("%s", waiting)
	}
	if s.Change != nil {
		notify("%s", s.Change.counted(list.stand))
		if properties == nil {
			properties = map[string]any{}
		}
		properties["since"] = s.Change.since()
	}
	for i := range all {
		f := &all[i]
		if len(results) == maxResults {
			notify("%d findings are left out: code scanning shows at most %d.", len(all)-i, maxResults)
			break
		}
		at := cmp.Or(f.Path, whole)
		if at == "" {
			notify("No file is known to which this finding belongs: %s", message(f))
			continue
		}
		r := resultOf(f, at, rules)
		if mark := s.Change.mark(f.ID); mark != "" {
			r.Baseline = s.Change.Marks[f.ID].State
			r.Message.Text += fmt.Sprintf(" Since %s: %s.", s.Change.base(), mark)
		}
		results = append(results, r)
	}
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"agentdungeon", s.Version, rules.list}},
		Invocations: []sarifInvocation{invocation}, Results: results,
		Properties: properties,
	}
	return json.MarshalIndent(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, "",
		"  ")
}

// resultOf returns the result of a finding at a path. A finding of a whole file is at its first line.
func resultOf(f *world.Finding, at string, rules *rules) sarifResult {
	quote := ""
	if f.Line > 0 {
		quote = firstLine(f.Evidence)
	}
	id, index := rules.of(f)
	r := sarifResult{
		RuleID: id, RuleIndex: index, Level: level(f.Severity), Message: sarifText{Text: message(f)},
		Locations:    []sarifLocation{locationOf(at, max(f.Line, 1), quote, "")},
		Fingerprints: map[string]string{fingerprint: printOf(f)},
	}
	if len(f.Steps) > 0 {
		var way sarifThread
		for _, s := range f.Steps {
			way.Locations = append(way.Locations, sarifStep{locationOf(s.Path, s.Line, s.Quote, cmp.Or(s.Note, s.Quote))})
		}
		r.CodeFlows = []sarifCodeFlow{{[]sarifThread{way}}}
	}
	if line, text, ok := inspect.Mended(f.Patch); ok {
		changed := sarifReplacement{sarifRegion{StartLine: line}, sarifText{Text: text}}
		r.Fixes = []sarifFix{{sarifText{Text: f.Advice}, []sarifChange{{
			sarifArtifact{uri(at), "%SRCROOT%"}, []sarifReplacement{changed},
		}}}}
	}
	if f.Withdrawn != "" {
		r.Suppressions = []sarifSuppressed{{"external", "accepted", f.Withdrawn}}
	}
	return r
}

// locationOf returns the location of a line in a file, with its quotation and a message, each of which may be "".
func locationOf(path string, line int, quote, message string) sarifLocation {
	out := sarifLocation{Physical: sarifPhysical{sarifArtifact{uri(path), "%SRCROOT%"}, sarifRegion{StartLine: line}}}
	if quote != "" {
		out.Physical.Region.Snippet = &sarifText{Text: quote}
	}
	if message != "" {
		out.Message = &sarifText{Text: message}
	}
	return out
}

// printOf returns an id of a finding that does not depend on the finding's line. For a finding of a check it is the
// finding's own id. The ids of other findings are numbers that each realm counts from 1, so findings of two realms
// can have the same id. For such a finding printOf computes an id from the content.
func printOf(f *world.Finding) string {
	if f.Check != "" {
		return f.ID
	}
	sum := sha256.Sum256([]byte(f.Path + "\x00" + f.Title + "\x00" + f.Text))
	return "t-" + hex.EncodeToString(sum[:8])
}

// wholePath returns the file at which a finding of the whole repository is shown, "" if none is known: a README or a
// manifest at the root, or else the file of the weightiest finding.
func wholePath(all []world.Finding) string {
	first := ""
	for _, f := range all {
		name := strings.ToLower(f.Path)
		if f.Path == "" {
			continue
		}
		if name == "go.mod" || name == "package.json" || strings.HasPrefix(name, "readme") && !strings.Contains(name, "/") {
			return f.Path
		}
		first = cmp.Or(first, f.Path)
	}
	return first
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
