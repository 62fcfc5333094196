package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// unruled is the SARIF rule for findings that a person or a model has posted, not a check.
const unruled = "said"

type (
	sarifRule struct {
		ID            string         `json:"id"`
		Name          string         `json:"name"`
		Short         sarifText      `json:"shortDescription"`
		Full          sarifText      `json:"fullDescription"`
		Help          sarifText      `json:"help"`
		Configuration sarifDefault   `json:"defaultConfiguration"`
		Properties    sarifRuleFacts `json:"properties"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifRuleFacts struct {
		Tags      []string `json:"tags"`
		Precision string   `json:"precision"`
		// Score is the severity from 0.1 to 10 of a rule about security, "" for other rules. GitHub wants text.
		Score string `json:"security-severity,omitempty"`
	}
)

// rules collects the SARIF rules of a report from the checks, in the order of their first findings.
type rules struct {
	checks []inspect.Check
	at     map[string]int
	list   []sarifRule
}

func newRules(checks []inspect.Check) *rules {
	return &rules{checks: checks, at: map[string]int{}, list: []sarifRule{}}
}

// The method of returns the id and the index of a finding's rule. The caller passes the most severe findings first,
// so a rule gets the severity of its most severe finding.
func (r *rules) of(f *world.Finding) (id string, index int) {
	id = cmp.Or(f.Check, unruled)
	if at, known := r.at[id]; known {
		return id, at
	}
	r.at[id] = len(r.list)
	r.list = append(r.list, r.rule(id, f.Severity))
	return id, r.at[id]
}

func (r *rules) rule(id, severity string) sarifRule {
	out := sarifRule{ID: id, Name: inspect.Clip(pascal(id), maxName), Configuration: sarifDefault{level(severity)}}
	out.Properties = sarifRuleFacts{Tags: []string{"review"}, Precision: "medium"}
	i := slices.IndexFunc(r.checks, func(c inspect.Check) bool { return c.ID == id })
	if i < 0 { // the finding comes from a person, a model, or a check of another version
		text := "A finding that no check of this version made, but a person, a model or another version."
		out.Short, out.Full = sarifText{Text: text}, sarifText{Text: text}
		out.Help = sarifText{Text: text, Markdown: text}
		return out
	}
	c := &r.checks[i]
	looks := "Looks for " + c.Looks + "."
	out.Short = sarifText{Text: inspect.Clip(looks, maxSummary)}
	out.Full = sarifText{Text: inspect.Clip(looks+" Severity: "+c.Rule, maxSummary)}
	accept := id + " PATH:TITLE [MARK] -- REASON"
	out.Help = sarifText{
		Text: fmt.Sprintf("%s Severity: %s To accept a finding, add a line to %s that \"agentdungeon review\" prints: %s",
			looks, c.Rule, inspect.ExcusesFile, accept),
		Markdown: fmt.Sprintf("%s\n\n**Severity.** %s\n\n**To accept a finding**, add a line to `%s` that `agentdungeon "+
			"review` prints:\n\n```text\n%s\n```\n",
			Escape(looks), Escape(c.Rule), inspect.ExcusesFile, accept),
	}
	out.Properties.Precision = cmp.Or(c.Precision, out.Properties.Precision)
	if len(c.CWE) == 0 {
		return out
	}
	out.Properties.Tags, out.Properties.Score = []string{"security"}, score(severity)
	for _, n := range c.CWE[:min(len(c.CWE), maxTags-1)] {
		out.Properties.Tags = append(out.Properties.Tags, fmt.Sprintf("external/cwe/cwe-%03d", n))
	}
	return out
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

// score returns a number from which GitHub derives the same severity: critical above 9, high from 7, medium from 4.
func score(severity string) string {
	switch severity {
	case inspect.Critical:
		return "9.5"
	case inspect.High:
		return "8.0"
	case inspect.Medium:
		return "5.5"
	}
	return "2.0"
}

// pascal returns an id as a name: "DroppedError" for "healer/dropped-error".
func pascal(id string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(id[strings.LastIndexByte(id, '/')+1:], "-") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return cmp.Or(b.String(), "Rule")
}
