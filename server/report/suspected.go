package report

import (
	"fmt"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// SuspectedHead is the heading of the section with the suspected findings.
const SuspectedHead = "## Suspected\n\n"

// Limits of a list of suspected findings, because it must not hide what is proved.
const (
	listedSuspects = 12
	longestDoubt   = 200 // bytes of a reason
)

// onlyBecause stands in Finding.Why before the reason why a finding is only suspected.
const onlyBecause = " It is only suspected, because "

// doubt returns the reason why a finding is only suspected, "" if it has none.
func doubt(f *world.Finding) string {
	_, reason, _ := strings.Cut(f.Why, onlyBecause)
	return inspect.Clip(strings.TrimSuffix(strings.TrimSpace(reason), "."), longestDoubt)
}

// Suspected returns, as Markdown, a section with one line for each suspected finding, "" if there are none. The
// section is apart from that of the proved findings, and says that these do not count.
func Suspected(all []world.Finding) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(SuspectedHead + "Not proved and not counted: read the lines and judge. A language model in a " +
		"review proves or withdraws such findings.\n\n")
	for i := range all[:min(len(all), listedSuspects)] {
		f := &all[i]
		fmt.Fprintf(&b, "- %s (%s, %s)%s\n", Escape(f.Title), place(f), f.Severity, Escape(after(": ", doubt(f))))
	}
	if more := len(all) - listedSuspects; more > 0 {
		fmt.Fprintf(&b, "\n%s more are in the list of findings.\n", inspect.Count(more))
	}
	return b.String()
}

// plainSuspected returns the lines of Suspected as plain text for a terminal.
func plainSuspected(all []world.Finding) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Only suspected, not proved and not counted:\n")
	for i := range all[:min(len(all), listedSuspects)] {
		f := &all[i]
		fmt.Fprintf(&b, "  %s: %s (%s)%s\n", plainPlace(f), f.Title, f.Severity, after(": ", doubt(f)))
	}
	if more := len(all) - listedSuspects; more > 0 {
		fmt.Fprintf(&b, "  %s more are in the report in JSON.\n", inspect.Count(more))
	}
	return b.String() + "\n"
}

// after returns text behind a separator, "" if there is no text.
func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}
