package report

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// CoverageArtifact is the name of the artifact in which the scouts hand over what their review has read.
const CoverageArtifact = "coverage"

// coverageHead is the heading of what was read and what was not, the first one of a report.
const coverageHead = "## Coverage\n\n"

// coverageOf returns what the newest review has read, nil if no review says so.
func coverageOf(w *world.World) *world.Coverage {
	for _, a := range slices.Backward(w.Artifacts) {
		if a.Coverage != nil {
			return a.Coverage
		}
	}
	return nil
}

// Coverage returns what was read and what was not as a section in Markdown.
func Coverage(c *world.Coverage) string { return coverageHead + CoverageList(c) }

// CoverageList returns the sentences of CoverageLines as a list in Markdown.
func CoverageList(c *world.Coverage) string {
	var b strings.Builder
	for _, line := range CoverageLines(c) {
		b.WriteString("- " + Escape(line) + "\n")
	}
	return b.String()
}

// CoverageLines returns what was read and what was not as sentences: one for each language of programs and for each
// language that a check knows, one for all other files, and what limits have left out.
func CoverageLines(c *world.Coverage) (out []string) {
	rest := world.Covered{}
	for i := range c.Languages {
		l := &c.Languages[i]
		if l.Own() > 0 && (l.Code || len(l.Trees)+len(l.Texts) > 0) {
			out = append(out, covered(l))
			continue
		}
		for to, more := range map[*world.Amount]world.Amount{
			&rest.Parsed: l.Parsed, &rest.Matched: l.Matched, &rest.Unread: l.Unread, &rest.Foreign: l.Foreign,
		} {
			to.Files, to.Lines = to.Files+more.Files, to.Lines+more.Lines
		}
	}
	if rest.Own()+rest.Foreign.Files > 0 {
		out = append(out, "Other files: "+amounts(&rest)+".")
	}
	if len(c.General) > 0 {
		out = append(out, fmt.Sprintf("In names, sizes and any text that was read: %s.", strings.Join(c.General, ", ")))
	}
	return append(out, c.Limits...)
}

// covered returns the sentence about one language.
func covered(l *world.Covered) string {
	text := fmt.Sprintf("%s: %s.", l.Lang, amounts(l))
	switch {
	case l.Own() == l.Unread.Files:
		return text + fmt.Sprintf(" What is in %s is unknown, not clean.", l.Lang)
	case l.Unknown():
		return text + fmt.Sprintf(" No check knows %s: what its code does is unknown, not clean.", l.Lang)
	}
	if len(l.Trees) > 0 && l.Parsed.Files == 0 {
		text += " Files that may take values from outside are parsed too."
	}
	if len(l.Trees) > 0 {
		text += fmt.Sprintf(" Looked for in the syntax: %s.", strings.Join(l.Trees, ", "))
	}
	if len(l.Texts) > 0 {
		text += fmt.Sprintf(" Looked for in the text: %s.", strings.Join(l.Texts, ", "))
	}
	return text
}

func amounts(l *world.Covered) string {
	var parts []string
	for _, a := range []struct {
		world.Amount
		how string
	}{
		{l.Parsed, "parsed"}, {l.Matched, "matched as text"}, {l.Unread, "not read"},
		{l.Foreign, "third-party or generated"},
	} {
		switch {
		case a.Files > 0 && a.Lines > 0:
			parts = append(parts, fmt.Sprintf("%s, %s %s", some(a.Files, "file"), some(a.Lines, "line"), a.how))
		case a.Files > 0:
			parts = append(parts, fmt.Sprintf("%s %s", some(a.Files, "file"), a.how))
		}
	}
	return strings.Join(parts, "; ")
}

// some returns a number with its noun: "1 file", "3 files".
func some(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
